"""What a page costs on a large workspace: few statements and little to send, however much there is."""

from collections.abc import Iterator

import pytest
import streamlit as st

from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.speed.large import fill
from tests.speed.page_meter import Meter, metered, opened_page
from tests.ui.acts import MOST_STATEMENTS

MOST_BYTES = 200_000  # sent to the browser for one interaction
MOST_AT_FIRST = 22  # statements of a page that nobody has opened since the server started
LOOKED_AT_AGAIN = ("queue", "editor with many comments", "jobs", "one run", "one attempt", "two runs", "several runs")
PLACES: dict[str, tuple[str, dict[str, str]]] = {
    "queue": ("queue", {}),
    "problemset with many comments": ("problemset", {"set": "1"}),
    "editor with many comments": ("editor", {"set": "1", "pid": "p1"}),
    "seeds": ("seeds", {}),
    "runs": ("runs", {}),
    "jobs": ("runs", {"view": "jobs"}),
    "one run": ("runs", {"run": "1"}),
    "one attempt": ("runs", {"run": "1", "attempt": "5"}),
    "several runs": ("runs", {"runs": "1,2,3,4,5", "r_several": "all"}),
    "two runs": ("runs", {"a": "1", "b": "2"}),
}


@pytest.fixture
def meter(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Meter]:
    """The app on a workspace with more of everything than a page shows, and what it asks and sends."""
    ws = Workspace.open(tmp_path_factory.mktemp("large") / "workspace")
    set_setting(ws, "plain_editors", {"mei": True})
    fill(ws, sets=60, runs=5, comments=100)
    monkeypatch.setenv("BENCHWRIGHT_WORKSPACE", str(ws.root))
    monkeypatch.setenv("BENCHWRIGHT_USER", "mei")
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", "none")
    with metered() as meter:
        yield meter


@pytest.mark.deep
def test_a_page_asks_and_sends_little_however_much_there_is(meter: Meter) -> None:
    def check(place: str, most: int) -> None:
        assert len(meter.statements) <= most, f"{place}:\n{meter.said()}"
        assert meter.sent_bytes <= MOST_BYTES, place

    for place, (page, parameters) in PLACES.items():
        st.cache_data.clear()
        st.cache_resource.clear()
        meter.start()
        app = opened_page(page, **parameters)
        check(place, MOST_AT_FIRST)
        if place in LOOKED_AT_AGAIN:
            app.run()
            meter.start()
            app.run()
            check(place, MOST_STATEMENTS)
