"""Trials that live on: one agent's cells, one after the other, isolated like any submission."""

import contextlib
import signal
import time
from collections.abc import Callable

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.language import Problem
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    Engine,
    Outcome,
    PersistentFork,
    ProbeEnding,
    Session,
    SessionLost,
    record_probes,
    sealing,
)
from evaluator.session.cell_monitor import START_S
from evaluator.session.sealing import (
    Stillness,
    Thread,
    _have_left_the_processor,
    freeze_trial,
    has_stood,
    pid_of,
    thaw_trial,
    threads_below,
)

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
LIFE = CellLimits(wall_s=60)
PATIENT = CellLimits(wall_s=30)


def test_its_cells_build_on_each_other_and_leave_the_session_alone(session: Session, read: Reader) -> None:
    session.execute("a = [1]\nopen('kept.txt', 'w').write('before')")
    with session.keep(LIFE) as kept:
        assert read(kept.execute("a.append(2); b = 3", limits=PATIENT)).diff.added == ("b",)
        second = read(kept.execute("a, b", capture=CaptureSpec(names=("a",)), limits=PATIENT))
        assert (second.result, second.variables) == (([1, 2], 3), {"a": [1, 2]})
        kept.execute("open('kept.txt', 'w').write('after')", limits=PATIENT)
        assert read(kept.execute("open('kept.txt').read()", limits=PATIENT)).result == "after"
    assert read(session.attempt("a, open('kept.txt').read()", limits=PATIENT)).result == ([1], "before")


def test_it_says_what_each_cell_changed(session: Session, read: Reader) -> None:
    session.execute("a, b, c = [1], [2], [3]")
    with session.keep(LIFE) as kept:
        kept.execute("a.append(1)", limits=PATIENT)
        diff = read(kept.execute("b.append(1); c = 5; d = 1", limits=PATIENT)).diff
    assert (diff.updated, diff.replaced, diff.added) == (("b",), ("c",), ("d",))


def test_an_error_ends_no_state_and_a_hidden_variable_comes_back(session: Session, read: Reader) -> None:
    session.execute("secret = 7")
    with session.keep(LIFE) as kept:
        hidden = CellLimits(wall_s=30, forbid_names=("secret",))
        assert kept.execute("x = 1\nsecret + 1", limits=hidden).ending is Ending.ERROR
        assert read(kept.execute("x, secret", limits=PATIENT)).result == (1, 7)


def test_what_is_evaluated_for_a_report_does_not_touch_its_state(session: Session, read: Reader) -> None:
    session.execute("stack = [1, 2, 3]")
    with session.keep(LIFE) as kept:
        shown = kept.execute("print(stack.pop())", capture=CaptureSpec(infer=True), limits=PATIENT)
        assert shown.outputs[0]["text"] == "3\n"
        assert read(kept.execute("stack", limits=PATIENT)).result == [1, 2]


def test_its_functions_are_probed_apart(session: Session) -> None:
    table = {"function_name": "f", "test_cases": [[1], [2]]}
    (call,) = record_probes(session, Problem("q", "", validator={"template": "empty", "table_test": table}), PATIENT)
    with session.keep(LIFE) as kept:
        kept.execute("calls = []", limits=PATIENT)
        outcome = kept.execute(
            "def f(x):\n    calls.append(x)\n    return x", capture=CaptureSpec(probes=(call,)), limits=PATIENT
        )
        assert [answer.ending for answer in outcome.answers] == [ProbeEnding.OK]
        assert kept.execute("assert calls == []", limits=PATIENT).ending is Ending.OK


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("while True: pass", Ending.TIMED_OUT),
        ("import os\nos._exit(0)", Ending.DIED),
        ("import os\nos.kill(os.getpid(), 9) or os.abort()", Ending.DIED),
    ],
)
def test_a_cell_that_ends_it_leaves_the_session_as_it_was(
    engine: Engine, read: Reader, source: str, ending: Ending
) -> None:
    with engine.open(key="a", inputs=None) as session:
        session.execute("a = 1")
        with session.keep(LIFE) as kept:
            kept.execute("a = 2", limits=PATIENT)
            assert kept.execute(source, limits=CellLimits(wall_s=0.5)).ending is ending
            with pytest.raises(SessionLost):
                kept.execute("1", limits=PATIENT)
        assert not session.is_lost
        assert read(session.attempt("a", limits=PATIENT)).result == 1


