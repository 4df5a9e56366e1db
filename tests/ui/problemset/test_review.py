"""Reviewing in the app: what keeps a revision from being accepted is said, and comments are counted by kind."""

import pytest

from authoring.store import problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import (
    add_comment,
    list_comments,
    record_decision,
    require_second_person,
    resolve_comment,
)
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.actions import accept
from authoring.ui.comments.set_comments import count_by_kind
from authoring.ui.editor.reviewed import unticked_words
from tests.ui.acts import Open, errors, page_links, press, said
from tests.ui.problemset.acts import CODE, Desk, judge

TEXT = '# %%\n"""\nquery: What is one?\n"""\n1\n'


def sound_set(ws: Workspace, author: str = "lee") -> Revision:
    """A problemset of one problem whose stored dry run passes."""
    revision = problemsets.create(ws, name="sound", text=TEXT, author=author, origin=Origin.PERSON)
    judge(ws, revision.id, DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT"))
    return revision


@pytest.fixture
def sound(open_page: Open, workspace: Workspace) -> Desk:
    """The app, and such a set of lee's."""
    return Desk(workspace, sound_set(workspace), open_page)


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


def test_resolving_sends_the_reply_that_was_typed_and_closes_its_field(sound: Desk, open_tab: Open) -> None:
    asked = [add_comment(sound.ws, revision_id=sound.draft.id, author="lee", text=text) for text in ("is it?", "why?")]
    app = open_tab("problemset", "Comments", set=sound.number)
    for comment, reply in zip(asked, ("now it is", ""), strict=True):
        press(app, f"comment:{comment}:reply")
        app.text_area(key=f"comment:{comment}:reply:text").set_value(reply)
        assert "Sends the reply" in app.button(key=f"comment:{comment}:resolve").help
        press(app, f"comment:{comment}:resolve")
        assert not app.error
        assert f"comment:{comment}:reply:send" not in {button.key for button in app.button}
    answers = [([reply.text for reply in each.replies], each.resolved_by) for each in list_comments(sound.ws, 1)]
    assert answers == [(["now it is"], "mei"), ([], "mei")]


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


def test_where_a_second_person_must_accept_the_author_cannot(open_page: Open, workspace: Workspace) -> None:
    made = sound_set(workspace, author="mei")
    require_second_person(workspace, True)
    button = open_page("problemset", set=made.problemset_id).button(key=f"set:{made.id}:accept")
    assert button.disabled
    assert "a second person must accept it" in button.help
    accept(made.id)  # what a click on a screen from before the rule would call
    assert problemsets.find(workspace, made.problemset_id).status == "draft"


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
    later = sound.change(sound.text.replace("query: ", "query: And, "), "mei", base=again)
    assert told not in said(pages[1].run())  # nor does it return with a save
    record_decision(sound.ws, revision_id=later.id, decision="sent_back", by="lee", reason="nor is two")
    assert "nor is two" in said(pages[1].run())


def test_comments_are_counted_by_kind_and_state(sound: Desk, open_tab: Open) -> None:
    for kind, blocking in (("ambiguous", True), ("ambiguous", False), ("other", False)):
        add_comment(
            sound.ws, revision_id=sound.draft.id, author="lee", text="?", kind=kind, blocking=blocking, problem="p1"
        )
    counts = count_by_kind(list_comments(sound.ws, sound.number))
    assert counts == {"ambiguous": {"blocking": 1, "open": 1}, "other": {"open": 1}}
    app = open_tab("problemset", "Comments", set=sound.number)
    assert "**3 open comments** of 3" in said(app)
    assert "Problem 1, p1" in page_links(app)


def test_what_was_typed_just_before_accept_is_not_left_out(sound: Desk) -> None:
    app = sound.editor()
    app.text_area[CODE].set_value("1 + 0")
    press(app, f"editor:{sound.draft.id}:accept")  # both come with one request
    assert "you have unsaved changes" in errors(app)
    assert problemsets.find(sound.ws, sound.number).status == "draft"
    newer = sound.change(TEXT.replace("one", "1"))
    button = sound.open("compare", set=sound.number).button(key=f"compare:{newer.id}:accept")
    assert button.disabled
    assert "unsaved changes" in button.help
