"""Validators that give a score, on real sessions: numbers, texts, figures and closing answers."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from evaluator.errors import RecordingError, ToolkitError
from evaluator.language import Problem, resolve_validators, wants_figures
from evaluator.scoring import Judged, Verdict, judge_submission
from evaluator.scoring.grading import Expected, JudgeQuestion
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome
from evaluator.session.grader_pool import Grade

pytestmark = pytest.mark.kernel
LIMITS = CellLimits(wall_s=20)
SETUP = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

plt.rcParams["figure.figsize"] = (2.4, 1.8)
counts = pd.Series({"a": 3, "b": 5, "c": 1})
table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 1.0, 4.0, 3.0], "kind": list("ppqq")})
"""
BARS = "plt.bar(['a', 'b', 'c'], [3, 5, 1])\nplt.title('Counts')\nplt.ylabel('count')"


Judge = Callable[..., Judged]


@pytest.fixture(scope="module")
def judged(engine: Engine) -> Iterator[Judge]:
    """Return what judges code by a reference; everything is run on copies of one session."""
    with engine.open(key="graded", inputs=None) as session:
        assert session.execute(SETUP, limits=LIMITS).ending is Ending.OK

        @cache
        def ran(code: str, figures: bool) -> Outcome:
            return session.attempt(code, capture=CaptureSpec(infer=True, figures=figures), limits=LIMITS)

        def judge(validator: dict[str, Any], reference: str, code: str, *, rules: str = "sound", **more: Any) -> Judged:
            problem = Problem("ask", reference, validator={"template": "basic", **validator})
            figures = wants_figures(resolve_validators(problem))
            return judge_submission(engine, ran(reference, figures), ran(code, figures), problem, rules, **more)

        yield judge


def score(judgement: Judged) -> float:
    assert judgement.validation is not None
    (found,) = [part["score"] for part in judgement.validation["reason"] if "score" in part]
    assert isinstance(found, float)
    return found


NUMBERS = (  # reference, submission, whether it is right by the sound and by the published rules
    ("6 * 7", "print(42)", True, True),
    ("6 * 7", "42.0", True, True),  # the text "42" is contained in "42.0"
    *(("6 * 7", "f'the answer is {6 * 7}'", True, True), ("5", "0.25", False, True), ("42.0", "42", True, False)),
    ("table['x'].mean()", "np.mean([1, 2, 3, 4])", True, True),
    ("table[['x', 'y']].sum()", "{'x': 10.0, 'y': 10}", True, False),
    *(("table[['x']].sum().tolist()", "print(10.0, 11)", False, False), ("42", "pass", False, False)),
    ("pd.Series(range(1000))", "pd.Series([*range(300), *[0] * 400, *range(700, 1000)])", False, True),
    *(("{'a': 1, 'b': 2}", "{'b': 1, 'a': 2}", False, False), ("-5", "print('\u22125')", True, False)),
    ("[1, 2, 3]", "[3, 2, 1]", False, False),
    ("pd.Series([1, 2, 3], index=list('abc'))", "[3, 2, 1]", False, False),
    ("pd.Series([1, 2, 3], index=list('abc'))", "[1, 2, 3]", True, False),
    ("table['x'].tolist()", "table", False, False),
    ("table[['x']].mean()", "table[['x', 'y']].mean()", False, False),
    ("table['x'].sort_values()", "table['x'].sort_values(ascending=False)", False, False),
    ("table.sort_values('x')", "table.sort_values('x', ascending=False)", False, False),
    ("42", "print(42); 1 / 0", False, False),
)


def test_numbers(judged: Judge) -> None:
    for reference, code, *right in NUMBERS:
        for rules, is_right in zip(("sound", "published"), right, strict=True):
            found = judged({"numeric": None}, reference, code, rules=rules)
            assert (found.verdict is Verdict.CORRECT) is is_right, (rules, reference, code, found.reason)
            if "1 / 0" not in code:
                assert score(found) == float(is_right)
                assert is_right or found.verdict is Verdict.WRONG_OUTPUT


FACTS = {"facts": ["data", "scales", "labels"]}


def test_a_figure_may_be_drawn_otherwise_but_must_show_the_same(judged: Judge) -> None:
    for code, is_right, reason in (
        ("ax = counts.plot.bar(title='Counts', color='C0', width=0.8, rot=0)\nax.set_ylabel('count')", True, ""),
        (BARS.replace("5, 1", "5, 2"), False, "the bars differ: other values"),
        ("pass", False, "shows nothing of the kind"),
    ):
        found = judged({"visual": {**FACTS, "pass_at": 0.0}}, BARS, code)
        assert found.verdict is (Verdict.CORRECT if is_right else Verdict.WRONG_OUTPUT), (code, found.reason)
        assert reason in found.reason
        likely = judged({"visual": {**FACTS, "pass_at": 0.7}}, BARS, code)
        assert (likely.verdict is Verdict.CORRECT) is is_right, (code, score(likely))


