"""Small things that several pages draw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from authoring.ui import state
from authoring.ui.drawing.markup import cell_text
from authoring.ui.wording import Chip, label, nothing_chip, verdict_chip
from evaluator.diagnostics import Diagnostic, Severity


def draw_tabs(key: str, draws: Mapping[str, Callable[[], None]]) -> None:
    """Draw tabs by label; labels must stay as they are, or the first tab opens again."""
    for tab, draw in zip(st.tabs(list(draws), key=key, on_change="rerun"), draws.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def form_box(title: str, key: str, *, icon: str) -> DeltaGenerator:
    """Return the box of a form, behind a button. `state.close_box` closes it: it covers what the form's order made."""
    return st.popover(title, icon=icon, key=state.box_key(key), on_change="rerun")


PAGE_SIZE = 50  # rows
THREADS_A_PAGE = 10  # each with its buttons: what one opens has to be there at once


def draw_chip(chip: Chip) -> None:
    """Draw a state as word, icon and colour."""
    st.markdown(chip_text(chip), width="content", help=label(chip.about, limit=400) or None)


def chip_text(chip: Chip) -> str:
    """Return a chip as Markdown for a table cell or a line of text."""
    return f":{chip.colour}-badge[{chip.icon} {label(chip.word)}]"


def verdict_line(verdicts: Mapping[str, str]) -> str:
    """Return verdicts, keyed by column, as one line of chips."""
    return " ".join(chip_text(chip) for chip in verdict_chips(verdicts))


def verdict_chips(verdicts: Mapping[str, str]) -> list[Chip]:
    """Return verdicts, keyed by column, as chips; a problem that no agent tried says nothing of agents."""
    chips = []
    for column, word in (("reference", "reference"), ("empty", "empty answer"), ("agent", "agent")):
        verdict = verdicts.get(column, "none")
        if column == "agent" and verdict == "none":
            continue
        chip = nothing_chip(verdict) if column == "empty" else verdict_chip(verdict)
        chips.append(replace(chip, word=f"{word} {chip.word}"))
    return chips


def draw_facts(facts: Mapping[str, str]) -> None:
    """Draw names and values as a two-column list; values from data must be escaped by the caller."""
    st.table(dict(facts), border="horizontal", width="content")


def draw_diagnostics(diagnostics: Sequence[Diagnostic], *, empty: str = "") -> None:
    """Draw what is wrong with a text, each with its line and its fix."""
    if not diagnostics and empty:
        st.caption(empty)
    for diagnostic in diagnostics:
        draw = st.error if diagnostic.severity is Severity.ERROR else st.warning
        icon = ":material/error:" if diagnostic.severity is Severity.ERROR else ":material/warning:"
        where = f"line {diagnostic.line} · {label(diagnostic.code)}"
        fix = f"  \nTo fix it: {label(diagnostic.fix, limit=600)}" if diagnostic.fix else ""
        draw(f"**{label(diagnostic.what, limit=600)}** ({where}){fix}", icon=icon)


def draw_pager(count: int, *, key: str, in_address: bool = False, size: int = PAGE_SIZE) -> int:
    """Draw the page numbers of a long list and return the offset of its first row; `in_address`: the key names it."""
    pages = max(1, -(-count // size))
    if pages == 1:
        return 0
    return (int(st.pagination(pages, key=key, bind="query-params" if in_address else None)) - 1) * size


def draw_code(text: str, *, language: str | None = "python") -> None:
    """Draw text that nobody edits here."""
    st.code(cell_text(text), language=language, wrap_lines=True)


def draw_empty(what: str, then: str) -> None:
    """Say that a list is empty and what to do next."""
    with st.container(border=True):
        st.markdown(f"**{what}**")
        st.caption(then)
