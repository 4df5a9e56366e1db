"""Seeds on their pages: found, corrected, looked into, said what they mean; sketches ordered, edited, drafted on."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.seeds.meanings.statements import Statement, TableStatement
from authoring.seeds.meanings.stored import keep_proposal, seed_semantics
from authoring.seeds.profile import ColumnProfile, ColumnRole, Profile, TableProfile
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning
from authoring.seeds.semantics import Origin as MeaningOrigin
from authoring.store import jobs, problemsets
from authoring.store.autosaves import keep_unsent, list_unsent
from authoring.store.drafting.confirmations import list_confirmations
from authoring.store.drafting.seeds import Seed, SeedFacts, find_seed, insert_seed, list_seeds
from authoring.store.drafting.sketches import (
    SketchItem,
    find_sketch,
    insert_sketch,
    list_sketch_comments,
    list_sketch_revisions,
    save_sketch,
)
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.seeds.meaning_rows import rows_of
from authoring.ui.seeds.meaning_view import edits_field, table_digest
from authoring.ui.seeds.seed_view import _range
from authoring.ui.seeds.sketches import Row, changed_rows, items_of_rows, row_of
from evaluator.errors import ContentError
from tests.ui.acts import Open, configure_model, errors, finish, page_links, payloads, press, said, says


def links(app: AppTest) -> list[str]:
    return [link.proto.label for link in app.main.get("page_link")]


def test_seeds_are_listed_by_title_and_searched(open_page: Open, ws: Workspace, seed: int) -> None:
    for number in range(55):
        insert_seed(ws, name=f"x{number}", files=[], facts=SeedFacts(licence="MIT", title=f"t{number}"))
    insert_seed(ws, name="z", files=[], facts=SeedFacts(title="Apples"))
    app = open_page("seeds")
    assert len(links(app)) == 50
    assert links(app)[:2] == ["**Apples**", "**sales**"]
    assert "1 table" in said(app)
    app.text_input(key="seeds:words").set_value("shop cc0").run()  # a column and the licence
    assert links(app) == ["**sales**"]
    app.text_input(key="seeds:words").set_value("nothing such").run()
    assert "No seed has these words" in said(app)


def test_a_seed_is_corrected_and_removed_where_unused(open_page: Open, ws: Workspace, seed: int) -> None:
    problemsets.create(ws, name="users-set", text="# %%\n", author="mei", origin=Origin.PERSON, seed_id=seed)
    app = open_page("seeds", seed=seed)
    assert "beware" in said(app), "a trap of its profile"
    app.text_input(key=f"seed:{seed}:licence").set_value("CC-BY-4.0")
    app.text_input(key=f"seed:{seed}:published_on").set_value("2024-05-01")
    press(app, f"seed:{seed}:correct")
    found = find_seed(ws, seed)
    assert (found.licence, found.published_on, found.name) == ("CC-BY-4.0", "2024-05-01", "sales")
    assert "licence, published on" in said(app)
    assert "users-set" in errors(press(app, f"seed:{seed}:remove"))
    made = insert_seed(ws, name="made", files=[], facts=SeedFacts(synthetic=True), statement="title: made\n")
    app = open_page("seeds", seed=made)
    assert "title: made" in [each.value.strip() for each in app.code], "what a made seed was drawn from"
    press(app, f"seed:{made}:remove")
    assert [each.name for each in list_seeds(ws)] == ["sales"]


def test_a_seed_shows_plots_what_is_covered_and_its_notebook(open_tab: Open, ws: Workspace) -> None:
    column = {"name": "units[1]", "dtype": "int", "role": "number", "missing": 2, "min": 0, "max": 9, "quantiles": {}}
    profile = {"tables": [{"file": "a.csv", "rows": 9, "columns": [column, {"name": "shop", "role": "category"}]}]}
    cells = [
        {"cell_type": "markdown", "source": "# Sales <b>x</b>\n![a](http://example.org/a.png)"},
        {"cell_type": "code", "source": "import pandas"},
    ]
    book = ws.put_bytes(json.dumps({"cells": cells}).encode())
    seed = insert_seed(ws, name="plain", files=[], profile=profile, notebook=book)
    app = open_tab("seeds", "Plots", seed=seed)
    assert len([*app.get("vega_lite_chart"), *app.get("arrow_vega_lite_chart")]) == 1
    says(app, "2 values missing", "its profile holds no frequencies")
    items = [SketchItem(1, "idea", ("sum", "mean")), SketchItem(2, "idea", ("sum",))]
    insert_sketch(ws, seed_id=seed, author="template", rng_seed=0, items=items, provenance={})
    text = '# %%\n"""\nquery: add\nknowledge_points: [sum]\n"""\n1 + 1\n'
    problemsets.create(ws, name="set", text=text, author="mei", origin=Origin.PERSON, seed_id=seed)
    table = open_tab("seeds", "Covered", seed=seed).table[-1].value
    assert table.to_numpy().tolist() == [["sum", "2", "1"], ["mean", "1", "0"]]
    app = open_tab("seeds", "Notebook", seed=seed)
    assert "1 code cell, 1 text cell" in said(app)
    assert [code.value for code in app.main.code] == ["import pandas"]
    assert any("\\![a](http" in each.value for each in app.markdown)  # no picture: its host would learn who reads
    dates = {"role": "date", "min": "2024-01-01T00:00:00", "max": "2024-03-05T00:00:00"}
    assert _range(dates) == r"2024\-01\-01 … 2024\-03\-05", "without midnight"
    assert "T00" in _range({**dates, "max": "2024-03-05T12:30:00"})


def test_columns_about_persons_are_told_and_confirmed_one_by_one(open_page: Open, ws: Workspace) -> None:
    common = {"dtype": "str", "role": "text", "missing": 0, "distinct": 3, "candidate_key": True, "samples": []}
    signs = [{"form": "email", "rows": 3, "looked_at": 3, "shape": "a**@***.**"}]
    columns = [
        {"name": name, "min": None, "max": None, "quantiles": {}, **common, "personal": signs}
        for name in ("mail", "second_mail", "third_mail")
    ]
    table = {"file": "people.csv", "reader": "read_csv", "rows": 3, "columns": columns}
    added = insert_seed(ws, name="people", files=[], profile={"tables": [table], "version": 4})
    app, key = open_page("seeds", seed=added), f"seed:{added}:personal"
    assert "seems to hold e-mail addresses (3 rows)" in said(app)
    app.radio(key=f"{key}:said").set_value("synthetic")
    press(app, f"{key}:confirm")
    (told,) = list_confirmations(ws)[added]
    assert (told.column, told.said) == ("mail", "synthetic")
    assert "confirmed as synthetic" in said(app)
    press(app, f"{key}:withdraw")
    assert not list_confirmations(ws).get(added)
    assert "the column mail is no longer confirmed" in said(app)


def test_rows_of_a_seed_are_ordered_shown_and_turned(open_tab: Open, ws: Workspace, seed: int) -> None:
    key, page = f"rows:{seed}:0", {"columns": ["shop"], "columns_left": 0, "total": 120, "cell_chars": 9}
    app = open_tab("seeds", "Rows", seed=seed)
    app.selectbox(key=f"{key}:condition").select("contains").run()
    app.text_input(key=f"{key}:text").set_value("A")
    press(app, f"{key}:show")
    assert app.button(key=f"{key}:show").disabled
    job = finish(ws, "seed_rows", {**page, "numbers": [1], "rows": [["<b>bold</b>"]]})
    asked = {"table": 0, "condition": "contains", "column": "shop", "text": "A", "offset": 0, "count": 50}
    assert {**job.payload, "seed": 0} == {"seed": 0, **asked}
    assert "1 to 1 of 120 rows where **shop** contains “A”" in said(app.run())
    assert any("&lt;b&gt;bold" in each.proto.body for each in app.get("html"))
    app.pagination(key=f"rows:page:{job.id}").set_value(3).run()
    turned = finish(ws, "seed_rows", {**page, "total": 0, "numbers": [], "rows": []})
    assert turned.payload == {**job.payload, "offset": 100}
    assert "No row fits" in said(app.run())


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
def trips(ws: Workspace) -> Seed:
    """A seed of one table."""
    profile = Profile(tables=(PROFILE,)).to_json()
    return find_seed(ws, insert_seed(ws, name="trips", files=[], profile=profile))


def edit_meanings(ws: Workspace, seed: Seed, **cells: dict[str, str]) -> None:
    """Leave edits of cells in the table, as a person's tab does."""
    table = seed_semantics(ws, seed).tables[0]
    rows = [{**row, **cells.get(row["column"], {})} for row in rows_of(table)]
    keep_unsent(ws, "mei", edits_field(seed.id, 0, table_digest(table)), rows)


