"""What the browser gets before a page is drawn: the document, and Streamlit's own files from memory."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import streamlit
from starlette.requests import Request

from authoring.ui.shell.document import _ELEMENTS, _FURTHER, Assets, document, element_scripts, shell_routes
from authoring.ui.shell.navigation import PAGES
from authoring.ui.wording import nothing_chip
from evaluator.scoring import MEANINGS

STATIC = Path(streamlit.__file__).parent / "static"


def test_each_element_that_is_loaded_early_is_one_that_streamlit_has() -> None:
    assert len(element_scripts()) == len(_ELEMENTS) + len(_FURTHER[""])
    assert len(element_scripts("help")) == len(_ELEMENTS)
    for page, further in _FURTHER.items():
        scripts = element_scripts(page)
        assert len(scripts) == len(_ELEMENTS) + len(further)
        assert all((STATIC / script.lstrip("/")).is_file() for script in scripts)
    assert set(_FURTHER) <= {"", *(page.name for page in PAGES)}


def test_the_document_names_what_its_page_draws_and_holds_the_stylesheet() -> None:
    editor, queue = document("editor"), document()
    assert "/app/static/cm6.js?v=" in editor
    assert "cm6.js" not in queue
    for text in (editor, queue):
        assert text.index("theme.js?v=") < text.index('src="./static/js/index.')
        assert "/app/static/row_list.js?v=" in text
        assert text.index("</head>") < text.index(".bw-rows {") < text.index("</body>")
        assert text.count("</head>") == 1


def test_the_document_holds_what_verdicts_mean_for_the_script_of_hints() -> None:
    text = document("runs")
    found = re.search(r'<script id="bw-meanings" type="application/json">(.*?)</script>', text)
    assert found is not None
    told = json.loads(found[1])
    assert told.items() >= {**MEANINGS, "passes": nothing_chip("CORRECT").about}.items()
    assert text.index("bw-meanings") < text.index("/app/static/hints.js?v=") < text.index("</body>")


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


def test_the_first_page_is_found_under_its_own_name_too() -> None:
    routes = {route.path: route.endpoint for route in shell_routes([page.name for page in PAGES])}
    assert set(routes) == {"/", "/queue/", *(f"/{page.name}" for page in PAGES)}
    for path in ("/queue", "/queue/"):
        scope = {"type": "http", "method": "GET", "headers": [], "query_string": b"user=lee&q_text=%20a"}
        with pytest.raises(StopIteration) as led:
            routes[path](Request({**scope, "path": path})).send(None)
        assert (led.value.value.status_code, led.value.value.headers["location"]) == (307, "/?user=lee&q_text=%20a")
