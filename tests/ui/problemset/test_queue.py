"""The Queue page: filters in the address, claims and their ends, what comes next, the table to download."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from authoring.store import jobs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.people import give_roles
from authoring.store.reviewing.leases import assign_problemset, lease_problemset
from authoring.store.reviewing.queue import QueueFilter
from authoring.store.reviewing.reviews import add_comment, list_decisions, record_decision
from authoring.store.reviewing.tags import add_tag
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.queue.queueing import queue_table
from tests.ui.acts import Open, boxes, errors, page_links, press, said
from tests.ui.conftest import TEXT
from tests.ui.problemset.acts import Desk, judge, warnings
from tests.ui.problemset.test_review import sound_set
from tests.ui.row_lists import heads, names, pick, rows

SETS = "Problemsets"


def create(ws: Workspace, name: str, text: str = TEXT) -> Revision:
    return problemsets.create(ws, name=name, text=text, author="lee", origin=Origin.PERSON)


def status(ws: Workspace, name: str = "shop-sales") -> str:
    return problemsets.find(ws, name).status


def pick_sets(app: AppTest, *revisions: Revision) -> None:
    pick(app, SETS, [each.problemset_id for each in revisions])


def notes(app: AppTest) -> str:
    """What stands in small letters."""
    return "\n".join(each.value.replace("\\", "") for each in app.caption)


def helps(app: AppTest) -> str:
    """What the marks of a page say when the pointer is on them."""
    return " ".join(each.help or "" for each in app.markdown)


def test_filters_narrow_the_list_and_are_cleared_by_a_button(desk: Desk) -> None:
    lease_problemset(desk.ws, create(desk.ws, "other", "# %%\n1\n").problemset_id, holder="mei")
    app = desk.open("queue")
    assert heads(app, SETS) == ["Problemset", "Status", "Last dry run", "Who works on it, and its last change"]
    app.selectbox(key="q_sort").select("name").run()
    assert names(app) == ["other", "shop-sales"]
    app.selectbox(key="q_sort").select("failing checks").run()
    assert names(app) == ["shop-sales", "other"]
    app.selectbox(key="q_owner").select("me").run()
    assert names(app) == ["other"]
    app.selectbox(key="q_owner").select("nobody")
    app.selectbox(key="q_family").select("template").run()
    assert names(app) == ["shop-sales"]
    app.checkbox(key="q_suspect").check().run()
    assert names(app) == []
    app.text_input(key="q_text").set_value("nowhere")
    app.segmented_control(key="q_status").set_value("accepted").run()
    assert "No problemset matches the filters" in said(app)
    press(app, "queue:clear")
    assert set(names(app)) == {"shop-sales", "other"}


def test_a_search_links_to_its_problems_and_threads_that_mention_one_too(desk: Desk) -> None:
    app = desk.open("queue")
    assert not [box for box in boxes(app) if "mention" in box]
    asked = "@mei <b>which</b> shop?"
    add_comment(desk.ws, revision_id=desk.draft.id, author="lee", text=asked, problem="p2", people=["mei"])
    app.session_state["queue:mentions"] = True
    app.run()
    assert "Comments that mention or answer you: 1" in boxes(app)
    assert [label for label in page_links(app) if "lee" in label] != []
    app.text_input(key="q_text").set_value("shop").run()
    hits = [link.proto for link in app.get("page_link") if "p1" in link.proto.label or "p2" in link.proto.label]
    assert len(hits) == 3
    assert all("pid=p" in hit.query_string for hit in hits)


def test_a_claim_is_shown_with_its_end_and_released(desk: Desk) -> None:
    claim = f"claim:{desk.number}"
    app = press(desk.page(), claim)
    assert "you, 30 minutes left" in said(app)
    assert "you, 30 minutes left" in said(desk.open("queue"))
    assign_problemset(desk.ws, desk.number, holder="mei", lease_s=100)
    for page in (app.run(), desk.editor("")):
        assert "Your claim ends in 2 minutes" in said(page)
    press(app, f"{claim}:release")
    assert problemsets.find(desk.ws, desk.number).holder is None
    press(app, claim)
    assign_problemset(desk.ws, desk.number, holder="lee")
    press(app, f"{claim}:release")
    assert "nothing to give back" in warnings(app)
    assert problemsets.find(desk.ws, desk.number).holder == "lee"


def test_a_maintainer_assigns_a_set_to_somebody(desk: Desk) -> None:
    set_setting(desk.ws, "annotator_names", ["mei", "lee"])
    assign = f"claim:{desk.number}:assign"
    app = desk.page()
    app.selectbox(key=assign).select("lee")
    press(app, f"{assign}:send")
    assert problemsets.find(desk.ws, desk.number).holder == "lee"
    assert "lee, 24 hours left" in said(app)
    app.selectbox(key=assign).select("lee")
    set_setting(desk.ws, "annotator_names", ["mei"])  # on a screen that still offers who was removed
    press(app, f"{assign}:send")
    assert "is nobody here any more" in errors(app)


def test_several_sets_are_accepted_assigned_and_tagged_at_once(desk: Desk) -> None:
    set_setting(desk.ws, "annotator_names", ["mei", "lee"])
    sound, new, newer = (create(desk.ws, name) for name in ("sound", "new", "newer"))
    judge(desk.ws, sound.id)
    add_tag(desk.ws, [sound.problemset_id], "week 3", by="lee")
    app = desk.open("queue")
    assert app.button(key="queue:bulk:accept").disabled
    press(app, "queue:bulk:all")
    press(app, "queue:bulk:accept")
    assert status(desk.ws, "sound") == "draft"
    undated = "2 sets (newer, new): the newest revision has no dry run that still holds"
    unfit = "1 set (shop-sales): the newest revision is not fit to be accepted"
    first, second, asked = (each.value.replace("\\", "") for each in app.warning[:3])
    assert f"cannot be accepted: {undated}" in first
    assert f"cannot be accepted: {unfit}" in second
    assert "nothing is accepted yet" in asked
    assert "sound (not submitted, 0 of 2 problems reviewed by you)" in asked
    everything = list(rows(app, SETS))
    pick(app, SETS, [key for key in everything if key != str(new.problemset_id)])
    assert app.button(key="queue:bulk:accept").label == "Accept"  # for other sets it was not pressed yet
    pick(app, SETS, everything)
    assert app.button(key="queue:bulk:accept").label == "Accept unreviewed too"
    press(app, "queue:bulk:accept")
    assert [status(desk.ws, name) for name in ("sound", "shop-sales", "new")] == ["accepted", "draft", "draft"]
    for told in (
        "accepted 1 set (sound)",
        "accepted without all your ticks Reviewed: 1 set (sound)",
        f"not accepted: {unfit}",
        "To fix it: repair the code, its limits or its validators",
        f"not accepted: {undated}",
        "To fix it: press Dry run in the line above the list, and wait for it",
        "3 of 4 selected",  # what was accepted is done with
    ):
        assert told in said(app)

    app.selectbox(key="queue:bulk:person").select("lee")
    press(app, "queue:bulk:person:send")
    holders = [problemsets.find(desk.ws, name).holder for name in ("sound", "shop-sales", "new")]
    assert holders == [None, "lee", "lee"]

    pick_sets(app, new, newer)
    app.selectbox(key="queue:bulk:tag").set_value("week 3")
    press(app, "queue:bulk:tag:add")
    assert problemsets.find(desk.ws, "new").tags == ("week 3",)
    app.selectbox(key="q_tag").select("week 3").run()
    assert set(names(app)) == {"sound", "new", "newer"}
    app.selectbox(key="queue:bulk:tag").set_value("week 3")
    press(app, "queue:bulk:tag:remove")
    assert problemsets.find(desk.ws, "newer").tags == ()


def test_what_cannot_be_accepted_says_why_before_anything_is_asked(desk: Desk) -> None:
    edited, done = create(desk.ws, "edited"), create(desk.ws, "done")
    judge(desk.ws, edited.id)
    desk.keep("1\n", base=edited)
    record_decision(desk.ws, revision_id=done.id, decision="accepted", by="lee")
    app = desk.open("queue")
    pick_sets(app, desk.draft, edited, done)
    press(app, "queue:bulk:accept")
    texts = [each.value.replace("\\", "") for each in app.warning]
    told = {text.partition("): ")[0].rpartition("(")[2]: text for text in texts}
    assert "not accepted: 1 set (shop-sales): the newest revision is not fit to be accepted" in told["shop-sales"]
    assert "shop-sales: problem 2 fails: the reference does not pass its own validators: CRASH" in notes(app)
    assert "you have unsaved changes" in told["edited"]
    assert "To fix it: open the set: there you save or drop them" in told["edited"]
    opens = [each.proto.query_string for each in app.get("page_link") if each.proto.label == "Open the set"]
    assert f"set={edited.problemset_id}" in opens
    assert "it is accepted already" in told["done"]
    assert "To fix it" not in told["done"]
    assert app.button(key="queue:bulk:accept").label == "Accept"


def test_accept_and_submit_link_to_failing_problems_and_open_comments(desk: Desk) -> None:
    cells = [f'# %%\n"""\nquery: What is {number}?\n"""\n{number}\n' for number in range(1, 9)]
    many = create(desk.ws, "many", "\n".join(cells))
    judge(desk.ws, many.id, *(DryRunProblem(each, f"p{each}", 0.01, "CRASH", "WRONG_OUTPUT") for each in range(1, 9)))
    add_comment(desk.ws, revision_id=many.id, author="lee", text="why?", problem="p8")
    add_comment(desk.ws, revision_id=many.id, author="ann", text="who?")
    whole = create(desk.ws, "whole")
    add_comment(desk.ws, revision_id=whole.id, author="lee", text="why?", problem="p1")
    app = desk.open("queue")
    press(app, "queue:bulk:all")
    press(app, "queue:bulk:accept")
    assert "many: problems 1, 2, 3, 4, 5 and 3 more fail: problem 1 (p1): the reference does not pass" in notes(app)
    assert "; 2 open comments, by lee on problem 8, by ann on the whole set" in notes(app)
    assert "shop-sales: problem 2 fails" in notes(app)
    links = page_links(app)
    assert [f"Problem {number}" in links for number in (5, 6, 8)] == [True, False, True]
    assert links["Problem 8"] == f"set={many.problemset_id}&pid=p8"

    press(app, "queue:bulk:submit")
    assert "submitted, though something fails: 2 sets (many, shop-sales)" in warnings(app)
    assert "a set that fails is not accepted" in warnings(app)
    assert "many: problems 1, 2, 3, 4, 5 and 3 more fail" in notes(app)
    assert "submitted with open comments: 1 set (whole)" in app.info[0].value.replace("\\", "")
    assert "whole: 1 open comment, by lee on problem 1" in notes(app)
    assert "Problem 1" in page_links(app)


def test_what_is_submitted_and_ticked_is_accepted_at_once(open_page: Open, workspace: Workspace) -> None:
    made = sound_set(workspace)
    add_comment(workspace, revision_id=made.id, author="lee", text="why?", problem="p1")
    problemsets.submit(workspace, made.problemset_id, base_revision_id=made.id)
    open_page("editor", set=made.problemset_id).checkbox(key=f"reviewed:{made.problemset_id}:p1").check().run()
    app = open_page("queue")
    pick_sets(app, made)
    press(app, "queue:bulk:accept")
    assert status(workspace, "sound") == "accepted"
    assert "accepted with open comments: 1 set" in said(app)
    assert "sound: 1 open comment, by lee on problem 1" in notes(app)
    assert page_links(app)["Problem 1"] == f"set={made.problemset_id}&pid=p1"


def test_what_changed_since_the_list_was_drawn_says_what_to_do(desk: Desk) -> None:
    app = desk.open("queue")
    for button in ("submit", "accept", "reason:send"):
        seen = desk.head()
        pick_sets(app, desk.draft)
        desk.change(f"{seen.text}# more\n", base=seen)
        if button == "reason:send":
            app.text_area(key="queue:bulk:reason").set_value("name the shops")
        press(app, f"queue:bulk:{button}")
        assert "it was changed since this list was drawn" in warnings(app)
        assert "open the set, look at what is new, then select it here and press the button again" in warnings(app)
        assert page_links(app)["What is new"] == f"set={desk.number}&a={seen.id}"
        assert status(desk.ws) == "draft"


def test_a_dry_run_is_ordered_for_each_chosen_set_without_one_on_its_way(desk: Desk) -> None:
    other, third = create(desk.ws, "other"), create(desk.ws, "third")
    press(desk.open("problemset", set=other.problemset_id), f"set:{other.problemset_id}:dry_run")
    app = desk.open("queue")
    assert app.button(key="queue:bulk:dry_run").disabled
    pick_sets(app, desk.draft, other)
    newer = desk.change(f"{third.text}# more\n", base=third)
    press(app, "queue:bulk:dry_run")
    assert "ordered a dry run of 1 set (shop-sales)" in said(app)
    assert "not ordered again: 1 set (other): a dry run of the newest revision is on its way" in said(app)
    found = jobs.select(desk.ws)
    assert sorted(job.payload["revision_id"] for job in found) == [desk.draft.id, other.id]
    assert {job.kind for job in found} == {"dry_run"}
    assert page_links(app)["Jobs"] == "view=jobs"
    assert "2 of 3 selected" in said(app)  # what passes is accepted next
    pick_sets(app, third)
    press(app, "queue:bulk:dry_run")
    assert newer.id in {job.payload["revision_id"] for job in jobs.select(desk.ws)}


def test_several_sets_are_submitted_and_sent_back_with_a_reason_at_once(desk: Desk) -> None:
    other = create(desk.ws, "other")
    problemsets.submit(desk.ws, other.problemset_id, base_revision_id=other.id)
    assign_problemset(desk.ws, desk.number, holder="mei")
    app = desk.open("queue")
    press(app, "queue:bulk:all")
    press(app, "queue:bulk:submit")
    assert (status(desk.ws), problemsets.find(desk.ws, "shop-sales").holder) == ("submitted", None)
    assert "submitted 1 set (shop-sales)" in said(app)
    assert "not submitted: 1 set (other): it is submitted already" in said(app)
    pick_sets(app, desk.draft, other)
    press(app, "queue:bulk:reason:send")
    assert "a reason is needed" in errors(app)
    app.text_area(key="queue:bulk:reason").set_value("name the shops")
    press(app, "queue:bulk:reason:send")
    assert "sent back 2 sets" in said(app)
    (decision,) = list_decisions(desk.ws, other.problemset_id)
    assert (decision.decision, decision.by, decision.reason) == ("sent_back", "mei", "name the shops")
    assert "0 of 2 selected" in said(app)


def test_the_badge_of_a_claim_says_what_it_means_and_submitting_ends_it(desk: Desk) -> None:
    assign_problemset(desk.ws, desk.number, holder="lee")
    editor, page = (desk.open(name, set=desk.number) for name in ("editor", "problemset"))
    for app, made in ((editor, "revision 1"), (page, "Revision 1")):
        assert f"{made} by the template author" in said(app)
        assert "lee works on this set. You may still read, edit and comment" in helps(app)
    press(editor, f"editor:{desk.number}:submit")
    assert problemsets.find(desk.ws, desk.number).holder == "lee"  # only one's own claim
    assign_problemset(desk.ws, desk.number, holder="mei")
    record_decision(desk.ws, revision_id=desk.draft.id, decision="sent_back", by="lee", reason="no")
    for app in (editor.run(), page.run()):
        assert "When it ends, and when you submit, others may take the set" in helps(app)
    press(page, f"set:{desk.number}:submit")
    assert problemsets.find(desk.ws, desk.number).holder is None


def test_next_for_me_claims_what_others_submitted_before_drafts(desk: Desk) -> None:
    theirs = create(desk.ws, "theirs")
    problemsets.submit(desk.ws, theirs.problemset_id, base_revision_id=theirs.id)
    press(desk.open("queue"), "queue:next")
    assert problemsets.find(desk.ws, theirs.problemset_id).holder == "mei"


def test_dry_runs_and_the_next_set_are_for_annotators_and_reviewers(
    desk: Desk, sign_in: Callable[..., AppTest]
) -> None:
    record_decision(desk.ws, revision_id=desk.draft.id, decision="accepted", by="lee")
    button = desk.open("queue").button(key="queue:next")
    assert button.disabled
    assert button.help == (
        "Off: nothing waits for you. There is no set that somebody else submitted, no draft and none that was sent "
        "back, or others have claimed them."
    )
    give_roles(desk.ws, "ann@example.org", ["maintainer"])
    for role, there in (("annotator", True), ("reviewer", True), ("evaluator", False)):
        give_roles(desk.ws, f"{role}@example.org", [role])
        app = sign_in(f"{role}@example.org")
        assert ("queue:bulk:dry_run" in {each.key for each in app.button}) == there
    told = app.button(key="queue:next").help
    assert told == "Off: it is for annotators and reviewers, and your roles include neither."


def test_the_table_to_download_starts_no_formula(workspace: Workspace) -> None:
    made = create(workspace, "shop", "# %%\n1\n")
    lease_problemset(workspace, made.problemset_id, holder="=cmd()")
    lines = queue_table(workspace, QueueFilter()).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("name,status,revision")
    assert lines[1].startswith("shop,draft,1,0,0,'=cmd(),")
