"""Sketches as files that people edit: YAML or JSON out, the same in, with the version that they rest on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from authoring.prompting.sketch_fields import MAX_ITEMS, SKETCH_FIELDS, FieldKind, SketchField
from authoring.store.drafting.sketches import Sketch, SketchItem, find_sketch, save_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language import read_yaml, write_yaml

FORMS: Final = ("yaml", "json")
MAX_CHARS: Final = 200_000


def _type_of(field: SketchField) -> tuple[Any, Any]:
    """Return the type and the default of a field in a file; a text must be there."""
    match field.kind:
        case FieldKind.TEXT:
            return str, Field(min_length=1, max_length=field.most)
        case FieldKind.WORDS:
            return list[str], Field(default=[], max_length=field.most)
        case FieldKind.NUMBERS:
            return list[int], Field(default=[], max_length=field.most)
        case FieldKind.CHOICE:
            return Literal[*field.choices, ""], ""  # pyrefly: ignore[invalid-literal]


class _AnyItem(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int | None = Field(default=None, ge=1, le=9999)
    family: str = ""
    slots: dict[str, Any] = {}


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sketch: str = ""
    base: int = Field(ge=1)


def _file_model() -> type[_File]:
    """Return what a file must hold: `_File` with its items, as `SKETCH_FIELDS` declares them."""
    fields: dict[str, Any] = {field.name: _type_of(field) for field in SKETCH_FIELDS}
    item = create_model("Item", __base__=_AnyItem, **fields)
    items: Any = (list[item], Field(min_length=1, max_length=MAX_ITEMS))
    return create_model("File", __base__=_File, items=items)


_READ_FILE: Final = _file_model()


def sketch_to_text(sketch: Sketch, kind: str = "yaml") -> str:
    """Return a sketch as a file to edit, as `yaml` or `json`; `base` is the version that an edit rests on."""
    items = [{key: value for key, value in asdict(item).items() if value or key == "number"} for item in sketch.items]
    body = {"sketch": sketch.name, "base": sketch.head_number, "items": items}
    return f"{json.dumps(body, indent=2, ensure_ascii=False)}\n" if kind == "json" else write_yaml(body)


def write_sketch(sketch: Sketch, kind: str, out: Path | None) -> str:
    """Return a sketch as a file to edit and, if `out` names a place, write it there.

    Raises:
        UsageError: If there is no such form.
        OSError: If it cannot be written.
    """
    if kind not in FORMS:
        raise UsageError(f"there is no form {kind!r}", fix=f"use one of {', '.join(FORMS)}")
    text = sketch_to_text(sketch, kind)
    if out is not None:
        out.write_text(text, encoding="utf-8")
    return text


def edit_sketch_file(
    ws: Workspace, sketch_ref: str | int, path: Path, *, author: str, message: str = "", minutes: float = 0.0
) -> Sketch:
    """Keep an edited file as the sketch's next version, as `edit_sketch` does with its text.

    Raises:
        ContentError: If the file is too long or is no UTF-8 text, and what `edit_sketch` raises.
    """
    with path.open("rb") as stream:
        data = stream.read(4 * MAX_CHARS + 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContentError("the file is not UTF-8 text", where=str(path), fix="save it as UTF-8") from error
    return edit_sketch(ws, sketch_ref, text, author=author, message=message, minutes=minutes, where=str(path))


def edit_sketch(
    ws: Workspace,
    sketch_ref: str | int,
    text: str,
    *,
    author: str,
    message: str = "",
    minutes: float = 0.0,
    where: str = "the edited sketch",
) -> Sketch:
    """Keep an edited file as the sketch's next version; the order of its items is the order of the problems.

    Raises:
        UsageError: If there is no such sketch.
        ContentError: If the text is no such file; it names the field.
        ConflictError: If somebody saved a version after the one that the file names as its base.
    """
    sketch = find_sketch(ws, sketch_ref)
    read = _read(text, where)
    if read.sketch and read.sketch.lower() != sketch.name.lower():
        what = f"the file holds sketch {read.sketch!r}, not {sketch.name!r}"
        raise ContentError(what, where=where, fix="name the sketch that the file was written from")
    items = _numbered(read.model_dump()["items"], where)
    return save_sketch(ws, sketch.id, items, author=author, base_number=read.base, message=message, minutes=minutes)


def _read(text: str, where: str) -> _File:
    if len(text) > MAX_CHARS:
        raise ContentError(f"the file has {len(text):,} characters", where=where, fix=f"use at most {MAX_CHARS:,}")
    document = read_yaml(text)  # JSON is YAML too
    if document.faults or not isinstance(document.value, Mapping):
        fault = document.faults[0] if document.faults else None
        line = f"line {fault.line}: {fault.what}" if fault else "it is no mapping"
        raise ContentError(
            f"the file cannot be read: {line}", where=where, fix="see 'benchwright sketch show' for the form"
        )
    try:
        return _READ_FILE.model_validate(document.value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        fix = "see 'benchwright sketch show' for the form; it needs base and items"
        raise ContentError(f"{place}: {first['msg']}", where=where, fix=fix) from None


def _numbered(items: Sequence[Mapping[str, Any]], where: str) -> list[SketchItem]:
    """Return the items numbered in their order; what they build on follows."""
    written = [item["number"] or position for position, item in enumerate(items, 1)]
    twice = sorted({number for number in written if written.count(number) > 1})
    if twice:
        raise ContentError(f"two items have the number {twice[0]}", where=where, fix="give each its own number")
    places = {number: position for position, number in enumerate(written, 1)}
    found = []
    for position, item in enumerate(items, 1):
        wrong = [number for number in item["depends_on"] if places.get(number, position) >= position]
        if wrong:
            what = f"item {written[position - 1]} builds on {wrong[0]}, which does not stand before it"
            raise ContentError(what, where=where, fix="name earlier items only, by the numbers in the file")
        found.append(
            SketchItem(
                number=position,
                family=item["family"],
                slots=item["slots"],
                **{field.name: _value(field, item, places) for field in SKETCH_FIELDS},
            )
        )
    return found


def _value(field: SketchField, item: Mapping[str, Any], places: Mapping[int, int]) -> Any:
    value = item[field.name]
    match field.kind:
        case FieldKind.WORDS:
            return tuple(value)
        case FieldKind.NUMBERS:
            return tuple(sorted({places[number] for number in value}))
        case _:
            return value
