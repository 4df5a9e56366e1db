"""Which figures show the same to a reader, and which would mislead one, as matplotlib holds them.

Real sessions: tests/session/test_figures_and_files.py and tests/scoring.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.codec import decode, encode
from evaluator.inside.compare.box_plots import read_box_plots
from evaluator.inside.compare.figure_facts import difference
from evaluator.inside.export.figures import figure_facts

BARS = "plt.bar(['a', 'b', 'c'], [3, 5, 1])\nplt.title('Counts')\nplt.ylabel('count')"
POINTS = "plt.scatter(table['x'], table['y'])"
LIES = "counts.sort_values(ascending=False).plot.barh()"
PARTS = "parts = {k: part['y'] for k, part in spread.groupby('kind')}\n"
BOXES = f"{PARTS}plt.boxplot(list(parts.values()), tick_labels=list(parts))"
NO_ERRORS = "for place in range(3):\n    plt.plot([place, place], [np.nan, np.nan])"
PICTURE = "shades = np.linspace(0, 255, 64).reshape(8, 8).astype('uint8')\n"
PAIR = "plt.plot([1, 2], label='{}')\nplt.plot([2, 1], label='{}')\nplt.legend()".format
LINES = "plt.plot([1, 2], label='a')\nplt.plot([2, 1], label='b')\nplt.legend()"
KINDS = "for kind, part in table.groupby('kind'):\n    plt.scatter(part['x'], part['y'], label=kind)\n"
SEABORN = "import seaborn as sns\n"
PIE = "plt.pie([1, 2, 4, 8], labels=list('abcd'))"
TWO = "fig, ax = plt.subplots({})\nax[{}].plot([1, 2])\nax[{}].plot([5, 3])".format

SAME = (  # a figure, and another way to draw what it shows
    (POINTS, "table.plot.scatter('x', 'y', c='red', s=40)"),
    ("plt.plot([1, 2], label='a')\nplt.plot([2, 1], label='b')", "plt.plot([2, 1])\nplt.plot([1, 2])"),
    ("counts.sort_values().plot.barh()", f"{LIES}.invert_yaxis()"),  # the same as seen
    (f"{PICTURE}plt.imshow(shades, cmap='gray')", f"{PICTURE}plt.imshow(shades / 255, cmap='gray')"),
    (BOXES, "spread.boxplot(column='y', by='kind')"),
    (BARS, f"{BARS}\nplt.axhline(0, color='black')\n{NO_ERRORS}"),
    (PAIR("a", "b"), "plt.plot([2, 1], label='B')\nplt.plot([1, 2], label='A')\nplt.legend()"),
    (f"{KINDS}plt.legend()", f"{SEABORN}sns.scatterplot(data=table, x='x', y='y', hue='kind').set(xlabel='x')"),
    (LINES, "plt.plot([1, 2])\nplt.plot([2, 1])\nplt.legend(['a', 'b'])"),
    (PIE, "pd.Series([1, 2, 4, 8], list('abcd')).plot.pie(startangle=90, counterclock=False, ylabel='')"),
    (TWO("1, 2", 0, 1), "plt.subplot(122).plot([5, 3])\nplt.subplot(121).plot([1, 2])"),
    ("plt.hist(table['x'], bins=4)", "import seaborn as sns\nsns.histplot(table['x'], bins=4).set(xlabel='')"),
)
OTHER = (  # a figure, another one, and what a reader is told
    (BARS, BARS.replace("5, 1", "5, 2"), "the bars differ: other values"),
    (BARS, BARS.replace("plt.bar", "plt.barh"), "bars differ"),
    (BARS, BARS.replace("bar(", "plot("), "lines differ: 0 expected, 1 found"),
    (BARS, f"{BARS}\nplt.figure()\n{BARS}", "1 figure expected, 2 found"),
    (BARS, f"{BARS}\nplt.yscale('log')", "the y axis is log, where linear is expected"),
    (BARS, f"{BARS}\nplt.title('Sums')", "no title 'Counts'"),
    (POINTS, POINTS.replace("['y']", "['x']"), "points differ"),
    ("plt.pie(counts)", "plt.pie(counts ** 2)", "parts of the pie differ"),
    ("fig, ax = plt.subplots(1, 2)\nax[0].plot([1, 2])", "plt.plot([1, 2])", "2 plots expected in the figure, 1"),
    (BARS, BARS.replace("['a', 'b', 'c']", "['a', 'c', 'b']"), "stand in another order"),
    (f"{LIES}.invert_yaxis()", LIES, "the bars differ"),
    (BOXES, BOXES.replace("['y']", "['y'] + 1"), "the box plots differ"),
    (BOXES, BOXES.replace(", tick_labels=list(parts)", ""), "no box along the x axis with the name 'p'"),
    (f"{BARS}\nplt.axhline(2)", f"{BARS}\nplt.axhline(3)", "no line across the plot"),
    (f"{PICTURE}plt.imshow(shades)", f"{PICTURE}plt.imshow(shades[::-1])", "shows something else"),
    (PAIR("a", "b"), PAIR("b", "a"), "'a' in the legend stands for other data"),
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
    (LINES, f"{LINES}\nplt.gca().legend(plt.gca().lines, ['b', 'a'])", "in the legend stands for other"),
    (LINES, f"{LINES}\nplt.gca().lines[0].set_visible(False)", "the lines differ: 2 expected, 1 found"),
    (LINES, f"{LINES}\nplt.ylim(1e6, 2e6)", "the lines differ: 2 expected, 0 found"),
    (BARS, f"{BARS}\nplt.gca().patches[1].set_visible(False)", "the bars differ"),
    (BARS, f"{BARS}\nplt.gcf().add_artist(plt.Rectangle((0, 0), 1, 1))", "the figure is covered"),
    (BARS, f"{BARS}\nplt.gca().yaxis.set_visible(False)", "there is no label of the y axis 'count'"),
    (TWO("1, 2", 0, 1), TWO("1, 2", 1, 0), "the lines differ"),
)


@cache
def facts(source: str) -> list[Any]:
    """Return what the figures that code draws show, as a session reports it."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    counts = pd.Series({"a": 3, "b": 5, "c": 1})
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 1.0, 4.0, 3.0], "kind": list("ppqq")})
    spread = pd.DataFrame({"y": np.arange(60) % 17 + np.arange(60) % 3 * 2.0, "kind": list("pqr") * 20})
    spread.loc[[3, 7], "y"] = [60.0, -40.0]
    wide = pd.DataFrame({"u": [1, 2, 3], "v": [4, 2, 5]}, index=list("abc"))
    tables = {"counts": counts, "table": table, "spread": spread, "wide": wide}
    exec(source, {"plt": plt, "np": np, "pd": pd, "Line2D": Line2D, "Patch": Patch, **tables})
    found: list[Any] = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        figure.draw_without_rendering()
        found.append(decode(encode({**figure_facts(figure), "library": {}})))
    plt.close("all")
    return found


