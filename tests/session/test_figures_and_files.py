"""Figures and files that cells leave: facts and bytes in the payload, whatever a cell puts in their place."""

from collections.abc import Iterator
from typing import Any

import pytest

from evaluator.inside.codec.decode.decoded import ABSENT, FAILED, OVER_LIMIT, DecodedOutcome
from evaluator.inside.compare.figure_facts import difference
from evaluator.session import CaptureSpec, Ending, Engine, Session
from tests.session.conftest import PATIENT, read

LINE = "plt.plot([1, 2], [3, 4])\nplt.title('Counts')"


@pytest.fixture(scope="module")
def session(engine: Engine) -> Iterator[Session]:
    with engine.open(key="left", inputs=None) as opened:
        opened.execute("import os\nimport numpy as np\nimport pandas as pd\nimport matplotlib.pyplot as plt")
        opened.execute("plt.rcParams['figure.figsize'] = (2, 1.5)")  # few ticks, small pictures
        yield opened


def figures(session: Session, source: str) -> tuple[list[Any], DecodedOutcome]:
    outcome = session.attempt(source, capture=CaptureSpec(figures=True), limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    seen = read(outcome)
    return [figure.facts for figure in seen.figures], seen


def test_a_figure_tells_its_titles_axes_and_lines(session: Session) -> None:
    source = (
        "fig, ax = plt.subplots(figsize=(4, 3))\nax.plot([1, 2, 3], [3, 1, 2], 'r--', label='fares')\n"
        "ax.set(title='Trips', xlabel='day', ylabel='fare', yscale='log', xlim=(0, 4))\n"
        "ax.set_xticks([1, 2], ['Mon', 'Tue'])\nax.legend(title='what')\nfig.suptitle('All')\nax.text(1, 2, 'here')"
    )
    (facts,), seen = figures(session, source)
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
    assert (line["label"], line["style"], line["color"]) == ("fares", "--", red)
    assert axes["texts"] == [{"text": "here", "position": [1.0, 2.0]}]
    assert (seen.figures[0].png or b"").startswith(b"\x89PNG")


def test_figures_are_told_in_order_and_only_where_they_are_asked_for(session: Session) -> None:
    source = "for n in (1, 2):\n    plt.figure(figsize=(2, 2))\n    plt.plot([n])"
    facts, _ = figures(session, source)
    assert [one["axes"][0]["lines"][0]["y"].tolist() for one in facts] == [[1.0], [2.0]]
    assert figures(session, "1")[0] == []
    outcome = session.attempt(source, limits=PATIENT)
    assert read(outcome).figures == ()
    assert sum("image/png" in output.get("data", {}) for output in outcome.outputs) == 2
    assert b"Axes" not in (outcome.payload or b"")


def test_a_figure_is_the_same_bytes_each_time(session: Session) -> None:
    source = "plt.rcParams['figure.dpi'] = {}\nplt.plot([1, 3, 2])\nplt.gcf().set_size_inches(3, 2)"
    assert len({figures(session, source.format(dpi))[1].figures[0].png for dpi in (50, 120)}) == 1


def test_a_figure_that_is_no_figure_or_too_much_has_no_facts(session: Session) -> None:
    for source in (
        "class Fig:\n    axes = []\nplt.figure = lambda *a: Fig()\nplt.get_fignums = lambda: [1]",
        "plt.figure(figsize=(10**4, 10**4))\nplt.plot([1])",
        "from matplotlib.artist import Artist\nclass Slow(Artist):\n    def draw(self, *a):\n"
        "        import os\n        os._exit(3)\nplt.gca().add_artist(Slow())",
    ):
        facts, seen = figures(session, source)
        assert all(one is ABSENT for one in facts), source
        assert all(one.png is None for one in seen.figures), source


def test_what_draws_and_reads_figures_must_be_the_librarys_own(session: Session) -> None:
    """What libraries and styles do to matplotlib is no alteration; what a cell replaces in it is one."""
    (expected,), _ = figures(session, LINE)
    styled = "plt.style.use('dark_background')\nax = plt.gca()\nax.format_coord = lambda x, y: ''\nax.twinx().plot([1])"
    (found,), _ = figures(session, styled)
    assert (found["library"], found["own_drawing"]) == (expected["library"], [])
    for source, reason in (
        ("plt.Line2D.get_ydata = plt.Line2D.get_xdata", "matplotlib.lines"),
        ("plt.gca().draw = lambda renderer: None", "functions of its own"),
    ):
        (found,), _ = figures(session, f"{LINE}\n{source}")
        assert reason in difference([expected], [found], ["data", "labels"]).casefold(), source


def files(session: Session, source: str, *paths: str) -> dict[str, Any]:
    outcome = session.attempt(source, capture=CaptureSpec(files=paths), limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    return dict(read(outcome).files)


def test_asked_files_come_as_bytes(session: Session) -> None:
    source = "os.makedirs('out')\nopen('out/a.csv', 'w').write('x')\nopen('b', 'wb').write(b'\\0' * 3)\nos.chdir('/')"
    found = files(
        session, source, "out/a.csv", "b", "c", "out", "out/a.csv/d", "../etc/passwd", "/etc/passwd", "a/../b"
    )
    assert (found["out/a.csv"], found["b"]) == (b"x", b"\0\0\0")
    assert found["c"] is ABSENT
    assert all(found[path] is FAILED for path in ("out", "out/a.csv/d", "../etc/passwd", "/etc/passwd", "a/../b"))


def test_links_and_odd_files_are_not_read(session: Session) -> None:
    source = """
os.symlink('/etc/passwd', 'link')
os.mkdir('real')
open('real/out', 'w')
os.symlink('real', 'folder')
os.mkfifo('pipe')
import socket
socket.socket(socket.AF_UNIX).bind('socket')
open('large', 'wb').truncate(17 * 2**20)
open('shut', 'wb').truncate(2**20)
os.chmod('shut', 0)
"""
    found = files(session, source, "link", "folder/out", "pipe", "socket", "large", "shut")
    assert found.pop("large") is OVER_LIMIT
    assert found.pop("shut") in (b"\0" * 2**20, FAILED)
    assert set(found.values()) == {FAILED}
    assert len(found) == 4
