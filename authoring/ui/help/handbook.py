"""The documentation inside the app: its documents, and what a search in them finds."""

import re
from itertools import takewhile
from typing import Final

import streamlit as st

from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.help.doc_search import find_sections, shown_words
from authoring.ui.help.documents import DOCS, read_sections
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label, plural

MAX_HITS: Final = 20


def draw_results(words: str) -> None:
    """Draw where the words stand, in all documents: heading, document and excerpt, each a link to the section."""
    hits = find_sections(words)
    if not hits:
        draw_empty(f"No section has the words {label(words)}", "All of them must occur in one: try fewer words.")
        return
    more = f": the first {MAX_HITS}, add a word to narrow them down" if len(hits) > MAX_HITS else ""
    st.caption(f"{plural(len(hits), 'section')} with these words{more}")
    for hit in hits[:MAX_HITS]:
        with st.container(gap=None):
            title = hit.section.title.replace("`", "")
            page_link(
                "help", f"**{label(title or DOCS[hit.name])}** · {DOCS[hit.name]}", icon=":material/article:",
                doc=hit.name, section=_anchor(hit.section.title) or None,
            )  # fmt: skip
            st.caption(_marked(hit.excerpt, words))


def _marked(excerpt: str, words: str) -> str:
    """Return an excerpt as Markdown with the words in bold, and options such as `--epochs` as code.

    Streamlit draws two hyphens in text as a dash.
    """
    wanted = "|".join(re.escape(label(word)) for word in sorted(shown_words(words), key=len, reverse=True))

    def said(text: str) -> str:
        marked = re.sub(f"((?:{wanted})s?)", r"**\1**", label(text, limit=len(text) + 1), flags=re.IGNORECASE)
        return f"{' ' * text.startswith(' ')}{marked}{' ' * text[1:].endswith(' ')}"  # a label has no spaces around it

    parts = re.split(r"(?<![\w-])(--\w[\w-]*)", excerpt)  # every second one is an option
    return "".join(f"`{part}`" if at % 2 else said(part) for at, part in enumerate(parts))


@writes(ANYONE)
def leave_document() -> None:
    """Make room for what a search finds."""
    state.set_param("doc", None)
    state.set_param("section", None)


def draw_document(name: str, anchor: str | None = None) -> None:
    """Draw a document, or the section of it that links call by that anchor, with its subsections."""
    sections = read_sections(name)
    chosen = next((at for at, each in enumerate(sections) if anchor and _anchor(each.title) == anchor), None)
    if chosen is not None:
        page_link("help", f"All of “{DOCS[name]}”", icon=":material/menu_book:", doc=name)
        below = takewhile(lambda each: each.level > sections[chosen].level, sections[chosen + 1 :])
        sections = [sections[chosen], *below]
    for section in sections:
        if section.title:
            draw = st.header if section.level == 2 else st.subheader
            draw(section.title.replace("`", ""), anchor=_anchor(section.title))
        st.markdown(section.text)


def _anchor(title: str) -> str:
    """Return what links to a heading call it, as on the pages where the documents are read otherwise."""
    return re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-")
