"""The pages: what they are called, where they live, and how to link to one with parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import streamlit as st

from authoring.ui import state
from authoring.ui.boundary import show_error, show_message
from evaluator.errors import UsageError

FOLDER: Final = Path(__file__).resolve().parent.parent / "pages"


@dataclass(frozen=True)
class PageEntry:
    """One page of the app."""

    name: str  # file name and address
    title: str
    icon: str
    help: str
    visibility: Literal["visible", "hidden"] = "visible"

    @property
    def path(self) -> str:
        """The page's file; app.py may lie elsewhere, as it does where the package is installed."""
        return str(FOLDER / f"{self.name}.py")


PAGES: Final = (
    PageEntry("queue", "Queue", ":material/inbox:", "Problemsets by status, and what waits for you."),
    PageEntry("problemset", "Problemset", ":material/menu_book:", "One problemset: cells, dry run, history.", "hidden"),
    PageEntry("editor", "Editor", ":material/edit:", "Read, run and repair one problem.", "hidden"),
    PageEntry("compare", "Compare", ":material/difference:", "Two revisions of a problemset side by side.", "hidden"),
    PageEntry(
        "roundtable",
        "Roundtable",
        ":material/forum:",
        "Disputed problems: what dry runs leave open, who settles it and how.",
    ),
    PageEntry("runs", "Runs", ":material/play_circle:", "Jobs with their progress; agents' results by problem."),
    PageEntry(
        "experiments", "Experiments", ":material/science:", "Agents, benchmarks and policies in one file, one table."
    ),
    PageEntry("seeds", "Seeds & ideas", ":material/database:", "Datasets with profiles, topics, sketches and drafts."),
    PageEntry("guide", "Guide", ":material/rule:", "What authors keep to: text, amendments, examples, effects."),
    PageEntry(
        "bootstrap",
        "Rounds",
        ":material/autorenew:",
        "Drafting in rounds: plans, what is drafted next, what waits for whom.",
    ),
    PageEntry("releases", "Releases", ":material/inventory_2:", "Frozen sets of accepted problemsets."),
    PageEntry("settings", "Settings", ":material/settings:", "Your name, the sandbox, the worker, the workspace."),
    PageEntry(
        "help", "Help", ":material/help:", "How to annotate, maintain and evaluate; how problemsets are written."
    ),
)
_BY_NAME = {entry.name: entry for entry in PAGES}


def run_page(*draw_first: Callable[[], None]) -> None:
    """Register the pages and run the one that the address names, below what may link to them."""
    pages = [
        st.Page(
            entry.path,
            title=entry.title,
            icon=entry.icon,
            url_path=entry.name,
            help=entry.help,
            visibility=entry.visibility,
            default=entry.name == PAGES[0].name,
        )
        for entry in PAGES
    ]
    page = st.navigation(pages)
    state.keep_address(page.url_path)
    with st.container():  # always there: what comes and goes must not move the page below it
        if page.url_path != "editor":  # which has a place of its own for them, where they move nothing
            for message in state.take_flashes():
                show_message(message)
        for draw in draw_first:
            draw()
    try:
        page.run()
    except UsageError as error:  # most often an address with an id that is not, or no longer, there
        if not state.names_something():
            raise
        show_error(error)
        _draw_way_back(_BY_NAME.get(page.url_path, PAGES[0]))


def _draw_way_back(entry: PageEntry) -> None:
    known = entry if entry.visibility == "visible" else PAGES[0]
    page_link(known.name, f"Go to {known.title}", icon=":material/arrow_back:")


def link_to_page(name: str) -> None:
    """Draw a link to a page under its title."""
    page_link(name, f"Go to {_BY_NAME[name].title}", icon=":material/arrow_forward:")


def page_link(
    name: str,
    label: str,
    *,
    icon: str | None = None,
    help: str = "",  # noqa: A002 - Streamlit's own word; nothing: not what the menu says of the page
    width: Literal["content", "stretch"] = "content",
    parameters: Mapping[str, str | int] | None = None,
    **more: str | int | None,
) -> None:
    """Draw a link to a page with query parameters. `label` is Markdown: escape what comes from data."""
    st.page_link(
        _BY_NAME[name].path,
        label=label,
        icon=icon,
        help=help,
        width=width,
        query_params=_address(name, {**(parameters or {}), **more}),
    )


def is_at(name: str, parameters: Mapping[str, str | int]) -> bool:
    """Return whether the tab shows a page with these parameters in its address, whatever stands there besides."""
    return state.shows(_url_path(name), parameters)


def go(name: str, **parameters: str | int | None) -> None:
    """Leave for a page; nothing after this call runs."""
    st.switch_page(_BY_NAME[name].path, query_params=_address(name, parameters))


def _address(name: str, parameters: Mapping[str, str | int | None]) -> Mapping[str, str]:
    """Return what stands in the address of a link; within a page Streamlit does not add who writes in this tab."""
    carried = state.carried() if state.shows(_url_path(name), {}) else {}
    return {**carried, **state.address(**parameters)}


def _url_path(name: str) -> str:
    return "" if _BY_NAME[name] is PAGES[0] else name
