"""The Queue page: filters in the address, claims and their ends, what comes next, the table to download."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, jobs, problemsets, revisions
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
from tests.ui.row_lists import heads, names, pick, rows

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
SaveDryRun = Callable[..., None]


@pytest.fixture
def people(workspace: Workspace) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])


def warnings(app: AppTest) -> list[str]:
    """What the page warns of; messages of the last press come first."""
    return [warning.value.replace("\\", "") for warning in app.warning]


def test_filters_narrow_the_list(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    other = problemsets.create(workspace, name="other", text="# %%\n1\n", author="lee", origin=Origin.PERSON)
    lease_problemset(workspace, other.problemset_id, holder="mei")
    app = open_page("queue")
    assert len(names(app)) == 2
    app.selectbox(key="q_sort").select("name").run()
    assert names(app) == ["other", "shop-sales"]
    app.selectbox(key="q_sort").select("failing checks").run()
    assert names(app) == ["shop-sales", "other"]
    app.selectbox(key="q_owner").select("me").run()
    assert names(app) == ["other"]
    app.selectbox(key="q_owner").select("nobody").run()
    app.selectbox(key="q_family").select("template").run()
    assert names(app) == ["shop-sales"]
    app.checkbox(key="q_suspect").check().run()
    assert names(app) == []


def test_a_search_links_to_the_problems_it_found(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    add_comment(workspace, revision_id=draft.id, author="lee", text="<b>which</b> shop?", problem="p2")
    app = open_page("queue")
    app.text_input(key="q_text").set_value("shop").run()
    hits = [link.proto for link in app.get("page_link") if "p1" in link.proto.label or "p2" in link.proto.label]
    assert len(hits) == 3
    assert all("pid=p" in hit.query_string for hit in hits)


def test_a_claim_is_shown_with_its_end_and_released(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("problemset", set=draft.problemset_id)
    app.button(key=f"claim:{draft.problemset_id}").click().run()
    assert "you, 30 minutes left" in said(app)
    assert "you, 30 minutes left" in said(open_page("queue"))
    assign_problemset(workspace, draft.problemset_id, holder="mei", lease_s=100)
    app = open_page("problemset", set=draft.problemset_id)
    assert "Your claim ends in 2 minutes" in said(app)
    assert "Your claim ends in 2 minutes" in said(open_page("editor", set=draft.problemset_id))
    app.button(key=f"claim:{draft.problemset_id}:release").click().run()
    assert problemsets.find(workspace, draft.problemset_id).holder is None
    app.button(key=f"claim:{draft.problemset_id}").click().run()
    assign_problemset(workspace, draft.problemset_id, holder="lee")
    app.button(key=f"claim:{draft.problemset_id}:release").click().run()
    assert "nothing to give back" in app.warning[0].value
    assert problemsets.find(workspace, draft.problemset_id).holder == "lee"


def test_a_maintainer_assigns_a_set_to_somebody(
    open_page: Open, draft: Revision, workspace: Workspace, people: None, said: Said
) -> None:
    app = open_page("problemset", set=draft.problemset_id)
    app.selectbox(key=f"claim:{draft.problemset_id}:assign").select("lee")
    app.button(key=f"claim:{draft.problemset_id}:assign:send").click().run()
    assert problemsets.find(workspace, draft.problemset_id).holder == "lee"
    assert "lee, 24 hours left" in said(app)
    app.selectbox(key=f"claim:{draft.problemset_id}:assign").select("lee")
    set_setting(workspace, "annotator_names", ["mei"])  # on a screen that still offers who was removed
    app.button(key=f"claim:{draft.problemset_id}:assign:send").click().run()
    assert "is nobody here any more" in app.error[0].value


def test_several_sets_are_accepted_assigned_and_tagged_at_once(
    open_page: Open, draft: Revision, workspace: Workspace, people: None, save_dry_run: SaveDryRun, said: Said
) -> None:
    sound = problemsets.create(workspace, name="sound", text=draft.text, author="lee", origin=Origin.PERSON)
    save_dry_run(sound.id)
    add_tag(workspace, [sound.problemset_id], "week 3", by="lee")
    new, newer = (
        problemsets.create(workspace, name=name, text=draft.text, author="lee", origin=Origin.PERSON)
        for name in ("new", "newer")
    )
    app = open_page("queue")
    assert app.button(key="queue:bulk:accept").disabled
    app.button(key="queue:bulk:all").click().run()
    app.button(key="queue:bulk:accept").click().run()
    assert problemsets.find(workspace, "sound").status == "draft"
    first, second, asked = warnings(app)[:3]
    assert "cannot be accepted: 2 sets (newer, new): the newest revision has no dry run that still holds" in first
    assert "cannot be accepted: 1 set (shop-sales): the newest revision is not fit to be accepted" in second
    assert "nothing is accepted yet" in asked
    assert "sound (not submitted, 0 of 2 problems reviewed by you)" in asked
    everything = list(rows(app, "Problemsets"))
    pick(app, "Problemsets", [key for key in everything if key != str(new.problemset_id)])
    assert app.button(key="queue:bulk:accept").label == "Accept"  # for other sets it was not pressed yet
    pick(app, "Problemsets", everything)
    assert app.button(key="queue:bulk:accept").label == "Accept unreviewed too"
    app.button(key="queue:bulk:accept").click().run()
    statuses = {name: problemsets.find(workspace, name).status for name in ("sound", "shop-sales", "new")}
    assert statuses == {"sound": "accepted", "shop-sales": "draft", "new": "draft"}
    told = said(app).replace("\\", "")
    assert "accepted 1 set (sound)" in told
    assert "accepted without all your ticks Reviewed: 1 set (sound)" in told
    assert "not accepted: 1 set (shop-sales): the newest revision is not fit to be accepted" in told
    assert "To fix it: repair the code, its limits or its validators" in told
    assert "not accepted: 2 sets (newer, new): the newest revision has no dry run that still holds" in told
    assert "To fix it: press Dry run in the line above the list, and wait for it" in told
    assert "3 of 4 selected" in said(app)  # what was accepted is done with

    app.selectbox(key="queue:bulk:person").select("lee")
    app.button(key="queue:bulk:person:send").click().run()
    holders = [problemsets.find(workspace, name).holder for name in ("sound", "shop-sales", "new")]
    assert holders == [None, "lee", "lee"]

    pick(app, "Problemsets", [new.problemset_id, newer.problemset_id])
    app.selectbox(key="queue:bulk:tag").set_value("week 3")
    app.button(key="queue:bulk:tag:add").click().run()
    assert problemsets.find(workspace, new.problemset_id).tags == ("week 3",)
    app.selectbox(key="q_tag").select("week 3").run()
    assert set(names(app)) == {"sound", "new", "newer"}
    app.selectbox(key="queue:bulk:tag").set_value("week 3")
    app.button(key="queue:bulk:tag:remove").click().run()
    assert problemsets.find(workspace, newer.problemset_id).tags == ()


def test_what_cannot_be_accepted_says_so_before_anything_is_asked(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("queue")
    pick(app, "Problemsets", [draft.problemset_id])
    app.button(key="queue:bulk:accept").click().run()
    refused = warnings(app)[0]
    assert "not accepted: 1 set (shop-sales): the newest revision is not fit to be accepted" in refused
    assert "shop-sales: problem 2 fails: the reference does not pass its own validators: CRASH" in marked(app)
    assert app.button(key="queue:bulk:accept").label == "Accept"


def marked(app: AppTest) -> str:
    return "\n".join(each.value.replace("\\", "") for each in app.caption)


def ways(app: AppTest) -> dict[str, str]:
    """Label -> parameters of the links of a page."""
    return {each.proto.label: each.proto.query_string for each in app.get("page_link")}


def many_failing(workspace: Workspace, save_dry_run: SaveDryRun, count: int) -> Revision:
    """A set of which all problems fail, with a comment on the last one, and one on the whole set."""
    cells = [f'# %%\n"""\nquery: What is {number}?\n"""\n{number}\n' for number in range(1, count + 1)]
    made = problemsets.create(workspace, name="many", text="\n".join(cells), author="lee", origin=Origin.PERSON)
    failing = [DryRunProblem(each, f"p{each}", 0.01, "CRASH", "WRONG_OUTPUT") for each in range(1, count + 1)]
    save_dry_run(made.id, failing)
    add_comment(workspace, revision_id=made.id, author="lee", text="why?", problem=f"p{count}")
    add_comment(workspace, revision_id=made.id, author="ann", text="who?")
    return made


def test_accept_names_the_failing_problems_and_open_comments_of_several_sets_with_links(
    open_page: Open, draft: Revision, workspace: Workspace, save_dry_run: SaveDryRun
) -> None:
    made = many_failing(workspace, save_dry_run, 8)
    app = open_page("queue")
    app.button(key="queue:bulk:all").click().run()
    app.button(key="queue:bulk:accept").click().run()
    told = marked(app)
    assert "many: problems 1, 2, 3, 4, 5 and 3 more fail: problem 1 (p1): the reference does not pass" in told
    assert "; 2 open comments, by lee on problem 8, by ann on the whole set" in told
    assert "shop-sales: problem 2 fails" in told
    links = ways(app)
    assert [f"Problem {number}" in links for number in (1, 5, 6, 8)] == [True, True, False, True]
    assert links["Problem 8"] == f"set={made.problemset_id}&pid=p8"


def test_what_is_accepted_with_open_comments_says_so(
    open_page: Open, draft: Revision, workspace: Workspace, save_dry_run: SaveDryRun
) -> None:
    save_dry_run(draft.id)
    add_comment(workspace, revision_id=draft.id, author="lee", text="why?", problem="p2")
    app = open_page("queue")
    pick(app, "Problemsets", [draft.problemset_id])
    for _ in range(2):
        app.button(key="queue:bulk:accept").click().run()
    assert problemsets.find(workspace, draft.problemset_id).status == "accepted"
    assert any("accepted with open comments: 1 set" in each.value.replace("\\", "") for each in app.info)
    assert "shop-sales: 1 open comment, by lee on problem 2" in marked(app)
    assert ways(app)["Problem 2"] == f"set={draft.problemset_id}&pid=p2"


def test_submit_names_the_failing_problems_and_open_comments_of_several_sets_with_links(
    open_page: Open, draft: Revision, workspace: Workspace, save_dry_run: SaveDryRun
) -> None:
    many_failing(workspace, save_dry_run, 8)
    whole = problemsets.create(workspace, name="whole", text=draft.text, author="lee", origin=Origin.PERSON)
    add_comment(workspace, revision_id=whole.id, author="lee", text="why?", problem="p1")
    app = open_page("queue")
    app.button(key="queue:bulk:all").click().run()
    app.button(key="queue:bulk:submit").click().run()
    assert "submitted, though something fails: 2 sets (many, shop-sales)" in warnings(app)[0]
    assert "a set that fails is not accepted" in warnings(app)[0]
    assert "many: problems 1, 2, 3, 4, 5 and 3 more fail" in marked(app)
    assert "submitted with open comments: 1 set (whole)" in app.info[0].value.replace("\\", "")
    assert "whole: 1 open comment, by lee on problem 1" in marked(app)
    assert "Problem 1" in ways(app)


def test_what_changed_since_the_list_was_drawn_says_what_to_do_in_the_list(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("queue")
    changed = draft.text.replace("in each shop", "in a shop")
    for button in ("submit", "accept", "reason:send"):
        head = problemsets.find(workspace, draft.problemset_id).head_revision_id
        pick(app, "Problemsets", [draft.problemset_id])
        changed += "# more\n"
        revisions.save(workspace, draft.problemset_id, changed, base_revision_id=head, author="lee")
        if button == "reason:send":
            app.text_area(key="queue:bulk:reason").set_value("name the shops")
        app.button(key=f"queue:bulk:{button}").click().run()
        told = warnings(app)[0]
        assert "it was changed since this list was drawn" in told
        assert "open the set, look at what is new, then select it here and press the button again" in told
        assert ways(app)["What is new"] == f"set={draft.problemset_id}&a={head}"
        assert problemsets.find(workspace, draft.problemset_id).status == "draft"


def test_a_dry_run_is_ordered_for_each_chosen_set_and_those_with_one_on_its_way_are_named(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    other = problemsets.create(workspace, name="other", text=draft.text, author="lee", origin=Origin.PERSON)
    third = problemsets.create(workspace, name="third", text=draft.text, author="lee", origin=Origin.PERSON)
    open_page("problemset", set=other.problemset_id).button(key=f"set:{other.problemset_id}:dry_run").click().run()
    app = open_page("queue")
    assert app.button(key="queue:bulk:dry_run").disabled
    pick(app, "Problemsets", [draft.problemset_id, other.problemset_id])
    app.button(key="queue:bulk:dry_run").click().run()
    told = said(app).replace("\\", "")
    assert "ordered a dry run of 1 set (shop-sales)" in told
    assert "not ordered again: 1 set (other): a dry run of the newest revision is on its way" in told
    found = jobs.select(workspace)
    assert sorted(job.payload["revision_id"] for job in found) == [draft.id, other.id]
    assert {job.kind for job in found} == {"dry_run"}
    assert ways(app)["Jobs"] == "view=jobs"
    assert "2 of 3 selected" in said(app)  # what passes is accepted next
    newer = revisions.save(
        workspace, third.problemset_id, f"{third.text}# more\n", base_revision_id=third.id, author="lee"
    )
    pick(app, "Problemsets", [third.problemset_id])
    app.button(key="queue:bulk:dry_run").click().run()
    assert newer.id in {job.payload["revision_id"] for job in jobs.select(workspace)}


def test_a_dry_run_of_several_sets_is_for_annotators_and_reviewers(
    sign_in: Callable[..., AppTest], draft: Revision, workspace: Workspace
) -> None:
    give_roles(workspace, "ann@example.org", ["maintainer"])
    for role, there in (("annotator", True), ("reviewer", True), ("evaluator", False)):
        give_roles(workspace, f"{role}@example.org", [role])
        keys = {button.key for button in sign_in(f"{role}@example.org").button}
        assert ("queue:bulk:dry_run" in keys) == there


def test_several_sets_are_submitted_and_sent_back_with_a_reason_at_once(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    other = problemsets.create(workspace, name="other", text=draft.text, author="lee", origin=Origin.PERSON)
    problemsets.submit(workspace, other.problemset_id, base_revision_id=other.id)
    assign_problemset(workspace, draft.problemset_id, holder="mei")
    app = open_page("queue")
    app.button(key="queue:bulk:all").click().run()
    app.button(key="queue:bulk:submit").click().run()
    assert problemsets.find(workspace, "shop-sales").status == "submitted"
    told = said(app).replace("\\", "")
    assert "submitted 1 set (shop-sales)" in told
    assert "not submitted: 1 set (other): it is submitted already" in told
    assert problemsets.find(workspace, "shop-sales").holder is None
    pick(app, "Problemsets", [draft.problemset_id, other.problemset_id])
    app.button(key="queue:bulk:reason:send").click().run()
    assert "a reason is needed" in app.error[0].value
    app.text_area(key="queue:bulk:reason").set_value("name the shops")
    app.button(key="queue:bulk:reason:send").click().run()
    assert "sent back 2 sets" in said(app)
    (decision,) = list_decisions(workspace, other.problemset_id)
    assert (decision.decision, decision.by, decision.reason) == ("sent_back", "mei", "name the shops")
    assert "0 of 2 selected" in said(app)


def test_a_set_with_unsaved_changes_of_ones_own_is_not_accepted_from_the_list(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    autosaves.save(
        workspace, person="mei", problemset_id=draft.problemset_id, problem="p1", field="code", text="1\n",
        base_revision_id=draft.id, writer="w", expected_saved_no=None,
    )  # fmt: skip
    app = open_page("queue")
    pick(app, "Problemsets", [draft.problemset_id])
    app.button(key="queue:bulk:accept").click().run()
    assert "you have unsaved changes" in app.warning[0].value
    assert "To fix it: open the set: there you save or drop them" in warnings(app)[0]
    assert ways(app)["Open the set"] == f"set={draft.problemset_id}"


def test_a_submitted_set_of_which_all_is_ticked_is_accepted_at_once(
    open_page: Open, draft: Revision, workspace: Workspace, save_dry_run: SaveDryRun
) -> None:
    save_dry_run(draft.id)
    problemsets.submit(workspace, draft.problemset_id, base_revision_id=draft.id)
    for problem in ("p1", "p2"):
        editor = open_page("editor", set=draft.problemset_id, pid=problem)
        editor.checkbox(key=f"reviewed:{draft.problemset_id}:{problem}").check().run()
    app = open_page("queue")
    pick(app, "Problemsets", [draft.problemset_id])
    app.button(key="queue:bulk:accept").click().run()
    assert problemsets.find(workspace, draft.problemset_id).status == "accepted"


def test_a_set_that_is_accepted_already_is_told_so(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="lee")
    app = open_page("queue")
    pick(app, "Problemsets", [draft.problemset_id])
    app.button(key="queue:bulk:accept").click().run()
    assert "it is accepted already" in app.warning[0].value
    assert "To fix it" not in app.warning[0].value


def test_the_badge_of_a_claim_says_what_it_means_and_submitting_gives_it_back(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    assign_problemset(workspace, draft.problemset_id, holder="lee")
    for page in ("editor", "problemset"):
        assert "lee works on this set. You may still read, edit and comment" in helps(open_page(page, set=1))
    app = open_page("editor", set=draft.problemset_id)
    app.button(key=f"editor:{draft.problemset_id}:submit").click().run()
    assert problemsets.find(workspace, draft.problemset_id).holder == "lee"  # only one's own claim
    assign_problemset(workspace, draft.problemset_id, holder="mei")
    for page in ("editor", "problemset"):
        assert "When it ends, and when you submit, others may take the set" in helps(open_page(page, set=1))
    app = open_page("problemset", set=draft.problemset_id)
    record_decision(workspace, revision_id=draft.id, decision="sent_back", by="lee", reason="no")
    app.run()
    app.button(key=f"set:{draft.problemset_id}:submit").click().run()
    assert problemsets.find(workspace, draft.problemset_id).holder is None


def helps(app: AppTest) -> str:
    """What the marks of a page say when the pointer is on them."""
    return " ".join(each.help or "" for each in app.markdown)


def test_next_for_me_claims_what_others_submitted_before_drafts(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    theirs = problemsets.create(workspace, name="theirs", text=draft.text, author="lee", origin=Origin.PERSON)
    problemsets.submit(workspace, theirs.problemset_id, base_revision_id=theirs.id)
    app = open_page("queue")
    app.button(key="queue:next").click().run()
    assert problemsets.find(workspace, theirs.problemset_id).holder == "mei"


def test_next_for_me_says_why_it_is_off(
    open_page: Open, sign_in: Callable[..., AppTest], draft: Revision, workspace: Workspace
) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="lee")
    button = open_page("queue").button(key="queue:next")
    assert button.disabled
    assert button.help == (
        "Off: nothing waits for you. There is no set that somebody else submitted, no draft and none that was sent "
        "back, or others have claimed them."
    )
    give_roles(workspace, "ann@example.org", ["maintainer"])
    give_roles(workspace, "eva@example.org", ["evaluator"])
    told = sign_in("eva@example.org").button(key="queue:next").help
    assert told == "Off: it is for annotators and reviewers, and your roles include neither."


def test_the_table_to_download_starts_no_formula(workspace: Workspace) -> None:
    made = problemsets.create(workspace, name="shop", text="# %%\n1\n", author="lee", origin=Origin.PERSON)
    lease_problemset(workspace, made.problemset_id, holder="=cmd()")
    lines = queue_table(workspace, QueueFilter()).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("name,status,revision")
    assert lines[1].startswith("shop,draft,1,0,0,'=cmd(),")


def test_threads_that_mention_the_person_are_links(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("queue")
    assert not [box for box in app.expander if "mention" in box.label]
    add_comment(workspace, revision_id=draft.id, author="lee", text="@mei <b>why</b>?", problem="p2", people=["mei"])
    app.run()
    (box,) = [box for box in app.expander if "mention" in box.label]
    assert box.label == "Comments that mention or answer you: 1"
    app.session_state["queue:mentions"] = True
    app.run()
    assert [link.proto.label for link in app.get("page_link") if "lee" in link.proto.label] != []


def test_the_list_has_heads_and_filters_that_match_nothing_are_cleared_by_a_button(
    open_page: Open, draft: Revision, said: Callable[[AppTest], str]
) -> None:
    app = open_page()
    app.text_input(key="q_text").set_value("nowhere").run()
    app.segmented_control(key="q_status").set_value("accepted").run()
    app.checkbox(key="q_suspect").check().run()
    assert names(app) == []
    assert "No problemset matches the filters" in said(app)
    app.button(key="queue:clear").click().run()
    assert names(app) == ["shop-sales"]
    assert heads(app, "Problemsets") == ["Problemset", "Status", "Last dry run", "Who works on it, and its last change"]


def test_a_draft_that_a_program_made_is_told_to_be_its_work(
    open_page: Open, draft: Revision, said: Callable[[AppTest], str]
) -> None:
    assert "Revision 1 by the template author" in said(open_page("problemset", set=draft.problemset_id))
    assert "revision 1 by the template author" in said(open_page("editor", set=draft.problemset_id))
