"""Predictions of the other systems as a run folder, scored anew from what they stored: nothing is executed."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError, by_place
from evaluator.families import cibench, qwen
from evaluator.families.boards import Score
from evaluator.families.cibench.analyses import (
    debugging_board,
    difficulty_board,
    error_modes,
    language_board,
    likeness_and_judge,
    paired_languages,
    step_of,
)
from evaluator.families.cibench.benchmark_folder import described_sets
from evaluator.families.cibench.board import ScoredStep
from evaluator.families.cibench.board import board_of as cibench_board
from evaluator.families.cibench.predictions import Predictions, is_predictions, read_predictions
from evaluator.families.cibench.scoring import PredictedProblem, score_predictions
from evaluator.families.qwen.board import ScoredItem
from evaluator.families.qwen.board import board_of as qwen_board
from evaluator.families.qwen.records import is_qwen_results, read_records
from evaluator.families.qwen.scoring import PredictedItem, score_results
from evaluator.language import Benchmark, read_benchmark
from evaluator.records import AttemptKey, Record
from evaluator.running.attempt_details import MAX_OTHER, AttemptDetails, details_of_outputs
from evaluator.running.execution.policies import Mode, policies_of
from evaluator.running.imported import UNKNOWN, digest_of_file, write_imported
from evaluator.running.plan import PlannedSet, identify_sets
from evaluator.running.run_manifest import RunIdentity
from evaluator.scoring import SCORING_VERSION
from evaluator.scoring.execution_log import ExecutionLog
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
    agent: str = "",
    workers: int = 2,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
) -> PredictedRun:
    """Score CIBench predictions or Qwen result lines anew and write them as a run folder.

    Args:
        file: A JSON object by notebook index (index 0 is the benchmark's first set), or one result a line.
        out: The folder to write; it may not hold a run already.
        benchmark: Imported from the notebooks or records that the file is about.
        mode: How the agent was run: end-to-end, or a reading of oracle; the file does not say.
        rules: How outputs are scored: published | sound.
        agent: Whose they are; empty: the name of the file.
        workers: How many graders work at once (count, >= 1).
        sandbox: Where pictures are decoded.

    Raises:
        UsageError: If there is no such file or benchmark, or no such mode or rules.
        ContentError: If the file holds no predictions, or `out` holds a run.
        ToolkitError: If there is no sandbox, or the folder cannot be written.
    """
    family = family_of_results(file)
    if family == qwen.FAMILY and mode != MODES[0]:
        fix = "leave it out: results of the Qwen benchmark have no modes"
        raise UsageError(f"{mode!r} is a mode of CIBench, and the file holds Qwen results", where="--mode", fix=fix)
    _refuse_unknown("mode", mode, MODES)
    _refuse_unknown("rules", rules, RULES)
    about = read_benchmark(benchmark)
    if family is None:
        fix = "name CIBench predictions (an object by notebook index) or Qwen result lines (with 'gen' or 'completion')"
        raise ContentError("the file holds neither predictions nor results", where=str(file), fix=fix)
    _refuse_unfit(about, benchmark, family)
    with GraderPool(sandbox=sandbox, count=workers) as graders:
        read = _read_cibench if family == cibench.FAMILY else _read_qwen
        records, diagnostics, details = read(file, about, graders, rules)
    told = {
        "imported": {"file": file.name, "sha256": digest_of_file(file), "records": len(records)},
        "family": {"family": family, "mode": mode},
    }
    lines = (record.to_line() for record in records)
    write_imported(out, _identity(file, about, mode, rules, agent), lines, source=benchmark, told=told, details=details)
    board = family_board(records, {"family": told["family"], "rules": rules})
    assert board is not None
    return PredictedRun(out, about.name, about.version, len(records), mode, rules, board, diagnostics)


def family_of_results(file: Path) -> str | None:
    """Return of which family's results a file looks; None: of none."""
    if is_predictions(file):
        return cibench.FAMILY
    return qwen.FAMILY if is_qwen_results(file) else None


_Shown = Iterable[tuple[AttemptKey, AttemptDetails]]
_Read = tuple[list[Record], tuple[Diagnostic, ...], _Shown]


def _read_cibench(file: Path, about: Benchmark, graders: GraderPool, rules: str) -> _Read:
    predictions = read_predictions(file)
    if not any(predictions.notebooks.get(place.position) for place in described_sets(about).values()):
        raise _about_nothing(file, about, predictions.diagnostics)
    scored, warnings = score_predictions(about, predictions, graders, rules=rules)
    records = [_step_record(about, each) for each in scored]
    shown = (
        (record.key, details_of_outputs(list(_outputs(each.step.log, predictions))))
        for record, each in zip(records, scored, strict=True)
    )
    return records, (*predictions.diagnostics, *warnings), shown


def _outputs(log: ExecutionLog, predictions: Predictions) -> Iterator[Mapping[str, Any]]:
    """Yield what the last execution with a result showed, shaped as in nbformat."""
    last = next((each for each in reversed(log.executions) if each.text is not None), None)
    if last is None:
        return
    for block in last.blocks:
        if block.kind in ("stdout", "stderr"):
            yield {"output_type": "stream", "name": block.kind, "text": block.text}
        elif block.kind != "error":
            yield {"output_type": block.kind, "metadata": {}, "data": {"text/plain": block.text}}
    for link in last.figures:
        picture = predictions.picture(link)
        if picture is not None and len(picture) < MAX_OTHER:
            data = {"image/png": base64.b64encode(picture).decode("ascii")}
            yield {"output_type": "display_data", "metadata": {}, "data": data}


def _read_qwen(file: Path, about: Benchmark, graders: GraderPool, rules: str) -> _Read:
    results = read_records(file)
    scored, warnings = score_results(about, results, graders, rules=rules)
    if not any(each.result for each in scored):
        raise _about_nothing(file, about, (*results.diagnostics, *warnings))
    return [_item_record(about, each) for each in scored], (*results.diagnostics, *warnings), ()


def _about_nothing(file: Path, about: Benchmark, diagnostics: Sequence[Diagnostic]) -> ContentError:
    """Return the error of a file that predicts nothing of a benchmark."""
    first = next((each.what for each in diagnostics), "it predicts other notebooks")
    what = f"the file predicts nothing of the benchmark {about.name!r}: {first}"
    return by_place(
        ContentError(what, where=str(file), fix="name the benchmark that the file is about, or mend the file")
    )


def _refuse_unknown(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"no {what} is called {value!r}", where=f"--{what}", fix=f"use one of {', '.join(known)}")


def _refuse_unfit(about: Benchmark, path: Path, family: str) -> None:
    """Refuse what was not made of the family's files, and sets with errors: one left out would shrink denominators."""
    if about.manifest.extra.get("family") != family:
        fix = f"name the folder that 'benchwright import {family}' wrote"
        raise by_place(ContentError(f"the benchmark was not made of {_FILES[family]}", where=str(path), fix=fix))
    for loaded in about.sets:
        if loaded.problemset is None:
            first = next((each for each in loaded.diagnostics if each.severity is Severity.ERROR), None)
            what = f"the problemset {loaded.name!r} has errors: {first.what if first else 'it does not parse'}"
            raise by_place(ContentError(what, where=str(loaded.path), fix="mend it, or import the notebooks again"))
    if not about.problems:
        what = "the benchmark has no problems"
        raise by_place(ContentError(what, where=str(path), fix="import its notebooks again"))


_FILES: Final = {cibench.FAMILY: "CIBench notebooks", qwen.FAMILY: "Qwen records"}


def _identity(file: Path, about: Benchmark, mode: str, rules: str, agent: str) -> RunIdentity:
    sets = [PlannedSet(loaded, len(loaded.problemset.problems)) for loaded in about.sets if loaded.problemset]
    return RunIdentity(
        benchmark=about.name,
        version=about.version,
        environment=UNKNOWN,
        sandbox=UNKNOWN,
        agent=agent or file.stem,
        agent_version=digest_of_file(file)[:16],
        policies=policies_of(Mode(mode)),
        mode=mode,
        rules=rules,
        scoring_version=str(SCORING_VERSION),
        rng_seed=0,
        limit=None,
        sets=identify_sets(sets),
    )


def _step_record(about: Benchmark, each: PredictedProblem) -> Record:
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
        family=each.told,
    )


