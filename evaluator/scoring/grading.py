"""What graded validators compare, and the score of each: numbers, texts, figures and closing answers.

Texts and pictures are read here, from what a cell showed; they are compared in a grader process.
"""

import ast
import base64
import binascii
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from evaluator.language import ValidatorSpec, graded_validators
from evaluator.scoring.execution_log import Execution, ExecutionLog, execution_text, text_of
from evaluator.scoring.findings import AuthorFault
from evaluator.session import Ending, Outcome
from evaluator.session.grader_pool import Grade, GradeItem

MAX_FIGURES: Final = 4
"""Of one cell that are compared under the sound rules."""
_WRITTEN: Final = "expected"  # the option that holds an expected answer, where the reference code does not work it out


class Grader(Protocol):
    """What grading needs of an engine."""

    def grade(self, items: Sequence[GradeItem]) -> list[Grade]:
        """Return one grade per item, in order.

        Raises:
            ToolkitError: If no grader can be started.
        """
        ...


@dataclass(frozen=True)
class JudgeQuestion:
    """What a judge is asked about the figures of a submission."""

    query: str
    pictures: tuple[bytes, ...] = field(repr=False)  # PNGs
    scale: str = "ten"  # | right_wrong
    sound: bool = True  # else its reply is read as the published programs do

    @property
    def language(self) -> str:
        """In which language it is asked: zh where the query holds Chinese, else en."""
        return "zh" if any("\u4e00" <= character <= "\u9fff" for character in self.query) else "en"


class FigureJudge(Protocol):
    """Says how well figures fit a query; used from several threads."""

    def opinion(self, question: JudgeQuestion) -> Grade:
        """Return a score in [0, 1]; None with one word: it gave no opinion (`no-opinion`), or could not be asked.

        Raises:
            RecordingError: If what it said cannot be recorded; then the work stops.
        """
        ...


@dataclass(frozen=True)
class Expected:
    """What a cell showed, as CIBench's program reads it: the target of graded validators."""

    text: str | None = None
    picture: bytes | None = field(default=None, repr=False)  # a PNG
    kind: str = ""  # of the output that held the text: stdout | execute_result


NOTHING_EXPECTED: Final = Expected()


def expected_of(outputs: Iterable[Any]) -> Expected:
    """Return the first displayed picture, else the last text that is stdout or a result (CIBench's program).

    Args:
        outputs: Shaped as in nbformat.
    """
    shown = [each for each in outputs if isinstance(each, Mapping)]
    pictures = displayed_pictures(shown)
    if pictures:
        return Expected(picture=pictures[0])
    for output in reversed(shown):
        if output.get("output_type") == "stream" and output.get("name") == "stdout":
            return Expected(text_of(output.get("text")), kind="stdout")
        if output.get("output_type") == "execute_result":
            data = data_of(output)
            return Expected(text_of(data["text/plain"]), kind="execute_result") if "text/plain" in data else Expected()
    return NOTHING_EXPECTED


def displayed_pictures(outputs: Iterable[Mapping[str, Any]]) -> list[bytes]:
    """Return the PNGs that were displayed, in order; one that is no base64 is empty, which no picture is like."""
    written = [data_of(each) for each in outputs if each.get("output_type") == "display_data"]
    return [_decoded(data["image/png"]) for data in written if "image/png" in data]


def _decoded(written: object) -> bytes:
    try:
        return base64.b64decode(text_of(written))
    except (binascii.Error, ValueError):
        return b""


