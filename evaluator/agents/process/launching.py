"""Starts an agent's process: its command, its environment, what it sees of this machine, and its network."""

import contextlib
import os
import shlex
import shutil
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from evaluator.agents.process.channel import AgentChannel, ProcessLostError, RpcError
from evaluator.agents.process.echo import Echo
from evaluator.agents.process.pipes import PipeReader, exit_code
from evaluator.agents.process.redaction import Redactor, StreamRedactor
from evaluator.errors import ToolkitError, UsageError
from evaluator.models.model_settings import KEY_VARIABLE
from evaluator.session import (
    AgentNetwork,
    AgentView,
    Environment,
    Interpreter,
    agent_command,
    excess_of,
    interpreter_places,
    most_memory,
    own_environment,
    start_program,
)

PATIENCE_S: Final = 5.0  # between asking a process to end, telling it, and killing it
_GOODBYE_S: Final = 2.0
_GRACE_S: Final = 1.0  # for the log of an ended process to arrive
_WATCH_S: Final = 0.25  # between two looks at what it has started
MAX_LOG_BYTES: Final = 4 * 1024 * 1024
_PASSED_ON: Final = ("LANG", "LC_ALL", "TZ")
_SANDBOX_HOME: Final = "/tmp/home"  # noqa: S108  # inside
_FORWARD: Final = Path(__file__).with_name("forward.py")
_FORWARD_PLACE: Final = "/run/benchwright/forward.py"


@dataclass(frozen=True)
class AgentCommand:
    """How an agent's process is started."""

    words: tuple[str, ...]  # the program and its arguments
    folder: Path  # where it begins, and what it sees of our files
    backend: str  # of the sandbox: bwrap, none
    environment: Environment | None = None  # whose Python `python` is; None: the one that runs us
    network: AgentNetwork = AgentNetwork.NONE
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)  # further ones, such as the model's address
    readable: tuple[str, ...] = ()  # further places that it sees
    hidden: tuple[Path, ...] = ()  # benchmarks and runs, wherever they lie
    log: Path | None = None  # what it writes on stderr, in a folder that its start makes; None: nowhere
    is_trusted: bool = False  # it has our whole environment and no limits, and what it prints is shown on our stderr
    written: str = ""  # the agent as a user named it; empty: cmd: and the words

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.written or f"cmd:{self.text}"

    @property
    def text(self) -> str:
        """The command as a shell would take it."""
        return shlex.join(self.words)


@dataclass(frozen=True)
class LaunchOptions:
    """What a user says, and a run knows, of how an agent's processes are started."""

    backend: str = "bwrap"
    folder: Path | None = None  # None: that of the first file that the command's arguments name, else its program's
    environment: Environment | None = None
    network: AgentNetwork = AgentNetwork.NONE
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    hidden: tuple[Path, ...] = ()
    log: Path | None = None


def command_of(text: str, options: LaunchOptions, *, written: str = "") -> AgentCommand:
    """Return how an agent is started whose command line a user wrote; paths in it count from the current folder.

    Args:
        text: The command line.
        options: How its process is started.
        written: What the user wrote in all; empty: `cmd:` and the command line.

    Raises:
        UsageError: If the command cannot be read, its program or folder is not there, or it lies in what it must not
            see.
    """
    where = written or f"cmd:{text}"
    words = parse_command(text, where=where)
    program = _program_by_path(words[0], where)
    named = [Path(word) for word in words[1:] if names_file(word)]
    if options.folder is None and not named and any(word.endswith((".py", ".js", ".mjs", ".sh")) for word in words[1:]):
        missing = next(word for word in words[1:] if word.endswith((".py", ".js", ".mjs", ".sh")))
        raise UsageError(f"there is no file {missing!r}", where=where, fix="check the path")
    folder = options.folder or (named[0].resolve().parent if named else _folder_of_program(program))
    if not folder.is_dir():
        raise UsageError("the agent's folder is not there", where=str(folder), fix="check --agent-folder")
    folder = folder.resolve()
    for hidden in options.hidden:
        if folder.is_relative_to(hidden.resolve()):
            what = "the agent lies in a folder that it must not see"
            raise UsageError(what, where=str(folder), fix=f"move it out of {hidden}")
    made = [str(Path(word).resolve()) if Path(word) in named else word for word in words[1:]]
    command = AgentCommand(
        (words[0] if program is None else str(program), *made),
        folder,
        options.backend,
        environment=options.environment,
        network=options.network,
        variables=options.variables,
        hidden=options.hidden,
        log=options.log,
        written=written,
    )
    find_program(command)
    return command


