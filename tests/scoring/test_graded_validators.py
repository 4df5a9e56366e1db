"""Validators that give a score, on real sessions: numbers, texts, figures and closing answers."""

from collections.abc import Iterator
from typing import Any

import pytest

from evaluator.errors import RecordingError, ToolkitError
from evaluator.language import Problem, resolve_validators, wants_figures
from evaluator.scoring import Judged, Verdict, judge_submission
from evaluator.scoring.grading import Expected, JudgeQuestion
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, SandboxChoice, probe_sandbox
from evaluator.session.grader_pool import Grade

pytestmark = pytest.mark.kernel
LIMITS = CellLimits(wall_s=20)
SETUP = """import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

counts = pd.Series({"a": 3, "b": 5, "c": 1})
table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 1.0, 4.0, 3.0], "kind": list("ppqq")})
spread = pd.DataFrame({"y": np.arange(60) % 17 + np.arange(60) % 3 * 2.0, "kind": list("pqr") * 20})
spread.loc[[3, 7], "y"] = [60.0, -40.0]
"""
BARS = "plt.bar(['a', 'b', 'c'], [3, 5, 1])\nplt.title('Counts')\nplt.ylabel('count')"
POINTS = "plt.scatter(table['x'], table['y'])"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as made:
        yield made


def outcomes(engine: Engine, problem: Problem, code: str) -> tuple[Outcome, Outcome]:
    capture = CaptureSpec(infer=True, figures=wants_figures(resolve_validators(problem)))
    with engine.open(key="graded", inputs=None) as session:
        assert session.execute(SETUP, limits=LIMITS).ending is Ending.OK
        submission = session.attempt(code, capture=capture, limits=LIMITS)
        return session.execute(problem.code, capture=capture, limits=LIMITS), submission


def judged(
    engine: Engine, validator: dict[str, Any], reference: str, code: str, *, rules: str = "sound", **more: Any
) -> Judged:
    problem = Problem("ask", reference, validator={"template": "basic", **validator})
    expected, found = outcomes(engine, problem, code)
    return judge_submission(engine, expected, found, problem, rules, **more)


def score(judgement: Judged) -> float:
    assert judgement.validation is not None
    (found,) = [part["score"] for part in judgement.validation["reason"] if "score" in part]
    assert isinstance(found, float)
    return found


@pytest.mark.parametrize(
    ("reference", "code", "sound", "published"),
    [
        ("6 * 7", "print(42)", True, True),
        ("6 * 7", "42.0", True, True),  # the text "42" is contained in "42.0"
        ("6 * 7", "f'the answer is {6 * 7}'", True, True),
        ("5", "0.25", False, True),
        ("42.0", "42", True, False),
        ("table['x'].mean()", "np.mean([1, 2, 3, 4])", True, True),
        ("table[['x', 'y']].sum()", "{'x': 10.0, 'y': 10}", True, False),
        ("table[['x']].sum().tolist()", "print(10.0, 11)", False, False),
        ("42", "pass", False, False),
        ("pd.Series(range(1000))", "pd.Series([*range(300), *[0] * 400, *range(700, 1000)])", False, True),
        ("{'a': 1, 'b': 2}", "{'b': 1, 'a': 2}", False, False),
        ("-5", "print('\u22125')", True, False),
        ("[1, 2, 3]", "[3, 2, 1]", False, False),
        ("pd.Series([1, 2, 3], index=list('abc'))", "[3, 2, 1]", False, False),
        ("pd.Series([1, 2, 3], index=list('abc'))", "[1, 2, 3]", True, False),
        ("table['x'].tolist()", "table", False, False),
        ("table[['x']].mean()", "table[['x', 'y']].mean()", False, False),
        ("table['x'].sort_values()", "table['x'].sort_values(ascending=False)", False, False),
        ("table.sort_values('x')", "table.sort_values('x', ascending=False)", False, False),
        ("42", "print(42); 1 / 0", False, False),
    ],
)
def test_numbers(engine: Engine, reference: str, code: str, sound: bool, published: bool) -> None:
    for rules, right in (("sound", sound), ("published", published)):
        found = judged(engine, {"numeric": None}, reference, code, rules=rules)
        assert (found.verdict is Verdict.CORRECT) is right, (rules, found.reason)
        if "1 / 0" not in code:
            assert score(found) == float(right)
            assert right or found.verdict is Verdict.WRONG_OUTPUT


