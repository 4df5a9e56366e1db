"""Cells that break out, hang, bomb or lie: only they suffer, and the next honest one is judged as ever."""

import os
import time
from collections.abc import Iterator

import pytest

from evaluator.inside.codec.decode.decoded import OVER_LIMIT, Opaque
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session
from tests.session.conftest import PATIENT, processes_with, read, result

SHORT = CellLimits(wall_s=0.3)
ANS = CaptureSpec(names=("ans",))
SETUP = "import os, sys, threading, time, signal, builtins\nimport numpy as np\nimport pandas as pd\nprev = [1, 2]"


@pytest.fixture(scope="module")
def shared(engine: Engine) -> Iterator[Session]:
    """A session that all attacks share: it has to stay as it was."""
    with engine.open(key="shared", inputs=None) as opened:
        opened.execute(SETUP)
        yield opened


@pytest.fixture
def each_prepared(each_session: Session) -> Session:
    each_session.execute(SETUP)
    return each_session


@pytest.fixture
def prepared(shared: Session) -> Iterator[Session]:
    yield shared
    assert result(shared, "sum(prev)") == 3


def in_short(session: Session, source: str) -> Outcome:
    started = time.monotonic()
    outcome = session.attempt(source, limits=SHORT)
    assert time.monotonic() - started < 20
    return outcome


def test_a_cell_that_hangs_or_dies_takes_nothing_with_it(prepared: Session) -> None:
    for source, ending in (
        ("while True: pass", Ending.TIMED_OUT),
        ("while True:\n    try: time.sleep(1)\n    except BaseException: pass", Ending.TIMED_OUT),
        ("for s in set(range(1, 32)) - {9, 19}: signal.signal(s, signal.SIG_IGN)\ntime.sleep(9)", Ending.TIMED_OUT),
        ("10 ** 10 ** 8", Ending.TIMED_OUT),
        ("print('last words', end='')\nos._exit(0)", Ending.DIED),
        ("os.abort()", Ending.DIED),
    ):
        outcome = in_short(prepared, source)
        assert (outcome.ending, outcome.payload) == (ending, None), source
        assert outcome.limits_hit == (("time",) if ending is Ending.TIMED_OUT else ())
        if "last words" in source:
            assert outcome.outputs == ({"output_type": "stream", "name": "stdout", "text": "last words"},)


def test_children_that_leave_the_process_group_die_with_the_cell(each_prepared: Session) -> None:
    source = (
        "import subprocess\nsubprocess.Popen(['sleep', '987.125'], start_new_session=True)\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execlp('sleep', 'sleep', '987.125')\n"
        "    os._exit(0)\ntime.sleep(0.2)"
    )
    assert each_prepared.attempt(source, limits=PATIENT).ending is Ending.OK
    assert processes_with("987.125") == []
    for source in (
        "os.kill(os.getpid(), 9) or os.kill(0, 9)",
        "os.killpg(0, 9)",
    ):  # signals to its own group stay in it
        each_prepared.attempt(source, limits=SHORT)
    assert result(each_prepared, "sum(prev)") == 3


def test_memory_is_limited_in_one_process_and_in_all_together(prepared: Session) -> None:
    limits = CellLimits(wall_s=30, memory_mb=300)
    for source in ("np.ones(10**10)", "[bytes(10**8) for _ in range(10**4)]"):
        outcome = prepared.attempt(source, limits=limits)
        assert (outcome.ending, outcome.limits_hit) == (Ending.ERROR, ("memory",)), source
    unseen = "import mmap\nm = mmap.mmap(-1, 4 * 10**8)\nfor i in range(0, 4 * 10**8, 4096): m[i] = 1\ntime.sleep(20)"
    outcome = prepared.attempt(unseen, limits=CellLimits(wall_s=60, memory_mb=150))
    assert (outcome.ending, outcome.limits_hit) == (Ending.OVER_LIMIT, ("memory",))


def test_endless_output_is_stopped(prepared: Session) -> None:
    outcome = prepared.attempt("while True: os.write(1, b'x' * 65536)", limits=PATIENT)
    assert (outcome.ending, outcome.limits_hit) == (Ending.OVER_LIMIT, ("output",))


