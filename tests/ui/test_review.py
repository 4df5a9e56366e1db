"""Reviewing in the app: what keeps a revision from being accepted is said, and comments are counted by kind."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from authoring.store import dry_runs, problemsets, revisions
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
from authoring.ui.comments.set_comments import count_by_kind
from authoring.ui.editor.reviewed import unticked_words
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
TEXT = '# %%\n"""\nquery: What is one?\n"""\n1\n'


def sound_set(ws: Workspace, author: str = "lee") -> Revision:
    """A problemset of one problem whose stored dry run passes."""
    revision = problemsets.create(ws, name="sound", text=TEXT, author=author, origin=Origin.PERSON)
    summary = {"scoring_version": SCORING_VERSION}
    passes = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT")
    dry_runs.save(
        ws, revision_id=revision.id, environment=environment_id(), sandbox="none", problems=[passes], summary=summary
    )
    return revision


def test_a_blocking_comment_disables_accept_and_says_so(
    open_page: Open, open_tab: Open, workspace: Workspace, said: Said
) -> None:
    made = sound_set(workspace)
    key = f"set:{made.id}:accept"
    app = open_page("problemset", set=made.problemset_id)
    assert not app.button(key=key).disabled
    assert app.button(key=key).label == "Accept revision 1"
    app = open_tab("problemset", "Comments", set=made.problemset_id)
    talk = f"comment:{made.problemset_id}:"
    app.text_area(key=f"{talk}:text").set_value("one is no number")
    app.selectbox(key=f"{talk}:kind").select("ambiguous")
    app.checkbox(key=f"{talk}:blocking").check()
    app.button(key=f"{talk}:send").click().run()
    (comment,) = list_comments(workspace, made.problemset_id)
    assert (comment.blocking, comment.kind, app.checkbox(key=f"{talk}:blocking").value) == (True, "ambiguous", False)
    assert app.button(key=key).disabled
    assert "omment 1 by mei on the whole set blocks accepting" in app.button(key=key).help
    tabs = f"tabs:set:{made.problemset_id}"
    assert app.session_state[tabs] == "Comments (1)"  # the tab has another label and stays open
    app.button(key=f"comment:{comment.id}:resolve").click().run()
    assert not app.button(key=key).disabled
    assert app.session_state[tabs] == "Comments"
    assert app.button(key=f"comment:{comment.id}:reopen")


def test_a_reviewer_ticks_what_was_read_and_a_changed_problem_has_no_tick(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    made = sound_set(workspace, author="lee")
    key = f"reviewed:{made.problemset_id}:p1"
    app = open_page("editor", set=made.problemset_id)
    assert "Reviewed 0 of 1" in said(app)
    app.checkbox(key=key).check().run()
    assert "Reviewed 1 of 1" in said(app)
    changed = revisions.save(
        workspace,
        made.problemset_id,
        made.text.replace("query: ", "query: Now, "),
        base_revision_id=made.id,
        author="lee",
    )
    app = open_page("editor", set=made.problemset_id)
    assert "Reviewed 0 of 1" in said(app)
    assert not app.checkbox(key=key).value
    unticked = "it is accepted though you have ticked 0 of 1 problem of sound as Reviewed"
    assert unticked_words(changed) == unticked
    app.checkbox(key=key).check().run()
    assert unticked_words(changed) == ""
    app.checkbox(key=key).uncheck().run()
    assert unticked_words(changed) == unticked


def test_an_accepted_set_offers_to_release_it_and_says_how_much_was_ticked(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    made = sound_set(workspace, author="lee")
    app = open_page("editor", set=made.problemset_id)
    offered = "Release it"
    assert offered not in [link.proto.label for link in app.main.get("page_link")]
    app.button(key=f"editor:{made.id}:accept").click().run()
    assert "it is accepted though you have ticked 0 of 1 problem of sound as Reviewed" in said(app)
    for page in (app, open_page("problemset", set=made.problemset_id)):
        assert offered in [link.proto.label for link in page.get("page_link")]


def test_resolving_sends_the_reply_that_was_typed_and_closes_its_field(
    open_tab: Open, workspace: Workspace, said: Said
) -> None:
    made = sound_set(workspace)
    asked = [add_comment(workspace, revision_id=made.id, author="lee", text=text) for text in ("is it?", "why?")]
    app = open_tab("problemset", "Comments", set=made.problemset_id)
    for comment, reply in zip(asked, ("now it is", ""), strict=True):
        app.button(key=f"comment:{comment}:reply").click().run()
        app.text_area(key=f"comment:{comment}:reply:text").set_value(reply)
        assert "Sends the reply" in app.button(key=f"comment:{comment}:resolve").help
        app.button(key=f"comment:{comment}:resolve").click().run()
        assert not app.error
        assert f"comment:{comment}:reply:send" not in {button.key for button in app.button}
    answers = [([reply.text for reply in each.replies], each.resolved_by) for each in list_comments(workspace, 1)]
    assert answers == [(["now it is"], "mei"), ([], "mei")]


def test_accepting_names_the_comments_that_are_open(open_page: Open, workspace: Workspace, said: Said) -> None:
    made = sound_set(workspace, author="lee")
    add_comment(workspace, revision_id=made.id, author="Ada", text="is it?", problem="p1")
    done = add_comment(workspace, revision_id=made.id, author="Bo", text="well", problem="p1")
    resolve_comment(workspace, done, by="Bo")
    told = "1 open comment, by Ada on problem 1"
    app = open_page("editor", set=made.problemset_id)
    for page, key in ((app, "editor"), (open_page("problemset", set=made.problemset_id), "set")):
        assert told in page.button(key=f"{key}:{made.id}:accept").help
    app.button(key=f"editor:{made.id}:accept").click().run()
    assert f"sound is accepted with {told}" in said(app)


def test_submitting_names_the_problems_that_fail(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id)
    submit = app.button(key=f"editor:{draft.problemset_id}:submit")
    assert "though problem 2 fails" in submit.help
    submit.click().run()
    assert problemsets.find(workspace, draft.problemset_id).status == "submitted"
    assert "in what you submitted problem 2 fails" in said(app)


def test_where_a_second_person_must_accept_the_author_cannot(open_page: Open, workspace: Workspace) -> None:
    made = sound_set(workspace, author="mei")
    require_second_person(workspace, True)
    app = open_page("problemset", set=made.problemset_id)
    assert app.button(key=f"set:{made.id}:accept").disabled
    assert "a second person must accept it" in app.button(key=f"set:{made.id}:accept").help
    from authoring.ui.actions import accept

    accept(made.id)  # what a click on a screen from before the rule would call
    assert problemsets.find(workspace, made.problemset_id).status == "draft"


def test_why_a_set_was_sent_back_stands_on_its_pages_until_it_is_submitted_again(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    made = sound_set(workspace)
    told = "Sent back by lee"
    record_decision(workspace, revision_id=made.id, decision="sent_back", by="lee", reason="one is no number")
    for page in ("editor", "problemset"):
        shown = said(open_page(page, set=made.problemset_id))
        assert (told in shown, shown.count("one is no number")) == (True, 1)
    repaired = made.text.replace("query: ", "query: Now, ")
    head = revisions.save(workspace, made.problemset_id, repaired, base_revision_id=made.id, author="mei")
    assert told in said(open_page("editor", set=made.problemset_id))
    problemsets.submit(workspace, made.problemset_id, base_revision_id=head.id)
    for page in ("editor", "problemset"):
        assert told not in said(open_page(page, set=made.problemset_id))


def test_why_a_set_was_sent_back_does_not_return_with_a_save_after_it_was_submitted_again(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    made = sound_set(workspace)
    record_decision(workspace, revision_id=made.id, decision="sent_back", by="lee", reason="one is no number")
    problemsets.submit(workspace, made.problemset_id, base_revision_id=made.id)
    repaired = made.text.replace("query: ", "query: Now, ")
    head = revisions.save(workspace, made.problemset_id, repaired, base_revision_id=made.id, author="mei")
    for page in ("editor", "problemset"):
        assert "Sent back by lee" not in said(open_page(page, set=made.problemset_id))
    record_decision(workspace, revision_id=head.id, decision="sent_back", by="lee", reason="nor is two")
    assert "nor is two" in said(open_page("problemset", set=made.problemset_id))


def test_comments_are_counted_by_kind_and_state(workspace: Workspace, open_tab: Open, said: Said) -> None:
    made = sound_set(workspace)
    for kind, blocking in (("ambiguous", True), ("ambiguous", False), ("other", False)):
        add_comment(workspace, revision_id=made.id, author="lee", text="?", kind=kind, blocking=blocking, problem="p1")
    counts = count_by_kind(list_comments(workspace, made.problemset_id))
    assert counts == {"ambiguous": {"blocking": 1, "open": 1}, "other": {"open": 1}}
    app = open_tab("problemset", "Comments", set=made.problemset_id)
    assert "**3 open comments** of 3" in said(app)
    assert "Problem 1, p1" in {each.proto.label for each in app.main.get("page_link")}


def test_what_was_typed_just_before_submit_is_not_left_out_silently(
    open_page: Callable[..., AppTest], draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("sales.units.max()")
    app.button(key=f"editor:{draft.problemset_id}:submit").click().run()  # both come with one request
    assert "you have unsaved changes" in app.error[0].value
    assert problemsets.find(workspace, draft.problemset_id).status == "draft"
    app.button(key=f"save:{draft.problemset_id}").click().run()
    app.button(key=f"editor:{draft.problemset_id}:submit").click().run()
    assert problemsets.find(workspace, draft.problemset_id).status == "submitted"


def test_what_was_typed_just_before_accept_is_not_left_out_and_compare_sees_it_too(
    open_page: Open, workspace: Workspace
) -> None:
    made = sound_set(workspace)
    app = open_page("editor", set=made.problemset_id, pid="p1")
    app.text_area[1].set_value("1 + 0")
    app.button(key=f"editor:{made.id}:accept").click().run()  # both come with one request
    assert "you have unsaved changes" in app.error[0].value
    assert problemsets.find(workspace, made.problemset_id).status == "draft"
    newer = revisions.save(
        workspace, made.problemset_id, TEXT.replace("one", "1"), base_revision_id=made.id, author="lee"
    )
    app = open_page("compare", set=made.problemset_id)
    assert app.button(key=f"compare:{newer.id}:accept").disabled
    assert "unsaved changes" in app.button(key=f"compare:{newer.id}:accept").help
