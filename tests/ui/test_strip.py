"""The strip above the editor's buttons: a message goes with the next action, or when what it speaks of has ended."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.reviewing.reviews import add_comment
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
CODE = 1  # the query, the code and the settings stand one below the other
SETTINGS = 2


def messages(app: AppTest) -> list[str]:
    """What the strip says, each message without its marks."""
    kinds = (app.error, app.warning, app.info, app.success)
    said = [str(each.value).replace("*", "").replace("\\", "") for kind in kinds for each in kind]
    return [text for text in said if "No worker is running" not in text]  # which the sidebar says


def save(app: AppTest, draft: Revision) -> None:
    app.button(key=f"save:{draft.problemset_id}").click().run()


def test_a_refusal_goes_with_the_next_action(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    comment = add_comment(workspace, revision_id=draft.id, author="lee", text="why?", problem="p1")
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.session_state[f"tabs:{draft.problemset_id}"] = "Comments"
    app.run()
    app.button(key=f"comment:{comment}:reply").click().run()
    app.button(key=f"comment:{comment}:reply:send").click().run()
    assert any("the comment is empty" in said for said in messages(app))
    app.text_area(key=f"comment:{comment}:reply:text").set_value("because").run()
    assert any("the comment is empty" in said for said in messages(app))  # typing is no action
    app.button(key=f"comment:{comment}:reply:send").click().run()
    assert messages(app) == []


def test_that_nothing_is_to_be_saved_goes_with_the_first_change(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    save(app, draft)
    assert any("nothing to save" in said for said in messages(app))
    app.text_area[CODE].set_value("1").run()
    assert messages(app) == []


def test_what_cannot_be_read_is_told_until_it_can(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    before = str(app.text_area[SETTINGS].value)
    app.text_area[SETTINGS].set_value("tags: [a").run()
    save(app, draft)
    said = "p1, settings, line 1: the YAML cannot be read: the bracket '[' in column 7 is not closed"
    assert any(said in each for each in messages(app))
    (told,) = [each for each in app.markdown if "problem 1 cannot be run or saved yet" in each.value]
    assert "What you type is kept" in told.help
    app.text_area[CODE].set_value("sales").run()
    assert any(said in each for each in messages(app))
    app.text_area[SETTINGS].set_value(before).run()
    assert not any(said in each for each in messages(app))


def test_a_dry_run_is_on_its_way_as_long_as_it_is(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[CODE].set_value('sales.groupby("shop")["units"].sum() * 1').run()
    save(app, draft)
    assert "saved revision 2; its dry run is on the way" in messages(app)
    job = jobs.claim(workspace, owner="w", kinds=["dry_run"])
    assert job is not None
    jobs.finish(workspace, job.id, "w", result={})
    app.run()
    assert "saved revision 2" in messages(app)
    app.button(key="strip:close").click().run()
    assert messages(app) == []


def test_what_is_only_queued_is_not_called_running(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    assert "Queued, and no worker is running; the result below is the previous one" in said(app)
    jobs.register_worker(workspace)
    app.run()
    assert "Queued; the result below is the previous one" in said(app)
    job = jobs.claim(workspace, owner="w", kinds=["execute"])
    assert job is not None
    app.run()
    assert "Running; the result below is the previous one" in said(app)
    jobs.finish(workspace, job.id, "w", result={"cells": []})
    app.run()
    assert "the result below is the previous one" not in said(app)
