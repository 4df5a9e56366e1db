"""The documentation inside the app: the files of `docs/`, their sections found by words, their links kept inside."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.store.workspace import Workspace
from authoring.ui.drawing.markup import cell_text
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
_FENCE = re.compile(r"^(`{3,}|~{3,})")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)\s]+\)")


@dataclass(frozen=True)
class Section:
    """A heading of the second level, or what stands before the first, with what follows it."""

    title: str
    text: str

    def holds(self, words: str) -> bool:
        """Return whether every word occurs in the section."""
        whole = f"{self.title} {self.text}".casefold()
        return all(word in whole for word in words.casefold().split())


def read_sections(name: str) -> list[Section]:
    """Return the sections of a document, with links that lead to pages of the app."""
    title, fence = "", ""
    lines: list[str] = []
    sections: list[Section] = []
    for line in (FOLDER / f"{name}.md").read_text(encoding="utf-8").splitlines():
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and line.startswith(fence) else fence or mark.group(1)
        if not fence and not mark and line.startswith("# "):
            continue  # the page says it already
        if not fence and line.startswith("## "):
            sections.append(Section(title, "\n".join(lines)))
            title, lines = line[3:].strip(), []
            continue
        lines.append(line if fence else _inside(line))
    sections.append(Section(title, "\n".join(lines)))
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


def draw_document(name: str, words: str) -> None:
    """Draw a document, or those of its sections that hold all the words."""
    sections = read_sections(name)
    found = [section for section in sections if section.holds(words)]
    if not found:
        elsewhere = [
            title
            for other, title in DOCS.items()
            if other != name and any(section.holds(words) for section in read_sections(other))
        ]
        where = f"They occur in: {', '.join(elsewhere)}." if elsewhere else "No document has them: try fewer words."
        draw_empty(f"No section has the words {label(words)}", where)
        return
    if words:
        st.caption(f"{plural(len(found), 'section')} of {len(sections)} with these words")
    for section in found:
        if section.title:
            st.header(section.title.replace("`", ""), anchor=_anchor(section.title))
        st.markdown(section.text)


def _anchor(title: str) -> str:
    """Return what links to a heading call it, as on the pages where the documents are read otherwise."""
    return re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-")


HEIGHT = 480


def draw_guide_beside(ws: Workspace) -> None:
    """Draw a switch, and below it the newest guide with its lines numbered, so that people can quote them."""
    shown = st.toggle(
        "Guide beside the page",
        key="frame:guide",
        persist_state="session",
        help="What authors keep to, on every page. Draw the sidebar wider to read it.",
    )
    if not shown:
        return
    from authoring.drafting.guide.guide_effects import shown_guide

    guide = shown_guide(ws)
    st.caption(f":material/rule: revision {guide.number}, lines numbered")
    st.code(cell_text(guide.text), language=None, line_numbers=True, wrap_lines=True, height=HEIGHT)