def names_file(word: str) -> bool:
    """Return whether a command's argument is the path of a file that is there, counted from the current folder."""
    return not word.startswith("-") and os.path.isfile(word)  # not Path.is_file, which raises at a long prompt


def _program_by_path(word: str, where: str) -> Path | None:
    """Return the program that a path names, links as they are; None: it is a name, to be found on the path."""
    if "/" not in word:
        return None
    path = Path(os.path.abspath(word))  # a venv's Python is a link, and no Python of that venv where it leads
    if not os.path.isfile(path):  # not Path.is_file, which raises where a name is too long
        raise UsageError(f"there is no program {word!r}", where=where, fix="check the path")
    if not os.access(path, os.X_OK):
        raise UsageError(f"the program {word!r} cannot be executed", where=where, fix=f"chmod +x {word}")
    return path


def _folder_of_program(program: Path | None) -> Path:
    """Return where an agent begins whose command names no other file: beside its program, if that is its own."""
    is_interpreter = program is not None and (program.parent.parent / "pyvenv.cfg").is_file()
    if program is None or is_interpreter or not interpreter_places(str(program)):
        return Path("/")
    return program.parent


def parse_command(text: str, *, where: str = "cmd:") -> tuple[str, ...]:
    """Return the words of a command line that stands at a place.

    Raises:
        UsageError: If there is none, or a quote is open.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"the agent's command cannot be read: {error}", where=where, fix="close the quotes") from error
    if not words:
        kind = where.partition(":")[0]
        raise UsageError("the agent's command is empty", where=where, fix=f"write {kind}:'PROGRAM ARGUMENT ...'")
    return words


def find_program(command: AgentCommand) -> str:
    """Return the absolute path of the program that a command names.

    Raises:
        UsageError: If there is no such program.
    """
    name = command.words[0]
    if name in ("python", "python3"):  # on the path there may be a launcher that looks for one where none is in sight
        environment = command.environment or own_environment()
        return environment.interpreter.executable
    path = _path_variable(command)
    found = shutil.which(name if "/" not in name else str(command.folder / name), path=path)
    if found is None:
        what = f"there is no program {name!r} to start the agent with"
        fix = "install it, write its whole path, or name an environment that has it with --agent-environment"
        raise UsageError(what, where=command.name, fix=fix)
    return os.path.abspath(found)


def _path_variable(command: AgentCommand) -> str:
    own = [] if command.environment is None else [os.path.dirname(command.environment.interpreter.executable)]
    return os.pathsep.join([*own, os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")])


@dataclass(frozen=True)
class ModelDoor:
    """Where an agent's process reaches the model that it is granted."""

    model: str
    token: str = field(repr=False)  # the key of the door
    port: int  # on the loopback that the process sees
    socket: Path | None = None  # what leads out of the sandbox; None: the port is the host's own

    @property
    def base_url(self) -> str:
        """Where the process finds an OpenAI-compatible interface."""
        return f"http://127.0.0.1:{self.port}/v1"

    def variables(self) -> dict[str, str]:
        """Return what the process's environment holds of it."""
        return {"OPENAI_BASE_URL": self.base_url, KEY_VARIABLE: self.token, "BENCHWRIGHT_MODEL": self.model}

    def to_json(self) -> dict[str, Any]:
        """Return what the process is told of it; the key is in its environment."""
        return {"name": self.model, "base_url": self.base_url, "api_key_env": KEY_VARIABLE, "params": {}}


