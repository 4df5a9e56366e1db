"""The search of Help: words of a question, the sections that hold them, and what stands around them. No Streamlit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from authoring.ui.help.documents import DOCS, LINK, Section, read_sections

EXCERPT: Final = 220  # characters
GLOSSARY: Final = "glossary"
STOP_WORDS: Final = frozenset(
    (
        *("a", "about", "an", "and", "are", "as", "at", "be", "by", "can", "could", "did", "do", "does", "for", "from"),
        *("get", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "mean", "means", "my", "of", "on"),
        *("or", "should", "so", "than", "that", "the", "their", "them", "then", "there", "these", "this", "to", "was"),
        *("we", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your"),
    )
)
SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {  # a word that people ask with -> the words of these documents
    "approve": ("accept",),
    "delete": ("remove",),
    "download": ("export",),
    "freeze": ("release",),
    "login": ("sign in",),
    "publish": ("release",),
    "publishing": ("release",),
    "reject": ("send back",),
    "shortcut": ("key",),
}
_MARKS = re.compile(r"^\s*(?:`{3,}|~{3,}).*$|<!--.*?-->|^#+ |^\s*(?:[-+]|\d+\.)\s|^-{3,}$", re.MULTILINE)
_SIGNS = re.compile(r"[`*]+")
_RULE = re.compile(r"^\|[\s:|-]+\|?$")  # below the head of a table
_CELLS = re.compile(r"(?<!\\)\|")


class Hit(NamedTuple):
    """A section that holds what was searched for."""

    name: str  # of the document
    section: Section
    excerpt: str  # what stands around the first of the words, without Markdown


@dataclass(frozen=True)
class _Term:
    """A word of the question, with other words for the same."""

    word: str
    others: tuple[str, ...]

    def find(self, text: str) -> int:
        """Return where the word stands as a whole, or else within another; -1: nowhere."""
        whole = re.search(rf"\b(?:{'|'.join(map(re.escape, (self.word, *self.others)))})s?\b", text)
        return whole.start() if whole else text.find(_stem(self.word))

    def count(self, text: str) -> int:
        return sum(text.count(each) for each in (_stem(self.word), *self.others))

    def count_whole(self, text: str) -> int:
        return sum(len(re.findall(rf"\b{re.escape(_stem(each))}s?\b", text)) for each in (self.word, *self.others))

    def in_title(self, title: Sequence[str]) -> bool:
        joined = f" {' '.join(title)} "
        return any(f" {' '.join(map(_stem, each.split()))} " in joined for each in (self.word, *self.others))


def wanted_words(words: str) -> list[str]:
    """Return the words of a question that say what is looked for; all of them where none does."""
    every = [word for each in words.casefold().split() if (word := each.strip("?!.,;:\"'“”()"))]
    return [word for word in every if word not in STOP_WORDS] or every


def find_sections(words: str) -> list[Hit]:
    """Return the sections of all documents that hold every word, or another word for it.

    What the glossary says of a term stands first, then come sections whose headings have the words, then those where
    the words are many.
    """
    terms = [_Term(word, SYNONYMS.get(word, ())) for word in wanted_words(words)]
    if not terms:
        return []
    found = [(name, each) for name in DOCS for each in read_sections(name) if _holds(each, terms)]
    found.sort(key=lambda each: _distance(each[1], terms))
    hits = [Hit(name, section, _excerpt(section.text, terms)) for name, section in found]
    defined = _definition(" ".join(wanted_words(words)))
    if defined is None:
        return hits
    return [defined, *(hit for hit in hits if (hit.name, hit.section) != (defined.name, defined.section))]


def shown_words(words: str) -> list[str]:
    """Return what an excerpt marks: the words of a question, and the other words that were searched for."""
    wanted = wanted_words(words)
    return [*map(_stem, wanted), *(other for word in wanted for other in SYNONYMS.get(word, ()))]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _holds(section: Section, terms: Sequence[_Term]) -> bool:
    whole = f"{section.title} {section.text}".casefold()
    return all(term.count(whole) for term in terms)


def _distance(section: Section, terms: Sequence[_Term]) -> tuple[int, float, int]:
    title = [_stem(word) for word in re.findall(r"\w+", section.title.casefold())]
    text = section.text.casefold()
    whole = sum(term.count_whole(text) for term in terms) / (len(text) + EXCERPT)
    return -sum(term.in_title(title) for term in terms), -whole, -sum(term.count(text) for term in terms)


def _definition(asked: str) -> Hit | None:
    """Return what the glossary says of a term."""
    for section in read_sections(GLOSSARY):
        for line in section.text.splitlines():
            cells = _cells(line)
            named = {_stem(name.strip().casefold()) for name in _plain(cells[0]).split(",")} if len(cells) == 2 else ()
            if _stem(asked) in named:
                return Hit(GLOSSARY, section, _plain(": ".join(cells)))
    return None


def _excerpt(text: str, terms: Sequence[_Term]) -> str:
    flat = _plain(text)
    low = flat.casefold()
    found = [at for term in terms if (at := term.find(low)) >= 0]
    start = max(0, min(found, default=0) - EXCERPT // 3)
    start = flat.rfind(" ", 0, start) + 1  # begin with a whole word
    return f"{'… ' if start else ''}{flat[start : start + EXCERPT]}{' …' if start + EXCERPT < len(flat) else ''}"


def _plain(text: str) -> str:
    """Return Markdown as one line of text; a row of a table becomes a sentence."""
    lines = (_SIGNS.sub("", _MARKS.sub(" ", LINK.sub(r"\1", line))) for line in _sentences(text))
    return " ".join(" ".join(lines).split())


def _sentences(text: str) -> Iterator[str]:
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _RULE.match(line) or _RULE.match(following):
            continue  # the head of a table
        cells = _cells(line)
        if not cells:
            yield line
            continue
        said = ": ".join([cells[0], ", ".join(cells[1:])])
        yield said if said.endswith((".", "?")) else f"{said}."


def _cells(line: str) -> list[str]:
    """Return the cells of a table's row; of any other line none."""
    return [cell.strip() for cell in _CELLS.split(line.strip()[1:].removesuffix("|"))] if line.startswith("|") else []
