"""A draft that leaves out items of its sketch goes back to the model, which is told which ones."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from authoring.drafting.draft import make_draft
from authoring.drafting.sketch_items import items_complaint, items_findings, left_out_items, without_item_tags
from authoring.store import revisions
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.workspace import Workspace
from evaluator.language import Problemset, parse_problemset, with_language_version
from evaluator.session import Engine
from tests.scripted_model import Say, Script, ScriptedModel

Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]
IDEAS = ("Load the trips.", "The mean length of each purpose.", "The longest trip.", "Half of the trips are longer.")
ITEMS = [SketchItem(number, idea) for number, idea in enumerate(IDEAS, 1)]
QUERIES = (
    "Load `inputs/trips.csv` as `trips`.",
    "What is the mean `Länge km` of each `Purpose`? A Series, by `Purpose` in alphabetical order.",
    "Which `Länge km` has the longest trip of those with the `Purpose` visit?",
    "Which `Länge km` is exceeded by half of the trips that have one? Give the median.",
)
CODES = (
    'import pandas as pd\n\ntrips = pd.read_csv("inputs/trips.csv")',
    'trips.groupby("Purpose")["Länge km"].mean().sort_index()',
    'trips.loc[trips["Purpose"] == "visit", "Länge km"].max()',
    'trips["Länge km"].median()',
)


def draft(*numbers: int, tags: bool = True, extra: str = "") -> str:
    """Return a draft with the problems for some items, in this order; `extra`: other tags of each."""
    cells = []
    for number in numbers:
        listed = [*([f"item-{number}"] if tags else []), *([extra] if extra else [])]
        written = f"tags: [{', '.join(listed)}]\n" if listed else ""
        written += "validator: {template: intact, namespace_check: {trips: }}\n" if number == 1 else ""
        cells.append(f'# %%\n"""\nquery: |\n  {QUERIES[number - 1]}\n{written}"""\n{CODES[number - 1]}\n')
    return "\n".join(cells)


def parsed(text: str) -> Problemset:
    found = parse_problemset(text, name="trips").problemset
    assert found is not None
    return found


@pytest.mark.parametrize(("text", "missing"), [
    (draft(1, 2, 3, 4), []),
    (draft(1, 3), [2, 4]),
    (draft(1, 2, 3) + draft(2).replace("tags: [item-2]", "tags: [extra]"), [4]),  # one problem was added
    (draft(1, 2, 3, 4, tags=False), []),
    (draft(1, 2, 4, tags=False), [3]),
    (draft(2, tags=False), [1, 3, 4]),
    (draft(1) + draft(2, 3, 4, tags=False), []),  # too few tags to count on
    (draft(1, 2).replace("[item-2]", "[Item 2, item_3]").replace("item-1", "sketch item 1"), [4]),
])  # fmt: skip
def test_the_items_without_a_problem_are_told_by_tags_else_by_count_and_likeness(text: str, missing: list[int]) -> None:
    assert [item.number for item in left_out_items(ITEMS, parsed(text))] == missing


def test_the_complaint_names_the_items_and_what_to_do() -> None:
    said = items_complaint(ITEMS, parsed(draft(1, 2, 4)))
    assert said.splitlines()[:2] == ["these items of the sketch have no problem:", "- item 3: The longest trip."]
    assert "tags: [item-N]" in said
    assert items_complaint(ITEMS, parsed(draft(1, 2, 3, 4))) == ""
    merged = draft(1, 2, 3).replace("item-3", "item-3, item-4")
    assert items_complaint(ITEMS, parsed(merged)).startswith("there are 3 problems, but 4 were planned")
    (finding,) = items_findings(ITEMS, parsed(draft(1, 2, 4)), Path("trips.py"))
    assert (finding.code, finding.what) == (
        "sketch-item-missing",
        "item 3 of the sketch has no problem: The longest trip.",
    )


def test_the_tags_of_items_are_taken_out_and_every_other_byte_stays() -> None:
    assert without_item_tags(draft(1, 2), "trips") == draft(1, 2, tags=False)
    others = parsed(without_item_tags(draft(1, 2, extra="joins"), "trips")).problems
    assert [problem.metadata["tags"] for problem in others] == [["joins"], ["joins"]]
    untouched = "notes\n# %%\nx = 1\n" + draft(1, tags=False)
    assert without_item_tags(untouched, "trips") == untouched
    assert without_item_tags("no cells", "trips") == "no cells"


@pytest.fixture
def sketch(ws: Workspace) -> int:
    return insert_sketch(ws, seed_id=1, author="model", rng_seed=3, items=ITEMS, provenance={})


def fenced(text: str) -> Say:
    return Say(f"```python\n{text}```\n")


def test_a_draft_that_lacks_items_goes_back_and_the_whole_one_is_kept_without_tags(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    with serve([fenced(draft(1, 3)), fenced(draft(1, 2, 3, 4))]) as model:
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert "give that problem the tag of its item, as in `tags: [item-3]`" in model.prompts[0]
    assert "- item 2: The mean length of each purpose.\n- item 4: Half of the trips are longer." in model.prompts[1]
    assert "item 3" not in model.prompts[1]
    assert revisions.find(ws, made.revision).text == with_language_version(draft(1, 2, 3, 4, tags=False))
    assert (made.left_over, made.provenance["repairs"]) == ((), 1)


def test_a_draft_that_stays_short_is_kept_and_flagged(ws: Workspace, serve: Serve, sketch: int, engine: Engine) -> None:
    with serve([fenced(draft(1)), fenced(draft(1, 2, 3)), fenced(draft(1, 2))]) as model:
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert len(model.requests) == 4
    assert made.problems == 3
    assert [finding.code for finding in made.left_over] == ["sketch-item-missing"]
    assert "Half of the trips are longer" in made.left_over[0].what