def test_its_cells_have_the_rights_of_a_submission(sandboxed: Session, read: Reader) -> None:
    seen = "[line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'NoNewPrivs'))]"
    with sandboxed.keep(LIFE) as kept:
        kept.execute("a = 1", limits=PATIENT)
        assert read(kept.execute(f"{seen}", limits=PATIENT)).result == ["0000000000000000", "1"]
        assert read(kept.execute("import os; os.getpid()", limits=PATIENT)).result == 1


def test_one_that_takes_too_much_memory_is_over_its_limit(sandboxed: Session, read: Reader) -> None:
    small = CellLimits(wall_s=30, memory_mb=200)
    with sandboxed.keep(CellLimits(wall_s=60, memory_mb=700)) as kept:
        outcome = kept.execute("b = bytearray(1 << 30)", limits=small)
        assert (outcome.ending, outcome.limits_hit) == (Ending.ERROR, ("memory",))
        assert kept.execute("c = bytearray(150 << 20)", limits=small).ending is Ending.OK
        assert kept.execute("d = bytearray(900 << 20)", limits=PATIENT).ending is Ending.ERROR
    assert read(sandboxed.attempt("1", limits=PATIENT)).result == 1


def test_figures_of_one_cell_are_not_shown_by_the_next(session: Session) -> None:
    with session.keep(CellLimits(wall_s=120)) as kept:
        first = kept.execute("import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])", limits=CellLimits(wall_s=60))
        second = kept.execute("x = 1", limits=PATIENT)
    assert [output["output_type"] for output in first.outputs] == ["display_data"]
    assert second.outputs == ()


def test_what_a_cell_says_to_its_channel_hangs_nobody(session: Session) -> None:
    closes = "import os\nfor fd in range(3, 200):\n    try: os.close(fd)\n    except OSError: pass"
    with session.keep(LIFE) as kept:
        outcome = kept.execute(closes, limits=PATIENT)
        assert outcome.ending in (Ending.DIED, Ending.BAD_REPORT)


def test_a_report_that_nobody_is_left_to_make_is_not_waited_for(session: Session) -> None:
    started = time.monotonic()
    with session.keep(LIFE) as kept:
        outcome = kept.execute("import os\nos.register_at_fork(after_in_child=lambda: os._exit(0))", limits=PATIENT)
    assert outcome.ending in (Ending.BAD_REPORT, Ending.DIED)
    assert time.monotonic() - started < 50


COUNTS_ON = {
    "a thread": """
import threading
box = [0]
def count():
    while True:
        box[0] += 1
threading.Thread(target=count, daemon=True).start()
""",
    "children in sessions of their own": """
import mmap, os
box = mmap.mmap(-1, 64)
for place in range(4):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            while True:
                box[place] = (box[place] + 1) % 251
        os._exit(0)
    os.wait()
""",
    "a child that the kernel holds again and again": """
import mmap, os
box = mmap.mmap(-1, 64)
if os.fork() == 0:
    file = os.open("held", os.O_RDWR | os.O_CREAT)
    while True:
        box[0] = (box[0] + 1) % 251
        os.pwrite(file, b"x" * 4096, 0)
        os.fsync(file)
""",
    "a child whose first thread has ended": """
import ctypes, mmap, os, threading
box = mmap.mmap(-1, 64)
def count():
    while True:
        box[0] = (box[0] + 1) % 251
if os.fork() == 0:
    threading.Thread(target=count).start()
    ctypes.CDLL(None).syscall(60, 0)
""",
}
TICKS_THAT_LET_GO = """
import ctypes, mmap, os, signal, threading
box = mmap.mmap(-1, 64)
def count():
    while True:
        box[0] = (box[0] + 1) % 251
signal.signal(signal.SIGCONT, lambda *a: None)
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int), ("_", ctypes.c_char * 48)]
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
libc.timer_create(1, ctypes.byref(Event(0, signal.SIGCONT, 0)), ctypes.byref(timer))
libc.timer_settime(timer, 0, (ctypes.c_long * 4)(*(0, 1_000_000) * 2), None)
threading.Thread(target=count, daemon=True).start()
"""  # a timer of its own sends SIGCONT every millisecond


