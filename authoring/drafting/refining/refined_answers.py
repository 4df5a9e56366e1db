"""Read what a model answered to a request for changed problems."""

import re
from collections.abc import Sequence

from authoring.prompting.model_answers import UnreadableAnswerError, read_problemset_text
from evaluator.language import OwnValidators, Problem, parse_problemset

_LABEL = re.compile(r"^\s*problem\s*:?\s*(?P<id>\S+)\s*$", re.IGNORECASE)
_MARKED = re.compile(r"\A# %%[^\n]*")


def read_changes(
    answer: str, chosen: Sequence[str], name: str, own_validators: OwnValidators | None = None
) -> dict[str, str]:
    """Return the new cell of each chosen problem, by its id.

    A cell is told by its marker line, `# %% problem: ID`; where no cell has such a line, by its written `id`, or by the
    order when there are as many cells as chosen problems.

    Raises:
        UnreadableAnswerError: If a chosen problem is missing, or another cell is there; the text says what to change.
    """
    text = read_problemset_text(answer)
    problemset, diagnostics = parse_problemset(text, name=name, own_validators=own_validators)
    if problemset is None:
        listed = "; ".join(f"line {d.line}: {d.what}; fix: {d.fix}" for d in diagnostics[:5])
        raise UnreadableAnswerError(f"the cells cannot be read: {listed}")
    if len(problemset.problems) < len(problemset.cells):
        lines = [str(cell.line) for cell in problemset.cells if not isinstance(cell, Problem)]
        raise UnreadableAnswerError(
            f"the answer may hold the chosen problems only, but the cells on lines {', '.join(lines)} have no query"
        )
    found: dict[str, str] = {}
    for position, problem in enumerate(problemset.problems):
        label = _identity(problem, position, problemset.problems, chosen)
        if label not in chosen:
            raise UnreadableAnswerError(f"problem {label} was not to be changed; answer with {', '.join(chosen)} only")
        if label in found:
            raise UnreadableAnswerError(f"problem {label} stands twice in the answer")
        found[label] = _MARKED.sub("# %%", (problem.raw or "").strip(), count=1)
    missing = [label for label in chosen if label not in found]
    if missing:
        raise UnreadableAnswerError(f"the answer drops problem {', '.join(missing)}; every chosen one is needed")
    return found


def _identity(problem: Problem, position: int, problems: Sequence[Problem], chosen: Sequence[str]) -> str:
    match = _LABEL.match(problem.title)
    if match:
        return match["id"].strip("\"'`")
    written = problem.metadata.get("id")
    if written:
        return str(written)
    unlabelled = all(not _LABEL.match(each.title) and not each.metadata.get("id") for each in problems)
    if unlabelled and len(problems) == len(chosen):
        return chosen[position]
    return f"without a name (cell {position + 1})"


def says_nothing_new(changes: dict[str, str], now: dict[str, str]) -> bool:
    """Tell whether no changed cell differs from the present one."""
    return all(_bare(cell) == _bare(now.get(label, "")) for label, cell in changes.items())


def _bare(cell: str) -> str:
    return _MARKED.sub("# %%", cell.replace("\r\n", "\n").strip(), count=1)