def test_a_text_is_right_from_a_likeness_on(engine: Engine) -> None:
    wanted = "'the mean age of the passengers is 29 years and the oldest one is 80'"
    near = wanted.replace("passengers", "travellers")
    assert judged(engine, {"text": None}, wanted, near).verdict is Verdict.CORRECT
    strict = judged(engine, {"text": {"pass_at": 0.99}}, wanted, f"print({near})")
    assert strict.verdict is Verdict.WRONG_OUTPUT
    assert score(strict) == pytest.approx(14 / 15)
    assert "0.99 is needed" in strict.reason
    assert judged(engine, {"text": None}, "print('均值 是 三')", "'均值 是 三'").verdict is Verdict.CORRECT


def test_a_text_beside_numbers_is_right_in_one_order_only(engine: Engine) -> None:
    both = {"and": {"text": {"pass_at": 0.9}, "numeric": None}}
    lines = ["print('JFK to LAX: 12 flights')", "print('LGA to ATL: 7 flights')"]
    assert judged(engine, both, "\n".join(lines), "\n".join(lines)).verdict is Verdict.CORRECT
    assert judged(engine, both, "\n".join(lines), "\n".join(lines[::-1])).verdict is Verdict.WRONG_OUTPUT
    exchanged = "print('JFK to LAX: 7 flights')\nprint('LGA to ATL: 12 flights')"
    assert judged(engine, both, "\n".join(lines), exchanged).verdict is Verdict.WRONG_OUTPUT


@pytest.mark.parametrize(
    "code",
    [
        BARS,
        f"{BARS}\nplt.show()",
        "fig, ax = plt.subplots()\nax.bar(counts.index, counts)\nax.set_title('Counts')\nax.set_ylabel('count')\nfig",
        "ax = counts.plot.bar(title='Counts', color='C0', width=0.8, rot=0)\nax.set_ylabel('count')",
        "fig, ax = plt.subplots()\nfor name, count in counts.items():\n    ax.bar(name, count, width=0.7, color='C0')\n"
        "ax.set(title=' counts', ylabel='Count')",
    ],
)
def test_a_figure_may_be_drawn_in_many_ways(engine: Engine, code: str) -> None:
    facts = {"facts": ["data", "scales", "labels"], "pass_at": 0.7}
    found = judged(engine, {"visual": facts}, BARS, code)
    assert found.verdict is Verdict.CORRECT, (found.reason, found.validation)
    assert 0.7 <= score(found) <= 1


@pytest.mark.parametrize(
    ("reference", "code", "reason"),
    [
        (BARS, BARS.replace("5, 1", "5, 2"), "the bars differ: other values"),
        (BARS, BARS.replace("plt.bar", "plt.barh"), "bars differ"),
        (BARS, BARS.replace("bar(", "plot("), "lines differ: 0 expected, 1 found"),
        (BARS, f"{BARS}\nplt.figure()\n{BARS}", "1 figure expected, 2 found"),
        (BARS, "pass", "shows nothing of the kind"),
        (BARS, f"{BARS}\nplt.yscale('log')", "the y axis is log, where linear is expected"),
        (BARS, f"{BARS}\nplt.title('Sums')", "no title 'Counts'"),
        (POINTS, POINTS.replace("['y']", "['x']"), "points differ"),
        ("plt.hist(table['x'], bins=4)", "plt.hist(table['x'], bins=5)", "bars differ: 4 expected, 5 found"),
        ("plt.pie(counts)", "plt.pie(counts ** 2)", "parts of the pie differ"),
        ("plt.imshow(np.eye(8))", "plt.imshow(np.eye(9))", "images differ"),
        ("fig, ax = plt.subplots(1, 2)\nax[0].plot([1, 2])", "plt.plot([1, 2])", "2 plots expected in the figure, 1"),
    ],
)
def test_a_figure_that_shows_something_else_is_wrong_however_alike(
    engine: Engine, reference: str, code: str, reason: str
) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0, "facts": ["data", "scales", "labels"]}}, reference, code)
    assert found.verdict is not Verdict.CORRECT
    if code == "pass":
        return
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert reason in found.reason


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        (POINTS, "table.plot.scatter('x', 'y', c='red', s=40)"),
        (POINTS, "for _, part in table.groupby('kind'):\n    plt.scatter(part['x'], part['y'])"),
        ("plt.plot(table['x'], table['y'])", "table.plot(x='x', y='y', color='red', marker='o')"),
        ("plt.hist(table['x'], bins=4)", "table['x'].hist(bins=4)"),
        ("plt.pie(counts)", "counts.plot.pie(startangle=90, counterclock=False)"),
        ("plt.plot([1, 2], label='a')\nplt.plot([2, 1], label='b')", "plt.plot([2, 1])\nplt.plot([1, 2])"),
    ],
)
def test_honest_ways_to_show_the_same(engine: Engine, reference: str, code: str) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0}}, reference, code)
    assert found.verdict is Verdict.CORRECT, found.reason


