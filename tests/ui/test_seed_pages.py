"""Seeds corrected and removed, sketches edited and talked about, the roundtable settled, the list of jobs."""

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, model_calls, problemsets
from authoring.store.autosaves import keep_unsent, list_unsent
from authoring.store.drafting.confirmations import list_confirmations
from authoring.store.drafting.seeds import SeedFacts, find_seed, insert_seed, list_seeds
from authoring.store.drafting.sketches import (
    SketchItem,
    find_sketch,
    insert_sketch,
    list_sketch_comments,
    list_sketch_revisions,
    save_sketch,
)
from authoring.store.jobs import enqueue
from authoring.store.reviewing.roundtable import NewItem, list_roundtable, open_items
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.seeds.seed_view import _range
from authoring.ui.seeds.sketches import changed_rows, items_of_rows, row_of
from evaluator.errors import ContentError

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is configured; nobody asks it."""
    for name, value in (("BENCHWRIGHT_MODEL", "m"), ("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(name, value)


def test_what_is_stated_about_a_seed_is_corrected(open_page: Open, workspace: Workspace, seed: int, said: Said) -> None:
    app = open_page("seeds", seed=seed)
    app.text_input(key=f"seed:{seed}:licence").set_value("CC-BY-4.0")
    app.text_input(key=f"seed:{seed}:published_on").set_value("2024-05-01")
    app.button(key=f"seed:{seed}:correct").click().run()
    found = find_seed(workspace, seed)
    assert (found.licence, found.published_on, found.name) == ("CC-BY-4.0", "2024-05-01", "sales")
    assert "licence, published on" in said(app)


def test_a_seed_in_use_is_kept_with_its_users_named_and_an_unused_one_is_removed(
    open_page: Open, workspace: Workspace, seed: int
) -> None:
    problemsets.create(workspace, name="users-set", text="# %%\n", author="mei", origin=Origin.PERSON, seed_id=seed)
    app = open_page("seeds", seed=seed)
    app.button(key=f"seed:{seed}:remove").click().run()
    assert "users-set" in app.error[0].value.replace("\\", "")
    unused = insert_seed(workspace, name="unused", files=[])
    app = open_page("seeds", seed=unused)
    app.button(key=f"seed:{unused}:remove").click().run()
    assert [each.name for each in list_seeds(workspace)] == ["sales"]


def test_a_sketch_is_ordered_with_difficulty_mix_examples_and_budget(
    open_page: Open, workspace: Workspace, seed: int, model: None
) -> None:
    key = f"sketch:{seed}"
    app = open_page("seeds", seed=seed)
    app.selectbox(key=f"{key}:author").select("model")
    app.selectbox(key=f"{key}:difficulty").select("hard")
    app.number_input(key=f"{key}:easy").set_value(0)
    app.selectbox(key=f"{key}:examples").select("nearest")
    app.number_input(key=f"{key}:budget:minutes").set_value(2.5)
    app.button(key=f"{key}:send").click().run()
    (job,) = jobs.select(workspace)
    wanted = {"difficulty": "hard", "mix": "easy=0,medium=6,hard=4", "examples": "nearest"}
    assert {name: job.payload[name] for name in wanted} == wanted
    assert job.payload["budget"] == {"tokens": None, "cost": None, "minutes": 2.5}


def test_a_mix_of_nothing_is_refused(open_page: Open, workspace: Workspace, seed: int, model: None) -> None:
    key = f"sketch:{seed}"
    app = open_page("seeds", seed=seed)
    app.selectbox(key=f"{key}:author").select("model")
    for level in ("easy", "medium", "hard"):
        app.number_input(key=f"{key}:{level}").set_value(0)
    app.button(key=f"{key}:send").click().run()
    assert "asks for 0 problems" in app.error[0].value
    assert jobs.select(workspace) == []


def test_rows_are_added_where_their_number_says_and_knowledge_points_are_edited() -> None:
    items = [SketchItem(1, "first", ("sum",)), SketchItem(2, "second", ("mean",), (1,))]
    added: list[dict[str, object]] = [
        {"query_idea": "between", "number": 1, "knowledge_points": "join, merge"},
        {"query_idea": "last", "depends_on": "2"},
    ]
    rows = changed_rows([row_of(item) for item in items], {1: {"knowledge_points": "median"}}, added)
    kept = items_of_rows(items, rows)
    assert [(item.number, item.query_idea, item.knowledge_points, item.depends_on) for item in kept] == [
        (1, "first", ("sum",), ()),
        (2, "between", ("join", "merge"), ()),
        (3, "second", ("median",), (1,)),
        (4, "last", (), (3,)),
    ]


def test_building_on_what_is_no_item_is_refused_by_its_number() -> None:
    items = [SketchItem(1, "first", ()), SketchItem(2, "second", ())]
    rows = [row_of(item) for item in items]
    assert items_of_rows(items, changed_rows(rows, {1: {"depends_on": "1"}}, []))[1].depends_on == (1,)
    for wrong in ("7", "first", "1, -2"):
        with pytest.raises(ContentError, match="number of no item"):
            items_of_rows(items, changed_rows(rows, {1: {"depends_on": wrong}}, []))


def test_rows_of_a_sketch_that_were_edited_and_left_are_there_again_in_another_tab(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    rows = [row_of(item) for item in find_sketch(workspace, 1).items]
    rows[0]["query_idea"] = "mine"
    keep_unsent(workspace, "mei", "sketch:1:table:1", rows)  # a table cannot be typed into without a browser
    app = open_page("seeds", sketch=1)
    assert "edited; kept for you until you save" in said(app)
    app.button(key="sketch:1:undo").click().run()
    assert list_unsent(workspace, "mei") == {}
    assert "edited; kept" not in said(app)
    keep_unsent(workspace, "mei", "sketch:1:table:1", rows)
    app = open_page("seeds", sketch=1)
    app.text_input(key="sketch:1:message").set_value("simpler").run()
    app.button(key="sketch:1:save").click().run()
    newest = list_sketch_revisions(workspace, 1)[-1]
    assert (newest.number, newest.items[0].query_idea, newest.message) == (2, "mine", "simpler")
    assert list_unsent(workspace, "mei") == {}


def test_a_sketch_saved_by_somebody_else_meanwhile_keeps_what_was_edited_here(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    sketch = find_sketch(workspace, 1)
    rows = [row_of(item) for item in sketch.items]
    rows[0]["query_idea"] = "mine"
    keep_unsent(workspace, "mei", "sketch:1:table:1", rows)
    app = open_page("seeds", sketch=1)
    save_sketch(workspace, 1, sketch.items[:2], author="lee", base_number=1)
    app.run()
    assert "Somebody saved version 2 while you edited version 1" in said(app)
    app.button(key="sketch:1:mine").click().run()
    newest = find_sketch(workspace, 1)
    assert (newest.head_number, newest.items[0].query_idea, len(newest.items)) == (3, "mine", 3)


def test_a_sketch_is_commented_on_by_item_and_the_comment_resolved(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    app = open_page("seeds", sketch=1)
    app.text_area(key="sketch:1:comment:text").set_value("too close to the first")
    app.selectbox(key="sketch:1:comment:item").select_index(2)
    app.selectbox(key="sketch:1:comment:kind").select_index(0)
    app.button(key="sketch:1:comment:send").click().run()
    (comment,) = list_sketch_comments(workspace, 1)
    assert (comment.item, comment.kind, comment.author) == (2, "repetitive", "mei")
    assert "too close to the first" in said(app)
    app.button(key=f"sketch:comment:{comment.id}").click().run()
    assert list_sketch_comments(workspace, 1)[0].resolved_by == "mei"
    assert len(list_sketch_revisions(workspace, 1)) == 1


def test_an_item_of_the_roundtable_is_settled_with_what_follows(
    open_page: Open, workspace: Workspace, draft: Revision, said: Said
) -> None:
    evidence = {"about": "x", "code": "print(1)", "why": "the agent returned a list"}
    (item,) = open_items(workspace, draft.id, [NewItem("p2", "the agent is judged CRASH", evidence)], by="dry run 1")
    app = open_page("roundtable")
    assert "returned a list" in said(app)
    app.button(key=f"item:{item}:settle").click().run()
    assert "no resolution was chosen" in app.error[0].value
    app.selectbox(key=f"item:{item}:as").select("query_ambiguous")
    app.text_input(key=f"item:{item}:note").set_value("say Series")
    app.button(key=f"item:{item}:settle").click().run()
    (settled,) = list_roundtable(workspace)
    assert (settled.resolution, settled.note, settled.resolved_by) == ("query_ambiguous", "say Series", "mei")
    assert "the query is ambiguous" in said(app)


def test_jobs_are_listed_by_state_and_kind_with_what_they_cost(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    failing = enqueue(workspace, kind="draft", payload={"budget": {"tokens": 900, "cost": None, "minutes": None}})
    assert jobs.claim(workspace, owner="w", kinds=("draft",)) is not None
    jobs.fail(workspace, failing.id, "w", error={"what": "it broke", "where": "", "fix": ""})
    enqueue(workspace, kind="release", payload={})
    model_calls.insert(
        workspace, purpose="draft", subject="s", digest="d", model="m", host="h", params={}, messages=[], answer="a",
        finish_reason="stop", prompt_tokens=100, completion_tokens=20, seconds=2.0, job_id=failing.id,
    )  # fmt: skip
    app = open_page("runs", view="jobs")
    assert "120 tokens of 900" in said(app)
    assert "Create release" in said(app)
    app.selectbox(key="r_kind").select("draft").run()
    assert "Create release" not in said(app)
    assert "it broke" in said(app)
    app.number_input(key=f"listed:{failing.id}:budget:tokens").set_value(5000)
    assert "Create release" in said(open_page("runs", view="jobs", r_state="queued"))
    assert "Nothing matches" in said(open_page("runs", view="jobs", r_state="queued", r_kind="Draft"))
    app.button(key=f"listed:{failing.id}:resume_with").click().run()
    resumed = jobs.find(workspace, failing.id)
    assert (resumed.state, resumed.payload["budget"]["tokens"]) == ("queued", 5000)


@pytest.fixture
def open_tab(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page with one of its tabs chosen."""
    import streamlit as st

    real = st.tabs

    def open_(tab: str, **parameters: str | int) -> AppTest:
        monkeypatch.setattr(st, "tabs", lambda names, **more: real(names, **{**more, "default": tab}))
        return open_page("seeds", **parameters)

    return open_


