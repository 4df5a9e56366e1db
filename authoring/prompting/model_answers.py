"""Read what a model answered: tolerant of the form, strict about the content. Never raises, whatever it is given."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from authoring.prompting.sketch_fields import LEVELS, MAX_ITEMS, SKETCH_FIELDS, FieldKind, SketchField
from authoring.store.drafting.sketches import SketchItem
from evaluator.agents.model_agents.replies import MAX_ANSWER_CHARS, fenced_blocks, without_thought

KEYS: Final = {field.name: (field.name, *field.keys) for field in SKETCH_FIELDS}
"""Field of an item -> the names under which models write it, best first."""
IDEA_KEYS: Final = KEYS["query_idea"]
NUMBER_KEYS: Final = ("number", "index", "id", "no", "step")

CELL_MARKER = re.compile(r"^# ?%%", re.MULTILINE)
TRAILING_COMMA = re.compile(r",(\s*[\]}])")
NUMBERED_LINE = re.compile(r"^ {0,3}(?:[#>*_]+ *)?(?:\w+ )?(\d{1,3})[.):]+[*_]* +(\S.*)$", re.MULTILINE | re.ASCII)
MIN_PROSE_ITEMS: Final = 3  # a sentence that happens to begin with a number is no list


class UnreadableAnswerError(Exception):
    """The answer holds nothing of the kind that was asked for; the text says what to change."""


def read_sketch(answer: str) -> tuple[SketchItem, ...]:
    """Return the items of a sketch: a JSON list, fenced or not, of objects or plain strings, else a numbered list.

    Raises:
        UnreadableAnswerError: If there is no such list, or an item says nothing.
    """
    _refuse_length(answer)
    rows = next((rows for value in json_values(answer) if (rows := _rows(value))), None)
    rows = rows or _numbered_rows(without_thought(answer))
    if rows is None:
        raise UnreadableAnswerError("there is no JSON list of problems in the answer, or it is not valid JSON")
    if len(rows) > MAX_ITEMS:
        raise UnreadableAnswerError(f"the list has {len(rows)} items; 10 to 15 are asked for")
    ideas = [_first_text(row, IDEA_KEYS) for row in rows]
    silent = [str(position) for position, idea in enumerate(ideas, 1) if not idea]
    if silent:
        raise UnreadableAnswerError(f"items without `query_idea`: {', '.join(silent)}")
    numbers = {_number(row, position): position for position, row in enumerate(rows, 1)}
    return tuple(
        SketchItem(
            number=position,
            family=_first_text(row, ("family",)),
            **{field.name: _value(field, row, numbers, position) for field in SKETCH_FIELDS},
        )
        for position, row in enumerate(rows, 1)
    )


def _value(field: SketchField, row: Mapping[str, Any], numbers: Mapping[int, int], position: int) -> Any:
    match field.kind:
        case FieldKind.TEXT:
            return _first_text(row, KEYS[field.name])
        case FieldKind.WORDS:
            return _texts(_first(row, KEYS[field.name]))
        case FieldKind.NUMBERS:
            return _dependencies(_first(row, KEYS[field.name]), numbers, position)
        case FieldKind.CHOICE:
            return _level(_first_text(row, KEYS[field.name]))


def read_rows(answer: str) -> list[dict[str, Any]]:
    """Return the objects of the JSON list in an answer, fenced or not, or the lines of a numbered list as `query_idea`.

    Raises:
        UnreadableAnswerError: If there is no such list.
    """
    _refuse_length(answer)
    rows = next((rows for value in json_values(answer) if (rows := _rows(value))), None)
    rows = rows or _numbered_rows(without_thought(answer))
    if rows is None:
        raise UnreadableAnswerError("there is no JSON list in the answer, or it is not valid JSON")
    return rows


def sketch_schema() -> dict[str, Any]:
    """Return the JSON schema of a sketch, as strict structured outputs take it: all fields required."""
    items = {"type": "array", "items": _strict({field.name: _json_schema(field) for field in SKETCH_FIELDS})}
    return _strict({"problems": items})


def _json_schema(field: SketchField) -> dict[str, Any]:
    match field.kind:
        case FieldKind.TEXT:
            return {"type": "string"}
        case FieldKind.WORDS:
            return {"type": "array", "items": {"type": "string"}}
        case FieldKind.NUMBERS:
            return {"type": "array", "items": {"type": "integer"}}
        case FieldKind.CHOICE:
            return {"type": "string", "enum": list(field.choices)}


def _strict(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def read_problemset_text(answer: str) -> str:
    """Return the DSEAL text in an answer: its fenced blocks with cell markers, else the whole answer if it has any.

    Raises:
        UnreadableAnswerError: If no line opens a cell.
    """
    _refuse_length(answer)
    text = without_thought(answer.replace("\r\n", "\n").replace("\x00", ""))
    blocks = [block for block in fenced_blocks(text) if CELL_MARKER.search(block)]
    if not blocks and CELL_MARKER.search(text):
        start = CELL_MARKER.search(text)
        assert start is not None
        blocks = [re.sub(r"^[ \t]*(```+|~~~+).*$", "", text[start.start() :], flags=re.MULTILINE)]
    if not blocks:
        raise UnreadableAnswerError("there is no fenced block with cells (`# %%` lines) in the answer")
    joined = "\n\n".join(_opened(block.strip("\n")) for block in blocks)
    return re.sub(r"^# ?%%", "# %%", joined, flags=re.MULTILINE) + "\n"


def _opened(block: str) -> str:
    """Open a cell before code that stands above the first marker, where it would not run."""
    first = CELL_MARKER.search(block)
    above = block[: first.start()] if first else ""
    is_code = any(line.strip() and not line.lstrip().startswith("#") for line in above.splitlines())
    return f"# %%\n{block}" if is_code else block


def json_values(answer: str) -> Iterator[Any]:
    """Yield what the fenced blocks of an answer, then all of it, then its outermost brackets hold as JSON."""
    text = without_thought(answer)
    yield from (value for candidate in _json_candidates(text) if (value := _loaded(candidate)) is not None)


def _refuse_length(answer: str) -> None:
    if len(answer) > MAX_ANSWER_CHARS:
        raise UnreadableAnswerError(f"the answer has {len(answer)} characters, far more than a problemset needs")
    if not answer.strip():
        raise UnreadableAnswerError("the answer is empty")


def _json_candidates(answer: str) -> Iterator[str]:
    yield from fenced_blocks(answer)
    yield answer
    opening = re.search(r"[\[{]", answer)
    if opening:  # the outermost bracket decides: the first object of a list that was cut off is not the answer
        end = answer.rfind("]" if opening.group() == "[" else "}")
        yield answer[opening.start() : end + 1]


def _rows(value: Any) -> list[dict[str, Any]] | None:
    """Return the list of objects that a value is, or holds under some key; None when it is neither."""
    if isinstance(value, Mapping) and _first_text(value, IDEA_KEYS):
        value = [value]
    if isinstance(value, Mapping):
        value = max(_lists_in(value), key=len, default=None)
    if not isinstance(value, list) or not value:
        return None
    rows = [{"query_idea": item} if isinstance(item, str) else item for item in value]
    return rows if all(isinstance(row, dict) for row in rows) else None


def _lists_in(value: Mapping[str, Any]) -> list[list[Any]]:
    """Return the lists that an object holds, else those that the objects in it hold."""
    lists = [item for item in value.values() if isinstance(item, list) and item]
    inner = [item for item in value.values() if isinstance(item, Mapping)]
    return lists or [item for one in inner for item in one.values() if isinstance(item, list) and item]


def _numbered_rows(answer: str) -> list[dict[str, Any]] | None:
    """Return the lines of a numbered list in prose, 1 to n without a gap; None when there is no such list."""
    lines = [(int(match.group(1)), match.group(2)) for match in NUMBERED_LINE.finditer(answer.replace("\r\n", "\n"))]
    if len(lines) < MIN_PROSE_ITEMS or [number for number, _ in lines] != list(range(1, len(lines) + 1)):
        return None
    return [{"query_idea": text.replace("**", "").strip()} for _, text in lines]


def _loaded(text: str) -> Any:
    text = text.strip()
    if text[:1] not in ("[", "{"):
        return None
    for read in (json.loads, lambda t: json.loads(TRAILING_COMMA.sub(r"\1", t)), ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _values(row: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Any]:
    folded = {str(key).strip().lower().replace(" ", "_").replace("-", "_"): value for key, value in row.items()}
    yield from (folded[key] for key in keys if folded.get(key) not in (None, "", [], {}))


def _first(row: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next(_values(row, keys), None)


def _first_text(row: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return the first of these fields that holds text, on one line; empty when none does."""
    texts = (" ".join(value.split()) for value in _values(row, keys) if isinstance(value, str))
    return next((text for text in texts if text), "")


def _texts(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, (list, tuple)) else str(value).split(",") if isinstance(value, str) else []
    return tuple(dict.fromkeys(" ".join(str(item).split())[:80] for item in values if str(item).strip()))[:12]


def _number(row: Mapping[str, Any], position: int) -> int:
    value = _first(row, NUMBER_KEYS)
    text = str(value).strip().lstrip("pP#") if isinstance(value, int | str) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else position


def _dependencies(value: Any, numbers: Mapping[int, int], position: int) -> tuple[int, ...]:
    items = value if isinstance(value, (list, tuple)) else [value]
    found = {
        numbers.get(int(digits), 0) for item in items for digits in re.findall(r"\d{1,5}", str(item), flags=re.ASCII)
    }
    return tuple(sorted(number for number in found if 0 < number < position))


def _level(text: str) -> str:
    return next((level for level in LEVELS if level in text.lower()), "medium")
