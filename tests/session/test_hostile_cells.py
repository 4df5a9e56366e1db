"""Cells that break out, hang, bomb or lie: only they suffer, and the next honest one is judged as ever."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.inside.codec.decode.decoded import OVER_LIMIT, DecodedOutcome, Opaque
from evaluator.session import CaptureSpec, CellLimits, Ending, Outcome, Session

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)
SHORT = CellLimits(wall_s=1)


@pytest.fixture
def prepared(session: Session, read: Reader) -> "Session":
    session.execute("import os, sys, time, signal, builtins\nimport numpy as np\nimport pandas as pd\nprev = [1, 2]")
    return session


def still_works(session: Session, read: Reader) -> bool:
    outcome = session.attempt("sum(prev)", limits=PATIENT)
    return outcome.ending is Ending.OK and read(outcome).result == 3


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("while True: pass", Ending.TIMED_OUT),
        ("while True:\n    try: time.sleep(1)\n    except BaseException: pass", Ending.TIMED_OUT),
        (
            "for s in set(range(1, 32)) - {9, 19}: signal.signal(s, signal.SIG_IGN)\nwhile True: time.sleep(1)",
            Ending.TIMED_OUT,
        ),
        ("10 ** 10 ** 8", Ending.TIMED_OUT),
        ("import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", Ending.TIMED_OUT),
        ("os._exit(0)", Ending.DIED),
        ("import ctypes\nctypes.string_at(0)", Ending.DIED),
        ("os.abort()", Ending.DIED),
    ],
)
def test_a_cell_that_hangs_or_dies_takes_nothing_with_it(
    prepared: Session, read: Reader, source: str, ending: Ending
) -> None:
    started = time.monotonic()
    outcome = prepared.attempt(source, limits=SHORT)
    assert outcome.ending is ending
    assert outcome.payload is None
    assert time.monotonic() - started < 6
    assert still_works(prepared, read)


def test_text_before_a_sudden_death_survives(prepared: Session) -> None:
    outcome = prepared.attempt("print('last words', end='')\nos._exit(3)", limits=PATIENT)
    assert outcome.ending is Ending.DIED
    assert outcome.outputs == ({"output_type": "stream", "name": "stdout", "text": "last words"},)


def test_a_timed_out_cell_says_which_limit_it_hit(prepared: Session) -> None:
    assert prepared.attempt("while True: pass", limits=CellLimits(wall_s=0.2)).limits_hit == ("time",)


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess\nsubprocess.Popen(['sleep', '987.125'], start_new_session=True)",
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execlp('sleep', 'sleep', '987.125')\n"
        "    os._exit(0)\ntime.sleep(0.3)",
    ],
)
def test_children_that_leave_the_process_group_die_with_the_cell(prepared: Session, source: str) -> None:
    assert prepared.attempt(source, limits=PATIENT).ending is Ending.OK
    assert processes_named("987.125") == []


def processes_named(text: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if text in (entry / "cmdline").read_text():
                    found.append(entry.name)
            except OSError:
                continue
    return found


@pytest.mark.parametrize("source", ["np.ones(10**10)", "'x' * 10**11", "[bytes(10**8) for _ in range(10**4)]"])
def test_a_memory_bomb_ends_in_a_memory_error(prepared: Session, read: Reader, source: str) -> None:
    outcome = prepared.attempt(source, limits=CellLimits(wall_s=30, memory_mb=500))
    assert outcome.ending is Ending.ERROR
    assert outcome.limits_hit == ("memory",)
    assert still_works(prepared, read)


def test_memory_that_one_process_limit_does_not_see_is_counted_too(prepared: Session, read: Reader) -> None:
    source = "import mmap\nm = mmap.mmap(-1, 10**9)\nfor i in range(0, 10**9, 4096): m[i] = 1\ntime.sleep(5)"
    outcome = prepared.attempt(source, limits=CellLimits(wall_s=60, memory_mb=200))
    assert outcome.ending is Ending.OVER_LIMIT
    assert outcome.limits_hit == ("memory",)
    assert still_works(prepared, read)


def test_endless_output_is_stopped(prepared: Session, read: Reader) -> None:
    outcome = prepared.attempt("while True: os.write(1, b'x' * 65536)", limits=PATIENT)
    assert outcome.ending is Ending.OVER_LIMIT
    assert outcome.limits_hit == ("output",)
    assert still_works(prepared, read)


def test_endless_recursion_is_an_error_or_a_death(prepared: Session, read: Reader) -> None:
    outcome = prepared.attempt("f = lambda: f()\nf()", limits=PATIENT)
    assert outcome.error is not None
    assert outcome.error.name == "RecursionError"
    deep = prepared.attempt("sys.setrecursionlimit(10**8)\nf = lambda: f()\nf()", limits=SHORT)
    assert deep.ending in (Ending.DIED, Ending.ERROR, Ending.TIMED_OUT, Ending.OVER_LIMIT)
    assert still_works(prepared, read)


@pytest.mark.parametrize(
    "source",
    [
        "os.kill(os.getpid(), 9) or os.kill(0, 9)",
        "os.killpg(0, 9)",
    ],
)
def test_signals_to_its_own_group_stay_in_the_cell(prepared: Session, read: Reader, source: str) -> None:
    prepared.attempt(source, limits=SHORT)
    assert still_works(prepared, read)


@pytest.mark.parametrize(
    "lie",
    [
        "class E:\n    __eq__ = lambda s, o: True\n    __hash__ = None\nE()",
        "class F(float):\n    __sub__ = lambda s, o: 0.0\nF(1)",
        "class P:\n    __class__ = float\nP()",
        "class N(np.float64):\n    __eq__ = lambda s, o: True\nN(42)",
        "class I(int):\n    __repr__ = lambda s: '42'\nI(7)",
        "class D(pd.DataFrame):\n    equals = lambda s, o: True\nD({'a': [1]})",
        "class int: pass\nint.__module__ = 'builtins'\nint()",
        "iter(builtins.int, 1)",
    ],
)
def test_a_value_of_a_type_of_its_own_is_opaque(prepared: Session, read: Reader, lie: str) -> None:
    outcome = prepared.attempt(lie, limits=PATIENT)
    assert type(read(outcome).result) is Opaque


def test_a_list_inside_itself_and_a_very_deep_one_end_the_walk(prepared: Session, read: Reader) -> None:
    looped = read(prepared.attempt("x = []\nx.append(x)\nx", limits=PATIENT)).result
    assert looped == [looped[0]]
    assert looped[0].type_name == "cycle"
    deep = read(prepared.attempt("x = []\nfor _ in range(10**5): x = [x]\nx;", limits=PATIENT)).result
    assert deep is OVER_LIMIT


def test_no_method_of_an_unknown_type_is_called_by_the_exporter(prepared: Session, read: Reader) -> None:
    source = (
        "class Hang:\n"
        "    def __getattr__(self, name): time.sleep(60)\n"
        "    __len__ = __iter__ = __array__ = __eq__ = __hash__ = lambda *a: time.sleep(60)\n"
        "h = Hang();"
    )
    outcome = prepared.attempt(source, capture=CaptureSpec(names=("h",)), limits=PATIENT)
    assert outcome.ending is Ending.OK
    assert outcome.seconds < 20
    assert type(read(outcome).variables["h"]) is Opaque


@pytest.mark.parametrize(
    "source",
    [
        "builtins.len = lambda x: 0\nbuiltins.isinstance = lambda *a: False\nbuiltins.type = str",
        "import json, hashlib\njson.dumps = lambda *a, **k: '{}'\nhashlib.sha256 = None",
        "os._exit = os.fork = os.write = lambda *a: 0",
        "sys.settrace(lambda *a: 1 / 0)",
        "sys.setrecursionlimit(60)",
        "for n in list(sys.modules):\n    if n.startswith('evaluator'): sys.modules[n] = None",
        "import atexit\natexit.register(lambda: time.sleep(60))",
        "cell = globals()\nsignal.signal(signal.SIGALRM, lambda number, frame: frame.f_globals is cell or 1 / 0)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)",
        "get_ipython().events.register('post_run_cell', lambda *a: print('hook'))",
        "pd.set_option('display.max_rows', 1)\nimport warnings\nwarnings.simplefilter('error')",
        "import gc\ngc.disable()\ngc.freeze()",
        "sys.stdout = sys.stderr = None",
        "os.close(1)\nos.close(2)",
    ],
)
def test_honest_values_leave_a_tampered_process(prepared: Session, read: Reader, source: str) -> None:
    outcome = prepared.attempt(f"{source}\nans = [41, 1.5, 'x']", capture=CaptureSpec(names=("ans",)), limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    assert read(outcome).variables["ans"] == [41, 1.5, "x"]
    assert still_works(prepared, read)


@pytest.mark.parametrize(
    "source",
    [
        "for fd in range(3, 64):\n    try: os.write(fd, b'\\x0d\\0\\0\\0\\0')\n    except OSError: pass",
        "for fd in range(3, 64):\n    try: os.write(fd, b'\\x0a\\xff\\xff\\xff\\xff')\n    except OSError: pass",
        "for fd in range(3, 64):\n    try: os.write(fd, b'\\x0c\\0\\0\\1\\0' + b'[' * 65536)\n    except OSError: pass",
    ],
)
def test_forged_frames_earn_nothing(prepared: Session, read: Reader, source: str) -> None:
    outcome = prepared.attempt(
        f"{source}\ntime.sleep(0.2)\nans = 42", capture=CaptureSpec(names=("ans",)), limits=SHORT
    )
    assert outcome.ending in (Ending.BAD_REPORT, Ending.TIMED_OUT)
    assert outcome.payload is None
    assert still_works(prepared, read)


def test_many_attempts_leave_no_descriptor_behind(prepared: Session) -> None:
    prepared.attempt("1", limits=PATIENT)
    before = len(os.listdir("/proc/self/fd"))
    for source in ("1", "1/0", "os._exit(1)"):
        prepared.attempt(source, limits=PATIENT)
    assert len(os.listdir("/proc/self/fd")) == before
