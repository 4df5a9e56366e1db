"""Predictions of the other systems as a run folder, scored anew from what they stored: nothing is executed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError
from evaluator.families.cibench.board import ScoredStep, board_of
from evaluator.families.cibench.predictions import read_predictions
from evaluator.families.cibench.problemset import FAMILY
from evaluator.families.cibench.scoring import PredictedProblem, score_predictions
from evaluator.language import Benchmark, read_benchmark
from evaluator.records import Record
from evaluator.running.execution.policies import HistoryPolicy, Policies, StatePolicy
from evaluator.running.imported import UNKNOWN, digest_of_file, write_imported
from evaluator.running.plan import PlannedSet, identify_sets
from evaluator.running.run_manifest import RunIdentity
from evaluator.scoring import SCORING_VERSION
from evaluator.session.grader_pool import GraderPool
from evaluator.session.sandboxing.backends import SandboxChoice

MODES: Final = ("end-to-end", "oracle", "oracle-as-run", "oracle-from-truth")
RULES: Final = ("published", "sound")


@dataclass(frozen=True)
class PredictedRun:
    """What importing a file of predictions came to."""

    out: Path
    benchmark: str
    version: str
    records: int
    mode: str
    rules: str
    board: Mapping[str, Any]
    diagnostics: tuple[Diagnostic, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "out": str(self.out),
            "benchmark": self.benchmark,
            "version": self.version,
            "records": self.records,
            "mode": self.mode,
            "rules": self.rules,
            "family_board": dict(self.board),
            "diagnostics": [each.to_json() for each in self.diagnostics],
        }


def import_predictions(
    file: Path,
    out: Path,
    *,
    benchmark: Path,
    mode: str = "end-to-end",
    rules: str = "published",
    workers: int = 2,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
) -> PredictedRun:
    """Score a CIBench prediction file anew and write it as a run folder.

    Args:
        file: A JSON object by notebook index; index 0 is the benchmark's first set.
        out: The folder to write; it may not hold a run already.
        benchmark: Imported from the notebooks that the predictions are about.
        mode: How the agent was run: end-to-end, or a reading of oracle; the file does not say.
        rules: How outputs are scored: published | sound.
        workers: How many graders work at once (count, >= 1).
        sandbox: Where pictures are decoded.

    Raises:
        UsageError: If there is no such file or benchmark, or no such mode or rules.
        ContentError: If the file holds no predictions, or `out` holds a run.
        ToolkitError: If there is no sandbox, or the folder cannot be written.
    """
    _refuse_unknown("mode", mode, MODES)
    _refuse_unknown("rules", rules, RULES)
    about = read_benchmark(benchmark)
    _refuse_unfit(about, benchmark)
    predictions = read_predictions(file)
    with GraderPool(sandbox=sandbox, count=workers) as graders:
        scored, warnings = score_predictions(about, predictions, graders, rules=rules)
    board = board_of([each.scored for each in scored], mode=mode, rules=rules).to_json()
    told = {
        "imported": {"file": file.name, "sha256": digest_of_file(file), "records": len(scored)},
        "family": {"family": FAMILY, "mode": mode},
    }
    lines = (_record(about, each).to_line() for each in scored)
    write_imported(out, _identity(file, about, mode, rules), lines, source=benchmark, told=told)
    diagnostics = (*predictions.diagnostics, *warnings)
    return PredictedRun(out, about.name, about.version, len(scored), mode, rules, board, diagnostics)


def _refuse_unknown(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"no {what} is called {value!r}", where=f"--{what}", fix=f"use one of {', '.join(known)}")


def _refuse_unfit(about: Benchmark, path: Path) -> None:
    """Refuse what was not made of notebooks, and what has errors: a set that is left out would shrink denominators."""
    if about.manifest.extra.get("family") != FAMILY:
        fix = "name the folder that 'benchwright import cibench' wrote"
        raise ContentError("the benchmark was not made of CIBench notebooks", where=str(path), fix=fix)
    for loaded in about.sets:
        if loaded.problemset is None:
            first = next((each for each in loaded.diagnostics if each.severity is Severity.ERROR), None)
            what = f"the problemset {loaded.name!r} has errors: {first.what if first else 'it does not parse'}"
            raise ContentError(what, where=str(loaded.path), fix="mend it, or import the notebooks again")
    if not about.problems:
        raise ContentError("the benchmark has no problems", where=str(path), fix="import its notebooks again")


def _identity(file: Path, about: Benchmark, mode: str, rules: str) -> RunIdentity:
    end_to_end = mode == "end-to-end"
    state = StatePolicy.OWN if end_to_end else StatePolicy.REFERENCE
    history = HistoryPolicy.OWN if end_to_end else HistoryPolicy.REFERENCE
    sets = [PlannedSet(loaded, len(loaded.problemset.problems)) for loaded in about.sets if loaded.problemset]
    return RunIdentity(
        benchmark=about.name,
        version=about.version,
        environment=UNKNOWN,
        sandbox=UNKNOWN,
        agent=file.stem,
        agent_version=digest_of_file(file)[:16],
        policies=Policies(state=state, history=history),
        rules=rules,
        scoring_version=str(SCORING_VERSION),
        rng_seed=0,
        limit=None,
        sets=identify_sets(sets),
    )


def _record(about: Benchmark, each: PredictedProblem) -> Record:
    family = {
        "family": FAMILY,
        "set": each.scored.set_name,
        "module": each.scored.module,
        "language": each.scored.language,
        "tag": each.scored.tag,
        "scores": dict(each.scored.scores),
        "rounds": each.step.rounds,
    }
    if each.scored.tag == "vis":
        family["verdict_by_score"] = True  # nothing but the likeness is known of a stored picture
    return Record(
        benchmark=about.name,
        version=about.version,
        problemset=each.problemset,
        index=each.index,
        attempt=1,
        verdict=each.judged.verdict,
        subverdict=each.judged.subverdict,
        extended_verdict=each.judged.reason,
        question=each.problem.query,
        validation=each.judged.validation,
        code=each.step.codes[-1] if each.step.codes else "",
        scoring_version=str(SCORING_VERSION),
        family=family,
    )


def family_board(records: Sequence[Record], manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the board of the family that a run is of, from its records; None for a run of DSEval's kind.

    Args:
        records: One per problem and epoch: the attempt that counts.
        manifest: Of the run, which names rules, family and mode.
    """
    told = manifest.get("family")
    if not isinstance(told, Mapping) or told.get("family") != FAMILY:
        return None
    steps = [_scored_step(record) for record in records if record.family.get("family") == FAMILY]
    board = board_of(steps, mode=str(told.get("mode", "")), rules=str(manifest.get("rules", "")))
    return board.to_json()


def _scored_step(record: Record) -> ScoredStep:
    family = record.family
    scores = family.get("scores")
    read = {
        str(metric): float(score) if isinstance(score, int | float) else None
        for metric, score in (scores if isinstance(scores, Mapping) else {}).items()
    }
    return ScoredStep(
        str(family.get("set", "")),
        str(family.get("module", "")),
        str(family.get("tag", "")),
        read,
        str(family.get("language", "en")),
    )
