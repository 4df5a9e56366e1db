"""Submissions run on copies of the session: what they may see, and that nothing of them stays."""

from pathlib import Path

from evaluator.inside.codec.decode.decoded import ABSENT, Inferred, NamespaceDiff
from evaluator.inside.export.suspicious_code import FORBIDDEN_IN_REACH
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Session
from tests.session.conftest import PATIENT, read, result


def test_a_submission_leaves_the_session_as_it_was(session: Session) -> None:
    session.execute("import os\nx = [1]")
    session.execute("x += [2]\nraise ValueError('half way')")
    session.attempt("x.append(3); y = 3; os.environ['A'] = 'b'; os.chdir('/'); del os", limits=PATIENT)
    look = "(x, 'y' in globals(), os.environ.get('A'), os.getcwd() == '/')"
    assert result(session, look) == ([1, 2], False, None, False)


def test_inputs_are_there_and_a_submission_changes_only_its_copies(each_engine: Engine, inputs: Path) -> None:
    (inputs / "big.bin").write_bytes(bytes(24 * 1024 * 1024))
    spoil = (
        "import os, pathlib\n"
        "pathlib.Path('inputs/trips.csv').write_text('spoilt')\nos.remove('inputs/more/naïve.txt')\n"
        "with open('inputs/big.bin', 'r+b') as file: file.write(b'x')\n"
        "pathlib.Path('new.txt').write_text('x')\n"
        "sorted(p.name for p in pathlib.Path('.').rglob('*')), open('inputs/big.bin', 'rb').read(1)"
    )
    look = (
        "import pathlib\n(sorted(str(p) for p in pathlib.Path('.').rglob('*')), "
        "pathlib.Path('inputs/trips.csv').read_text(), open('inputs/big.bin', 'rb').read(1))"
    )
    with each_engine.open(key="inputs", inputs=inputs) as session:
        assert result(session, spoil) == (["big.bin", "inputs", "more", "new.txt", "trips.csv"], b"x")
        names = ["inputs", "inputs/big.bin", "inputs/more", "inputs/more/naïve.txt", "inputs/trips.csv"]
        assert result(session, look) == (names, "city,fare\nOslo,3\nRoma,4\n", b"\0")
    assert (inputs / "trips.csv").read_text(encoding="utf-8").startswith("city")


def test_the_key_decides_the_random_numbers_of_reference_and_submissions(engine: Engine) -> None:
    draws = []
    for key, seed in (("one", None), ("one", None), ("two", None), ("one", 5)):
        with engine.open(key=key, inputs=None, rng_seed=seed) as session:
            session.execute("import random\nimport numpy as np\nrandom.random(), np.random.rand()")
            draw = "(random.random(), np.random.rand())"
            draws.append(result(session, draw))
            assert draws[-1] == result(session, draw) == read(session.execute(draw)).result
    assert draws[0] == draws[1]
    assert len({str(drawn) for drawn in draws}) == 3


def test_a_forbidden_name_can_be_passed_on_but_not_used(session: Session) -> None:
    session.execute("import pandas as pd\nraw = pd.DataFrame({'a': [1]})")
    limits = CellLimits(wall_s=30, forbid_names=("raw", "not_there"))
    assert session.attempt("y = raw", limits=limits).ending is Ending.OK
    used = session.attempt("raw['a']", limits=limits)
    assert used.error is not None
    assert used.error.name in ("TypeError", "AttributeError")


def test_a_forbidden_name_is_restored_and_takes_no_part_in_the_diff(session: Session) -> None:
    session.execute("raw = [1]")
    limits = CellLimits(wall_s=30, forbid_names=("raw",))
    outcome = read(session.execute("raw = 5\nother = 1", limits=limits, capture=CaptureSpec(names=("raw",))))
    assert outcome.diff == NamespaceDiff(added=("other",))
    assert outcome.variables["raw"] == [1]
    assert result(session, "raw") == [1]


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


