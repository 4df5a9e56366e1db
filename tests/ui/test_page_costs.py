"""What a page costs on a large workspace: few statements and little to send, however much there is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from authoring.store.database import connections
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.speed.large import Large, fill

ROOT = Path(__file__).parents[2]
MOST_STATEMENTS = 12  # of one interaction
MOST_BYTES = 200_000  # sent to the browser for it
COUNTED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Large]:
    """More of everything than a page shows."""
    ws = Workspace.open(tmp_path_factory.mktemp("large") / "workspace")
    set_setting(ws, "plain_editors", {"mei": True})
    return ws, fill(ws, sets=60, runs=8, comments=200)


def is_counted(sql: str) -> bool:
    """Tell our own statements from those of transactions and of the full-text index for itself."""
    return sql.lstrip().upper().startswith(COUNTED) and "_fts_config'" not in sql


class Meter:
    """Counts what reaches the database and what leaves for the browser."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.sent_bytes = 0

    def said(self) -> str:
        return "\n".join(" ".join(sql.split())[:160] for sql in self.statements)

    def start(self) -> None:
        self.statements.clear()
        self.sent_bytes = 0


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Meter:
    meter = Meter()
    connect, enqueue = connections.connect, ForwardMsgQueue.enqueue

    def traced(*arguments: Any, **options: Any) -> Any:
        db = connect(*arguments, **options)
        db.conn.set_trace_callback(lambda sql: meter.statements.append(sql) if is_counted(sql) else None)
        return db

    def weighed(queue: ForwardMsgQueue, message: Any) -> None:
        meter.sent_bytes += message.ByteSize()
        enqueue(queue, message)

    monkeypatch.setattr(connections, "connect", traced)
    monkeypatch.setattr(ForwardMsgQueue, "enqueue", weighed)
    return meter


@pytest.fixture
def opened(filled: tuple[Workspace, Large], meter: Meter, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open a page of the app on the large workspace."""
    monkeypatch.setenv("BENCHWRIGHT_WORKSPACE", str(filled[0].root))
    monkeypatch.setenv("BENCHWRIGHT_USER", "mei")
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", "none")

    def open_(page: str, **parameters: str | int) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        for name, value in parameters.items():
            app.query_params[name] = str(value)
        app.run()
        app.switch_page(f"authoring/ui/pages/{page}.py").run()
        assert not app.exception
        assert not app.error
        return app

    return open_


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
