"""Before and around a page: its document, Streamlit's files, pages that poll, clicks, and active minutes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit
from starlette.requests import Request
from streamlit import config
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state import SafeSessionState

from authoring.ui.shell.attention import Attention
from authoring.ui.shell.clicks import keep_clicks
from authoring.ui.shell.document import Assets, document, element_scripts, shell_routes
from authoring.ui.shell.navigation import PAGES
from authoring.ui.wording import nothing_chip
from evaluator.scoring import MEANINGS

STATIC = Path(streamlit.__file__).parent / "static"


def test_the_document_names_what_its_page_draws_and_holds_the_stylesheet() -> None:
    editor, queue = document("editor"), document()
    assert "/app/static/cm6.js?v=" in editor
    assert "cm6.js" not in queue
    for text in (editor, queue):
        assert text.index("theme.js?v=") < text.index('src="./static/js/index.')
        assert "/app/static/row_list.js?v=" in text
        assert text.index("</head>") < text.index(".bw-rows {") < text.index("</body>")
        assert text.count("</head>") == 1
    text = document("runs")
    found = re.search(r'<script id="bw-meanings" type="application/json">(.*?)</script>', text)
    assert found is not None
    told = json.loads(found[1])
    assert told.items() >= {**MEANINGS, "passes": nothing_chip("CORRECT").about}.items()
    assert text.index("bw-meanings") < text.index("/app/static/hints.js?v=") < text.index("</body>")
    for page in PAGES:
        assert all((STATIC / script.lstrip("/")).is_file() for script in element_scripts(page.name)), page.name


def ask(path: str, method: str = "GET") -> tuple[int, dict[bytes, bytes], bytes]:
    """Status, headers and body of what `Assets` answers; 418 where it leaves it to the app."""
    sent: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 418, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
    with pytest.raises(StopIteration):  # nothing of it waits: it needs no loop, of which the browser tests have one
        Assets(app)(scope, receive, send).send(None)
    start, body = sent
    return start["status"], dict(start["headers"]), body["body"]


def test_a_file_of_streamlit_is_answered_all_else_left_to_the_app() -> None:
    names = [path.relative_to(STATIC).as_posix() for path in (STATIC / "static" / "js").glob("Button.*.js")]
    assert len(names) == 1
    status, headers, body = ask(f"/{names[0]}")
    assert (status, body) == (200, (STATIC / names[0]).read_bytes())
    assert headers[b"cache-control"] == b"public, immutable, max-age=31536000"
    assert headers[b"content-type"].startswith(b"text/javascript")
    paths = ("/", "/static/js/none.js", "/static/../index.html", "/static/js/../../../__init__.py", "//static/js", "")
    assert {ask(path)[0] for path in paths} == {418}
    assert ask(element_scripts()[0], "POST")[0] == 418
    routes = {route.path: route.endpoint for route in shell_routes([page.name for page in PAGES])}
    assert set(routes) == {"/", "/queue/", *(f"/{page.name}" for page in PAGES)}
    for path in ("/queue", "/queue/"):
        scope = {"type": "http", "method": "GET", "headers": [], "query_string": b"user=lee&q_text=%20a"}
        with pytest.raises(StopIteration) as led:
            routes[path](Request({**scope, "path": path})).send(None)
        assert (led.value.value.status_code, led.value.value.headers["location"]) == (307, "/?user=lee&q_text=%20a")


FAST = "runner.fastReruns"


@pytest.fixture(autouse=True)
def clicks_are_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep clicks, and restore afterwards what that replaces."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    monkeypatch.setattr(ScriptRequests, "_request_rerun_locked", ScriptRequests._request_rerun_locked)
    fast = config.get_option(FAST)
    keep_clicks()
    yield
    config.set_option(FAST, fast)


CLICK = WidgetState(id="button", trigger_value=True)
ROW = WidgetState(id="row", string_value="1")


def poll(part: str, *widgets: WidgetState) -> RerunData:
    return RerunData(widget_states=WidgetStates(widgets=widgets), fragment_id=part, is_auto_rerun=True)


def test_a_poll_brings_no_click_and_takes_no_widget_back() -> None:
    requests = ScriptRequests()
    requests.request_rerun(poll("part", CLICK, ROW))
    assert told(requests) == (["part"], [])
    requests = ScriptRequests()
    requests.request_rerun(RerunData(widget_states=WidgetStates(widgets=[CLICK]), fragment_id="clicked"))
    requests.request_rerun(poll("part", ROW))  # which joins a click on another part
    assert told(requests) == (["clicked", "part"], [CLICK])
    requests, chosen = ScriptRequests(), WidgetState(id="row", string_value="2")
    requests.request_rerun(RerunData(widget_states=WidgetStates(widgets=[CLICK, chosen]), page_script_hash="new"))
    requests.request_rerun(poll("part", ROW))  # which adds nothing to a page that is to be drawn
    assert told(requests) == ([], [CLICK, chosen])
    assert requests._rerun_data.page_script_hash == "new"


def told(requests: ScriptRequests) -> tuple[list[str], list[WidgetState]]:
    pending = requests._rerun_data
    assert pending.widget_states is not None
    return pending.fragment_id_queue, list(pending.widget_states.widgets)


def test_time_belongs_to_what_was_on_the_screen() -> None:
    attention = Attention()
    attention.note(None, 0.0)
    attention.note("set 1", 30.0)
    attention.note(None, 45.0)
    attention.note("set 2", 60.0)
    assert (attention.minutes("set 1"), attention.minutes("set 2")) == (0.5, 0.25)
    assert attention.minutes("set 1", "set 2", "set 1") == 0.75
    attention.note("set 2", 40.0)  # a clock that jumps back adds nothing
    assert attention.minutes("set 2") == 0.25
    attention.forget("set 1")
    assert attention.minutes("set 1") == 0.0
    for now in (0.0, 20.0, 50.0, 5000.0):  # a long gap counts as a minute
        attention.note("set 3", now)
    assert attention.minutes("set 3") == round((20 + 30 + 60) / 60, 2)
