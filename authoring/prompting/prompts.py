"""The texts that models are given: versioned files beside this module; a workspace may bring its own.

A prompt file begins with a line `version: 1`. Both the version and the text's digest stand in the provenance of what
was made with it, so that two drafts can be told apart by the words that asked for them.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Final

from authoring.languages import Language
from authoring.prompting.blocks import Block, block, joined
from authoring.prompting.sketch_fields import SKETCH_FIELDS
from authoring.store.drafting.guide import GuideRevision, current_guide
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError

FOLDER: Final = Path(__file__).parent / "prompt_files"
OWN_FOLDER: Final = "prompts"  # of a workspace
MAX_PROMPT_BYTES: Final = 200_000
OPTIONAL_PLACES: Final = frozenset({"query_language"})  # a prompt may lack them while nothing is put there
_HEAD = re.compile(r"\Aversion:[ \t]*(?P<version>[\w.+-]{1,40})[ \t]*\r?\n")


@dataclass(frozen=True)
class Prompt:
    """One prompt as it is filled in."""

    name: str
    version: str
    text: str
    path: Path
    own: bool = False  # whether a workspace's own file stands in for the shipped one

    @property
    def places(self) -> frozenset[str]:
        """The names of the `${...}` places in the text."""
        return frozenset(Template(self.text).get_identifiers())


@dataclass(frozen=True)
class PromptRequest:
    """What a model is asked first, before anything goes back to it."""

    name: str  # of the prompt file
    system: str
    text: str
    blocks: tuple[Block, ...]  # that it is put together from

    @property
    def tokens(self) -> int:
        """How many tokens it takes (estimated count)."""
        return sum(each.tokens for each in self.blocks)

    def to_json(self) -> dict[str, Any]:
        """Return its size as plain JSON values: estimated tokens of each block, and which of them were cut."""
        sizes = {each.name: each.tokens for each in self.blocks if each.text}
        return {"tokens": self.tokens, "blocks": sizes, "cut": [each.name for each in self.blocks if each.is_cut]}

    def shown(self) -> str:
        """Return it as a person reads it: the system message, then the request."""
        return f"[system]\n{self.system}\n\n[user]\n{self.text}"


@dataclass
class PromptBook:
    """The prompts of one workspace; remembers which of them were used."""

    root: Path | None = None  # the workspace's folder; None: only the shipped prompts
    used: dict[str, Prompt] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return a prompt without places.

        Raises:
            ContentError: If the workspace's own file cannot be used.
        """
        return self._find(name).text

    def fill(self, name: str, **parts: str) -> str:
        """Return the prompt `name` with its `${...}` places filled; a part that is missing is our own mistake.

        Raises:
            ContentError: If the workspace's own file cannot be used.
        """
        prompt = self._find(name)
        unplaced = sorted(key for key in OPTIONAL_PLACES - prompt.places if parts.get(key))
        if unplaced:
            raise _lacks(unplaced, prompt.path)
        return Template(prompt.text).substitute(parts)

    def request(self, name: str, places: Mapping[str, Sequence[Block]], **parts: str) -> PromptRequest:
        """Return the prompt `name` as a request: `places` are filled with blocks, `parts` with short texts.

        Raises:
            ContentError: If the workspace's own file cannot be used.
        """
        system = self.text("system")
        text = self.fill(name, **{place: joined(blocks) for place, blocks in places.items()}, **parts)
        words = self.fill(name, **dict.fromkeys(places, ""), **parts)
        filled = (each for blocks in places.values() for each in blocks)
        return PromptRequest(name, system, text, (Block("system", system), Block("instructions", words), *filled))

    def provenance(self) -> dict[str, dict[str, Any]]:
        """Return the prompts that were used, by name: version, digest, and whether they are the workspace's own."""
        return {
            name: {"version": found.version, "digest": digest_of(found.text), "own": found.own}
            for name, found in sorted(self.used.items())
        }

    def _find(self, name: str) -> Prompt:
        shipped = shipped_prompt(name)
        path = self.root / OWN_FOLDER / f"{name}.md" if self.root else None
        found = _own_prompt(shipped, path) if path is not None and path.is_file() else shipped
        self.used[name] = found
        return found


