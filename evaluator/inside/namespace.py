"""The user's names of a session: what a cell added, changed, replaced and deleted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluator.inside.codec import Fingerprint, fingerprint
from evaluator.inside.decoded import NamespaceDiff
from evaluator.inside.keepsakes import is_same, keep
from evaluator.inside.large_buffers import LargeBuffers


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
    copies: Mapping[bytes, bytes | None] = field(default_factory=dict)  # by digest, of small values
    hidden: Mapping[str, Any] = field(default_factory=dict)


class Namespace:
    """Follows the user's names from cell to cell."""

    def __init__(self, user_ns: dict[str, Any], machinery: frozenset[str]) -> None:
        self.user_ns = user_ns
        self._machinery = machinery
        self._known: dict[str, tuple[Any, Fingerprint]] = {}
        self._copies: dict[bytes, bytes | None] = {}
        self._large = LargeBuffers()

    def values(self) -> dict[str, Any]:
        """Return the user's names and what they are bound to, in the order of binding."""
        return {
            name: value
            for name, value in list(self.user_ns.items())
            if type(name) is str and name not in self._machinery
        }

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

    def begin(self, forbidden: Iterable[str]) -> Before:
        """Hide forbidden variables and note the state in which a cell starts."""
        self.remember()
        hidden = {name: self.user_ns[name] for name in forbidden if name in self.user_ns}
        for name in hidden:
            self.user_ns[name] = Hidden()
        values = {name: value for name, value in self.values().items() if name not in hidden}
        return Before(values, {name: self._known[name][1] for name in values}, self._copies, hidden)

    def finish(self, before: Before, *, is_lone_fork: bool = False) -> NamespaceDiff:
        """Restore hidden variables and say how the names changed; the state is remembered as it is now.

        Args:
            before: As the cell began.
            is_lone_fork: This process was forked for the cell and has no fork itself.
        """
        self.user_ns.update(before.hidden)
        after = self.values()
        if is_lone_fork:
            self._large.share()
        else:
            self._large.forget()
        prints = self._fingerprints(after)
        diff = _difference(before, {n: v for n, v in after.items() if n not in before.hidden}, prints)
        self._known = {name: (value, prints[name]) for name, value in after.items()}
        return diff

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


def _difference(before: Before, after: Mapping[str, Any], prints: Mapping[str, Fingerprint]) -> NamespaceDiff:
    kinds: dict[str, list[str]] = {"updated": [], "touched": [], "replaced": [], "rebound_equal": []}
    for name, value in after.items():
        if name not in before.values:
            continue
        old, new = before.prints[name], prints[name]
        if before.values[name] is value:
            kind = _kind_of_change(old, new, before.copies.get(old.digest), value)
            if kind is not None:
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
    )


def _kind_of_change(old: Fingerprint, new: Fingerprint, copy: bytes | None, value: Any) -> str | None:
    """Say how an object that a name still holds was changed: `updated`, `touched`, or not at all."""
    if old.digest == new.digest:
        return None
    if old.is_whole and new.is_whole and not (old.is_exact and new.is_exact):
        return "touched"
    after = keep(value) if copy is not None else None
    return None if copy is not None and after is not None and is_same(copy, after) else "updated"