def told(reference: str, code: str) -> str:
    return difference(facts(reference), facts(code), ["data", "scales", "labels"])


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with mpl.rc_context({"figure.dpi": 40, "figure.figsize": (2.4, 1.8), "backend": "agg"}):  # few ticks
        yield


def test_there_are_many_honest_ways_to_show_the_same() -> None:
    assert [(code, told(reference, code)) for reference, code in SAME if told(reference, code)] == []


def test_a_figure_that_shows_something_else_is_told_by_what_differs() -> None:
    found = [(code, reason, told(reference, code)) for reference, code, reason in OTHER]
    assert [row for row in found if row[1] not in row[2]] == []


GROUPS = (
    "for kind, part in table.groupby('kind'):\n    plt.scatter(part['x'], part['y'], {}label=kind)\nplt.legend()".format
)
SCATTER = "plt.scatter(table['x'], table['y'], {}=table['kind'].map({{'{}': 'C0', '{}': 'C1'}}){})\n".format
LEGEND = "(('C0', 'p'), ('C1', 'q'))"
DOTS = f"plt.legend(handles=[Line2D([], [], color=c, marker='o', ls='', label=k) for c, k in {LEGEND}])"
MARKED = GROUPS("c='black', marker='o' if kind == 'p' else 'x', ")
WIDE = "wide.plot.bar()"
HATCHED = (
    "for offset, name, hatch in ((-0.125, 'u', '/'), (0.125, 'v', 'x')):\n"
    "    plt.bar(np.arange(3) + offset, wide[name], 0.25, label=name, fill=False, hatch=hatch)\n"
    "plt.xticks(range(3), list('abc'))\nplt.legend()"
)
SPAN = "plt.axvspan(1, 2, {}label='s')\nplt.legend()".format
SWAPPED = f"{WIDE}\nfor bars, c in zip(plt.gca().containers, ('C1', 'C0')):\n    plt.setp(bars, color=c)"
HIST = "plt.hist([1, 1, 2, 3, 3, 3, 4.5, 7], bins=5, {})".format
STAIRS = "plt.stairs(*np.histogram([1, 1, 2, 3, 3, 3, 4.5, 7], 5){})".format
TRIANGLE = "plt.fill([1, 2, 3], [0, 4, 0])"


