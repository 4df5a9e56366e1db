"""The process in which an agent from a file or a module runs: it speaks the protocol of all agents in processes.

Started as `python -m evaluator.agents.child_main KIND PLACE NAME`: `file` or `module`, its path or dotted name, and
what in it is the agent. What the agent prints goes to the log, not into the answers.
"""

import base64
import contextlib
import importlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from evaluator.agents.process.echo import without_controls
from evaluator.agents.protocol import (
    BudgetSpentError,
    CapabilityOffError,
    CellKind,
    Execution,
    ExecutionError,
    ExecutionStatus,
    Feedback,
    HistoryCell,
    Scope,
    SessionDeadError,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Submission,
    ToolRefusedError,
    Variable,
)
from evaluator.agents.sdk.benchwright_agent import RefusedError, serve
from evaluator.agents.sdk.benchwright_agent import Tools as ToolsOfProtocol
from evaluator.agents.solver import Solver
from evaluator.errors import ToolkitError, UsageError
from evaluator.registry import nearest_name

FILE, MODULE = "file", "module"
MAX_ANSWER_BYTES: Final = 16_000_000
_REFUSALS: Final = {-32002: BudgetSpentError, -32003: CapabilityOffError, -32004: SessionDeadError}


def main(kind: str, place: str, name: str) -> None:
    """Load the agent, then answer calls until their pipe ends; where it cannot be loaded, say why and end."""
    refusal: dict[str, str] = {}
    with _lines_put_aside():
        try:
            solver = Solver(_named(_load(kind, place), name))
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's module does is told to the evaluator
            refusal = _not_loaded(error)
    if refusal:
        _refuse(refusal)
    else:
        serve(_Served(solver), name=name, version=solver.version)  # pyrefly: ignore[unbound-name]  # loaded: no refusal


def _refuse(refusal: dict[str, str]) -> None:
    """Answer the first call with why there is no agent."""
    with open(0, "rb") as lines, open(1, "wb") as answers:
        if line := lines.readline():
            told = {"code": -32603, "message": refusal.pop("failed"), "data": refusal}
            answer = json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "error": told})
            answers.write(answer.encode("ascii") + b"\n")


@contextlib.contextmanager
def _lines_put_aside() -> Iterator[None]:
    """Let nobody read or write our lines meanwhile: what is printed is a log, and nothing can be read."""
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - for good: our lines are read without it
    kept = [os.dup(0), os.dup(1)]
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(null)


