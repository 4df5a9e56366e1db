"""When two values of a problem are equal: the table of the sound rules, as the problem's options leave it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from authoring.ui.editor.draft_view import DraftView, problem_on
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.wording import label
from evaluator.errors import ContentError
from evaluator.language import (
    JUDGEMENTS,
    EqualityLine,
    LineInForce,
    Problem,
    compared_values,
    lines_in_force,
    resolve_validators,
)
from evaluator.language.document_cells import DocumentCell

BY_CODE: Final = "compared by the code in the settings, not by the table"
BY_TYPE: Final = "only the exact type counts (type_only: true), not the table"
AS_IN_TABLE: Final = "every line as in the table"
ANY_LINE: Final = f"`equality: {{LINE: ...}}` judges any line but the last one as {', '.join(JUDGEMENTS)}."
PUBLISHED: Final = "Under published rules DSEval's own matchers compare instead, and refuse `equality` and `deep`."
WRITTEN_AS_PUBLISHED: Final = (
    "These queries are spelled `question`, as in DSEval's own benchmarks: run from its file, the set is judged by the "
    "published rules, that is by DSEval's own matchers. Here and in releases the sound rules decide, and this table."
)
_WORDS: Final = {"correct": "correct", "presentation": "presentation error", "wrong": "wrong"}
_CHECKERS: Final = {
    "table_test.output_checker": "outputs of the unit tests",
    "table_test.input_checker": "arguments after the unit tests",
}


@dataclass(frozen=True)
class Compared:
    """Values of a problem that are compared in one way."""

    names: tuple[str, ...]
    lines: tuple[LineInForce, ...] = ()  # none where the table does not decide
    instead: str = ""  # what decides then

    @property
    def summary(self) -> str:
        """Which lines are judged otherwise than the table says, and by which option."""
        changed: dict[str, list[str]] = {}
        for each in filter(lambda line: line.is_changed, self.lines):
            changed.setdefault(f"{_judged(each)}, by {each.option}", []).append(each.line.name)
        told = [f"a difference in {', '.join(names)} counts as {how}" for how, names in changed.items()]
        return self.instead or "; ".join(told) or AS_IN_TABLE


def compared_in(problem: Problem) -> tuple[Compared, ...]:
    """Return how each value of a problem is compared; those with the same judgements stand together.

    Raises:
        ContentError: If the validators cannot be read.
    """
    found: dict[tuple[tuple[LineInForce, ...], str], list[str]] = {}
    for place, options in compared_values(resolve_validators(problem)):
        found.setdefault(_way(options), []).append(_CHECKERS.get(place) or place.removeprefix("namespace_check."))
    return tuple(Compared(tuple(dict.fromkeys(names)), *way) for way, names in found.items())


def table_rows(compared: Iterable[Compared]) -> list[dict[str, str]]:
    """Return the table as it is in force, as escaped texts."""
    ways = [each for each in compared if each.lines]
    rows: list[dict[str, str]] = []
    for of_line in zip(*(each.lines for each in ways), strict=True):
        line, alike = of_line[0].line, len(set(of_line)) == 1
        told = [
            _with_option(each) if alike else f"{_listed(way)}: {_with_option(each)}"
            for way, each in zip(ways, of_line, strict=True)
        ]
        example = f"{label(line.expected, limit=400)} and {label(line.found, limit=400)}"
        rows.append(
            {
                "Difference": f"**{label(line.name)}**: {label(line.what, limit=400)}. For example {example}",
                "Judged as": label("; ".join(dict.fromkeys(told)), limit=600),
                "Changed by": label(_changed_by(line), limit=400),
            }
        )
    return rows


def _changed_by(line: EqualityLine) -> str:
    """Return what judges a line otherwise than the table does."""
    return "no option" if line.is_fixed else ", ".join(filter(None, (line.loosen, line.tighten, "equality")))


def draw_equality(opened: OpenDraft, cell: DocumentCell) -> None:
    """Draw how each value of a problem is compared, and the whole table on demand."""
    problem = problem_on(opened.draft, cell)
    try:
        compared = compared_in(problem) if problem is not None else ()
    except ContentError:
        return  # the settings say what is wrong with them
    if not compared:
        return
    st.markdown("**How values are compared**")
    st.caption("  \n".join(f"**{label(_listed(each))}**: {label(each.summary, limit=1000)}" for each in compared))
    if not any(each.lines for each in compared):
        return
    key = f"equality:{opened.row.id}:{cell.key}"
    with st.expander("When two values are equal", key=key, on_change="rerun") as box:
        if box.open:
            st.caption(ANY_LINE)
            st.caption(WRITTEN_AS_PUBLISHED if _is_written_as_published(opened.draft) else PUBLISHED)
            st.table(table_rows(compared), border="horizontal")


def _way(options: Mapping[str, Any]) -> tuple[tuple[LineInForce, ...], str]:
    if isinstance(options.get("compare_fn"), str):
        return (), BY_CODE
    if options.get("type_only") is True:
        return (), BY_TYPE
    return lines_in_force(options), ""


def _judged(each: LineInForce) -> str:
    subverdict = f", {each.line.subverdict}" if each.judged == "presentation" else ""
    return f"{_WORDS[each.judged]}{subverdict}"


def _with_option(each: LineInForce) -> str:
    """Return what a line is judged as, and the option that says so where one does."""
    return f"{_judged(each)} ({each.option})" if each.is_changed else _judged(each)


def _listed(way: Compared) -> str:
    return ", ".join(way.names)


def _is_written_as_published(draft: DraftView) -> bool:
    problems = draft.document.problemset.problems if draft.document.problemset is not None else ()
    return bool(problems) and all(problem.spelling == "question" for problem in problems)
