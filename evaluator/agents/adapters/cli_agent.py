"""An agent that is a command-line program: one run of it per attempt, with tools over the Model Context Protocol.

Started as `python cli_agent.py [--own-home] -- PROGRAM ARGUMENT...`. In arguments `{prompt}` is what is asked,
`{prompt_file}` a file that holds it, `{mcp_config}` a file that names the tools' server as most such programs read it
(`mcpServers`). With neither `{prompt}` nor `{prompt_file}` the prompt comes on standard input. The answer is what was
handed in by `submit_code`, else the last fenced block that the program prints. Nothing of what a run started is left.
With `--own-home`, for sandboxes, each run has a new home folder and what it leaves in writable places is removed, so
that nothing is carried from one attempt to the next. Standard library only; it runs in the agent's process.
"""

import contextlib
import ctypes
import json
import os
import re
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sdk"), str(HERE)]

from benchwright_agent import (  # noqa: E402  # a file beside us, not installed
    RefusedError,
    Tools,
    serve,
)
from notebook_prompt import (  # noqa: E402
    sections,
    sendable,
    shortened,
    shown_outputs,
)

MAX_ARGUMENT_BYTES = 100_000  # the system takes 128 KiB in one
MAX_PRINTED_BYTES = 1_000_000  # of a program's output: its end is kept
MAX_TOOL_CHARS = 20_000  # of what a tool returns: half from its beginning, half from its end
MAX_REQUEST_BYTES = 20_000_000
FENCE = re.compile(r"[ \t]*```[^`]*")
CLOSING = re.compile(r"[ \t]*```[ \t]*")
MARK = "BENCHWRIGHT_ATTEMPT"  # in the environment of a program and of what it starts
DIE_WITH_US = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() != int(sys.argv[1]):
    os._exit(1)  # we ended before that
try:
    os.execv(sys.argv[2], sys.argv[2:])
except OSError as error:
    print(f"{sys.argv[2]} cannot be executed: {error.strerror}", flush=True)
    os._exit(127)
"""
SUBREAPER = 36  # prctl: processes that lose their parent become our children
WRITABLE = ("/tmp", "/dev/shm")  # noqa: S108  # in a sandbox, where they are this process's alone
SANDBOX = "agent"  # what a sandbox is called as a host
TASK = """\
You are a data scientist's assistant in a Python notebook. Write the code of its next cell, which answers the request \
below.

- Hand the code in with the tool submit_code; without that tool, end your answer with exactly one fenced block that \
holds it.
- The cell's last expression is its result: do not print it. Import what you use.
- The user's variables stay as they are unless the request says otherwise.
- The notebook's session holds the variables below. It is reached by the tools execute_code (in a copy: nothing there \
is judged) and list_variables alone; your own files and shells are elsewhere.
"""


def prompt_of(request: dict[str, Any]) -> str:
    """Return what a program is asked."""
    prompt: str = sendable("\n\n".join([TASK.rstrip(), *sections(request)]) + "\n")
    return prompt


class ToolServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Takes calls of the tools' server, one a connection, and keeps what is handed in."""

    daemon_threads = True

    def __init__(self, path: str, tools: Tools) -> None:
        super().__init__(path, _Call)
        self._tools = tools
        self.submitted: str | None = None
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def answer(self, call: dict[str, Any]) -> dict[str, str]:
        """Return the text that a call comes to, or why it is refused."""
        known: dict[Any, Callable[[dict[str, Any]], str]]
        known = {"execute_code": self._execute, "list_variables": self._list, "submit_code": self._submit}
        try:
            return {"text": sendable(shortened(known[call["tool"]](call), MAX_TOOL_CHARS))}
        except RefusedError as error:
            return {"error": sendable(str(error))}
        except (KeyError, TypeError) as error:
            return {"error": f"the call is not understood: {error!r}"}

    def _execute(self, call: dict[str, Any]) -> str:
        execution = self._tools.execute(str(call["code"]))
        shown = shown_outputs(execution["outputs"])
        error = execution["error"]["traceback"] if execution["error"] else ""
        status = "" if execution["status"] == "ok" else f"[{execution['status'].replace('_', ' ')}]"
        return "\n".join(part for part in (shown, error, status) if part) or "[it showed nothing]"

    def _list(self, call: dict[str, Any]) -> str:
        found = self._tools.inspect("brief", call.get("names"))
        return "\n".join(f"{each['name']} ({each['type']}): {each['text']}" for each in found) or "[there are none]"

    def _submit(self, call: dict[str, Any]) -> str:
        self.submitted = str(call["code"])
        return "It is handed in. You are done."