def test_endless_recursion_is_an_error_or_a_death(prepared: Session) -> None:
    outcome = prepared.attempt("f = lambda: f()\nf()", limits=PATIENT)
    assert outcome.error is not None
    assert outcome.error.name == "RecursionError"
    deep = prepared.attempt("sys.setrecursionlimit(10**8)\nf = lambda: f()\nf()", limits=SHORT)
    assert deep.ending in (Ending.DIED, Ending.ERROR, Ending.TIMED_OUT, Ending.OVER_LIMIT)


LIES = (
    "class E:\n    __eq__ = lambda s, o: True\n    __hash__ = None\nE()",
    "class F(float):\n    __sub__ = lambda s, o: 0.0\nF(1)",
    "class P:\n    __class__ = float\nP()",
    "class N(np.float64):\n    __eq__ = lambda s, o: True\nN(42)",
    "class D(pd.DataFrame):\n    equals = lambda s, o: True\nD({'a': [1]})",
    "class int: pass\nint.__module__ = 'builtins'\nint()",
    "iter(builtins.int, 1)",
    "class Hang:\n    def __getattr__(self, name): time.sleep(60)\n"
    "    __len__ = __iter__ = __array__ = __eq__ = __hash__ = lambda *a: time.sleep(60)\nHang()",
)


def test_a_value_of_a_type_of_its_own_is_opaque_and_not_asked(prepared: Session) -> None:
    told = [lie.rpartition("\n")[::2] for lie in LIES]
    source = "found = []\n" + "\n".join(f"{made}\nfound.append({value})" for made, value in told) + "\nfound;"
    outcome = prepared.attempt(source, limits=PATIENT)
    values = read(outcome).result
    assert [lie for lie, value in zip(LIES, values, strict=True) if type(value) is not Opaque] == []
    assert outcome.seconds < 20


def test_a_list_inside_itself_and_a_very_deep_one_end_the_walk(prepared: Session) -> None:
    looped = read(prepared.attempt("x = []\nx.append(x)\nx", limits=PATIENT)).result
    assert looped == [looped[0]]
    assert looped[0].type_name == "cycle"
    deep = read(prepared.attempt("x = []\nfor _ in range(10**5): x = [x]\nx;", limits=PATIENT)).result
    assert deep is OVER_LIMIT


TAMPERING = (
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
)


def test_honest_values_leave_a_tampered_process(prepared: Session) -> None:
    for source in TAMPERING:
        outcome = prepared.attempt(f"{source}\nans = [41, 1.5, 'x']", capture=ANS, limits=PATIENT)
        assert outcome.ending is Ending.OK, (source, outcome.error)
        assert read(outcome).variables["ans"] == [41, 1.5, "x"], source


def test_attempts_leave_no_descriptor_behind(prepared: Session) -> None:
    prepared.attempt("1", limits=PATIENT)
    before = len(os.listdir("/proc/self/fd"))
    for source in ("1", "1/0", "os._exit(1)"):
        prepared.attempt(source, limits=PATIENT)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_thread_cannot_change_a_value_while_it_is_reported(prepared: Session) -> None:
    source = (
        "ans = [[0] for _ in range(20_000)]\n"
        "def change():\n    while True:\n        for item in ans: item[0] += 1\n"
        "threading.Thread(target=change, daemon=True).start()\n"
        "threading.Thread(target=lambda: (time.sleep(60), ans.clear())).start()"  # is not waited for
    )
    values = read(prepared.attempt(source, limits=PATIENT, capture=ANS)).variables["ans"]
    numbers = [item[0] for item in values]
    assert max(numbers) - min(numbers) <= 1  # one moment lies within one round


def test_processes_left_behind_are_dead_before_the_report(each_prepared: Session) -> None:
    for options in ("", ", start_new_session=True"):
        state = "print(open(f'/proc/{left.pid}/stat').read().rsplit(')', 1)[1].split()[0] == 'Z')"
        source = f"import subprocess\nleft = subprocess.Popen(['sleep', '876.5']{options})\n{state}"
        outcome = each_prepared.attempt(source, limits=PATIENT, capture=CaptureSpec(infer=True))
        assert outcome.outputs[0]["text"] == "False\n"
        assert [item.value for item in read(outcome).inferred] == [True]  # asked again while the report was made
