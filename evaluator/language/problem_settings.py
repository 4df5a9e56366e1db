"""Reads the configuration of a problem (a YAML mapping) into fields; every fault becomes a diagnostic with its line."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from evaluator.diagnostics import Findings
from evaluator.language.model import ExecutionLimits, Problem
from evaluator.language.yaml_text.reader import YamlDocument
from evaluator.registry import nearest_name

PROBE_KEYS: Final = ("eval", "take", "predict", "transform")
"""What a probe does, by the key that says so."""
_BESIDE: Final[Mapping[str, str]] = {"take": "count", "predict": "inputs", "transform": "inputs"}
MAX_COUNT: Final = 10_000
_WANTED: Final = "an expression, or a mapping with 'eval', 'take' and 'count', or 'predict' or 'transform' and 'inputs'"


@dataclass(frozen=True)
class DeclaredProbe:
    """One value that is made after a cell, in a fork of its process, and compared under `name`."""

    name: str
    kind: str  # one of PROBE_KEYS
    target: str  # an expression, or the name of what is taken from or predicts; dots lead to attributes
    count: int = 0  # take: items at most
    inputs: str = ""  # predict, transform: the reference's variable with the rows


def declared_probes(problem: Problem) -> tuple[DeclaredProbe, ...]:
    """Return the probes that a problem declares, in order."""
    written = problem.metadata.get("probes")
    if not isinstance(written, Mapping):
        return ()
    return tuple(_declared(str(name), options) for name, options in written.items() if not probe_fault(name, options))


def _declared(name: str, options: Any) -> DeclaredProbe:
    if isinstance(options, str):
        return DeclaredProbe(name, "eval", options)
    kind = next(key for key in PROBE_KEYS if key in options)
    return DeclaredProbe(name, kind, options[kind], options.get("count", 0), options.get("inputs", ""))


def probe_fault(name: Any, options: Any) -> str:
    """Return what a probe must be where it is something else; empty for a good one."""
    if not (isinstance(name, str) and name.isidentifier()):
        return "a name that could be a variable's"
    if isinstance(options, str):
        options = {"eval": options}
    if not isinstance(options, Mapping):
        return _WANTED
    kinds = [key for key in PROBE_KEYS if key in options]
    beside = _BESIDE.get(kinds[0], "") if len(kinds) == 1 else ""
    if len(kinds) != 1 or set(options) - {kinds[0], beside} or (beside and beside not in options):
        return _WANTED
    if kinds[0] == "eval":
        return "" if _is_expression(options["eval"]) else "one Python expression"
    if not _is_dotted(options[kinds[0]]):
        return "the name of a variable, maybe with attributes after dots"
    if beside == "count":
        return "" if _is_count(options["count"]) else f"a number of items from 1 to {MAX_COUNT} under 'count'"
    return (
        "" if isinstance(options["inputs"], str) and options["inputs"].isidentifier() else "a variable under 'inputs'"
    )


def _is_expression(text: Any) -> bool:
    try:
        compile(text.strip(), "<probe>", "eval", dont_inherit=True)
    except (AttributeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _is_dotted(text: Any) -> bool:
    return isinstance(text, str) and all(part.isidentifier() for part in text.split("."))


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= MAX_COUNT


SIDES: Final = ("accept", "reject")


@dataclass(frozen=True)
class ExampleAnswer:
    """One answer."""

    side: str  # accept | reject
    position: int  # within its side, from 0
    code: str
    verdict: str = ""  # the one it must get; empty: CORRECT for an accepted one, any other for a rejected one

    @property
    def where(self) -> str:
        """Where it stands in the problem's settings."""
        return f"examples.{self.side}[{self.position}]"


def example_answers(problem: Problem) -> tuple[ExampleAnswer, ...]:
    """Return the answers that a problem keeps, accepted ones first."""
    written = problem.metadata.get("examples")
    examples: Mapping[str, object] = written if isinstance(written, Mapping) else {}
    found = []
    for side in SIDES:
        items = examples.get(side)
        for position, item in enumerate(items if isinstance(items, list) else ()):
            given = item if isinstance(item, Mapping) else {"code": item}
            found.append(ExampleAnswer(side, position, str(given["code"]), str(given.get("verdict") or "")))
    return tuple(found)


QUERY_KEYS = ("query", "question")
METADATA_KEYS = (
    "id", "tags", "knowledge_points", "assumptions", "difficulty", "isolation",
    "probes", "fresh", "family", "notes", "examples", "waivers",
)  # fmt: skip
WAIVABLE = (
    "low-information", "labels-in-inputs", "ties", "mutates-input", "not-exercised", "query-code-mismatch",
    "unasked-output", "unchecked-demand", "difficulty-mismatch",
)  # fmt: skip
"""Checks of a problem that somebody may answer for instead of passing them."""
PROBLEM_KEYS = (*QUERY_KEYS, "validator", "execution", "data", *METADATA_KEYS)
EXECUTION_KEYS = ("max_time", "max_memory", "forbid_names")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


