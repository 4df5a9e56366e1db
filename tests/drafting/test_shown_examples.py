"""Which accepted sets and which complete session a prompt shows: the nearest, never on the seed's own data."""

import hashlib
from dataclasses import replace

import pytest

from authoring.drafting import complete_session
from authoring.drafting.complete_session import (
    CompleteSession,
    DataShape,
    is_on_same_data,
    nearest_session,
    session_pool,
    shape_of,
)
from authoring.drafting.prompt_examples import MAX_EXAMPLES, choose_examples
from authoring.drafting.sketching import make_sketch
from authoring.drafting.text_likeness import similarity, text_vector
from authoring.prompting.blocks import BLOCKS
from authoring.seeds import Profile, shipped_seed_names
from authoring.seeds.shipped import load_shipped_seeds
from authoring.store import problemsets, revisions
from authoring.store.drafting.examples import list_examples, mark_example
from authoring.store.drafting.seeds import SeedFile, find_seed, insert_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.reviewing.reviews import record_decision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.language import parse_problemset
from tests.drafting.conftest import PROFILE, Serve, column
from tests.scripted_model import Say

SET = '# %%\n"""\nquery: What is {0} and 1?\nknowledge_points: [{1}]\n"""\n{0} + 1\n'
TABLE = {
    **{"file": "weather.csv", "reader": "read_csv", "rows": 9},
    "columns": [column("station", "category", "str", 3), column("temp_c", "number", "float64", 9)],
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


def test_at_most_five_are_shown_and_random_ones_depend_on_the_seed_alone(ws: Workspace) -> None:
    for number in range(8):
        accepted(ws, f"set-{number}")
    assert names(ws, "none") == []
    assert names(ws, "all") == [f"set-{number}" for number in (7, 6, 5, 4, 3)]
    assert len(names(ws, "random")) == len(names(ws, "nearest")) == MAX_EXAMPLES
    with pytest.raises(UsageError, match="no way 'best'") as caught:
        choose_examples(ws, "best")
    assert "nearest" in caught.value.fix
    assert names(ws, "random", 3) == names(ws, "random", 3)
    assert len({tuple(names(ws, "random", rng_seed)) for rng_seed in range(5)}) > 1


def test_the_nearest_examples_share_columns_and_knowledge_points(ws: Workspace) -> None:
    file = SeedFile("weather.csv", ws.put_bytes(b"x"), 1, "csv")
    weather = insert_seed(ws, name="weather", files=[file], profile={**PROFILE, "tables": [TABLE]})
    accepted(ws, "same-data")
    accepted(ws, "other-data", seed_id=weather)
    accepted(ws, "no-data", seed_id=None)
    accepted(ws, "same-points", "[groupby means]", seed_id=weather)
    assert names(ws, "nearest")[0] == "same-data"
    assert names(ws, "nearest")[-1] == "no-data"
    assert set(names(ws, "nearest", points=("groupby mean",))[:2]) == {"same-data", "same-points"}


def test_similarity_is_that_of_words_not_of_their_order() -> None:
    one, two = text_vector(["trip_id", "mean fare"]), text_vector(["mean fare", "Trip ID"])
    assert similarity(one, two) == pytest.approx(1.0)
    assert 0 < similarity(one, text_vector(["means"])) < 1
    assert similarity(one, text_vector([])) == 0.0


def test_what_is_excluded_or_changed_is_not_shown(ws: Workspace) -> None:
    first, second = accepted(ws, "one"), accepted(ws, "two")
    mark_example(ws, "two", excluded=True, by="Ann")
    assert names(ws, "all") == ["one"]
    assert [(row.name, row.excluded, row.by) for row in list_examples(ws)] == [("two", True, "Ann"), ("one", False, "")]
    mark_example(ws, second, excluded=False, by="Bo")
    assert names(ws, "all") == ["two", "one"]
    with pytest.raises(UsageError, match="no problemset"):
        mark_example(ws, first + 90, excluded=True, by="Ann")
    head = revisions.find(ws, "one")
    revisions.save(ws, first, SET.format(5, "x"), base_revision_id=head.id, author="Ann")
    assert names(ws, "all") == ["two"]


# the complete session


PROBLEM = '''# %%
"""
query: What is {0} and 1?
knowledge_points: [{1}]
examples: {{accept: ["{0} + 1 + 0"]}}
"""
{0} + 1
'''


def profile(*columns: dict[str, object], rows: int = 60, tables: int = 1) -> Profile:
    table = {**PROFILE["tables"][0], "rows": rows, "columns": list(columns)}
    return Profile.from_json({**PROFILE, "tables": [{**table, "file": f"t{number}.csv"} for number in range(tables)]})


NUMBERS = profile(column("a", "number", "int64", 60), column("b", "number", "float64", 60))
SERIES = profile(column("when", "date", "datetime64[ns]", 60), column("b", "number", "float64", 60))
TEXTS = profile(column("remark", "text", "str", 60), column("b", "number", "float64", 60), tables=4)


def session(name: str, about: Profile | None, points: str = "sums", **inputs: str) -> CompleteSession:
    text = "\n".join(PROBLEM.format(number, points) for number in range(2, 12))
    problemset = parse_problemset(text, name=name).problemset
    assert problemset is not None
    return CompleteSession(name, "core", problemset, inputs, about)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> list[CompleteSession]:
    sessions = [session("numbers", NUMBERS), session("series", SERIES), session("texts", TEXTS, "joins")]
    monkeypatch.setattr(complete_session, "session_pool", lambda _: tuple(sessions))
    return sessions


def test_the_nearest_session_has_like_shape_and_knowledge_points(ws: Workspace, pool: list[CompleteSession]) -> None:
    for about, points, nearest in (
        (NUMBERS, (), "numbers"),
        (SERIES, (), "series"),
        (TEXTS, (), "texts"),
        (NUMBERS, ("joins",), "texts"),
        (None, ("joins",), "texts"),
        (None, (), "numbers"),  # nothing is known: by name
    ):  # fmt: skip
        found = nearest_session(ws, find_seed(ws, "trips"), about, points)
        assert found is not None
        assert found.name == nearest


def test_shapes_are_alike_by_tables_time_text_and_rows() -> None:
    assert shape_of(SERIES) == DataShape(tables=1, time=2, text_share=0.0, rows=60)
    assert shape_of(TEXTS) == DataShape(tables=4, time=0, text_share=0.5, rows=60)
    assert shape_of(profile(column("year", "number", "int64", 3))) == DataShape(1, 1, 0.0, 60)
    assert shape_of(None) is None
    one = DataShape(1, 1, 0.0, 1_000)
    assert one.likeness(one) == 1.0
    far = DataShape(40, 1, 1.0, 10**9)
    assert one.likeness(far) == far.likeness(one) == pytest.approx(0.4)


def test_a_session_on_the_seeds_own_data_is_never_shown(ws: Workspace, pool: list[CompleteSession]) -> None:
    seed = find_seed(ws, "trips")
    digest = seed.files[0].digest
    pool[:] = [session("by-name", NUMBERS, **{"Trips.CSV": "other"}), session("by-digest", NUMBERS, other=digest)]
    assert nearest_session(ws, seed, None) is None
    pool.append(session("by-columns", profile(*(column(n, "number", "int64", 9) for n in ("A", "b", "c")))))
    same = profile(*(column(n, "number", "float64", 5) for n in ("a", "B", "C")))
    assert nearest_session(ws, seed, same) is None
    other = profile(*(column(n, "number", "float64", 5) for n in ("a", "b", "d", "e", "f")))
    assert nearest_session(ws, seed, other) == pool[2]


def test_columns_of_the_same_texts_are_the_same_data() -> None:
    def islands(name: str, *values: str) -> Profile:
        texts = [[value, 3] for value in values]
        return profile({**column(name, "category", "str", 3), "top": texts})

    theirs = session("birds", islands("Island", "Biscoe", "Dream", "Torgersen"))
    assert is_on_same_data(theirs, {"x.csv": "1"}, islands("place", "Torgersen", "biscoe", "Dream"))
    assert not is_on_same_data(theirs, {"x.csv": "1"}, islands("place", "Torgersen", "Rome", "Oslo"))
    assert not is_on_same_data(replace(theirs, profile=None), {"x.csv": "1"}, None)


def test_each_shipped_seed_is_shown_a_session_on_other_files(ws: Workspace) -> None:
    few = shipped_seed_names()[::4]
    load_shipped_seeds(ws, only=few)
    for seed in [find_seed(ws, name) for name in few]:
        chosen = choose_examples(ws, "all", seed=seed)
        assert chosen.session is not None, seed.name
        assert not {file.digest for file in seed.files} & set(chosen.session.inputs.values())
        assert not {file.name for file in seed.files} & set(chosen.session.inputs)
        whole = chosen.blocks(whole=True)[0]
        assert (whole.name, whole.is_cut) == ("session", False)
        assert whole.tokens <= BLOCKS["session"].tokens
    assert len(few) >= 3


def test_a_session_is_shown_as_cells_that_parse() -> None:
    shown = session("sums", NUMBERS).text
    assert "accept" not in shown
    parsed = parse_problemset(shown, name="sums")
    assert parsed.diagnostics == ()
    assert parsed.problemset is not None
    assert [problem.query for problem in parsed.problemset.problems] == [f"What is {n} and 1?" for n in range(2, 12)]
    assert session("sums", NUMBERS).outline().splitlines()[0] == "1. What is 2 and 1? [sums]"


def test_a_whole_set_that_was_accepted_here_joins_the_pool(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    one = [session("texts", TEXTS, "joins")]  # of the shipped ones, far from the data
    monkeypatch.setattr(complete_session, "shipped_sessions", lambda _: tuple(one))
    shipped = len(session_pool(ws))
    far = insert_seed(ws, name="far", files=[SeedFile("far.csv", ws.put_bytes(b"a\n1\n"), 4, "csv")])
    for name, count in (("short", 3), ("whole", 9)):
        text = "\n".join(PROBLEM.format(number, "addition") for number in range(2, 2 + count))
        inputs = {"far.csv": hashlib.sha256(b"a\n1\n").hexdigest()}
        made = problemsets.create(
            ws, name=name, text=text, author="Ann", origin=Origin.PERSON, seed_id=far, inputs=inputs
        )
        record_decision(ws, revision_id=made.id, decision="accepted", by="Bo")
    assert [one.name for one in session_pool(ws)[shipped:]] == ["whole"]
    chosen = choose_examples(ws, "all", seed=find_seed(ws, "trips"), points=["addition"])
    assert chosen.session is not None
    assert (chosen.session.name, [one.name for one in chosen.examples]) == ("whole", ["short"])
    other = choose_examples(ws, "all", seed=find_seed(ws, "far"), points=["addition"]).session
    assert other not in (None, chosen.session)
    assert choose_examples(ws, "none", seed=find_seed(ws, "trips")).session is None


def test_a_sketch_names_the_examples_and_the_session_that_it_shows(ws: Workspace, serve: Serve, pool: object) -> None:
    accepted(ws, "a" * 31)
    with serve([Say('[{"query_idea": "Load it."}]')]) as model:
        shown, hidden = (
            find_sketch(ws, make_sketch(ws, "trips", author="model", examples=way)).provenance
            for way in ("nearest", "none")
        )
    assert (shown["example_strategy"], len(shown["examples"])) == ("nearest", 1)
    assert (hidden["example_strategy"], hidden["examples"]) == ("none", [])
    assert ["What is 31 and 1?" in prompt for prompt in model.prompts] == [True, False]
    assert shown["session"] == {"name": "numbers", "source": "core"}
    assert shown["prompt_size"]["blocks"]["outline"] > 50
    assert "1. What is 2 and 1? [sums]" in model.prompts[0]
    assert "2 + 1" not in model.prompts[0]