def test_a_picture_alone_earns_no_verdict(engine: Engine) -> None:
    redrawn = f"import io\n{BARS}\nbuffer = io.BytesIO()\nplt.savefig(buffer, format='png', bbox_inches='tight')\n"
    redrawn += "plt.close('all')\nbuffer.seek(0)\npixels = plt.imread(buffer)\n"
    redrawn += "fig = plt.figure(figsize=(pixels.shape[1] / 100, pixels.shape[0] / 100))\n"
    redrawn += "ax = fig.add_axes([0, 0, 1, 1])\nax.imshow(pixels)\nax.axis('off')"
    found = judged(engine, {"visual": {"pass_at": 0.5}}, BARS, redrawn)
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert score(found) > 0.5


def test_a_figure_that_is_not_alike_is_told_what_it_shows_otherwise_too(engine: Engine) -> None:
    found = judged(engine, {"visual": {"pass_at": 1.0}}, BARS, BARS.replace("5, 1", "5, 2"))
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert "1 is needed; the bars differ: other values" in found.reason


def test_what_was_recorded_takes_the_place_of_what_the_reference_shows(engine: Engine) -> None:
    recorded = Expected("17", kind="stdout")
    for code, right in (("17", True), ("42", False)):
        found = judged(engine, {"numeric": None}, "6 * 7", code, recorded=recorded)
        assert (found.verdict is Verdict.CORRECT) is right
    drawn = judged(engine, {"visual": None}, BARS, BARS, recorded=Expected(picture=b"no picture"))
    assert drawn.verdict is Verdict.WRONG_OUTPUT
    assert drawn.reason == "the expected side cannot be read"


def test_a_closing_answer_is_read_before_a_value(engine: Engine) -> None:
    wanted = {"final_answer": {"expected": 18}}
    assert judged(engine, wanted, "18", "print(18)").verdict is Verdict.CORRECT
    assert judged(engine, wanted, "18", "18", answer="She makes $18.00 a day.").verdict is Verdict.CORRECT
    wrong = judged(engine, wanted, "18", "18", answer="She makes 9 dollars.")
    assert wrong.verdict is Verdict.WRONG_OUTPUT
    assert wrong.reason == "the closing answer is another one"


@pytest.mark.parametrize(("name", "reference"), [("numeric", "x = 1"), ("text", "x = 1"), ("visual", "1")])
def test_a_reference_that_shows_nothing_is_the_authors_fault(engine: Engine, name: str, reference: str) -> None:
    found = judged(engine, {name: None}, reference, reference)
    assert found.verdict is Verdict.NOT_JUDGED
    assert found.author_fault is not None
    assert "the reference shows no" in found.reason
    assert found.author_fault.fix


def test_graded_validators_stand_below_or(engine: Engine) -> None:
    either = {"or": {"numeric": None, "visual": {"pass_at": 0.9}}}
    reference = f"{BARS}\nplt.gcf().axes[0].patches[1].get_height()"
    assert judged(engine, either, reference, "print(5.0)").verdict is Verdict.CORRECT
    assert judged(engine, either, reference, BARS).verdict is Verdict.CORRECT
    assert judged(engine, either, reference, "print(6.0)").verdict is Verdict.WRONG_OUTPUT


class Opinions:
    """A judge that says what it is told to, and keeps what it was asked."""

    def __init__(self, *grades: Grade) -> None:
        self.grades = list(grades)
        self.asked: list[JudgeQuestion] = []

    def opinion(self, question: JudgeQuestion) -> Grade:
        self.asked.append(question)
        return self.grades.pop(0)


