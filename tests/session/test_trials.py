"""Submissions run on copies of the session: what they may see, and that nothing of them stays."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome, Inferred, NamespaceDiff
from evaluator.inside.export.suspicious_code import FORBIDDEN_IN_REACH
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)


def result(read: Reader, session: Session, source: str) -> object:
    outcome = session.attempt(source, limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    return read(outcome).result


def test_a_submission_leaves_the_session_as_it_was(session: Session, read: Reader) -> None:
    session.execute("import os\nx = [1]")
    session.attempt("x.append(2); y = 3; os.environ['A'] = 'b'; os.chdir('/'); del os", limits=PATIENT)
    assert result(read, session, "(x, 'y' in globals(), os.environ.get('A'), os.getcwd() == '/')") == (
        [1],
        False,
        None,
        False,
    )


def test_the_session_advances_with_every_executed_cell(session: Session, read: Reader) -> None:
    session.execute("x = 1")
    session.execute("x += 1\nraise ValueError('half way')")
    assert result(read, session, "x") == 2


def test_inputs_are_there_and_a_submission_changes_only_its_copies(engine: Engine, inputs: Path, read: Reader) -> None:
    spoil = (
        "import os, pathlib\n"
        "pathlib.Path('inputs/trips.csv').write_text('spoilt')\nos.remove('inputs/more/naïve.txt')\n"
        "pathlib.Path('new.txt').write_text('x')\n"
        "sorted(p.name for p in pathlib.Path('.').rglob('*'))"
    )
    look = (
        "import pathlib\n(sorted(str(p) for p in pathlib.Path('.').rglob('*')), "
        "pathlib.Path('inputs/trips.csv').read_text())"
    )
    with engine.open(key="inputs", inputs=inputs) as session:
        assert result(read, session, spoil) == ["inputs", "more", "new.txt", "trips.csv"]
        assert result(read, session, look) == (
            ["inputs", "inputs/more", "inputs/more/naïve.txt", "inputs/trips.csv"],
            "city,fare\nOslo,3\nRoma,4\n",
        )
    assert (inputs / "trips.csv").read_text(encoding="utf-8").startswith("city")


def test_large_inputs_can_be_changed_without_harm_too(engine: Engine, tmp_path: Path, read: Reader) -> None:
    (tmp_path / "big.bin").write_bytes(bytes(24 * 1024 * 1024))
    change = "with open('inputs/big.bin', 'r+b') as f: f.write(b'x')\nopen('inputs/big.bin', 'rb').read(1)"
    with engine.open(key="large", inputs=tmp_path) as session:
        assert result(read, session, change) == b"x"
        assert result(read, session, "open('inputs/big.bin', 'rb').read(1)") == b"\0"


def test_reference_and_submissions_draw_the_same_random_numbers(session: Session, read: Reader) -> None:
    session.execute("import random\nimport numpy as np\nrandom.random(), np.random.rand()")
    draw = "(random.random(), np.random.rand())"
    first, second = result(read, session, draw), result(read, session, draw)
    assert first == second == read(session.execute(draw)).result


def test_the_key_decides_the_random_numbers(engine: Engine, read: Reader) -> None:
    draws = []
    for key in ("one", "one", "two"):
        with engine.open(key=key, inputs=None) as session:
            draws.append(result(read, session, "import numpy as np\nnp.random.rand()"))
    assert draws[0] == draws[1] != draws[2]


def test_a_forbidden_name_can_be_passed_on_but_not_used(session: Session, read: Reader) -> None:
    session.execute("import pandas as pd\nraw = pd.DataFrame({'a': [1]})")
    limits = CellLimits(wall_s=30, forbid_names=("raw", "not_there"))
    passed = session.attempt("y = raw", limits=limits)
    used = session.attempt("raw['a']", limits=limits)
    assert passed.ending is Ending.OK
    assert used.error is not None
    assert used.error.name in ("TypeError", "AttributeError")


HUNT = """
import gc, sys
def secrets(objects):
    return sum(type(each).__name__ == "DataFrame" and "secret" in each.columns for each in objects)
