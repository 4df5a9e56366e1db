"""What a page costs on a large workspace: few statements and little to send, however much there is."""

from collections.abc import Callable, Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.speed.large import Large, fill
from tests.speed.page_meter import Meter, metered, opened_page

MOST_STATEMENTS = 12  # of one interaction
MOST_BYTES = 200_000  # sent to the browser for it


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Large]:
    """More of everything than a page shows."""
    ws = Workspace.open(tmp_path_factory.mktemp("large") / "workspace")
    set_setting(ws, "plain_editors", {"mei": True})
    return ws, fill(ws, sets=60, runs=8, comments=200)


@pytest.fixture
def meter() -> Iterator[Meter]:
    with metered() as meter:
        yield meter


@pytest.fixture
def opened(filled: tuple[Workspace, Large], meter: Meter, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open a page of the app on the large workspace."""
    monkeypatch.setenv("BENCHWRIGHT_WORKSPACE", str(filled[0].root))
    monkeypatch.setenv("BENCHWRIGHT_USER", "mei")
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", "none")
    return opened_page


MOST_WITH_NOTHING_KEPT = 20
"""Statements of a page that nobody has opened since the server started."""


PLACES: dict[str, tuple[str, dict[str, str]]] = {
    "queue": ("queue", {}),
    "queue, searched": ("queue", {"q_text": "median"}),
    "problemset with 200 comments": ("problemset", {"set": "1"}),
    "editor with 200 comments": ("editor", {"set": "1", "pid": "p1"}),
    "compare": ("compare", {"set": "1"}),
    "seeds": ("seeds", {}),
    "guide": ("guide", {}),
    "rounds": ("bootstrap", {}),
    "roundtable": ("roundtable", {}),
    "runs": ("runs", {}),
    "agents and verdicts": ("runs", {"=tabs:runs:Scored runs": "Agents and verdicts"}),
    "jobs": ("runs", {"view": "jobs"}),
    "one run": ("runs", {"run": "1"}),
    "one run, filtered": ("runs", {"run": "1", "r_verdict": "CRASH", "r_text": "fare"}),
    "one run, charts": ("runs", {"run": "1", "r_tab": "Charts"}),
    "one run, problemsets": ("runs", {"run": "1", "r_tab": "Problemsets"}),
    "one attempt": ("runs", {"run": "1", "attempt": "5"}),
    "several runs on two releases": ("runs", {"runs": "1,2,3,4,6"}),
    "several runs": ("runs", {"runs": "1,2,3,4,5", "r_several": "all"}),
    "two runs": ("runs", {"a": "1", "b": "2"}),
    "releases": ("releases", {}),
    "settings": ("settings", {}),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_page_asks_and_sends_little_however_much_there_is(
    place: str, opened: Callable[..., AppTest], meter: Meter
) -> None:
    page, parameters = PLACES[place]
    app = opened(page, **parameters)
    meter.start()
    app.run()
    assert len(meter.statements) <= MOST_STATEMENTS, meter.said()
    assert meter.sent_bytes <= MOST_BYTES


@pytest.mark.parametrize("place", [name for name, (page, _) in PLACES.items() if page == "runs"])
def test_a_page_of_runs_that_is_opened_first_asks_little_too(
    place: str, opened: Callable[..., AppTest], meter: Meter
) -> None:
    page, parameters = PLACES[place]
    app = opened(page, **parameters)
    st.cache_data.clear()
    st.cache_resource.clear()
    meter.start()
    app.run()
    assert len(meter.statements) <= MOST_WITH_NOTHING_KEPT, meter.said()
