"""Which family's rules a run follows: those of its benchmark, or CIBench's where it is run in one of its modes."""

from evaluator.families import cibench
from evaluator.families.cibench.live import CibenchRules
from evaluator.language import Benchmark
from evaluator.running import FamilyRules


def rules_of_run(benchmark: Benchmark, *, mode: str, rules: str | None) -> FamilyRules | None:
    """Return the rules of a benchmark's family; None where it has none and no mode is asked for.

    Args:
        benchmark: What is run.
        mode: One of CIBench's modes, or empty.
        rules: sound | published; None: what the benchmark says.
    """
    if mode or benchmark.manifest.extra.get("family") == cibench.FAMILY:
        return CibenchRules(benchmark, rules or benchmark.rules)
    return None