found, frame = 0, sys._getframe()
while frame is not None:
    held = list(frame.f_locals.values())
    held += [part for each in held if hasattr(each, "__dict__") for part in vars(each).values()]
    held += [part for each in held if type(each) is dict for part in each.values()]
    found += secrets(held)
    frame = frame.f_back
gc.unfreeze()
(found, secrets(gc.get_objects()), sum(
    b"secret" in part
    for each in gc.get_objects() if type(each) is dict for part in list(each.values()) if type(part) is bytes
))
"""
SECRET = "import numpy as np, pandas as pd\nraw = pd.DataFrame({'secret': [1, 2]})\nraw"  # shown, too
WITHHELD = CellLimits(wall_s=30, forbid_names=("raw", "not_there"), withheld_names=("raw", "not_there"))


def test_a_withheld_value_is_not_found_in_frames_or_by_the_collector(session: Session, read: Reader) -> None:
    session.execute(SECRET)
    hidden = session.attempt(HUNT, limits=CellLimits(wall_s=30, forbid_names=("raw",)))
    frames, collected, _ = read(hidden).result
    assert frames > 0, "or the hunt is no hunt"
    assert collected > 0
    withheld = session.attempt(HUNT, limits=WITHHELD)
    assert read(withheld).result == (0, 0, 0)
    assert FORBIDDEN_IN_REACH not in withheld.marks
    assert result(read, session, "int(raw['secret'].sum())") == 3  # the session still has it


def test_a_kernel_gives_a_withheld_value_up_too(replayed: Session, read: Reader) -> None:
    replayed.execute(SECRET)
    assert read(replayed.attempt(HUNT, limits=WITHHELD)).result == (0, 0, 0)


@pytest.mark.parametrize(
    "hold", ["other = raw", "other = [raw]", "def other(frame=raw): pass", "class Other: frame = raw", "raw.me = raw"]
)
def test_what_else_holds_a_withheld_value_is_marked_and_garbage_is_not(session: Session, hold: str) -> None:
    session.execute(f"{SECRET}\nimport warnings; warnings.simplefilter('ignore')\n{hold}")
    is_garbage = hold.startswith("raw.")  # a circle that nothing else leads to
    assert (FORBIDDEN_IN_REACH in session.attempt("1", limits=WITHHELD).marks) is not is_garbage


def test_a_withheld_name_takes_no_part_in_the_diff_and_does_not_come_back(session: Session, read: Reader) -> None:
    session.execute(SECRET)
    capture = CaptureSpec(names=("raw",))
    outcome = session.attempt("y = [raw]", limits=WITHHELD, capture=capture)
    assert read(outcome).diff == NamespaceDiff(added=("y",))
    assert read(outcome).variables["raw"] is ABSENT
    bound = session.attempt("raw = 5\ndef f(): pass", limits=WITHHELD, capture=capture)
    assert read(bound).diff == NamespaceDiff(added=("f",))
    assert session.attempt("raw['secret']", limits=WITHHELD).ending is Ending.ERROR
    assert session.attempt("del raw", limits=WITHHELD).ending is Ending.OK


SCAN = """
import struct
text = b"".join(b"\\\\x%02x" % byte for n in range(40_000, 40_032) for byte in struct.pack("<q", n * n + 7))
import re
pattern, found = re.compile(text), False
with open("/proc/self/mem", "rb", buffering=0) as memory, open("/proc/self/maps") as maps:
    for line in maps.readlines():
        bounds, rights = line.split()[:2]
        if rights.startswith("rw") and "[v" not in line:
            first, last = (int(part, 16) for part in bounds.split("-"))
            for start in range(first, last, 2**24):
                memory.seek(start)
                try:
                    found = found or bool(pattern.search(memory.read(min(2**24, last - start))))
                except OSError:
                    break
