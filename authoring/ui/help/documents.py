"""The documentation as the app reads it: the files of `docs/` by sections, their links kept inside. No Streamlit."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.installation import HOME

FOLDER: Final = HOME / "docs"
DOCS: Final = {
    "annotators": "For annotators",
    "maintainers": "For maintainers",
    "prompts": "What models are asked",
    "drafts": "How good drafts are",
    "evaluators": "For evaluators",
    "agents": "Agents of your own",
    "cluster": "Runs over a cluster",
    "api": "The Python API",
    "dseal": "How problemsets are written",
    "glossary": "Glossary",
    "safety": "Safety",
    "attacks": "Attacks",
    "developers": "For developers",
}
_HEADING = re.compile(r"(#{2,3}) (.*)")
_FENCE = re.compile(r"^(`{3,}|~{3,})")
LINK: Final = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)\s]+\)")


@dataclass(frozen=True)
class Section:
    """A heading of the second or third level, or what stands before the first, with what follows it."""

    title: str
    text: str
    level: int = 2


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

    return LINK.sub(follow, _PICTURE.sub(r"\1", line))