@cache
def shipped_prompt(name: str) -> Prompt:
    """Return the shipped prompt `name` (without ending)."""
    path = FOLDER / f"{name}.md"
    version, text = _split(path.read_text(encoding="utf-8"), "1")
    return Prompt(name, version, text, path)


def prompt_text(name: str) -> str:
    """Return the text of the shipped prompt `name`, without its version."""
    return shipped_prompt(name).text


def fill(name: str, **parts: str) -> str:
    """Return the shipped prompt `name` with its `${...}` places filled; a part that is missing is our own mistake."""
    return Template(prompt_text(name)).substitute(parts)


def guide_revision(ws: Workspace) -> GuideRevision:
    """Return the workspace's guide as it is now; a workspace without one gets the text that is shipped."""
    return current_guide(ws, prompt_text("guide"))


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _own_prompt(shipped: Prompt, path: Path) -> Prompt:
    version, text = _split(_read_own(path), "own")
    prompt = Prompt(shipped.name, version, text, path, own=True)
    if not Template(text).is_valid():
        what, fix = "the prompt holds a '$' that opens no place", "write '$$' for a dollar sign, '${name}' for a place"
        raise ContentError(what, where=str(path), fix=fix)
    missing, unknown = shipped.places - prompt.places - OPTIONAL_PLACES, prompt.places - shipped.places
    if missing:
        raise _lacks(sorted(missing), path)
    if unknown:
        listed = ", ".join(f"${{{name}}}" for name in sorted(unknown))
        known = ", ".join(f"${{{name}}}" for name in sorted(shipped.places)) or "none"
        fix = f"use only these places: {known}; write '$$' for a dollar sign"
        raise ContentError(f"the prompt has places that nothing fills: {listed}", where=str(path), fix=fix)
    return prompt


def _lacks(places: list[str], path: Path) -> ContentError:
    listed = ", ".join(f"${{{name}}}" for name in places)
    return ContentError(f"the prompt lacks the places {listed}", where=str(path), fix=f"put {listed} into the text")


def _read_own(path: Path) -> str:
    data = path.read_bytes()[: MAX_PROMPT_BYTES + 1]
    if len(data) > MAX_PROMPT_BYTES:
        what = f"the prompt is longer than {MAX_PROMPT_BYTES:,} bytes"
        raise ContentError(what, where=str(path), fix="shorten it, or delete the file to use the shipped prompt")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContentError("the prompt is not UTF-8 text", where=str(path), fix="save it as UTF-8") from error


def _split(text: str, without: str) -> tuple[str, str]:
    """Return the version on the first line, or `without`, and the text below it, the fields of a sketch filled in."""
    head = _HEAD.match(text)
    version, below = (head["version"], text[head.end() :]) if head else (without, text)
    fields = "\n".join(f"- `{field.name}`: {field.meaning}" for field in SKETCH_FIELDS)
    return version, below.strip().replace("{{sketch fields}}", fields)


_QUOTED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^'\n]*'")  # names, values and code are the same in all languages
_CHINESE: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN: Final = re.compile(r"[A-Za-z_]{2,}")


def language_rule(book: PromptBook, language: Language) -> Block:
    """Return the part of a prompt that asks for the language; empty for English, in which prompts are written."""
    rule = "" if language is Language.ENGLISH else f"{book.text(f'queries_{language.value}')}\n\n"
    return block("query language", rule)


def is_chinese(text: str) -> bool:
    """Return whether a text is mostly Chinese: more characters than Latin words, names in quotes not counted."""
    plain = _QUOTED.sub(" ", text)
    return len(_CHINESE.findall(plain)) > len(_LATIN.findall(plain))


def other_languages(queries: Sequence[str], language: Language) -> str:
    """Return the complaint about queries that are mostly not in the language; empty when there is none."""
    if language is not Language.CHINESE:
        return ""
    wrong = [str(number) for number, query in enumerate(queries, 1) if not is_chinese(query)]
    return f"these queries are not written in Chinese, as asked for: {', '.join(wrong)}" if wrong else ""
