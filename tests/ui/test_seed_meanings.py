"""The tab of a seed on which people say what its columns mean."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.seeds.meanings.statements import Statement, TableStatement
from authoring.seeds.meanings.stored import keep_proposal, seed_semantics
from authoring.seeds.profile import ColumnProfile, ColumnRole, Profile, TableProfile
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Origin
from authoring.store import jobs
from authoring.store.autosaves import keep_unsent, list_unsent
from authoring.store.drafting.seeds import Seed, find_seed, insert_seed
from authoring.store.workspace import Workspace
from authoring.ui.seeds.meaning_rows import edited_rows, rows_of, table_of_rows
from authoring.ui.seeds.meaning_view import edits_field, table_digest

OpenTab = Callable[..., AppTest]
Said = Callable[[AppTest], str]

_TEXT: dict[str, Any] = {"dtype": "str", "missing": 0}
PROFILE = TableProfile(
    file="trips.csv",
    reader="read_csv",
    rows=90,
    columns=(
        ColumnProfile(name="trip_id", dtype="int64", role=ColumnRole.ID, missing=0, distinct=90, candidate_key=True,
                      min=1, max=90, integer=True, quantiles={"0.5": 45.0}),
        ColumnProfile(name="city", role=ColumnRole.CATEGORY, distinct=2, levels=("Oslo", "Rome"), **_TEXT),
        ColumnProfile(name="km", dtype="float64", role=ColumnRole.NUMBER, missing=0, distinct=80, min=0.5, max=99.5),
        ColumnProfile(name="stars", dtype="int64", role=ColumnRole.NUMBER, missing=0, distinct=3, min=1, max=3,
                      integer=True, levels=(1, 2, 3)),
    ),
)  # fmt: skip


@pytest.fixture
def trips(workspace: Workspace) -> Seed:
    """A seed of one table."""
    profile = Profile(tables=(PROFILE,)).to_json()
    return find_seed(workspace, insert_seed(workspace, name="trips", files=[], profile=profile))


def _edit(workspace: Workspace, seed: Seed, **cells: dict[str, str]) -> None:
    """Leave edits of cells in the table, as a person's tab does."""
    table = seed_semantics(workspace, seed).tables[0]
    rows = [{**row, **cells.get(row["column"], {})} for row in rows_of(table)]
    keep_unsent(workspace, "mei", edits_field(seed.id, 0, table_digest(table)), rows)


def _slips(app: AppTest) -> int:
    """Return how many warnings name an identifier that is called a quantity."""
    return sum("is named like an identifier" in one.value.replace("\\", "") for one in app.warning)


def test_the_tab_shows_meanings_and_saves_what_a_person_edits(
    open_tab: OpenTab, workspace: Workspace, trips: Seed, said: Said
) -> None:
    _edit(workspace, trips, km={"unit": "miles", "adds_up": "no"}, stars={"levels": "3, 2, 1"})
    app = open_tab("seeds", "Meaning", seed=trips.id)
    app.text_input(key=f"meanings:{trips.id}:0:whole:1:row").set_value("journey")
    app.multiselect(key=f"meanings:{trips.id}:0:whole:1:groups").set_value(["stars"])
    app.button(key=f"meanings:{trips.id}:0:save").click().run()
    table = seed_semantics(workspace, trips).tables[0]
    km, stars = table.column("km"), table.column("stars")
    assert km is not None
    assert stars is not None
    assert (km.unit, km.adds_up, km.origin) == ("miles", AddsUp.NO, Origin.PERSON)
    assert stars.levels == (3, 2, 1)
    assert (table.row, table.rows, table.groups) == ("journey", "journeys", ("stars",))
    assert "saved what trips" in said(app)
    assert not [field for field in list_unsent(workspace, "mei") if field.startswith("meanings:")]


def test_what_cannot_be_is_said_and_the_edits_stay(open_tab: OpenTab, workspace: Workspace, trips: Seed) -> None:
    _edit(workspace, trips, city={"meaning": "measure"})
    app = open_tab("seeds", "Meaning", seed=trips.id)
    app.button(key=f"meanings:{trips.id}:0:save").click().run()
    assert "holds texts, so it cannot be a measure" in app.error[0].value.replace("\\", "")
    assert [field for field in list_unsent(workspace, "mei") if field.startswith("meanings:")]
    city = seed_semantics(workspace, trips).tables[0].column("city")
    assert city is not None
    assert city.meaning is Meaning.CATEGORY


def test_an_identifier_called_a_measure_is_kept_and_named_on_the_tab(
    open_tab: OpenTab, workspace: Workspace, trips: Seed
) -> None:
    _edit(workspace, trips, trip_id={"meaning": "measure"})
    app = open_tab("seeds", "Meaning", seed=trips.id)
    app.button(key=f"meanings:{trips.id}:0:save").click().run()
    assert _slips(app) == 1
    app.button(key=f"meanings:{trips.id}:reset").click().run()
    assert _slips(app) == 0


def test_a_proposal_is_shown_and_counts_once_accepted(open_tab: OpenTab, workspace: Workspace, trips: Seed) -> None:
    column = ColumnMeaning(name="km", meaning=Meaning.MEASURE, unit="miles", origin=Origin.MODEL, reason="distances")
    keep_proposal(workspace, trips, Statement((TableStatement(file="trips.csv", columns=(column,)),)), provenance={})
    app = open_tab("seeds", "Meaning", seed=trips.id)
    assert any("in miles" in one.value and "**km**" in one.value for one in app.markdown)
    app.button(key=f"meanings:{trips.id}:accept").click().run()
    found = seed_semantics(workspace, trips).tables[0].column("km")
    assert found is not None
    assert (found.unit, found.origin) == ("miles", Origin.MODEL)
    assert app.button(key=f"meanings:{trips.id}:propose")


def test_a_model_is_asked_by_a_job_and_only_where_one_is_configured(
    open_tab: OpenTab, workspace: Workspace, trips: Seed, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_tab("seeds", "Meaning", seed=trips.id)
    app.button(key=f"meanings:{trips.id}:propose").click().run()
    assert "no model is configured" in app.error[0].value
    for name, value in (("BENCHWRIGHT_MODEL", "m"), ("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(name, value)
    app.button(key=f"meanings:{trips.id}:propose").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload["seed"]) == ("propose_semantics", trips.id)


def test_another_meaning_alone_drops_what_held_of_the_old_one() -> None:
    from authoring.seeds.meanings import infer_semantics

    table = infer_semantics(Profile(tables=(PROFILE,))).tables[0]
    rows = rows_of(table)
    place = [row["column"] for row in rows].index("stars")
    changed = table_of_rows(table, edited_rows(rows, {str(place): {"meaning": "category"}}), PROFILE)
    stars = changed.column("stars")
    assert stars is not None
    assert (stars.meaning, stars.levels) == (Meaning.CATEGORY, ())
    assert [one for one in changed.columns if one.name != "stars"] == [
        one for one in table.columns if one.name != "stars"
    ]
