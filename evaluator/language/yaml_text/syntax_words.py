"""Says in plain words what the YAML parser stumbled over, for the mistakes that people make most."""

import re
from typing import Final, NamedTuple

import yaml

QUOTE: Final = "put the text in quotes"
ANY: Final = "correct the YAML; put text with ':' or '#' in quotes or in a block after '|'"
CLOSERS: Final = {"[": "]", "{": "}"}
_BRACKETS: Final = re.compile(r"""(?<![^\s,\[{:])(?:"[^"\n]*"|'[^'\n]*')|(?<!\S)#[^\n]*|[\[\]{}]""")


class SyntaxWords(NamedTuple):
    """Where the mistake is, what it is, and the remedy."""

    line: int  # from 1
    what: str
    fix: str


class _Place(NamedTuple):
    """One character of the text."""

    line: int  # from 1
    column: int  # from 1
    before: str  # the line up to it
    rest: str  # the line from it on


def explain(error: yaml.MarkedYAMLError, text: str) -> SyntaxWords:
    """Return what is wrong with a text that the parser refused."""
    problem, context = str(error.problem or ""), str(error.context or "")
    is_wide = not context or "block" in context  # the context starts far above the fault
    mark = (error.problem_mark if is_wide else error.context_mark) or error.problem_mark or error.context_mark
    if mark is None:
        return SyntaxWords(1, _in_plain_words(error), ANY)
    here, end = _place(mark, text), _place(error.problem_mark or mark, text)
    if "'\\t'" in problem:
        said = (f"a tab stands in column {here.column}", "indent with spaces: YAML takes no tabs")
    elif "flow" in context:
        return _in_brackets(here, end, problem, text)
    elif "quoted scalar" in context:
        said = _in_quotes(here, problem)
    elif "mapping values" in problem:
        said = _of_colon(here, text)
    elif "expected <block end>" in problem:
        said = _of_block(here, problem)
    else:
        said = _of_line(here, problem) or (f"{_in_plain_words(error)}, column {here.column}", ANY)
    return SyntaxWords(here.line, *said)


def _place(mark: yaml.Mark, text: str) -> _Place:
    lines = text.split("\n")
    at = min(mark.line, len(lines) - 1)
    return _Place(at + 1, mark.column + 1, lines[at][: mark.column], lines[at][mark.column :])


def _in_brackets(opened: _Place, end: _Place, problem: str, text: str) -> SyntaxWords:
    bracket = opened.rest[:1]
    closer = CLOSERS.get(bracket, "]")
    if "got '<stream end>'" not in problem and (end.line == opened.line or _is_closed(closer, end, text)):
        if "got ':'" in problem:
            return SyntaxWords(end.line, f"there is one ':' too many in column {end.column}", QUOTE)
        what = f"',' or '{closer}' is missing before column {end.column}"
        fix = f"separate what stands between '{bracket}' and '{closer}' by commas, and put text with signs in quotes"
        return SyntaxWords(end.line, what, fix)
    what = f"the bracket '{bracket}' in column {opened.column} is not closed"
    if " #" in opened.rest:
        what, fix = f"{what}: what follows '#' is a comment", f"{QUOTE}, or write '{closer}' before the comment"
        return SyntaxWords(opened.line, what, fix)
    return SyntaxWords(opened.line, what, f"write '{closer}' where it ends")


def _is_closed(closer: str, end: _Place, text: str) -> bool:
    """Return whether the first bracket from a place on that closes none opened behind that place is the one wanted."""
    depth = 0
    for found in _BRACKETS.findall("\n".join([end.rest, *text.split("\n")[end.line :]])):
        if found in CLOSERS.values() and depth == 0:
            return bool(found == closer)
        depth += (found in CLOSERS) - (found in CLOSERS.values())
    return False


def _in_quotes(opened: _Place, problem: str) -> tuple[str, str]:
    quote = opened.rest[:1]
    if "end of stream" in problem or "document separator" in problem:
        return f"the quote {quote} in column {opened.column} is not closed", f"write {quote} where the text ends"
    return f"the text in quotes that begins in column {opened.column} cannot be read: {problem}", (
        "write a backslash twice, or use single quotes"
    )


def _of_colon(colon: _Place, text: str) -> tuple[str, str]:
    if ": " in f"{colon.before} ".lstrip("- "):
        return f"there is a second ':' in column {colon.column}", "put the text that follows the first ':' in quotes"
    above = [line for line in text.split("\n")[: colon.line - 1] if line.strip() and not line.lstrip().startswith("#")]
    if above and ": " not in f"{above[-1]} ":
        return "the line above has no ':' with a space after it", "write it as 'key: value', or remove it"
    return (
        "the line is indented further than the one above, which has a value already",
        "indent it as far as the line above",
    )


def _of_block(place: _Place, problem: str) -> tuple[str, str]:
    if place.before.rstrip().endswith(("'", '"')):
        quote = place.before.rstrip()[-1]
        return (
            f"the quote {quote} in column {len(place.before.rstrip())} ends the text, and more follows",
            "put the whole text in the other kind of quotes, or write this one twice within '…'",
        )
    if place.rest[:1] in CLOSERS.values():
        return f"the bracket '{place.rest[:1]}' in column {place.column} closes nothing", "remove it, or open it before"
    if place.column == 1:
        return "a key stands where the list above goes on", "indent the list, or begin the line with '- '"
    if not place.before.strip():
        return (
            "the indentation is that of no line above",
            "indent all keys of one level by the same number of spaces",
        )
    return f"column {place.column} does not fit what stands above: {problem}", ANY


def _of_line(place: _Place, problem: str) -> tuple[str, str] | None:
    if "cannot start any token" in problem:
        return f"text cannot begin with {place.rest[:1]!r}, as in column {place.column}", QUOTE
    if "could not find expected ':'" in problem:
        return "the line has no ':' with a space after it", "write it as 'key: value', or remove it"
    if "sequence entries" in problem:
        return f"a list begins behind a key, in column {place.column}", "begin it on the next line, or put it in quotes"
    return None


_PLACES: Final = {
    "while parsing a block mapping": "in a mapping",
    "while parsing a block collection": "in a list",
    "while scanning a simple key": "in a key",
}
_SIGNS: Final = {
    "'<stream end>'": "the end of the text",
    "<block end>": "its end",
    "'?'": "a key",
    "'<scalar>'": "a value",
    "'<block mapping start>'": "the start of a mapping",
    "'<block sequence start>'": "the start of a list",
}


def _in_plain_words(error: yaml.MarkedYAMLError) -> str:
    """Return what the parser says, without its names of what it reads."""
    place = _PLACES.get(error.context or "", error.context)
    words = ": ".join(part for part in (place, error.problem) if part)
    for sign, plain in _SIGNS.items():
        words = words.replace(sign, plain)
    return words