class _Served:
    """The agent as the protocol calls it."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.cancel = solver.cancel

    def start(self, told: Mapping[str, Any]) -> None:
        self._solver.start(SessionInfo(told["session_id"], told["problemset"], told["epoch"]))

    def end(self, session_id: str) -> None:
        self._solver.end(session_id)

    def solve(self, told: Mapping[str, Any], tools: ToolsOfProtocol) -> dict[str, Any]:
        try:
            return _written(self._solver.solve(request_from(told["request"]), _Tools(tools)))
        except BaseException as error:  # noqa: BLE001 - an agent is a boundary: its faults never end a run
            _print_once(error)
            return _failure(_told(error))


def _written(submission: Submission) -> dict[str, Any]:
    try:
        text = json.dumps(asdict(submission), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return _failure(f"the submission cannot be written as JSON: {error}")
    if len(text) > MAX_ANSWER_BYTES:
        return _failure("the agent's answer is longer than 16 MiB")
    return {"submission": json.loads(text)}


def _failure(message: str) -> dict[str, Any]:
    return {"status": "error", "error": {"kind": "agent", "message": message}}


class _Tools:
    """The tools of an attempt as agents in Python know them."""

    def __init__(self, tools: ToolsOfProtocol) -> None:
        self._tools = tools

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        """Execute code on a copy of the session, as `evaluator.agents.Tools` says."""
        with _refusals():
            told = self._tools.execute(code, scope=Scope(scope).value, timeout_s=timeout_s)
        error = told["error"]
        return Execution(
            told["number"],
            ExecutionStatus(told["status"]),
            tuple(_with_pictures(output) for output in told["outputs"]),
            None if error is None else ExecutionError(error["ename"], error["evalue"], error["traceback"]),
            told["seconds"],
            told["truncated"],
        )

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        """Describe variables, as `evaluator.agents.Tools` says."""
        with _refusals():
            told = self._tools.inspect(encoding, None if names is None else list(names))
        return tuple(Variable(**each) for each in told)

    def progress(self, text: str) -> None:
        """Tell what the agent is at."""
        self._tools.progress(text)


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except RefusedError as error:
        raise _REFUSALS.get(error.code, ToolRefusedError)(str(error)) from error


def _with_pictures(output: dict[str, Any]) -> dict[str, Any]:
    """Return an output whose pictures are text again, as in a notebook."""
    data = output.get("data", {})
    found = {kind: Path(each["path"]).read_bytes() for kind, each in data.items() if _is_picture(kind, each)}
    texts = {kind: each.decode() if kind.endswith("svg+xml") else _base64(each) for kind, each in found.items()}
    return {**output, "data": {**data, **texts}} if texts else output


def _is_picture(kind: str, value: object) -> bool:
    return kind.startswith("image/") and isinstance(value, dict) and "path" in value


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _load(kind: str, place: str) -> Any:
    if kind == MODULE:
        sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(place)
    path = Path(place)
    sys.path[:] = [str(path.parent), *sys.path, str(Path.cwd())]  # so that the file finds the modules beside it
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _named(module: Any, name: str) -> Any:
    """Return what a name means in a module.

    Raises:
        UsageError: If there is nothing of that name.
    """
    found = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            kind = "module" if found is module else type(found).__name__
            called = getattr(found, "__name__", name.rpartition(f".{part}")[0])
            near = nearest_name(part, [each for each in dir(found) if not each.startswith("_")])
            fix = f"use {near!r}" if near else "name a function or an object with 'solve' that is in it"
            raise UsageError(f"{kind} {called!r} has no {part!r}", fix=fix) from error
    return found


def _not_loaded(error: BaseException) -> dict[str, str]:
    """Return why an agent is not loaded, where in its code that came about, and what to do."""
    found = {"failed": without_controls(_told(error))}
    if isinstance(error, ToolkitError):
        return {**found, "fix": error.fix}
    if isinstance(error, SyntaxError) and error.filename:
        return {**found, "where": f"{error.filename}:{error.lineno or 1}"}
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not _is_ours(each.filename)]
    return {**found, "where": f"{frames[-1].filename}:{frames[-1].lineno}"} if frames else found


def _is_ours(filename: str) -> bool:
    """Return whether a frame is this module's, or Python's machinery that imports."""
    return filename == __file__ or filename.startswith("<frozen") or filename == importlib.__file__


def request_from(fields: dict[str, Any]) -> SolveRequest:
    """Return the request that was written as plain JSON values."""
    history = tuple(HistoryCell(**(cell | {"kind": CellKind(cell["kind"])})) for cell in fields["history"])
    values: dict[str, Any] = {
        **fields,
        "limits": SolveLimits(**fields["limits"]),
        "history": history,
        "variables": tuple(Variable(**variable) for variable in fields["variables"]),
        "files": tuple(fields["files"]),
        "feedback": Feedback(**fields["feedback"]) if fields["feedback"] else None,
    }
    return SolveRequest(**values)


_printed: Final[set[str]] = set()


def _print_once(error: BaseException) -> None:
    """Show where the agent failed to whoever reads the log; the same failure at every problem is shown once."""
    text = without_controls("".join(traceback.format_exception(error)))
    if text not in _printed:
        _printed.add(text)
        print(text, file=sys.stderr, flush=True)


def _told(error: BaseException) -> str:
    return error.what if isinstance(error, ToolkitError) else f"{type(error).__name__}: {error}"


def _plain(value: Any) -> Any:
    """Return a number of NumPy and its like as one of Python's.

    Raises:
        TypeError: If it is something else.
    """
    try:
        return value.item()
    except (AttributeError, ValueError) as error:
        raise TypeError(f"{type(value).__name__} is no JSON") from error


if __name__ == "__main__":
    main(*sys.argv[1:])
