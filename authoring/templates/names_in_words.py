"""How names and values of a table are written in queries and in code."""

import builtins
import json
import keyword
import re
from collections.abc import Container, Iterable
from typing import Final

from authoring.languages import Language
from authoring.seeds.profile import Scalar
from authoring.templates.phrases import Joint, Listing, Name, spaces_warning

MAX_LINE: Final = 100  # characters of a line of reference code
_TAKEN: Final = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
_TAKEN_HERE: Final = frozenset({"pd", "np", "inputs", "exit", "quit", "get_ipython", "display", "In", "Out"})


def code(text: str) -> Name:
    """Return a name as queries show it."""
    return Name(text)


def names(texts: Iterable[str], joint: Joint = Joint.AND) -> Listing:
    """Return names in words: `a`, `b` and `c`."""
    return Listing(tuple(map(Name, texts)), joint)


def literal(value: Scalar | list[str] | list[Scalar] | list[float]) -> str:
    """Return a value as Python code, text in double quotes."""
    if isinstance(value, list):
        return f"[{', '.join(literal(one) for one in value)}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def shown(value: Scalar) -> str:
    """Return a value as queries show it: text in quotes, whole numbers without a decimal point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:  # pyrefly: ignore[missing-attribute]
        return str(int(value))
    return f'"{value}"' if isinstance(value, str) else repr(value)


def slug(text: str, *, limit: int = 24) -> str:
    """Return a lower-case ASCII identifier made of `text`, or an empty text when nothing is left."""
    parts = re.findall(r"[a-z0-9]+", text.lower() if text.isascii() else "")
    joined = ""
    for part in parts:
        if len(joined) + len(part) > limit:
            break
        joined = f"{joined}_{part}" if joined else part
    joined = re.sub(r"(_(and|of|per|the|in|for|to|by|with))+$", "", joined)
    return joined if joined and not joined[0].isdigit() else ""


def free_name(base: str, taken: Container[str]) -> str:
    """Return `base`, or `base` and a number: an identifier that is no keyword, no builtin and not in `taken`."""
    stem = base or "table"
    if keyword.iskeyword(stem) or stem in _TAKEN or stem in _TAKEN_HERE:
        stem = f"{stem}_data"
    return next(name for n in range(1, 1000) if (name := stem if n == 1 else f"{stem}_{n}") not in taken)


def warn_once(text: str, language: Language) -> str:
    """Return `text` with the warning about a name's spaces at its first mention only."""
    kept: set[str] = set()
    warning = spaces_warning(language)

    def once(match: re.Match[str]) -> str:
        name, space = match.groups()
        said = name in kept
        kept.add(name)
        if said:
            return f"{name}{space}"
        return f"{name}{warning}{space}" if warning.isascii() else f"{name}{warning}"  # wide brackets bring space

    return re.sub(rf'("[^"]*"){re.escape(warning)}( ?)', once, text)


def fold(line: str) -> str:
    """Return a line of code with its chain of calls folded in parentheses when it is too long to read."""
    if len(line) <= MAX_LINE or line != line.lstrip():
        return line
    target, _, chain = line.partition(" = ") if re.match(r"[^()]*? = ", line) else ("", "", line)
    links = _links(chain)
    if len(links) < 3:
        return line
    folded = "".join(f"    {link}\n" for link in links)
    return f"{target + ' = ' if target else ''}(\n{folded})"


def _links(chain: str) -> list[str]:
    """Return the calls of a chain, `a.b(c).d(e)` as `a`, `.b(c)` and `.d(e)`; one piece when it is no chain."""
    cuts, depth, quote = [0], 0, ""
    for position, sign in enumerate(chain):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif depth == 0 and sign in " +-*/":
            return [chain]
        elif depth == 0 and sign == "." and re.match(r"\.\w+\(", chain[position:]):
            cuts.append(position)
    pieces = [chain[start:end] for start, end in zip(cuts, [*cuts[1:], len(chain)], strict=True)]
    return [pieces[0] + pieces[1], *pieces[2:]] if len(pieces) > 1 else pieces
