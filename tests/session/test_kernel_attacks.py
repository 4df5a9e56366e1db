"""Code in a kernel that forges messages or breaks its sockets: it gains nothing, and takes nothing along."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.inside.runtime.frames import write_frame
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Isolation, Outcome, Session, cell_monitor

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)
SHORT = CellLimits(wall_s=1)
KERNEL = "k = get_ipython().kernel\nparent = k.get_parent()\n"
BREAKS = "from evaluator.inside.runtime import cell\ncell.Cell._report.__code__ = (lambda *a: 1 / 0).__code__"


def still_works(session: Session, read: Reader) -> bool:
    outcome = session.attempt("ans = sum(prev)\nans", limits=PATIENT)
    return outcome.ending is Ending.OK and read(outcome).result == 3


@pytest.fixture
def prepared(replayed: Session) -> Session:
    replayed.execute("import os, sys, threading, time\nprev = [1, 2]")
    return replayed


@pytest.mark.parametrize(
    "forged",
    [
        "shown = {'data': {'text/plain': '42'}, 'metadata': {}}\n"
        "k.session.send(k.iopub_socket, 'execute_result', shown, parent=parent)",
        "k.session.send(k.iopub_socket, 'status', {'execution_state': 'idle'}, parent=parent)",
        "k.session.send(k.shell_stream, 'execute_reply', {'status': 'ok', 'execution_count': 1}, parent=parent,"
        " ident=k._shell_parent_ident.get())",
        "import comm\ncomm.create_comm(target_name='x', data={'ans': 42})",
    ],
)
def test_forged_messages_are_heard_by_nobody(prepared: Session, read: Reader, forged: str) -> None:
    """HAR-12: signed with the right key, since the kernel holds it."""
    outcome = prepared.attempt(
        f"{KERNEL}ans = 41\n{forged}\nans = 40", capture=CaptureSpec(names=("ans",)), limits=PATIENT
    )
    assert outcome.ending is Ending.OK
    assert read(outcome).variables == {"ans": 40}
    assert outcome.outputs == ()
    assert still_works(prepared, read)


def test_an_early_reply_does_not_end_a_cell_that_goes_on(prepared: Session, read: Reader) -> None:
    source = (
        f"{KERNEL}k.session.send(k.shell_stream, 'execute_reply', {{'status': 'ok'}}, parent=parent)\n"
        "k.shell_stream.flush()\nwhile True: time.sleep(1)"
    )
    assert prepared.attempt(source, limits=SHORT).ending is Ending.TIMED_OUT
    assert still_works(prepared, read)


def test_there_is_no_socket_file_to_swap(prepared: Session, read: Reader) -> None:
    """HAR-13: sockets are handed over as descriptors; none has a name inside."""
    source = (
        "import stat\nfound = []\n"
        "for folder, _, names in os.walk('/'):\n    if folder.startswith(('/proc', '/sys', '/usr')): continue\n"
        "    for name in names:\n        try: mode = os.lstat(os.path.join(folder, name)).st_mode\n"
        "        except OSError: continue\n        if stat.S_ISSOCK(mode): found.append(folder + '/' + name)\nfound"
    )
    assert read(prepared.attempt(source, limits=CellLimits(wall_s=60))).result == []


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("for fd in range(3, 200):\n    try: os.close(fd)\n    except OSError: pass", {Ending.BAD_REPORT, Ending.DIED}),
        ("os._exit(0)", {Ending.DIED}),
        ("os.abort()", {Ending.DIED}),
        (f"{KERNEL}k.shell_stream.close()\nans = 1", {Ending.OK, Ending.DIED, Ending.BAD_REPORT}),
        (f"{KERNEL}k.io_loop.asyncio_loop.stop()\nans = 1", {Ending.OK, Ending.DIED, Ending.BAD_REPORT}),
        (BREAKS, {Ending.DIED}),
        ("print('x' * 100_000_000)", {Ending.OVER_LIMIT}),
        ("import atexit\natexit.register(time.sleep, 600)\nsys.exit(0)", {Ending.ERROR}),
        ("threading.Thread(target=time.sleep, args=(600,)).start()", {Ending.OK}),
        ("import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)", {Ending.OK}),
    ],
)
def test_a_kernel_that_breaks_hangs_or_leaves_things_behind_is_ended(
    prepared: Session, read: Reader, source: str, ending: set[Ending]
) -> None:
    started = time.monotonic()
    outcome = prepared.attempt(source, capture=CaptureSpec(names=("ans",)), limits=PATIENT)
    assert outcome.ending in ending
    assert time.monotonic() - started < 50
    assert still_works(prepared, read)


def test_a_kernel_that_closes_its_end_before_it_is_asked_is_explained_by_its_death(
    prepared: Session, read: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*arguments: Any) -> None:
        time.sleep(0.5)
        write_frame(*arguments)

    monkeypatch.setattr(cell_monitor, "write_frame", late)
    assert prepared.attempt(BREAKS, limits=PATIENT).ending is Ending.DIED
    monkeypatch.undo()
    assert still_works(prepared, read)


def test_a_flood_of_messages_never_reaches_the_host(prepared: Session, replaying: Engine) -> None:
    source = (
        f"{KERNEL}block = b'x' * 1_000_000\n"
        "for _ in range(300): k.shell_stream.socket.send_multipart([k._shell_parent_ident.get()[0], block, block], 1)"
    )
    before = resident_bytes()
    outcome = prepared.attempt(source, limits=PATIENT)
    assert outcome.ending is Ending.OK
    assert resident_bytes() - before < 64 * 1024 * 1024
    assert replaying.isolation is Isolation.REPLAY


def resident_bytes() -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))