def _item_record(about: Benchmark, each: PredictedItem) -> Record:
    return Record(
        benchmark=about.name,
        version=about.version,
        problemset=each.problemset,
        index=1,
        attempt=1,
        verdict=each.judged.verdict,
        subverdict=each.judged.subverdict,
        extended_verdict=each.judged.reason,
        question=each.problem.query,
        validation=each.judged.validation,
        code=each.code,
        scoring_version=str(SCORING_VERSION),
        family={
            "family": qwen.FAMILY,
            "tags": list(each.scored.tags),
            "scores": dict(each.scored.scores),
        },
    )


def family_board(
    records: Sequence[Record], manifest: Mapping[str, Any], *, published_weights: bool = False
) -> dict[str, Any] | None:
    """Return the board of the family that a run is of, from its records; None for a run of DSEval's kind.

    Args:
        records: One per problem and epoch: the attempt that counts.
        manifest: Of the run, which names rules, family and mode.
        published_weights: CIBench's modules count in their set as published, not by their steps.
    """
    told = manifest.get("family")
    of_records = next((record.family for record in records if record.family), {})
    about = told if isinstance(told, Mapping) else {**of_records, "mode": manifest.get("mode") or ""}
    family = about.get("family")
    if family not in _FILES:
        return None
    mode, rules = str(about.get("mode", "")), str(manifest.get("rules", ""))
    of_family = [record.family for record in records if record.family.get("family") == family]
    if family == qwen.FAMILY:
        return qwen_board([_scored_item(each) for each in of_family], mode=mode, rules=rules).to_json()
    steps = [_scored_step(each) for each in of_family]
    return cibench_board(steps, mode=mode, rules=rules, published_weights=published_weights).to_json()


