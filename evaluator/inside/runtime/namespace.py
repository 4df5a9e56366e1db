"""The user's names of a session: what a cell added, changed, replaced and deleted."""

import collections
import contextlib
import gc
import hashlib
import sys
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evaluator.inside.codec.codec import Fingerprint, fingerprint
from evaluator.inside.codec.decode.decoded import NamespaceDiff
from evaluator.inside.codec.digests import LargeBuffers
from evaluator.inside.compare.match_model import Rules
from evaluator.inside.export.snapshots import Copy, keep, same_by
from evaluator.inside.isolation.system_calls import try_call


class Hidden:
    """Stands for a forbidden variable while a cell runs: it can be passed on, any use of it fails."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<forbidden variable>"


@dataclass(frozen=True)
class Before:
    """The names as a cell found them; the references keep the objects alive, so that no identity is reused."""

    values: Mapping[str, Any]
    prints: Mapping[str, Fingerprint]
    copies: Mapping[bytes, Copy | None] = field(default_factory=dict)  # by digest, of small values
    hidden: Mapping[str, Any] = field(default_factory=dict)
    withheld: frozenset[str] = frozenset()  # names of hidden variables whose values are given up
    is_in_reach: bool = False  # whether something besides its name still holds such a value


class Namespace:
    """Follows the user's names from cell to cell."""

    def __init__(self, user_ns: dict[str, Any], machinery: frozenset[str]) -> None:
        self.user_ns = user_ns
        self._machinery = machinery
        self._known: dict[str, tuple[Any, Fingerprint]] = {}
        self._copies: dict[bytes, Copy | None] = {}
        self._large = LargeBuffers()

    def values(self) -> dict[str, Any]:
        """Return the user's names and what they are bound to, in the order of binding."""
        return {
            name: value
            for name, value in list(self.user_ns.items())
            if type(name) is str and name not in self._machinery
        }

    def tables(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what only this class changes, with labels for people."""
        yield "namespace", vars(self)
        yield "namespace", vars(self._large)

    def remember(self) -> None:
        """Fingerprint the current state, unless that is done already; keep copies of what is small."""
        for name, value in self.values().items():
            known = self._known.get(name)
            if known is None or known[0] is not value:
                self._known[name] = (value, fingerprint(value, self._large))
        used = {printed.digest: value for value, printed in self._known.values()}
        self._copies = {
            digest: self._copies[digest] if digest in self._copies else keep(value) for digest, value in used.items()
        }

    def begin(self, forbidden: Iterable[str], withheld: Iterable[str] = ()) -> Before:
        """Hide forbidden variables and note the state in which a cell starts.

        Args:
            forbidden: Names of the variables.
            withheld: Those of them whose values are given up for good: this process ends with the cell.
        """
        self.remember()
        hidden = {name: self.user_ns[name] for name in forbidden if name in self.user_ns}
        for name in hidden:
            self.user_ns[name] = Hidden()
        values = {name: value for name, value in self.values().items() if name not in hidden}
        gone = frozenset(withheld) & frozenset(hidden)
        is_in_reach = bool(gone) and self._give_up(gone, [hidden.pop(name) for name in gone])
        return Before(values, {name: self._known[name][1] for name in values}, self._copies, hidden, gone, is_in_reach)

    def _give_up(self, names: frozenset[str], values: list[Any]) -> bool:
        """Drop what we hold of these variables, and return whether something else still holds one of the values."""
        for name in names & self._known.keys():
            printed = self._known.pop(name)[1]  # alone: no variable here may hold the value
            if all(printed.digest != other[1].digest for other in self._known.values()):
                self._copies.pop(printed.digest, None)
        self._large.forget()  # their memory will hold other things
        is_in_reach = _release(values)
        with contextlib.suppress(AttributeError):  # another C library than glibc
            try_call("malloc_trim", 0)  # whole pages that were freed go back to the system, which clears them
        return is_in_reach

    def finish(self, before: Before, *, is_lone_fork: bool = False, goes_on: bool = True) -> NamespaceDiff:
        """Restore hidden variables and say how the names changed; the state is remembered as it is now.

        Args:
            before: As the cell began.
            is_lone_fork: This process was forked for the cell and has no fork itself.
            goes_on: Another cell follows in this process; else there is no need to look at new names.
        """
        self.user_ns.update(before.hidden)
        for name in before.withheld:
            if type(self.user_ns.get(name)) is Hidden:
                del self.user_ns[name]
        after = self.values()
        if is_lone_fork:
            self._large.share()
        else:
            self._large.forget()
        prints = self._fingerprints({n: v for n, v in after.items() if goes_on or n in before.values})
        barred = before.withheld.union(before.hidden)
        diff = _difference(before, {n: v for n, v in after.items() if n not in barred}, prints)
        self._known = {name: (after[name], printed) for name, printed in prints.items()}
        return diff

    def state_of(self, name: str, before: Before | None = None) -> str | None:
        """Return what tells one state of a variable from another, now or as a cell found it.

        Args:
            name: Of the variable.
            before: As the cell began; None: now.

        Returns:
            A digest; empty where there is no such variable, None where it was hidden.
        """
        if before is not None:
            return None if name in before.hidden else _told(before.prints.get(name))
        if name not in self.user_ns:
            return ""
        known, value = self._known.get(name), self.user_ns[name]
        return _told(known[1] if known is not None and known[0] is value else fingerprint(value, self._large))

    def states(self) -> dict[str, str]:
        """Return the states of all variables, as they were remembered."""
        return {name: _told(printed) for name, (_, printed) in self._known.items()}

    def leave(self, before: Before) -> None:
        """Restore hidden variables after a cell whose difference a fork of this process reports."""
        self.user_ns.update(before.hidden)
        self._known.clear()

    def _fingerprints(self, values: Mapping[str, Any]) -> dict[str, Fingerprint]:
        by_identity: dict[int, Fingerprint] = {}
        for value in values.values():
            if id(value) not in by_identity:
                by_identity[id(value)] = fingerprint(value, self._large)
        return {name: by_identity[id(value)] for name, value in values.items()}


def _release(values: list[Any]) -> bool:
    """Empty a list, and return whether something else keeps one of its values alive, as far as that can be told."""
    watched, is_in_reach = [], False
    while values:
        value = values.pop()
        if sys.getrefcount(value) > 2 and (gc.is_tracked(value) or type(value) is np.ndarray):
            try:
                watched.append(weakref.ref(value))
            except TypeError:  # lists and dicts, for instance
                is_in_reach = True
        del value
    if watched:
        gc.unfreeze()
        gc.collect()  # it may have been garbage, or a circle of its own
        gc.freeze()
    return is_in_reach or any(reference() is not None for reference in watched)


def _told(printed: Fingerprint | None) -> str:
    if printed is None:
        return ""
    return hashlib.sha256(printed.digest + printed.beyond).hexdigest() if printed.is_complete else "?"


def _difference(before: Before, after: Mapping[str, Any], prints: Mapping[str, Fingerprint]) -> NamespaceDiff:
    kinds: dict[str, list[str]] = collections.defaultdict(list)
    for name, value in after.items():
        if name not in before.values:
            continue
        old, new = before.prints[name], prints[name]
        if before.values[name] is value:
            same = _same_by(old, new, before.copies.get(old.digest), value)
            for kind in _kinds_of_change(old, new, same):
                kinds[kind].append(name)
        elif old.digest == new.digest and old.is_exact and new.is_exact:
            kinds["rebound_equal"].append(name)
        else:
            kinds["replaced"].append(name)
    return NamespaceDiff(
        added=tuple(name for name in after if name not in before.values),
        deleted=tuple(name for name in before.values if name not in after),
        updated=tuple(kinds["updated"]),
        touched=tuple(kinds["touched"]),
        replaced=tuple(kinds["replaced"]),
        rebound_equal=tuple(kinds["rebound_equal"]),
        near=tuple(kinds["near"]),
        otherwise=tuple(kinds["otherwise"]),
        not_checked=tuple(kinds["not_checked"]),
    )


def _same_by(old: Fingerprint, new: Fingerprint, copy: Copy | None, value: Any) -> frozenset[Rules]:
    """Return the rule sets to which an object that a name still holds has the same content."""
    if old.digest == new.digest:
        return frozenset(Rules)
    if copy is None or copy.differs_in_shape(value):
        return frozenset()
    after = keep(value)
    return frozenset() if after is None else same_by(copy.data, after.data)


def _kinds_of_change(old: Fingerprint, new: Fingerprint, same: frozenset[Rules]) -> Iterator[str]:
    kind = _kind_of_change(old, new, same)
    if kind is not None:
        yield kind
    elif old.digest != new.digest:
        yield "near"
    elif not (old.is_complete and new.is_complete):
        yield "not_checked"
    if kind != "touched" and len(same) == 1:
        yield "otherwise"


def _kind_of_change(old: Fingerprint, new: Fingerprint, same: frozenset[Rules]) -> str | None:
    """Say how an object that a name still holds was changed: `updated`, `touched`, or not at all."""
    if old.digest != new.digest:
        if old.is_whole and new.is_whole and not (old.is_exact and new.is_exact):
            return "touched"
        if Rules.SOUND not in same:
            return "updated"
    return "touched" if old.beyond != new.beyond else None  # by what no `==` looks at
