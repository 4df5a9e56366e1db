"""Put changed problems into the text of a problemset: every other cell keeps its bytes."""

import re
from collections.abc import Mapping

from evaluator.errors import ContentError
from evaluator.language import OwnValidators, Problem, Problemset, parse_problemset, problem_id

_MARKER = re.compile(r"\A# %%[^\r\n]*")
_TAIL = re.compile(r"\s*\Z")


def read_text(text: str, name: str, own_validators: OwnValidators | None = None) -> Problemset:
    """Return the problems of a text, which may hold errors that a repair can mend.

    Raises:
        ContentError: If it cannot be read as a problemset at all.
    """
    problemset, diagnostics = parse_problemset(text, name=name, own_validators=own_validators)
    if problemset is None:
        first = diagnostics[0]
        raise ContentError(f"{name!r} cannot be read: line {first.line}: {first.what}", where=name, fix=first.fix)
    return problemset


def cell_texts(text: str, name: str, own_validators: OwnValidators | None = None) -> dict[str, str]:
    """Return the text of each problem's cell by the problem's id, without white space around it.

    Raises:
        ContentError: If the text cannot be read.
    """
    problemset = read_text(text, name, own_validators)
    problems = enumerate(problemset.problems, 1)
    return {problem_id(problemset, number): (problem.raw or "").strip() for number, problem in problems}


def one_problem(cell: str, name: str, own_validators: OwnValidators | None = None) -> Problem:
    r"""Return the problem that the text of one cell holds; line ends become \n.

    Raises:
        ContentError: If it is not exactly one cell with a query.
    """
    text = cell.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text.startswith("# %%"):
        text = f"# %%\n{text}"
    problemset = read_text(f"{text}\n", name, own_validators)
    if len(problemset.cells) != 1 or not problemset.problems or problemset.preamble:
        what = f"the changed text holds {len(problemset.cells)} cells, {len(problemset.problems)} of them with a query"
        raise ContentError(what, where=name, fix="give exactly one cell that opens with a string holding `query`")
    return problemset.problems[0]


def replace_problems(
    text: str, changes: Mapping[str, str], name: str, own_validators: OwnValidators | None = None
) -> str:
    """Return a text in which the cells of some problems are replaced; every other cell keeps its bytes.

    Args:
        text: The whole problemset.
        changes: Problem id -> text of its new cell; line ends, title and the white space after the old one stay.
        name: What the problemset is called in messages.
        own_validators: Those of the workspace.

    Raises:
        ContentError: If the text or a new cell cannot be read, there is no such problem, or a new cell has another id
            or would change its neighbours.
    """
    problemset = read_text(text, name, own_validators)
    ids = [problem_id(problemset, number) for number in range(1, len(problemset.problems) + 1)]
    unknown = sorted(set(changes) - set(ids))
    if unknown:
        raise ContentError(f"{name!r} has no problem {unknown[0]!r}", where=name, fix=f"use one of {', '.join(ids)}")
    pieces, names = [problemset.preamble], iter(ids)
    for cell in problemset.cells:
        new = changes.get(next(names)) if isinstance(cell, Problem) else None
        pieces.append(_new_cell(cell, new, name) if isinstance(cell, Problem) and new is not None else cell.raw or "")
    made = "".join(pieces)
    _expect_neighbours(problemset, read_text(made, name, own_validators), set(changes), ids, name)
    return made


def _new_cell(old: Problem, new: str, name: str) -> str:
    raw = old.raw or ""
    problem = one_problem(new, name)
    written = (problem.raw or "").strip()
    if old.title and not problem.title:
        written = _MARKER.sub(lambda _: f"# %% {old.title}", written, count=1)
    tail = _TAIL.search(raw)
    line_end = "\r\n" if "\r\n" in raw else "\n"
    return written.replace("\n", line_end) + (tail[0] if tail else line_end)


def _expect_neighbours(before: Problemset, after: Problemset, changed: set[str], ids: list[str], name: str) -> None:
    """Make sure that nothing but the named problems reads differently."""
    now = [problem_id(after, number) for number in range(1, len(after.problems) + 1)]
    if now != ids:
        moved = next((was for was, is_ in zip(ids, now, strict=False) if was != is_), ids[-1])
        what = f"the change of problem {moved!r} would rename, add or drop problems"
        raise ContentError(what, where=name, fix="keep the `id` of the problem, and give one cell for it")
    names = iter(ids)
    for old, new in zip(before.cells, after.cells, strict=False):
        is_changed = isinstance(old, Problem) and next(names) in changed
        if not is_changed and old.raw != new.raw:
            what = f"the change would reach into the cell on line {old.line}"
            raise ContentError(what, where=name, fix="close every string of the changed cell")
