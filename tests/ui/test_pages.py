"""Every page on an empty workspace, and what people do in the editor: type, run, save, go on, meet somebody else."""

import pytest

from authoring.store import autosaves, jobs, problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.settings import get_setting, set_setting
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.shell.navigation import PAGES
from tests.ui.acts import Open, boxes, errors, press, said, says

CODE, SETTINGS = 1, 2  # the text areas of the editor, one below the other
OLD_CODE = 'sales.groupby("shop")["units"].sum()'


def test_every_page_says_what_to_do_next_in_an_empty_workspace(open_page: Open) -> None:
    app = open_page("help")
    for page in PAGES[1:]:
        app.switch_page(f"authoring/ui/pages/{page.name}.py").run()
        assert not app.exception, page
        assert not app.error, page
        assert said(app).strip(), page


def test_without_a_sandbox_a_question_is_asked(open_page: Open, ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluator import session

    monkeypatch.delenv("BENCHWRIGHT_SANDBOX")
    report = session.SandboxReport(False, "", "bubblewrap is not installed", "install it")
    monkeypatch.setattr(session, "probe_sandbox", lambda: report)
    app = open_page()
    assert "This machine has no sandbox" in said(app)
    press(app, "consent:yes")
    assert get_setting(ws, "sandbox_consent") == {"by": "mei"}
    assert "This machine has no sandbox" not in said(app)
    assert "agreed by mei" in said(open_page("settings"))


def test_sending_back_needs_a_reason_which_is_kept(open_page: Open, draft: Revision, ws: Workspace) -> None:
    app = press(open_page("problemset", set=draft.problemset_id), f"set:{draft.id}:send_back")
    assert "a reason is needed" in errors(press(app, f"send_back:{draft.id}:send"))
    press(app, f"set:{draft.id}:send_back")
    app.text_area(key=f"send_back:{draft.id}:reason").set_value("problem 2 crashes").run()
    app = press(open_page("problemset", set=draft.problemset_id), f"set:{draft.id}:send_back")
    assert app.text_area(key=f"send_back:{draft.id}:reason").value == "problem 2 crashes"
    press(app, f"send_back:{draft.id}:send")
    assert problemsets.find(ws, draft.problemset_id).status == "sent_back"
    assert autosaves.list_unsent(ws, "mei") == {}


@pytest.fixture
def edit(open_page: Open, draft: Revision, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open the editor of the draft at a problem."""
    monkeypatch.setattr(state, "_SETTLING_S", 600.0)  # what a browser sends late comes late here on a busy machine
    return lambda pid="p1": open_page("editor", set=draft.problemset_id, pid=pid)


def head_of(ws: Workspace, draft: Revision) -> Revision:
    return revisions.find(ws, problemsets.find(ws, draft.problemset_id).head_revision_id)


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


def test_what_is_typed_is_its_writers_and_comes_back(edit: Open, draft: Revision, ws: Workspace) -> None:
    set_setting(ws, "annotator_names", ["mei", "lee"])
    app = edit()
    assert "stale" not in said(app)
    app.text_area[CODE].set_value("mine()").run()
    assert "The text has changed since" in said(app)
    assert kept(ws, draft) == [("p1", "code", "mine()")]
    again = edit()
    assert again.text_area[CODE].value == "mine()"
    again.selectbox(key="user").select("lee").run()
    assert again.text_area[CODE].value == OLD_CODE
    app.text_area[CODE].set_value(OLD_CODE).run()
    assert kept(ws, draft) == [], "the old text is no change"


def test_run_orders_one_job_with_the_text_on_the_screen(edit: Open, draft: Revision, ws: Workspace) -> None:
    app = edit()
    app.text_area[CODE].set_value("sales.units.sum()")
    press(app, f"run:{draft.problemset_id}:p1")
    (job,) = jobs.select(ws)
    assert (job.kind, job.payload["upto"], job.key) == ("execute", 1, f"execute:{draft.problemset_id}:mei:p1")
    assert "sales.units.sum()" in job.payload["text"]
    for _ in range(2):
        app.menu_button(key=f"more:{draft.problemset_id}:p1").click("Run all").run()
    assert len(jobs.select(ws)) == 2


def test_saving_makes_a_revision_and_orders_its_dry_run(open_tab: Open, draft: Revision, ws: Workspace) -> None:
    app = open_tab("editor", "History", set=draft.problemset_id, pid="p2")
    app.text_area[CODE].set_value('sales.groupby("shop")["units"].sum().idxmax()  # mended')
    press(app, f"save:{draft.problemset_id}")
    head = head_of(ws, draft)
    assert (head.number, head.author, head.message) == (2, "mei", "edited problem 2")
    assert head.text.startswith(draft.text[: draft.text.index("query: Which")])
    assert head.text.endswith(".idxmax()  # mended\n")
    assert jobs.find_latest(ws, f"dry_run:{head.id}") is not None
    assert kept(ws, draft) == []
    app.text_area[CODE].set_value("sales.units.sum()")
    app.menu_button(key=f"more:{draft.problemset_id}:p2").click("Save with a message…").run()
    app.text_input(key=f"message:{draft.problemset_id}:text").set_value("  ties are sorted\tby *name* ")
    press(app, f"message:{draft.problemset_id}:save")
    assert head_of(ws, draft).message == "ties are sorted by *name*"
    assert any(r"ties are sorted by \*name\*" in each.value for each in (*app.markdown, *app.caption)), "as text"
    says(app, "**Revision 3** by mei", "**Revision 1** by the template author")


def test_a_query_is_previewed_and_code_formatted(edit: Open, draft: Revision, ws: Workspace) -> None:
    app, more = edit(), f"more:{draft.problemset_id}:p1"
    app.text_area[0].set_value("# Units\n\n**bold** ![x](https://host.example/p.png)")
    app.menu_button(key=more).click("Preview of the query").run()
    assert "# Units\n\n**bold** \\![x](https://host.example/p.png)" in [each.value for each in app.markdown]
    app.text_area[CODE].set_value("sales . units.sum( )")
    app.menu_button(key=more).click("Format code").run()
    assert app.text_area[CODE].value == "sales.units.sum()"
    assert ("p1", "code", "sales.units.sum()") in kept(ws, draft)
    app.text_area[CODE].set_value("sales = = 1")
    app.menu_button(key=more).click("Format code").run()
    assert app.text_area[CODE].value == "sales = = 1"
    assert "invalid syntax, column 9" in errors(app)
    assert "Problem 1, reference code, line 1" in errors(app)


def test_next_failing_passes_over_what_passes_and_says_when_none_fails(edit: Open) -> None:
    app = edit()
    assert app.button(key="rail:failing").proto.shortcut == "f"
    assert press(app, "rail:failing").header[0].value == "Problem 2 of 2"
    assert press(app, "rail:failing").header[0].value == "Problem 2 of 2"
    assert "no other problem fails" in said(app)
    app = edit("p2")
    app.text_area[CODE].set_value("sales.units").run()  # what was executed is not what is on the screen any more
    assert "no problem fails" in said(press(app, "rail:failing"))
