"""What an item of a sketch holds is declared once: prompt, schema, readers and the table on the screen follow."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from authoring.prompting.model_answers import read_sketch, sketch_schema
from authoring.prompting.prompts import PromptBook, prompt_text, shipped_prompt
from authoring.prompting.sketch_fields import SKETCH_FIELDS, FieldKind, SketchField
from authoring.store.drafting.sketches import SketchItem
from authoring.ui.seeds.sketch_table import SHOWN
from authoring.ui.seeds.sketches import changed_rows, items_of_rows, row_of

VALUES: dict[FieldKind, Any] = {
    FieldKind.TEXT: "How many?",
    FieldKind.WORDS: ("count", "rows"),
    FieldKind.NUMBERS: (1,),
    FieldKind.CHOICE: "hard",
}


def item(number: int = 2) -> SketchItem:
    return SketchItem(number, **{field.name: VALUES[field.kind] for field in SKETCH_FIELDS})


def test_each_declared_field_is_one_of_an_item() -> None:
    assert len(SKETCH_FIELDS) >= 4
    names = {field.name for field in dataclasses.fields(SketchItem)}
    assert {field.name for field in SKETCH_FIELDS} == names - {"number", "family", "slots"}


@pytest.mark.parametrize("field", SKETCH_FIELDS, ids=lambda field: field.name)
def test_a_model_is_told_of_each_field_and_read_under_each_of_its_names(field: SketchField) -> None:
    assert f"- `{field.name}`: {field.meaning}\n" in prompt_text("sketch")
    assert field.name in sketch_schema()["properties"]["problems"]["items"]["required"]
    for name in (field.name, *field.keys):
        row = {"query_idea": "Load it."} if field.kind is not FieldKind.TEXT else {}
        rows = [{"query_idea": "First."}, {**row, name: VALUES[field.kind]}]
        assert getattr(read_sketch(json.dumps(rows))[1], field.name) == VALUES[field.kind]


def test_a_row_of_the_table_says_all_of_an_item() -> None:
    first, second = SketchItem(1, "Load it."), item()
    rows = [row_of(each) for each in (first, second)]
    assert set(SHOWN) == {"keep", "number", *(field.name for field in SKETCH_FIELDS)} <= set(rows[1])
    assert items_of_rows((first, second), rows) == [first, second]
    added = changed_rows(rows, {}, [{name: rows[1][name] for name in SHOWN if name != "number"}])
    assert items_of_rows((first, second), added)[2] == dataclasses.replace(second, number=3)


def test_a_copy_of_a_shipped_prompt_says_the_same(tmp_path: Path) -> None:
    shipped = shipped_prompt("sketch")
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "sketch.md").write_text(shipped.path.read_text(encoding="utf-8"), encoding="utf-8")
    parts = dict.fromkeys(shipped.places, "x")
    assert PromptBook(tmp_path).fill("sketch", **parts) == PromptBook().fill("sketch", **parts)
