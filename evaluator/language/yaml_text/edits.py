"""Changes one value of a YAML text in place, so that all that is said around it stays as it is written."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import yaml

from evaluator.language.yaml_text.reader import KeyPath

_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#[^\n]*")
_COMMA: Final = re.compile(r"\s*,")
_REST: Final = re.compile(r"[ \t]*")
_OWN_COMMENT: Final = re.compile(r"[ \t]+#[^\n]*")


class _Pair(NamedTuple):
    key: yaml.Node
    value: yaml.Node


def edited_in_place(text: str, path: KeyPath, value: Any, *, drop: bool = False) -> str | None:
    """Return a readable YAML text with the value at a path of keys replaced, added to a mapping in braces, or dropped.

    The caller reads the result again: it may say something else where the text is unusual.

    Returns:
        The text, or None where the value cannot be changed without writing anew what stands around it.
    """
    mapping: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    for key in path[:-1]:
        found = _pair(mapping, key)
        mapping = None if found is None else found.value
    if not isinstance(mapping, yaml.MappingNode):
        return None
    found = _pair(mapping, path[-1])
    if found is None:
        return None if drop or not mapping.flow_style else _added(text, mapping, path[-1], value)
    if drop:
        return _dropped(text, mapping, found) if mapping.flow_style else None
    if isinstance(found.value, yaml.SequenceNode) and not found.value.flow_style:
        return _with_items(text, found.value, value)
    return _replaced(text, found.value, value)


def lost_comments(before: str, after: str, path: KeyPath) -> list[str]:
    """Return comments of one readable YAML text that another one lacks; those of the value at `path` do not count."""
    first, last = _span(before, path)
    wanted = Counter(said for at, said in _comments(before) if not first <= at <= last)
    return list((wanted - Counter(said for _, said in _comments(after))).elements())


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield each comment with where it begins: what stands between two tokens."""
    end = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        start = token.start_mark.index
        yield from ((found.start(), found[0].strip()) for found in _COMMENT.finditer(text, end, max(end, start)))
        end = max(end, token.end_mark.index)
    yield from ((found.start(), found[0].strip()) for found in _COMMENT.finditer(text, end))


def _span(text: str, path: KeyPath) -> tuple[int, int]:
    """Return where what is said of a key begins and ends."""
    span = (0, -1)
    mapping: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    for key in path:
        found = _pair(mapping, key)
        if found is None:
            return (0, -1)
        mapping = found.value
        line_end = text.find("\n", found.value.end_mark.index)
        span = (found.key.start_mark.index, len(text) if line_end < 0 else line_end)
    return span


def _pair(mapping: yaml.Node | None, key: str | int) -> _Pair | None:
    pairs = mapping.value if isinstance(mapping, yaml.MappingNode) else []
    return next((_Pair(*pair) for pair in pairs if pair[0].value == str(key)), None)


def _inline(value: Any) -> str:
    """Return a value as YAML of one line that may stand within brackets."""
    written: str = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=10**6, sort_keys=False)
    return written.strip()[1:-1]


def _replaced(text: str, node: yaml.Node, value: Any) -> str | None:
    start, end = node.start_mark.index, node.end_mark.index
    is_block = isinstance(node, yaml.MappingNode) and not node.flow_style
    if start == end or is_block or getattr(node, "style", None) in ("|", ">"):
        return None
    if any(start <= at < end for at, _ in _comments(text)):
        return None
    return f"{text[:start]}{_inline(value)}{text[end:]}"


def _added(text: str, mapping: yaml.MappingNode, key: str | int, value: Any) -> str:
    pair = f"{_inline(key)}: {_inline(value)}"
    if not mapping.value:
        at = mapping.start_mark.index + 1
        return f"{text[:at]}{pair}{text[at:]}"
    at = mapping.value[-1][1].end_mark.index
    return f"{text[:at]}, {pair}{text[at:]}"


def _dropped(text: str, mapping: yaml.MappingNode, found: _Pair) -> str | None:
    """Return a text without a pair in braces and one comma beside it; None where a comment stands before the comma."""
    at = next(place for place, pair in enumerate(mapping.value) if pair[0] is found.key)
    start, end = found.key.start_mark.index, found.value.end_mark.index
    above = mapping.value[at - 1][1].end_mark.index if at else mapping.start_mark.index + 1
    is_first_of_line = not at or "\n" in text[above:start]
    if after := _COMMA.match(text, end):
        return _cut(text, start, after.end(), with_comment=is_first_of_line)
    if at == 0:
        return f"{text[:start]}{text[end:]}" if len(mapping.value) == 1 else None
    comma = _COMMA.match(text, above)
    if comma is None:
        return None
    if not is_first_of_line:
        return f"{text[:above]}{text[end:]}"
    made = _cut(text, start, end, with_comment=True)
    return f"{made[: comma.end() - 1]}{made[comma.end() :]}"


def _cut(text: str, start: int, end: int, *, with_comment: bool) -> str:
    """Return a text without a part of it, its comment where that goes too, and a line that nothing else stands on."""
    if with_comment and (comment := _OWN_COMMENT.match(text, end)):
        end = comment.end()
    if rest := _REST.match(text, end):
        end = rest.end()
    line = text.rfind("\n", 0, start) + 1
    if text[end : end + 1] == "\n" and not text[line:start].strip():
        start, end = line, end + 1
    return f"{text[:start]}{text[end:]}"


def _with_items(text: str, node: yaml.SequenceNode, value: Any) -> str | None:
    """Return a text whose list of words, a line each, has lost those that `value` lacks and gained those it adds."""
    items = {item.value: item.start_mark for item in node.value if isinstance(item, yaml.ScalarNode)}
    if not isinstance(value, list) or not value or len(items) < len(node.value):
        return None
    kept = [item for item in items if item in value]
    if value[: len(kept)] != kept:
        return None  # in another order
    lines = text.split("\n")
    last = max(mark.line for mark in items.values())
    dash = " " * node.start_mark.column
    lines[last + 1 : last + 1] = [f"{dash}- {_inline(word)}" for word in value[len(kept) :]]
    gone = {mark.line for item, mark in items.items() if item not in value}
    return "\n".join(line for number, line in enumerate(lines) if number not in gone)
