"""Which family's rules a run follows: those of its benchmark, or of the mode that it is run in."""

from evaluator.families import cibench, qwen
from evaluator.families.cibench.live import CibenchRules
from evaluator.families.qwen.live import QwenRules
from evaluator.language import Benchmark
from evaluator.running import FamilyRules, Mode


def rules_of_run(benchmark: Benchmark, *, mode: str, rules: str | None) -> FamilyRules | None:
    """Return the rules of a mode, else of a benchmark's family; None where there is neither.

    Args:
        benchmark: What is run.
        mode: A `Mode`, or empty.
        rules: sound | published; None: what the benchmark says.
    """
    if mode == Mode.QWEN or (not mode and benchmark.manifest.extra.get("family") == qwen.FAMILY):
        return QwenRules()
    if mode or benchmark.manifest.extra.get("family") == cibench.FAMILY:
        return CibenchRules(benchmark, rules or benchmark.rules)
    return None
