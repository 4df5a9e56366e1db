"""What one cell leaves behind: values, streams, displays, errors, the namespace diff."""

import base64
from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import ABSENT, NamespaceDiff
from evaluator.inside.export.suspicious_code import MARKS, marks_in_source
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session
from evaluator.session.outcome import NO_CAPTURE
from tests.session.conftest import PATIENT, error_name, read, result


def attempt(session: Session, source: str, capture: CaptureSpec = NO_CAPTURE) -> Outcome:
    return session.attempt(source, capture=capture, limits=PATIENT)


def streams(outcome: Outcome) -> list[tuple[str, str]]:
    return [(o["name"], o["text"]) for o in outcome.outputs if o["output_type"] == "stream"]


def kinds(session: Session, source: str) -> list[str]:
    outputs = session.execute(f"import matplotlib.pyplot as plt\n{source}", limits=PATIENT).outputs
    return ["picture" if "image/png" in o.get("data", {}) else o["output_type"] for o in outputs]


def test_the_last_expression_is_the_result(session: Session) -> None:
    outcome = attempt(session, "x = 2\nx + 1")
    assert (outcome.ending, read(outcome).result) == (Ending.OK, 3)
    assert outcome.outputs == (
        {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": "3"}, "execution_count": None},
    )
    hidden = attempt(session, "41 + 1;")
    assert (read(hidden).result, hidden.outputs) == (42, ())
    assert read(attempt(session, "1\nx = 2")).result is ABSENT
    assert read(attempt(session, "None")).result is None


def test_streams_and_displays_keep_their_order_and_subprocesses_are_heard(session: Session) -> None:
    source = """
import os, sys
from IPython.display import display, Markdown
print("one")
os.system("echo two")
print("three", file=sys.stderr)
os.system("echo four >&2")
display(Markdown("*five*"))
for number in range(40):
    os.write(1, f"{number}\\n".encode())
    display({"shown": number})
    print("printed", number)
"""
    outputs = (outcome := attempt(session, source)).outputs
    data: list[Any] = [o.get("text") or f"{o['data'].get('text/markdown', o['data']['text/plain'])}\n" for o in outputs]
    expected = [(str(number), f"{{'shown': {number}}}", f"printed {number}") for number in range(40)]
    first = ["one", "two", "three", "four", "*five*"]
    assert "".join(data).splitlines() == [*first, *(line for three in expected for line in three)]
    assert {name for name, text in streams(outcome) if "four" in text} == {"stderr"}


def test_a_frame_is_shown_as_text_and_as_a_table(session: Session) -> None:
    data = attempt(session, "import pandas as pd\npd.DataFrame({'a': [1]})").outputs[0]["data"]
    assert "<table" in data["text/html"]
    assert data["text/plain"] == "   a\n0  1"


def test_figures_become_pictures_in_their_place_and_are_closed(session: Session) -> None:
    session.execute("import matplotlib.pyplot as plt")
    outcome = session.execute("plt.plot([1, 2])\nplt.show()", limits=PATIENT)
    (picture,) = [o["data"]["image/png"] for o in outcome.outputs if "image/png" in o.get("data", {})]
    assert base64.b64decode(picture).startswith(b"\x89PNG")
    assert streams(outcome) == []
    assert session.execute("assert plt.get_fignums() == []").ending is Ending.OK
    assert kinds(session, "_ = plt.plot([1, 2])\nplt.show()\nprint('between')\n1 + 1") == [
        *("stream", "picture", "execute_result"),
    ]
    assert kinds(session, "_ = plt.plot([1, 2])\n1 + 1") == [
        "execute_result",
        "picture",
    ]  # as in a notebook: at the end


def test_an_error_is_data_and_its_traceback_starts_in_the_cell(session: Session) -> None:
    session.execute("def f(x):\n    return x['b']")
    outcome = attempt(session, "print('before')\nf({'a': 1})")
    assert outcome.ending is Ending.ERROR
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("KeyError", "'b'")
    assert outcome.error.traceback.splitlines() == [
        "Traceback (most recent call last):",
        "  Cell In[2], line 2, in <module>",
        "    f({'a': 1})",
        "  Cell In[1], line 2, in f",
        "    return x['b']",
        "           ~^^^^^",
        "KeyError: 'b'",
    ]
    assert streams(outcome) == [("stdout", "before\n")]
    error = read(outcome).error
    assert error is not None
    assert error.bases == ("KeyError", "LookupError", "Exception", "BaseException")
    assert outcome.outputs[-1]["output_type"] == "error"


def test_a_syntax_error_names_its_line_and_nothing_of_ours(session: Session) -> None:
    error = attempt(session, "x = 1\ny = = 2").error
    assert error is not None
    assert error.name == "SyntaxError"
    assert "Cell In[1], line 2" in error.traceback
    assert "IPython" not in error.traceback
    assert "evaluator" not in error.traceback


def test_leaving_the_program_is_an_error_of_the_cell(session: Session) -> None:
    for source in ("import sys; sys.exit(3)", "raise KeyboardInterrupt"):
        outcome = attempt(session, source)
        assert outcome.ending is Ending.ERROR
        assert streams(outcome) == []
    assert error_name(session, "input('name? ')") == "EOFError"  # the end of standard input


def test_the_diff_tells_added_updated_replaced_and_deleted_names_apart(session: Session) -> None:
    session.execute(
        "import math\nimport pandas as pd\nkept, changed, gone = [1], [1], 1\ndef f(): return 1\n"
        "other = same = pd.DataFrame({'a': [1]})\na = b = pd.DataFrame({'x': [1, 2]})"
    )
    cell = "changed.append(2)\ndel gone\nother = other + 1\nsame = same.copy()\nnew = kept[0]\nimport math"
    diff = read(attempt(session, f"{cell}\ndef f(): return 1\na.loc[0, 'x'] = 9")).diff
    assert diff == NamespaceDiff(
        added=("new",),
        updated=("changed", "a", "b"),  # by whatever name it was changed
        replaced=("f", "other"),
        rebound_equal=("same",),
        deleted=("gone",),
    )


def test_asked_variables_travel_with_their_exact_types(session: Session) -> None:
    capture = CaptureSpec(names=("total", "table", "nothing"))
    source = "import numpy as np, pandas as pd\ntotal = np.int32(3)\ntable = pd.DataFrame({'a': ['x', None]})"
    variables = read(attempt(session, source, capture)).variables
    assert type(variables["total"]) is np.int32
    pd.testing.assert_frame_equal(variables["table"], pd.DataFrame({"a": ["x", None]}))
    assert variables["nothing"] is ABSENT


def test_views_describe_variables_without_calling_their_methods(session: Session) -> None:
    outcome = attempt(
        session,
        "import pandas as pd\nclass Evil:\n    def __repr__(self): raise SystemExit\n"
        "e = Evil()\nt = pd.DataFrame({'a': [1], 'b': [2]})\nn = 3\nl = [1, 'x', e]\ndef f(a, b): pass",
    )
    views = {view.name: (view.type, view.text, view.change) for view in outcome.variables}
    assert views["e"] == ("Evil", "", "added")
    assert views["t"] == ("DataFrame", "1 x 2: a, b", "added")
    assert views["n"] == ("int", "3", "added")
    assert views["l"] == ("list", "3 items: 1, 'x', Evil", "added")
    assert views["f"] == ("function", "f(a, b)", "added")


def test_a_display_with_an_id_is_updated_in_place(session: Session) -> None:
    source = "from IPython.display import display\nh = display('old', display_id=True)\nprint('x')\nh.update('new')"
    outputs = attempt(session, source).outputs
    assert [o["output_type"] for o in outputs] == ["display_data", "stream"]
    assert outputs[0]["data"]["text/plain"] == "'new'"


def test_magics_shell_lines_and_awaits_work(session: Session) -> None:
    outcome = attempt(session, "!echo hi\nfiles = !echo one\nfiles[0]")
    assert streams(outcome) == [("stdout", "hi\n")]
    assert read(outcome).result == "one"
    assert result(session, "import asyncio\nawait asyncio.sleep(0)\n5") == 5
    assert error_name(session, "hist") == "NameError"  # a bare name is never a magic


def test_without_magics_whatever_is_no_python_is_a_syntax_error(session: Session) -> None:
    for source in ("!echo hi", "%time 1", "x?", "import asyncio\nawait asyncio.sleep(0)", "  1"):
        outcome = session.attempt(source, limits=CellLimits(wall_s=30, magics=False))
        assert outcome.error is not None, source
        assert outcome.error.name in ("SyntaxError", "IndentationError")
        assert streams(outcome) == []


def test_a_last_value_is_not_rendered_where_nobody_looks(session: Session) -> None:
    outcome = session.attempt("print(1)\n[2]", limits=CellLimits(wall_s=30, renders=False))
    assert ([o["output_type"] for o in outcome.outputs], read(outcome).result) == (["stream"], [2])


def test_long_output_and_too_many_displays_are_cut_and_flagged(session: Session) -> None:
    long = attempt(session, "for _ in range(1100): print('x' * 1000)")
    assert (long.ending, long.limits_hit) == (Ending.OK, ("output",))
    assert sum(len(text) for _, text in streams(long)) == 1024 * 1024
    many = attempt(session, "for i in range(102): display(i)")
    assert (many.limits_hit, len(many.outputs)) == (("displays",), 100)


def test_text_that_is_no_utf8_is_kept_readable(session: Session) -> None:
    source = "import os\nos.write(1, b'\\xff ok\\n')\nprint('\\ud800')"
    assert streams(attempt(session, source)) == [("stdout", "\ufffd ok\n\\ud800\n")]


def test_the_same_cell_leaves_the_same_bytes_in_another_session(engine: Engine, session: Session) -> None:
    source = "import numpy as np, random\ns = {'b', 'a', ('c', 1)}\nv = (np.random.rand(3), random.random(), s)\nv"
    with engine.open(key="tests", inputs=None) as other:
        first, second = attempt(session, source), attempt(other, source)
    assert first.payload == second.payload
    assert first.outputs == second.outputs


def test_the_text_of_a_submission_speaks() -> None:
    """Marks: what in a submission people should look at, whatever its verdict."""
    for source, marks in (
        ("import ctypes", {"ctypes"}),
        ("getattr(gc, 'get_objects')()", {"gc.get_objects"}),
        ("import sys\nsys._getframe().f_back", {"sys._getframe"}),
        ("open('/proc/self/maps')", {"/proc"}),
        ("np.allclose = lambda *a: True", {"patched numpy"}),
        ("import pandas as pd; pd.testing.assert_frame_equal = print", {"patched pandas"}),
        ("%matplotlib inline\npd.DataFrame.sum = 0", {"patched pandas"}),
        ("pd.options.display.max_rows = 5\nx = np.array([1]) == np.pi\ny = pd.Series(name='/process')", set()),
        ("df.processed = np.random.default_rng(seed=1)", set()),
        ("", set()),
    ):
        assert marks_in_source(source) == marks, source
        assert marks <= MARKS


def test_what_a_cell_replaced_is_seen_and_marks_outlive_a_cell_that_dies(session: Session) -> None:
    patch = "import numpy, pandas\nsetattr(numpy, 'all' + 'close', print)\nvars(pandas)['con' + 'cat'] = print"
    outcome = attempt(session, patch)
    assert (outcome.ending, outcome.marks) == (Ending.OK, ("patched numpy", "patched pandas"))
    assert attempt(session, "setattr(__import__('pandas').DataFrame, 'sum', 0)").marks == ("patched pandas",)
    assert attempt(session, "x = 1").marks == ()
    dying = attempt(session, "import ctypes\nctypes.string_at(0)")
    assert (dying.ending, dying.marks) == (Ending.DIED, ("ctypes",))
