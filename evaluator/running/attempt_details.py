"""What submissions showed, and what agents and models said to each other, beside the records of a run: for people only.

`details.jsonl` may be cut or lost: no verdict, no count and no resumption rests on it.
"""

import json
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from evaluator.records import AttemptKey, json_line
from evaluator.running.execution.problem_attempts import AttemptResult
from evaluator.running.run_folder import open_lines, write_all

DETAILS: Final = "details.jsonl"
MAX_TEXT: Final = 20_000  # characters of one text; of a longer one the first and last half of that
MAX_OTHER: Final = 1_000_000  # characters of a picture or a chart; a larger one is named, not kept
MAX_OUTPUTS: Final = 60  # of one attempt
MAX_MESSAGES: Final = 60  # of one transcript: the first and last half
MAX_ATTEMPT: Final = 2_000_000  # characters of one attempt, about
MAX_DEPTH: Final = 200  # levels of lists and mappings
MAX_FILE: Final = 200_000_000  # bytes of a run; what would come later is left out
_HEAD: Final = b'{"key": '
_MAX_KEY: Final = 4_096

_log = logging.getLogger(__name__)


class OutputsKept(StrEnum):
    """What a run keeps of the outputs of submissions."""

    NONE = "none"
    PRINTED = "printed"  # streams, displays, errors: what is there anyway
    SHOWN = "shown"  # and the last value as a notebook shows it, which costs the trial about a millisecond or more


@dataclass(frozen=True)
class AttemptDetails:
    """What is kept of one attempt. Hostile text: escape it."""

    outputs: tuple[Mapping[str, Any], ...] = ()  # shaped as in nbformat, shortened
    error: Mapping[str, str] | None = None  # name, message, traceback
    transcript: tuple[Mapping[str, Any], ...] = ()  # role, content and what else the agent says of a message
    is_shortened: bool = False  # whether something was too large to keep


def details_of(attempted: AttemptResult) -> AttemptDetails:
    """Return what is worth keeping of an attempt, within the limits above."""
    keeper = _Keeper()
    outcome = attempted.outcome
    outputs = [] if outcome is None else keeper.outputs(outcome.outputs)
    error = None
    if outcome is not None and outcome.error is not None:
        error = {name: keeper.text(text) for name, text in outcome.error.to_json().items()}
    return AttemptDetails(tuple(outputs), error, keeper.messages(attempted.submission.trace), keeper.is_shortened)


def details_of_outputs(outputs: Sequence[Mapping[str, Any]]) -> AttemptDetails:
    """Return what is worth keeping of outputs that were made elsewhere, within the limits above."""
    keeper = _Keeper()
    return AttemptDetails(tuple(keeper.outputs(outputs)), is_shortened=keeper.is_shortened)


