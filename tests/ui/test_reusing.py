"""Synthetic data are made on the Seeds page; a problemset is translated and put on other data on its own page."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, problemsets
from authoring.store.autosaves import list_unsent
from authoring.store.drafting.seeds import SeedFile, insert_seed
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.seeds.making import EXAMPLE
from tests.ui.conftest import TEXT

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
MADE = "seed_make"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is configured; nobody asks it."""
    for name, value in (("BENCHWRIGHT_MODEL", "m"), ("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(name, value)


def end_job(ws: Workspace, kind: str, result: dict[str, Any]) -> None:
    job = jobs.claim(ws, owner="w", kinds=[kind])
    assert job is not None
    assert jobs.finish(ws, job.id, "w", result=result)


def payload_of(ws: Workspace, kind: str) -> dict[str, Any]:
    (job,) = jobs.select(ws, kinds=(kind,))
    return dict(job.payload)


def links(app: AppTest) -> list[str]:
    return [link.proto.query_string for link in app.main.get("page_link") if link.proto.label == "Open it"]


def test_the_example_of_stated_fields_is_drawn_and_ordered_as_it_stands(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    app = open_page("seeds")
    assert app.text_area(key=f"{MADE}:fields").value == EXAMPLE
    app.button(key=f"{MADE}:send").click().run()
    assert "the seed has no name" in app.error[0].value
    app.toggle(key=f"{MADE}:preview").set_value(True)
    app.number_input(key=f"{MADE}:rows").set_value(3)
    app.number_input(key=f"{MADE}:rng_seed").set_value(7).run()
    (shown,) = [table.value for table in app.table if "order\\_no" in table.value]
    assert shown["order\\_no"].tolist() == ["1", "2", "3"]
    assert "**orders\\.csv** · 3 rows · 4 fields" in said(app)
    app.text_input(key=f"{MADE}:name").set_value("sales")
    app.button(key=f"{MADE}:send").click().run()
    assert "already a seed called 'sales'" in app.error[0].value
    app.text_input(key=f"{MADE}:name").set_value("garden")
    app.button(key=f"{MADE}:send").click().run()
    wanted = payload_of(workspace, MADE)
    assert (wanted["name"], wanted["rng_seed"], wanted["created_by"]) == ("garden", 7, "mei")
    assert "rows: 3\n" in wanted["statement"]
    assert "topic" not in wanted
    end_job(workspace, MADE, {"id": 4, "name": "garden", "statement": wanted["statement"]})
    app.run()
    assert "Made **garden**. It is marked synthetic" in said(app)
    assert "seed=4" in links(app)


def test_fields_that_cannot_be_drawn_are_named_with_their_place(open_page: Open, workspace: Workspace) -> None:
    app = open_page("seeds")
    app.toggle(key=f"{MADE}:preview").set_value(True)
    app.text_area(key=f"{MADE}:fields").set_value(EXAMPLE.replace("rows: 300", "rows: many")).run()
    assert r"tables\.0\.rows" in app.error[0].value
    assert "Where: Fields" in app.error[0].value
    app.text_input(key=f"{MADE}:name").set_value("garden")
    app.button(key=f"{MADE}:send").click().run()
    assert jobs.select(workspace) == []
    assert "rows: many" in str(list_unsent(workspace, "mei"))  # what was typed is kept


def test_a_model_states_the_fields_where_one_is_configured(
    open_page: Open, workspace: Workspace, model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("seeds")
    app.radio(key=f"{MADE}:by").set_value("topic").run()
    app.text_input(key=f"{MADE}:name").set_value("garden")
    app.button(key=f"{MADE}:send").click().run()
    assert "the topic is empty" in app.error[0].value
    app.text_area(key=f"{MADE}:topic").set_value("orders of a garden shop")
    app.number_input(key=f"{MADE}:budget:tokens").set_value(9000)
    app.button(key=f"{MADE}:send").click().run()
    wanted = payload_of(workspace, MADE)
    assert (wanted["topic"], wanted["budget"]["tokens"]) == ("orders of a garden shop", 9000)
    assert "statement" not in wanted
    monkeypatch.delenv("BENCHWRIGHT_MODEL")
    app.text_input(key=f"{MADE}:name").set_value("garden-2")
    app.button(key=f"{MADE}:send").click().run()
    assert "no model is configured" in app.error[0].value


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
    reuse: Callable[[int], AppTest], workspace: Workspace, draft: Revision, model: None, said: Said
) -> None:
    key = f"translate:{draft.problemset_id}"
    app = reuse(draft.problemset_id)
    app.text_input(key=f"{key}:name").set_value("shop-sales").run()
    app.button(key=f"{key}:send").click().run()
    assert r"already a problemset called 'shop\-sales'" in app.error[0].value
    app.text_input(key=f"{key}:name").set_value("").run()
    app.button(key=f"{key}:send").click().run()
    wanted = payload_of(workspace, "translate")
    assert (wanted["problemset"], wanted["language"], wanted["name"]) == (draft.id, "zh", None)
    end_job(workspace, "translate", {"id": 7, "name": "shop-sales-zh", "texts": 2})
    app = reuse(draft.problemset_id)
    assert r"Translated as **shop\-sales\-zh**. It is in the queue, paired with the original." in said(app)
    assert links(app) == ["set=7"]


def test_a_template_is_made_shown_and_put_on_other_data(
    reuse: Callable[[int], AppTest], workspace: Workspace, draft: Revision, seed: int, said: Said
) -> None:
    other = SeedFile("rides.csv", workspace.put_bytes(b"a\n1\n"), 4, "csv")
    insert_seed(workspace, name="rides", files=[other], profile={"tables": []})
    made_of, put_on = f"generalise:{draft.problemset_id}", f"instantiate:{draft.problemset_id}"
    app = reuse(draft.problemset_id)
    app.button(key=f"{made_of}:send").click().run()
    assert "it is not known which data this problemset is about" in app.error[0].value
    app.selectbox(key=f"{made_of}:about").select("sales")
    app.button(key=f"{made_of}:send").click().run()
    assert payload_of(workspace, "generalise") == {"problemset": draft.id, "about": "sales"}
    value = {"was": "<b>", "rule": "frequent", "at": 1, "column": "shop"}
    column = {"shop": {"name": "shop", "meaning": "category"}}
    result = {
        "name": "shop-sales",
        "problems": 2,
        "columns": column,
        "values": {"value1": value},
        "text": "template: 1",
    }
    end_job(workspace, "generalise", result)

    app = reuse(draft.problemset_id)
    assert r"Template **shop\-sales**: 2 problems, 1 column, 1 value." in said(app)
    assert app.table[0].value["Stands for"].tolist() == ["shop", r"\<b\>"]
    app.button(key=f"{put_on}:send").click().run()
    assert "no seed is chosen" in app.error[0].value
    app.selectbox(key=f"{made_of}:about").select("sales")
    app.selectbox(key=f"{put_on}:seed").select("rides")
    app.text_area(key=f"{put_on}:columns").set_value("shop island")
    app.button(key=f"{put_on}:send").click().run()
    assert "'shop island' names no pair of columns" in app.error[0].value
    app.text_area(key=f"{put_on}:columns").set_value("shop = island\n\n")
    app.button(key=f"{put_on}:send").click().run()
    wanted = payload_of(workspace, "instantiate")
    assert (wanted["problemset"], wanted["about"], wanted["seed"], wanted["columns"]) == (
        *(draft.id, "sales", "rides"),
        {"shop": "island"},
    )
    gone = {"source": "left out", "problem": "p2", "what": "no such column", "fix": "do without"}
    end_job(workspace, "instantiate", {"id": 9, "name": "shop-rides", "problems": 1, "findings": [gone]})
    app = reuse(draft.problemset_id)
    assert r"Made **shop\-rides**: 1 problem." in said(app)
    assert "**left out (p2)**: no such column" in said(app)


def test_a_set_with_a_seed_needs_no_word_about_its_data_and_an_edited_template_takes_its_place(
    reuse: Callable[[int], AppTest], workspace: Workspace, seed: int
) -> None:
    own = problemsets.create(workspace, name="own", text=TEXT, author="a", origin=Origin.PERSON, seed_id=seed)
    insert_seed(workspace, name="rides", files=[SeedFile("r.csv", workspace.put_bytes(b"a\n1\n"), 4, "csv")])
    key = f"instantiate:{own.problemset_id}"
    app = reuse(own.problemset_id)
    assert app.selectbox(key=f"{key}:seed").options == ["rides"]
    app.file_uploader(key=f"{key}:file:0").upload("edited.yaml", b"template: 1\n", "text/yaml").run()
    app.selectbox(key=f"{key}:seed").select("rides")
    app.button(key=f"{key}:send").click().run()
    wanted = payload_of(workspace, "instantiate")
    assert (wanted["template"]["name"], "problemset" in wanted, "about" in wanted) == ("edited.yaml", False, False)
