"""How commands speak: one JSON object or text on stdout, errors on stderr, one exit code, never a traceback.

A command module is written like this; whatever goes wrong in it is raised and rendered here::

    def register(app: typer.Typer) -> None:
        app.command("accept", help="Accept a revision of a problemset.")(accept)

    def accept(
        revision: str, by: ..., workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False
    ) -> int:
        from authoring.checks.acceptance import accept as accept_revision  # heavy imports inside

        decision = accept_revision(...)
        emit({"id": decision, ...}, as_json, f"accepted {revision!r} as decision {decision}")
        return 0
"""

import contextlib
import io
import json
import math
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import typer

from evaluator.diagnostics import Diagnostic
from evaluator.errors import ContentError, ToolkitError, UsageError, error_from_machine, error_from_os

if TYPE_CHECKING:
    from authoring.store.revisions import Revision

INTERRUPTED = 130  # what a shell reports for a process ended by Ctrl-C
TERMINATED = 143  # and by SIGTERM
_NO_NUMBERS: Final = {"int_parsing": "no whole number", "float_parsing": "no number"}


def emit(result: Mapping[str, Any], as_json: bool, text: str) -> None:
    """Print a command's result on stdout: `result` as one JSON object, or `text` for people.

    A reader that went away is no error: the work is done, and nobody is left to tell.

    Raises:
        ToolkitError: If stdout cannot be written for another reason, such as a full disk.
    """
    _write(_as_json(result) if as_json else _printable(text), sys.stdout)


def saved_revision(made: "Revision | None") -> dict[str, int | None]:
    """Return a revision as results name it: `revision` is its id, `number` counts within its problemset."""
    return {"revision": None if made is None else made.id, "number": None if made is None else made.number}


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on stderr, two lines each."""
    for diagnostic in diagnostics:
        note(str(diagnostic))


def note(text: str) -> None:
    """Print one remark for people on stderr."""
    with contextlib.suppress(OSError):  # nobody reads it, or it cannot be written: the result does not depend on it
        _write(_printable(text), sys.stderr)


def run_guarded(action: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run a command line's action and turn everything that goes wrong in it into a message and an exit code.

    Args:
        action: Parses and runs; returns the exit code.
        arguments: The command line, asked only whether it holds `--json` or a request for help.
    """
    words = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    as_json = "--json" in words
    _tolerate_unencodable_text()
    received: list[int] = []
    try:
        with _interruptible(received):
            if {"--help", "-h"} & set(words):
                return _help(action, as_json)
            return action()
    except (KeyboardInterrupt, typer.Abort) as error:
        _fail(ContentError(str(error) or "interrupted", fix="repeat the same command"), words, as_json)
        return TERMINATED if signal.SIGTERM in received else INTERRUPTED
    except typer.TyperException as error:
        return _fail(_usage_error(error), words, as_json)
    except ToolkitError as error:
        return _fail(error, words, as_json)
    except Exception as error:  # noqa: BLE001 - the last boundary before the user: no traceback passes it
        return _fail(_unexpected(error), words, as_json)


@contextlib.contextmanager
def _interruptible(received: list[int]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a command alike, also one that began with them ignored, as background jobs do.

    Args:
        received: Takes the numbers of the signals that came.
    """

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fail(error: ToolkitError, words: Sequence[str], as_json: bool) -> int:
    if as_json:
        command = " ".join(["benchwright", *(word for word in words[:1] if not word.startswith("-"))])
        fix = error.fix or f"see '{command} --help'"
        record = {"what": error.what, "where": error.where or command, "fix": fix}  # programs find no part empty
        with contextlib.suppress(ToolkitError):
            emit({"error": record}, as_json=True, text="")
    else:
        where = f"\n  where: {error.where}" if error.where else ""
        fix = f"\n  fix: {error.fix}" if error.fix else ""
        note(f"error: {error.what}{where}{fix}")
    return error.exit_code


def _usage_error(error: typer.TyperException) -> UsageError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "benchwright"
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help text
        what = "a subcommand is missing"
    else:
        what = " ".join(error.format_message().split()) or "the command line is incomplete"
        what = what.replace(": Value error, ", ": ", 1)  # pydantic's own word, which says nothing to the reader
        what = _in_plain_words(what, error.__cause__)
    fix = "give yourself permission to read it" if what.endswith("is not readable.") else f"see '{command} --help'"
    if what.startswith("Missing option '--agent'"):
        fix = f"add --agent, such as --agent oracle; '{command} --help' lists the agents"
    return UsageError(what, where=command, fix=fix)


def _in_plain_words(what: str, cause: BaseException | None) -> str:
    """Return a message with the text that was typed instead of what pydantic, its `cause`, says of reading numbers."""
    faults = getattr(cause, "errors", None)
    for fault in faults() if callable(faults) else ():
        if fault["type"] in _NO_NUMBERS:
            what = what.replace(fault["msg"], f"{fault['input']!r} is {_NO_NUMBERS[fault['type']]}")
    return what


def _unexpected(error: Exception) -> ToolkitError:
    known = error_from_machine(error)
    if known is not None:
        return known
    what = f"unexpected {type(error).__name__} inside benchwright: {' '.join(str(error).split())[:200]}"
    return ToolkitError(what, where=_write_log(error), fix="please report it and attach the named file")


def _write_log(error: Exception) -> str:
    text = "".join(traceback.format_exception(error))
    try:
        descriptor, path = tempfile.mkstemp(prefix="benchwright-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(text)
    except OSError:
        return "(no log: the temporary folder is not writable)"
    return path


def _help(action: Callable[[], int], as_json: bool) -> int:
    with contextlib.redirect_stdout(io.StringIO()) as captured:
        code = action()
    text = captured.getvalue().rstrip("\n")
    emit({"help": text}, as_json, text)
    return code


def _tolerate_unencodable_text() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _write(text: str, stream: TextIO | None) -> None:
    if stream is None:  # the caller closed the descriptor
        return
    try:
        stream.write(text + "\n")
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as error:
        _silence(stream)
        cause = error_from_os(error)
        raise ToolkitError(f"cannot write the result: {cause.what}", where="standard output", fix=cause.fix) from error


def _printable(text: str) -> str:
    """Return `text` without the control characters with which problem code could draw on the reader's terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _silence(stream: TextIO) -> None:
    """Point the stream's descriptor at nothing, so that flushing it at exit fails no second time."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _as_json(result: Mapping[str, Any]) -> str:
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return json.dumps(_plain(result), ensure_ascii=encoding != "utf8", allow_nan=False)


def _plain(value: Any) -> Any:
    """Return `value` as strict JSON knows it: NaN and infinities become null, paths and the like text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Path):
        return str(value)
    to_json = getattr(value, "to_json", None)
    return _plain(to_json()) if callable(to_json) else str(value)