def test_a_seed_shows_plots_from_its_profile_and_what_is_covered(
    open_tab: Open, workspace: Workspace, said: Said
) -> None:
    column = {"name": "units[1]", "dtype": "int", "role": "number", "missing": 2, "min": 0, "max": 9, "quantiles": {}}
    other = {"name": "shop", "role": "category", "missing": 0}
    profile = {"tables": [{"file": "a.csv", "rows": 9, "columns": [column, other]}]}
    seed = insert_seed(workspace, name="plain", files=[], profile=profile)
    app = open_tab("Plots", seed=seed)
    assert len([*app.get("vega_lite_chart"), *app.get("arrow_vega_lite_chart")]) == 1
    assert "2 values missing" in said(app)
    assert "its profile holds no frequencies" in said(app)
    app.text_input(key=f"plots:{seed}:0:words").set_value("shop").run()
    assert "missing" not in said(app)
    items = [SketchItem(1, "idea", ("sum", "mean")), SketchItem(2, "idea", ("sum",))]
    insert_sketch(workspace, seed_id=seed, author="template", rng_seed=0, items=items, provenance={})
    text = '# %%\n"""\nquery: add\nknowledge_points: [sum]\n"""\n1 + 1\n'
    problemsets.create(workspace, name="set", text=text, author="mei", origin=Origin.PERSON, seed_id=seed)
    table = open_tab("Covered", seed=seed).table[-1].value
    assert table.to_numpy().tolist() == [["sum", "2", "1"], ["mean", "1", "0"]]


