"""Reviewing: what keeps a revision from being accepted, comments, revisions compared, items of the roundtable."""

import pytest

from authoring.revising.rebase import restore_revision
from authoring.store import jobs, problemsets
from authoring.store.database.connections import ConflictError
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment, list_comments, record_decision, resolve_comment
from authoring.store.reviewing.roundtable import assign_item, list_roundtable
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.comments.set_comments import count_by_kind
from authoring.ui.editor.reviewed import unticked_words
from evaluator.errors import ContentError
from tests.ui.acts import CODE, Desk, Open, errors, judge, page_links, press, said, stream, texts

TEXT = '# %%\n"""\nquery: What is one?\n"""\n1\n'


def sound_set(ws: Workspace, author: str = "lee") -> Revision:
    """A problemset of one problem whose stored dry run passes."""
    revision = problemsets.create(ws, name="sound", text=TEXT, author=author, origin=Origin.PERSON)
    judge(ws, revision.id, DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT"))
    return revision


@pytest.fixture
def sound(open_page: Open, ws: Workspace) -> Desk:
    """The app, and such a set of lee's."""
    return Desk(ws, sound_set(ws), open_page)


def test_a_blocking_comment_disables_accept_and_says_so(sound: Desk, open_tab: Open) -> None:
    key, talk, tabs = f"set:{sound.draft.id}:accept", f"comment:{sound.number}:", f"tabs:set:{sound.number}"
    app = open_tab("problemset", "Comments", set=sound.number)
    assert not app.button(key=key).disabled
    assert app.button(key=key).label == "Accept revision 1"
    app.text_area(key=f"{talk}:text").set_value("one is no number")
    app.selectbox(key=f"{talk}:kind").select("ambiguous")
    app.checkbox(key=f"{talk}:blocking").check()
    press(app, f"{talk}:send")
    (comment,) = list_comments(sound.ws, sound.number)
    assert (comment.blocking, comment.kind, app.checkbox(key=f"{talk}:blocking").value) == (True, "ambiguous", False)
    assert app.button(key=key).disabled
    assert "omment 1 by mei on the whole set blocks accepting" in app.button(key=key).help
    assert app.session_state[tabs] == "Comments (1)"  # the tab has another label and stays open
    assert count_by_kind([comment]) == {"ambiguous": {"blocking": 1}}
    press(app, f"comment:{comment.id}:resolve")
    assert not app.button(key=key).disabled
    assert app.session_state[tabs] == "Comments"
    assert app.button(key=f"comment:{comment.id}:reopen")


def test_a_reviewer_ticks_what_was_read_and_a_changed_problem_has_no_tick(sound: Desk) -> None:
    key = f"reviewed:{sound.number}:p1"
    app = sound.editor("")
    assert "Reviewed 0 of 1" in said(app)
    app.checkbox(key=key).check().run()
    assert "Reviewed 1 of 1" in said(app)
    changed = sound.change(sound.text.replace("query: ", "query: Now, "))
    app = sound.editor("")
    assert "Reviewed 0 of 1" in said(app)
    assert not app.checkbox(key=key).value
    unticked = "it is accepted though you have ticked 0 of 1 problem of sound as Reviewed"
    assert unticked_words(changed) == unticked
    app.checkbox(key=key).check().run()
    assert unticked_words(changed) == ""
    app.checkbox(key=key).uncheck().run()
    assert unticked_words(changed) == unticked


def test_accepting_names_open_comments_and_ticks_and_offers_a_release(sound: Desk) -> None:
    add_comment(sound.ws, revision_id=sound.draft.id, author="Ada", text="is it?", problem="p1")
    done = add_comment(sound.ws, revision_id=sound.draft.id, author="Bo", text="well", problem="p1")
    resolve_comment(sound.ws, done, by="Bo")
    told = "1 open comment, by Ada on problem 1"
    app, page = sound.editor(""), sound.page()
    assert told in app.button(key=f"editor:{sound.draft.id}:accept").help
    assert told in page.button(key=f"set:{sound.draft.id}:accept").help
    assert "Release it" not in page_links(app)
    press(app, f"editor:{sound.draft.id}:accept")
    assert f"sound is accepted with {told}" in said(app)
    assert "it is accepted though you have ticked 0 of 1 problem of sound as Reviewed" in said(app)
    assert "Release it" in page_links(app)
    assert "Release it" in page_links(page.run())


def test_submitting_names_what_fails_and_leaves_out_nothing_that_was_typed(desk: Desk) -> None:
    app = desk.editor()
    submit = f"editor:{desk.number}:submit"
    before = str(app.text_area[CODE].value)
    assert "though problem 2 fails" in app.button(key=submit).help
    app.text_area[CODE].set_value("sales.units.max()")
    press(app, submit)  # both come with one request
    assert "you have unsaved changes" in errors(app)
    assert problemsets.find(desk.ws, desk.number).status == "draft"
    app.text_area[CODE].set_value(before).run()
    press(app, submit)
    assert problemsets.find(desk.ws, desk.number).status == "submitted"
    assert "in what you submitted problem 2 fails" in said(app)


def test_why_a_set_was_sent_back_is_shown_until_it_is_submitted_again(sound: Desk) -> None:
    told = "Sent back by lee"
    record_decision(sound.ws, revision_id=sound.draft.id, decision="sent_back", by="lee", reason="one is no number")
    pages = [sound.open(name, set=sound.number) for name in ("editor", "problemset")]
    for page in pages:
        assert (told in said(page), said(page).count("one is no number")) == (True, 1)
    again = sound.change(sound.text.replace("query: ", "query: Now, "), "mei")
    assert told in said(pages[0].run())
    problemsets.submit(sound.ws, sound.number, base_revision_id=again.id)
    for page in pages:
        assert told not in said(page.run())


@pytest.fixture
def mended(desk: Desk) -> Revision:
    """A second revision in which lee mended the problem that crashed; its dry run passes."""
    second = desk.change(desk.text.replace("Which shop sold most?", "Which shop sold the most units?"))
    problems = [
        DryRunProblem(number, f"p{number}", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=[stream(each)])
        for number, each in enumerate(("shop totals\n", "shop a\n"), 1)
    ]
    judge(desk.ws, second.id, *problems)
    return second


def test_changed_verdicts_stand_above_each_view(desk: Desk, mended: Revision) -> None:
    app = desk.open("compare", set=desk.number, a=desk.draft.id, b=mended.id)
    assert "**1 problem with other verdicts**" in said(app)
    assert "p2: reference :red-badge[:material/bolt: CRASH] → :green-badge[:material/check: CORRECT]" in texts(app)
    assert [heading.value for heading in app.header] == ["Problem 2"]
    assert app.button(key=f"compare:{mended.id}:accept").label == "Accept revision 2"
    assert not app.button(key=f"compare:{mended.id}:accept").disabled
    app.segmented_control(key="compare:view").set_value("outputs").run()
    assert [heading.value for heading in app.header] == ["p2"]
    assert "The same on both sides: 1 problem." in said(app)
    assert app.query_params["view"] in ("outputs", ["outputs"])
    app.segmented_control(key="compare:view").set_value("verdicts").run()
    assert app.table[0].value["problem"].tolist() == ["p1", "p2"]


def test_an_older_revision_is_not_decided_on_and_comes_back_as_a_new_one(desk: Desk, mended: Revision) -> None:
    app = desk.open("compare", set=desk.number, a=mended.id, b=desk.draft.id)
    assert "Revision 2 is the newest: decide on that one." in said(app)
    assert [button.key for button in app.button if button.key and button.key.endswith(":accept")] == []
    app = desk.open("compare", set=desk.number, a=desk.draft.id, b=mended.id)
    press(app, f"compare:{desk.draft.id}:restore")
    assert "restored revision 1 as revision 3" in said(app)
    newest = desk.head()
    assert (newest.number, newest.text, newest.parent_id, newest.author) == (3, desk.text, mended.id, "mei")
    assert [job.kind for job in jobs.select(desk.ws)] == ["dry_run"]
    with pytest.raises(ConflictError, match="newer than"):
        restore_revision(desk.ws, mended.id, by="mei", base_revision_id=mended.id)


def test_an_item_is_opened_by_hand_handed_to_somebody_and_settled(desk: Desk) -> None:
    set_setting(desk.ws, "annotator_names", ["mei", "lee"])
    new, asked = "roundtable:new", "two readings of *sold*"
    app = desk.open_with({new: True}, "roundtable")
    app.selectbox(key=f"{new}:set").select("shop-sales").run()
    assert "no problem is chosen" in errors(press(app, f"{new}:send"))
    problem = app.selectbox(key=f"{new}:shop-sales:problem")
    assert [option.partition(".")[0] for option in problem.options] == ["1", "2"]
    for reason in (asked, " Two  readings of *sold*"):
        app.text_input(key=f"{new}:shop-sales:reason").set_value(reason)
        app.selectbox(key=f"{new}:shop-sales:problem").select("p2")
        press(app, f"{new}:send")
        assert ("asks the same" in errors(app)) == (reason != asked)
    (item,) = list_roundtable(desk.ws)
    assert (item.problem, item.reason, item.opened_by) == ("p2", asked, "mei")
    app.selectbox(key=f"item:{item.id}:to").select("lee")
    assert "· for lee" in said(press(app, f"item:{item.id}:assign"))
    app.segmented_control(key="t_state").set_value("mine").run()
    assert "Nothing is assigned to you" in said(app)
    app.selectbox(key="user").select("lee").run()
    assert "no resolution was chosen" in errors(press(app, f"item:{item.id}:settle"))
    app.selectbox(key=f"item:{item.id}:as").select("query_ambiguous")
    app.text_input(key=f"item:{item.id}:note").set_value("say units")
    press(app, f"item:{item.id}:settle")
    app.segmented_control(key="t_state").set_value("settled").run()
    assert "the query is ambiguous: say units" in said(app)
    (settled,) = list_roundtable(desk.ws)
    assert (settled.resolution, settled.resolved_by, settled.assigned_to) == ("query_ambiguous", "lee", "lee")
    with pytest.raises(ContentError, match="was settled as query_ambiguous by lee"):
        assign_item(desk.ws, item.id, to="mei")
