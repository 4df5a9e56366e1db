"""The ledger of an experiment: what models took, written down when it is paid, whatever becomes of the answer."""

import json
import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError, RecordingError, ToolkitError
from evaluator.models import Budget, BudgetLimits, Spent
from evaluator.running.run_folder import LOCK, FolderLock, open_lines, write_all

LEDGER: Final = "ledger.jsonl"
"""In the folder of an experiment: appended line by line, never written anew."""
MAX_BYTES: Final = 200_000_000
_MOST: Final = 2**53  # beyond, sums are no longer exact
_KINDS: Final = ({"before"}, {"reserved"}, {"returned", "spent"})


class Ledger:
    """A file of what was put aside for requests, and of what they took; several threads may write to it.

    A line `reserved` stands there before a request is sent. When it has ended, one line says what is `returned` of it
    and what was `spent`. A request that was under way when the process was killed has no such line: it counts by what
    was put aside for it, the most that it may have taken.
    """

    def __init__(self, path: Path, descriptor: int, spent: Spent) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        self._size = os.fstat(descriptor).st_size  # nobody else writes: the folder is locked
        self._spent = spent
        self._lock = threading.Lock()

    @property
    def spent_before(self) -> Spent:
        """What earlier starts took."""
        return self._spent

    def note(self, **amounts: Spent) -> None:
        """Append a line; what is spent is on the disk when this returns.

        Raises:
            RecordingError: If it cannot be written: what goes on would pay for what nobody counts.
        """
        told = {name: [amount.tokens, amount.cost] for name, amount in amounts.items()}
        line = json.dumps(told, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            if self._descriptor is None:
                return  # an answer that came after the end: it counts by what was put aside for it
            size = self._size
            try:
                write_all(self._descriptor, line)
                if "reserved" not in amounts:  # those outlive a kill, and 64 requests at once wait for no disk
                    os.fdatasync(self._descriptor)
                self._size += len(line)
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, size)
                what = f"what a model took cannot be written down: {error.strerror or error}"
                fix = "make room, then repeat the same command: it resumes"
                raise RecordingError(what, where=str(self.path), fix=fix) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
            self._descriptor = None


class LedgerBudget(Budget):
    """A budget that counts what all starts of an experiment took, and writes down what this one does."""

    def __init__(self, limits: BudgetLimits, ledger: Ledger) -> None:
        super().__init__(limits, before=ledger.spent_before)
        self._ledger = ledger

    def reserve(self, wanted: Spent) -> Spent:
        """Reserve as a budget does, and write it down before anything is asked."""
        aside = super().reserve(wanted)
        try:
            self._ledger.note(reserved=aside)
        except ToolkitError:
            super().settle(aside, Spent())
            raise
        return aside

    def settle(self, aside: Spent, spent: Spent) -> None:
        """Replace what was put aside as a budget does, and write it down."""
        super().settle(aside, spent)
        self._ledger.note(returned=aside, spent=spent)


@contextmanager
def opened_ledger(folder: Path, before: Callable[[], Spent]) -> Iterator[Ledger]:
    """Open the ledger in the folder of an experiment, which no other start may use meanwhile.

    Args:
        folder: Made if it is not there.
        before: Tells what earlier starts took that kept no ledger; asked where there is none.

    Raises:
        ContentError: If another start uses the folder, or a line is none of a ledger.
        ToolkitError: If it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(folder / LOCK, taken="another start of this experiment is at work")
    except OSError as error:
        fix = "name a folder that can be written with --out"
        what = f"cannot write the output folder: {error.strerror or error}"
        raise ToolkitError(what, where=str(folder), fix=fix) from error
    try:
        path = folder / LEDGER
        found = spent_by_ledger(path)
        ledger = Ledger(path, open_lines(path, "ledger"), before() if found is None else found)
        try:
            if found is None:
                ledger.note(before=ledger.spent_before)
            yield ledger
        finally:
            ledger.close()
    finally:
        lock.release()


def spent_by_ledger(path: Path) -> Spent | None:
    """Return what a ledger says was taken so far; None: there is none, or it has no line.

    Raises:
        ContentError: If it is no plain file, a line is none, or the file is too large to be read.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        fix = "move it away: what is judged is then counted by the records"
        raise ContentError("the ledger is no plain file", where=str(path), fix=fix)
    if not path.is_file():
        return None
    if path.stat().st_size > MAX_BYTES:
        fix = "move it away: what is judged is then counted by the records"
        raise ContentError(f"the ledger has more than {MAX_BYTES // 1_000_000} MB", where=str(path), fix=fix)
    lines = path.read_bytes().split(b"\n")[:-1]  # a last line without an end was cut off by a kill
    tokens, cost = 0, 0.0
    for number, line in enumerate(lines, 1):
        for name, amount in _amounts(line, f"{path}:{number}").items():
            sign = -1 if name == "returned" else 1
            tokens += sign * amount.tokens
            cost += sign * amount.cost
    return Spent(max(0, tokens), max(0.0, cost)) if lines else None


def _amounts(line: bytes, where: str) -> dict[str, Spent]:
    try:
        told = json.loads(line)
        if not isinstance(told, dict) or set(told) not in _KINDS:
            raise ValueError
        return {name: _amount(value) for name, value in told.items()}
    except (ValueError, TypeError, RecursionError):
        fix = "take the line out; what it said is then not counted"
        raise ContentError("this is no line of a ledger", where=where, fix=fix) from None


def _amount(value: Any) -> Spent:
    tokens, cost = value
    is_count = type(tokens) is int and 0 <= tokens <= _MOST
    if not is_count or type(cost) not in (int, float) or not math.isfinite(cost) or cost < 0:
        raise ValueError
    return Spent(tokens, float(cost))
