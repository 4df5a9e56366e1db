"""Reading what a model says, and filling prompts."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

PROMPTS: Final = Path(__file__).parent / "prompts"
MAX_ANSWER_CHARS: Final = 400_000  # of a model's answer, from which on nothing is read
UNFENCED: Final = "unfenced"
"""Label of a submission whose reply had no fenced block: all of it counts as code."""
FENCE: Final = re.compile(r"^[ \t]*(```+|~~~+)[^\n`]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CLOSED: Final = re.compile(r"^[ \t]*(```+|~~~+)[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_MARK: Final = "```"
_THOUGHT: Final = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_VERSION: Final = re.compile(r"\Aversion:[^\n]*\n")


class CodeInReply(NamedTuple):
    """The code of a reply."""

    code: str
    labels: tuple[str, ...] = ()  # UNFENCED, or none


def code_in_reply(reply: str) -> CodeInReply:
    """Return the code of a reply: its first block that is closed on its own line, else anywhere, else not, else all.

    Source: the parser of CoML, as arXiv:2402.17168 ran it; there only the first line of an unfenced reply is kept.
    """
    text = without_thought(reply[:MAX_ANSWER_CHARS].replace("\r\n", "\n").replace("\x00", ""))
    closed = _CLOSED.search(text)
    if closed is not None:
        return CodeInReply(closed[2].strip("\n"))
    begin = text.find(_MARK)
    line_end = text.find("\n", begin) if begin >= 0 else -1
    if line_end < 0:
        unclosed = next(fenced_blocks(text), None)
        return CodeInReply(text.strip("\n"), (UNFENCED,)) if unclosed is None else CodeInReply(unclosed.strip("\n"))
    end = text.find(_MARK, line_end + 1)
    return CodeInReply((text[line_end + 1 : end] if end >= 0 else text[line_end + 1 :]).strip("\n"))


def read_code(answer: str) -> str:
    """Return the code in a model's answer: its first fenced block, closed or not, else all of it."""
    return code_in_reply(answer).code


def without_thought(answer: str) -> str:
    """Drop the thinking aloud that some endpoints leave before the answer: its code and lists are not meant."""
    return _THOUGHT.sub("", answer, count=1)


def fenced_blocks(text: str) -> Iterator[str]:
    """Yield what stands between fences, the last of which may be missing."""
    for match in FENCE.finditer(text):
        yield match.group(2)


def clipped(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, its beginning, with a mark where it was cut."""
    return text if len(text) <= limit else f"{text[:limit]}\n... ({len(text) - limit} characters left out)"


def indented(text: str, by: str) -> str:
    """Return a text with something before each of its lines."""
    return "".join(f"{by}{line}" for line in text.splitlines(keepends=True))


@cache
def prompt_text(name: str) -> str:
    """Return the text of a prompt, without the line that tells its version."""
    return _VERSION.sub("", (PROMPTS / f"{name}.md").read_text(encoding="utf-8")).strip()


def filled_prompt(name: str, **parts: str) -> str:
    """Return the text of a prompt with its parts filled in."""
    return Template(prompt_text(name)).substitute(parts)