def test_a_withheld_value_is_not_found_in_frames_or_by_the_collector(session: Session, replayed: Session) -> None:
    session.execute(SECRET)
    frames, collected, _ = read(session.attempt(HUNT, limits=CellLimits(wall_s=30, forbid_names=("raw",)))).result
    assert frames > 0, "or the hunt is no hunt"
    assert collected > 0
    withheld = session.attempt(HUNT, limits=WITHHELD)
    assert read(withheld).result == (0, 0, 0)
    assert FORBIDDEN_IN_REACH not in withheld.marks
    assert result(session, "int(raw['secret'].sum())") == 3  # the session still has it
    replayed.execute(SECRET)
    assert read(replayed.attempt(HUNT, limits=WITHHELD)).result == (0, 0, 0)


def test_what_else_holds_a_withheld_value_is_marked_and_garbage_is_not(engine: Engine) -> None:
    for hold in ("other = [raw]", "def other(frame=raw): pass", "raw.me = raw"):
        is_garbage = hold.startswith("raw.")  # a circle that nothing else leads to
        with engine.open(key="held", inputs=None) as session:
            session.execute(f"{SECRET}\nimport warnings; warnings.simplefilter('ignore')\n{hold}")
            assert (FORBIDDEN_IN_REACH in session.attempt("1", limits=WITHHELD).marks) is not is_garbage, hold


def test_a_withheld_name_takes_no_part_in_the_diff_and_does_not_come_back(session: Session) -> None:
    session.execute(SECRET)
    capture = CaptureSpec(names=("raw",))
    outcome = read(session.attempt("y = [raw]", limits=WITHHELD, capture=capture))
    assert outcome.diff == NamespaceDiff(added=("y",))
    assert outcome.variables["raw"] is ABSENT
    bound = session.attempt("raw = 5\ndef f(): pass", limits=WITHHELD, capture=capture)
    assert read(bound).diff == NamespaceDiff(added=("f",))
    assert session.attempt("raw['secret']", limits=WITHHELD).ending is Ending.ERROR
    assert session.attempt("del raw", limits=WITHHELD).ending is Ending.OK


INFERRED: list[tuple[str, list[tuple[str, object, str]]]] = [
    ("a = 1\nprint('x is', a, f'{a + 1:.2f} and {\"text\"}')", [("a", 1, "print"), ("a + 1", 2, "print")]),
    ("a = 1\nprint('{}'.format(a))", [("'{}'.format(a)", "1", "print")]),
    ("w = 6\nprint(f'{w:{w}d}')", [("w", 6, "print"), ("w", 6, "format")]),
    ("a = {'k': 1}\na['k'] = 5", [("a", {"k": 5}, "assignment")]),
    ("a = b = 3", [("a", 3, "assignment")]),
    ("a, b = 1, 2", [("(a, b)", (1, 2), "assignment")]),
    ("if True:\n    print(1 + 1)", []),
    ("import math", []),
    ("%matplotlib inline\na = 1\nprint(a)", [("a", 1, "print")]),
    ("print(1 + 1)\n5", []),  # there is a result
]


def test_what_a_cell_without_result_would_have_shown(session: Session) -> None:
    infer = CaptureSpec(infer=True)
    for source, expected in INFERRED:
        outcome = read(session.attempt(source, capture=infer, limits=PATIENT))
        assert outcome.inferred == tuple(Inferred(text, value, None, kind) for text, value, kind in expected), source
        assert not outcome.inference_failed
    session.execute("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})")
    outcome = read(session.attempt("df.loc[0, 'a'] = 5", capture=infer, limits=PATIENT))
    assert [item.source for item in outcome.inferred] == ["df.loc"]  # one level above the element
    for shown in ("a.pop()", "7, *a"):
        outcome = read(session.attempt(f"a = [1]\nprint({shown})", capture=infer, limits=PATIENT))
        assert (outcome.inference_failed, outcome.inferred) == (True, ()), shown


def test_a_written_module_can_be_imported_but_cannot_replace_ours(session: Session) -> None:
    source = (
        "from pathlib import Path\nPath('mine.py').write_text('x = 5')\n"
        "Path('json.py').write_text('raise SystemExit')\n"
        "import importlib, json\nimportlib.invalidate_caches()\nimport mine\nmine.x"
    )
    assert result(session, source) == 5