def test_colours_and_forms_of_groups_are_free() -> None:
    for reference, code in (
        (GROUPS(""), SCATTER("c", "p", "q", "") + DOTS),
        (GROUPS(""), MARKED),
        (WIDE, HATCHED),
        (SPAN(""), SPAN("color='r', alpha=0.2, ")),
    ):
        assert told(reference, code) == "", code


def test_groups_in_colours_that_contradict_the_legend_are_wrong() -> None:
    for reference, code, reason in (
        (GROUPS(""), SCATTER("c", "q", "p", "") + DOTS, "stands for other data"),
        (GROUPS(""), f"plt.scatter(table['x'], table['y'], c='gray')\n{DOTS}", "nothing in the plot has the colour of"),
        (GROUPS(""), f"{MARKED}\nplt.legend(['q', 'p'])", "other data"),
        (WIDE, SWAPPED, "other data"),
    ):
        assert reason in told(reference, code), code


def test_an_outline_of_a_histogram_shows_what_its_bars_do() -> None:
    bars, outline = HIST("cumulative=True"), HIST("histtype='step', cumulative=True")
    assert told(bars, outline) == told(outline, bars) == ""
    for reference, code in (
        (HIST("histtype='step'"), HIST("histtype='stepfilled', color='red'")),
        (HIST(""), STAIRS("")),
        (TRIANGLE, "plt.fill([3, 2, 1], [0, 4, 0], color='red')"),
    ):
        assert told(reference, code) == "", code
    assert "fewer artists of the kind Polygon" in told(TRIANGLE, "plt.gca()")  # no outline of bars: only counted


def test_an_outline_of_other_counts_or_edges_is_wrong() -> None:
    for (old, new), reason in (
        (("4.5", "2.5"), "the bars differ: other values"),
        (("bins=5", "bins=6"), "the bars differ: 5 expected, 6 found"),
    ):
        outline = HIST("histtype='stepfilled'")
        for reference in (HIST(""), outline):
            assert reason in told(reference, outline.replace(old, new)), new
        assert told(outline, HIST("").replace(old, new)) != ""


Line = Mapping[str, Any]


def box(middle: float, *, low: float = 0.0) -> list[Line]:
    """Return the lines of a box: two whiskers, caps, a median, an outline, and two values outside."""
    left, right = middle - 0.2, middle + 0.2
    flats = [{"x": [left, right], "y": [low + value] * 2} for value in (0, 2.5, 4)]
    stems = [{"x": [middle] * 2, "y": [low + one, low + end]} for one, end in ((1, 0), (3, 4))]
    outline = {"x": [left, right, right, left, left], "y": [low + value for value in (1, 1, 3, 3, 1)]}
    return [*flats, *stems, outline, {"x": [middle, middle], "y": [low - 7, float("inf")]}]


def test_a_box_says_its_whiskers_quartiles_median_and_what_lies_outside() -> None:
    other = {"x": [1, 2, 3], "y": [4, 5, 6]}
    found = read_box_plots([*box(2), other, *box(1, low=10)])
    first = [10, 11, 12.5, 13, 14, 3, float("inf")]
    second = [0, 1, 2.5, 3, 4, -7, float("inf")]
    assert found.boxes == [[(0.0, 0.0, v) for v in first], [(0.0, 1.0, v) for v in second]]
    assert found.rest == [other]
