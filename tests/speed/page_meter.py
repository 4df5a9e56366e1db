"""Counts what a page asks of the database and sends to the browser."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from authoring.store.database import connections

ROOT: Final = Path(__file__).parents[2]
COUNTED: Final = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
STEPS: Final = 20_000  # of SQLite's virtual machine, between two looks: each look takes time


@dataclass
class Meter:
    """What reached the database and what left for the browser since `start`."""

    statements: list[str] = field(default_factory=list)
    steps: int = 0  # of SQLite's virtual machine: about ten for each row that it looks at
    sent_bytes: int = 0

    def said(self) -> str:
        """Return the statements, one a line."""
        return "\n".join(" ".join(sql.split())[:160] for sql in self.statements)

    def start(self) -> None:
        """Forget what was counted."""
        self.statements.clear()
        self.steps = self.sent_bytes = 0

    def step(self) -> None:
        """Count the steps since the last look."""
        self.steps += STEPS

    def hear(self, sql: str) -> None:
        """Count a statement of ours."""
        if is_counted(sql):
            self.statements.append(sql)


def is_counted(sql: str) -> bool:
    """Tell our own statements from those of transactions and of the full-text index for itself."""
    return sql.lstrip().upper().startswith(COUNTED) and "_fts_config'" not in sql


@contextmanager
def metered() -> Iterator[Meter]:
    """Count while the block runs."""
    meter = Meter()
    connect, enqueue = connections.connect, ForwardMsgQueue.enqueue

    def traced(*arguments: Any, **options: Any) -> Any:
        db = connect(*arguments, **options)
        db.conn.set_trace_callback(meter.hear)
        db.conn.set_progress_handler(meter.step, STEPS)
        return db

    def weighed(queue: ForwardMsgQueue, message: Any) -> None:
        meter.sent_bytes += message.ByteSize()
        enqueue(queue, message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "connect", traced)
        patch.setattr(ForwardMsgQueue, "enqueue", weighed)
        yield meter


def prepared_page(page: str, parameters: Mapping[str, str | int]) -> AppTest:
    """Return a page of the app to be opened by its address; a name after `=` is one of the tab's session."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    for name, value in parameters.items():
        if name.startswith("="):
            app.session_state[name[1:]] = value
        else:
            app.query_params[name] = str(value)
    return app.switch_page(f"authoring/ui/pages/{page}.py")


def opened_page(page: str, **parameters: str | int) -> AppTest:
    """Return a page of the app that was opened."""
    app = prepared_page(page, parameters).run()
    assert not app.exception
    assert not app.error
    return app
