"""What the template rehearses saves sessions time and leaves nothing that they could see."""

import select
import signal

import pytest

from evaluator.session import CaptureSpec, Engine, SessionLost

LOOK = """import sys
left = sorted(name for name in globals() if not name.startswith("_"))
loaded = "pyarrow.vendored.version" in sys.modules
found = [left, _, loaded]
"""


def test_a_rehearsed_session_is_as_fresh_as_any(engine: Engine) -> None:
    with engine.open(key="rehearsed", inputs=None) as session:
        outcome = session.execute(LOOK + "print(found)", capture=CaptureSpec())
        assert session.lost_threads() == ()
    (printed,) = [each["text"] for each in outcome.outputs]
    names, underscore, loaded = eval(printed)  # our own literal
    assert set(names) <= {"In", "Out", "exit", "quit", "get_ipython", "open", "sys"}
    assert underscore == ""
    assert loaded is True


def test_a_session_that_is_gone_has_no_threads_to_tell(engine: Engine) -> None:
    with engine.open(key="gone", inputs=None) as session:
        session.execute("1", capture=CaptureSpec())
        signal.pidfd_send_signal(session._pidfd, signal.SIGKILL)
        assert select.select([session._pidfd], [], [], 10)[0]
        with pytest.raises(SessionLost):
            session.lost_threads()
