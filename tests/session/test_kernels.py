"""Sessions that are replayed into kernels: same cells, same outcomes, a fresh process for every submission."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.language import Problem
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    Engine,
    Isolation,
    Outcome,
    Probe,
    ProbeEnding,
    SandboxChoice,
    Session,
    SessionLost,
    kernel,
    record_probes,
)
from evaluator.session.kernel import _listening
from tests.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)


def call(session: Session, name: str, limit_s: float = 30.0) -> Probe:
    """Return what calls a function with one number."""
    options = {"function_name": name, "test_cases": [[1]]}
    problem = Problem("q", "", validator={"template": "empty", "table_test": options})
    (probe,) = record_probes(session, problem, PATIENT)
    return replace(probe, limit_s=limit_s)


def test_a_submission_starts_from_the_replayed_state_and_leaves_no_trace(replayed: Session, read: Reader) -> None:
    replayed.execute("import random\nrows = [1, 2]\ndrawn = random.random()")
    capture = CaptureSpec(names=("rows",))
    assert read(replayed.attempt("rows.append(3)", capture=capture, limits=PATIENT)).variables == {"rows": [1, 2, 3]}
    assert read(replayed.attempt("rows", limits=PATIENT)).result == [1, 2]
    assert read(replayed.execute("rows")).result == [1, 2]


def test_submission_and_reference_draw_the_same_numbers(replayed: Session, read: Reader) -> None:
    replayed.execute("import random\nimport numpy as np\nrandom.random(), np.random.rand()")
    draw = "random.random(), float(np.random.rand())"
    drawn = [read(replayed.attempt(draw, limits=PATIENT)).result for _ in range(2)]
    assert [read(replayed.execute(draw)).result, drawn[1]] == [drawn[0], drawn[0]]


def test_a_cell_sees_the_kernel_it_runs_in_and_no_running_loop(replayed: Session, read: Reader) -> None:
    source = (
        "import asyncio\nasync def answer(): return 5\n"
        "history = get_ipython().history_manager.input_hist_raw\n"
        "(type(get_ipython().kernel).__name__, asyncio.run(answer()), len(history))"
    )
    assert read(replayed.attempt(source, limits=PATIENT)).result == ("CellKernel", 5, 1)
    assert read(replayed.attempt("import asyncio\nawait asyncio.sleep(0, 6)", limits=PATIENT)).result == 6


def test_code_travels_as_it_is(replayed: Session, read: Reader) -> None:
    source = "text = 'naïve \u2028 𝄞 \\x00'\ntext"
    assert read(replayed.attempt(source, limits=PATIENT)).result == "naïve \u2028 𝄞 \x00"
    assert replayed.attempt("text = '\ud800'", limits=PATIENT).ending is Ending.ERROR


def test_files_of_the_inputs_folder_are_there_in_every_kernel(replaying: Engine, read: Reader, inputs: Path) -> None:
    with replaying.open(key="files", inputs=inputs) as session:
        session.execute("size = len(open('inputs/trips.csv').read())\nopen('mine.txt', 'w').write('x')")
        source = "open('inputs/trips.csv', 'w').close()\nimport os\nsize, sorted(os.listdir())"
        for _ in range(2):
            assert read(session.attempt(source, limits=PATIENT)).result == (24, ["inputs", "mine.txt"])


def test_a_probe_that_kills_its_kernel_or_takes_too_long_spoils_no_other(replayed: Session) -> None:
    source = (
        "import os, time\ncalls = []\ndef dies(x): os._exit(0)\ndef hangs(x): time.sleep(60)\n"
        "def counts(x): calls.append(1); return len(calls)"
    )
    counts, dies, hangs = call(replayed, "counts"), call(replayed, "dies"), call(replayed, "hangs", limit_s=1)
    probes = (counts, dies, hangs, counts)
    outcome = replayed.attempt(source, capture=CaptureSpec(probes=probes), limits=PATIENT)
    endings = [answer.ending for answer in outcome.answers]
    assert endings == [ProbeEnding.OK, ProbeEnding.OK, ProbeEnding.TIMED_OUT, ProbeEnding.OK]
    assert len(outcome.answers[1].data or b"") < len(outcome.answers[0].data or b""), "only that the function is there"
    assert outcome.ending is Ending.OK
    assert outcome.answers[0].data == outcome.answers[3].data


def test_a_tree_of_processes_that_grows_too_large_is_ended(replayed: Session) -> None:
    source = (
        "import os, time\n"
        "for _ in range(3):\n    if os.fork() == 0:\n        block = bytearray(b'x') * 150_000_000\n"
        "        time.sleep(60)\ntime.sleep(60)"
    )
    outcome = replayed.attempt(source, limits=CellLimits(wall_s=30, memory_mb=200))
    assert (outcome.ending, outcome.limits_hit) == (Ending.OVER_LIMIT, ("memory",))


def printed(outcome: Outcome) -> str:
    return "".join(str(output["text"]) for output in outcome.outputs if output["output_type"] == "stream")


def test_an_own_state_lives_on_as_the_list_of_its_cells(replayed: Session) -> None:
    assert replayed.execute("x = 1", limits=PATIENT).ending is Ending.OK
    with replayed.keep(PATIENT) as kept:
        assert kept.execute("x += 1\ny = 5", limits=PATIENT).ending is Ending.OK
        assert kept.execute("z = y\n1 / 0", limits=PATIENT).ending is Ending.ERROR
        assert printed(kept.execute("print(x, y, z)", limits=PATIENT)) == "2 5 5\n"
        assert printed(replayed.attempt("print(x, 'y' in globals())", limits=PATIENT)) == "1 False\n"
        assert kept.execute("while True: pass", limits=CellLimits(wall_s=0.5)).ending is Ending.TIMED_OUT
        with pytest.raises(SessionLost, match="ended"):
            kept.execute("1", limits=PATIENT)
        assert not kept.origin_is_lost
    with replayed.keep(PATIENT) as again:
        assert printed(again.execute("print(x)", limits=PATIENT)) == "1\n"


def test_a_cell_that_ends_otherwise_when_it_is_replayed_loses_the_own_state_alone(replayed: Session) -> None:
    with replayed.keep(PATIENT) as kept:
        assert kept.execute("x = 1", limits=PATIENT).ending is Ending.OK
        steps: list[Any] = kept._steps  # type: ignore[attr-defined]  # as if it had failed then
        steps[0] = replace(steps[0], ending=Ending.ERROR)
        with pytest.raises(SessionLost, match="did not end as before"):
            kept.execute("1", limits=PATIENT)
        assert not kept.origin_is_lost
    assert replayed.attempt("1", limits=PATIENT).ending is Ending.OK


def test_nothing_is_left_when_the_host_is_killed(tmp_path: Path) -> None:
    """Without a sandbox too, where no namespace ends with it."""
    mark = f"98{os.getpid()}.25"
    script = f"""
        import os, signal, sys
        from evaluator.session import CellLimits, Engine, Isolation, SandboxChoice
        with Engine(sandbox=SandboxChoice(sys.argv[1]), isolation=Isolation.REPLAY) as engine:
            session = engine.open(key="a", inputs=None)
            session.execute("import subprocess")
            print("running", flush=True)
            session.attempt("subprocess.run(['sleep', '{mark}'])", limits=CellLimits(wall_s=60))
    """
    for backend in (SandboxChoice.BWRAP, SandboxChoice.NONE):
        command = [sys.executable, "-c", textwrap.dedent(script), backend.value]
        host = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert host.stdout is not None
        with host.stdout:
            assert host.stdout.readline() == b"running\n"
            assert eventually(lambda: processes_with(mark), within_s=20)
            host.send_signal(signal.SIGKILL)
            host.wait()
        assert eventually(lambda: not processes_with(mark), within_s=20), backend


def processes_with(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words:
            found.append(entry.name)
    return found


def test_the_engine_of_a_replay_keeps_no_socket_file(replaying: Engine, replayed: Session) -> None:
    replayed.execute("1")
    assert [path.name for path in replaying._scratch.iterdir() if path.is_socket()] == []


def test_the_engine_s_own_isolation_stands_above_a_session_s(replaying: Engine, read: Reader) -> None:
    with replaying.open(key="a", inputs=None, isolation=Isolation.FORK) as session:
        session.execute("x = 1")
        assert read(session.attempt("hasattr(get_ipython(), 'kernel'), x", limits=PATIENT)).result == (True, 1)


def test_a_kernel_that_nobody_closed_is_collected_without_waiting() -> None:
    script = """
        import gc
        from evaluator.session import Engine, Isolation, SandboxChoice

        with Engine(sandbox=SandboxChoice.BWRAP, isolation=Isolation.REPLAY) as engine:
            for _ in range(3):
                session = engine.open(key="left", inputs=None)
                session.execute("1")
                session.itself = session
                del session
            gc.collect()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], timeout=120, check=False)
    assert done.returncode == 0


def test_a_connection_that_fails_at_first_is_tried_again(replaying: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.contextmanager
    def listening_late(place: Path) -> Iterator[socket.socket]:
        aside = place.with_suffix(".late")
        with _listening(aside) as listener:
            appears = threading.Timer(0.4, aside.rename, [place])
            appears.start()
            yield listener
            appears.join()

    monkeypatch.setattr(kernel, "_listening", listening_late)
    with replaying.open(key="late", inputs=None) as session:
        assert session.execute("1", limits=PATIENT).ending is Ending.OK
        assert session.attempt("1", limits=PATIENT).ending is Ending.OK
