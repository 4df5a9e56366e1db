"""Every page on an empty workspace, and what people do in the editor: type, run, save, go on, meet somebody else."""

from functools import partial
from typing import Any

import pytest

from authoring.store import autosaves, dry_runs, jobs, problemsets, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment
from authoring.store.revisions import Revision
from authoring.store.settings import get_setting, set_setting
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.actions import accept
from authoring.ui.editor import editing as onscreen
from authoring.ui.shell.navigation import PAGES
from tests.ui.acts import Open, boxes, errors, press, said, says
from tests.ui.row_lists import links

CODE, SETTINGS = 1, 2  # the text areas of the editor, one below the other
OLD_CODE = 'sales.groupby("shop")["units"].sum()'


def test_every_page_says_what_to_do_next_in_an_empty_workspace(open_page: Open) -> None:
    app = open_page("help")
    for page in PAGES[1:]:
        app.switch_page(f"authoring/ui/pages/{page.name}.py").run()
        assert not app.exception, page
        assert not app.error, page
        assert said(app).strip(), page


def test_without_a_sandbox_one_question_is_asked(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluator import session

    monkeypatch.delenv("BENCHWRIGHT_SANDBOX")
    report = session.SandboxReport(False, "", "bubblewrap is not installed", "install it")
    monkeypatch.setattr(session, "probe_sandbox", lambda: report)
    app = open_page()
    assert "This machine has no sandbox" in said(app)
    press(app, "consent:yes")
    assert get_setting(workspace, "sandbox_consent") == {"by": "mei"}
    assert "This machine has no sandbox" not in said(app)
    assert "agreed by mei" in said(open_page("settings"))


def test_queue_and_problemset_show_verdicts_of_the_last_dry_run(open_page: Open, draft: Revision) -> None:
    app = open_page()
    assert links(app) == {f"problemset?set={draft.problemset_id}": "shop-sales"}
    assert "1 of 2 fail" in said(app)
    app = open_page("problemset", set=draft.problemset_id)
    says(app, "CORRECT", "CRASH")
    assert app.button(key=f"set:{draft.id}:accept").disabled


def test_sending_back_needs_a_reason_which_is_kept(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = press(open_page("problemset", set=draft.problemset_id), f"set:{draft.id}:send_back")
    assert "a reason is needed" in errors(press(app, f"send_back:{draft.id}:send"))
    press(app, f"set:{draft.id}:send_back")
    app.text_area(key=f"send_back:{draft.id}:reason").set_value("problem 2 crashes").run()
    app = press(open_page("problemset", set=draft.problemset_id), f"set:{draft.id}:send_back")
    assert app.text_area(key=f"send_back:{draft.id}:reason").value == "problem 2 crashes"
    press(app, f"send_back:{draft.id}:send")
    assert problemsets.find(workspace, draft.problemset_id).status == "sent_back"
    assert autosaves.list_unsent(workspace, "mei") == {}


# The editor


@pytest.fixture
def edit(open_page: Open, draft: Revision, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open the editor of the draft at a problem."""
    monkeypatch.setattr(state, "_SETTLING_S", 600.0)  # what a browser sends late comes late here on a busy machine
    return lambda pid="p1": open_page("editor", set=draft.problemset_id, pid=pid)


def head_of(ws: Workspace, draft: Revision) -> Revision:
    return revisions.find(ws, problemsets.find(ws, draft.problemset_id).head_revision_id)


def somebody_saves(ws: Workspace, draft: Revision, old: str, new: str) -> Revision:
    text = draft.text.replace(old, new, 1)
    return revisions.save(ws, draft.problemset_id, text, base_revision_id=draft.id, author="lee")


def kept(ws: Workspace, draft: Revision) -> list[tuple[str, str, str]]:
    return [(each.problem, each.field, each.text) for each in autosaves.select(ws, "mei", draft.problemset_id)]


def test_the_editor_opens_at_a_problem_with_its_texts(open_page: Open, draft: Revision, edit: Open) -> None:
    app = open_page("editor", set=draft.problemset_id)
    assert app.header[0].value == "Problem 1 of 2"
    labels = [area.label for area in app.text_area]
    assert labels[:3] == ["Query", "Reference code", "Settings (YAML): validator, limits, tags"]
    assert app.text_area[CODE].value == OLD_CODE
    assert [box for box in boxes(edit("p2")) if "Error" in box] == [r"KeyError\: 'units'"]
    app = edit("setup1")
    assert app.text_area[0].label == "Setup code"
    assert "import pandas" in str(app.text_area[0].value)


def test_what_is_typed_is_its_writers_and_comes_back(edit: Open, draft: Revision, workspace: Workspace) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    app = edit()
    assert "stale" not in said(app)
    app.text_area[CODE].set_value("mine()").run()
    assert "The text has changed since" in said(app)
    assert kept(workspace, draft) == [("p1", "code", "mine()")]
    again = edit()
    assert again.text_area[CODE].value == "mine()"
    again.selectbox(key="user").select("lee").run()
    assert again.text_area[CODE].value == OLD_CODE
    app.text_area[CODE].set_value(OLD_CODE).run()
    assert kept(workspace, draft) == [], "the old text is no change"


def test_run_orders_one_job_with_the_text_on_the_screen(edit: Open, draft: Revision, workspace: Workspace) -> None:
    app = edit()
    app.text_area[CODE].set_value("sales.units.sum()")
    press(app, f"run:{draft.problemset_id}:p1")
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload["upto"], job.key) == ("execute", 1, f"execute:{draft.problemset_id}:mei:p1")
    assert "sales.units.sum()" in job.payload["text"]
    for _ in range(2):
        app.menu_button(key=f"more:{draft.problemset_id}:p1").click("Run all").run()
    assert len(jobs.select(workspace)) == 2


def test_saving_makes_a_revision_and_orders_its_dry_run(edit: Open, draft: Revision, workspace: Workspace) -> None:
    app = edit("p2")
    app.text_area[CODE].set_value('sales.groupby("shop")["units"].sum().idxmax()  # mended')
    press(app, f"save:{draft.problemset_id}")
    head = head_of(workspace, draft)
    assert (head.number, head.author, head.message) == (2, "mei", "edited problem 2")
    assert head.text.startswith(draft.text[: draft.text.index("query: Which")])
    assert head.text.endswith(".idxmax()  # mended\n")
    assert jobs.find_latest(workspace, f"dry_run:{head.id}") is not None
    assert kept(workspace, draft) == []


def test_the_message_of_a_save_stands_in_the_history(open_tab: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_tab("editor", "History", set=draft.problemset_id, pid="p2")
    app.text_area[CODE].set_value("sales.units.sum()")
    app.menu_button(key=f"more:{draft.problemset_id}:p2").click("Save with a message…").run()
    app.text_input(key=f"message:{draft.problemset_id}:text").set_value("  ties are sorted\tby *name* ")
    press(app, f"message:{draft.problemset_id}:save")
    head = head_of(workspace, draft)
    assert (head.number, head.message) == (2, "ties are sorted by *name*")
    assert any(r"ties are sorted by \*name\*" in each.value for each in (*app.markdown, *app.caption)), "as text"
    says(app, "**Revision 2** by mei", "**Revision 1** by the template author")


def test_a_query_is_previewed_and_code_formatted(edit: Open, draft: Revision, workspace: Workspace) -> None:
    app, more = edit(), f"more:{draft.problemset_id}:p1"
    app.text_area[0].set_value("# Units\n\n**bold** ![x](https://host.example/p.png)")
    app.menu_button(key=more).click("Preview of the query").run()
    assert "# Units\n\n**bold** \\![x](https://host.example/p.png)" in [each.value for each in app.markdown]
    app.text_area[CODE].set_value("sales . units.sum( )")
    app.menu_button(key=more).click("Format code").run()
    assert app.text_area[CODE].value == "sales.units.sum()"
    assert ("p1", "code", "sales.units.sum()") in kept(workspace, draft)
    app.text_area[CODE].set_value("sales = = 1")
    app.menu_button(key=more).click("Format code").run()
    assert app.text_area[CODE].value == "sales = = 1"
    assert "invalid syntax, column 9" in errors(app)
    assert "Problem 1, reference code, line 1" in errors(app)


def test_settings_that_cannot_be_read_are_not_saved(edit: Open, draft: Revision, workspace: Workspace) -> None:
    app = edit()
    app.text_area[SETTINGS].set_value("validator: {result: [")
    press(app, f"save:{draft.problemset_id}")
    assert app.error
    assert problemsets.find(workspace, draft.problemset_id).head_number == 1
    assert kept(workspace, draft) == [("p1", "settings", "validator: {result: [")]


# From problem to problem


def test_the_keys_go_one_step_from_the_problem_on_the_screen(edit: Open, draft: Revision, workspace: Workspace) -> None:
    more = 2 * '\n# %%\n"""\nquery: And how many?\n"""\n3\n'
    revisions.save(workspace, draft.problemset_id, draft.text + more, base_revision_id=draft.id, author="lee")
    app = press(edit(), "rail:next")
    app.query_params["pid"] = "p1"  # what the browser sent before it learned of the change
    assert app.run().header[0].value == "Problem 2 of 4"
    app.query_params["pid"] = "p3"  # what a press has put into the address; its page is not drawn yet
    assert press(app, "rail:next").header[0].value == "Problem 4 of 4"
    for button, shown in (("rail:previous", "Problem 2 of 4"), ("rail:next", "Problem 4 of 4")):
        app = edit("p3")
        app.button_group(key=f"rail:{draft.problemset_id}").set_value("p2")  # the row of the screen before
        assert press(app, button).header[0].value == shown


def test_next_failing_passes_over_what_passes_and_says_when_none_fails(edit: Open) -> None:
    app = edit()
    assert app.button(key="rail:failing").proto.shortcut == "f"
    assert press(app, "rail:failing").header[0].value == "Problem 2 of 2"
    assert press(app, "rail:failing").header[0].value == "Problem 2 of 2"
    assert "no other problem fails" in said(app)
    app = edit("p2")
    app.text_area[CODE].set_value("sales.units").run()  # what was executed is not what is on the screen any more
    assert "no problem fails" in said(press(app, "rail:failing"))


def test_next_failing_still_finds_what_failed_behind_a_change(edit: Open) -> None:
    app = edit()
    app.text_area[CODE].set_value("sales.units").run()
    assert press(app, "rail:failing").header[0].value == "Problem 2 of 2"


def test_next_failing_turns_round_at_the_end(edit: Open, draft: Revision, workspace: Workspace) -> None:
    error = {"name": "E", "message": ""}
    lost = [DryRunProblem(number, f"p{number}", 0.1, "CRASH", "NOT_JUDGED", error=error) for number in (1, 2)]
    dry_runs.save(workspace, revision_id=draft.id, environment="e", sandbox="s", problems=lost, summary={})
    assert press(edit("p2"), "rail:failing").header[0].value == "Problem 1 of 2"


def test_the_tab_of_comments_says_how_many_are_open(edit: Open, draft: Revision, workspace: Workspace) -> None:
    def tabs() -> tuple[str, str]:
        (label,) = [tab.label for tab in app.tabs if tab.label.startswith("Comments")]
        return label, app.session_state[f"tabs:{draft.problemset_id}"]

    note = partial(add_comment, workspace, revision_id=draft.id, author="lee", text="<b>unit?</b>", problem="p1")
    note()
    app = edit()
    _, first, second = app.button_group(key=f"rail:{draft.problemset_id}").options
    assert first == "1 :green[:material/comment:]"
    assert "comment" not in second
    press(app, f"comment:{draft.problemset_id}")
    assert tabs() == ("Comments (1)", "Comments (1)")
    note()
    assert (app.run(), tabs())[1] == ("Comments (2)", "Comments (2)")
    app.session_state[f"tabs:{draft.problemset_id}"] = "Try"
    note()
    assert (app.run(), tabs())[1] == ("Comments (2)", "Try")  # somebody may type there
    app.query_params["pid"] = "p2"
    assert (app.run(), tabs())[1] == ("Comments", "Try")


# With somebody else


def test_a_change_to_the_same_field_is_offered(edit: Open, draft: Revision, workspace: Workspace) -> None:
    app = edit()
    app.text_area[CODE].set_value("mine()").run()
    somebody_saves(workspace, draft, OLD_CODE, "theirs()")
    assert "Somebody saved a revision that changes this field too" in said(app.run())
    press(app, f"save:{draft.problemset_id}")
    assert "somebody else changed what you changed" in errors(app)
    press(app, f"conflict:{draft.problemset_id}:p1:code:mine")
    press(app, f"save:{draft.problemset_id}")
    head = head_of(workspace, draft)
    assert (head.number, "mine()" in head.text, "theirs()" in head.text) == (3, True, False)


@pytest.mark.parametrize("at_the_last_moment", [False, True])
def test_a_change_of_somebody_else_elsewhere_is_taken_over_silently(
    edit: Open, open_page: Open, draft: Revision, workspace: Workspace, monkeypatch: pytest.MonkeyPatch,
    at_the_last_moment: bool,
) -> None:  # fmt: skip
    composing, waiting = onscreen.sound_text, [True]

    def save_theirs() -> None:
        if waiting and waiting.pop():
            somebody_saves(workspace, draft, "Which shop sold most?", "Which shop sold the most units?")

    def meanwhile(opened: Any) -> str:  # between reading the head and writing on it
        save_theirs()
        return composing(opened)

    app = edit()
    app.text_area[CODE].set_value("mine()").run()
    if at_the_last_moment:
        monkeypatch.setattr("authoring.ui.actions.sound_text", meanwhile)
    else:
        save_theirs()
    press(app, f"save:{draft.problemset_id}")
    assert not app.error
    head = head_of(workspace, draft)
    assert (head.number, "mine()" in head.text, "most units?" in head.text) == (3, True, True)
    app = open_page("compare", set=draft.problemset_id, a=draft.id, b=head.id)
    assert [heading.value for heading in app.header] == ["Problem 1", "Problem 2"]


def test_two_tabs_of_one_person_never_overwrite_each_other(edit: Open, draft: Revision, workspace: Workspace) -> None:
    one, two = edit(), edit()
    one.text_area[CODE].set_value("first()").run()
    two.text_area[CODE].set_value("second()").run()
    assert "another tab of" in errors(two)
    assert two.text_area[CODE].value == "second()"
    assert kept(workspace, draft) == [("p1", "code", "first()")]


def test_an_accepted_screen_that_is_stale_is_refused(edit: Open, draft: Revision, workspace: Workspace) -> None:
    app = edit()
    somebody_saves(workspace, draft, "Which shop", "What shop")
    accept(draft.id)  # what a click on the old screen would call
    app.run()
    assert problemsets.find(workspace, draft.problemset_id).status != "accepted"
