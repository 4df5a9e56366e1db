"""Sketches that people edit: out as a file, in as the next version, commented on; a draft follows the newest."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from authoring.drafting.draft import make_draft
from authoring.drafting.sketch_files import edit_sketch, sketch_to_text
from authoring.drafting.sketching import DifficultyMix, make_sketch, read_mix
from authoring.store import revisions
from authoring.store.database.connections import ConflictError
from authoring.store.drafting.sketches import (
    SketchItem,
    add_sketch_comment,
    find_sketch,
    insert_sketch,
    list_sketch_comments,
    list_sketch_revisions,
    resolve_sketch_comment,
)
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.session import Engine
from tests.scripted_model import Say, Script, ScriptedModel

Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]
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
    assert (changed.items[0].query_idea, changed.items[0].slots, changed.head_number) == (
        "Load it: a part.",
        ITEMS[0].slots,
        2,
    )
    newest = list_sketch_revisions(ws, sketch)[-1]
    assert (newest.author, newest.message, newest.minutes) == ("Ann", "less", 2.5)


def test_items_are_numbered_in_the_order_of_the_file_and_dependencies_follow(ws: Workspace, sketch: int) -> None:
    rows = ("{number: 7, query_idea: a}", "{query_idea: b}", "{number: 9, query_idea: c, depends_on: [7]}")
    text = f"base: 1\nitems: [{', '.join(rows)}]"
    items = edit_sketch(ws, sketch, text, author="Ann").items
    assert [(item.number, item.query_idea, item.depends_on) for item in items] == [
        (1, "a", ()),
        (2, "b", ()),
        (3, "c", (1,)),
    ]


def test_an_edit_of_an_older_version_is_refused_with_the_newest_in_hand(ws: Workspace, sketch: int) -> None:
    text = sketch_to_text(find_sketch(ws, sketch))
    edit_sketch(ws, sketch, text.replace("all of it", "mine"), author="Ann")
    with pytest.raises(ConflictError, match="version 2 is newer than 1") as caught:
        edit_sketch(ws, sketch, text.replace("all of it", "theirs"), author="Bo")
    assert getattr(caught.value.head, "head_number", None) == 2
    assert "mine" in find_sketch(ws, sketch).items[0].query_idea


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("base: 1\nitems: []", "items"),
        ("items: [{query_idea: a}]", "base"),
        ("base: 1\nitems: [{query_idea: a, hint: b}]", "hint"),
        ("base: 1\nitems: [{query_idea: a, difficulty: harsh}]", "difficulty"),
        ("base: 1\nitems: [{query_idea: a, depends_on: [2]}, {query_idea: b}]", "does not stand before"),
        ("base: 1\nitems: [{query_idea: a, number: 2}, {query_idea: b, number: 2}]", "the number 2"),
        ("sketch: other\nbase: 1\nitems: [{query_idea: a}]", "'other'"),
        ("[unclosed", "cannot be read"),
        ("x" * 200_001, "200,001"),
    ],
)
def test_a_file_that_is_no_sketch_is_refused_and_nothing_is_kept(
    ws: Workspace, sketch: int, text: str, says: str
) -> None:
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
            add_sketch_comment(ws, sketch, author="Bo", text="x", **wrong)


@pytest.mark.kernel
def test_a_draft_follows_the_newest_version_and_says_which(
    ws: Workspace, sketch: int, serve: Serve, engine: Engine
) -> None:
    text = sketch_to_text(find_sketch(ws, sketch)).replace("all of it", "with care")
    edit_sketch(ws, sketch, text, author="Ann")
    with serve([Say('```python\n# %%\n"""\nquery: What is 1 and 1?\n"""\n1 + 1\n```')]) as model:
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert "Load it: with care." in model.prompts[0]
    assert made.provenance["sketch"] == {"id": sketch, "number": 2}
    assert revisions.find(ws, made.revision).message == "drafted from sketch trips-1, version 2"


def test_a_model_is_asked_for_a_mix_of_difficulties_and_told_what_is_missing(ws: Workspace, serve: Serve) -> None:
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
