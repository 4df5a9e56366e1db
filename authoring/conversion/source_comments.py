"""Comments of Python code, with their places; also of code that does not parse to its end."""

import io
import re
import tokenize
from collections.abc import Iterable
from typing import Final, NamedTuple

_HASHES: Final = re.compile(r"^#+:? ?(?:#+ )*")
_RULER: Final = re.compile(r"^[\W_]*$")
_BOILERPLATE: Final = re.compile(
    r"(?:begin|end|start)\s+(?:your\s+)?solution|solution\s+(?:start|end|here|below)"
    r"|your (?:code|answer|solution)\b.*\bhere"
    r"|(?:write|put|add|insert|enter|type) (?:your )?(?:code|solution|answer)\b.*\b(?:here|below|variable|function)"
    r"|^(?:todo|fixme|solution|answer|code)\W*$|^\[?insert\]?$|^(?:-\*-|vim:|!/)|^coding[:=]"
    r"|^(?:the |my |your )?code(?: is)?\W*$",
    re.IGNORECASE,
)


class SourceComment(NamedTuple):
    """One comment."""

    line: int  # counts from 1
    column: int  # of its first character, counts from 0
    text: str  # with the hash
    is_whole_line: bool  # nothing stands before it


def comments_in(code: str) -> list[SourceComment]:
    """Return the comments of code in order, up to where it can be read."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                found.append(SourceComment(line, column, token.string, not token.line[:column].strip()))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def told_by(comments: Iterable[SourceComment]) -> str:
    """Return what comments say, line by line, without rulers and the marks of an exercise sheet."""
    lines = [_HASHES.sub("", comment.text).rstrip() for comment in comments]
    return "\n".join(line for line in lines if not _RULER.match(line) and not _BOILERPLATE.search(line))
