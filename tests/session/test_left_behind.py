"""Figures and files that cells leave: facts and bytes in the claim, whatever a cell puts in their place."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evaluator.inside.codec.decode.decoded import ABSENT, FAILED, OVER_LIMIT, DecodedOutcome
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, SandboxChoice, Session, probe_sandbox

pytestmark = pytest.mark.kernel
Reader = Callable[[Outcome], DecodedOutcome]
LIMITS = CellLimits(wall_s=60)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as engine, engine.open(key="left", inputs=None) as opened:
        opened.execute("import os\nimport numpy as np\nimport matplotlib.pyplot as plt")
        yield opened


def figures(session: Session, read: Reader, source: str) -> tuple[list[Any], DecodedOutcome]:
    outcome = session.attempt(source, capture=CaptureSpec(figures=True), limits=LIMITS)
    assert outcome.ending is Ending.OK, outcome.error
    seen = read(outcome)
    return [figure.facts for figure in seen.figures], seen


def test_a_figure_tells_its_titles_axes_and_lines(session: Session, read: Reader) -> None:
    source = (
        "fig, ax = plt.subplots(figsize=(4, 3))\nax.plot([1, 2, 3], [3, 1, 2], 'r--', label='fares')\n"
        "ax.set(title='Trips', xlabel='day', ylabel='fare', yscale='log', xlim=(0, 4))\n"
        "ax.set_xticks([1, 2], ['Mon', 'Tue'])\nax.legend(title='what')\nfig.suptitle('All')\nax.text(1, 2, 'here')"
    )
    (facts,), seen = figures(session, read, source)
    (axes,) = facts["axes"]
    assert (facts["title"], facts["size_inches"], facts["cut"]) == ("All", [4.0, 3.0], False)
    assert axes["titles"] == ["", "Trips", ""]
    assert (axes["x"]["label"], axes["x"]["limits"], axes["x"]["ticks"]) == ("day", [0.0, 4.0], ["Mon", "Tue"])
    assert (axes["y"]["label"], axes["y"]["scale"]) == ("fare", "log")
    red = [1.0, 0.0, 0.0, 1.0]
    handle = {"colors": [red, red], "style": "--", "marker": "None", "edge": [], "hatch": "", "shape": ""}
    assert axes["legend"] == {"title": "what", "texts": ["fares"], "handles": [handle]}
    (line,) = axes["lines"]
    assert (line["x"].tolist(), line["y"].tolist()) == ([1.0, 2.0, 3.0], [3.0, 1.0, 2.0])
    assert (line["label"], line["style"], line["color"]) == ("fares", "--", [1.0, 0.0, 0.0, 1.0])
    assert axes["texts"] == [{"text": "here", "position": [1.0, 2.0]}]
    assert (seen.figures[0].png or b"").startswith(b"\x89PNG")


def test_bars_wedges_points_and_images_are_told(session: Session, read: Reader) -> None:
    source = (
        "fig, (a, b, c, d) = plt.subplots(1, 4)\na.bar(['x', 'y'], [2, 5], label='n')\nb.pie([1, 3])\n"
        "c.scatter([1, 2], [3, 4], s=[10, 20])\nd.imshow(np.arange(6).reshape(2, 3), cmap='gray')\n"
        "a.fill_between([0, 1], [1, 2])"
    )
    (facts,), _ = figures(session, read, source)
    bars, pie, points, image = facts["axes"]
    assert [bar["height"] for bar in bars["bars"][0]["bars"]] == [2.0, 5.0]
    assert bars["x"]["ticks"] == ["x", "y"]
    assert list(bars["others"].values()) == [1]
    assert [wedge["angles"] for wedge in pie["wedges"]] == [[0.0, 90.0], [90.0, 360.0]]
    assert points["points"][0]["offsets"].tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert points["points"][0]["sizes"].tolist() == [10.0, 20.0]
    assert (image["images"][0]["shape"], image["images"][0]["colors"]) == ([2, 3], "gray")


def test_figures_are_told_in_order_and_only_where_they_are_asked_for(session: Session, read: Reader) -> None:
    source = "for n in (1, 2):\n    plt.figure()\n    plt.plot([n])"
    facts, _ = figures(session, read, source)
    assert [one["axes"][0]["lines"][0]["y"].tolist() for one in facts] == [[1.0], [2.0]]
    assert figures(session, read, "1")[0] == []
    outcome = session.attempt(source, limits=LIMITS)
    assert read(outcome).figures == ()
    assert sum("image/png" in output.get("data", {}) for output in outcome.outputs) == 2
    assert b"Axes" not in (outcome.payload or b"")


def test_a_figure_is_the_same_bytes_each_time(session: Session, read: Reader) -> None:
    source = "plt.rcParams['figure.dpi'] = {}\nplt.plot([1, 3, 2])\nplt.gcf().set_size_inches(3, 2)"
    pictures = {figures(session, read, source.format(dpi))[1].figures[0].png for dpi in (50, 300)}
    assert len(pictures) == 1


@pytest.mark.parametrize(
    "source",
    [
        "class Fig:\n    axes = []\nplt.figure = lambda *a: Fig()\nplt.get_fignums = lambda: [1]",
        "plt.plot([1])\nplt.close('all')",
        "plt.figure(figsize=(10**4, 10**4))\nplt.plot([1])",
        "plt.gca()._children.extend(plt.plot([1]) * 5100)",
        "from matplotlib.artist import Artist\nclass Slow(Artist):\n    def draw(self, *a):\n"
        "        import os\n        os._exit(3)\nplt.gca().add_artist(Slow())",
        "plt.text(1e9, 1e9, 'far')\nplt.plot([1])\nplt.gca().get_lines = 1 / 1\nplt.gcf().canvas.draw = None",
    ],
)
def test_a_figure_that_is_no_figure_or_too_much_has_no_facts(session: Session, read: Reader, source: str) -> None:
    facts, seen = figures(session, read, source)
    assert all(one is ABSENT for one in facts)
    assert all(one.png is None for one in seen.figures)


LYING_LINE = "class Line(plt.Line2D):\n    def get_xdata(self, orig=True):\n        return [42]\n"


def test_a_subclass_of_an_artist_is_read_by_the_functions_of_matplotlib(session: Session, read: Reader) -> None:
    source = LYING_LINE + "ax = plt.gca()\nax.set(xlim=(0, 5), ylim=(0, 5))\nax.add_line(Line([1, 2], [3, 4]))"
    (facts,), _ = figures(session, read, source)
    (line,) = facts["axes"][0]["lines"]
    assert (line["x"].tolist(), line["y"].tolist()) == ([1.0, 2.0], [3.0, 4.0])
    assert facts["axes"][0]["others"] == {}


def test_a_line_outside_its_axes_is_not_told(session: Session, read: Reader) -> None:
    (facts,), _ = figures(session, read, LYING_LINE + "plt.gca().add_line(Line([1, 2], [3, 4]))")
    assert (facts["axes"][0]["lines"], facts["axes"][0]["others"]) == ([], {})


def test_artists_past_a_cap_are_told_as_cut(session: Session, read: Reader) -> None:
    (facts,), _ = figures(session, read, "plt.gca()._children.extend(plt.plot([1]) * 1100)")
    assert facts["cut"] is True
    assert len(facts["axes"][0]["lines"]) == 1000


def files(session: Session, read: Reader, source: str, *paths: str) -> dict[str, Any]:
    outcome = session.attempt(source, capture=CaptureSpec(files=paths), limits=LIMITS)
    assert outcome.ending is Ending.OK, outcome.error
    return dict(read(outcome).files)


def test_asked_files_come_as_bytes(session: Session, read: Reader) -> None:
    source = "os.makedirs('out')\nopen('out/a.csv', 'w').write('x')\nopen('b', 'wb').write(b'\\0' * 3)\nos.chdir('/')"
    found = files(session, read, source, "out/a.csv", "b", "c", "out", "out/a.csv/d")
    assert (found["out/a.csv"], found["b"]) == (b"x", b"\0\0\0")
    assert found["c"] is ABSENT
    assert found["out"] is FAILED
    assert found["out/a.csv/d"] is FAILED


@pytest.mark.parametrize(
    ("source", "marker"),
    [
        ("os.symlink('/etc/passwd', 'out')", FAILED),
        ("os.symlink('real', 'folder')", FAILED),
        ("os.mkfifo('out')", FAILED),
        ("import socket\nsocket.socket(socket.AF_UNIX).bind('out')", FAILED),
        ("os.mkdir('out')", FAILED),
        ("open('out', 'wb').truncate(17 * 2**20)", OVER_LIMIT),
        ("open('out', 'wb').truncate(2**20)\nos.chmod('out', 0)", None),
    ],
)
def test_links_and_odd_files_are_not_read(session: Session, read: Reader, source: str, marker: Any) -> None:
    path = "folder/out" if "folder" in source else "out"
    found = files(session, read, f"os.mkdir('real')\nopen('real/out', 'w')\n{source}", path)[path]
    assert found is marker or (marker is None and found in (b"\0" * 2**20, FAILED))


def test_paths_that_leave_the_folder_are_refused(session: Session, read: Reader) -> None:
    found = files(session, read, "", "../etc/passwd", "/etc/passwd", "a/../b")
    assert all(content is FAILED for content in found.values())
