"""What travels between client and workers: one JSON object behind a mark, within a limit, read by us alone.

Nobody here believes what arrives: each value is looked at before it is used, and nothing in it is ever executed.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, Final

from evaluator.errors import ContentError, ToolkitError, UsageError

_MARK: Final = b"benchwright 1 "
MAX_TASK: Final = 64_000_000  # bytes of a task or an order
MAX_RESULT: Final = 256_000_000  # bytes of a result or a report
MAX_SHORT: Final = 10_000  # characters of a name, a path or a message
MAX_LONG: Final = 50_000_000  # characters of a code or another text that a person or a model wrote
_FIX: Final = "install the same Benchwright on all machines; if it is the same, please report it"


class BadMessageError(ToolkitError):
    """What arrived is none of ours, or too large."""

    def __init__(self, what: str, *, where: str = "", fix: str = _FIX) -> None:
        super().__init__(what, where=where, fix=fix)


@contextmanager
def arrived_from(place: str) -> Iterator[None]:
    """Name where something came from that cannot be read.

    Raises:
        BadMessageError: Whatever is raised meanwhile, with the place.
    """
    try:
        yield
    except BadMessageError as error:
        raise BadMessageError(error.what, where=error.where or place, fix=error.fix) from error


def write_message(kind: str, content: Mapping[str, Any], *, limit: int) -> bytes:
    """Return a JSON object as bytes.

    Raises:
        BadMessageError: If it is larger than the limit.
    """
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    data = _MARK + kind.encode("ascii") + b"\n" + text.encode("utf-8", "backslashreplace")
    if len(data) > limit:
        raise BadMessageError(
            f"a {kind} has {len(data):,} bytes, but may have {limit:,}", fix="use smaller problemsets"
        )
    return data


def kind_of(data: object) -> str:
    """Return what arrived; empty for what is none of ours."""
    if not isinstance(data, bytes | bytearray | memoryview) or bytes(data[: len(_MARK)]) != _MARK:
        return ""
    return bytes(data[len(_MARK) : 64]).partition(b"\n")[0].decode("ascii", "replace")


def read_message(kind: str, data: object, *, limit: int) -> "Fields":
    """Return the JSON object in what arrived.

    Raises:
        BadMessageError: If it is something else, or larger than the limit.
    """
    if kind_of(data) != kind:
        raise BadMessageError(f"what arrived is no {kind}")
    assert isinstance(data, bytes | bytearray | memoryview)
    if len(data) > limit:
        raise BadMessageError(
            f"a {kind} has {len(data):,} bytes, but may have {limit:,}", fix="use smaller problemsets"
        )
    try:
        content = json.loads(bytes(data).partition(b"\n")[2])
    except (ValueError, RecursionError) as error:
        raise BadMessageError(f"a {kind} cannot be read: {error}") from error
    return Fields(kind, content)


class Fields:
    """The fields of a JSON object that arrived, each read as what it must be.

    Raises:
        BadMessageError: From every method, if a field is something else.
    """

    def __init__(self, where: str, content: object) -> None:
        self.where = where
        if not isinstance(content, dict):
            raise BadMessageError(f"{where} is no JSON object")
        self.content: dict[str, Any] = content

    def refuse_others(self, *known: str) -> None:
        """Refuse fields that are not known."""
        others = sorted(self.content.keys() - set(known))
        if others:
            raise BadMessageError(f"{self.where} has an unknown field {others[0][:80]!r}")

    def refuse_unlike(self, kind: type) -> None:
        """Refuse fields that a dataclass does not have."""
        self.refuse_others(*(each.name for each in fields(kind)))

    def text(self, name: str, *, limit: int = MAX_SHORT) -> str:
        """Return a text."""
        value = self.content.get(name)
        if not isinstance(value, str) or len(value) > limit:
            raise self._wrong(name, f"a text of at most {limit:,} characters")
        return value

    def optional_text(self, name: str, *, limit: int = MAX_SHORT) -> str | None:
        """Return a text, or None where there is null."""
        return None if self.content.get(name) is None else self.text(name, limit=limit)

    def count(self, name: str, *, least: int = 1) -> int:
        """Return a whole number from `least` on."""
        value = self.content.get(name)
        if type(value) is not int or not least <= value < 2**53:
            raise self._wrong(name, f"a whole number from {least}")
        return value

    def number(self, name: str) -> float:
        """Return a number that is finite and not below 0."""
        value = self.content.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
            raise self._wrong(name, "a number from 0")
        return float(value)

    def flag(self, name: str) -> bool:
        """Return whether something holds."""
        value = self.content.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def listed(self, name: str, *, most: int = 1_000_000) -> list[Any]:
        """Return a list."""
        value = self.content.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise self._wrong(name, f"a list of at most {most:,} entries")
        return value

    def texts(self, name: str, *, most: int = 10_000, limit: int = MAX_SHORT) -> tuple[str, ...]:
        """Return texts."""
        found = self.listed(name, most=most)
        if not all(isinstance(each, str) and len(each) <= limit for each in found):
            raise self._wrong(name, "a list of texts")
        return tuple(found)

    def counts(self, name: str) -> tuple[int, ...]:
        """Return whole numbers from 1 on."""
        found = self.listed(name)
        if not all(type(each) is int and 1 <= each < 2**53 for each in found):
            raise self._wrong(name, "a list of whole numbers from 1")
        return tuple(found)

    def inner(self, name: str) -> "Fields":
        """Return a JSON object within this one."""
        return Fields(f"{self.where}, {name}", self.content.get(name))

    def each(self, name: str, *, most: int = 1_000_000) -> list["Fields"]:
        """Return the JSON objects of a list."""
        return [Fields(f"{self.where}, {name} {i}", one) for i, one in enumerate(self.listed(name, most=most), 1)]

    def _wrong(self, name: str, wanted: str) -> BadMessageError:
        return BadMessageError(f"{self.where}: {name} is not {wanted}")


def error_json(error: ToolkitError) -> dict[str, Any]:
    """Return an error of ours as JSON values."""
    return {"what": error.what, "where": error.where, "fix": error.fix, "exit_code": error.exit_code}


def read_error(fields: Fields, *, place: str) -> ToolkitError:
    """Return an error that a worker told, of the class that its exit code stands for.

    Args:
        fields: As `error_json` wrote them.
        place: The worker, named where the error itself names no place.
    """
    kind = {1: ContentError, 2: UsageError}.get(fields.count("exit_code"), ToolkitError)
    what, where, fix = (fields.text(name, limit=MAX_LONG)[:MAX_SHORT] for name in ("what", "where", "fix"))
    return kind(what, where=f"{where} on {place}" if where and place else where or place, fix=fix)
