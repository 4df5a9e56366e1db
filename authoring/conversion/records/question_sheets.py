"""Prompts laid out as a question with a program below it: `Problem: ... A: <code> ... </code> BEGIN SOLUTION`."""

import re
from typing import Final, NamedTuple

_BLOCK: Final = re.compile(r"<code>[ \t]*\n?(.*?)(?:</code>|\Z)", re.DOTALL)
_BEGIN: Final = re.compile(r"^[ \t]*(?:#+\s*)?BEGIN SOLUTION[ \t]*$", re.MULTILINE)
_LABEL: Final = re.compile(r"\A\s*(?:problem|question)\s*:\s*", re.IGNORECASE)
_ANSWER: Final = re.compile(r"^[ \t]*(?:A|answer)[ \t]*:[ \t]*$", re.MULTILINE | re.IGNORECASE)
_PLACE: Final = re.compile(r"^[ \t]*(\w[\w, \t]{0,199}?)[ \t]{0,20}=[ \t]{0,20}\.\.\.[^\n]*$", re.MULTILINE)


class Sheet(NamedTuple):
    """The parts of such a prompt."""

    words: str  # the question
    code: str  # what the solution goes on with
    answers: tuple[str, ...]  # the variables that the sheet leaves open


def read_sheet(prompt: str) -> Sheet | None:
    """Return the parts of a prompt that is laid out as a sheet; None: it is not."""
    begin = _BEGIN.search(prompt)
    answer = list(_ANSWER.finditer(prompt))
    if "<code>" not in prompt or (begin is None and not answer):
        return None
    start = answer[-1].start() if answer else prompt.index("<code>")
    told, rest = prompt[:start], prompt[start:]
    block = _BLOCK.search(rest)
    code = _BEGIN.sub("", block[1]) if block is not None else ""
    after = rest[block.end() :] if block is not None else rest
    answers = [name.strip() for found in _PLACE.finditer(after) for name in found[1].split(",")]
    return Sheet(_LABEL.sub("", told).strip(), code.rstrip() + "\n" if code.strip() else "", tuple(answers))


def open_places(prompt: str) -> tuple[str, tuple[str, ...]]:
    """Return a prompt without its lines `name = ...`, and those names: the solution makes them."""
    names = [name.strip() for found in _PLACE.finditer(prompt) for name in found[1].split(",") if name.strip()]
    if not names or not all(name.isidentifier() for name in names):
        return prompt, ()
    return _PLACE.sub("", prompt), tuple(names)