def meaning(ws: Workspace, seed: Seed, name: str) -> ColumnMeaning:
    found = seed_semantics(ws, seed).tables[0].column(name)
    assert found is not None
    return found


def test_meanings_that_a_person_edits_are_saved(open_tab: Open, ws: Workspace, trips: Seed) -> None:
    key = f"meanings:{trips.id}"
    edit_meanings(ws, trips, city={"meaning": "measure"})
    app = press(open_tab("seeds", "Meaning", seed=trips.id), f"{key}:0:save")
    assert "holds texts, so it cannot be a measure" in errors(app)
    assert [field for field in list_unsent(ws, "mei") if field.startswith("meanings:")]
    assert meaning(ws, trips, "city").meaning is Meaning.CATEGORY
    edits = {
        "km": {"unit": "miles", "adds_up": "no"},
        "stars": {"levels": "3, 2, 1"},
        "trip_id": {"meaning": "measure"},
    }
    edit_meanings(ws, trips, **edits)
    app = open_tab("seeds", "Meaning", seed=trips.id)
    app.text_input(key=f"{key}:0:whole:1:row").set_value("journey")
    app.multiselect(key=f"{key}:0:whole:1:groups").set_value(["stars"])
    press(app, f"{key}:0:save")
    km, table = meaning(ws, trips, "km"), seed_semantics(ws, trips).tables[0]
    assert (km.unit, km.adds_up, km.origin) == ("miles", AddsUp.NO, MeaningOrigin.PERSON)
    assert meaning(ws, trips, "stars").levels == (3, 2, 1)
    assert (table.row, table.rows, table.groups) == ("journey", "journeys", ("stars",))
    assert "saved what trips" in said(app)
    assert not [field for field in list_unsent(ws, "mei") if field.startswith("meanings:")]
    assert said(app).count("is named like an identifier") == 1, "kept, and named"
    press(app, f"{key}:reset")
    assert "is named like an identifier" not in said(app)


