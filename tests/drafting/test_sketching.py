"""Sketches by template and by a model that is not always well-behaved; as files that people edit; field by field."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from authoring.drafting.draft import make_draft
from authoring.drafting.sketch_files import edit_sketch, sketch_to_text
from authoring.drafting.sketching import DifficultyMix, make_sketch, read_mix, thread_complaint
from authoring.prompting.model_answers import read_sketch, sketch_schema
from authoring.prompting.prompts import prompt_text
from authoring.prompting.sketch_fields import SKETCH_FIELDS, FieldKind
from authoring.store import model_calls, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.drafting.guide import current_guide, save_guide
from authoring.store.drafting.sketches import (
    SketchItem,
    add_sketch_comment,
    find_sketch,
    insert_sketch,
    list_sketch_comments,
    list_sketch_revisions,
    list_sketches,
    resolve_sketch_comment,
)
from authoring.store.workspace import Workspace
from authoring.ui.seeds.sketch_table import SHOWN
from authoring.ui.seeds.sketches import changed_rows, items_of_rows, row_of
from evaluator.errors import ContentError, ToolkitError, UsageError
from tests.drafting.conftest import NOBODY, Serve
from tests.scripted_model import Say

ROWS = [
    {"query_idea": "Load it.", "knowledge_points": ["read_csv"], "depends_on": [], "difficulty": "easy"},
    {"query_idea": "Count it.", "knowledge_points": ["len"], "depends_on": [1], "difficulty": "hard"},
]
GOOD = Say(f"```json\n{json.dumps(ROWS)}\n```")


def test_a_sketch_by_a_model_keeps_its_items_and_provenance(ws: Workspace, serve: Serve) -> None:
    with serve([GOOD]):
        sketch = find_sketch(ws, make_sketch(ws, 1, author="model", rng_seed=5, created_by="Ann"))
    assert [item.query_idea for item in sketch.items] == ["Load it.", "Count it."]
    assert sketch.items[1].depends_on == (1,)
    found = sketch.provenance
    assert (found["model"], found["requests"], found["repairs"]) == ("scripted", 1, 0)
    assert (found["prompt_tokens"], found["completion_tokens"]) == (100, 20)
    assert found["guide_revision"] == 1
    assert len(found["prompt_hash"]) == 64
    assert found["params"]["rng_seed"] == 5


def test_a_sketch_follows_the_guide_of_its_workspace(ws: Workspace, serve: Serve) -> None:
    first = current_guide(ws, "Shipped.")
    save_guide(ws, "Ask about trips only.", base_number=first.number, author="Ann", message="")
    with serve([GOOD]) as model:
        by_model = find_sketch(ws, make_sketch(ws, "trips", author="model"))
    by_template = find_sketch(ws, make_sketch(ws, "trips"))
    assert "# Guide\nAsk about trips only.\n" in model.prompts[0]
    assert (by_model.provenance["guide_revision"], by_template.provenance["guide_revision"]) == (2, 2)


def test_a_malformed_answer_is_repaired(ws: Workspace, serve: Serve) -> None:
    cut = Say('```json\n[{"query_idea": "Load', finish_reason="length")
    with serve([Say("I would start by loading the data."), cut, GOOD]) as model:
        sketch = find_sketch(ws, make_sketch(ws, "trips", author="model"))
    assert (len(sketch.items), sketch.provenance["repairs"]) == (2, 2)
    assert "no JSON list" in model.prompts[1]
    assert "cut off" in model.prompts[2]
    assert model.requests[1]["messages"][2] == {"role": "assistant", "content": "I would start by loading the data."}


def test_garbage_ends_in_a_refusal_and_the_answers_are_kept(ws: Workspace, serve: Serve) -> None:
    garbage = [Say(text) for text in ("", "[" * 50_000, "\x00\ud800", '[{"a": 1}]')]
    with serve(garbage) as model, pytest.raises(ContentError, match="no usable sketch in 4 answers") as caught:
        make_sketch(ws, "trips", author="model")
    assert "--rng-seed or --model" in caught.value.fix
    assert len(model.requests) == 4
    assert len(model_calls.select(ws, purpose="sketch")) == 4
    assert list_sketches(ws) == []


def test_without_a_model_or_a_seed_the_message_names_the_remedy(ws: Workspace) -> None:
    with pytest.raises(ToolkitError, match="no model is named"):
        make_sketch(ws, "trips", author="model")
    with pytest.raises(UsageError, match="no seed is called 'trip'"):
        make_sketch(ws, "trip")
    with pytest.raises(UsageError, match="no author 'me'"):
        make_sketch(ws, "trips", author="me")


def items_that_build_on(*depends_on: tuple[int, ...]) -> list[SketchItem]:
    return [SketchItem(number, f"Item {number}.", depends_on=on) for number, on in enumerate(depends_on, 1)]


def test_a_sketch_without_a_thread_is_sent_back() -> None:
    for depends_on, told in (
        (((), *((1,),) * 11), "0 of 12 use a result"),
        (((), (1,), *((2,),) * 10), "10 of 12 use a result of an earlier one and 0 one"),
        (((), (1,), (2,), (3,), (4,), *((2,),) * 5, (1,), (1,)), "8 of 12 use a result of an earlier one and 2 one"),
        (((), (1,), (2,), (3,), (3,), (3,), *((2,),) * 4, (1,), (1,)), ""),
        (((), *((1,),) * 8), ""),  # a short one is judged by other things
    ):  # fmt: skip
        complaint = thread_complaint(items_that_build_on(*depends_on))
        assert (told in complaint) if told else complaint == ""


def test_the_thread_that_is_missing_is_named_to_the_model(ws: Workspace, serve: Serve) -> None:
    def listed(*depends_on: list[int]) -> Say:
        levels = ["easy", "medium", "hard"] * 4
        rows = [{"query_idea": "Ask.", "depends_on": on, "difficulty": levels[n]} for n, on in enumerate(depends_on)]
        return Say(json.dumps(rows))

    flat, threaded = listed(*([[]] + [[1]] * 9)), listed([], [1], [2], [3], [4], [5], [2], [2], [1], [1])
    with serve([flat, threaded]) as model:
        sketch = find_sketch(ws, make_sketch(ws, "trips", author="model"))
    assert "0 of 10 use a result" in model.prompts[1]
    assert sketch.items[5].depends_on == (5,)
    assert sketch.provenance["left_over"] == ""


# out as a file, in as the next version, commented on


ITEMS = (
    SketchItem(1, "Load it: all of it.", ("read_csv",), (), "easy", "load_table", {"table": 0, "names": ["Länge"]}),
    SketchItem(2, "Count\nit.", depends_on=(1,)),
)


@pytest.fixture
def sketch(ws: Workspace) -> int:
    return insert_sketch(ws, seed_id=1, author="model", rng_seed=3, items=ITEMS, provenance={})


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_a_sketch_comes_back_from_its_file_as_it_was(ws: Workspace, sketch: int, kind: str) -> None:
    text = sketch_to_text(find_sketch(ws, sketch), kind)
    same = edit_sketch(ws, sketch, text, author="Ann")
    assert (same.items, same.head_number) == (ITEMS, 1)
    changed = edit_sketch(ws, sketch, text.replace("all of it", "a part"), author="Ann", message="less", minutes=2.5)
    assert (changed.items[0], changed.head_number) == (replace(ITEMS[0], query_idea="Load it: a part."), 2)
    newest = list_sketch_revisions(ws, sketch)[-1]
    assert (newest.author, newest.message, newest.minutes) == ("Ann", "less", 2.5)


def test_items_are_numbered_as_in_the_file_and_dependencies_follow(ws: Workspace, sketch: int) -> None:
    rows = ("{number: 7, query_idea: a}", "{query_idea: b}", "{number: 9, query_idea: c, depends_on: [7]}")
    text = f"base: 1\nitems: [{', '.join(rows)}]"
    items = edit_sketch(ws, sketch, text, author="Ann").items
    numbered = [(item.number, item.query_idea, item.depends_on) for item in items]
    assert numbered == [(1, "a", ()), (2, "b", ()), (3, "c", (1,))]


def test_an_edit_of_an_older_version_is_refused_with_the_newest_in_hand(ws: Workspace, sketch: int) -> None:
    text = sketch_to_text(find_sketch(ws, sketch))
    edit_sketch(ws, sketch, text.replace("all of it", "mine"), author="Ann")
    with pytest.raises(ConflictError, match="version 2 is newer than 1") as caught:
        edit_sketch(ws, sketch, text.replace("all of it", "theirs"), author="Bo")
    assert getattr(caught.value.head, "head_number", None) == 2
    assert "mine" in find_sketch(ws, sketch).items[0].query_idea


def test_a_file_that_is_no_sketch_is_refused_and_nothing_is_kept(ws: Workspace, sketch: int) -> None:
    for text, says in (
        ("base: 1\nitems: []", "items"),
        ("items: [{query_idea: a}]", "base"),
        ("base: 1\nitems: [{query_idea: a, hint: b}]", "hint"),
        ("base: 1\nitems: [{query_idea: a, difficulty: harsh}]", "difficulty"),
        ("base: 1\nitems: [{query_idea: a, depends_on: [2]}, {query_idea: b}]", "does not stand before"),
        ("base: 1\nitems: [{query_idea: a, number: 2}, {query_idea: b, number: 2}]", "the number 2"),
        ("sketch: other\nbase: 1\nitems: [{query_idea: a}]", "'other'"),
        ("[unclosed", "cannot be read"),
        ("x" * 200_001, "200,001"),
    ):
        with pytest.raises(ContentError, match=says):
            edit_sketch(ws, sketch, text, author="Ann", where="plan.yaml")
        assert find_sketch(ws, sketch).head_number == 1


def test_comments_stand_on_a_version_and_an_item(ws: Workspace, sketch: int) -> None:
    made = add_sketch_comment(ws, sketch, author="Bo", text="too easy", kind="repetitive", item=2)
    (comment,) = list_sketch_comments(ws, sketch)
    assert (comment.id, comment.number, comment.item, comment.kind) == (made, 1, 2, "repetitive")
    resolve_sketch_comment(ws, made, by="Ann")
    resolve_sketch_comment(ws, made, by="Cy")
    assert list_sketch_comments(ws, sketch)[0].resolved_by == "Ann"
    for wrong in ({"item": 3}, {"kind": "odd"}):
        with pytest.raises(UsageError):
            add_sketch_comment(ws, sketch, author="Bo", text="x", **wrong)  # pyrefly: ignore[bad-argument-type]


@pytest.mark.usefixtures("nothing_fails")
def test_a_draft_follows_the_newest_version_and_says_which(ws: Workspace, sketch: int, serve: Serve) -> None:
    text = sketch_to_text(find_sketch(ws, sketch)).replace("all of it", "with care")
    edit_sketch(ws, sketch, text, author="Ann")
    with serve([Say('```python\n# %%\n"""\nquery: What is 1 and 1?\n"""\n1 + 1\n```')]) as model:
        made = make_draft(ws, sketch, engine=NOBODY, author="model")
    assert "Load it: with care." in model.prompts[0]
    assert made.provenance["sketch"] == {"id": sketch, "number": 2}
    assert revisions.find(ws, made.revision).message == "drafted from sketch trips-1, version 2"


def test_a_model_is_asked_for_a_mix_and_told_what_is_missing(ws: Workspace, serve: Serve) -> None:
    def sketched(*levels: str) -> Say:
        rows = ", ".join(f'{{"query_idea": "q{n}", "difficulty": "{level}"}}' for n, level in enumerate(levels))
        return Say(f"[{rows}]")

    flat, mixed = sketched(*["medium"] * 10), sketched(*["easy"] * 4, *["hard"] * 6)
    with serve([flat, mixed]) as model:
        found = find_sketch(ws, make_sketch(ws, "trips", author="model", mix=DifficultyMix(4, 0, 6)))
    assert "4 easy, 0 medium, 6 hard" in model.prompts[0]
    assert "no item is easy or hard" in model.prompts[1]
    assert [item.difficulty for item in found.items] == ["easy"] * 4 + ["hard"] * 6
    assert found.provenance["mix"] == {"easy": 4, "medium": 0, "hard": 6}


def test_a_mix_is_read_from_text_or_refused() -> None:
    assert read_mix("hard=2, easy=1") == DifficultyMix(1, 0, 2)
    for wrong in ("", "easy", "easy=x", "easy=1,easy=2", "tough=1", "easy=0", "easy=41"):
        with pytest.raises(UsageError):
            read_mix(wrong)


# what an item holds is declared once: prompt, schema, readers and the table on the screen follow


VALUES: dict[FieldKind, Any] = {
    FieldKind.TEXT: "How many?",
    FieldKind.WORDS: ("count", "rows"),
    FieldKind.NUMBERS: (1,),
    FieldKind.CHOICE: "hard",
}


def item(number: int = 2) -> SketchItem:
    return SketchItem(number, **{field.name: VALUES[field.kind] for field in SKETCH_FIELDS})


def test_a_model_is_told_of_each_field_and_read_under_each_of_its_names() -> None:
    names = {field.name for field in fields(SketchItem)} - {"number", "family", "slots"}
    assert {field.name for field in SKETCH_FIELDS} == names
    for field in SKETCH_FIELDS:
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
    assert items_of_rows((first, second), added)[2] == replace(second, number=3)