def family_analyses(records: Sequence[Record]) -> dict[str, Any]:
    """Return what CIBench reads out of a run beside its scores; empty for a run of another kind.

    Args:
        records: One per problem and epoch: the attempt that counts.
    """
    counted = [record for record in records if record.family.get("family") == cibench.FAMILY]
    if not counted:
        return {}
    steps = [
        step_of(record.family, _scored_step(record.family), place=f"{record.problemset}/{record.index}")
        for record in counted
    ]
    boards = {
        "difficulty": difficulty_board(steps),
        "debugging": debugging_board(steps),
        "languages": language_board(steps),
        "paired_languages": paired_languages(steps),
    }
    shown = {name: {row: _shown(scores) for row, scores in board.items()} for name, board in boards.items()}
    likeness = likeness_and_judge(counted)
    return {
        **shown,
        "error_modes": _shown(error_modes(counted)),
        "likeness_and_judge": None if likeness is None else likeness.to_json(),
    }


def _shown(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {name: score.to_json() for name, score in scores.items()}


def _scores(family: Mapping[str, Any]) -> dict[str, float | None]:
    scores = family.get("scores")
    return {
        str(metric): float(score) if isinstance(score, int | float) else None
        for metric, score in (scores if isinstance(scores, Mapping) else {}).items()
    }


def _scored_item(family: Mapping[str, Any]) -> ScoredItem:
    tags = family.get("tags")
    return ScoredItem(tuple(map(str, tags)) if isinstance(tags, list) else (), _scores(family))


def _scored_step(family: Mapping[str, Any]) -> ScoredStep:
    return ScoredStep(
        str(family.get("set", "")),
        str(family.get("module", "")),
        str(family.get("tag", "")),
        _scores(family),
        str(family.get("language", "en")),
    )
