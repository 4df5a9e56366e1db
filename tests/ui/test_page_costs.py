"""What a page costs on a large workspace: few statements and little to send, however much there is."""

from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.speed.large import Large, fill
from tests.speed.page_meter import Meter, metered, page_opener

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
    return page_opener()


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
    "one run": ("runs", {"run": "1"}),
    "one run, filtered": ("runs", {"run": "1", "r_verdict": "CRASH", "r_text": "fare"}),
    "one run, charts": ("runs", {"run": "1", "r_tab": "Charts"}),
    "one run, problemsets": ("runs", {"run": "1", "r_tab": "Problemsets"}),
    "one attempt": ("runs", {"run": "1", "attempt": "5"}),
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
