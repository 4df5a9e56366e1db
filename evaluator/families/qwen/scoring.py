"""Scores of result lines, from what they stored: nothing is executed."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.families.pictures import PictureFolder
from evaluator.families.qwen.benchmark_folder import records_of
from evaluator.families.qwen.board import ACCURACY, EXECUTABLE, FAILING, MISSING, ScoredItem
from evaluator.families.qwen.problemset import expected_answer
from evaluator.families.qwen.records import QwenFile, QwenRecord
from evaluator.families.qwen.transcript import (
    action_inputs,
    failed,
    figure_links,
    joined_code,
    observations,
    shows_soundly,
)
from evaluator.language import Benchmark, Problem
from evaluator.scoring import Answer, Cause, Finding, Judged, Verdict, decide
from evaluator.session.grader_pool import GradeItem, GraderPool


@dataclass(frozen=True)
class PredictedItem:
    """A problem with what an agent did at it, scored."""

    problemset: str
    problem: Problem
    record: QwenRecord
    result: QwenRecord | None  # None: there is none
    code: str
    scored: ScoredItem
    judged: Judged


def score_results(
    benchmark: Benchmark, results: QwenFile, graders: GraderPool, *, rules: str
) -> tuple[list[PredictedItem], tuple[Diagnostic, ...]]:
    """Score the records of a benchmark of whose tags some result is there.

    A record that has no result counts as missing, unless no record of its tag has one: then its tag was not run.

    Args:
        benchmark: Imported from the records that the results are about.
        results: Lines with what an agent did.
        graders: Compare closing answers.
        rules: published | sound.
    """
    diagnostics: list[Diagnostic] = []
    pairs = list(_pairs(benchmark, results, diagnostics))
    run = {tag for record, result in pairs if result is not None for tag in record.task_tags}
    left_out = sorted({tag for record, _ in pairs for tag in record.task_tags} - run)
    if left_out:
        what = f"nothing is predicted for the records of {', '.join(left_out)}: they are not counted"
        diagnostics.append(Diagnostic("no-prediction", Severity.WARNING, results.path, 1, what, "add their results"))
    pictures = PictureFolder(results.path)
    reader = _Reader(results.path, pictures, rules == "sound", diagnostics)
    counted = [
        (loaded.name, loaded.problemset.problems[0], record, result)
        for loaded, (record, result) in zip(benchmark.sets, pairs, strict=True)
        if loaded.problemset is not None and run & set(record.task_tags)
    ]
    grades = iter(
        graders.grade([_closing(record, result, rules) for *_, record, result in counted if record.is_word_problem])
    )
    items = []
    for name, problem, record, result in counted:
        answer = next(grades).score if record.is_word_problem else None
        items.append(reader.item(name, problem, record, result, answer))
    return items, (*diagnostics, *pictures.diagnostics)


def _pairs(
    benchmark: Benchmark, results: QwenFile, found: list[Diagnostic]
) -> Iterator[tuple[QwenRecord, QwenRecord | None]]:
    """Yield each record with its result: that of the same query, in order where several ask the same."""
    waiting: defaultdict[str, deque[QwenRecord]] = defaultdict(deque)
    for line in results.records:
        waiting[line.asked].append(line)
    absent = 0
    for record in records_of(benchmark).values():
        same = waiting[record.asked]
        result = same.popleft() if same else None
        absent += result is None
        yield record, result
    if absent:
        what = f"{absent} {'record has' if absent == 1 else 'records have'} no result"
        fix = "predict every record; where others of a tag have results, those without count as missing code"
        found.append(Diagnostic("no-prediction", Severity.WARNING, results.path, 1, what, fix))
    known = {record.asked for record in records_of(benchmark).values()}
    for left in (each for same in waiting.values() for each in same):
        is_known = left.asked in known
        told = "this query has a result already" if is_known else "the benchmark asks no such query"
        what = f"{told}: {left.query[:80]!r}"
        fix = "remove one of the lines; the first one counts" if is_known else "name the benchmark of these results"
        found.append(Diagnostic("prediction-of-no-record", Severity.WARNING, results.path, left.line, what, fix))


def _closing(record: QwenRecord, result: QwenRecord | None, rules: str) -> GradeItem:
    completion = result.fields.get("completion") if result is not None else None
    found = completion.encode("utf-8", "replace") if isinstance(completion, str) else None
    expected = str(record.fields.get("answer", "")) or expected_answer(record)
    return GradeItem("final_answer", expected.encode("utf-8", "replace"), found, rules == "sound")


class _Reader:
    def __init__(self, path: Path, pictures: PictureFolder, sound: bool, found: list[Diagnostic]) -> None:
        self._path = path
        self._pictures = pictures
        self._sound = sound
        self._found = found

    def _warn(self, result: QwenRecord, code: str, what: str, fix: str) -> None:
        self._found.append(Diagnostic(code, Severity.WARNING, self._path, result.line, what, fix))

    def item(
        self, name: str, problem: Problem, record: QwenRecord, result: QwenRecord | None, answer: float | None
    ) -> PredictedItem:
        """Score one record; `answer` is the score of a word problem's closing answer."""
        if record.is_word_problem:
            scores: dict[str, float | None] = {ACCURACY: answer}
            code = ""
            self._compare_stored(result, "acc", answer)
        else:
            code, scores = self._executability(record, result)
            if any(tag.startswith("visualization") for tag in record.task_tags):
                scores[ACCURACY] = self._visual(result)
        judged = _judged(record, scores)
        return PredictedItem(name, problem, record, result, code, ScoredItem(record.task_tags, scores), judged)

    def _executability(self, record: QwenRecord, result: QwenRecord | None) -> tuple[str, dict[str, float | None]]:
        """Return the code of a result, and whether it is missing, was executable, or failed."""
        fields: Mapping[str, Any] = result.fields if result is not None else {}
        written = fields.get("gen")
        text = written if isinstance(written, str) else ""
        inputs = action_inputs(text, first_only=not record.counts_all_actions, sound=self._sound)
        code = joined_code(inputs)
        is_missing = not inputs
        if result is not None and not isinstance(written, str):
            is_missing = fields.get("missing_code") is not False
            code = str(fields.get("code", ""))
        elif result is not None and isinstance(fields.get("missing_code"), bool):
            self._compare_missing(result, is_missing)
        ran = False if is_missing or result is None else self._ran(result, text, len(inputs))
        failing = None if ran is None else float(not is_missing and not ran)
        return code, {EXECUTABLE: None if ran is None else float(ran), MISSING: float(is_missing), FAILING: failing}

    def _ran(self, result: QwenRecord, text: str, actions: int) -> bool | None:
        """Return whether the code of a result ran: as stored, else by what the interpreter answered; None: unknown."""
        stored = result.fields.get("executable_code")
        if isinstance(stored, bool):
            return stored
        answered = [each for each, _ in zip(observations(text), range(actions), strict=False)]
        if not answered:
            what = "neither 'executable_code' nor an observation says whether the code ran: it is not judged"
            self._warn(result, "execution-unknown", what, "execute the code, and store what came of it")
            return None
        return not any(map(failed, answered))

    def _compare_missing(self, result: QwenRecord, is_missing: bool) -> None:
        if result.fields["missing_code"] is not is_missing:
            stored = str(result.fields["missing_code"]).lower()
            what = f"'missing_code' is {stored}, but 'gen' says otherwise, which counts"
            self._warn(result, "stored-otherwise", what, "look at the transcript")

    def _compare_stored(self, result: QwenRecord | None, name: str, score: float | None) -> None:
        stored = result.fields.get(name) if result is not None else None
        if isinstance(stored, bool) and score is not None and stored is not bool(score):
            assert result is not None
            what = f"{name!r} is {str(stored).lower()}, but its texts say otherwise, which counts"
            self._warn(result, "stored-otherwise", what, "look at the transcript")

    def _visual(self, result: QwenRecord | None) -> float | None:
        """Return whether the judge took the figures for right; None: nobody has judged them."""
        fields: Mapping[str, Any] = result.fields if result is not None else {}
        text = fields.get("gen")
        if result is None or not isinstance(text, str):
            return 0.0
        where = f"line {result.line}"
        links = tuple(link for link in figure_links(text, sound=self._sound) if self._pictures.can_be_read(where, link))
        if not links or not shows_soundly(text, links):
            return 0.0
        stored = fields.get("vis_acc")
        if isinstance(stored, bool):
            return float(stored)
        what = "its figures have no judgement ('vis_acc'): it is not judged"
        self._warn(result, "no-judgement", what, "let a judge look at them")
        return None


def _judged(record: QwenRecord, scores: Mapping[str, float | None]) -> Judged:
    """Return the verdict of a record by its scores."""
    if any(score is None for score in scores.values()):
        return Judged(Verdict.NOT_JUDGED, reason="what the result stored does not say whether it is right")
    children: list[Finding] = []
    if MISSING in scores:
        missing, ran = bool(scores[MISSING]), bool(scores[EXECUTABLE])
        reason = "" if ran else "there is no code" if missing else "the code failed"
        cause = None if ran else Cause.OTHER_ERROR
        children.append(Finding("crash", Answer.YES if ran else Answer.NO, reason, cause))
    if ACCURACY in scores:
        right = bool(scores[ACCURACY])
        name = "final_answer" if record.is_word_problem else "judge"
        reason = "" if right else "the closing answer is another one" if record.is_word_problem else "no right figure"
        children.append(Finding(name, Answer.YES if right else Answer.NO, reason, score=scores[ACCURACY]))
    worst = Answer.NO if any(child.answer is Answer.NO for child in children) else Answer.YES
    return decide(Finding("and", worst, children=tuple(children)))
