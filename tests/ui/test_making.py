"""What the command line can make, the pages can too: languages, plans in one step, topics, imported files."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.drafting.topics.topic import Topic, keep_topics, known_topics, topics_file
from authoring.store import jobs, releases
from authoring.store.drafting.bootstrap import list_bootstraps
from authoring.store.drafting.sketches import list_sketches
from authoring.store.jobs import enqueue
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is configured; nobody asks it."""
    for name, value in (("BENCHWRIGHT_MODEL", "m"), ("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(name, value)


def end_job(workspace: Workspace, kind: str, key: str, result: dict[str, Any]) -> None:
    """Put a job of that kind into the list as done."""
    enqueue(workspace, kind=kind, payload={}, key=key, created_by="mei")
    job = jobs.claim(workspace, owner="test", kinds=[kind])
    assert job is not None
    jobs.finish(workspace, job.id, "test", result=result)


def payload(workspace: Workspace) -> dict[str, Any]:
    (job,) = jobs.select(workspace)
    return dict(job.payload)


def test_a_sketch_is_ordered_in_chinese_under_a_name(open_page: Open, workspace: Workspace, seed: int) -> None:
    app = open_page("seeds", seed=seed)
    app.selectbox(key=f"sketch:{seed}:language").select("zh")
    app.text_input(key=f"sketch:{seed}:name").set_value("sales-zh")
    app.button(key=f"sketch:{seed}:send").click().run()
    wanted = payload(workspace)
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
    app.button(key=f"{key}:send").click().run()
    wanted = payload(workspace)
    assert (wanted["author"], wanted["model"], wanted["rng_seed"]) == ("model", "large", 7)
    assert wanted["budget"] == {"tokens": None, "cost": 0.5, "minutes": None}


def test_a_plan_in_rounds_takes_a_language(open_page: Open, workspace: Workspace, seed: int) -> None:
    app = open_page("bootstrap")
    app.text_input(key="plan:new:name").set_value("trio")
    app.selectbox(key="plan:new:language").select("zh")
    app.button(key="plan:new:send").click().run()
    assert list_bootstraps(workspace)[0].plan["language"] == "zh"


def test_a_release_at_one_stroke_is_a_job_whose_result_leads_to_it(
    open_page: Open, workspace: Workspace, seed: int, draft: Revision, said: Said
) -> None:
    app = open_page("bootstrap")
    app.text_input(key="auto:new:name").set_value("../out")
    app.button(key="auto:new:send").click().run()
    assert "the name holds" in app.error[0].value
    app.text_input(key="auto:new:name").set_value("whole")
    app.number_input(key="auto:new:sketches").set_value(1)
    app.button(key="auto:new:send").click().run()
    wanted = payload(workspace)
    assert (wanted["name"], wanted["version"], wanted["sketches"], wanted["seeds"]) == ("whole", "1.0", 1, [])
    job = jobs.claim(workspace, owner="test", kinds=["bootstrap_auto"])
    assert job is not None
    release = releases.insert(
        workspace,
        name="whole",
        version="1.0",
        path="gone",
        digest="d",
        items=[(draft.id, "shop-sales")],
        created_by="mei",
    )
    drop = {"set": "sales-2", "why": "too few problems"}
    made = {"seed": "sales", "sketches": 2, "drafted": 9, "left_out": [{}], "accepted": 8, "seconds": 3.0}
    result = {"id": release, "problems": 8, "release": {"name": "whole", "version": "1.0"}}
    jobs.finish(workspace, job.id, "test", result={**result, "seeds": [{**made, "dropped_sets": [drop]}]})
    app = open_page("bootstrap")
    assert [link.proto.query_string for link in app.get("page_link") if link.proto.label == "Open the release"] == [
        f"release={release}"
    ]
    assert app.table[0].value["Left out"].tolist() == ["1"]
    assert "too few problems" in said(app)


@pytest.fixture
def open_tab(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], AppTest]:
    """Open the list of seeds with one of its tabs chosen."""
    import streamlit as st

    real = st.tabs

    def open_(tab: str) -> AppTest:
        monkeypatch.setattr(st, "tabs", lambda names, **more: real(names, **{**more, "default": tab}))
        return open_page("seeds")

    return open_


def test_topics_are_proposed_edited_and_drafted_on(
    open_tab: Callable[[str], AppTest], workspace: Workspace, seed: int, model: None, said: Said
) -> None:
    app = open_tab("Topics")
    assert "There is no topic yet" in said(app)
    app.text_input(key="topics:propose:modules").set_value("numpy, pandas")
    app.number_input(key="topics:propose:budget:tokens").set_value(9000)
    app.button(key="topics:propose:send").click().run()
    wanted = payload(workspace)
    assert (wanted["modules"], wanted["count"], wanted["budget"]["tokens"]) == (["numpy", "pandas"], 20, 9000)

    keep_topics(workspace, [Topic("Sorting", ("numpy",), "by [columns]")])
    app = open_tab("Topics")
    assert "Sorting" in said(app)
    app.text_area(key="topics:text").set_value("topics: [{title: Masks}]")
    app.button(key="topics:text:save:True").click().run()
    assert "modules" in app.error[0].value
    assert known_topics(workspace)[0].title == "Sorting"
    app.text_area(key="topics:text").set_value("topics: [{title: Masks, modules: [numpy]}]")
    app.button(key="topics:text:save:True").click().run()
    assert [topic.title for topic in known_topics(workspace)] == ["Masks"]
    app.selectbox(key="topics:draft:seed").select("sales")
    app.button(key="topics:draft:send").click().run()
    job = next(job for job in jobs.select(workspace) if job.kind == "topic_draft")
    assert (job.payload["title"], job.payload["modules"], job.payload["seed"]) == ("Masks", ["numpy"], "sales")


def test_topics_that_a_job_added_meanwhile_are_shown_before_they_are_written_over(
    open_tab: Callable[[str], AppTest], workspace: Workspace, said: Said
) -> None:
    mine = "topics: [{title: Mine, modules: [numpy]}]"
    app = open_tab("Topics")
    app.text_area(key="topics:text").set_value(mine)
    keep_topics(workspace, [Topic("Theirs", ("numpy",))])
    app.button(key="topics:text:save:True").click().run()
    assert "changed while you edited" in app.error[0].value
    assert "Theirs" in said(app)
    assert app.text_area(key="topics:text").value == mine
    app.button(key="topics:text:save:False").click().run()
    assert topics_file(workspace).read_text() == f"{mine}\n"


def told_below(app: AppTest, button: str) -> str:
    """What the page says in red directly after a button, before the next one; nothing else stands in red."""
    drawn = [each for each in app.main if each.type in ("button", "error")]
    at = next(number for number, each in enumerate(drawn) if each.type == "button" and each.key == button)
    told = {id(each): each.value for each in app.error}
    assert len(told) <= 1
    return "".join(told.get(id(each), "") for each in drawn[at + 1 : at + 2]).replace("\\", "")


def test_topics_that_are_refused_say_so_at_their_form_until_it_changes(
    open_tab: Callable[[str], AppTest], workspace: Workspace, model: None
) -> None:
    keep_topics(workspace, [Topic("Sorting", ("numpy",))])
    app = open_tab("Topics")
    app.number_input(key="topics:propose:count").set_value(7)
    app.button(key="topics:propose:send").click().run()
    app.run()
    assert "no module is named" in told_below(app, "topics:propose:send")
    assert app.number_input(key="topics:propose:count").value == 7
    app.text_input(key="topics:propose:modules").set_value("numpy").run()
    assert not app.error
    app.text_input(key="topics:propose:modules").set_value("").run()
    assert not app.error, "it is told of a press, and there was none"
    app.text_area(key="topics:text").set_value("topics: [{title: Masks}]")
    app.button(key="topics:text:save:True").click().run()
    app.run()
    assert "modules" in told_below(app, "topics:text:save:True")
    assert app.text_area(key="topics:text").value == "topics: [{title: Masks}]"
    app.text_area(key="topics:text").set_value("topics: []").run()
    assert not app.error


def test_a_draft_on_a_topic_that_is_refused_says_so_at_its_form_until_its_page_is_left(
    open_tab: Callable[[str], AppTest], workspace: Workspace
) -> None:
    keep_topics(workspace, [Topic("Sorting", ("numpy",))])
    app = open_tab("Topics")
    app.button(key="topics:draft:send").click().run()
    app.run()
    assert "model" in told_below(app, "topics:draft:send")  # none is configured
    app.switch_page("authoring/ui/pages/queue.py").run()
    app.switch_page("authoring/ui/pages/seeds.py").run()
    assert app.button(key="topics:draft:send")
    assert not app.error


def test_an_import_that_is_refused_says_so_at_its_form_until_it_changes(
    open_tab: Callable[[str], AppTest], workspace: Workspace, seed: int, said: Said
) -> None:
    jobs.enqueue(workspace, kind="import", payload={"name": "old"}, key="import", created_by="mei")
    job = jobs.claim(workspace, owner="test", kinds=["import"])
    assert job is not None
    jobs.fail(workspace, job.id, "test", error={"what": "the old one broke", "where": "", "fix": ""})
    app = open_tab("Import a file")
    assert "the old one broke" in said(app)
    app.text_input(key="import:name").set_value("mine")
    app.button(key="import:send").click().run()
    app.run()
    assert "no file was chosen" in told_below(app, "import:send")
    assert "the old one broke" not in said(app)  # which is no answer to the press
    assert app.text_input(key="import:name").value == "mine"
    app.file_uploader(key="import:file:0").upload("sheet.ipynb", b"{}", "application/json").run()
    assert "no file was chosen" not in said(app)
    app.selectbox(key="import:form").select("problemset")
    app.button(key="import:send").click().run()
    assert "is not what was chosen" in said(app)
    assert app.file_uploader(key="import:file:0").value.name == "sheet.ipynb"


def test_what_a_conversion_leaves_to_a_person_is_listed_beside_the_link(
    open_tab: Callable[[str], AppTest], workspace: Workspace, said: Said
) -> None:
    finding = {"source": "cell 4", "problem": "p2", "what": "it draws at random", "fix": "fix a seed", "code": "x"}
    end_job(workspace, "import", "import", {"id": 3, "name": "book", "problems": 2, "findings": [finding]})
    app = open_tab("Import a file")
    assert [link.proto.query_string for link in app.main.get("page_link")] == ["set=3"]
    assert "**cell 4 (p2)**: it draws at random" in said(app)
    app.button(key="import:send").click().run()
    assert "no file was chosen" in app.error[0].value


def test_a_notebook_may_come_with_another_that_holds_its_answers(
    open_tab: Callable[[str], AppTest], workspace: Workspace
) -> None:
    app = open_tab("Import a file")
    app.file_uploader(key="import:file:0").upload("sheet.ipynb", b"{}", "application/json")
    app.file_uploader(key="import:solutions:0").upload("solved.ipynb", b'{"cells": []}', "application/json").run()
    app.button(key="import:send").click().run()
    job = jobs.find_latest(workspace, "import")
    assert job is not None
    assert (job.payload["file"]["name"], job.payload["solutions"]["name"]) == ("sheet.ipynb", "solved.ipynb")
    app.selectbox(key="import:form").select("completions").run()
    assert [each.key for each in app.file_uploader] == ["import:file:1"]
    jobs.cancel(workspace, job.id)
    app.file_uploader(key="import:file:1").upload("set.py", b"# %%\n", "text/x-python").run()
    assert "is not what was chosen" in app.error[0].value
    app.button(key="import:is:problemset").click().run()
    assert not app.error
    app.button(key="import:send").click().run()
    assert jobs.select(workspace)[0].payload["form"] == "problemset"