def test_an_opinion_is_told_and_decides_only_where_it_counts(engine: Engine) -> None:
    for counts, mark, verdict in ((False, 0.3, "CORRECT"), (True, 0.3, "WRONG_OUTPUT"), (True, 0.6, "CORRECT")):
        judge = Opinions(Grade(mark))
        found = judged(engine, {"judge": {"counts": counts}}, BARS, BARS, figure_judge=judge)
        assert (found.verdict, score(found)) == (verdict, mark)
        (asked,) = judge.asked
        assert (asked.query, asked.scale, len(asked.pictures)) == ("ask", "ten", 1)
        assert asked.pictures[0].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        (None, "no judge has looked"),
        (Opinions(Grade(None, "no-opinion")), "no opinion"),
        (Opinions(Grade(None, "judge-failed")), "could not be asked"),
        (Opinions(Grade(None, "judge-failed", "the key is refused")), "could not be asked: the key is refused"),
    ],
)
def test_without_an_opinion_that_counts_nobody_is_judged(engine: Engine, judge: Any, reason: str) -> None:
    found = judged(engine, {"judge": {"counts": True}}, BARS, BARS, figure_judge=judge)
    assert found.verdict is Verdict.NOT_JUDGED
    assert found.author_fault is None
    assert reason in found.reason


class Failing:
    """A judge that raises what it is told to."""

    def __init__(self, error: ToolkitError) -> None:
        self.error = error

    def opinion(self, _question: JudgeQuestion) -> Grade:
        raise self.error


def test_an_opinion_that_cannot_be_recorded_is_no_verdict_but_an_error(engine: Engine) -> None:
    full = RecordingError("a reply cannot be recorded: disk full", where="replies.jsonl", fix="make room")
    with pytest.raises(RecordingError, match="disk full"):
        judged(engine, {"judge": {"counts": True}}, BARS, BARS, figure_judge=Failing(full))


def test_any_other_error_of_a_judge_leaves_a_verdict_open(engine: Engine) -> None:
    away = Failing(ToolkitError("the model is away"))
    found = judged(engine, {"judge": {"counts": True}}, BARS, BARS, figure_judge=away)
    assert (found.verdict, "the model is away" in found.reason) == (Verdict.NOT_JUDGED, True)


def test_what_is_wrong_or_shows_nothing_needs_no_judge(engine: Engine) -> None:
    counting = {"judge": {"counts": True}}
    nothing = judged(engine, counting, BARS, "pass", figure_judge=None)
    assert (nothing.verdict, score(nothing)) == (Verdict.WRONG_OUTPUT, 0.0)
    crashed = judged(engine, counting, BARS, f"{BARS}\n1 / 0", figure_judge=None)
    assert crashed.verdict is Verdict.CRASH
    other = judged(engine, {**counting, "numeric": None}, f"{BARS}\n5", f"{BARS}\n6", figure_judge=None)
    assert other.verdict is Verdict.WRONG_OUTPUT


LIES = "counts.sort_values(ascending=False).plot.barh()"
PARTS = "parts = {k: part['y'] for k, part in spread.groupby('kind')}\n"
BOXES = f"{PARTS}plt.boxplot(list(parts.values()), tick_labels=list(parts))"
NO_ERRORS = "for place in range(3):\n    plt.plot([place, place], [np.nan, np.nan])"
PICTURE = "shades = np.linspace(0, 255, 64).reshape(8, 8).astype('uint8')\n"
COLOURS = "colours = np.zeros((8, 8, 3), 'uint8')\ncolours[..., 0] = 200\ncolours[:4, ..., 1] = 90\n"
PAIR = "plt.plot([1, 2], label='{}')\nplt.plot([2, 1], label='{}')\nplt.legend()".format


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("counts.sort_values().plot.barh()", f"{LIES}.invert_yaxis()"),  # the same as seen
        (POINTS, "plt.plot(table['x'], table['y'], 'o')"),
        (f"{PICTURE}plt.imshow(shades, cmap='gray')", f"{PICTURE}plt.imshow(shades / 255, cmap='gray')"),
        (f"{COLOURS}plt.imshow(colours)", f"{COLOURS}plt.imshow(colours / 255)"),
        (f"{PICTURE}plt.imshow(shades)", f"{PICTURE}plt.imshow(shades[::-1], origin='lower')"),
        ("plt.plot([1, 2])", "with plt.style.context('dark_background'):\n    plt.plot([1, 2])"),
        ("plt.vlines([1, 2], 0, [3, 4])", "for x, y in ((2, 4), (1, 3)):\n    plt.vlines(x, y, 0)"),
        (BOXES, f"{PARTS}plt.boxplot(list(parts.values()), tick_labels=list(parts), patch_artist=True, widths=0.9)"),
        (BOXES, "spread.pivot(columns='kind', values='y').plot.box(color='red')"),
        (BOXES, "spread.boxplot(column='y', by='kind')"),
        (BOXES, f"{BOXES.replace('tick_labels', 'positions=[0, 1, 2], showmeans=True, tick_labels')}"),
        (BOXES, f"{BOXES.replace('tick_labels', 'showcaps=False, notch=True, tick_labels')}\nplt.axhline(5)"),
        (BARS, f"{BARS}\nplt.axhline(0, color='black')\n{NO_ERRORS}"),
        (PAIR("a", "b"), "plt.plot([2, 1], label='B')\nplt.plot([1, 2], label='A')\nplt.legend()"),
    ],
)
def test_more_honest_ways_to_show_the_same(engine: Engine, reference: str, code: str) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0, "facts": ["data", "scales", "labels"]}}, reference, code)
    assert found.verdict is Verdict.CORRECT, found.reason