class _Keeper:
    """Shortens what one attempt left, and counts it."""

    def __init__(self) -> None:
        self.is_shortened = False
        self._left = MAX_ATTEMPT

    def outputs(self, outputs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        self.is_shortened |= len(outputs) > MAX_OUTPUTS
        return [self._value(output, in_data=False) for output in outputs[:MAX_OUTPUTS]]

    def messages(self, trace: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
        kept = trace
        if len(trace) > MAX_MESSAGES:
            self.is_shortened = True
            kept = [*trace[: MAX_MESSAGES // 2], *trace[-MAX_MESSAGES // 2 :]]
        return tuple(self._value(message, in_data=False) for message in kept)

    def text(self, text: str) -> str:
        if len(text) > MAX_TEXT:
            self.is_shortened = True
            half = MAX_TEXT // 2
            text = f"{text[:half]}\n… {len(text) - MAX_TEXT:,} characters are left out …\n{text[-half:]}"
        return self._counted(text)

    def _value(self, value: Any, *, in_data: bool, mime: str = "text/plain", depth: int = 0) -> Any:
        if depth > MAX_DEPTH and isinstance(value, (Mapping, list, tuple)):
            self.is_shortened = True
            return "(what is nested deeper was not kept)"
        if isinstance(value, str):
            is_text = not in_data or mime in ("text/plain", "text/markdown")
            return self.text(value) if is_text else self._whole(value, mime)
        if isinstance(value, Mapping):
            return {
                str(name): self._value(
                    part, in_data=in_data or name == "data", mime=str(name) if in_data else mime, depth=depth + 1
                )
                for name, part in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._value(part, in_data=in_data, mime=mime, depth=depth + 1) for part in value]
        return value

    def _whole(self, value: str, mime: str) -> str:
        """Return markup or a picture as it is; one that is cut would be worth nothing."""
        if len(value) <= min(MAX_OTHER, self._left):
            return self._counted(value)
        self.is_shortened = True
        return f"({mime} of {len(value):,} characters was not kept)"

    def _counted(self, text: str) -> str:
        if len(text) > self._left:
            self.is_shortened = True
            text = text[: max(0, self._left)]
        self._left -= len(text)
        return text


class DetailsFile:
    """The details file of a run that is under way: appended problem by problem, and never a reason to stop the run."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        self._is_broken = False

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the file for appending, drop what a killed run left unfinished at its end.

        Raises:
            ToolkitError: If it cannot be read and written.
        """
        return cls(path, open_lines(path, "outputs of submissions"))

    def append(self, kept: Iterable[tuple[AttemptKey, AttemptDetails]]) -> None:
        """Write what is kept of the attempts at one problem; not through to the disk, as a loss costs no verdict."""
        lines = b"".join(_line(key, details) for key, details in kept)
        if self._is_broken or self._size + len(lines) > MAX_FILE:
            return
        try:
            write_all(self._descriptor, lines)
            self._size += len(lines)
        except OSError as error:  # a full disk stops the run where it writes its records
            self._is_broken = True
            _log.warning("event=details_lost path=%s cause=%s", self.path, error)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _line(key: AttemptKey, details: AttemptDetails) -> bytes:
    return json_line({"key": [key.problemset, key.index, key.epoch, key.attempt], **details_json(details)})


def details_json(details: AttemptDetails) -> dict[str, Any]:
    """Return what is kept of an attempt as JSON values."""
    return {
        "outputs": list(details.outputs),
        "error": details.error,
        "transcript": list(details.transcript),
        "is_shortened": details.is_shortened,
    }


class DetailsReader:
    """Finds the details of one attempt without reading those of the others into memory."""

    def __init__(self, path: Path) -> None:
        """Find out where each attempt stands; a line that is none of ours is passed over, of two the later counts."""
        self._path = path
        self._offsets: dict[AttemptKey, int] = {}
        offset = 0
        try:
            with path.open("rb") as file:
                for line in file:
                    key = _key_of(line)
                    if key is not None:
                        self._offsets[key] = offset
                    offset += len(line)
        except OSError:
            self._offsets = {}

    def find(self, key: AttemptKey) -> AttemptDetails | None:
        """Return what was kept of an attempt; None when nothing was."""
        offset = self._offsets.get(key)
        if offset is None:
            return None
        try:
            with self._path.open("rb") as file:
                file.seek(offset)
                line = file.readline(8 * MAX_ATTEMPT)
                return details_from_json(json.loads(line)) if _key_of(line) == key else None
        except (OSError, ValueError, RecursionError):
            return None


def _key_of(line: bytes) -> AttemptKey | None:
    if not line.startswith(_HEAD) or not line.endswith(b"\n"):
        return None
    try:
        head = line[len(_HEAD) : _MAX_KEY].decode("utf-8", "ignore")
        (name, *numbers), _ = json.JSONDecoder().raw_decode(head)
        index, epoch, attempt = (int(number) for number in numbers)
    except (ValueError, TypeError):
        return None
    return AttemptKey(str(name), index, attempt, epoch)


def details_from_json(content: Mapping[str, Any]) -> AttemptDetails:
    """Return what `details_json` wrote; what is none of ours is left out."""
    error = content.get("error")
    return AttemptDetails(
        outputs=_mappings(content.get("outputs")),
        error={str(name): str(text) for name, text in error.items()} if isinstance(error, dict) else None,
        transcript=_mappings(content.get("transcript")),
        is_shortened=content.get("is_shortened") is True,
    )


def _mappings(value: object) -> tuple[Mapping[str, Any], ...]:
    return tuple(each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()
