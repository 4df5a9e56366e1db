"""What the template rehearses saves sessions time and leaves nothing that they could see."""

from evaluator.session import CaptureSpec, Engine

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
