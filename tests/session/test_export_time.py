"""What a submission does after it said that it had ended counts as its time, unless reporting can have taken it."""

import time
from collections.abc import Callable

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.session import CaptureSpec, CellLimits, Ending, Outcome, Session
from evaluator.session.cell_report import ExportTime

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
SHORT = CellLimits(wall_s=2)
ANS = CaptureSpec(names=("ans",), infer=True)
MB = 1024 * 1024

PATCHED = """
import gc, time
from evaluator.inside.runtime.channel import Channel
send = Channel.send
for channel in [c for c in gc.get_objects() if type(c) is Channel]:
    try:
        send(channel, 10)
    except OSError:
        pass  # the session's own, which is closed
Channel.send = lambda self, kind, body=b"", descriptors=(): kind == 10 or send(self, kind, body, descriptors)
"""
"""Says that the cell has ended, and keeps the worker from saying it again."""

PROXIED = """
import os, socket, struct, threading, time

def pass_on(near, far, first):
    skipped = not first
    while data := near.recv(1 << 16):
        if not skipped:  # the worker's own word for the end of the cell
            data, skipped = data[5:], True
        if data:
            far.sendall(data)

for fd in range(3, 64):
    try:
        is_channel = os.readlink(f"/proc/self/fd/{fd}").startswith("socket:")
    except OSError:
        continue
    if is_channel:
        real = socket.socket(fileno=os.dup(fd))
        ours, theirs = socket.socketpair()
        os.dup2(theirs.fileno(), fd)
        real.sendall(struct.pack("<BI", 10, 0))
        threading.Thread(target=pass_on, args=(ours, real, True), daemon=True).start()
        threading.Thread(target=pass_on, args=(real, ours, False), daemon=True).start()
        break
"""
"""The same without a change to anything of ours: threads stand between the worker and the host."""

WORKS_ON = "time.sleep(50)\nans = 42"


@pytest.mark.parametrize("forged", [PATCHED, PROXIED], ids=["patched", "proxied"])
def test_a_cell_that_says_it_ended_and_works_on_runs_out_of_time(session: Session, forged: str) -> None:
    started = time.monotonic()
    outcome = session.attempt(f"{forged}{WORKS_ON}", capture=ANS, limits=SHORT)
    assert (outcome.ending, outcome.limits_hit) == (Ending.TIMED_OUT, ("time",))
    assert outcome.payload is None
    assert outcome.seconds > SHORT.wall_s
    assert time.monotonic() - started < 45  # nobody waits for it


MAPS_FILES = """
import ctypes, mmap, os
files = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line.split()[-1]}
largest = max(files, key=os.path.getsize)
size, fd = os.path.getsize(largest) & ~4095, os.open(largest, os.O_RDONLY)
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for _ in range(400):
    libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED | 0x8000, fd, 0)  # MAP_POPULATE: counted again each time
"""
"""Makes 400 times a large file look like memory of the process."""


def test_mapped_files_buy_no_time(session: Session) -> None:
    outcome = session.attempt(f"{MAPS_FILES}{PROXIED}{WORKS_ON}", capture=ANS, limits=SHORT)
    assert (outcome.ending, outcome.limits_hit) == (Ending.TIMED_OUT, ("time",))
    assert outcome.seconds < 12


def test_the_same_lie_in_a_trial_that_lives_on_runs_out_of_time(session: Session) -> None:
    with session.keep(CellLimits(wall_s=60)) as kept:
        assert kept.execute(f"{PATCHED}{WORKS_ON}", capture=ANS, limits=SHORT).ending is Ending.TIMED_OUT


@pytest.mark.slow
def test_the_same_lie_in_a_kernel_runs_out_of_time(replayed: Session) -> None:
    outcome = replayed.attempt(f"{PATCHED}{WORKS_ON}", capture=ANS, limits=SHORT)
    assert outcome.ending is Ending.TIMED_OUT
    assert outcome.seconds > SHORT.wall_s


def test_such_a_lie_that_ends_in_time_earns_what_it_claims(session: Session, read: Reader) -> None:
    outcome = session.attempt(f"{PATCHED}ans = 42", capture=ANS, limits=CellLimits(wall_s=30))
    assert outcome.ending is Ending.OK
    assert read(outcome).variables == {"ans": 42}


def test_a_claim_that_never_comes_is_a_timeout(session: Session) -> None:
    silent = f"{PATCHED}Channel.send = lambda *a: None\nans = 42"
    outcome = session.attempt(silent, capture=CaptureSpec(names=("ans",)), limits=CellLimits(wall_s=1))
    assert outcome.ending in (Ending.TIMED_OUT, Ending.DIED)  # when all is said, its process ends
    assert outcome.payload is None


def test_a_large_claim_is_no_time_of_the_cell(session: Session, read: Reader) -> None:
    limits = CellLimits(wall_s=60)
    session.execute("import numpy as np\nstate = np.ones(20 << 20)", limits=limits)
    source = "state[0] = 2\nans = np.frombuffer(np.random.default_rng(0).bytes(60 << 20), np.uint8)"
    outcome = session.attempt(source, capture=ANS, limits=limits)
    assert outcome.ending is Ending.OK
    assert len(read(outcome).variables["ans"]) == 60 * MB


def test_drawing_is_no_time_of_the_cell(session: Session) -> None:
    session.execute("import matplotlib\nimport matplotlib.pyplot as plt\nimport time", limits=CellLimits(wall_s=60))
    slow = "class Slow(plt.Figure):\n    def draw(self, *a): time.sleep(2); return super().draw(*a)\n"
    outcome = session.attempt(
        f"{slow}_ = plt.figure(FigureClass=Slow)\nans = 1", capture=ANS, limits=CellLimits(wall_s=1)
    )
    assert outcome.ending is Ending.OK
    assert [output["output_type"] for output in outcome.outputs] == ["display_data"]


def test_what_is_evaluated_again_is_no_time_of_the_cell_and_changes_no_variable(session: Session, read: Reader) -> None:
    session.execute("import time\nnumbers = [1]", limits=CellLimits(wall_s=60))
    source = "def slow():\n    time.sleep(0.7)\n    global ans\n    ans += 1\n    return ans\nans = 1\nprint(slow())"
    outcome = session.attempt(source, capture=ANS, limits=CellLimits(wall_s=30))
    decoded = read(outcome)
    assert decoded.variables == {"ans": 2}
    assert [each.value for each in decoded.inferred] == [3]


def test_the_allowance_grows_with_what_was_measured_held_and_received() -> None:
    exports = ExportTime()
    bare = exports.allowance_s(held_bytes=0, received_bytes=0)
    assert exports.allowance_s(held_bytes=100 * MB, received_bytes=0) > bare
    assert exports.allowance_s(held_bytes=0, received_bytes=64 * MB) > bare + 5
    exports.measure(1.0)
    exports.measure(0.1)
    measured = exports.allowance_s(held_bytes=0, received_bytes=0)
    assert measured == bare + 5
    exports.measure(10_000.0)  # the machine slept
    assert exports.allowance_s(held_bytes=0, received_bytes=0) < 60
