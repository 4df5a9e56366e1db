"""Which figures show the same to a reader, and which would mislead one: groups, colours and legends."""

from collections.abc import Iterator

import pytest

from evaluator.inside.compare.figure_facts import difference
from evaluator.session import Ending, Engine, SandboxChoice, Session, probe_sandbox
from tests.session.conftest import Reader
from tests.session.drawing import SETUP, figure

pytestmark = pytest.mark.kernel
KINDS = (
    "for kind, part in table.groupby('kind'):\n    plt.scatter(part['x'], part['y'], {}label=kind)\nplt.legend()".format
)
SCATTER = "plt.scatter(table['x'], table['y'], {}=table['kind'].map({{'{}': 'C0', '{}': 'C1'}}){})\n".format
COLOURS = "(('C0', 'p'), ('C1', 'q'))"
DOTS = f"plt.legend(handles=[Line2D([], [], color=c, marker='o', ls='', label=k) for c, k in {COLOURS}])"
PATCHES = f"plt.legend(handles=[Patch(color=c, label=k) for c, k in {COLOURS}])"
HOLLOW = ", facecolors='none'"
BARS = "wide.plot.bar()"
HATCHED = (
    "for offset, name, hatch in ((-0.125, 'u', '/'), (0.125, 'v', 'x')):\n"
    "    plt.bar(np.arange(3) + offset, wide[name], 0.25, label=name, fill=False, hatch=hatch)\n"
    "plt.xticks(range(3), list('abc'))\nplt.legend()"
)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as engine, engine.open(key="compared", inputs=None) as opened:
        assert opened.execute(SETUP).ending is Ending.OK
        yield opened


def told(session: Session, read: Reader, reference: str, code: str) -> str:
    expected, found = (figure(session, read, source) for source in (reference, code))
    return difference([expected], [found], ["data", "scales", "labels"])


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        (KINDS(""), SCATTER("c", "p", "q", "") + DOTS),
        (KINDS(""), SCATTER("c", "p", "q", "") + PATCHES),
        (KINDS(""), SCATTER("edgecolors", "p", "q", HOLLOW) + DOTS),
        (KINDS(""), KINDS("c='black', marker='o' if kind == 'p' else 'x', ")),
        (KINDS(""), KINDS("facecolors='none', edgecolors='C3' if kind == 'p' else 'C4', ")),
        (KINDS(""), KINDS("").replace("scatter(", "plot(").replace("label", "marker='o', ls='', mfc='none', label")),
        (BARS, "wide.plot.bar(color=['black', 'gray'], edgecolor='white')"),
        (BARS, HATCHED),
        ("wide.plot.bar(fill=False, edgecolor='C3')", "wide.plot.bar(fill=False, edgecolor='C3')"),
        (
            "plt.axvspan(1, 2, label='s')\nplt.legend()",
            "plt.axvspan(1, 2, color='r', alpha=0.2, label='s')\nplt.legend()",
        ),
    ],
)
def test_colours_and_forms_of_groups_are_free(session: Session, read: Reader, reference: str, code: str) -> None:
    assert told(session, read, reference, code) == ""


@pytest.mark.parametrize(
    ("reference", "code", "reason"),
    [
        (KINDS(""), SCATTER("c", "q", "p", "") + DOTS, "stands for other data"),
        (KINDS(""), SCATTER("edgecolors", "q", "p", HOLLOW) + DOTS, "stands for other data"),
        (KINDS(""), f"plt.scatter(table['x'], table['y'], c='gray')\n{DOTS}", "nothing in the plot has the colour of"),
        (
            KINDS(""),
            KINDS("c='black', marker='o' if kind == 'p' else 'x', ") + "\nplt.legend(['q', 'p'])",
            "other data",
        ),
        (
            BARS,
            f"{BARS}\nfor bars, c in zip(plt.gca().containers, ('C1', 'C0')):\n    plt.setp(bars, color=c)",
            "other data",
        ),
        (BARS, f"wide.plot.bar(color='gray')\n{PATCHES}".replace("'p'", "'u'").replace("'q'", "'v'"), "nothing in the"),
        (BARS, f"{HATCHED}\nplt.legend(['v', 'u'])", "other data"),
    ],
)
def test_groups_in_colours_that_contradict_the_legend_are_wrong(
    session: Session, read: Reader, reference: str, code: str, reason: str
) -> None:
    assert reason in told(session, read, reference, code)


HIST = "plt.hist([1, 1, 2, 3, 3, 3, 4.5, 7], bins={}, {})".format
STAIRS = "plt.stairs(*np.histogram([1, 1, 2, 3, 3, 3, 4.5, 7], 5){})".format
TWICE = "plt.hist([[1, 2, 2], [2, 3, 3]], bins=3, stacked=True, {}label=['a', 'b'])\nplt.legend()".format


@pytest.mark.parametrize("options", ["", "log=True", "density=True", "cumulative=True", "orientation='horizontal'"])
@pytest.mark.parametrize("kind", ["step", "stepfilled"])
def test_an_outline_of_a_histogram_shows_what_its_bars_do(
    session: Session, read: Reader, kind: str, options: str
) -> None:
    bars, outline = HIST(5, options), HIST(5, f"histtype='{kind}', {options}")
    assert told(session, read, bars, outline) == ""
    assert told(session, read, outline, bars) == ""


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        (HIST(5, "histtype='step'"), HIST(5, "histtype='stepfilled', color='red'")),
        (HIST(5, ""), STAIRS("")),
        (HIST(5, ""), STAIRS(", fill=True")),
        (TWICE(""), TWICE("histtype='stepfilled', ")),
        ("plt.fill([1, 2, 3], [0, 4, 0])", "plt.fill([3, 2, 1], [0, 4, 0], color='red')"),
    ],
)
def test_outlines_may_be_filled_and_stacked(session: Session, read: Reader, reference: str, code: str) -> None:
    assert told(session, read, reference, code) == ""


@pytest.mark.parametrize("kind", ["step", "stepfilled"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("4.5", "2.5"), "the bars differ: other values"),
        (("bins=5", "bins=6"), "the bars differ: 5 expected, 6 found"),
        (("bins=5", "bins=5, density=True"), "the bars differ"),
        (("bins=5", "bins=5, orientation='horizontal'"), "the bars differ"),
        (("bins=5", "bins=5, log=True"), "the"),
    ],
)
def test_an_outline_of_other_counts_or_edges_is_wrong(
    session: Session, read: Reader, kind: str, change: tuple[str, str], reason: str
) -> None:
    outline = HIST(5, f"histtype='{kind}'")
    for reference in (HIST(5, ""), outline):
        assert reason in told(session, read, reference, outline.replace(*change))
    assert told(session, read, outline, HIST(5, "").replace(*change)) != ""


def test_a_polygon_that_is_no_outline_of_bars_is_only_counted(session: Session, read: Reader) -> None:
    assert "fewer artists of the kind Polygon" in told(session, read, "plt.fill([1, 2, 3], [0, 4, 0])", "plt.gca()")
