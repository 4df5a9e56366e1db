"""Synthetic data are made on the Seeds page; a problemset is translated and put on other data on its own page."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, problemsets
from authoring.store.autosaves import list_unsent
from authoring.store.drafting.seeds import SeedFile, insert_seed
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.seeds.making import EXAMPLE
from tests.ui.acts import Open, errors, finish, press, said
from tests.ui.conftest import TEXT, texts
from tests.ui.problemset.acts import ordered

MADE = "seed_make"


def links(app: AppTest) -> list[str]:
    return [link.proto.query_string for link in app.main.get("page_link") if link.proto.label == "Open it"]


def test_the_example_of_stated_fields_is_drawn_and_ordered_as_it_stands(
    open_page: Open, workspace: Workspace, seed: int
) -> None:
    app = open_page("seeds")
    assert app.text_area(key=f"{MADE}:fields").value == EXAMPLE
    app.toggle(key=f"{MADE}:preview").set_value(True)
    app.number_input(key=f"{MADE}:rows").set_value(3)
    app.number_input(key=f"{MADE}:rng_seed").set_value(7)
    press(app, f"{MADE}:send")
    assert "the seed has no name" in errors(app)
    (shown,) = [table.value for table in app.table if "order\\_no" in table.value]
    assert shown["order\\_no"].tolist() == ["1", "2", "3"]
    assert "**orders\\.csv** · 3 rows · 4 fields" in texts(app)
    app.text_input(key=f"{MADE}:name").set_value("sales")
    press(app, f"{MADE}:send")
    assert "already a seed called 'sales'" in errors(app)
    app.text_input(key=f"{MADE}:name").set_value("garden")
    press(app, f"{MADE}:send")
    statement = ordered(workspace, MADE)["statement"]
    wanted = finish(workspace, MADE, {"id": 4, "name": "garden", "statement": statement}).payload
    assert (wanted["name"], wanted["rng_seed"], wanted["created_by"]) == ("garden", 7, "mei")
    assert "rows: 3\n" in statement
    assert "topic" not in wanted
    app.run()
    assert "Made **garden**. It is marked synthetic" in said(app)
    assert "seed=4" in links(app)


def test_fields_that_cannot_be_drawn_are_named_with_their_place(open_page: Open, workspace: Workspace) -> None:
    app = open_page("seeds")
    app.toggle(key=f"{MADE}:preview").set_value(True)
    app.text_area(key=f"{MADE}:fields").set_value(EXAMPLE.replace("rows: 300", "rows: many")).run()
    assert "tables.0.rows" in errors(app)
    assert "Where: Fields" in errors(app)
    app.text_input(key=f"{MADE}:name").set_value("garden")
    press(app, f"{MADE}:send")
    assert jobs.select(workspace) == []
    assert "rows: many" in str(list_unsent(workspace, "mei"))  # what was typed is kept


def test_a_model_states_the_fields_where_one_is_configured(
    open_page: Open, workspace: Workspace, model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("seeds")
    app.radio(key=f"{MADE}:by").set_value("topic").run()
    app.text_input(key=f"{MADE}:name").set_value("garden")
    press(app, f"{MADE}:send")
    assert "the topic is empty" in errors(app)
    app.text_area(key=f"{MADE}:topic").set_value("orders of a garden shop")
    app.number_input(key=f"{MADE}:budget:tokens").set_value(9000)
    press(app, f"{MADE}:send")
    wanted = ordered(workspace, MADE)
    assert (wanted["topic"], wanted["budget"]["tokens"]) == ("orders of a garden shop", 9000)
    assert "statement" not in wanted
    monkeypatch.delenv("BENCHWRIGHT_MODEL")
    app.text_input(key=f"{MADE}:name").set_value("garden-2")
    press(app, f"{MADE}:send")
    assert "no model is configured" in errors(app)


@pytest.fixture
def reuse(open_tab: Open) -> Callable[[int], AppTest]:
    """Open the tab of a problemset in which another one is made out of it."""
    return lambda problemset_id: open_tab("problemset", "Reuse", set=problemset_id)


def test_translating_and_refining_cannot_be_ordered_without_a_model(
    reuse: Callable[[int], AppTest], open_tab: Open, draft: Revision
) -> None:
    assert reuse(draft.problemset_id).button(key=f"translate:{draft.problemset_id}:send").disabled
    app = open_tab("problemset", "Refine", set=draft.problemset_id)
    (button,) = [each for each in app.button if each.label == "Refine"]
    assert button.disabled
    assert "see Settings" in button.help


def test_a_problemset_is_translated_by_a_job(
    reuse: Callable[[int], AppTest], workspace: Workspace, draft: Revision, model: None
) -> None:
    key = f"translate:{draft.problemset_id}"
    app = reuse(draft.problemset_id)
    app.text_input(key=f"{key}:name").set_value("shop-sales")
    press(app, f"{key}:send")
    assert r"already a problemset called 'shop\-sales'" in app.error[0].value
    app.text_input(key=f"{key}:name").set_value("")
    press(app, f"{key}:send")
    wanted = finish(workspace, "translate", {"id": 7, "name": "shop-sales-zh", "texts": 2}).payload
    assert (wanted["problemset"], wanted["language"], wanted["name"]) == (draft.id, "zh", None)
    app.run()
    assert "Translated as **shop-sales-zh**. It is in the queue, paired with the original." in said(app)
    assert links(app) == ["set=7"]


def test_a_template_is_made_shown_and_put_on_other_data(
    reuse: Callable[[int], AppTest], workspace: Workspace, draft: Revision, seed: int
) -> None:
    other = SeedFile("rides.csv", workspace.put_bytes(b"a\n1\n"), 4, "csv")
    insert_seed(workspace, name="rides", files=[other], profile={"tables": []})
    made_of, put_on = f"generalise:{draft.problemset_id}", f"instantiate:{draft.problemset_id}"
    app = reuse(draft.problemset_id)
    press(app, f"{made_of}:send")
    assert "it is not known which data this problemset is about" in errors(app)
    app.selectbox(key=f"{made_of}:about").select("sales")
    press(app, f"{made_of}:send")
    result = {
        "name": "shop-sales",
        "problems": 2,
        "columns": {"shop": {"name": "shop", "meaning": "category"}},
        "values": {"value1": {"was": "<b>", "rule": "frequent", "at": 1, "column": "shop"}},
        "text": "template: 1",
    }
    assert finish(workspace, "generalise", result).payload == {"problemset": draft.id, "about": "sales"}

    app = reuse(draft.problemset_id)
    assert "Template **shop-sales**: 2 problems, 1 column, 1 value." in said(app)
    assert app.table[0].value["Stands for"].tolist() == ["shop", r"\<b\>"]
    press(app, f"{put_on}:send")
    assert "no seed is chosen" in errors(app)
    app.selectbox(key=f"{made_of}:about").select("sales")
    app.selectbox(key=f"{put_on}:seed").select("rides")
    app.text_area(key=f"{put_on}:columns").set_value("shop island")
    press(app, f"{put_on}:send")
    assert "'shop island' names no pair of columns" in errors(app)
    app.text_area(key=f"{put_on}:columns").set_value("shop = island\n\n")
    press(app, f"{put_on}:send")
    gone = {"source": "left out", "problem": "p2", "what": "no such column", "fix": "do without"}
    wanted = finish(
        workspace, "instantiate", {"id": 9, "name": "shop-rides", "problems": 1, "findings": [gone]}
    ).payload
    found = [wanted[name] for name in ("problemset", "about", "seed", "columns")]
    assert found == [draft.id, "sales", "rides", {"shop": "island"}]
    app.run()
    assert "Made **shop-rides**: 1 problem." in said(app)
    assert "**left out (p2)**: no such column" in said(app)


def test_an_edited_template_takes_the_place_of_a_set_with_a_seed(
    reuse: Callable[[int], AppTest], workspace: Workspace, seed: int
) -> None:
    own = problemsets.create(workspace, name="own", text=TEXT, author="a", origin=Origin.PERSON, seed_id=seed)
    insert_seed(workspace, name="rides", files=[SeedFile("r.csv", workspace.put_bytes(b"a\n1\n"), 4, "csv")])
    key = f"instantiate:{own.problemset_id}"
    app = reuse(own.problemset_id)
    assert app.selectbox(key=f"{key}:seed").options == ["rides"]  # it needs no word about its own data
    app.file_uploader(key=f"{key}:file:0").upload("edited.yaml", b"template: 1\n", "text/yaml").run()
    app.selectbox(key=f"{key}:seed").select("rides")
    press(app, f"{key}:send")
    wanted = ordered(workspace, "instantiate")
    assert (wanted["template"]["name"], "problemset" in wanted, "about" in wanted) == ("edited.yaml", False, False)
