"""Every page, with and without parameters, on an empty and on a filled workspace."""

import base64
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, dry_runs, jobs, problemsets, releases, revisions, runs
from authoring.store.dry_runs import DryRunProblem
from authoring.store.jobs import enqueue
from authoring.store.reviewing.reviews import add_comment
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.settings import get_setting, set_setting
from authoring.store.workspace import Workspace
from authoring.ui.editor import editing as onscreen
from tests.ui.row_lists import links

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
PAGES = (
    "queue",
    "problemset",
    "editor",
    "compare",
    "seeds",
    "guide",
    "bootstrap",
    "roundtable",
    "runs",
    "releases",
    "help",
    "settings",
)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_what_to_do_next_in_an_empty_workspace(page: str, open_page: Open, said: Said) -> None:
    app = open_page(page)
    assert not app.error
    assert said(app).strip()


@pytest.mark.parametrize(
    ("page", "parameter"),
    [
        ("problemset", "set"),
        ("editor", "set"),
        ("editor", "pid"),
        ("compare", "set"),
        ("seeds", "seed"),
        ("seeds", "sketch"),
        ("runs", "run"),
        ("runs", "job"),
        ("guide", "v"),
        ("help", "doc"),
        ("bootstrap", "plan"),
        ("roundtable", "set"),
    ],
)
def test_an_unknown_id_is_a_sentence_and_no_exception(
    page: str, parameter: str, open_page: Open, draft: Revision
) -> None:
    app = open_page(page, **{parameter: "no-such-thing-9"})
    assert len(app.error) <= 1