def test_a_model_proposes_meanings_which_count_once_accepted(
    open_tab: Open, ws: Workspace, trips: Seed, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = f"meanings:{trips.id}"
    app = press(open_tab("seeds", "Meaning", seed=trips.id), f"{key}:propose")
    assert "no model is configured" in errors(app)
    configure_model(monkeypatch)
    press(app, f"{key}:propose")
    assert [order["seed"] for order in payloads(ws, "propose_semantics")] == [trips.id]
    column = ColumnMeaning(
        name="km", meaning=Meaning.MEASURE, unit="miles", origin=MeaningOrigin.MODEL, reason="distances"
    )
    keep_proposal(ws, trips, Statement((TableStatement(file="trips.csv", columns=(column,)),)), provenance={})
    app = open_tab("seeds", "Meaning", seed=trips.id)
    assert any("in miles" in one.value and "**km**" in one.value for one in app.markdown)
    press(app, f"{key}:accept")
    km = meaning(ws, trips, "km")
    assert (km.unit, km.origin) == ("miles", MeaningOrigin.MODEL)


def test_a_sketch_is_ordered_with_difficulty_mix_examples_and_budget(
    open_page: Open, ws: Workspace, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, mix = f"sketch:{seed}", {"easy": 0, "medium": 6, "hard": 4}
    app = open_page("seeds", seed=seed)
    app.selectbox(key=f"{key}:author").select("model")
    assert "no model is configured" in errors(press(app, f"{key}:send"))
    configure_model(monkeypatch)
    for level in mix:
        app.number_input(key=f"{key}:{level}").set_value(0)
    assert "asks for 0 problems" in errors(press(app, f"{key}:send"))
    assert jobs.select(ws) == []
    app.selectbox(key=f"{key}:difficulty").select("hard")
    for level, number in mix.items():
        app.number_input(key=f"{key}:{level}").set_value(number)
    app.selectbox(key=f"{key}:examples").select("nearest")
    app.number_input(key=f"{key}:budget:minutes").set_value(2.5)
    press(app, f"{key}:send")
    (order,) = payloads(ws, "sketch")
    wanted = {"difficulty": "hard", "mix": "easy=0,medium=6,hard=4", "examples": "nearest"}
    assert {name: order[name] for name in wanted} == wanted
    assert order["budget"] == {"tokens": None, "cost": None, "minutes": 2.5}
    press(open_page("seeds", sketch=1), "draft:1:send")
    (order,) = payloads(ws, "draft")
    assert (order["sketch"], order["author"]) == (1, "template")


def edited(before: list[SketchItem], changes: dict[int, Row], added: list[Row] | None = None) -> list[SketchItem]:
    return items_of_rows(before, changed_rows([row_of(item) for item in before], changes, added or []))


def test_rows_of_a_sketch_are_added_numbered_and_dropped() -> None:
    items = [SketchItem(1, "first", ("sum",)), SketchItem(2, "second", ("mean",), (1,))]
    added: list[Row] = [
        {"query_idea": "between", "number": 1, "knowledge_points": "join, merge"},
        {"query_idea": "last", "depends_on": "2"},
    ]
    assert edited(items, {1: {"knowledge_points": "median"}}, added) == [
        SketchItem(1, "first", ("sum",)),
        SketchItem(2, "between", ("join", "merge")),
        SketchItem(3, "second", ("median",), (1,)),
        SketchItem(4, "last", (), (3,)),
    ]
    three = [SketchItem(number, f"idea {number}", (), needs) for number, needs in enumerate([(), (1,), (1, 2)], 1)]
    assert edited(three, {1: {"keep": False}}) == [SketchItem(1, "idea 1", ()), SketchItem(2, "idea 3", (), (1,))]
    moved = edited([SketchItem(n, f"idea {n}", ()) for n in (1, 2, 3)], {2: {"number": 0, "query_idea": "first"}})
    assert [(item.number, item.query_idea) for item in moved] == [(1, "first"), (2, "idea 1"), (3, "idea 2")]
    with pytest.raises(ContentError, match="at least one item"):
        edited(three[:1], {0: {"keep": False}})
    for wrong in ("7", "first", "1, -2"):
        with pytest.raises(ContentError, match="number of no item"):
            edited(items, {1: {"depends_on": wrong}})


def test_edited_rows_of_a_sketch_are_kept_until_saved(open_page: Open, ws: Workspace, seed: int) -> None:
    sketch = find_sketch(ws, 1)
    rows = [row_of(item) for item in sketch.items]
    rows[0]["query_idea"] = "mine"
    keep_unsent(ws, "mei", "sketch:1:table:1", rows)  # a table cannot be typed into without a browser
    app = open_page("seeds", sketch=1)
    assert "edited; kept for you until you save" in said(app)
    app.text_input(key="sketch:1:message").set_value("simpler").run()
    press(app, "sketch:1:save")
    newest = list_sketch_revisions(ws, 1)[-1]
    assert (newest.number, newest.items[0].query_idea, newest.message) == (2, "mine", "simpler")
    assert list_unsent(ws, "mei") == {}
    rows[0]["query_idea"] = "mine again"
    for wanted, number in (("undo", 2), ("mine", 4)):
        keep_unsent(ws, "mei", "sketch:1:table:2", rows)
        app = open_page("seeds", sketch=1)
        if wanted == "mine":
            save_sketch(ws, 1, sketch.items[:2], author="lee", base_number=2)
            assert "Somebody saved version 3 while you edited version 2" in said(app.run())
        press(app, f"sketch:1:{wanted}")
        assert (find_sketch(ws, 1).head_number, list_unsent(ws, "mei")) == (number, {})
    assert len(find_sketch(ws, 1).items) == 3


def test_a_sketch_is_commented_on_by_item(open_page: Open, ws: Workspace, seed: int) -> None:
    app = open_page("seeds", sketch=1)
    app.text_area(key="sketch:1:comment:text").set_value("too close to the first")
    app.selectbox(key="sketch:1:comment:item").select_index(2)
    app.selectbox(key="sketch:1:comment:kind").select_index(0)
    press(app, "sketch:1:comment:send")
    (comment,) = list_sketch_comments(ws, 1)
    assert (comment.item, comment.kind, comment.author) == (2, "repetitive", "mei")
    assert "too close to the first" in said(app)
    press(app, f"sketch:comment:{comment.id}")
    assert list_sketch_comments(ws, 1)[0].resolved_by == "mei"
    assert len(list_sketch_revisions(ws, 1)) == 1


def test_versions_of_a_sketch_are_compared_drafts_listed(open_tab: Open, ws: Workspace, seed: int) -> None:
    assert "There is one version" in said(open_tab("seeds", "Versions", sketch=1))
    save_sketch(ws, 1, find_sketch(ws, 1).items[:2], author="lee", base_number=1, message="shorter")
    app = open_tab("seeds", "Versions", sketch=1)
    assert "idea 3" in "".join(str(element.proto.body) for element in app.get("html"))
    assert "shorter" in said(app)
    assert "Nothing was drafted yet" in said(open_tab("seeds", "Drafts", sketch=1))
    spent = {"model": "m[1]", "prompt_tokens": 900, "completion_tokens": 100, "cost": 0.5, "currency": "USD"}
    problemsets.create(
        ws, name="dear", text="# %%\n", author="mei", origin=Origin.MODEL, seed_id=seed, sketch_id=1,
        provenance={**spent, "repairs": 2},
    )  # fmt: skip
    app = open_tab("seeds", "Drafts", sketch=1)
    assert links(app) == ["**sales**", "**dear**"]
    assert "model m[1]: 1,000 tokens, cost 0.5000 USD, 2 repairs" in said(app)
    assert list(page_links(open_tab("seeds", "Drafts", seed=seed)))[-1] == "**dear**"