def test_a_text_is_right_from_a_likeness_on(judged: Judge) -> None:
    wanted = "'the mean age of the passengers is 29 years and the oldest one is 80'"
    near = wanted.replace("passengers", "travellers")
    assert judged({"text": None}, wanted, near).verdict is Verdict.CORRECT
    strict = judged({"text": {"pass_at": 0.99}}, wanted, f"print({near})")
    assert strict.verdict is Verdict.WRONG_OUTPUT
    assert score(strict) == pytest.approx(14 / 15)
    assert "0.99 is needed" in strict.reason
    assert judged({"text": None}, "print('均值 是 三')", "'均值 是 三'").verdict is Verdict.CORRECT


def test_a_text_beside_numbers_is_right_in_one_order_only(judged: Judge) -> None:
    both = {"and": {"text": {"pass_at": 0.9}, "numeric": None}}
    lines = ["print('JFK to LAX: 12 flights')", "print('LGA to ATL: 7 flights')"]
    assert judged(both, "\n".join(lines), "\n".join(lines)).verdict is Verdict.CORRECT
    assert judged(both, "\n".join(lines), "\n".join(lines[::-1])).verdict is Verdict.WRONG_OUTPUT
    exchanged = "print('JFK to LAX: 7 flights')\nprint('LGA to ATL: 12 flights')"
    assert judged(both, "\n".join(lines), exchanged).verdict is Verdict.WRONG_OUTPUT


def test_a_picture_alone_earns_no_verdict(judged: Judge) -> None:
    redrawn = f"import io\n{BARS}\nbuffer = io.BytesIO()\nplt.savefig(buffer, format='png', bbox_inches='tight')\n"
    redrawn += "plt.close('all')\nbuffer.seek(0)\npixels = plt.imread(buffer)\n"
    redrawn += "fig = plt.figure(figsize=(pixels.shape[1] / 100, pixels.shape[0] / 100))\n"
    redrawn += "ax = fig.add_axes([0, 0, 1, 1])\nax.imshow(pixels)\nax.axis('off')"
    found = judged({"visual": {"pass_at": 0.5}}, BARS, redrawn)
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert score(found) > 0.5


def test_a_figure_that_is_not_alike_is_told_what_it_shows_otherwise_too(judged: Judge) -> None:
    found = judged({"visual": {"pass_at": 1.0}}, BARS, BARS.replace("5, 1", "5, 2"))
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert "1 is needed; the bars differ: other values" in found.reason


def test_what_was_recorded_takes_the_place_of_what_the_reference_shows(judged: Judge) -> None:
    recorded = Expected("17", kind="stdout")
    for code, right in (("17", True), ("42", False)):
        found = judged({"numeric": None}, "6 * 7", code, recorded=recorded)
        assert (found.verdict is Verdict.CORRECT) is right
    drawn = judged({"visual": None}, BARS, BARS, recorded=Expected(picture=b"no picture"))
    assert drawn.verdict is Verdict.WRONG_OUTPUT
    assert drawn.reason == "the expected side cannot be read"


def test_a_closing_answer_is_read_before_a_value(judged: Judge) -> None:
    wanted = {"final_answer": {"expected": 18}}
    assert judged(wanted, "18", "print(18)").verdict is Verdict.CORRECT
    assert judged(wanted, "18", "18", answer="She makes $18.00 a day.").verdict is Verdict.CORRECT
    wrong = judged(wanted, "18", "18", answer="She makes 9 dollars.")
    assert wrong.verdict is Verdict.WRONG_OUTPUT
    assert wrong.reason == "the closing answer is another one"


def test_a_reference_that_shows_nothing_or_too_much_is_the_authors_fault(judged: Judge) -> None:
    many = "plt.gca()._children.extend(plt.plot([1]) * 1001)"
    for name, reference in (("numeric", "x = 1"), ("text", "x = 1"), ("visual", "1"), ("visual", many)):
        found = judged({name: None}, reference, reference)
        assert found.verdict is Verdict.NOT_JUDGED
        assert found.author_fault is not None
        assert "the reference shows no" in found.reason or reference == many
        assert found.author_fault.fix