@pytest.mark.parametrize("left", COUNTS_ON)
def test_what_a_cell_leaves_stands_still_until_the_next_one(left: str, session: Session, read: Reader) -> None:
    with session.keep(LIFE) as kept:
        assert kept.execute(COUNTS_ON[left] + "import time\ntime.sleep(0.3)", limits=PATIENT).ending is Ending.OK
        for _ in range(20):  # a busy machine may not have let it work yet, and then nothing would be looked at
            if any(cpu_of(kept).values()):
                break
            assert kept.execute("time.sleep(0.5)", limits=PATIENT).ending is Ending.OK
        before = cpu_of(kept)
        time.sleep(0.5)
        assert cpu_of(kept) == before
        assert any(before.values())
        counted = "first = bytes(box) if isinstance(box, mmap.mmap) else box[0]\ntime.sleep(0.3)\n"
        counted = f"import mmap\n{counted}first != (bytes(box) if isinstance(box, mmap.mmap) else box[0])"
        assert read(kept.execute(counted, limits=PATIENT)).result is True  # and goes on with it
    assert read(session.attempt("1", limits=PATIENT)).result == 1


def test_one_that_lets_itself_go_on_is_not_judged_on(session: Session, read: Reader) -> None:
    """The kernel forgets the timer with the signal that a stop discards, or does not: what has worked is found out."""
    with session.keep(LIFE) as kept:
        first = kept.execute(TICKS_THAT_LET_GO + "import time\ntime.sleep(0.3)", limits=PATIENT)
        assert first.ending in (Ending.OK, Ending.OVER_LIMIT)
        if first.ending is Ending.OVER_LIMIT:
            assert first.limits_hit == ("processes",)
        else:
            before = cpu_of(kept)
            time.sleep(0.5)
            has_worked = cpu_of(kept) != before
            why = ""
            try:
                kept.execute("1", limits=PATIENT)
            except SessionLost as lost:
                why = lost.what
            assert why in ("", "what an earlier cell left behind did not stand still")
            assert why or not has_worked
    assert read(session.attempt("1", limits=PATIENT)).result == 1


STARTS_A_CHILD_MEANWHILE = """
import ctypes, mmap, os, signal, time
box = mmap.mmap(-1, 64)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def wake(*_):
    signal.signal(signal.SIGCONT, signal.SIG_DFL)
    if os.fork() == 0:
        box[0] = 7
        os._exit(0)
    os.kill(os.getpid(), signal.SIGSTOP)
signal.signal(signal.SIGCONT, wake)
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int), ("_", ctypes.c_char * 48)]
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
libc.timer_create(1, ctypes.byref(Event(0, signal.SIGCONT, 0)), ctypes.byref(timer))
libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 0, 300_000_000), None)
"""  # which works and is gone before anybody looks, while the process itself stops again at once


def test_what_is_started_and_gone_while_all_stands_still_is_found_out(session: Session, read: Reader) -> None:
    with session.keep(LIFE) as kept:
        assert kept.execute(STARTS_A_CHILD_MEANWHILE, limits=PATIENT).ending is Ending.OK
        time.sleep(1.0)
        with pytest.raises(SessionLost, match="did not stand still"):
            kept.execute("box[0]", limits=PATIENT)
    assert read(session.attempt("1", limits=PATIENT)).result == 1


def test_a_thread_that_lets_no_cell_begin_is_not_waited_for_long(session: Session) -> None:
    holds = "import ctypes, threading, time\n"  # the interpreter's lock, which only PyDLL does not give back
    holds += "def hold():\n    time.sleep(0.2)\n    ctypes.PyDLL(None).sleep(3000)\n"
    with session.keep(LIFE) as kept:
        kept.execute(holds + "threading.Thread(target=hold, daemon=True).start()", limits=PATIENT)
        started = time.monotonic()
        time.sleep(0.5)
        with contextlib.suppress(SessionLost):
            kept.execute("1", limits=CellLimits(wall_s=10))  # it may come to its first line, and no further
        assert time.monotonic() - started < START_S  # which a first cell has
    assert session.attempt("1", limits=PATIENT).ending is Ending.OK


STOOD = {1: Thread(b"T", 100, 5), 2: Thread(b"Z", 7, 5), 3: Thread(b"D", 9, 5)}


