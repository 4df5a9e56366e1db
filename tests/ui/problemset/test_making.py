"""What the command line can make, the pages can too: sketches, topics, imports, made data, translations."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.drafting.topics.topic import Topic, keep_topics, topics_file
from authoring.store import releases
from authoring.store.drafting.seeds import SeedFile, insert_seed
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.seeds.making import EXAMPLE
from tests.ui.acts import Desk, Open, errors, finish, ordered, press, said, says, texts

SORTING = Topic("Sorting", ("numpy",), "by [columns]")


def test_a_release_at_one_stroke_is_a_job_whose_result_leads_to_it(desk: Desk, seed: int) -> None:
    app = desk.open("bootstrap")
    app.text_input(key="auto:new:name").set_value("../out")
    assert "the name holds" in errors(press(app, "auto:new:send"))
    app.text_input(key="auto:new:name").set_value("whole")
    app.number_input(key="auto:new:sketches").set_value(1)
    press(app, "auto:new:send")
    items = [(desk.draft.id, "shop-sales")]
    release = releases.insert(desk.ws, name="whole", version="1.0", path="gone", digest="d", items=items)
    drop = {"set": "sales-2", "why": "too few problems"}
    made = {"seed": "sales", "sketches": 2, "drafted": 9, "left_out": [{}], "accepted": 8, "seconds": 3.0}
    result = {"id": release, "problems": 8, "release": {"name": "whole", "version": "1.0"}}
    wanted = finish(desk.ws, "bootstrap_auto", {**result, "seeds": [{**made, "dropped_sets": [drop]}]}).payload
    assert (wanted["name"], wanted["version"], wanted["sketches"], wanted["seeds"]) == ("whole", "1.0", 1, [])
    assert "too few problems" in said(app.run())
    opens = [each.proto.query_string for each in app.get("page_link") if each.proto.label == "Open the release"]
    assert opens == [f"release={release}"]
    assert app.table[0].value["Left out"].tolist() == ["1"]


def test_topics_are_proposed_and_a_refusal_stays_until_it_changes(open_tab: Open, ws: Workspace, model: None) -> None:
    app = open_tab("seeds", "Topics")
    assert "There is no topic yet" in said(app)
    app.number_input(key="topics:propose:count").set_value(7)
    press(app, "topics:propose:send").run()
    assert "no module is named" in errors(app)
    app.text_input(key="topics:propose:modules").set_value("numpy, pandas").run()
    assert not app.error
    app.number_input(key="topics:propose:budget:tokens").set_value(9000)
    press(app, "topics:propose:send")
    wanted = ordered(ws, "topics")
    assert (wanted["modules"], wanted["count"], wanted["budget"]["tokens"]) == (["numpy", "pandas"], 7, 9000)


def test_topics_are_edited_over_a_job_and_drafted_on(open_tab: Open, ws: Workspace, seed: int, model: None) -> None:
    save, mine = "topics:text:save", "topics: [{title: Masks, modules: [numpy]}]"
    keep_topics(ws, [SORTING])
    app = open_tab("seeds", "Topics")
    assert "Sorting" in said(app)
    app.text_area(key="topics:text").set_value("topics: [{title: Masks}]")
    assert "modules" in errors(press(app, f"{save}:True"))
    app.text_area(key="topics:text").set_value(mine).run()
    keep_topics(ws, [Topic("Theirs", ("numpy",))])
    assert "changed while you edited" in errors(press(app, f"{save}:True"))
    assert "Theirs" in said(app)
    assert app.text_area(key="topics:text").value == mine
    press(app, f"{save}:False")
    assert topics_file(ws).read_text() == f"{mine}\n"
    app.selectbox(key="topics:draft:seed").select("sales")
    press(app, "topics:draft:send")
    wanted = ordered(ws, "topic_draft")
    assert (wanted["title"], wanted["modules"], wanted["seed"]) == ("Masks", ["numpy"], "sales")


def test_a_file_that_is_not_what_was_chosen_is_imported_as_what_it_is(open_tab: Open, ws: Workspace) -> None:
    app = open_tab("seeds", "Import a file")
    app.text_input(key="import:name").set_value("mine")
    app.file_uploader(key="import:file:0").upload("sheet.ipynb", b"{}", "application/json").run()
    app.selectbox(key="import:form").select("problemset")
    press(app, "import:send")
    assert "is not what was chosen" in said(app)
    press(app, "import:is:notebook")
    app.file_uploader(key="import:solutions:0").upload("solved.ipynb", b'{"cells": []}', "application/json").run()
    press(app, "import:send")
    finding = {"source": "cell 4", "problem": "p2", "what": "it draws at random", "fix": "fix a seed", "code": "x"}
    job = finish(ws, "import", {"id": 3, "name": "book", "problems": 2, "findings": [finding]})
    payload: dict[str, Any] = dict(job.payload)
    assert (payload["file"]["name"], payload["solutions"]["name"]) == ("sheet.ipynb", "solved.ipynb")
    app = open_tab("seeds", "Import a file")
    assert [link.proto.query_string for link in app.main.get("page_link")] == ["set=3"]
    assert "**cell 4 (p2)**: it draws at random" in said(app)


MADE = "seed_make"


def links(app: AppTest) -> list[str]:
    return [link.proto.query_string for link in app.main.get("page_link") if link.proto.label == "Open it"]


def test_the_example_of_stated_fields_is_drawn_and_ordered(open_page: Open, ws: Workspace, seed: int) -> None:
    app = open_page("seeds")
    assert app.text_area(key=f"{MADE}:fields").value == EXAMPLE
    app.toggle(key=f"{MADE}:preview").set_value(True)
    app.text_area(key=f"{MADE}:fields").set_value(EXAMPLE.replace("rows: 300", "rows: many")).run()
    assert "tables.0.rows" in errors(app)
    app.text_area(key=f"{MADE}:fields").set_value(EXAMPLE)
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
    statement = ordered(ws, MADE)["statement"]
    wanted = finish(ws, MADE, {"id": 4, "name": "garden", "statement": statement}).payload
    assert (wanted["name"], wanted["rng_seed"], wanted["created_by"]) == ("garden", 7, "mei")
    assert "rows: 3\n" in statement
    assert "topic" not in wanted
    app.run()
    assert "Made **garden**. It is marked synthetic" in said(app)
    assert "seed=4" in links(app)


@pytest.fixture
def reuse(open_tab: Open) -> Callable[[int], AppTest]:
    """Open the tab of a problemset in which another one is made out of it."""
    return lambda problemset_id: open_tab("problemset", "Reuse", set=problemset_id)


def test_a_set_is_translated_by_a_job(
    reuse: Callable[[int], AppTest], ws: Workspace, draft: Revision, model: None
) -> None:
    key = f"translate:{draft.problemset_id}"
    app = reuse(draft.problemset_id)
    app.text_input(key=f"{key}:name").set_value("shop-sales")
    press(app, f"{key}:send")
    assert r"already a problemset called 'shop\-sales'" in app.error[0].value
    app.text_input(key=f"{key}:name").set_value("")
    press(app, f"{key}:send")
    wanted = finish(ws, "translate", {"id": 7, "name": "shop-sales-zh", "texts": 2}).payload
    assert (wanted["problemset"], wanted["language"], wanted["name"]) == (draft.id, "zh", None)
    app.run()
    assert "Translated as **shop-sales-zh**. It is in the queue, paired with the original." in said(app)
    assert links(app) == ["set=7"]


def test_a_template_is_made_shown_and_put_on_other_data(
    reuse: Callable[[int], AppTest], ws: Workspace, draft: Revision, seed: int
) -> None:
    other = SeedFile("rides.csv", ws.put_bytes(b"a\n1\n"), 4, "csv")
    insert_seed(ws, name="rides", files=[other], profile={"tables": []})
    made_of, put_on = f"generalise:{draft.problemset_id}", f"instantiate:{draft.problemset_id}"
    app = press(reuse(draft.problemset_id), f"{made_of}:send")
    assert "it is not known which data this problemset is about" in errors(app)
    app.selectbox(key=f"{made_of}:about").select("sales")
    press(app, f"{made_of}:send")
    values = {"value1": {"was": "<b>", "rule": "frequent", "at": 1, "column": "shop"}}
    made = {"name": "shop-sales", "problems": 2, "values": values, "text": "template: 1"}
    order = finish(ws, "generalise", {**made, "columns": {"shop": {"name": "shop", "meaning": "category"}}})
    assert order.payload == {"problemset": draft.id, "about": "sales"}
    app = reuse(draft.problemset_id)
    assert "Template **shop-sales**: 2 problems, 1 column, 1 value." in said(app)
    assert app.table[0].value["Stands for"].tolist() == ["shop", r"\<b\>"]
    assert "no seed is chosen" in errors(press(app, f"{put_on}:send"))
    app.selectbox(key=f"{made_of}:about").select("sales")
    app.selectbox(key=f"{put_on}:seed").select("rides")
    app.text_area(key=f"{put_on}:columns").set_value("shop island")
    assert "'shop island' names no pair of columns" in errors(press(app, f"{put_on}:send"))
    app.text_area(key=f"{put_on}:columns").set_value("shop = island\n\n")
    press(app, f"{put_on}:send")
    gone = {"source": "left out", "problem": "p2", "what": "no such column", "fix": "do without"}
    result = {"id": 9, "name": "shop-rides", "problems": 1, "findings": [gone]}
    wanted = finish(ws, "instantiate", result).payload
    found = [wanted[name] for name in ("problemset", "about", "seed", "columns")]
    assert found == [draft.id, "sales", "rides", {"shop": "island"}]
    says(app.run(), "Made **shop-rides**: 1 problem.", "**left out (p2)**: no such column")
