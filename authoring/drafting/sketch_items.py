"""Which items of a sketch a draft holds: told by a tag on each problem, which is taken out of the text again."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from authoring.drafting.text_likeness import similarity, text_vector
from authoring.store.drafting.sketches import SketchItem
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import Problem, Problemset, changed_settings, cut, parse_problemset
from evaluator.language.cells import opening_string

_TAG: Final = re.compile(r"\s*(?:sketch[-_ ]?)?item[-_ #]?(\d{1,3})\s*", re.IGNORECASE)
MAX_IDEA_CHARS: Final = 160


def item_numbers(problem: Problem) -> tuple[int, ...]:
    """Return the items of the sketch that a problem says it is for."""
    return tuple(int(match[1]) for tag in _tags(problem) if (match := _TAG.fullmatch(tag)))


def left_out_items(items: Sequence[SketchItem], problemset: Problemset) -> tuple[SketchItem, ...]:
    """Return the items of a sketch that a draft has no problem for, in their order.

    Where at least half of the problems name their item, what they say counts. Otherwise items are missing only where
    there are more of them than problems that can be theirs: those least like the problems, in the order of both.
    """
    named = [item_numbers(problem) for problem in problemset.problems]
    told = {number for numbers in named for number in numbers}
    open_items = [item for item in items if item.number not in told]
    untold = [problem for problem, numbers in zip(problemset.problems, named, strict=True) if not numbers]
    if 2 * (len(named) - len(untold)) >= len(named):
        return tuple(open_items)
    if len(open_items) <= len(untold):
        return ()
    kept = _aligned([problem.query for problem in untold], [item.query_idea for item in open_items])
    return tuple(item for position, item in enumerate(open_items) if position not in kept)


def items_complaint(items: Sequence[SketchItem], problemset: Problemset) -> str:
    """Return what a model is told of items that it left out; empty when there is a problem for each."""
    missing, few = left_out_items(items, problemset), len(items) - len(problemset.problems)
    if missing:
        listed = "\n".join(f"- item {item.number}: {item.query_idea[:MAX_IDEA_CHARS]}" for item in missing)
        said = "these items of the sketch have no problem"
        how = "Write one for each of them, with its tag (`tags: [item-N]`), at its place; keep the others."
        return f"{said}:\n{listed}\n{how}"
    if few > 0:
        return (
            f"there are {len(problemset.problems)} problems, but {len(items)} were planned: each item is one of its own"
        )
    return ""


def items_findings(items: Sequence[SketchItem], problemset: Problemset, path: Path) -> tuple[Diagnostic, ...]:
    """Return the same for people: one finding for each item that is left out."""
    fix = "write a problem for it, or refine the sketch"
    return tuple(
        Diagnostic(
            "sketch-item-missing",
            Severity.WARNING,
            path,
            1,
            f"item {item.number} of the sketch has no problem: {item.query_idea[:MAX_IDEA_CHARS]}",
            fix,
        )
        for item in left_out_items(items, problemset)
    )


def without_item_tags(text: str, name: str) -> str:
    """Return a problemset's text without the tags that name items; every other byte stays."""
    problemset = parse_problemset(text, name=name).problemset
    if problemset is None:
        return text
    raws = [_untagged(cell) if isinstance(cell, Problem) else cell.raw or "" for cell in problemset.cells]
    return problemset.preamble + "".join(raws)


def _untagged(problem: Problem) -> str:
    raw = problem.raw or ""
    if not item_numbers(problem):
        return raw
    opening = opening_string(cut(raw).cells[0])
    assert opening is not None, "a problem opens with its settings"
    kept = [tag for tag in _tags(problem) if not _TAG.fullmatch(tag)]
    return raw.replace(opening.text, changed_settings(opening.text, "tags", kept or None), 1)


def _tags(problem: Problem) -> list[str]:
    written = problem.metadata.get("tags") or ()
    tags = [written] if isinstance(written, str) else written if isinstance(written, (list, tuple)) else ()
    return [str(tag) for tag in tags]


def _aligned(queries: Sequence[str], ideas: Sequence[str]) -> set[int]:
    """Return the positions of the ideas that the queries fit best, one for each query, both in their order."""
    asked, planned = ([text_vector([text]) for text in texts] for texts in (queries, ideas))
    best: list[list[tuple[float, tuple[int, ...]]]] = [[(0.0, ())] * (len(ideas) + 1)]
    for row, query in enumerate(asked, 1):
        line: list[tuple[float, tuple[int, ...]]] = [(-1.0, ())] * (len(ideas) + 1)
        for column in range(row, len(ideas) + 1):
            before, chosen = best[row - 1][column - 1]
            taken = (before + similarity(query, planned[column - 1]), (*chosen, column - 1))
            line[column] = max(taken, line[column - 1], key=lambda one: one[0])
        best.append(line)
    return set(best[-1][-1][1])
