"""Scores of predicted steps against what their notebooks stored: nothing is executed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple, Protocol

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError
from evaluator.families.cibench import FAMILY
from evaluator.families.cibench.benchmark_folder import NotebookPlace, described_sets, recorded_notebook
from evaluator.families.cibench.board import OF_TAG
from evaluator.families.cibench.notebook import Tag
from evaluator.families.cibench.predictions import NO_STEP, PredictedStep, Predictions
from evaluator.families.cibench.problemset import family_of, named_pair, step_number
from evaluator.language import PASS_AT, Benchmark, LoadedSet, Problem, chain_lengths, session_dependencies
from evaluator.language.cells import normal_line_ends
from evaluator.scoring import Answer, Cause, Finding, Judged, Verdict, decide
from evaluator.scoring.execution_log import ExecutionLog
from evaluator.scoring.grading import Expected, Grader
from evaluator.session.grader_pool import Grade, GradeItem, GraderPool

_VALIDATOR: Final = {"numeric": "numeric", "general": "numeric", "text": "text", "visual": "visual"}
_BATCH: Final = 32  # steps whose pictures are in memory at once


@dataclass(frozen=True)
class PredictedProblem:
    """A problem with what an agent did at it, scored."""

    problemset: str
    index: int  # from 1
    problem: Problem
    step: PredictedStep
    judged: Judged
    told: Mapping[str, Any]  # what its record tells as `family`


class PictureSource(Protocol):
    """Where the pictures of a log are."""

    def picture(self, link: str) -> bytes | None:
        """Return a picture by its name in the log; None where there is none."""
        ...


class _Task(NamedTuple):
    problemset: str
    number: int  # of the problem, from 1
    problem: Problem
    place: NotebookPlace
    tag: Tag
    expected: Expected | None  # None: the notebook is not at hand
    step: PredictedStep
    chain: int  # problems that it rests on, itself included (count)


def score_predictions(
    benchmark: Benchmark, predictions: Predictions, graders: GraderPool, *, rules: str
) -> tuple[list[PredictedProblem], tuple[Diagnostic, ...]]:
    """Score every problem of a benchmark; index 0 of the predictions is its first set.

    Args:
        benchmark: Imported from notebooks, which lie beside it.
        predictions: What is scored. Steps that it lacks count as not tried: no denominator shrinks.
        graders: Compare texts and pictures.
        rules: published | sound.

    Raises:
        ContentError: If a notebook of the predictions is another one than the benchmark's (sound rules only).
    """
    diagnostics: list[Diagnostic] = []
    tasks = list(_tasks(benchmark, predictions, diagnostics, rules))
    batches = [tasks[begin : begin + _BATCH] for begin in range(0, len(tasks), _BATCH)]

    def score(batch: Sequence[_Task]) -> list[PredictedProblem]:
        logs = [cut_logs(task.step.log) for task in batch]
        wanted = [(task, log) for task, cuts in zip(batch, logs, strict=True) for log in cuts]
        graded = iter(grade_logs(graders, [(task.tag, task.expected, log) for task, log in wanted], predictions, rules))
        return [_scored(task, [next(graded) for _ in cuts]) for task, cuts in zip(batch, logs, strict=True)]

    with ThreadPoolExecutor(graders.count) as threads:
        return [each for batch in threads.map(score, batches) for each in batch], tuple(diagnostics)


def _tasks(benchmark: Benchmark, predictions: Predictions, found: list[Diagnostic], rules: str) -> Iterator[_Task]:
    def warn(code: str, what: str, fix: str) -> None:
        found.append(Diagnostic(code, Severity.WARNING, predictions.path, 1, what, fix))

    places = described_sets(benchmark)
    known = {place.position for place in places.values()}
    for index in sorted(set(predictions.notebooks) - known):
        what = f"the benchmark has no notebook {index}, or refused it when it was imported"
        warn("prediction-of-no-notebook", what, "name the benchmark that the predictions are about")
    for loaded in benchmark.sets:
        assert loaded.problemset is not None, "broken benchmarks are refused before"
        index = places[loaded.name].position
        steps = predictions.notebooks.get(index)
        problems = loaded.problemset.problems
        if steps is None:
            what = f"nothing is predicted for notebook {index}, {loaded.name}: its steps count as not tried"
            warn("no-prediction", what, "add its prediction")
        elif len(steps) != len(problems):
            what = f"notebook {index} has {len(steps)} steps, and {loaded.name} has {len(problems)}"
            warn("step-count", what, "predict every step; those that are missing count as not tried")
        if not _asks_the_same(problems, predictions.asked.get(index, ())):
            what = f"notebook {index} says that other queries were asked than {loaded.name} has"
            if rules == "sound" and steps is not None and len(steps) != len(problems):
                fix = "name their benchmark, notebooks in the same order; --rules published scores them all the same"
                raise ContentError(f"{what}, and another number of them", where=str(predictions.path), fix=fix)
            warn("other-queries", what, "name the benchmark that the predictions are about, in the same order")
        yield from _tasks_of(benchmark, loaded, places[loaded.name], steps or (), warn)


def _asks_the_same(problems: Sequence[Problem], asked: Sequence[str]) -> bool:
    """Return whether what a prediction says was asked holds the queries of a problemset; nothing said is no doubt."""
    told = [(problem.query.split(), text) for problem, text in zip(problems, asked, strict=False)]
    return not told or any(" ".join(query) in " ".join(text.split()) for query, text in told)


def _tasks_of(
    benchmark: Benchmark,
    loaded: LoadedSet,
    place: NotebookPlace,
    steps: Sequence[PredictedStep],
    warn: Callable[[str, str, str], None],
) -> Iterator[_Task]:
    assert loaded.problemset is not None
    notebook = recorded_notebook(benchmark, loaded.name)
    if notebook is None:
        what = f"there is no notebook of {loaded.name} with stored outputs: its steps cannot be graded"
        warn("not-recorded", what, "import the benchmark from its notebooks")
    recorded = {step.number: step for step in notebook.steps} if notebook is not None else {}
    chains = chain_lengths(session_dependencies(loaded.problemset))
    for number, problem in enumerate(loaded.problemset.problems, start=1):
        stored = recorded.get(step_number(problem))
        tag = stored.tag if stored is not None else tag_of_problem(problem)
        expected = stored.expected if stored is not None else None
        if notebook is not None and (stored is None or normal_line_ends(stored.code).strip() != problem.code):
            what = f"problem {number} of {loaded.name} has other code than its notebook: its outputs are not known"
            warn("edited-since-recorded", what, "export the benchmark, run its notebooks, and import them again")
            expected = None
        step = steps[number - 1] if number <= len(steps) else NO_STEP
        yield _Task(loaded.name, number, problem, place, tag, expected, step, chains[number - 1])


def tag_of_problem(problem: Problem) -> Tag:
    """Return the tag of a problem without a stored step, by its type, else by its validators."""
    written = str(family_of(problem).get("step_type", ""))
    if written in {tag.value for tag in Tag}:
        return Tag(written)
    validators: Mapping[str, object] = problem.validator or {}
    named = {"numeric": Tag.GENERAL, "text": Tag.TEXT, "visual": Tag.VIS}
    return next((tag for name, tag in named.items() if name in validators), Tag.EXEC)


def cut_logs(log: ExecutionLog) -> list[ExecutionLog]:
    """Return a log after one, two and three executions, as far as it goes on then; the last is all of it."""
    return [ExecutionLog(log.executions[:length]) for length in range(1, min(len(log.executions), 4))] + [log]


def grade_logs(
    grader: Grader,
    asked: Sequence[tuple[Tag, Expected | None, ExecutionLog]],
    pictures: PictureSource,
    rules: str,
) -> list[Grade | None]:
    """Return the grade of each log; None: it has no score of its own, or nothing to compare with.

    Raises:
        ToolkitError: If no grader could answer.
    """
    sound = rules == "sound"
    items = [item_of(tag, expected, log, pictures.picture, sound=sound) for tag, expected, log in asked]
    grades = iter(grader.grade([item for item in items if item is not None]))
    return [next(grades) if item is not None else None for item in items]


def item_of(
    tag: Tag, expected: Expected | None, log: ExecutionLog, picture: Callable[[str], bytes | None], *, sound: bool
) -> GradeItem | None:
    """Return what is to be graded of a step; None: it has no score of its own, or nothing to compare with.

    A cell that stored nothing of the kind is nothing to compare with under the sound rules.

    Args:
        tag: What the step is scored by.
        expected: What its cell stored or shows.
        log: What the agent executed.
        picture: Returns the picture that a name in the log stands for.
        sound: Else as published.
    """
    metric = OF_TAG.get(tag.value)
    if metric is None or expected is None:
        return None
    if sound and not expected.picture and (metric == "visual" or not expected.text):
        return None  # published programs count it as zero, which no agent can help
    if metric == "visual":
        links = log.figures()
        return GradeItem("visual", expected.picture, picture(links[0]) if links else None, sound)
    text = log.shown_text(sound=sound) if metric == "text" else log.value_text(sound=sound)
    if expected.text is None and expected.picture is not None:
        return GradeItem(_VALIDATOR[metric], None, None, sound)  # typed as text, and a figure is stored: never right
    return GradeItem(_VALIDATOR[metric], _bytes(expected.text), _bytes(text), sound)


def scores_of(tag: Tag, log: ExecutionLog, grade: Grade | None) -> dict[str, float | None]:
    """Return the scores of a step: tool, executable, and that of its tag."""
    scores: dict[str, float | None] = {"tool": float(log.used_tool), "executable": float(log.is_executable)}
    metric = OF_TAG.get(tag.value)
    if metric is not None:
        scores[metric] = grade.score if grade is not None else None
    return scores


def pair_of(place: NotebookPlace, number: int, problem: Problem) -> str:
    """Return what a step and its translation have in common: what the translation names, else module, notebook, step.

    Notebooks of the published template set and of its Chinese one have the same names below their modules.
    """
    return named_pair(problem) or f"{place.module}/{PurePosixPath(place.notebook).name}#{number}"


def told_of(
    place: NotebookPlace,
    tag: Tag,
    logs: Sequence[ExecutionLog],
    grades: Sequence[Grade | None],
    *,
    rounds: int,
    chain: int = 0,
    pair: str = "",
) -> dict[str, Any]:
    """Return what a record tells as `family`.

    Args:
        place: Of the notebook.
        tag: What the step is scored by.
        logs: As `cut_logs` returns them; the last one counts.
        grades: One for each.
        rounds: That the agent made (count), with and without an execution.
        chain: Problems that the step rests on, itself included (count); 0: not known.
        pair: What the step and its translation have in common; empty: not known.
    """
    language = "zh" if place.is_chinese else "en"
    where = {"family": FAMILY, "set": place.set_name, "module": place.module, "language": language}
    scores = [scores_of(tag, log, grade) for log, grade in zip(logs, grades, strict=True)]
    told = {**where, "tag": tag.value, "scores": scores[-1], "rounds": rounds}
    told |= {name: value for name, value in (("chain", chain), ("pair", pair)) if value}
    return {**told, "by_rounds": scores} if len(scores) > 1 else told


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "replace")


def _scored(task: _Task, grades: Sequence[Grade | None]) -> PredictedProblem:
    judged = _judged(task, OF_TAG.get(task.tag.value), grades[-1])
    logs = cut_logs(task.step.log)
    pair = pair_of(task.place, task.number, task.problem)
    told = told_of(task.place, task.tag, logs, grades, rounds=task.step.rounds, chain=task.chain, pair=pair)
    if task.tag is Tag.VIS:
        told["verdict_by_score"] = True  # nothing but the likeness is known of a stored picture
    return PredictedProblem(task.problemset, task.number, task.problem, task.step, judged, told)


def _judged(task: _Task, metric: str | None, grade: Grade | None) -> Judged:
    children = [_crash(task.step)]
    if metric is not None:
        if grade is None or grade.score is None:
            why = (
                "there is no stored output to compare with" if grade is None else f"it could not be graded: {grade.why}"
            )
            return Judged(Verdict.NOT_JUDGED, reason=why)
        right = grade.score >= PASS_AT[_VALIDATOR[metric]]
        reason = "" if right else _WHY.get(grade.why, _why_wrong(metric, grade.score))
        answer = Answer.YES if right else Answer.NO
        children.append(Finding(_VALIDATOR[metric], answer, reason, score=grade.score))
    worst = Answer.NO if any(child.answer is Answer.NO for child in children) else Answer.YES
    return decide(Finding("and", worst, children=tuple(children)))


_WHY: Final = {
    "nothing-expected": "the notebook stored nothing that could be compared",
    "nothing-found": "no such output was found",
    "unreadable": "the picture cannot be read",
    "unreadable-expected": "the stored picture cannot be read",
    "too-large": "a picture is too large to be compared",
    "broke-grader": "the picture or text breaks what compares it",
    "channels": "the picture has other channels than the stored one",
    "too-small": "a picture is too small to be compared",
}


def _why_wrong(metric: str, score: float) -> str:
    if _VALIDATOR[metric] == "numeric":
        return "the expected numbers were not found"
    return f"the likeness is {score:.3f}; {PASS_AT[_VALIDATOR[metric]]} is needed"


def _crash(step: PredictedStep) -> Finding:
    if not step.log.used_tool:
        return Finding("crash", Answer.NO, "no code was executed", Cause.OTHER_ERROR)
    if not step.log.is_executable:
        return Finding("crash", Answer.NO, "the last execution failed", Cause.OTHER_ERROR)
    return Finding("crash", Answer.YES)
