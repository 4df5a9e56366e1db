"""What the command line can make, the pages can too: languages, plans in one step, topics, imported files."""

from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.drafting.topics.topic import Topic, keep_topics, known_topics, topics_file
from authoring.store import jobs, releases
from authoring.store.drafting.sketches import list_sketches
from authoring.store.workspace import Workspace
from tests.ui.acts import Open, errors, fail, finish, press, said
from tests.ui.problemset.acts import Desk, ordered

SORTING = Topic("Sorting", ("numpy",), "by [columns]")


def told_below(app: AppTest, button: str) -> str:
    """What the page says in red directly after a button, before the next one; nothing else stands in red."""
    drawn = [each for each in app.main if each.type in ("button", "error")]
    at = next(number for number, each in enumerate(drawn) if each.type == "button" and each.key == button)
    told = {id(each): each.value for each in app.error}
    assert len(told) <= 1
    return "".join(told.get(id(each), "") for each in drawn[at + 1 : at + 2]).replace("\\", "")


def upload(app: AppTest, key: str, name: str, data: bytes = b"{}") -> AppTest:
    app.file_uploader(key=key).upload(name, data, "application/json").run()
    return app


def test_a_sketch_is_ordered_in_chinese_under_a_name(open_page: Open, workspace: Workspace, seed: int) -> None:
    app = open_page("seeds", seed=seed)
    app.selectbox(key=f"sketch:{seed}:language").select("zh")
    app.text_input(key=f"sketch:{seed}:name").set_value("sales-zh")
    press(app, f"sketch:{seed}:send")
    wanted = ordered(workspace, "sketch")
    assert (wanted["language"], wanted["name"], wanted["author"]) == ("zh", "sales-zh", "template")


def test_a_model_is_ordered_by_name_within_a_budget(
    open_page: Open, workspace: Workspace, seed: int, model: None
) -> None:
    (sketch,) = list_sketches(workspace, seed)
    key = f"draft:{sketch.id}"
    app = open_page("seeds", sketch=sketch.id)
    app.selectbox(key=f"{key}:author").select("model")
    app.text_input(key=f"{key}:model").set_value("large")
    app.number_input(key=f"{key}:rng_seed").set_value(7)
    app.number_input(key=f"{key}:budget:cost").set_value(0.5)
    press(app, f"{key}:send")
    (job,) = jobs.select(workspace)
    assert (job.payload["author"], job.payload["model"], job.payload["rng_seed"]) == ("model", "large", 7)
    assert job.payload["budget"] == {"tokens": None, "cost": 0.5, "minutes": None}


def test_a_release_at_one_stroke_is_a_job_whose_result_leads_to_it(desk: Desk, seed: int) -> None:
    app = desk.open("bootstrap")
    app.text_input(key="auto:new:name").set_value("../out")
    press(app, "auto:new:send")
    assert "the name holds" in errors(app)
    app.text_input(key="auto:new:name").set_value("whole")
    app.number_input(key="auto:new:sketches").set_value(1)
    press(app, "auto:new:send")
    release = releases.insert(
        desk.ws, name="whole", version="1.0", path="gone", digest="d", items=[(desk.draft.id, "shop-sales")],
        created_by="mei",
    )  # fmt: skip
    drop = {"set": "sales-2", "why": "too few problems"}
    made = {"seed": "sales", "sketches": 2, "drafted": 9, "left_out": [{}], "accepted": 8, "seconds": 3.0}
    result = {"id": release, "problems": 8, "release": {"name": "whole", "version": "1.0"}}
    wanted = finish(desk.ws, "bootstrap_auto", {**result, "seeds": [{**made, "dropped_sets": [drop]}]}).payload
    assert (wanted["name"], wanted["version"], wanted["sketches"], wanted["seeds"]) == ("whole", "1.0", 1, [])
    app.run()
    opens = [each.proto.query_string for each in app.get("page_link") if each.proto.label == "Open the release"]
    assert opens == [f"release={release}"]
    assert app.table[0].value["Left out"].tolist() == ["1"]
    assert "too few problems" in said(app)


def test_topics_are_proposed_and_what_is_refused_says_so_until_it_changes(
    open_tab: Open, workspace: Workspace, model: None
) -> None:
    send = "topics:propose:send"
    app = open_tab("seeds", "Topics")
    assert "There is no topic yet" in said(app)
    app.number_input(key="topics:propose:count").set_value(7)
    press(app, send).run()
    assert "no module is named" in told_below(app, send)
    assert app.number_input(key="topics:propose:count").value == 7
    app.text_input(key="topics:propose:modules").set_value("numpy").run()
    assert not app.error
    app.text_input(key="topics:propose:modules").set_value("").run()
    assert not app.error, "it is told of a press, and there was none"
    app.text_input(key="topics:propose:modules").set_value("numpy, pandas")
    app.number_input(key="topics:propose:budget:tokens").set_value(9000)
    press(app, send)
    (job,) = jobs.select(workspace)
    assert (job.payload["modules"], job.payload["count"]) == (["numpy", "pandas"], 7)
    assert job.payload["budget"]["tokens"] == 9000


