"""The strip above the editor's buttons: a message goes with the next action, or when what it speaks of has ended."""

from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.reviewing.reviews import add_comment
from tests.ui.acts import claim, finish, press, said
from tests.ui.problemset.acts import CODE, SETTINGS, Desk


def messages(app: AppTest) -> list[str]:
    """What the strip says, each message without its marks."""
    kinds = (app.error, app.warning, app.info, app.success)
    found = [str(each.value).replace("*", "").replace("\\", "") for kind in kinds for each in kind]
    return [text for text in found if "No worker is running" not in text]  # which the sidebar says


def test_a_refusal_goes_with_the_next_action(desk: Desk) -> None:
    reply = f"comment:{add_comment(desk.ws, revision_id=desk.draft.id, author='lee', text='why?', problem='p1')}:reply"
    app = desk.editor(tab="Comments")
    press(app, reply)
    press(app, f"{reply}:send")
    assert any("the comment is empty" in each for each in messages(app))
    app.text_area(key=f"{reply}:text").set_value("because").run()
    assert any("the comment is empty" in each for each in messages(app))  # typing is no action
    press(app, f"{reply}:send")
    assert messages(app) == []


def test_a_dry_run_is_on_its_way_as_long_as_it_is(desk: Desk) -> None:
    app = desk.save(desk.editor())
    assert any("nothing to save" in each for each in messages(app))
    app.text_area[CODE].set_value('sales.groupby("shop")["units"].sum() * 1').run()
    assert messages(app) == []  # it goes with the first change
    desk.save(app)
    assert "saved revision 2; its dry run is on the way" in messages(app)
    finish(desk.ws, "dry_run", {})
    app.run()
    assert "saved revision 2" in messages(app)
    press(app, "strip:close")
    assert messages(app) == []


def test_what_cannot_be_read_is_told_until_it_can(desk: Desk) -> None:
    app = desk.editor()
    before = str(app.text_area[SETTINGS].value)
    app.text_area[SETTINGS].set_value("tags: [a")
    desk.save(app)
    told = "p1, settings, line 1: the YAML cannot be read: the bracket '[' in column 7 is not closed"
    assert any(told in each for each in messages(app))
    (mark,) = [each for each in app.markdown if "problem 1 cannot be run or saved yet" in each.value]
    assert "What you type is kept" in mark.help
    app.text_area[CODE].set_value("sales").run()
    assert any(told in each for each in messages(app))
    app.text_area[SETTINGS].set_value(before).run()
    assert not any(told in each for each in messages(app))


def test_what_is_only_queued_is_not_called_running(desk: Desk) -> None:
    app = press(desk.editor(), f"run:{desk.number}:p1")
    assert "Queued, and no worker is running; the result below is the previous one" in said(app)
    jobs.register_worker(desk.ws)
    assert "Queued; the result below is the previous one" in said(app.run())
    job = claim(desk.ws, "execute")
    assert "Running; the result below is the previous one" in said(app.run())
    jobs.finish(desk.ws, job.id, "w", result={"cells": []})
    assert "the result below is the previous one" not in said(app.run())