def test_the_notebook_of_a_seed_is_shown_as_text_and_code(open_tab: Open, workspace: Workspace, said: Said) -> None:
    cells = [
        {"cell_type": "markdown", "source": "# Sales <b>x</b>\n![a](http://example.org/a.png)"},
        {"cell_type": "code", "source": "import pandas"},
    ]
    book = workspace.put_bytes(json.dumps({"cells": cells}).encode())
    seed = insert_seed(workspace, name="noted", files=[], notebook=book)
    app = open_tab("Notebook", seed=seed)
    assert "1 code cell, 1 text cell" in said(app)
    assert [code.value for code in app.main.code] == ["import pandas"]
    assert "\\![a](http" in said(app)  # no picture: its host would learn who reads


def test_two_versions_of_a_sketch_are_compared(open_tab: Open, workspace: Workspace, seed: int, said: Said) -> None:
    assert "There is one version" in said(open_tab("Versions", sketch=1))
    items = find_sketch(workspace, 1).items
    save_sketch(workspace, 1, items[:2], author="lee", base_number=1, message="shorter")
    app = open_tab("Versions", sketch=1)
    assert "idea 3" in "".join(str(element.proto.body) for element in app.get("html"))
    assert "shorter" in said(app)


def test_seeds_are_searched_by_what_is_stated_and_by_their_columns(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    for number in range(55):
        insert_seed(workspace, name=f"other-{number}", files=[], facts=SeedFacts(licence="MIT"))
    app = open_page("seeds")
    assert len(app.main.get("page_link")) == 50
    app.text_input(key="seeds:words").set_value("shop cc0").run()  # a column and the licence
    assert [link.proto.label for link in app.main.get("page_link")] == ["**sales**"]
    app.text_input(key="seeds:words").set_value("nothing such").run()
    assert "No seed has these words" in said(app)


def test_drafts_of_a_sketch_are_listed_with_what_they_cost(
    open_tab: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    assert "Nothing was drafted yet" in said(open_tab("Drafts", sketch=1))
    spent = {
        "model": "m[1]",
        "prompt_tokens": 900,
        "completion_tokens": 100,
        "cost": 0.5,
        "currency": "USD",
        "repairs": 2,
    }
    problemsets.create(
        workspace,
        name="dear",
        text="# %%\n",
        author="mei",
        origin=Origin.MODEL,
        seed_id=seed,
        sketch_id=1,
        provenance=spent,
    )
    problemsets.create(workspace, name="other", text="# %%\n", author="mei", origin=Origin.TEMPLATE, seed_id=seed)
    app = open_tab("Drafts", sketch=1)
    assert [link.proto.label for link in app.main.get("page_link")] == ["**sales**", "**dear**"]
    assert r"model m\[1\]: 1,000 tokens, cost 0.5000 USD, 2 repairs" in said(app)
    app = open_tab("Drafts", seed=seed)
    assert [link.proto.label for link in app.main.get("page_link")][1:] == ["**other**", "**dear**"]


def test_a_column_about_persons_is_told_and_confirmed(open_page: Open, workspace: Workspace, said: Said) -> None:
    column = {
        **{"name": "mail", "dtype": "str", "role": "text", "missing": 0, "distinct": 3, "candidate_key": True},
        **{"min": None, "max": None, "quantiles": {}, "samples": ["ann@web.de"]},
        "personal": [{"form": "email", "rows": 3, "looked_at": 3, "shape": "a**@***.**"}],
    }
    table = {"file": "people.csv", "reader": "read_csv", "rows": 3, "columns": [column]}
    added = insert_seed(workspace, name="people", files=[], profile={"tables": [table], "version": 4})
    app = open_page("seeds", seed=added)
    assert "seems to hold e-mail addresses (3 rows)" in said(app).replace("\\", "")
    app.radio(key=f"seed:{added}:personal:said").set_value("synthetic")
    app.button(key=f"seed:{added}:personal:confirm").click().run()
    (signed,) = list_confirmations(workspace)[added]
    assert (signed.column, signed.said) == ("mail", "synthetic")
    assert "confirmed as synthetic" in said(app)
    app.button(key=f"seed:{added}:personal:withdraw").click().run()
    assert list_confirmations(workspace) == {}


def test_confirm_and_withdraw_are_about_the_column_that_is_chosen(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    common = {"dtype": "str", "role": "text", "missing": 0, "distinct": 3, "candidate_key": True, "samples": []}
    columns = [
        {
            **{"name": name, "min": None, "max": None, "quantiles": {}, **common},
            "personal": [{"form": form, "rows": 3, "looked_at": 3, "shape": "9"}],
        }
        for name, form in (("mail", "email"), ("second_mail", "email"), ("third_mail", "email"))
    ]
    table = {"file": "people.csv", "reader": "read_csv", "rows": 3, "columns": columns}
    added = insert_seed(workspace, name="people", files=[], profile={"tables": [table], "version": 4})

    def signed() -> set[str]:
        return {each.column for each in list_confirmations(workspace).get(added, ())}

    app, other = open_page("seeds", seed=added), open_page("seeds", seed=added)
    app.button(key=f"seed:{added}:personal:confirm").click().run()
    assert signed() == {"mail"}
    other.selectbox(key=f"seed:{added}:personal:column").set_value(("people.csv", "second_mail"))
    other.button(key=f"seed:{added}:personal:confirm").click().run()  # of a page drawn before the first one
    assert signed() == {"mail", "second_mail"}
    app.button(key=f"seed:{added}:personal:withdraw").click().run()
    assert signed() == {"second_mail"}
    assert "the column mail is no longer confirmed" in said(app)


def test_a_made_seed_shows_what_it_was_drawn_from(open_page: Open, workspace: Workspace) -> None:
    statement = "title: made\ntables: []\n"
    facts = SeedFacts(synthetic=True)
    added = insert_seed(workspace, name="made", files=[], facts=facts, statement=statement)
    app = open_page("seeds", seed=added)
    assert statement.strip() in [each.value.strip() for each in app.code]


def test_seeds_are_listed_by_the_titles_that_are_shown(open_page: Open, workspace: Workspace) -> None:
    for name, title in (("a", "wines"), ("b", ""), ("c", "Apples")):
        insert_seed(workspace, name=name, files=[], profile=None, facts=SeedFacts(title=title))
    links = [link.proto for link in open_page("seeds").main.get("page_link")]
    assert [link.label.strip("*") for link in links if "seed=" in link.query_string] == ["Apples", "b", "wines"]


def test_a_range_of_dates_shows_no_midnight() -> None:
    column = {"role": "date", "min": "2024-01-01T00:00:00", "max": "2024-03-05T00:00:00"}
    assert _range(column) == r"2024\-01\-01 … 2024\-03\-05"
    assert "T00" in _range({**column, "max": "2024-03-05T12:30:00"})