@pytest.mark.parametrize(
    ("reference", "code", "reason"),
    [
        (BARS, BARS.replace("['a', 'b', 'c']", "['a', 'c', 'b']"), "stand in another order"),
        (f"{LIES}.invert_yaxis()", LIES, "the bars differ"),
        (BOXES, BOXES.replace("['y']", "['y'] + 1"), "the box plots differ"),
        (BOXES, BOXES.replace("list(parts.values())", "list(parts.values())[::-1]"), "the box plots differ"),
        (BOXES, BOXES.replace("tick_labels", "whis=9, tick_labels"), "the box plots differ"),
        (BOXES, BOXES.replace("tick_labels", "orientation='horizontal', tick_labels"), "the box plots differ"),
        (BOXES, BOXES.replace(", tick_labels=list(parts)", ""), "no box along the x axis with the name 'p'"),
        (BOXES, f"{PARTS}plt.violinplot(list(parts.values()))", "differ"),
        (f"{BARS}\nplt.axhline(2)", f"{BARS}\nplt.axhline(3)", "no line across the plot"),
        (f"{COLOURS}plt.imshow(colours)", f"{COLOURS}plt.imshow(colours[..., ::-1])", "shows something else"),
        (f"{PICTURE}plt.imshow(shades)", f"{PICTURE}plt.imshow(shades[::-1])", "shows something else"),
        (f"{PICTURE}plt.imshow(shades)", f"{PICTURE}plt.imshow(shades, origin='lower')", "shows something else"),
        ("plt.vlines([1, 2], 0, [3, 4])", "plt.vlines([1, 2], 0, [3, 5])", "the segments differ"),
        (PAIR("a", "b"), PAIR("b", "a"), "'a' in the legend stands for other data"),
        ("plt.plot([20000, 20001], [0.01, 0.011])", "plt.plot([20000, 20001], [0.025, -0.003])", "the lines differ"),
        ("plt.plot([1, 2, 3, 1e7, 5])", "plt.plot([4, 0, 9, 1e7, 2])", "the lines differ"),
        ("plt.fill_between([1, 2], [1, 2])", "plt.figure()\nplt.gca()", "fewer artists of the kind"),
        ("plt.bar(['2020', '2021'], [5, 5])", "plt.bar(['2021', '2020'], [5, 5])", "stand in another order"),
        (
            "plt.pie([1, 2], labels=['a', 'b'])",
            "plt.pie([1, 2], labels=['b', 'a'])",
            "'a' in the legend stands for other",
        ),
        (
            "plt.plot([1, 2])\nplt.text(0, 1, 'top')",
            "plt.plot([1, 2])\nplt.text(0, 1, 'low')",
            "no text in the plot 'top'",
        ),
        (BARS, BARS.replace("['a', 'b', 'c']", "['d', 'e', 'f']"), "no bar along the x axis with the name 'a'"),
    ],
)
def test_what_bears_other_names_or_colours_is_wrong(engine: Engine, reference: str, code: str, reason: str) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0, "facts": ["data", "scales", "labels"]}}, reference, code)
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert reason in found.reason