@dataclass(frozen=True)
class Settings:
    """The configuration of one problem."""

    query: str = ""
    spelling: str = QUERY_KEYS[0]  # the key that held the query
    validator: Mapping[str, Any] | None = None
    execution: ExecutionLimits = field(default_factory=ExecutionLimits)
    data: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class YamlPlace:
    """Where a YAML text stands in its file, so that its lines can be told to the author."""

    document: YamlDocument
    first_line: int  # of the YAML text within the file
    findings: Findings

    def line(self, *path: str | int) -> int:
        """Return the file's line of the key at `path`."""
        return self.first_line + self.document.line(*path) - 1

    def wrong_type(self, path: tuple[str | int, ...], wanted: str, value: Any, fix: str = "") -> None:
        """Record that the value at `path` is not of the type it must have."""
        key = ".".join(str(part) for part in path)
        self.findings.fatal(
            "wrong-type",
            self.line(*path),
            f"{key!r} must be {wanted}, not {_shown(value)}",
            fix or f"write {wanted} after '{path[-1]}:'",
        )

    def unknown_keys(self, mapping: Mapping[Any, Any], known: tuple[str, ...], *above: str | int) -> None:
        """Record every key of `mapping` that is not one of `known`."""
        for key in mapping:
            if key in known:
                continue
            near = nearest_name(str(key), list(known))
            where = f" in {'.'.join(str(part) for part in above)!r}" if above else ""
            fix = f"use {near!r}" if near else f"use one of {', '.join(known)}, or put it under 'notes'"
            self.findings.fatal("unknown-key", self.line(*above, key), f"no key is called {_shown(key)}{where}", fix)


def read_settings(place: YamlPlace) -> Settings:
    """Turn the mapping into fields; a value of the wrong type is reported and left at its default."""
    mapping = place.document.value
    place.unknown_keys(mapping, PROBLEM_KEYS)
    metadata: dict[str, Any] = {}
    for key in METADATA_KEYS:
        if mapping.get(key) is not None and _METADATA_CHECKS[key](place, key, mapping[key]):
            metadata[key] = mapping[key]
    in_order = {key: metadata[key] for key in mapping if key in metadata}
    return Settings(
        query=_query(place, mapping),
        spelling=next(key for key in mapping if key in QUERY_KEYS),
        validator=_validator(place, mapping.get("validator")),
        execution=_execution(place, mapping.get("execution")),
        data=_data(place, mapping.get("data")),
        metadata=in_order,
    )


def is_name(value: Any) -> bool:
    """Return whether `value` can be the name of a variable."""
    return isinstance(value, str) and value.isidentifier()


