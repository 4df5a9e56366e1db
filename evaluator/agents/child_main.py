"""The process in which an agent from a file or a module runs: reads calls and writes answers, one JSON object a line.

Started as `python -m evaluator.agents.child_main CALLS ANSWERS KIND PLACE NAME`: two descriptors, `file` or `module`,
its path or dotted name, and what in it is the agent. What the agent prints goes to the log, not into the answers.
"""

import importlib
import importlib.util
import json
import os
import queue
import re
import sys
import threading
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from evaluator.agents.protocol import (
    CellKind,
    Feedback,
    HistoryCell,
    NoTools,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Variable,
)
from evaluator.agents.solver import Solver
from evaluator.errors import ToolkitError, UsageError
from evaluator.registry import nearest_name

FILE, MODULE = "file", "module"


def main(calls: str, answers: str, kind: str, place: str, name: str) -> None:
    """Load the agent, say whether that worked, then answer calls until their pipe ends."""
    incoming: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    with os.fdopen(int(answers), "wb", buffering=0) as out:
        threading.Thread(target=_read, args=(int(calls), incoming), daemon=True).start()
        try:
            solver = Solver(_named(_load(kind, place), name))
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's module does is told to the evaluator
            _write(out, _not_loaded(error))
            return
        _write(out, {"version": solver.version})
        while True:
            _write(out, _answer(solver, json.loads(incoming.get())))


def _read(calls: int, incoming: "queue.SimpleQueue[bytes]") -> None:
    """Pass calls on; when nobody is left to make any, this process ends, whatever the agent is at."""
    with os.fdopen(calls, "rb") as lines:
        for line in lines:
            incoming.put(line)
    os._exit(0)


def _load(kind: str, place: str) -> Any:
    if kind == MODULE:
        return importlib.import_module(place)
    path = Path(place)
    sys.path.insert(0, str(path.parent))  # so that the file finds the modules beside it
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


def _answer(solver: Solver, call: dict[str, Any]) -> dict[str, Any]:
    try:
        if call["call"] == "start":
            solver.start(SessionInfo(**call["session"]))
        elif call["call"] == "end":
            solver.end(call["session_id"])
        else:
            return {"submission": asdict(solver.solve(request_from(call["request"]), NoTools()))}
    except BaseException as error:  # noqa: BLE001 - an agent is a boundary: its faults never end a run
        _print_once(error)
        return {"failed": _told(error)}
    return {}


def request_from(fields: dict[str, Any]) -> SolveRequest:
    """Return the request that was written as plain JSON values."""
    history = tuple(HistoryCell(**{**cell, "kind": CellKind(cell["kind"])}) for cell in fields["history"])
    return SolveRequest(
        **{
            **fields,
            "limits": SolveLimits(**fields["limits"]),
            "history": history,
            "variables": tuple(Variable(**variable) for variable in fields["variables"]),
            "files": tuple(fields["files"]),
            "feedback": Feedback(**fields["feedback"]) if fields["feedback"] else None,
        }
    )


_CONTROLS: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def without_controls(text: str) -> str:
    """Return a text without colours and whatever else could draw on the reader's terminal."""
    return _CONTROLS.sub("", text)


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


def _write(out: Any, answer: dict[str, Any]) -> None:
    try:
        line = json.dumps(answer, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        line = json.dumps({"failed": f"the submission cannot be written as JSON: {error}"})
    data = memoryview(line.encode("ascii") + b"\n")
    while data:
        data = data[out.write(data) :]


if __name__ == "__main__":
    main(*sys.argv[1:])