LINES = "plt.plot([1, 2], label='a')\nplt.plot([2, 1], label='b')\nplt.legend()"
KINDS = "for kind, part in table.groupby('kind'):\n    plt.scatter(part['x'], part['y'], label=kind)\n"
SEABORN = "import seaborn as sns\n"


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        (f"{KINDS}plt.legend()", f"{SEABORN}sns.scatterplot(data=table, x='x', y='y', hue='kind').set(xlabel='x')"),
        (f"{KINDS}plt.legend()", f"{SEABORN}sns.relplot(data=table, x='x', y='y', hue='kind')"),
        (f"{KINDS}plt.legend()", f"{KINDS}plt.gcf().legend()"),
        (LINES, "plt.plot([1, 2])\nplt.plot([2, 1])\nplt.legend(['a', 'b'])"),
        (LINES, f"{LINES}\nplt.axhline(1.5, color='gray')\nplt.gcf().set_facecolor('pink')"),
    ],
)
def test_legends_of_libraries_and_figures_are_read(engine: Engine, reference: str, code: str) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0, "facts": ["data", "scales", "labels"]}}, reference, code)
    assert found.verdict is Verdict.CORRECT, found.reason


@pytest.mark.parametrize(
    ("reference", "code", "reason"),
    [
        (LINES, "plt.plot([1, 2])\nplt.plot([2, 1])\nplt.legend(['b', 'a'])", "in the legend stands for other"),
        (LINES, f"{LINES}\nplt.gca().legend(plt.gca().lines, ['b', 'a'])", "in the legend stands for other"),
        (f"{KINDS}plt.legend()", f"{KINDS}plt.legend(['q', 'p'])", "in the legend stands for other"),
        (LINES, f"{LINES}\nplt.gca().lines[0].set_visible(False)", "the lines differ: 2 expected, 1 found"),
        (LINES, f"{LINES}\nplt.gca().lines[0].set_alpha(0)", "the lines differ: 2 expected, 1 found"),
        (LINES, f"{LINES}\nplt.gca().lines[0].set_linewidth(0)", "the lines differ: 2 expected, 1 found"),
        (LINES, f"{LINES}\nplt.ylim(1e6, 2e6)", "the lines differ: 2 expected, 0 found"),
        (POINTS, f"{POINTS}\nplt.xlim(1e6, 2e6)", "the points differ"),
        (POINTS, f"{POINTS}\nplt.gca().collections[0].set_visible(False)", "the points differ"),
        (BARS, f"{BARS}\nplt.gca().patches[1].set_visible(False)", "the bars differ"),
        (BARS, f"{BARS}\nplt.gca().set_visible(False)", "1 plot expected in the figure, 0 found"),
        (
            "plt.plot([1, 2])",
            "line, = plt.plot([5, 9])\nline.get_ydata = lambda orig=True: np.array([1.0, 2.0])",
            "the lines differ: other values",
        ),
        (BARS, f"{BARS.replace('5, 1', '9, 1')}\nplt.gca().patches[1].get_height = lambda: 5", "the bars differ"),
        (
            "plt.plot([1, 2])",
            "from matplotlib.lines import Line2D\nplt.plot([1, 2])\n"
            "class Other(Line2D):\n    pass\nplt.gca().add_line(Other([0, 1], [2, 1]))",
            "the lines differ: 1 expected, 2 found",
        ),
        (BARS, f"{BARS}\nplt.gcf().add_artist(plt.Rectangle((0, 0), 1, 1))", "the figure is covered"),
        (BARS, f"{BARS}\nplt.gcf().figimage(np.ones((480, 640, 3)), zorder=9)", "the figure is covered"),
    ],
)
def test_what_is_not_shown_or_shown_under_another_name_is_wrong(
    engine: Engine, reference: str, code: str, reason: str
) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0, "facts": ["data", "scales", "labels"]}}, reference, code)
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert reason in found.reason