def is_number(value: Any) -> bool:
    """Return whether `value` is a finite number that a float can hold; true and false are none."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _query(place: YamlPlace, mapping: Mapping[str, Any]) -> str:
    written = [key for key in QUERY_KEYS if key in mapping]
    if len(written) > 1:
        what = "the problem has both 'query' and 'question'"
        place.findings.fatal("query-twice", place.line(written[1]), what, "keep one of them")
    query = mapping[written[0]]
    if query is None:
        query = ""
    if not isinstance(query, str):
        place.wrong_type((written[0],), "text", query, "put the query in quotes or in a block after '|'")
        return ""
    if not query.strip():
        what = "the query is empty"
        place.findings.error("empty-query", place.line(written[0]), what, "write what the user asks")
    return query


def _validator(place: YamlPlace, value: Any) -> Mapping[str, Any] | None:
    if value is None or isinstance(value, Mapping):
        return value
    fix = f"write 'validator:' and below it '  {value}:'" if isinstance(value, str) else ""
    place.wrong_type(("validator",), "a mapping of validators", value, fix)
    return None


def _execution(place: YamlPlace, value: Any) -> ExecutionLimits:
    if value is None:
        return ExecutionLimits()
    if not isinstance(value, Mapping):
        place.wrong_type(("execution",), f"a mapping with {', '.join(EXECUTION_KEYS)}", value)
        return ExecutionLimits()
    place.unknown_keys(value, EXECUTION_KEYS, "execution")
    return ExecutionLimits(
        max_time_s=_positive(place, value, "max_time", "a number of seconds above 0"),
        max_memory_mb=_positive(place, value, "max_memory", "a number of megabytes above 0"),
        forbid_names=_forbidden(place, value.get("forbid_names")),
    )


def _positive(place: YamlPlace, execution: Mapping[str, Any], key: str, wanted: str) -> float | None:
    value = execution.get(key)
    if value is None:
        return None
    if not is_number(value) or value <= 0:
        place.wrong_type(("execution", key), wanted, value)
        return None
    return float(value)


def _forbidden(place: YamlPlace, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(is_name(name) for name in value):
        place.wrong_type(("execution", "forbid_names"), "a list of variable names", value)
        return ()
    return tuple(value)


def _data(place: YamlPlace, value: Any) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        place.wrong_type(("data",), "a mapping of file names to URLs", value)
        return {}
    for name, url in value.items():
        is_safe = (
            isinstance(name, str) and name.strip() and not any(part in ("", ".", "..") for part in name.split("/"))
        )
        if not is_safe or "\\" in name:
            what = f"{_shown(name)} is not a plain file name"
            place.findings.fatal("bad-file-name", place.line("data", name), what, "name a file of the inputs folder")
        elif not isinstance(url, str) or not _is_url(url):
            place.wrong_type(("data", name), "a URL that starts with https://", url)
    return dict(value)


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _id(place: YamlPlace, key: str, value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return True
    if isinstance(value, str) and _ID.fullmatch(value):
        return True
    place.wrong_type((key,), "one word of letters, digits, '.', '_' and '-'", value)
    return False


def _words(place: YamlPlace, key: str, value: Any) -> bool:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return True
    place.wrong_type((key,), "a list of texts", value, f"write '{key}: [first, second]'")
    return False


def _text_or_words(place: YamlPlace, key: str, value: Any) -> bool:
    return isinstance(value, str) or _words(place, key, value)


def _text_or_number(place: YamlPlace, key: str, value: Any) -> bool:
    if isinstance(value, str) or is_number(value):
        return True
    place.wrong_type((key,), "a word or a number", value)
    return False


def _text(place: YamlPlace, key: str, value: Any) -> bool:
    if isinstance(value, str):
        return True
    place.wrong_type((key,), "text", value)
    return False


def _isolation(place: YamlPlace, key: str, value: Any) -> bool:
    if value in ("fork", "replay"):
        return True
    place.wrong_type((key,), "'fork' or 'replay'", value)
    return False


def _flag(place: YamlPlace, key: str, value: Any) -> bool:
    if isinstance(value, bool):
        return True
    place.wrong_type((key,), "true or false", value)
    return False


def _anything(place: YamlPlace, key: str, value: Any) -> bool:  # noqa: ARG001 - the signature is that of all checks
    return True


def _probes(place: YamlPlace, key: str, value: Any) -> bool:
    if not isinstance(value, Mapping):
        place.wrong_type((key,), "a mapping of names to what is tried", value)
        return False
    faults = {name: probe_fault(name, options) for name, options in value.items()}
    for name, wanted in faults.items():
        if wanted:
            place.wrong_type((key, name), wanted, value[name], f"write {wanted}")
    return not any(faults.values())


def _examples(place: YamlPlace, key: str, value: Any) -> bool:
    if not isinstance(value, Mapping):
        place.wrong_type((key,), "a mapping with 'accept' and 'reject'", value)
        return False
    place.unknown_keys(value, ("accept", "reject"), key)
    for side in ("accept", "reject"):
        items = value.get(side)
        if items is not None and not (isinstance(items, list) and all(_is_example(item) for item in items)):
            wanted = "a list of code, or of mappings with 'code' and perhaps 'verdict' and 'why'"
            place.wrong_type((key, side), wanted, items)
            return False
    return True


def _is_example(item: Any) -> bool:
    if isinstance(item, str):
        return True
    if not isinstance(item, Mapping) or not isinstance(item.get("code"), str):
        return False
    return all(key in ("code", "verdict", "why") and isinstance(text, str) for key, text in item.items())


def _waivers(place: YamlPlace, key: str, value: Any) -> bool:
    if not isinstance(value, Mapping):
        place.wrong_type((key,), "a mapping from the name of a check to 'by' and 'reason'", value)
        return False
    place.unknown_keys(value, WAIVABLE, key)
    for check, signed in value.items():
        parts = signed if isinstance(signed, Mapping) else {}
        texts = (parts.get("by"), parts.get("reason"))
        if set(parts) != {"by", "reason"} or not all(isinstance(text, str) and text.strip() for text in texts):
            wanted = "'by' (who waives it) and 'reason'"
            place.wrong_type((key, check), wanted, signed, f"write '{check}: {{by: NAME, reason: WHY}}'")
            return False
    return True


_METADATA_CHECKS: Mapping[str, Callable[[YamlPlace, str, Any], bool]] = {
    "id": _id,
    "tags": _words,
    "knowledge_points": _words,
    "assumptions": _text_or_words,
    "difficulty": _text_or_number,
    "isolation": _isolation,
    "probes": _probes,
    "fresh": _flag,
    "family": _anything,
    "notes": _anything,
    "examples": _examples,
    "waivers": _waivers,
}