def data_of(output: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the bundle of an output; empty where it has none."""
    data = output.get("data")
    return data if isinstance(data, Mapping) else {}


@dataclass(frozen=True)
class Shown:
    """What one side showed."""

    text: str | None  # for `text`
    value: str | None  # for `numeric`
    answer: str | None  # for `final_answer`
    figures: tuple[bytes, ...] = field(default=(), repr=False)  # PNGs


def shown_by(outcome: Outcome, *, sound: bool, answer: str | None = None) -> Shown:
    """Return what a submission showed; nothing if it failed.

    Args:
        outcome: Of its last execution.
        sound: Else as the published programs read, in texts that they trim.
        answer: What it closed with in prose; None: its value stands for that.
    """
    succeeded = outcome.ending is Ending.OK
    text = execution_text(map(_unquoted, outcome.outputs), limit=None) if sound else execution_text(outcome.outputs)
    log = ExecutionLog((Execution(succeeded, text if succeeded else None),))
    value = log.value_text(sound=sound)
    figures = tuple(displayed_pictures(outcome.outputs)) if succeeded else ()
    return Shown(log.shown_text(sound=sound), value, _said(value) if answer is None else answer, figures)


def _unquoted(output: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an output whose value is a text as that text, not as Python writes it down."""
    written = text_of(data_of(output).get("text/plain")) if output.get("output_type") == "execute_result" else ""
    if len(written) > _MOST_QUOTED or written[:1] not in _QUOTES or written[-1:] not in _QUOTES:
        return output
    try:
        text = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return output
    return {**output, "data": {**data_of(output), "text/plain": text}} if isinstance(text, str) else output


_QUOTES: Final = ("'", '"')
_MOST_QUOTED: Final = 200_000  # characters of a text that is read


def _said(value: str | None) -> str | None:
    """Return a shown value as a sentence would hold it: without quotes, and behind a blank, as extraction wants it."""
    return None if value is None else " " + value.strip().strip("'\"")


def _target(reference: Outcome, recorded: Expected | None, *, sound: bool) -> Shown:
    """Return what is expected: what was recorded, else what the reference showed."""
    if recorded is None and sound:
        return shown_by(reference, sound=True)
    wanted = recorded if recorded is not None else expected_of(reference.outputs)
    figures = () if wanted.picture is None else (wanted.picture,)
    return Shown(wanted.text, wanted.text, wanted.text, figures)


def grade_submission(
    grader: Grader,
    validators: ValidatorSpec,
    reference: Outcome,
    submission: Outcome,
    *,
    rules: str,
    recorded: Expected | None = None,
    answer: str | None = None,
    query: str = "",
    figure_judge: FigureJudge | None = None,
) -> list[Grade]:
    """Return one grade for each graded validator of a tree, in its order.

    Args:
        grader: Compares.
        validators: The tree; without graded validators nothing is compared.
        reference: Outcome of the reference code.
        submission: Outcome of the submission.
        rules: sound | published.
        recorded: What is expected instead of what the reference showed.
        answer: What the agent closed with in prose, if it did.
        query: What was asked.
        figure_judge: Looks at figures; None: nobody does.

    Raises:
        ToolkitError: If no grader can be started.
        RecordingError: As the judge.
    """
    nodes = graded_validators(validators)
    if not nodes:
        return []
    sound = rules == "sound"
    target, found = _target(reference, recorded, sound=sound), shown_by(submission, sound=sound, answer=answer)
    asked = [_items(node, target, found, sound=sound) for node in nodes if node.name != "judge"]
    grades = iter(grader.grade([item for items in asked for item in items]) if asked else ())
    wanted = max(1, len(target.figures[:MAX_FIGURES])) if sound else 1
    compared = iter([_best([next(grades) for _ in items], wanted) for items in asked])
    return [
        _opinion(figure_judge, node, query, found, sound=sound) if node.name == "judge" else next(compared)
        for node in nodes
    ]


def _opinion(judge: FigureJudge | None, node: ValidatorSpec, query: str, found: Shown, *, sound: bool) -> Grade:
    if not found.figures:
        return Grade(0.0, "nothing-found")
    if judge is None:
        return Grade(None, "no-judge")
    scale = str(node.options.get("scale") or "ten")
    return judge.opinion(JudgeQuestion(query, found.figures[:MAX_FIGURES], scale, sound))


def _items(node: ValidatorSpec, target: Shown, found: Shown, *, sound: bool) -> list[GradeItem]:
    """Return what is compared for one validator: figures each with each, in rows of expected ones."""
    if node.name == "visual":
        most = MAX_FIGURES if sound else 1
        expected = target.figures[:most] or (None,)
        pictures = found.figures[:most] or (None,)
        return [GradeItem("visual", one, other, sound) for one in expected for other in pictures]
    sides = {
        "numeric": (target.value, found.value),
        "text": (target.text, found.text),
        "final_answer": (_closing(node, target), found.answer),
    }
    one, other = sides[node.name]
    return [GradeItem(node.name, _bytes(one), _bytes(other), sound)]


def _closing(node: ValidatorSpec, target: Shown) -> str | None:
    written = node.options.get(_WRITTEN)
    return target.answer if written is None else str(written)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "replace")


def _best(grades: Sequence[Grade], expected: int) -> Grade:
    """Return the mean over expected figures of the likeness of their partners, in the pairing that is best."""
    if len(grades) == 1:
        return grades[0]
    if any(grade.score is None for grade in grades):
        return next(grade for grade in grades if grade.score is None)
    width = len(grades) // expected
    rows = [[grade.score or 0.0 for grade in grades[row * width :][:width]] for row in range(expected)]
    best = max(
        sum(rows[row][column] for row, column in pairs) / expected
        for columns in itertools.permutations(range(max(expected, width)), expected)
        for pairs in [[(row, column) for row, column in enumerate(columns) if column < width]]
    )
    why = "" if best > 0 else next((grade.why for grade in grades if grade.why), "")
    return Grade(best, why)


def grading_fault(
    validators: ValidatorSpec, reference: Outcome, *, rules: str, recorded: Expected | None = None
) -> AuthorFault | None:
    """Return why nothing that a submission shows could be right: the reference shows nothing of the kind."""
    if recorded is not None or reference.ending is not Ending.OK:
        return None  # as published: a step that stored nothing of the kind is never right, and counts
    target = _target(reference, None, sound=rules == "sound")
    for node in graded_validators(validators):
        lacking = {
            "numeric": target.value is None,
            "text": target.text is None,
            "visual": not target.figures,
            "final_answer": _closing(node, target) is None,
            "judge": False,
        }
        if lacking[node.name]:
            what = "the reference shows no figure" if node.name == "visual" else "the reference shows no value or text"
            fix = "draw a figure in it" if node.name == "visual" else "end it with the value, or print it"
            return AuthorFault(what, node.name, f"{fix}, or use another validator")
    return None