found
"""


def test_a_large_withheld_value_is_not_left_in_freed_memory(session: Session, read: Reader) -> None:
    session.execute("import numpy as np\nraw = np.arange(200_000) ** 2 + 7")
    assert read(session.attempt(SCAN, limits=CellLimits(wall_s=30, forbid_names=("raw",)))).result is True
    assert read(session.attempt(SCAN, limits=WITHHELD)).result is False


def test_a_forbidden_name_is_restored_and_takes_no_part_in_the_diff(session: Session, read: Reader) -> None:
    session.execute("raw = [1]")
    limits = CellLimits(wall_s=30, forbid_names=("raw",))
    outcome = session.execute("raw = 5\nother = 1", limits=limits, capture=CaptureSpec(names=("raw",)))
    assert read(outcome).diff.added == ("other",)
    assert read(outcome).diff.replaced == ()
    assert read(outcome).variables["raw"] == [1]
    assert result(read, session, "raw") == [1]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = 1\nprint('x is', a, f'{a + 1:.2f} and {\"text\"}')", [("a", 1, "print"), ("a + 1", 2, "print")]),
        ("a = 1\nprint('{}'.format(a))", [("'{}'.format(a)", "1", "print")]),
        ("w = 6\nprint(f'{w:{w}d}')", [("w", 6, "print"), ("w", 6, "format")]),
        ("a = {'k': 1}\na['k'] = 5", [("a", {"k": 5}, "assignment")]),
        ("a = b = 3", [("a", 3, "assignment")]),
        ("a, b = 1, 2", [("(a, b)", (1, 2), "assignment")]),
        ("if True:\n    print(1 + 1)", []),
        ("import math", []),
        ("%matplotlib inline\na = 1\nprint(a)", [("a", 1, "print")]),
    ],
)
def test_what_a_cell_without_result_would_have_shown(
    session: Session, read: Reader, source: str, expected: list[tuple[str, object, str]]
) -> None:
    outcome = read(session.attempt(source, capture=CaptureSpec(infer=True), limits=PATIENT))
    assert outcome.inferred == tuple(Inferred(text, value, None, kind) for text, value, kind in expected)
    assert not outcome.inference_failed


def test_an_indexer_is_exactly_one_level_above_its_element(session: Session, read: Reader) -> None:
    session.execute("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})")
    outcome = read(session.attempt("df.loc[0, 'a'] = 5", capture=CaptureSpec(infer=True), limits=PATIENT))
    assert [item.source for item in outcome.inferred] == ["df.loc"]


@pytest.mark.parametrize("shown", ["a.pop()", "*a", "7, *a"])
def test_an_inference_that_raises_is_said_to_have_failed(session: Session, read: Reader, shown: str) -> None:
    outcome = read(session.attempt(f"a = [1]\nprint({shown})", capture=CaptureSpec(infer=True), limits=PATIENT))
    assert outcome.inference_failed
    assert outcome.inferred == ()


def test_nothing_is_inferred_where_there_is_a_result(session: Session, read: Reader) -> None:
    outcome = read(session.attempt("print(1 + 1)\n5", capture=CaptureSpec(infer=True), limits=PATIENT))
    assert (outcome.result, outcome.inferred) == (5, ())


def test_a_last_value_of_print_is_none_and_the_printed_values_are_inferred(session: Session, read: Reader) -> None:
    outcome = read(session.attempt("a = 4\nprint(a)", capture=CaptureSpec(infer=True), limits=PATIENT))
    assert outcome.result is None
    assert [item.value for item in outcome.inferred] == [4]


def test_an_asked_name_that_is_no_variable_is_absent(session: Session, read: Reader) -> None:
    outcome = read(session.attempt("x = 1", capture=CaptureSpec(names=("nowhere", "x")), limits=PATIENT))
    assert dict(outcome.variables) == {"nowhere": ABSENT, "x": 1} or outcome.variables["nowhere"] is ABSENT


def test_a_module_written_by_a_cell_can_be_imported_but_cannot_replace_ours(session: Session, read: Reader) -> None:
    source = (
        "from pathlib import Path\nPath('mine.py').write_text('x = 5')\n"
        "Path('json.py').write_text('raise SystemExit')\n"
        "import importlib, json\nimportlib.invalidate_caches()\nimport mine\nmine.x"
    )
    assert result(read, session, source) == 5