@pytest.mark.parametrize(
    ("after", "stood"),
    [
        (STOOD, True),
        ({**STOOD, 1: Thread(b"T", 101, 5)}, False),
        ({**STOOD, 1: Thread(b"T", 100, 6)}, False),
        ({**STOOD, 3: Thread(b"T", 19, 50)}, True),  # the kernel let go of it, and it stopped
        ({**STOOD, 3: Thread(b"T", 20, 50)}, False),  # that was more than the end of a system call
        ({**STOOD, 3: Thread(b"R", 9, 5)}, False),
        ({1: STOOD[1], 2: STOOD[2]}, True),  # or its life came to an end with its system call
        ({**STOOD, 4: Thread(b"T", 0, 0)}, False),
        ({1: STOOD[1], 3: STOOD[3]}, True),  # somebody collected the dead one
        ({2: STOOD[2], 3: STOOD[3]}, False),
        ({}, False),
    ],
)
def test_what_has_stood_still_has_done_nothing(after: Stillness, stood: bool) -> None:
    assert has_stood(STOOD, after) is stood


def test_one_that_runs_beside_us_has_not_stood_still(session: Session) -> None:
    """What the kernel counts, of a real process that somebody let go on."""
    with session.keep(LIFE) as kept:
        kept.execute(COUNTS_ON["a thread"], limits=PATIENT)
        pidfd = kept._cells._pidfd
        stillness = freeze_trial(pidfd)
        assert stillness
        time.sleep(0.2)
        assert has_stood(stillness, threads_below(pid_of(pidfd)))
        signal.pidfd_send_signal(pidfd, signal.SIGCONT)
        time.sleep(0.2)
        assert not has_stood(stillness, threads_below(pid_of(pidfd)))
        assert not thaw_trial(pidfd, stillness)


def test_what_the_kernel_let_go_is_awaited_until_it_stops(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs to the end of its system call, which takes as long as the machine is busy: here for three looks."""
    with session.keep(LIFE) as kept:
        kept.execute("x = 1", limits=PATIENT)
        pidfd = kept._cells._pidfd
        pid = pid_of(pidfd)
        running = iter([b"R"] * 3)

        def look(_: int) -> Stillness:
            return {pid: Thread(next(running, b"T"), 9, 5)}

        monkeypatch.setattr(sealing, "threads_below", look)
        assert thaw_trial(pidfd, {pid: Thread(b"D", 9, 5)})
        assert next(running, None) is None


def test_all_that_was_told_to_stop_has_left_the_processor(session: Session) -> None:
    with session.keep(LIFE) as kept:
        kept.execute(COUNTS_ON["a thread"], limits=PATIENT)
        pid = pid_of(kept._cells._pidfd)
        soon = time.monotonic() + 5
        assert _have_left_the_processor(pid, soon)
        assert not _have_left_the_processor(pid, time.monotonic() - 1)  # there is no time left to look
        assert len(threads_below(pid)) >= 2
        signal.pidfd_send_signal(kept._cells._pidfd, signal.SIGCONT)
        assert any(not _have_left_the_processor(pid, soon) for _ in range(1000))


def test_a_trial_stands_still_only_once_all_of_it_has_left_the_processor(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session.keep(LIFE) as kept:
        kept.execute("x = 1", limits=PATIENT)
        told = iter([False, False])
        looks: list[bool] = []

        def look(_pid: int, _deadline: float) -> bool:
            looks.append(next(told, True))
            return looks[-1]

        monkeypatch.setattr(sealing, "_have_left_the_processor", look)
        assert freeze_trial(kept._cells._pidfd)
        assert looks == [False, False, True]


def test_what_never_stops_is_not_awaited_for_ever(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with session.keep(LIFE) as kept:
        kept.execute("x = 1", limits=PATIENT)
        pidfd = kept._cells._pidfd
        pid = pid_of(pidfd)
        monkeypatch.setattr(sealing, "_PATIENCE_S", 0.2)
        monkeypatch.setattr(sealing, "threads_below", lambda _: {pid: Thread(b"R", 9, 5)})
        assert not thaw_trial(pidfd, {pid: Thread(b"D", 9, 5)})


def cpu_of(kept: PersistentFork) -> dict[int, int]:
    """Return the processor time in ticks of a trial and of what it started, thread by thread."""
    return {number: thread.ticks for number, thread in threads_below(pid_of(kept._cells._pidfd)).items()}


@pytest.mark.takes_processes
def test_a_trial_that_starts_more_than_can_be_held_is_ended(session: Session) -> None:
    bomb = "import os\nwhile True:\n    try:\n        if os.fork() and os.fork(): os._exit(0)\n    except OSError: pass"
    with session.keep(LIFE) as kept:
        started = f"import os\nif os.fork() == 0:\n    exec({bomb!r})"
        assert kept.execute(started, limits=PATIENT).ending in (Ending.OK, Ending.OVER_LIMIT)
    assert session.attempt("1", limits=PATIENT).ending is Ending.OK