@pytest.mark.parametrize(
    ("page", "parameter", "back"),
    [
        ("problemset", "set", "queue"),
        ("editor", "set", "queue"),
        ("compare", "set", "queue"),
        ("roundtable", "set", "roundtable"),
        ("seeds", "seed", "seeds"),
        ("seeds", "sketch", "seeds"),
        ("bootstrap", "plan", "bootstrap"),
        ("guide", "v", "guide"),
    ],
)
def test_an_address_that_names_nothing_says_so_and_leads_back(
    page: str, parameter: str, back: str, open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page(page, **{parameter: "no-such-thing"})
    assert "no such" in said(app) or "there is no" in said(app)
    assert back in [link.proto.page or "queue" for link in app.main.get("page_link") if not link.proto.query_string]


def test_the_queue_lists_problemsets_with_their_last_dry_run(open_page: Open, draft: Revision, said: Said) -> None:
    app = open_page()
    assert links(app) == {f"problemset?set={draft.problemset_id}": "shop-sales"}
    assert "1 of 2 fail" in said(app)


def test_without_a_sandbox_one_question_is_asked_and_the_answer_recorded(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    from evaluator import session

    monkeypatch.delenv("BENCHWRIGHT_SANDBOX")
    report = session.SandboxReport(False, "", "bubblewrap is not installed", "install it")
    monkeypatch.setattr(session, "probe_sandbox", lambda: report)
    app = open_page()
    assert "This machine has no sandbox" in said(app)
    app.button(key="consent:yes").click().run()
    assert get_setting(workspace, "sandbox_consent") == {"by": "mei"}
    assert "This machine has no sandbox" not in said(app)
    assert "agreed by mei" in said(open_page("settings"))


def test_the_queue_says_that_no_worker_runs_and_how_to_start_one(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page()
    assert "No worker is running" in app.warning[0].value
    assert f"benchwright worker --workspace {workspace.root}" in app.button(key="frame:start_worker").help


def test_the_problemset_page_shows_each_problem_and_its_verdicts(open_page: Open, draft: Revision, said: Said) -> None:
    app = open_page("problemset", set=draft.problemset_id)
    assert "CORRECT" in said(app)
    assert "CRASH" in said(app)
    assert app.button(key=f"set:{draft.id}:accept").disabled


def test_the_editor_opens_on_the_first_problem(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id)
    assert app.header[0].value == "Problem 1 of 2"
    assert [area.label for area in app.text_area][:3] == [
        "Query",
        "Reference code",
        "Settings (YAML): validator, limits, tags",
    ]
    assert app.text_area[1].value == 'sales.groupby("shop")["units"].sum()'


def test_the_editor_shows_the_error_of_a_failing_problem(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    assert [box.label for box in app.expander if "Error" in box.label] == [r"KeyError\: 'units'"]


def test_the_editor_opens_setup_cells_too(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="setup1")
    assert app.text_area[0].label == "Setup code"
    assert "import pandas" in str(app.text_area[0].value)


def test_what_is_typed_is_kept_at_once_and_comes_back(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.text_area[1].set_value("sales.units.max()").run()
    (saved,) = autosaves.select(workspace, "mei", draft.problemset_id)
    assert (saved.problem, saved.field, saved.text) == ("p2", "code", "sales.units.max()")
    again = open_page("editor", set=draft.problemset_id, pid="p2")
    assert again.text_area[1].value == "sales.units.max()"


def test_typing_the_old_text_again_leaves_no_unsaved_change(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    old = app.text_area[1].value
    app.text_area[1].set_value("sales").run()
    app.text_area[1].set_value(old).run()
    assert autosaves.select(workspace, "mei", draft.problemset_id) == []


def test_run_this_orders_a_job_with_the_text_on_the_screen(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("sales.units.sum()")
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload["upto"], job.key) == ("execute", 1, f"execute:{draft.problemset_id}:mei:p1")
    assert "sales.units.sum()" in job.payload["text"]
    assert not app.exception


def test_a_double_click_is_one_job(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id)
    app.menu_button(key=f"more:{draft.problemset_id}:p1").click("Run all").run()
    app.menu_button(key=f"more:{draft.problemset_id}:p1").click("Run all").run()
    assert len(jobs.select(workspace)) == 1


def test_saving_makes_a_revision_and_orders_its_dry_run(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.text_area[1].set_value('sales.groupby("shop")["units"].sum().idxmax()  # mended')
    app.button(key=f"save:{draft.problemset_id}").click().run()
    row = problemsets.find(workspace, draft.problemset_id)
    head = revisions.find(workspace, row.head_revision_id)
    assert (head.number, head.author, head.message) == (2, "mei", "edited problem 2")
    untouched = draft.text[: draft.text.index("query: Which")]
    assert head.text.startswith(untouched)
    assert head.text.endswith(".idxmax()  # mended\n")
    job = jobs.find_latest(workspace, f"dry_run:{head.id}")
    assert job is not None
    assert autosaves.select(workspace, "mei", draft.problemset_id) == []


def test_what_a_person_says_about_a_save_stands_in_the_history(
    open_tab: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_tab("editor", "History", set=draft.problemset_id, pid="p2")
    app.text_area[1].set_value("sales.units.sum()")
    app.menu_button(key=f"more:{draft.problemset_id}:p2").click("Save with a message…").run()
    app.text_input(key=f"message:{draft.problemset_id}:text").set_value("  ties are sorted\tby *name* ")
    app.button(key=f"message:{draft.problemset_id}:save").click().run()
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert (head.number, head.message) == (2, "ties are sorted by *name*")
    assert r"ties are sorted by \*name\*" in said(app)
    assert "**Revision 2** by mei" in said(app)
    assert "**Revision 1** by the template author" in said(app)


def test_the_query_is_previewed_as_markdown_without_pictures(open_page: Open, draft: Revision, said: Said) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[0].set_value("# Units\n\n**bold** ![x](https://host.example/p.png)")
    app.menu_button(key=f"more:{draft.problemset_id}:p1").click("Preview of the query").run()
    assert "# Units\n\n**bold** \\![x](https://host.example/p.png)" in [each.value for each in app.markdown]


def test_code_is_formatted_as_an_unsaved_change_unless_it_does_not_parse(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    more = f"more:{draft.problemset_id}:p1"
    app.text_area[1].set_value("sales . units.sum( )")
    app.menu_button(key=more).click("Format code").run()
    assert app.text_area[1].value == "sales.units.sum()"
    (kept,) = autosaves.select(workspace, "mei", draft.problemset_id)
    assert (kept.field, kept.text) == ("code", "sales.units.sum()")
    app.text_area[1].set_value("sales = = 1")
    app.menu_button(key=more).click("Format code").run()
    assert app.text_area[1].value == "sales = = 1"
    said_last = app.error[-1].value.replace("\\", "")
    assert "invalid syntax, column 9" in said_last
    assert "Problem 1, reference code, line 1" in said_last


def test_settings_that_cannot_be_read_are_kept_told_and_not_saved(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[2].set_value("validator: {result: [")
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert app.error
    assert problemsets.find(workspace, draft.problemset_id).head_number == 1
    assert autosaves.select(workspace, "mei", draft.problemset_id)[0].text == "validator: {result: ["


def test_a_damaged_picture_does_not_take_the_page_with_it(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">IIBBBBB", 9, 9, 8, 0, 0, 0, 0)
    broken = base64.b64encode(header + b"no picture at all").decode()
    problem = DryRunProblem(
        1, "p1", 0.1, "CORRECT", "none", outputs=[{"output_type": "display_data", "data": {"image/png": broken}}]
    )
    dry_runs.save(workspace, revision_id=draft.id, environment="e", sandbox="s", problems=[problem], summary={})
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert "the fault is ours" not in said(app)
    assert app.text_area


def test_a_late_poll_does_not_take_the_reader_back_to_the_problem_before(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.button(key="rail:next").click().run()
    app.query_params["pid"] = "p1"  # what the browser sent before it learned of the change
    app.run()
    assert app.header[0].value == "Problem 2 of 2"


def test_a_second_press_from_a_screen_that_is_left_already_goes_one_further(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    text = draft.text + '\n# %%\n"""\nquery: And how many?\n"""\n3\n'
    revisions.save(workspace, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.query_params["pid"] = "p2"  # what the first press has put into the address; its page is not drawn yet
    app.button(key="rail:next").click().run()
    assert app.header[0].value == "Problem 3 of 3"


@pytest.mark.parametrize(("button", "shown"), [("rail:previous", "Problem 2 of 4"), ("rail:next", "Problem 4 of 4")])
def test_a_press_that_brings_the_row_of_the_screen_before_goes_one_step(
    open_page: Open, draft: Revision, workspace: Workspace, button: str, shown: str
) -> None:
    text = draft.text + 2 * '\n# %%\n"""\nquery: And how many?\n"""\n3\n'
    revisions.save(workspace, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    app = open_page("editor", set=draft.problemset_id, pid="p3")
    app.button_group(key=f"rail:{draft.problemset_id}").set_value("p2")
    app.button(key=button).click().run()
    assert app.header[0].value == shown


def test_next_failing_passes_over_what_passes_and_goes_on_at_the_first(
    open_page: Open, draft: Revision, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert app.button(key="rail:failing").proto.shortcut == "f"
    app.button(key="rail:failing").click().run()
    assert app.header[0].value == "Problem 2 of 2"
    app.button(key="rail:failing").click().run()
    assert app.header[0].value == "Problem 2 of 2"
    assert "no other problem fails" in said(app)


def test_next_failing_turns_round_at_the_end(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    lost = [
        DryRunProblem(number, f"p{number}", 0.1, "CRASH", "NOT_JUDGED", error={"name": "E", "message": ""})
        for number in (1, 2)
    ]
    dry_runs.save(workspace, revision_id=draft.id, environment="e", sandbox="s", problems=lost, summary={})
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.button(key="rail:failing").click().run()
    assert app.header[0].value == "Problem 1 of 2"


def test_next_failing_says_when_none_fails(open_page: Open, draft: Revision, said: Said) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.text_area[1].set_value("sales.units").run()  # what was executed is not what is on the screen any more
    app.button(key="rail:failing").click().run()
    assert app.header[0].value == "Problem 2 of 2"
    assert "no problem fails" in said(app)


def test_next_failing_still_finds_what_failed_behind_a_change(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("sales.units").run()
    app.button(key="rail:failing").click().run()
    assert app.header[0].value == "Problem 2 of 2"


def test_outputs_of_another_text_are_marked_stale(open_page: Open, draft: Revision, said: Said) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert "stale" not in said(app)
    app.text_area[1].set_value("sales.units").run()
    assert "The text has changed since" in said(app)


def test_a_change_of_somebody_else_to_the_same_field_is_offered_with_both_texts(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("mine()").run()
    theirs = draft.text.replace('sales.groupby("shop")["units"].sum()\n\n', "theirs()\n\n", 1)
    revisions.save(workspace, draft.problemset_id, theirs, base_revision_id=draft.id, author="lee")
    app.run()
    assert "Somebody saved a revision that changes this field too" in said(app)
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert "somebody else changed what you changed" in app.error[0].value.replace("\\", "")
    app.button(key=f"conflict:{draft.problemset_id}:p1:code:mine").click().run()
    app.button(key=f"save:{draft.problemset_id}").click().run()
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert (head.number, "mine()" in head.text, "theirs()" in head.text) == (3, True, False)


def test_a_change_of_somebody_else_elsewhere_is_taken_over_silently(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("mine()").run()
    theirs = draft.text.replace("Which shop sold most?", "Which shop sold the most units?")
    revisions.save(workspace, draft.problemset_id, theirs, base_revision_id=draft.id, author="lee")
    app.button(key=f"save:{draft.problemset_id}").click().run()
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert (head.number, "mine()" in head.text, "most units?" in head.text) == (3, True, True)


def test_a_save_between_reading_the_head_and_writing_on_it_is_taken_over_too(
    open_page: Open, draft: Revision, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    composing = onscreen.sound_text
    theirs = [draft.text.replace("Which shop sold most?", "Which shop sold the most units?")]

    def meanwhile(opened: Any) -> str:
        if theirs:
            revisions.save(workspace, draft.problemset_id, theirs.pop(), base_revision_id=draft.id, author="lee")
        return composing(opened)

    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("mine()").run()
    monkeypatch.setattr("authoring.ui.actions.sound_text", meanwhile)
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert not app.error
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert (head.number, "mine()" in head.text, "most units?" in head.text) == (3, True, True)


def test_two_tabs_of_one_person_never_overwrite_each_other(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    one = open_page("editor", set=draft.problemset_id, pid="p1")
    two = open_page("editor", set=draft.problemset_id, pid="p1")
    one.text_area[1].set_value("first()").run()
    two.text_area[1].set_value("second()").run()
    assert "another tab of" in two.error[0].value.replace("\\", "")
    assert two.text_area[1].value == "second()"
    assert autosaves.select(workspace, "mei", draft.problemset_id)[0].text == "first()"


def test_an_accepted_screen_that_is_stale_is_refused(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id)
    revisions.save(workspace, draft.problemset_id, draft.text + "\n", base_revision_id=draft.id, author="lee")
    from authoring.ui.actions import accept

    accept(draft.id)  # what a click on the old screen would call
    app.run()
    assert problemsets.find(workspace, draft.problemset_id).status != "accepted"


def test_sending_back_needs_a_reason_and_stores_it(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("problemset", set=draft.problemset_id)
    app.button(key=f"set:{draft.id}:send_back").click().run()
    app.button(key=f"send_back:{draft.id}:send").click().run()
    assert "a reason is needed" in app.error[0].value
    app.button(key=f"set:{draft.id}:send_back").click().run()
    app.text_area(key=f"send_back:{draft.id}:reason").set_value("problem 2 crashes")
    app.button(key=f"send_back:{draft.id}:send").click().run()
    assert problemsets.find(workspace, draft.problemset_id).status == "sent_back"
    assert autosaves.list_unsent(workspace, "mei") == {}


def test_a_reason_and_a_message_that_were_typed_are_there_when_their_dialog_opens_again(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("problemset", set=draft.problemset_id)
    app.button(key=f"set:{draft.id}:send_back").click().run()
    app.text_area(key=f"send_back:{draft.id}:reason").set_value("problem 2 crashes").run()
    app = open_page("problemset", set=draft.problemset_id)
    app.button(key=f"set:{draft.id}:send_back").click().run()
    assert app.text_area(key=f"send_back:{draft.id}:reason").value == "problem 2 crashes"


def test_the_tab_of_comments_says_how_many_are_open_on_the_problem_and_the_open_tab_stays(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    def tabs() -> tuple[str, str]:
        (label,) = [tab.label for tab in app.tabs if tab.label.startswith("Comments")]
        return label, app.session_state[f"tabs:{draft.problemset_id}"]

    note = partial(add_comment, workspace, revision_id=draft.id, author="lee", text="<b>unit?</b>", problem="p1")
    note()
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    _, first, second = app.button_group(key=f"rail:{draft.problemset_id}").options
    assert first == "1 :green[:material/comment:]"
    assert "comment" not in second
    app.button(key=f"comment:{draft.problemset_id}").click().run()
    assert tabs() == ("Comments (1)", "Comments (1)")
    note()
    assert (app.run(), tabs())[1] == ("Comments (2)", "Comments (2)")
    app.session_state[f"tabs:{draft.problemset_id}"] = "Try"
    note()
    assert (app.run(), tabs())[1] == ("Comments (2)", "Try")  # somebody may type there
    app.query_params["pid"] = "p2"
    assert (app.run(), tabs())[1] == ("Comments", "Try")
    assert not app.exception


def test_compare_names_the_problem_that_changed(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    theirs = draft.text.replace("Which shop sold most?", "Which shop sold the most units?")
    second = revisions.save(workspace, draft.problemset_id, theirs, base_revision_id=draft.id, author="lee")
    app = open_page("compare", set=draft.problemset_id, a=draft.id, b=second.id)
    assert [heading.value for heading in app.header] == ["Problem 2"]


def test_seeds_show_profile_traps_and_sketches(open_page: Open, seed: int, said: Said) -> None:
    assert "1 table" in said(open_page("seeds"))
    app = open_page("seeds", seed=seed)
    assert "beware" in said(app)
    app.button(key=f"sketch:{seed}:send").click().run()
    assert "Sketch" in said(app)
    assert not app.exception


def test_a_sketch_can_be_drafted(open_page: Open, seed: int, workspace: Workspace) -> None:
    app = open_page("seeds", sketch=1)
    app.button(key="draft:1:send").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload["sketch"], job.payload["author"]) == ("draft", 1, "template")


def test_the_model_author_is_refused_before_a_job_when_no_model_is_configured(
    open_page: Open, seed: int, workspace: Workspace
) -> None:
    app = open_page("seeds", seed=seed)
    app.selectbox(key=f"sketch:{seed}:author").select("model")
    app.button(key=f"sketch:{seed}:send").click().run()
    assert "no model is configured" in app.error[0].value
    assert jobs.select(workspace) == []


def test_a_seed_without_files_is_refused_in_plain_words(open_page: Open, workspace: Workspace) -> None:
    app = open_page("seeds")
    app.button(key="seed_add:send").click().run()
    assert "no data file was chosen" in app.error[0].value


def test_an_uploaded_file_becomes_a_job(open_page: Open, workspace: Workspace) -> None:
    app = open_page("seeds")
    app.file_uploader[0].upload("sales.csv", b"shop,units\na,1\n")
    app.run()
    app.button(key="seed_add:send").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload["name"], job.payload["files"][0]["name"]) == ("seed_add", "sales", "sales.csv")
    assert workspace.blob_path(job.payload["files"][0]["digest"]).read_bytes() == b"shop,units\na,1\n"


def test_a_run_shows_its_rates_and_attempts(open_page: Open, workspace: Workspace, said: Said) -> None:
    summary = {"pass_rate": 0.5, "judged": 2, "not_judged": 0, "refused": ["odd-set"]}
    run = runs.insert(workspace, release="shop 1.0", agent="oracle", out_dir="/x", summary=summary)
    base = {"problemset": "s", "attempt": 1, "subverdict": "UNCATEGORIZED", "question": "why?", "code": "1"}
    index_attempts(
        workspace,
        run,
        [{**base, "index": 1, "verdict": "CORRECT"}, {**base, "index": 2, "verdict": "CRASH"}],
    )
    assert [link.proto.label for link in open_page("runs").get("page_link")][-1] == r"**oracle** on shop 1\.0"
    app = open_page("runs", run=run)
    assert [metric.value for metric in app.metric] == ["50.0%", "2", "0"]
    assert "odd" in said(app)
    assert list(links(app).values()) == ["CORRECT", "CRASH"]


def test_a_failed_job_says_what_where_and_how_to_fix_it(open_page: Open, workspace: Workspace) -> None:
    from authoring.store import jobs

    job = enqueue(workspace, kind="draft", payload={})
    claimed = jobs.claim(workspace, owner="w", kinds=("draft",))
    assert claimed is not None
    jobs.fail(workspace, job.id, "w", error={"what": "it broke", "where": "line 3", "fix": "mend it"})
    app = open_page("runs", job=job.id)
    assert app.error[0].value.split("  \n") == ["**it broke**", "Where: line 3", "To fix it: mend it"]
    app.button(key=f"job:{job.id}:resume").click().run()
    assert jobs.select(workspace)[0].state == "queued"


def test_a_place_that_the_sentence_names_is_not_named_again(open_page: Open) -> None:
    app = open_page("problemset", set=99)
    assert app.error[0].value.startswith("**no problemset has the id 99**  \nTo fix it: ")


def test_a_release_whose_folder_is_gone_says_so(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    items = [(draft.id, "shop-sales")]
    releases.insert(workspace, name="shop", version="1.0", digest="d", path="/no/such/folder", items=items)
    app = open_page("releases")
    assert "folder is gone" in said(app)


def test_settings_add_a_name_to_pick_from(open_page: Open, workspace: Workspace) -> None:
    app = open_page("settings")
    app.text_input(key="settings:name").set_value("  Lee   Ann ")
    app.button(key="settings:add").click().run()
    assert app.selectbox(key="user").options == ["mei", "Lee Ann"]
    app.text_input(key="settings:name").set_value(" ")
    app.button(key="settings:add").click().run()
    assert "no name was typed" in app.error[0].value
    assert "shorter" not in app.error[0].value
    app.text_input(key="settings:name").set_value("Demo")
    app.button(key="settings:add").click().run()
    assert "the program itself works under the name Demo" in app.error[0].value
    assert app.selectbox(key="user").options == ["mei", "Lee Ann"]


def test_text_belongs_to_the_person_who_typed_it(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    autosaves.save(
        workspace,
        person="mei",
        problemset_id=draft.problemset_id,
        problem="p1",
        field="code",
        text="mine()",
        base_revision_id=draft.id,
        writer="w",
        expected_saved_no=None,
    )
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert app.text_area[1].value == "mine()"
    app.selectbox(key="user").select("lee").run()
    assert app.text_area[1].value == 'sales.groupby("shop")["units"].sum()'


def test_a_workspace_of_a_newer_schema_is_one_sentence(workspace: Workspace, open_page: Open, said: Said) -> None:
    with workspace.write() as db:
        db.execute("INSERT INTO schema_version VALUES (99, '')")
    app = open_page()
    (error,) = app.error
    assert "99" in error.value
    assert "Traceback" not in said(app)
