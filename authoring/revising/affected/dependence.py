"""Which problems an edit reaches: those whose text changed, and those that rest on what an edited cell leaves behind.

Every cell has a *basis*: its code together with the bases of the cells that last wrote the names it reads. Where the
basis of a cell is the same in two revisions, its outcome cannot differ; this holds for moved, added and removed cells
too. What the syntax tree cannot show, such as a frame changed under another name, comes from executions: the variables
that a stored dry run, or the session itself, saw change.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from authoring.revising.affected.cell_effects import CHANNELS, Effects, effects_of
from evaluator.language import Problem
from evaluator.language.document import Document
from evaluator.language.document_cells import DocumentCell

DESCRIPTIVE: Final = frozenset({"id", "tags", "knowledge_points", "difficulty", "notes", "examples", "waivers"})
"""Settings that change neither what the reference leaves nor how an answer is judged."""

Observed = Mapping[str, frozenset[str]]  # key of a cell -> variables that executing it was seen to change


class Change(StrEnum):
    """How a problem differs between two revisions."""

    ADDED = "added"
    QUERY = "query"
    CODE = "code"
    SETTINGS = "settings"  # its validators, limits, data or probes
    EXAMPLES = "examples"  # the answers that it keeps
    STATE = "state"  # nothing in it, but what it rests on


@dataclass(frozen=True)
class Footing:
    """What one cell rests on."""

    effects: Effects
    sources: Mapping[str, int]  # name it reads -> position of the cell that last wrote it
    basis: str  # sha256: equal bases, equal outcomes


@dataclass(frozen=True)
class Affected:
    """A problem of the newer revision that an edit reaches."""

    cell: DocumentCell
    changes: tuple[Change, ...]
    reasons: tuple[str, ...]  # one sentence each

    @property
    def must_rerun(self) -> bool:
        """Whether its outcome or verdicts may differ; the words of its query alone change neither."""
        return set(self.changes) != {Change.QUERY}

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        changes = [change.value for change in self.changes]
        return {
            **{"problem": self.cell.number, "problem_id": self.cell.key, "changes": changes},
            **{"reasons": list(self.reasons), "rerun": self.must_rerun},
        }


def footings(cells: Sequence[DocumentCell], observed: Observed) -> tuple[Footing, ...]:
    """Return what each cell rests on, in order."""
    writers: dict[str, int] = {}
    later: dict[str, frozenset[str]] = {}
    found: list[Footing] = []
    for position, cell in enumerate(cells):
        effects = effects_of(cell.texts["code"])
        seen = observed.get(cell.key, frozenset())
        reads, writes = set(effects.reads) | (seen - effects.writes), effects.writes | seen
        if effects.is_opaque:
            reads, writes = reads | set(writers), writes | frozenset(writers) | frozenset(CHANNELS)
        _add_needed_by_functions(reads, later)
        sources = {name: writers[name] for name in sorted(reads) if name in writers}
        rests_on = "".join(f"\0{name}\0{found[at].basis}" for name, at in sources.items())
        basis = hashlib.sha256(f"{cell.texts['code'].strip()}{rests_on}".encode("utf-8", "surrogatepass")).hexdigest()
        found.append(Footing(effects, sources, basis))
        writers |= dict.fromkeys(writes, position)
        later = {**{name: needs for name, needs in later.items() if name not in writes}, **effects.later}
    return tuple(found)


def _add_needed_by_functions(reads: set[str], later: Mapping[str, frozenset[str]]) -> None:
    """Add what the functions among `reads` read when they are called."""
    waiting = list(reads)
    while waiting:
        fresh = later.get(waiting.pop(), frozenset()) - reads
        reads |= fresh
        waiting += fresh


def affected_problems(
    before: Document,
    after: Document,
    *,
    seen_before: Observed,
    seen_after: Observed,
) -> tuple[Affected, ...]:
    """Return the problems of `after` that differ from those of `before`, in order, each with why.

    Args:
        before: The older text.
        after: The newer one.
        seen_before: What executing the older one was seen to change.
        seen_after: The same of the newer one; what is not known is taken from cells with the same code.
    """
    origin = {new: old for old, new in before.align(after).items()}
    same_code = {
        after.cells[new].key: seen_before[before.cells[old].key]
        for new, old in origin.items()
        if before.cells[old].key in seen_before and before.cells[old].texts["code"] == after.cells[new].texts["code"]
    }
    old, new = footings(before.cells, seen_before), footings(after.cells, {**same_code, **seen_after})
    view = _View(before.cells, after.cells, old, new, origin)
    listed = (view.judge(position) for position, cell in enumerate(after.cells) if cell.is_problem)
    return tuple(each for each in listed if each is not None)


@dataclass(frozen=True)
class _View:
    before: Sequence[DocumentCell]
    after: Sequence[DocumentCell]
    old: Sequence[Footing]
    new: Sequence[Footing]
    origin: Mapping[int, int]  # position in `after` -> position in `before`

    def judge(self, position: int) -> Affected | None:
        cell = self.after[position]
        if position not in self.origin:
            return Affected(cell, (Change.ADDED,), ("it is new",))
        was = self.before[self.origin[position]]
        changes = [change for change, words in _OWN_CHANGES.items() if _differs(was, cell, change)]
        reasons = [_OWN_CHANGES[change] for change in changes]
        resting = self._moved_sources(position)
        if resting and self.old[self.origin[position]].basis != self.new[position].basis:
            changes.append(Change.STATE)
            reasons += resting
        return Affected(cell, tuple(changes), tuple(reasons)) if changes else None

    def _moved_sources(self, position: int) -> list[str]:
        """Return, in words, what a cell reads that is not what it was."""
        then, now = self.old[self.origin[position]], self.new[position]
        said: dict[tuple[int | None, str], list[str]] = {}
        for name in sorted({*then.sources, *now.sources}):
            before, after = then.sources.get(name), now.sources.get(name)
            if after is None:
                assert before is not None
                if before in self.origin.values():  # still made, but no longer needed: what is read instead is said
                    continue
                said.setdefault((None, f", which {self.before[before].name} made and nothing makes now"), []).append(
                    name
                )
            elif before is None or self.origin.get(after) != before:
                said.setdefault((after, f", which {self.after[after].name} makes now"), []).append(name)
            elif self.old[before].basis != self.new[after].basis:
                edited = self.before[before].texts["code"].strip() != self.after[after].texts["code"].strip()
                how = "whose code changed" if edited else "which is affected itself"
                said.setdefault((after, f" from {self.after[after].name}, {how}"), []).append(name)
        return [f"reads {_listed(names)}{words}" for (_, words), names in said.items()]


_OWN_CHANGES: Final = {
    Change.QUERY: "its query changed",
    Change.CODE: "its reference code changed",
    Change.SETTINGS: "its validators, limits or data changed",
    Change.EXAMPLES: "its examples changed",
}


def _differs(was: DocumentCell, cell: DocumentCell, change: Change) -> bool:
    if change is Change.SETTINGS:
        return judging_settings(was) != judging_settings(cell)
    if change is Change.EXAMPLES:
        return bool(_examples(was) != _examples(cell))
    return was.texts[change.value].strip() != cell.texts[change.value].strip()


def judging_settings(cell: DocumentCell) -> dict[str, Any]:
    """Return the settings of a problem that decide what is executed or how it is judged."""
    problem = cell.cell
    if not isinstance(problem, Problem):
        return {}
    kept = {key: value for key, value in problem.metadata.items() if key not in DESCRIPTIVE}
    return {"validator": problem.validator, "execution": problem.limits, "data": dict(problem.data), **kept}


def _examples(cell: DocumentCell) -> Any:
    return cell.cell.metadata.get("examples") if isinstance(cell.cell, Problem) else None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.strip("()") if name in CHANNELS else f"`{name}`" for name in names)