class AgentProcess:
    """A running agent: its channel, its log and its end."""

    def __init__(self, command: AgentCommand, door: ModelDoor | None = None) -> None:
        """Start it.

        Args:
            command: How.
            door: To the model that it is granted; None: it has none.

        Raises:
            UsageError: If its program is not there.
            ToolkitError: If it cannot be started, or the folder of its log cannot be made.
        """
        program = find_program(command)
        if command.log is not None:
            _make_folder(command.log.parent)
        places = (*interpreter_places(program), *command.readable)
        environment = self._environment(command) | (door.variables() if door is not None else {})
        words_of_agent, bound = [program, *command.words[1:]], dict[str, str]()
        if door is not None and door.socket is not None:
            own = Interpreter.own()
            places, bound = (*places, *own.roots), {str(_FORWARD): _FORWARD_PLACE}
            forward = [own.executable, _FORWARD_PLACE, str(door.socket), str(door.port), "--"]
            words_of_agent = [*forward, *words_of_agent]
        is_limited = not command.is_trusted
        view = AgentView(command.folder, places, command.hidden, command.network, bound, is_limited=is_limited)
        try:
            with agent_command(words_of_agent, view, command.backend) as (words, keep):
                self._process = start_program(words, environment, folder=str(command.folder), keep=keep)
        except OSError as error:
            what = f"the agent's process cannot be started: {error.strerror or error}"
            raise ToolkitError(what, where=command.name, fix="check the command and its folder") from error
        assert self._process.stderr is not None
        echo = Echo() if command.is_trusted else None
        self._log = _Log(self._process.stderr, command.log, Redactor(command.variables), echo)
        self.channel = AgentChannel(self._process)
        self._ending = threading.Lock()
        self._is_ended = threading.Event()
        self._watch = threading.Thread(target=self._watch_limits, daemon=True, name="agent-watch")
        if not command.is_trusted:
            self._watch.start()

    @staticmethod
    def _environment(command: AgentCommand) -> dict[str, str]:
        if command.is_trusted:
            return {**os.environ, **command.variables}
        home = _SANDBOX_HOME if command.backend != "none" else os.environ.get("HOME", "/")
        passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return {
            "PATH": _path_variable(command),
            "HOME": home,
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **passed,
            **command.variables,
        }

    @property
    def last_words(self) -> str:
        """The last lines that it wrote on stderr."""
        return self._log.last_words()

    @property
    def is_log_cut(self) -> bool:
        """Whether it wrote more on stderr than its log keeps."""
        return self._log.is_cut

    def close(self) -> None:
        """End it: ask, close its input, tell it, kill it with all that it started."""
        with contextlib.suppress(ProcessLostError, RpcError):
            self.channel.call("shutdown", {}, timeout_s=_GOODBYE_S)
        if not self.ends_with_its_input(PATIENCE_S):
            self._signal(signal.SIGTERM)
            exit_code(self._process, PATIENCE_S)
        self.kill()

    def ends_with_its_input(self, seconds: float) -> bool:
        """Close its input, and return whether it ends by itself within so many seconds."""
        self.channel.close_input()
        return exit_code(self._process, seconds) is not None

    def kill(self) -> None:
        """End it at once, with all that it started; nothing of it is left when this returns, also the second time."""
        self.channel.lose("it was ended")
        with self._ending:
            if self._is_ended.is_set():
                return
            self._is_ended.set()
            if self._watch.is_alive():
                self._watch.join()
            self._signal(signal.SIGKILL)
            self._process.wait()  # from now on its number may be another process's
            self.channel.close()
            self._log.close()

    def _watch_limits(self) -> None:
        """Kill it when all that it started is too much; who waits for it is told why."""
        most = most_memory()
        while not self._is_ended.wait(_WATCH_S):
            if excess := excess_of(self._process.pid, most_bytes=most):
                self.channel.lose(excess)
                self._signal(signal.SIGKILL)
                return

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _make_folder(folder: Path) -> None:
    """Make the folder of a log, before a sandbox that hides it is started."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot write the output folder: {error.strerror or error}"
        fix = "name a folder that can be written with --out"
        raise ToolkitError(what, where=str(folder), fix=fix) from error


class _Log:
    """What a process writes for people: read until its end; a file keeps so much of it."""

    def __init__(self, stream: IO[bytes], path: Path | None, redactor: Redactor, echo: Echo | None = None) -> None:
        self._echo = echo
        self._shown = StreamRedactor(redactor)
        self._file: IO[bytes] | None = None
        self._room = MAX_LOG_BYTES
        if path is not None:
            with contextlib.suppress(OSError):
                self._file = path.open("ab", buffering=0)
                self._room -= path.stat().st_size
        self._last = b""
        self.is_cut = False  # whether it wrote more than is kept
        self._reader = PipeReader(stream, self._take, self._ended)

    def last_words(self) -> str:
        self._reader.join(0.2)
        return "\n".join((self._last + self._shown.held).decode("utf-8", "replace").strip().splitlines()[-6:])

    def close(self) -> None:
        self._reader.close(_GRACE_S)

    def _take(self, part: bytes) -> bool:
        self._write(self._shown.take(part))
        return True

    def _write(self, part: bytes) -> None:
        self._last = (self._last + part)[-8_000:]
        if self._echo is not None:
            self._echo.write(part)
        if self._file is None or not part:
            return
        if self._room > 0:
            with contextlib.suppress(OSError):
                self._file.write(part[: self._room])
        self._room -= len(part)
        self.is_cut = self.is_cut or self._room < 0

    def _ended(self, _failure: Exception | None) -> None:
        self._write(self._shown.rest())
        if self._file is not None:
            self._file.close()
