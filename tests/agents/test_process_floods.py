"""What an agent may write to us that is out of order: borne or named in plain words, within bounds."""

import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from evaluator.agents.process import channel as lines
from evaluator.agents.process.channel import AgentChannel, ProcessLostError, RpcError, Serve
from evaluator.agents.process.pipes import exit_code
from tests.agents.small_agents import ANSWER, REQUEST, CountingTools, Make, raw, solved

Start = Callable[[str], AgentChannel]
HANG_S = 60.0


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a program that is no agent, only lines, and listen to it."""
    started: list[tuple[subprocess.Popen[bytes], AgentChannel]] = []

    def listening(body: str) -> AgentChannel:
        head = "import json, sys, time\ndef write(text): sys.stdout.write(text + '\\n'); sys.stdout.flush()\n"
        words = [sys.executable, "-c", head + textwrap.dedent(body)]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        started.append((process, AgentChannel(process)))
        return started[-1][1]

    yield listening
    for process, channel in started:
        process.kill()
        process.wait()
        channel.close()


CALL = '{"jsonrpc": "2.0", "id": %s, "method": "execute", "params": {"session_id": "s", "code": "1"}}'


def until_lost(channel: AgentChannel) -> Serve:
    """Return what answers nothing before the process is of no more use."""

    def serve(method: str, params: object) -> str:
        del method, params
        until = time.monotonic() + HANG_S
        while not channel.lost and time.monotonic() < until:
            time.sleep(0.01)
        return "too late"

    return serve


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("sys.stdout.write('x' * 20_000_000); sys.stdout.flush()\n", "it wrote a line of more than 16 MiB"),
        ("print('[' * 300 + ']' * 300, flush=True)\n", "it wrote a line of JSON that is nested more than 200 deep"),
        ("print('{\"a\":' * 250 + '1' + '}' * 250, flush=True)\n", "nested more than 200 deep"),
        ("print('[' * 1_000_000, flush=True)\n", "nested more than 200 deep"),
        (f"print({CALL % 'null'!r}, flush=True)\n", "with an id that is neither a whole number nor a short text"),
        (f"print({CALL % ('1' * 30)!r}, flush=True)\n", "neither a whole number nor a short text"),
        (
            "for _ in range(100_000): write({'method': 'progress', 'params': {'session_id': 's'}})\n",
            "it floods us: more than 1",
        ),
        ("for _ in range(100_000): write({'method': 'progress', 'params': {}})\n", "1000 messages that belong to no"),
        ("for n in range(100_000): write({'id': n + 99, 'result': 1})\n", "1000 messages that belong to no call"),
        ("write({'id': 99, 'result': {}}); os._exit(3)\n", "(before that it answered a call 99 that we did not make)"),
        ("write({'id': call['id'], 'result': {'code': '1', 'session_id': 'other'}})\n", "for another session: 'other'"),
    ],
)
def test_every_disorder_is_named(make: Make, body: str, told: str) -> None:
    submission = solved(make(raw(body), backend="none"))
    assert submission.error is not None
    assert told in submission.error.message
    assert submission.error.kind == "agent"


def test_a_second_answer_is_named_where_the_agent_fails_later(make: Make) -> None:
    submission = solved(make(raw("write({'id': 1, 'result': {}})\nos._exit(3)\n"), backend="none"))
    assert submission.error is not None
    assert "exit code 3 (before that it answered our call 1 twice)" in submission.error.message
    assert submission.labels == ("answered-twice",)


def test_calls_out_of_turn_are_refused_without_threads_or_waiting(start: Start) -> None:
    """The process asks at once, while nobody asked it, and more than a pipe of answers holds; then it reads them."""
    channel = start(f"""
        for number in range(900):
            write({CALL!r} % number)
        read = [json.loads(sys.stdin.readline()) for _ in range(901)]
        answers, (call,) = [each for each in read if "error" in each], [each for each in read if "method" in each]
        codes, ids = {{each["error"]["code"] for each in answers}}, [each["id"] for each in answers]
        write(json.dumps({{"id": call["id"], "result": [ids == list(range(900)), sorted(codes)]}}))
        time.sleep(60)
    """)
    before = threading.active_count()
    assert channel.call("go", {}, timeout_s=HANG_S) == [True, [lines.UNKNOWN_SESSION]]
    assert threading.active_count() <= before
    assert list(channel.take_oddities()) == ["called-out-of-turn"]
    assert channel.take_oddities() == {}


def test_a_process_that_asks_and_never_reads_is_stopped(start: Start) -> None:
    channel = start(f"""
        for number in range(100_000):
            write({CALL!r} % number)
        time.sleep(60)
    """)
    with pytest.raises(ProcessLostError, match="1000 messages that belong to no call"):
        channel.call("go", {}, timeout_s=HANG_S)


def test_what_waits_for_an_answer_is_bounded_in_size(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_WAITING_BYTES", 1_000_000)
    channel = start(f"""
        json.loads(sys.stdin.readline())
        for number in range(1_000):
            write(({CALL!r} % number).replace('"1"', '"' + "x" * 10_000 + '"'))
        time.sleep(60)
    """)
    with pytest.raises(ProcessLostError, match="MiB that are not answered yet"):
        channel.call("solve", {}, timeout_s=HANG_S, session_id="s", serve=until_lost(channel))


def test_an_id_that_is_used_twice_is_named(start: Start) -> None:
    channel = start(f"""
        json.loads(sys.stdin.readline())
        write({CALL!r} % 5 + "\\n" + {CALL!r} % 5)
        time.sleep(60)
    """)
    with pytest.raises(ProcessLostError, match="it called us twice with the id 5, before the first was answered"):
        channel.call("solve", {}, timeout_s=HANG_S, session_id="s", serve=until_lost(channel))


def test_calls_that_an_answer_overtakes_are_refused(start: Start) -> None:
    channel = start(f"""
        call = json.loads(sys.stdin.readline())
        write({CALL!r} % 1 + "\\n" + json.dumps({{"id": call["id"], "result": 1}}) + "\\n" + {CALL!r} % 2)
        codes = [json.loads(sys.stdin.readline()) for _ in range(2)]
        call = json.loads(sys.stdin.readline())
        write(json.dumps({{"id": call["id"], "result": [(each["id"], each["error"]["code"]) for each in codes]}}))
        time.sleep(60)
    """)
    is_answered = threading.Event()

    def serve(*_: object) -> str:
        is_answered.wait(0.5)  # long enough for the answer to arrive first; either way both calls get one
        raise RpcError(lines.UNKNOWN_SESSION, "late")

    assert channel.call("solve", {}, timeout_s=HANG_S, session_id="s", serve=serve) == 1
    told = channel.call("next", {}, timeout_s=HANG_S)
    assert sorted(told) == [[1, lines.UNKNOWN_SESSION], [2, lines.UNKNOWN_SESSION]]


def test_whatever_breaks_the_listener_ends_the_wait(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bool:
        raise MemoryError("none left")

    channel = start("sys.stdin.readline()\nwrite('{}')\ntime.sleep(60)\n")
    monkeypatch.setattr(channel, "_take", broken)
    with pytest.raises(ProcessLostError, match="its output cannot be read: MemoryError: none left"):
        channel.call("go", {}, timeout_s=HANG_S)


def test_how_a_process_ended_is_told_without_taking_its_number_from_it() -> None:
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    assert exit_code(process, HANG_S) == 7
    assert process.returncode is None
    assert exit_code(process, HANG_S) == 7
    process.wait()
    assert exit_code(process, 0.0) == 7
    process = subprocess.Popen(["sleep", "60"])
    assert exit_code(process, 0.0) is None
    process.kill()
    assert exit_code(process, HANG_S) == -9
    process.wait()


def test_every_call_counts_its_messages_anew(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_MESSAGES", 500)
    body = "for _ in range(400): write({'method': 'progress', 'params': {'session_id': 's'}})\n" + ANSWER % 1
    agent = make(raw(body), backend="none")
    for number in range(3):
        assert solved(agent, replace(REQUEST, problem_id=f"p{number}"), CountingTools()).code == "1"