class _Call(socketserver.StreamRequestHandler):
    """One connection: a line comes in, a line goes out."""

    server: ToolServer

    def handle(self) -> None:
        try:
            answer = self.server.answer(json.loads(self.rfile.readline(MAX_REQUEST_BYTES)))
        except ValueError:
            answer = {"error": "the call is no JSON object"}
        self.wfile.write(json.dumps(answer).encode() + b"\n")


@dataclass(eq=False)
class _Attempt:
    """One that is under way."""

    session_id: str
    process: subprocess.Popen[bytes] | None = None  # from its start until it has been waited for
    is_cancelled: bool = False  # nobody waits for it any more


class CliAgent:
    """Runs a program for every attempt."""

    def __init__(self, words: Sequence[str], *, has_own_home: bool) -> None:
        self.name = name_of(words)
        self._words = list(words)
        self._has_own_home = has_own_home
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
        self._not_ours = frozenset(children())  # what leads to the model, started before us
        self._before = frozenset(left_behind()) if has_own_home else frozenset[str]()
        self._attempts: list[_Attempt] = []  # under way
        self._lock = threading.Condition()  # told when a program has ended
        self._home = threading.Lock()  # one attempt at a time where it sweeps: it would take the next one's files away

    def solve(self, request: dict[str, Any], tools: Tools) -> dict[str, Any]:
        """Run the program once and return what it hands in."""
        attempt = _Attempt(request["session_id"])
        with self._lock:
            self._attempts.append(attempt)
        try:
            with self._home if self._has_own_home else contextlib.nullcontext():
                return self._solved(attempt, request, tools)
        finally:
            with self._lock:
                self._attempts.remove(attempt)

    def _solved(self, attempt: _Attempt, request: dict[str, Any], tools: Tools) -> dict[str, Any]:
        prompt = prompt_of(request)
        # a stray child may still write there: what cannot be removed takes no answer away
        with tempfile.TemporaryDirectory(prefix="cli-", ignore_cleanup_errors=True) as place:
            folder = Path(place)
            (folder / "prompt.md").write_text(prompt, encoding="utf-8")
            server = ToolServer(str(folder / "session.sock"), tools)
            try:
                started = [sys.executable, str(HERE / "mcp_server.py"), str(folder / "session.sock")]
                config = {"mcpServers": {"benchwright": {"command": started[0], "args": started[1:]}}}
                (folder / "mcp.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
                for name in ("work", "home", "tmp"):
                    (folder / name).mkdir()
                printed, code = self._run(attempt, folder, prompt)
            finally:
                server.shutdown()
                server.server_close()
        if self._has_own_home:
            sweep(self._before)
        said = {"trace": [{"role": "user", "content": prompt}, {"role": "assistant", "content": printed[-100_000:]}]}
        own = printed.replace(prompt.strip(), "")  # many show what they are asked
        block = last_fenced_block(own) if code == 0 else None
        if server.submitted is not None:
            return {**said, "code": server.submitted}
        if block is not None:
            return {**said, "code": block, "labels": ["from-its-output"]}
        if code:
            ending = " ".join(printed.split())[-300:]
            message = f"{self.name} ended with exit code {code} and handed in nothing: {ending or 'it printed nothing'}"
            return {**said, "status": "error", "error": {"kind": "agent", "message": message}}
        return {**said, "status": "gave_up", "text": printed[-2_000:]}

    def cancel(self, session_id: str) -> None:
        """End what runs for a session, and wait until it has ended."""
        with self._lock:
            cancelled = [each for each in self._attempts if each.session_id == session_id]
            for each in cancelled:
                each.is_cancelled = True
                if each.process is not None:  # not waited for yet, so that its number is no other process's
                    kill_group(each.process.pid)
            self._lock.wait_for(lambda: all(each.process is None for each in cancelled))

    def _run(self, attempt: _Attempt, folder: Path, prompt: str) -> tuple[str, int]:
        """Return what the program printed, and its exit code."""
        values = {
            "{prompt}": prompt,
            "{prompt_file}": str(folder / "prompt.md"),
            "{mcp_config}": str(folder / "mcp.json"),
        }
        words = [filled(word, values) for word in self._words]
        if any(len(word.encode()) > MAX_ARGUMENT_BYTES for word in words):
            values["{prompt}"] = f"Read the file {folder / 'prompt.md'}: it says what to do. Do it."
            words = [filled(word, values) for word in self._words]
        is_told = any(name in word for word in self._words for name in ("{prompt}", "{prompt_file}"))
        with open(os.devnull if is_told else folder / "prompt.md", "rb") as given:
            places = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")} if self._has_own_home else {}
            with self._lock:
                if attempt.is_cancelled:
                    return "it was cancelled before it began", -signal.SIGKILL
                process = attempt.process = subprocess.Popen(  # the user's own command, in the agent's sandbox
                    [sys.executable, "-I", "-S", "-c", DIE_WITH_US, str(os.getpid()), *words],
                    cwd=folder / "work",
                    env={**os.environ, **places, MARK: folder.name},
                    stdin=given,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
        assert process.stdout is not None
        kept = KeptEnd(process.stdout)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its number stays its own
        with self._lock:
            kill_group(process.pid)  # what it started may hold its output open
            code = process.wait()
            attempt.process = None
            programs = {each.process.pid for each in self._attempts if each.process is not None}
            kill_strays(folder.name, programs, self._not_ours)
            self._lock.notify_all()
        return kept.text(), code


def name_of(words: Sequence[str]) -> str:
    """Return what a program is called: its own name, or that of the file that an interpreter is given."""
    first = Path(words[0]).name
    if re.fullmatch(r"(python|node|ruby|perl|sh|bash)[0-9.]*", first) and len(words) > 1 and os.path.isfile(words[1]):
        return Path(words[1]).stem
    return first


def filled(word: str, values: dict[str, str]) -> str:
    """Return an argument with its placeholders filled in, in one pass: a prompt may hold what looks like one."""
    return re.sub("|".join(map(re.escape, values)), lambda found: values[found.group()], word)


class KeptEnd:
    """The end of all that a program prints, which goes to the log as well."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept: deque[bytes] = deque()
        self._size = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def text(self) -> str:
        """Return it, once all is read; what a stray child still prints is not waited for."""
        self._reader.join(5)
        return b"".join(self._kept).decode("utf-8", "replace").replace("\r\n", "\n")

    def _read(self) -> None:
        while part := os.read(self._stream.fileno(), 65_536):
            sys.stderr.buffer.write(part)
            sys.stderr.buffer.flush()
            self._kept.append(part)
            self._size += len(part)
            while self._size - len(self._kept[0]) > MAX_PRINTED_BYTES:
                self._size -= len(self._kept.popleft())


def last_fenced_block(text: str) -> str | None:
    """Return what stands in the last fenced block that is closed; None: there is none. Each line is read once."""
    block, begun = None, None
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if begun is not None and CLOSING.fullmatch(line):
            block, begun = (begun, number), None
        elif begun is None and FENCE.fullmatch(line):
            begun = number + 1
    return None if block is None else "".join(f"{line}\n" for line in lines[slice(*block)])


def kill_group(number: int) -> None:
    """Kill the processes of a group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(number, signal.SIGKILL)


def kill_strays(mark: str, programs: set[int], kept: frozenset[int]) -> None:
    """Kill what a run left behind in groups of its own, and reap it.

    A stray is known by the mark in its environment, or, where it has removed that, as a child of ours that is no
    program under way and not to be kept, once none is under way.
    """
    while found := [each for each in children() - programs - kept if not programs or mark in environment_of(each)]:
        for each in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(each, 0)  # its own children become ours


def left_behind() -> list[str]:
    """Return what lies in a sandbox's writable places, the inner first, without what is mounted there."""
    if os.uname().nodename != SANDBOX:
        return []
    found: list[str] = []
    for place in WRITABLE:
        for folder, folders, files in os.walk(place):
            folders[:] = [name for name in folders if is_beside(os.path.join(folder, name), place)]
            found += [os.path.join(folder, name) for name in (*files, *folders)]
    return found[::-1]


def is_beside(path: str, place: str) -> bool:
    """Return whether a folder lies on the same mount; one that its owner closed is opened."""
    with contextlib.suppress(OSError):
        if os.lstat(path).st_dev == os.lstat(place).st_dev:
            if not os.path.islink(path):
                os.chmod(path, 0o700)
            return True
    return False


def sweep(before: frozenset[str]) -> None:
    """Remove what has come to a sandbox's writable places."""
    for path in left_behind():
        if path not in before:
            with contextlib.suppress(OSError):  # it is gone, or something is mounted in it
                os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)


def children() -> set[int]:
    """Return the numbers of our child processes."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it may end meanwhile
            after_name = place.read_text(errors="replace").rpartition(")")[2].split()
            if int(after_name[1]) == os.getpid():
                found.add(int(place.parent.name))
    return found


def environment_of(number: int) -> str:
    """Return the environment that a process was started with; empty where it cannot be read."""
    try:
        return Path(f"/proc/{number}/environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def main() -> None:
    """Serve until the end of the input; what still runs then ends with it.

    In a sandbox one session at a time: each further one has a process, and a sandbox, of its own.
    """
    options, words = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    has_own_home = "--own-home" in options
    serve(CliAgent(words, has_own_home=has_own_home), max_sessions=1 if has_own_home else 8)


if __name__ == "__main__":
    main()
