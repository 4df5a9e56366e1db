"""Which family's rules a run follows: those of its benchmark, or of the mode that it is run in."""

from pathlib import Path
from typing import Final

from evaluator.errors import UsageError
from evaluator.families import cibench, qwen
from evaluator.language import Benchmark, manifest_in
from evaluator.running import FamilyRules, Mode

_ALL: Final = tuple(mode.value for mode in Mode)
_MODES: Final = {
    cibench.FAMILY: tuple(mode.value for mode in Mode if mode is not Mode.QWEN),
    qwen.FAMILY: (Mode.QWEN.value,),
}


def rules_of_run(benchmark: Benchmark, *, mode: str, rules: str | None) -> FamilyRules | None:
    """Return the rules that a run follows, as `rules_in_mode` does, where the mode fits the benchmark.

    Raises:
        UsageError: If the benchmark is of one family, and the mode of the other.
    """
    family = benchmark.manifest.extra.get("family")
    fitting = _MODES.get(family) if isinstance(family, str) else None
    if mode and fitting is not None and mode not in fitting:
        what = f"{mode!r} is no mode of {family}, and {benchmark.name!r} is a benchmark of that family"
        fix = f"use {' or '.join(fitting)}; 'benchwright paradigms' runs a benchmark as each system does"
        raise UsageError(what, where="--mode", fix=fix)
    return rules_in_mode(benchmark, mode=mode, rules=rules)


def modes_in(folder: Path) -> tuple[str, ...]:
    """Return the modes in which the benchmark in a folder can be run: those of its family, or all where it has none."""
    manifest = manifest_in(folder)
    family = None if manifest is None else manifest.extra.get("family")
    return _MODES.get(family, _ALL) if isinstance(family, str) else _ALL


def rules_in_mode(benchmark: Benchmark, *, mode: str, rules: str | None) -> FamilyRules | None:
    """Return the rules of a mode, else of a benchmark's family; None where there is neither.

    Args:
        benchmark: What is run.
        mode: A `Mode`, or empty.
        rules: sound | published; None: what the benchmark says.
    """
    if mode == Mode.QWEN or (not mode and benchmark.manifest.extra.get("family") == qwen.FAMILY):
        from evaluator.families.qwen.live import QwenRules  # late: few runs are of a family

        return QwenRules()
    if mode or benchmark.manifest.extra.get("family") == cibench.FAMILY:
        from evaluator.families.cibench.live import CibenchRules

        return CibenchRules(benchmark, rules or benchmark.rules)
    return None
