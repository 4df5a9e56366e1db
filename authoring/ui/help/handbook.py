"""The documentation inside the app: the files of `docs/`, their sections found by words, their links kept inside."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label, plural
from evaluator.installation import HOME

FOLDER: Final = HOME / "docs"
DOCS: Final = {
    "annotators": "For annotators",
    "maintainers": "For maintainers",
    "prompts": "What models are asked",
    "drafts": "How good drafts are",
    "evaluators": "For evaluators",
    "agents": "Agents of your own",
    "api": "The Python API",
    "dseal": "How problemsets are written",
    "glossary": "Glossary",
    "safety": "Safety",
    "attacks": "Attacks",
    "developers": "For developers",
}
_HEADING = re.compile(r"(#{2,3}) (.*)")
_FENCE = re.compile(r"^(`{3,}|~{3,})")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_SIGNS = re.compile(r"^\s*(?:`{3,}|~{3,}).*$|<!--.*?-->|[`*|#]+|^\s*(?:[-+]|\d+\.)\s|-{3,}", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)\s]+\)")


EXCERPT: Final = 220  # characters
MAX_HITS: Final = 20


@dataclass(frozen=True)
class Section:
    """A heading of the second or third level, or what stands before the first, with what follows it."""

    title: str
    text: str
    level: int = 2

    def holds(self, words: str) -> bool:
        """Return whether every word occurs in the section."""
        whole = f"{self.title} {self.text}".casefold()
        return all(word in whole for word in words.casefold().split())


def read_sections(name: str) -> list[Section]:
    """Return the sections of a document, with links that lead to pages of the app."""
    title, level, fence = "", 2, ""
    lines: list[str] = []
    sections: list[Section] = []
    for line in (FOLDER / f"{name}.md").read_text(encoding="utf-8").splitlines():
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and line.startswith(fence) else fence or mark.group(1)
        if not fence and not mark and line.startswith("# "):
            continue  # the page says it already
        heading = None if fence else _HEADING.match(line)
        if heading:
            sections.append(Section(title, "\n".join(lines), level))
            title, level, lines = heading[2].strip(), len(heading[1]), []
            continue
        lines.append(line if fence else _inside(line))
    sections.append(Section(title, "\n".join(lines), level))
    return [section for section in sections if section.title or section.text.strip()]


def _inside(line: str) -> str:
    """Return a line whose links to other documents stay in the app and whose pictures are their words."""

    def follow(found: re.Match[str]) -> str:
        text, target = found.groups()
        name, _, anchor = target.partition("#")
        if not name or "://" in target:
            return found.group(0)
        if Path(name).stem in DOCS:
            return f"[{text}](help?doc={Path(name).stem}{f'#{anchor}' if anchor else ''})"
        return text

    return _LINK.sub(follow, _PICTURE.sub(r"\1", line))


@dataclass(frozen=True)
class Hit:
    """A section that holds what was searched for."""

    name: str  # of the document
    section: Section
    excerpt: str  # what stands around the first of the words, without Markdown


def find_sections(words: str) -> list[Hit]:
    """Return the sections of all documents that hold every word: first where headings do, then where words are many."""
    wanted = words.casefold().split()
    if not wanted:
        return []
    hits = [
        Hit(name, section, _excerpt(section.text, wanted))
        for name in DOCS
        for section in read_sections(name)
        if section.holds(words)
    ]
    return sorted(hits, key=lambda hit: _distance(hit.section, wanted))


def _distance(section: Section, wanted: Sequence[str]) -> tuple[int, float]:
    title, text = re.findall(r"\w+", section.title.casefold()), section.text.casefold()
    return -sum(word in title for word in wanted), -sum(text.count(word) for word in wanted) / (len(text) + EXCERPT)


def _excerpt(text: str, wanted: Sequence[str]) -> str:
    flat = " ".join(_SIGNS.sub(" ", _LINK.sub(r"\1", text)).split())
    found = [at for word in wanted if (at := flat.casefold().find(word)) >= 0]
    start = max(0, min(found, default=0) - EXCERPT // 3)
    start = flat.rfind(" ", 0, start) + 1  # begin with a whole word
    return f"{'… ' if start else ''}{flat[start : start + EXCERPT]}{' …' if start + EXCERPT < len(flat) else ''}"


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
    """Return an excerpt as Markdown with the words in bold."""
    wanted = "|".join(re.escape(label(word)) for word in sorted(words.split(), key=len, reverse=True))
    return re.sub(f"({wanted})", r"**\1**", label(excerpt, limit=2 * EXCERPT), flags=re.IGNORECASE)


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
