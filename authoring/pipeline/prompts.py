"""The texts that models are given: files beside this module, filled in with what is known of a seed."""

import hashlib
from functools import cache
from pathlib import Path
from string import Template
from typing import Final

FOLDER: Final = Path(__file__).parent / "prompts"


@cache
def prompt_text(name: str) -> str:
    """Return the prompt file `name` (without ending) as it is."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


def fill(name: str, **parts: str) -> str:
    """Return the prompt `name` with its `${...}` places filled; a part that is missing is our own mistake."""
    return Template(prompt_text(name)).substitute(parts)


def guide_revision() -> str:
    """Return what names the guide's text in provenance: the first digits of its digest."""
    return f"shipped-{digest_of(prompt_text('guide'))[:12]}"


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def section(title: str, text: str) -> str:
    """Return a titled part of a prompt; nothing at all when there is no text."""
    return f"\n# {title}\n{text}\n" if text else ""


def clipped(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, its beginning, with a mark where it was cut."""
    return text if len(text) <= limit else f"{text[:limit]}\n... ({len(text) - limit} characters left out)"
