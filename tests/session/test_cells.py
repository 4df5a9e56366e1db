"""What one cell leaves behind: values, streams, displays, errors, the namespace diff."""

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome, NamespaceDiff
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session
from evaluator.session.outcome import NO_CAPTURE

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]


PATIENT = CellLimits(wall_s=120)  # a busy machine must not decide a test


def attempt(session: Session, source: str, capture: CaptureSpec = NO_CAPTURE) -> Outcome:
    return session.attempt(source, capture=capture, limits=PATIENT)


def streams(outcome: Outcome) -> list[tuple[str, str]]:
    return [(o["name"], o["text"]) for o in outcome.outputs if o["output_type"] == "stream"]


def test_the_last_expression_is_the_result(session: Session, read: Reader) -> None:
    outcome = attempt(session, "x = 2\nx + 1")
    assert outcome.ending is Ending.OK
    assert read(outcome).result == 3
    assert outcome.outputs == (
        {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": "3"}, "execution_count": None},
    )


def test_a_semicolon_hides_the_result_but_does_not_remove_it(session: Session, read: Reader) -> None:
    outcome = attempt(session, "41 + 1;")
    assert read(outcome).result == 42
    assert outcome.outputs == ()


def test_an_assignment_has_no_result(session: Session, read: Reader) -> None:
    assert read(attempt(session, "1\nx = 2")).result is ABSENT


def test_none_is_a_result_of_its_own(session: Session, read: Reader) -> None:
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
print("six")
"""
    outcome = attempt(session, source)
    shown: list[Any] = [o.get("text") or o["data"]["text/markdown"] for o in outcome.outputs]
    lines = "".join(shown).replace("*five*", "*five*\n").split()
    assert lines == ["one", "two", "three", "four", "*five*", "six"]
    assert {name for name, text in streams(outcome) if "four" in text} == {"stderr"}


def test_a_display_follows_what_was_written_to_a_descriptor_before_it(session: Session) -> None:
    source = """
import os
for number in range(40):
    os.write(1, f"{number}\\n".encode())
    display({"shown": number})
    print("printed", number)
"""
    shown = "".join(
        output.get("text") or f"{output['data']['text/plain']}\n" for output in attempt(session, source).outputs
    ).splitlines()
    expected = [(str(number), f"{{'shown': {number}}}", f"printed {number}") for number in range(40)]
    assert shown == [line for three in expected for line in three]


def test_a_frame_is_shown_as_text_and_as_a_table(session: Session) -> None:
    data = attempt(session, "import pandas as pd\npd.DataFrame({'a': [1]})").outputs[0]["data"]
    assert "<table" in data["text/html"]
    assert data["text/plain"] == "   a\n0  1"


def test_figures_become_pictures_and_are_closed(session: Session) -> None:
    session.execute("import matplotlib.pyplot as plt")
    outcome = session.execute("plt.plot([1, 2])\nplt.show()", limits=PATIENT)
    pictures = [o["data"]["image/png"] for o in outcome.outputs if "image/png" in o.get("data", {})]
    assert len(pictures) == 1
    assert base64.b64decode(pictures[0]).startswith(b"\x89PNG")
    assert streams(outcome) == []
    assert session.execute("assert plt.get_fignums() == []").ending is Ending.OK


def test_a_figure_that_is_shown_before_the_value_stands_before_it(session: Session) -> None:
    def kinds(source: str) -> list[str]:
        outputs = session.execute(f"import matplotlib.pyplot as plt\n{source}", limits=PATIENT).outputs
        return ["picture" if "image/png" in o.get("data", {}) else o["output_type"] for o in outputs]

    assert kinds("_ = plt.plot([1, 2])\nplt.show()\nprint('between')\n1 + 1") == ["stream", "picture", "execute_result"]
    assert kinds("_ = plt.plot([1, 2])\n1 + 1") == ["execute_result", "picture"]  # as in a notebook: at the end
    assert kinds("_ = plt.plot([1, 2])\nplt.show()") == ["picture"]


def test_an_error_is_data_and_its_traceback_starts_in_the_cell(session: Session, read: Reader) -> None:
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


@pytest.mark.parametrize("source", ["import sys; sys.exit(3)", "raise SystemExit", "raise KeyboardInterrupt"])
def test_leaving_the_program_is_an_error_of_the_cell(session: Session, source: str) -> None:
    outcome = attempt(session, source)
    assert outcome.ending is Ending.ERROR
    assert streams(outcome) == []


def test_input_finds_the_end_of_standard_input(session: Session) -> None:
    error = attempt(session, "input('name? ')").error
    assert error is not None
    assert error.name == "EOFError"


def test_the_diff_tells_added_updated_replaced_and_deleted_names_apart(session: Session, read: Reader) -> None:
    session.execute("import pandas as pd\nkept, changed, gone = [1], [1], 1\nother = same = pd.DataFrame({'a': [1]})")
    diff = read(
        attempt(session, "changed.append(2)\ndel gone\nother = other + 1\nsame = same.copy()\nnew = kept[0]")
    ).diff
    assert diff == NamespaceDiff(
        added=("new",), updated=("changed",), replaced=("other",), rebound_equal=("same",), deleted=("gone",)
    )


def test_a_change_through_an_alias_shows_on_every_name(session: Session, read: Reader) -> None:
    session.execute("import pandas as pd\na = b = pd.DataFrame({'x': [1, 2]})")
    assert read(attempt(session, "a.loc[0, 'x'] = 9")).diff.updated == ("a", "b")


def test_a_redefined_function_is_replaced_and_a_module_is_not(session: Session, read: Reader) -> None:
    session.execute("import math\ndef f(): return 1")
    diff = read(attempt(session, "import math\ndef f(): return 1")).diff
    assert diff == NamespaceDiff(replaced=("f",))


def test_asked_variables_travel_with_their_exact_types(session: Session, read: Reader) -> None:
    capture = CaptureSpec(names=("total", "table", "nothing"))
    outcome = attempt(
        session,
        "import numpy as np, pandas as pd\ntotal = np.int32(3)\ntable = pd.DataFrame({'a': ['x', None]})",
        capture=capture,
    )
    variables = read(outcome).variables
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


def test_magics_and_shell_lines_work(session: Session, read: Reader) -> None:
    outcome = attempt(session, "!echo hi\nfiles = !echo one\nfiles[0]")
    assert streams(outcome) == [("stdout", "hi\n")]
    assert read(outcome).result == "one"


@pytest.mark.parametrize("source", ["!echo hi", "%time 1", "x?", "import asyncio\nawait asyncio.sleep(0)", "  1"])
def test_without_magics_whatever_is_no_python_is_a_syntax_error(session: Session, source: str) -> None:
    outcome = session.attempt(source, limits=CellLimits(wall_s=30, magics=False))
    assert outcome.error is not None
    assert outcome.error.name in ("SyntaxError", "IndentationError")
    assert streams(outcome) == []


def test_a_bare_name_is_never_a_magic(session: Session) -> None:
    outcome = attempt(session, "hist")
    assert outcome.error is not None
    assert outcome.error.name == "NameError"


def test_top_level_await_works(session: Session, read: Reader) -> None:
    outcome = attempt(session, "import asyncio\nawait asyncio.sleep(0)\n5")
    assert read(outcome).result == 5


def test_long_output_is_cut_and_flagged(session: Session) -> None:
    outcome = attempt(session, "for _ in range(3000): print('x' * 1000)")
    assert outcome.ending is Ending.OK
    assert outcome.limits_hit == ("output",)
    assert sum(len(text) for _, text in streams(outcome)) == 1024 * 1024


def test_too_many_displays_are_cut_and_flagged(session: Session) -> None:
    outcome = attempt(session, "for i in range(1000): display(i)")
    assert outcome.limits_hit == ("displays",)
    assert len(outcome.outputs) == 100


def test_text_that_is_no_utf8_is_kept_readable(session: Session) -> None:
    source = "import os\nos.write(1, b'\\xff ok\\n')\nprint('\\ud800')"
    assert streams(attempt(session, source)) == [("stdout", "\ufffd ok\n\\ud800\n")]


def test_the_same_cell_leaves_the_same_bytes_in_another_session(engine: Engine, session: Session) -> None:
    source = "import numpy as np, random\ns = {'b', 'a', ('c', 1)}\nv = (np.random.rand(3), random.random(), s)\nv"
    with engine.open(key="tests", inputs=None) as other:
        first, second = attempt(session, source), attempt(other, source)
    assert first.payload == second.payload
    assert first.outputs == second.outputs
