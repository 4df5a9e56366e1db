"""Builds plain values and line numbers from the events of the YAML parser.

PyYAML's own parser decides what a text says and what is wrong with it. libyaml's, which is many times as fast, is asked
where both are known to read alike: `tests/language/test_yaml_parsers.py` compares them.
"""

import contextlib
import copy
import re
import sys
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from evaluator.language.yaml_text.reader import MAX_ALIASES, MAX_DEPTH, KeyPath, YamlDocument, YamlFault
from evaluator.language.yaml_text.syntax_words import ANY, explain

_TAG = "tag:yaml.org,2002:"
_RESOLVER = yaml.resolver.Resolver()
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_READ_OTHERWISE: Final = re.compile(
    r"[^\n -~\xa1-\u1fff\u3000-\ud7ff\uff00-\uffee]"  # tabs, other line ends, what is not printed
    r"|(?:^|\s)\?"  # a key behind a question mark
    r"|[|>][0-9+-]*#"  # no space before the comment of a block
    r"|^(?:---|\.\.\.|%)"  # documents and directives
    r"|^ *[\]},]"  # brackets that end on another line
    r"|(?:^|\s)[\[{][^?]*\?"  # a question mark in what may be brackets
    r"|![^\s]*,",  # a tag that ends at a comma
    re.MULTILINE,
)
_LONG_ESCAPE: Final = re.compile(r"\\U([0-9A-Fa-f]{8})")


class _RefusedError(Exception):
    """The text cannot be read any further."""

    def __init__(self, code: str, line: int, what: str, fix: str) -> None:
        super().__init__(what)
        self.fault = YamlFault(code, line, what, fix)


@dataclass
class _Open:
    """A mapping or list whose end has not been read yet."""

    value: dict[Any, Any] | list[Any]
    path: KeyPath
    anchor: str | None
    key: Any = None
    has_key: bool = False
    seen: dict[Any, int] = field(default_factory=dict)  # key -> line


class _Builder:
    def __init__(self) -> None:
        self.stack: list[_Open] = []
        self.root: Any = None
        self.documents = 0
        self.anchors: dict[str, Any] = {}
        self.open_anchors: set[str] = set()
        self.aliases = 0
        self.key_lines: dict[KeyPath, int] = {}
        self.text_lines: dict[KeyPath, int] = {}
        self.faults: list[YamlFault] = []

    def take(self, event: yaml.Event) -> None:
        line = _line(event)
        if isinstance(event, yaml.DocumentStartEvent):
            self._start_document(line)
        elif isinstance(event, yaml.ScalarEvent):
            self._place_scalar(event, line)
        elif isinstance(event, yaml.AliasEvent):
            self._place(self._aliased(event, line), line)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._open(event, line)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._close()

    def _start_document(self, line: int) -> None:
        self.documents += 1
        if self.documents > 1:
            raise _RefusedError(
                "yaml-several-documents", line, "the YAML holds more than one document", "remove the line '---'"
            )

    def _path_here(self) -> KeyPath:
        if not self.stack:
            return ()
        top = self.stack[-1]
        return (*top.path, len(top.value)) if isinstance(top.value, list) else (*top.path, top.key)

    def _place_scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        value = _scalar(event, line)
        is_key = bool(self.stack) and isinstance(self.stack[-1].value, dict) and not self.stack[-1].has_key
        if is_key and event.value == "<<" and not event.style:
            raise _RefusedError("yaml-merge-key", line, "merge keys ('<<') are not read", "write the keys out")
        if not is_key:
            self.text_lines[self._path_here()] = line + (1 if event.style in ("|", ">") else 0)
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        self._place(value, line)

    def _place(self, value: Any, line: int) -> None:
        if not self.stack:
            self.key_lines.setdefault((), line)
            self.root = value
            return
        top = self.stack[-1]
        if isinstance(top.value, list):
            self.key_lines.setdefault(self._path_here(), line)
            top.value.append(value)
        elif not top.has_key:
            self._start_key(top, value, line)
        else:
            top.value[top.key] = value
            top.has_key = False

    def _start_key(self, top: _Open, key: Any, line: int) -> None:
        if isinstance(key, (dict, list)):
            raise _RefusedError("yaml-complex-key", line, "a key is a list or a mapping", "use plain text as the key")
        if key in top.seen:
            above = line - top.seen[key]
            where = f"{above} line{'' if above == 1 else 's'} above" if above else "on the same line"
            what = f"the key {key!r} is there twice, first {where}"
            self.faults.append(YamlFault("duplicate-key", line, what, "keep one of them"))
        top.seen.setdefault(key, line)
        top.key, top.has_key = key, True
        self.key_lines.setdefault((*top.path, key), line)

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent, line: int) -> None:
        if len(self.stack) >= MAX_DEPTH:
            what = f"the YAML nests deeper than {MAX_DEPTH} levels"
            raise _RefusedError("yaml-too-deep", line, what, "write the settings flatter")
        wanted = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        if event.tag not in (None, "!", _TAG + wanted):
            raise _bad_tag(event.tag, line)
        path = self._path_here()
        if self.stack and isinstance(self.stack[-1].value, dict) and not self.stack[-1].has_key:
            raise _RefusedError("yaml-complex-key", line, "a key is a list or a mapping", "use plain text as the key")
        self.key_lines.setdefault(path, line)
        if event.anchor is not None:
            self.open_anchors.add(event.anchor)
        self.stack.append(_Open({} if wanted == "map" else [], path, event.anchor))

    def _close(self) -> None:
        done = self.stack.pop()
        if done.anchor is not None:
            self.open_anchors.discard(done.anchor)
            self.anchors[done.anchor] = done.value
        self._place(done.value, self.key_lines.get(done.path, 1))

    def _aliased(self, event: yaml.AliasEvent, line: int) -> Any:
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            what = f"the YAML uses more than {MAX_ALIASES} aliases ('*name')"
            raise _RefusedError("yaml-too-many-aliases", line, what, "write the repeated parts out")
        name = str(event.anchor)
        if name in self.open_anchors:
            raise _RefusedError(
                "yaml-recursive-alias", line, f"the alias '*{name}' holds itself", "write the value out"
            )
        if name not in self.anchors:
            raise _RefusedError(
                "yaml-unknown-alias", line, f"the alias '*{name}' has no anchor '&{name}'", "write the value out"
            )
        return copy.deepcopy(self.anchors[name])


