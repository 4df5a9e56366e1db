"""Threads and processes that a cell leaves behind: the report is of the moment when the cell ended."""

from collections.abc import Callable

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.session import CaptureSpec, CellLimits, Ending, Outcome, Session

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)


def variable(read: Reader, session: Session, source: str, name: str) -> object:
    outcome = session.attempt(source, limits=PATIENT, capture=CaptureSpec(names=(name,)))
    assert outcome.ending is Ending.OK, outcome.error
    return read(outcome).variables[name]


def test_a_thread_cannot_change_a_value_while_it_is_reported(session: Session, read: Reader) -> None:
    source = (
        "import threading\nans = [[0] for _ in range(20_000)]\n"
        "def change():\n    while True:\n        for item in ans: item[0] += 1\n"
        "threading.Thread(target=change, daemon=True).start()"
    )
    values = variable(read, session, source, "ans")
    assert isinstance(values, list)
    numbers = [item[0] for item in values]
    assert max(numbers) - min(numbers) <= 1  # one moment lies within one round


def test_a_late_thread_neither_delays_nor_spoils_the_report(session: Session, read: Reader) -> None:
    source = "import threading, time\nL = [1]\nthreading.Thread(target=lambda: (time.sleep(60), L.append(2))).start()"
    assert variable(read, session, source, "L") == [1]


def test_an_exception_thrown_into_the_main_thread_later_gains_nothing(session: Session, read: Reader) -> None:
    source = (
        "import ctypes, threading, time\nmain = threading.main_thread().ident\nans = 42\n"
        "def throw():\n    while True:\n        time.sleep(0.001)\n"
        "        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(KeyError))\n"
        "def later():\n    time.sleep(0.2)\n    throw()\n"
        "threading.Thread(target=later, daemon=True).start()"
    )
    outcome = session.attempt(source, limits=PATIENT, capture=CaptureSpec(names=("ans",)))
    assert outcome.ending in (Ending.OK, Ending.ERROR, Ending.DIED, Ending.BAD_REPORT)
    assert (session.attempt("1 + 1", limits=PATIENT)).ending is Ending.OK
    if outcome.ending is Ending.OK:
        assert read(outcome).variables["ans"] == 42


@pytest.mark.parametrize("start", ["subprocess.Popen(command)", "subprocess.Popen(command, start_new_session=True)"])
def test_processes_left_behind_are_dead_before_the_report(session: Session, read: Reader, start: str) -> None:
    state = "print(open(f'/proc/{left.pid}/stat').read().rsplit(')', 1)[1].split()[0] == 'Z')"
    source = f"import subprocess\ncommand = ['sleep', '876.5']\nleft = {start}\n{state}"
    outcome = session.attempt(source, limits=PATIENT, capture=CaptureSpec(infer=True))
    assert outcome.outputs[0]["text"] == "False\n"
    assert [item.value for item in read(outcome).inferred] == [True]  # asked again while the report was made


def test_a_daemon_is_dead_before_the_report(sandboxed: Session, read: Reader) -> None:
    source = (
        "import os, time\nreading, writing = os.pipe()\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        os.write(writing, str(os.getpid()).encode())\n        time.sleep(60)\n    os._exit(0)\n"
        "pid = os.read(reading, 10).decode()\n"
        "print(open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[0])"
    )
    outcome = sandboxed.attempt(source, limits=PATIENT, capture=CaptureSpec(infer=True))
    assert [item.value for item in read(outcome).inferred] == ["Z"]


def test_a_process_whose_first_thread_has_ended_is_dead_before_the_report(sandboxed: Session, read: Reader) -> None:
    source = (
        "import ctypes, mmap, os, threading, time\nbox = memoryview(mmap.mmap(-1, 8)).cast('Q')\n"
        "def count():\n    while True: box[0] += 1\n"
        "if os.fork() == 0:\n    threading.Thread(target=count).start()\n    ctypes.CDLL(None).syscall(60, 0)\n"
        "time.sleep(0.3)\nprint((box[0], time.sleep(0.2))[0] != box[0])"
    )
    outcome = sandboxed.attempt(source, limits=PATIENT, capture=CaptureSpec(infer=True))
    assert outcome.outputs[0]["text"] == "True\n"
    assert [item.value for item in read(outcome).inferred] == [False]  # asked again while the report was made


@pytest.mark.takes_processes
def test_sealing_ends_even_what_keeps_forking(sandboxed: Session, read: Reader) -> None:
    source = (
        "import os, time\nans = 8\nif os.fork() == 0:\n    while True:\n        try:\n"
        "            if os.fork() > 0: os._exit(0)\n        except OSError: pass\ntime.sleep(0.2)"
    )
    outcome = sandboxed.attempt(source, limits=PATIENT, capture=CaptureSpec(names=("ans",)))
    assert outcome.ending in (Ending.OK, Ending.OVER_LIMIT)
    if outcome.ending is Ending.OK:
        assert read(outcome).variables["ans"] == 8
    assert sandboxed.attempt("1", limits=PATIENT).ending is Ending.OK


def test_a_trial_goes_first_when_the_machine_runs_out_of_memory(session: Session, read: Reader) -> None:
    outcome = session.attempt("open('/proc/self/oom_score_adj').read().strip()", limits=PATIENT)
    assert read(outcome).result == "1000"
