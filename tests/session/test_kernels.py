"""Sessions that are replayed into kernels: same cells, same outcomes, a fresh process for every submission."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

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
    Session,
    SessionLost,
    record_probes,
)
from tests.session.conftest import PATIENT, read, result

ANS = CaptureSpec(names=("ans",))


def printed(outcome: Outcome) -> str:
    return "".join(str(output["text"]) for output in outcome.outputs if output["output_type"] == "stream")


def call(session: Session, name: str, limit_s: float = 30.0) -> Probe:
    """Return what calls a function with one number."""
    options = {"function_name": name, "test_cases": [[1]]}
    problem = Problem("q", "", validator={"template": "empty", "table_test": options})
    (probe,) = record_probes(session, problem, PATIENT)
    return replace(probe, limit_s=limit_s)


def test_a_submission_starts_from_the_replayed_state_and_leaves_no_trace(replayed: Session) -> None:
    replayed.execute("import random\nimport numpy as np\nrows = [1, 2]\nrandom.random(), np.random.rand()")
    capture = CaptureSpec(names=("rows",))
    changed = replayed.attempt("rows.append(3)", capture=capture, limits=PATIENT)
    assert (read(changed).variables, changed.engine) == ({"rows": [1, 2, 3]}, "replay")
    draw = "rows, random.random(), float(np.random.rand())"
    first, second = result(replayed, draw), result(replayed, draw)
    assert first == second == read(replayed.execute(draw)).result
    assert isinstance(first, tuple)
    assert first[0] == [1, 2]


def test_a_cell_sees_the_kernel_it_runs_in_and_no_running_loop(replaying: Engine, replayed: Session) -> None:
    source = (
        "import asyncio\nasync def answer(): return 5\n"
        "history = get_ipython().history_manager.input_hist_raw\n"
        "(type(get_ipython().kernel).__name__, asyncio.run(answer()), len(history))"
    )
    assert result(replayed, source) == ("CellKernel", 5, 1)
    assert result(replayed, "import asyncio\nawait asyncio.sleep(0, 6)") == 6
    assert replayed.lost_threads() == ()
    assert [path.name for path in replaying._scratch.iterdir() if path.is_socket()] == []


def test_code_travels_as_it_is(replayed: Session) -> None:
    assert result(replayed, "text = 'naïve \u2028 𝄞 \\x00'\ntext") == "naïve \u2028 𝄞 \x00"
    assert replayed.attempt("text = '\ud800'", limits=PATIENT).ending is Ending.ERROR


def test_files_of_the_inputs_folder_are_there_in_every_kernel(replaying: Engine, inputs: Path) -> None:
    with replaying.open(
        key="files", inputs=inputs, isolation=Isolation.FORK
    ) as session:  # the engine's own choice holds
        session.execute("size = len(open('inputs/trips.csv').read())\nopen('mine.txt', 'w').write('x')")
        source = "open('inputs/trips.csv', 'w').close()\nimport os\nsize, sorted(os.listdir())"
        for _ in range(2):
            assert result(session, source) == (24, ["inputs", "mine.txt"])


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
    outcome = replayed.attempt(source, limits=CellLimits(wall_s=50, memory_mb=200))
    assert (outcome.ending, outcome.limits_hit) == (Ending.OVER_LIMIT, ("memory",))


def test_an_own_state_lives_on_as_the_list_of_its_cells(replayed: Session) -> None:
    assert replayed.execute("x = 1", limits=PATIENT).ending is Ending.OK
    with replayed.keep(PATIENT) as kept:
        assert kept.execute("x += 1\ny = 5", limits=PATIENT).ending is Ending.OK
        assert kept.execute("z = y\n1 / 0", limits=PATIENT).ending is Ending.ERROR
        assert printed(kept.execute("print(x, y, z)", limits=PATIENT)) == "2 5 5\n"
        assert printed(replayed.attempt("print(x, 'y' in globals())", limits=PATIENT)) == "1 False\n"
        assert kept.execute("while True: pass", limits=CellLimits(wall_s=0.3)).ending is Ending.TIMED_OUT
        with pytest.raises(SessionLost, match="ended"):
            kept.execute("1", limits=PATIENT)
        assert not kept.origin_is_lost


def test_a_cell_that_ends_otherwise_when_replayed_loses_the_state(replayed: Session) -> None:
    with replayed.keep(PATIENT) as kept:
        assert kept.execute("x = 1", limits=PATIENT).ending is Ending.OK
        steps: list[Any] = kept._steps  # pyrefly: ignore[missing-attribute]  # as if it had failed then
        steps[0] = replace(steps[0], ending=Ending.ERROR)
        with pytest.raises(SessionLost, match="did not end as before"):
            kept.execute("1", limits=PATIENT)
        assert not kept.origin_is_lost
    assert replayed.attempt("1", limits=PATIENT).ending is Ending.OK
    passed: list[Any] = replayed._passed  # pyrefly: ignore[missing-attribute]
    replayed.execute("y = 1")
    passed[0] = replace(passed[0], ending=Ending.ERROR)
    with pytest.raises(SessionLost, match="cell 1 ended as ok when it was replayed, as error before"):
        replayed.attempt("1", limits=PATIENT)


KERNEL = "k = get_ipython().kernel\nparent = k.get_parent()\n"
BREAKS = "from evaluator.inside.runtime import cell\ncell.Cell._report.__code__ = (lambda *a: 1 / 0).__code__"
FORGED = (
    "shown = {'data': {'text/plain': '42'}, 'metadata': {}}\n"
    "k.session.send(k.iopub_socket, 'execute_result', shown, parent=parent)",
    "k.session.send(k.iopub_socket, 'status', {'execution_state': 'idle'}, parent=parent)",
    "k.session.send(k.shell_stream, 'execute_reply', {'status': 'ok', 'execution_count': 1}, parent=parent,"
    " ident=k._shell_parent_ident.get())",
    "import comm\ncomm.create_comm(target_name='x', data={'ans': 42})",
)


@pytest.fixture
def prepared(replayed: Session) -> Session:
    replayed.execute("import os, sys, threading, time\nprev = [1, 2]")
    return replayed


def test_forged_messages_are_heard_by_nobody(prepared: Session) -> None:
    """They are signed with the right key, since the kernel holds it."""
    source = "".join(f"\n{forged}" for forged in FORGED)
    outcome = prepared.attempt(f"{KERNEL}ans = 41{source}\nans = 40", capture=ANS, limits=PATIENT)
    assert outcome.ending is Ending.OK
    assert read(outcome).variables == {"ans": 40}
    assert outcome.outputs == ()
    early = (
        f"{KERNEL}k.session.send(k.shell_stream, 'execute_reply', {{'status': 'ok'}}, parent=parent)\n"
        "k.shell_stream.flush()\nwhile True: time.sleep(1)"
    )
    assert prepared.attempt(early, limits=CellLimits(wall_s=0.5)).ending is Ending.TIMED_OUT


def test_a_kernel_that_breaks_or_leaves_things_behind_is_ended(prepared: Session) -> None:
    started = time.monotonic()
    any_end = {Ending.OK, Ending.DIED, Ending.BAD_REPORT}
    for source, endings in (
        ("for fd in range(3, 200):\n    try: os.close(fd)\n    except OSError: pass", {Ending.BAD_REPORT, Ending.DIED}),
        ("os._exit(0)", {Ending.DIED}),
        (f"{KERNEL}k.io_loop.asyncio_loop.stop()\nans = 1", any_end),
        (BREAKS, {Ending.DIED}),
        ("import atexit\natexit.register(time.sleep, 600)\nsys.exit(0)", {Ending.ERROR}),
        ("import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)", {Ending.OK}),
    ):
        outcome = prepared.attempt(source, capture=ANS, limits=PATIENT)
        assert outcome.ending in endings, source
    assert time.monotonic() - started < 300
    assert result(prepared, "sum(prev)") == 3