PIE = "plt.pie([1, 2, 4, 8], labels=list('abcd'))"
TWO = "fig, ax = plt.subplots({})\nax[{}].plot([1, 2])\nax[{}].plot([5, 3])".format


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        (PIE, "pd.Series([1, 2, 4, 8], list('abcd')).plot.pie(startangle=90, counterclock=False, ylabel='')"),
        (PIE, f"{PIE.replace(', labels', ', autopct=str, labels')}"),
        (TWO("1, 2", 0, 1), "plt.subplot(122).plot([5, 3])\nplt.subplot(121).plot([1, 2])"),
        (TWO("1, 2", 0, 1), f"{TWO('1, 2', 0, 1)}\nplt.tight_layout()"),
        (BARS, BARS.replace("plt.title", "plt.suptitle")),
        (BARS.replace("plt.title", "plt.suptitle"), BARS),
        ("plt.hist(table['x'], bins=4)", "plt.hist(table['x'], bins=4, rwidth=0.9)"),
        ("plt.hist(table['x'], bins=4)", "import seaborn as sns\nsns.histplot(table['x'], bins=4).set(xlabel='')"),
    ],
)
def test_figures_are_read_as_they_are_seen(engine: Engine, reference: str, code: str) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0, "facts": ["data", "scales", "labels"]}}, reference, code)
    assert found.verdict is Verdict.CORRECT, found.reason


@pytest.mark.parametrize(
    ("reference", "code", "reason"),
    [
        (PIE, "plt.pie([1, 4, 2, 8], labels=list('acbd'))", "the parts of the pie stand in another order"),
        (PIE, f"{PIE}\nfor text, name in zip(plt.gca().texts, 'badc'):\n    text.set_text(name)", "stands for other"),
        (
            BARS,
            f"{BARS}\nplt.xticks([0, 1, 2, 2.6], ['c', 'b', 'a', 'more'])",
            "the names along the x axis stand in another order",
        ),
        (BARS, f"{BARS}\nplt.axis('off')", "there is no label of the y axis 'count'"),
        (BARS, f"{BARS}\nplt.gca().yaxis.set_visible(False)", "there is no label of the y axis 'count'"),
        (BARS, f"{BARS}\nplt.gca().xaxis.set_visible(False)", "along the x axis"),
        (TWO("1, 2", 0, 1), TWO("1, 2", 1, 0), "the lines differ"),
        (TWO("1, 2", 0, 1), TWO("2, 1", 0, 1), "arranged otherwise"),
        (BARS, BARS.replace("1])", "1], width=1e-3)"), "the bars differ"),
        ("plt.hist(table['x'], bins=4)", "plt.hist(table['x'], bins=4, rwidth=0.3)", "the bars are of another width"),
    ],
)
def test_figures_that_are_seen_otherwise_are_wrong(engine: Engine, reference: str, code: str, reason: str) -> None:
    found = judged(engine, {"visual": {"pass_at": 0.0, "facts": ["data", "scales", "labels"]}}, reference, code)
    assert found.verdict is Verdict.WRONG_OUTPUT
    assert reason in found.reason


def test_a_text_is_read_as_it_is_and_not_as_python_writes_it_down(engine: Engine) -> None:
    found = judged(engine, {"text": {"pass_at": 1.0}}, "print('one\\ntwo')", "'one\\ntwo'")
    assert (found.verdict, score(found)) == (Verdict.CORRECT, 1.0)


def test_without_facts_a_likeness_is_needed_whatever_is_written(engine: Engine) -> None:
    closed = f"import io\nfrom IPython.display import Image, display\n{BARS}\nfile = io.BytesIO()\nplt.savefig(file)\n"
    closed += "plt.close('all')\ndisplay(Image(file.getvalue(), format='png'))"
    facts_alone = {"visual": {"pass_at": 0.0}}
    assert judged(engine, facts_alone, closed, closed).verdict is Verdict.CORRECT
    for code in ("pass", closed.replace("5, 1", "1, 9").replace("plt.title('Counts')", "plt.pie([1, 2])")):
        assert judged(engine, facts_alone, closed, code).verdict is Verdict.WRONG_OUTPUT
    assert judged(engine, facts_alone, BARS, "1").verdict is Verdict.WRONG_OUTPUT


def test_a_judge_is_not_waited_for_where_it_would_change_nothing(engine: Engine) -> None:
    either = {"or": {"numeric": None, "judge": {"counts": True}}}
    assert judged(engine, either, f"{BARS}\n5", f"{BARS}\n5").verdict is Verdict.CORRECT
    assert judged(engine, either, f"{BARS}\n5", f"{BARS}\n6").verdict is Verdict.NOT_JUDGED


def test_a_figure_too_large_to_be_read_is_the_authors_fault(engine: Engine) -> None:
    many = "plt.hist(range(3000), bins=1200)"
    found = judged(engine, {"visual": None}, many, many)
    assert found.verdict is Verdict.NOT_JUDGED
    assert found.author_fault is not None