def build_document(text: str) -> YamlDocument:
    """Return the document in `text`, or its faults."""
    if yaml.__with_libyaml__ and _is_read_alike(text):
        with contextlib.suppress(_RefusedError, yaml.YAMLError):  # said below in the words of PyYAML
            return _built(_Builder(), text, yaml.CSafeLoader)
    builder = _Builder()
    try:
        return _built(builder, text, yaml.SafeLoader)
    except _RefusedError as refused:
        return _unreadable(*builder.faults, refused.fault)
    except yaml.YAMLError as error:
        return _unreadable(*builder.faults, _syntax_fault(error, text))
    except (ValueError, OverflowError):  # PyYAML's own, without a place
        if (fault := _escape_fault(text)) is None:
            raise
        return _unreadable(*builder.faults, fault)


def _is_read_alike(text: str) -> bool:
    """Return whether libyaml reads a text as PyYAML does, where both can read it."""
    return not _READ_OTHERWISE.search(text)


def _built(builder: _Builder, text: str, loader: "type[yaml.SafeLoader | yaml.CSafeLoader]") -> YamlDocument:
    for event in yaml.parse(text, Loader=loader):
        builder.take(event)
    return YamlDocument(builder.root, builder.key_lines, builder.text_lines, tuple(builder.faults))


def _unreadable(*faults: YamlFault) -> YamlDocument:
    return YamlDocument(faults=faults, is_readable=False)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark is not None else 1


def _resolved(event: yaml.ScalarEvent) -> str:
    return str(_RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit))


def _scalar(event: yaml.ScalarEvent, line: int) -> Any:
    tag = event.tag
    if tag is None or tag == "!":
        tag = _resolved(event) if tag is None else _TAG + "str"
    node = yaml.ScalarNode(tag, event.value)
    try:
        match tag.removeprefix(_TAG):
            case "str" | "timestamp" | "value" | "merge":
                return event.value
            case "null":
                return None
            case "bool":
                return _CONSTRUCTOR.construct_yaml_bool(node)
            case "int":
                return _CONSTRUCTOR.construct_yaml_int(node)
            case "float":
                return _CONSTRUCTOR.construct_yaml_float(node)
    except (ValueError, LookupError, OverflowError):
        what = f"{event.value[:40]!r} cannot be read as a value of type {tag.removeprefix(_TAG)}"
        raise _RefusedError("yaml-bad-value", line, what, "correct it, or put it in quotes") from None
    raise _bad_tag(tag, line)


def _bad_tag(tag: str | None, line: int) -> _RefusedError:
    return _RefusedError(
        "yaml-tag", line, f"the YAML tag {tag!r} is not allowed", "write plain text, numbers, lists and mappings"
    )


def _escape_fault(text: str) -> YamlFault | None:
    """Return the fault of the first escape that is no character; None: there is none."""
    for found in _LONG_ESCAPE.finditer(text):
        if int(found[1], 16) > sys.maxunicode:
            line = text.count("\n", 0, found.start()) + 1
            return YamlFault("yaml-syntax", line, f"{found[0]!s} is no character", "write one up to \\U0010FFFF")
    return None


def _syntax_fault(error: yaml.YAMLError, text: str) -> YamlFault:
    if isinstance(error, yaml.reader.ReaderError):
        position = error.position if isinstance(error.position, int) else 0
        line = text.count("\n", 0, position) + 1
        return YamlFault(
            "yaml-character", line, f"the YAML holds the control character {error.character!r}", "remove it"
        )
    if isinstance(error, yaml.MarkedYAMLError):
        words = explain(error, text)
        return YamlFault("yaml-syntax", words.line, f"the YAML cannot be read: {words.what}", words.fix)
    return YamlFault("yaml-syntax", 1, f"the YAML cannot be read: {error}", ANY)