def test_topics_are_edited_over_what_a_job_added_and_drafted_on(
    open_tab: Open, workspace: Workspace, seed: int, model: None
) -> None:
    save, mine = "topics:text:save:True", "topics: [{title: Masks, modules: [numpy]}]"
    keep_topics(workspace, [SORTING])
    app = open_tab("seeds", "Topics")
    assert "Sorting" in said(app)
    app.text_area(key="topics:text").set_value("topics: [{title: Masks}]")
    press(app, save).run()
    assert "modules" in told_below(app, save)
    assert app.text_area(key="topics:text").value == "topics: [{title: Masks}]"
    assert known_topics(workspace)[0].title == "Sorting"
    app.text_area(key="topics:text").set_value(mine).run()
    assert not app.error
    keep_topics(workspace, [Topic("Theirs", ("numpy",))])
    press(app, save)
    assert "changed while you edited" in errors(app)
    assert "Theirs" in said(app)
    assert app.text_area(key="topics:text").value == mine
    press(app, "topics:text:save:False")
    assert topics_file(workspace).read_text() == f"{mine}\n"
    assert [topic.title for topic in known_topics(workspace)] == ["Masks"]
    app.selectbox(key="topics:draft:seed").select("sales")
    press(app, "topics:draft:send")
    wanted = ordered(workspace, "topic_draft")
    assert (wanted["title"], wanted["modules"], wanted["seed"]) == ("Masks", ["numpy"], "sales")


def test_a_draft_that_is_refused_says_so_until_its_page_is_left(open_tab: Open, workspace: Workspace) -> None:
    keep_topics(workspace, [SORTING])
    app = press(open_tab("seeds", "Topics"), "topics:draft:send").run()
    assert "model" in told_below(app, "topics:draft:send")  # none is configured
    app.switch_page("authoring/ui/pages/queue.py").run()
    app.switch_page("authoring/ui/pages/seeds.py").run()
    assert app.button(key="topics:draft:send")
    assert not app.error


def test_an_import_that_is_refused_says_so_at_its_form_until_it_changes(
    open_tab: Open, workspace: Workspace, seed: int
) -> None:
    jobs.enqueue(workspace, kind="import", payload={"name": "old"}, key="import", created_by="mei")
    fail(workspace, "import", "the old one broke")
    app = open_tab("seeds", "Import a file")
    assert "the old one broke" in said(app)
    app.text_input(key="import:name").set_value("mine")
    press(app, "import:send").run()
    assert "no file was chosen" in told_below(app, "import:send")
    assert "the old one broke" not in said(app)  # which is no answer to the press
    assert app.text_input(key="import:name").value == "mine"
    upload(app, "import:file:0", "sheet.ipynb")
    assert "no file was chosen" not in said(app)
    app.selectbox(key="import:form").select("problemset")
    press(app, "import:send")
    assert "is not what was chosen" in said(app)
    assert app.file_uploader(key="import:file:0").value.name == "sheet.ipynb"


def test_what_a_conversion_leaves_to_a_person_is_listed_beside_the_link(open_tab: Open, workspace: Workspace) -> None:
    jobs.enqueue(workspace, kind="import", payload={}, key="import", created_by="mei")
    finding = {"source": "cell 4", "problem": "p2", "what": "it draws at random", "fix": "fix a seed", "code": "x"}
    finish(workspace, "import", {"id": 3, "name": "book", "problems": 2, "findings": [finding]})
    app = open_tab("seeds", "Import a file")
    assert [link.proto.query_string for link in app.main.get("page_link")] == ["set=3"]
    assert "**cell 4 (p2)**: it draws at random" in said(app)


def test_a_notebook_may_come_with_another_that_holds_its_answers(open_tab: Open, workspace: Workspace) -> None:
    app = open_tab("seeds", "Import a file")
    app.file_uploader(key="import:file:0").upload("sheet.ipynb", b"{}", "application/json")
    upload(app, "import:solutions:0", "solved.ipynb", b'{"cells": []}')
    press(app, "import:send")
    job = jobs.find_latest(workspace, "import")
    assert job is not None
    payload: dict[str, Any] = dict(job.payload)
    assert (payload["file"]["name"], payload["solutions"]["name"]) == ("sheet.ipynb", "solved.ipynb")
    app.selectbox(key="import:form").select("completions").run()
    assert [each.key for each in app.file_uploader] == ["import:file:1"]
    jobs.cancel(workspace, job.id)
    upload(app, "import:file:1", "set.py", b"# %%\n")
    assert "is not what was chosen" in errors(app)
    press(app, "import:is:problemset")
    assert not app.error
    press(app, "import:send")
    assert jobs.select(workspace)[0].payload["form"] == "problemset"
