"""Whether a cell altered what draws and reads figures: what libraries do is no such thing."""

from collections.abc import Iterator
from typing import Any

import pytest

from evaluator.inside.compare.figure_facts import difference
from evaluator.session import Ending, Engine, SandboxChoice, Session, probe_sandbox
from tests.session.conftest import Reader
from tests.session.drawing import SETUP, figure

pytestmark = pytest.mark.kernel
LINE = "plt.plot([1, 2], [3, 4])\nplt.title('Counts')"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as engine, engine.open(key="altered", inputs=None) as opened:
        assert opened.execute(SETUP).ending is Ending.OK
        yield opened


@pytest.fixture
def expected(session: Session, read: Reader) -> Any:
    return figure(session, read, LINE)


@pytest.mark.parametrize(
    "source",
    [
        "table.plot()",
        "table.plot.scatter('x', 'y', c='y')",
        "table.groupby('kind').mean().plot.barh(subplots=True)",
        "table.hist()",
        "pd.plotting.scatter_matrix(table[['x', 'y']])",
        "import seaborn as sns\nsns.set_theme()\nsns.barplot(table, x='kind', y='y', hue='kind')",
        "import seaborn as sns\nsns.pairplot(table, hue='kind')",
        "import seaborn as sns\nsns.clustermap(table[['x', 'y']])",
        "%matplotlib inline\nplt.plot([1])",
        "plt.xkcd()\nplt.plot([1])",
        "plt.style.use('dark_background')\nplt.colorbar(plt.scatter([1], [2], c=[3])).set_label('c')",
        "plt.subplot(projection='polar').plot([1])",
        "plt.subplot(projection='3d').plot([1], [2], [3])",
        "ax = plt.gca()\nax.format_coord = lambda x, y: ''\nax.twinx().plot([1])\nax.secondary_xaxis('top')",
        "class Wide(plt.Figure):\n    def add_plot(self):\n        return self.add_subplot()\n"
        "plt.figure(FigureClass=Wide).add_plot().plot([1])",
        "from unittest.mock import patch\nwith patch.object(plt.Line2D, 'get_ydata'):\n    pass\nplt.plot([1])",
    ],
)
def test_libraries_and_styles_alter_nothing(session: Session, read: Reader, expected: Any, source: str) -> None:
    found = figure(session, read, source)
    assert found["library"] == expected["library"]
    assert found["own_drawing"] == []


@pytest.mark.parametrize(
    ("alteration", "reason"),
    [
        ("plt.Line2D.get_ydata = plt.Line2D.get_xdata", "matplotlib.lines"),
        ("plt.Line2D.get_visible = lambda self: True", "matplotlib.lines"),
        ("plt.Line2D.get_color.__code__ = (lambda self: 'red').__code__", "matplotlib.lines"),
        ("plt.Figure.savefig = lambda self, *args, **options: None", "matplotlib.figure"),
        ("plt.Axes.lines = property(lambda self: [])", "matplotlib.axes._axes"),
        ("import matplotlib.lines as lines\nlines.Line2D = type('Line2D', (plt.Line2D,), {})", "matplotlib.lines"),
        ("plt.gcf().draw = lambda renderer: None", "functions of its own"),
        ("plt.gca().draw = lambda renderer: None", "functions of its own"),
        ("plt.gca().lines[0].draw = lambda renderer: None", "the lines differ"),
        ("plt.gca().lines[0].recache = lambda always=False: None", "the lines differ"),
        ("plt.gca().title.set_text('other')\nplt.gca().title.get_text = lambda: 'Counts'", "no title 'counts'"),
    ],
)
def test_what_is_altered_is_told(session: Session, read: Reader, expected: Any, alteration: str, reason: str) -> None:
    found = figure(session, read, f"{LINE}\n{alteration}")
    assert reason.casefold() in difference([expected], [found], ["data", "labels"]).casefold()


def test_a_class_that_draws_itself_counts_as_another_kind(session: Session, read: Reader) -> None:
    source = "class Line(plt.Line2D):\n    def draw(self, renderer):\n        pass\n"
    facts = figure(
        session, read, f"{source}ax = plt.gca()\nax.set(xlim=(0, 5), ylim=(0, 5))\nax.add_line(Line([1, 2], [3, 4]))"
    )
    assert (facts["axes"][0]["lines"], list(facts["axes"][0]["others"].values())) == ([], [1])