def test_graded_validators_stand_below_or(judged: Judge) -> None:
    either = {"or": {"numeric": None, "visual": {"pass_at": 0.9}}}
    reference = f"{BARS}\nplt.gcf().axes[0].patches[1].get_height()"
    assert judged(either, reference, "print(5.0)").verdict is Verdict.CORRECT
    assert judged(either, reference, BARS).verdict is Verdict.CORRECT
    assert judged(either, reference, "print(6.0)").verdict is Verdict.WRONG_OUTPUT


class Opinions:
    """A judge that says what it is told to, and keeps what it was asked."""

    def __init__(self, *grades: Grade | ToolkitError) -> None:
        self.grades = list(grades)
        self.asked: list[JudgeQuestion] = []

    def opinion(self, question: JudgeQuestion) -> Grade:
        self.asked.append(question)
        grade = self.grades.pop(0)
        if isinstance(grade, ToolkitError):
            raise grade
        return grade


def test_an_opinion_is_told_and_decides_only_where_it_counts(judged: Judge) -> None:
    for counts, mark, verdict in ((False, 0.3, "CORRECT"), (True, 0.3, "WRONG_OUTPUT"), (True, 0.6, "CORRECT")):
        judge = Opinions(Grade(mark))
        found = judged({"judge": {"counts": counts}}, BARS, BARS, figure_judge=judge)
        assert (found.verdict, score(found)) == (verdict, mark)
        (asked,) = judge.asked
        assert (asked.query, asked.scale, len(asked.pictures)) == ("ask", "ten", 1)
        assert asked.pictures[0].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        *((None, "no judge has looked"), (Opinions(Grade(None, "no-opinion")), "no opinion")),
        (Opinions(Grade(None, "judge-failed")), "could not be asked"),
        (Opinions(Grade(None, "judge-failed", "the key is refused")), "could not be asked: the key is refused"),
    ],
)
def test_without_an_opinion_that_counts_nobody_is_judged(judged: Judge, judge: Any, reason: str) -> None:
    found = judged({"judge": {"counts": True}}, BARS, BARS, figure_judge=judge)
    assert found.verdict is Verdict.NOT_JUDGED
    assert found.author_fault is None
    assert reason in found.reason


def test_an_opinion_that_cannot_be_recorded_is_an_error_any_other_is_none(judged: Judge) -> None:
    counting, full = {"judge": {"counts": True}}, RecordingError("disk full", where="replies.jsonl", fix="make room")
    with pytest.raises(RecordingError, match="disk full"):
        judged(counting, BARS, BARS, figure_judge=Opinions(full))
    found = judged(counting, BARS, BARS, figure_judge=Opinions(ToolkitError("the model is away")))
    assert (found.verdict, "the model is away" in found.reason) == (Verdict.NOT_JUDGED, True)


def test_what_is_wrong_or_shows_nothing_needs_no_judge(judged: Judge) -> None:
    counting = {"judge": {"counts": True}}
    nothing = judged(counting, BARS, "pass", figure_judge=None)
    assert (nothing.verdict, score(nothing)) == (Verdict.WRONG_OUTPUT, 0.0)
    crashed = judged(counting, BARS, f"{BARS}\n1 / 0", figure_judge=None)
    assert crashed.verdict is Verdict.CRASH
    other = judged({**counting, "numeric": None}, f"{BARS}\n5", f"{BARS}\n6", figure_judge=None)
    assert other.verdict is Verdict.WRONG_OUTPUT


def test_without_facts_a_likeness_is_needed_whatever_is_written(judged: Judge) -> None:
    closed = f"import io\nfrom IPython.display import Image, display\n{BARS}\nfile = io.BytesIO()\nplt.savefig(file)\n"
    closed += "plt.close('all')\ndisplay(Image(file.getvalue(), format='png'))"
    facts_alone = {"visual": {"pass_at": 0.0}}
    assert judged(facts_alone, closed, closed).verdict is Verdict.CORRECT
    for code in ("pass", closed.replace("5, 1", "1, 9").replace("plt.title('Counts')", "plt.pie([1, 2])")):
        assert judged(facts_alone, closed, code).verdict is Verdict.WRONG_OUTPUT
    assert judged(facts_alone, BARS, "1").verdict is Verdict.WRONG_OUTPUT


def test_a_judge_is_not_waited_for_where_it_would_change_nothing(judged: Judge) -> None:
    either = {"or": {"numeric": None, "judge": {"counts": True}}}
    assert judged(either, f"{BARS}\n5", f"{BARS}\n5").verdict is Verdict.CORRECT
    assert judged(either, f"{BARS}\n5", f"{BARS}\n6").verdict is Verdict.NOT_JUDGED
