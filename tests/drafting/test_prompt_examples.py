"""Which accepted sets a prompt shows, and that a person can take one out."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from authoring.drafting.prompt_examples import MAX_EXAMPLES, choose_examples
from authoring.drafting.sketching import make_sketch
from authoring.drafting.text_likeness import similarity, text_vector
from authoring.store import problemsets, revisions
from authoring.store.drafting.examples import list_examples, mark_example
from authoring.store.drafting.seeds import SeedFile, find_seed, insert_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.reviewing.reviews import record_decision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from tests.drafting.conftest import PROFILE, column
from tests.scripted_model import Say, Script, ScriptedModel

Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]
SET = '# %%\n"""\nquery: What is {0} and 1?\nknowledge_points: [{1}]\n"""\n{0} + 1\n'
WEATHER = {
    **PROFILE,
    "tables": [
        {
            "file": "weather.csv",
            "reader": "read_csv",
            "rows": 9,
            "columns": [column("station", "category", "str", 3), column("temp_c", "number", "float64", 9)],
        }
    ],
}


def accepted(ws: Workspace, name: str, points: str = "addition", seed_id: int | None = 1) -> int:
    """Add an accepted problemset and return its id."""
    text = SET.format(len(name), points)
    made = problemsets.create(ws, name=name, text=text, author="Ann", origin=Origin.PERSON, seed_id=seed_id)
    record_decision(ws, revision_id=made.id, decision="accepted", by="Bo")
    return made.problemset_id


def names(ws: Workspace, strategy: str, rng_seed: int = 0, points: tuple[str, ...] = ()) -> list[str]:
    seed = find_seed(ws, "trips")
    chosen = choose_examples(ws, strategy, seed=seed, points=points, rng_seed=rng_seed)
    return [example.name for example in chosen.examples]


def test_no_strategy_shows_more_than_five_and_none_shows_nothing(ws: Workspace) -> None:
    for number in range(8):
        accepted(ws, f"set-{number}")
    assert names(ws, "none") == []
    assert names(ws, "all") == [f"set-{number}" for number in (7, 6, 5, 4, 3)]
    assert len(names(ws, "random")) == len(names(ws, "nearest")) == MAX_EXAMPLES


def test_random_examples_depend_on_the_seed_alone(ws: Workspace) -> None:
    for number in range(8):
        accepted(ws, f"set-{number}")
    assert names(ws, "random", 3) == names(ws, "random", 3)
    assert len({tuple(names(ws, "random", rng_seed)) for rng_seed in range(5)}) > 1


def test_the_nearest_examples_share_columns_and_knowledge_points(ws: Workspace) -> None:
    blob = ws.put_bytes(b"x")
    file = SeedFile("weather.csv", blob, 1, "csv")
    weather = insert_seed(ws, name="weather", files=[file], profile=WEATHER)
    accepted(ws, "same-data")
    accepted(ws, "other-data", seed_id=weather)
    accepted(ws, "no-data", seed_id=None)
    accepted(ws, "same-points", "[groupby means]", seed_id=weather)
    assert names(ws, "nearest")[0] == "same-data"
    assert names(ws, "nearest")[-1] == "no-data"
    assert names(ws, "nearest", points=("groupby mean",))[:2] in (
        ["same-data", "same-points"],
        ["same-points", "same-data"],
    )


def test_similarity_is_that_of_words_not_of_their_order() -> None:
    one, two = text_vector(["trip_id", "mean fare"]), text_vector(["mean fare", "Trip ID"])
    assert similarity(one, two) == pytest.approx(1.0)
    assert 0 < similarity(one, text_vector(["means"])) < 1
    assert similarity(one, text_vector([])) == 0.0


def test_an_excluded_set_is_not_shown_until_it_is_included_again(ws: Workspace) -> None:
    first, second = accepted(ws, "one"), accepted(ws, "two")
    mark_example(ws, "two", excluded=True, by="Ann")
    assert names(ws, "all") == ["one"]
    assert [(row.name, row.excluded, row.by) for row in list_examples(ws)] == [("two", True, "Ann"), ("one", False, "")]
    mark_example(ws, second, excluded=False, by="Bo")
    assert names(ws, "all") == ["two", "one"]
    with pytest.raises(UsageError, match="no problemset"):
        mark_example(ws, first + 90, excluded=True, by="Ann")


def test_a_changed_set_leaves_the_pool_until_it_is_accepted_again(ws: Workspace) -> None:
    accepted(ws, "one")
    head = list_examples(ws)[0]
    revisions.save(ws, head.problemset_id, SET.format(5, "x"), base_revision_id=head.revision_id, author="Ann")
    assert names(ws, "all") == []


def test_the_shown_examples_and_the_strategy_stand_in_provenance(ws: Workspace, serve: Serve) -> None:
    accepted(ws, "one")
    with serve([Say('[{"query_idea": "Load it."}]')]) as model:
        shown = find_sketch(ws, make_sketch(ws, "trips", author="model", examples="nearest")).provenance
        hidden = find_sketch(ws, make_sketch(ws, "trips", author="model", examples="none")).provenance
    assert (shown["example_strategy"], len(shown["examples"])) == ("nearest", 1)
    assert (hidden["example_strategy"], hidden["examples"]) == ("none", [])
    assert "What is 3 and 1?" in model.prompts[0]
    assert "What is 3 and 1?" not in model.prompts[1]


def test_an_unknown_strategy_names_the_known_ones(ws: Workspace) -> None:
    with pytest.raises(UsageError, match="no way 'best'") as caught:
        choose_examples(ws, "best")
    assert "nearest" in caught.value.fix
