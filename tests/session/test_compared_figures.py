"""Which figures show the same to a reader, and which would mislead one: groups, colours, legends and outlines."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.codec import decode, encode
from evaluator.inside.compare.figure_facts import difference
from evaluator.inside.export.figures import figure_facts

KINDS = (
    "for kind, part in table.groupby('kind'):\n    plt.scatter(part['x'], part['y'], {}label=kind)\nplt.legend()".format
)
SCATTER = "plt.scatter(table['x'], table['y'], {}=table['kind'].map({{'{}': 'C0', '{}': 'C1'}}){})\n".format
COLOURS = "(('C0', 'p'), ('C1', 'q'))"
DOTS = f"plt.legend(handles=[Line2D([], [], color=c, marker='o', ls='', label=k) for c, k in {COLOURS}])"
PATCHES = f"plt.legend(handles=[Patch(color=c, label=k) for c, k in {COLOURS}])"
HOLLOW = ", facecolors='none'"
MARKED = KINDS("c='black', marker='o' if kind == 'p' else 'x', ")
BARS = "wide.plot.bar()"
HATCHED = (
    "for offset, name, hatch in ((-0.125, 'u', '/'), (0.125, 'v', 'x')):\n"
    "    plt.bar(np.arange(3) + offset, wide[name], 0.25, label=name, fill=False, hatch=hatch)\n"
    "plt.xticks(range(3), list('abc'))\nplt.legend()"
)
SPAN = "plt.axvspan(1, 2, {}label='s')\nplt.legend()".format
SWAPPED = f"{BARS}\nfor bars, c in zip(plt.gca().containers, ('C1', 'C0')):\n    plt.setp(bars, color=c)"
GRAY = f"wide.plot.bar(color='gray')\n{PATCHES}".replace("'p'", "'u'").replace("'q'", "'v'")
HIST = "plt.hist([1, 1, 2, 3, 3, 3, 4.5, 7], bins=5, {})".format
STAIRS = "plt.stairs(*np.histogram([1, 1, 2, 3, 3, 3, 4.5, 7], 5){})".format
TWICE = "plt.hist([[1, 2, 2], [2, 3, 3]], bins=3, stacked=True, {}label=['a', 'b'])\nplt.legend()".format
TRIANGLE = "plt.fill([1, 2, 3], [0, 4, 0])"


@cache
def facts(source: str) -> Any:
    """Return what the figure that code draws shows, as a session reports it."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 1.0, 4.0, 3.0], "kind": list("ppqq")})
    wide = pd.DataFrame({"u": [1, 2, 3], "v": [4, 2, 5]}, index=list("abc"))
    exec(source, {"plt": plt, "np": np, "table": table, "wide": wide, "Line2D": Line2D, "Patch": Patch})
    plt.gcf().draw_without_rendering()
    found: Any = decode(encode({**figure_facts(plt.gcf()), "library": {}}))
    plt.close("all")
    return found


def told(reference: str, code: str) -> str:
    return difference([facts(reference)], [facts(code)], ["data", "scales", "labels"])


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with mpl.rc_context({"figure.dpi": 40, "backend": "agg"}):
        yield


def test_colours_and_forms_of_groups_are_free() -> None:
    for reference, code in (
        (KINDS(""), SCATTER("c", "p", "q", "") + DOTS),
        (KINDS(""), SCATTER("c", "p", "q", "") + PATCHES),
        (KINDS(""), SCATTER("edgecolors", "p", "q", HOLLOW) + DOTS),
        (KINDS(""), MARKED),
        (KINDS(""), KINDS("facecolors='none', edgecolors='C3' if kind == 'p' else 'C4', ")),
        (KINDS(""), KINDS("").replace("scatter(", "plot(").replace("label", "marker='o', ls='', mfc='none', label")),
        (BARS, "wide.plot.bar(color=['black', 'gray'], edgecolor='white')"),
        (BARS, HATCHED),
        (SPAN(""), SPAN("color='r', alpha=0.2, ")),
    ):
        assert told(reference, code) == "", code


def test_groups_in_colours_that_contradict_the_legend_are_wrong() -> None:
    for reference, code, reason in (
        (KINDS(""), SCATTER("c", "q", "p", "") + DOTS, "stands for other data"),
        (KINDS(""), SCATTER("edgecolors", "q", "p", HOLLOW) + DOTS, "stands for other data"),
        (KINDS(""), f"plt.scatter(table['x'], table['y'], c='gray')\n{DOTS}", "nothing in the plot has the colour of"),
        (KINDS(""), f"{MARKED}\nplt.legend(['q', 'p'])", "other data"),
        (BARS, SWAPPED, "other data"),
        (BARS, GRAY, "nothing in the"),
        (BARS, f"{HATCHED}\nplt.legend(['v', 'u'])", "other data"),
    ):
        assert reason in told(reference, code), code


def test_an_outline_of_a_histogram_shows_what_its_bars_do() -> None:
    for options in ("log=True", "cumulative=True", "orientation='horizontal'"):
        bars, outline = HIST(options), HIST(f"histtype='step', {options}")
        assert told(bars, outline) == told(outline, bars) == "", options
    for reference, code in (
        (HIST("histtype='step'"), HIST("histtype='stepfilled', color='red'")),
        (HIST(""), STAIRS("")),
        (HIST(""), STAIRS(", fill=True")),
        (TWICE(""), TWICE("histtype='stepfilled', ")),
        (TRIANGLE, "plt.fill([3, 2, 1], [0, 4, 0], color='red')"),
    ):
        assert told(reference, code) == "", code
    assert "fewer artists of the kind Polygon" in told(TRIANGLE, "plt.gca()")  # no outline of bars: only counted


def test_an_outline_of_other_counts_or_edges_is_wrong() -> None:
    for (old, new), reason in (
        (("4.5", "2.5"), "the bars differ: other values"),
        (("bins=5", "bins=6"), "the bars differ: 5 expected, 6 found"),
        (("bins=5", "bins=5, orientation='horizontal'"), "the bars differ"),
    ):
        outline = HIST("histtype='stepfilled'")
        for reference in (HIST(""), outline):
            assert reason in told(reference, outline.replace(old, new)), new
        assert told(outline, HIST("").replace(old, new)) != ""
