"""Compare: changed verdicts on top, texts, outputs and verdicts side by side, unsaved texts, restoring, deciding."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.revising.rebase import restore_revision
from authoring.store import autosaves, dry_runs, jobs, problemsets, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def mended(draft: Revision, workspace: Workspace) -> Revision:
    """A second revision in which lee mended the problem that crashed; its dry run passes."""
    text = draft.text.replace("Which shop sold most?", "Which shop sold the most units?")
    second = revisions.save(workspace, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    problems = [
        DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=[stream("shop totals\n")]),
        DryRunProblem(2, "p2", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=[stream("shop a\n")]),
    ]
    dry_runs.save(
        workspace,
        revision_id=second.id,
        environment=environment_id(),
        sandbox="none",
        problems=problems,
        summary={"scoring_version": SCORING_VERSION},
    )
    return second


def stream(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def autosave(ws: Workspace, person: str, draft: Revision, text: str) -> None:
    autosaves.save(
        ws,
        person=person,
        problemset_id=draft.problemset_id,
        problem="p1",
        field="query",
        text=text,
        base_revision_id=draft.id,
        writer="w",
        expected_saved_no=None,
    )


def test_changed_verdicts_stand_above_each_view(open_page: Open, draft: Revision, mended: Revision, said: Said) -> None:
    app = open_page("compare", set=draft.problemset_id, a=draft.id, b=mended.id)
    assert "**1 problem with other verdicts**" in said(app)
    assert "p2: reference :red-badge[:material/bolt: CRASH] → :green-badge[:material/check: CORRECT]" in said(app)
    assert [heading.value for heading in app.header] == ["Problem 2"]
    app.segmented_control(key="compare:view").set_value("outputs").run()
    assert [heading.value for heading in app.header] == ["p2"]
    assert "The same on both sides: 1 problem." in said(app)
    assert app.query_params["view"] in ("outputs", ["outputs"])
    app.segmented_control(key="compare:view").set_value("verdicts").run()
    assert app.table[0].value["problem"].tolist() == ["p1", "p2"]


def test_the_newer_side_is_decided_on_only_while_it_is_the_head(
    open_page: Open, draft: Revision, mended: Revision, said: Said
) -> None:
    app = open_page("compare", set=draft.problemset_id, a=draft.id, b=mended.id)
    assert app.button(key=f"compare:{mended.id}:accept").label == "Accept revision 2"
    assert not app.button(key=f"compare:{mended.id}:accept").disabled
    app = open_page("compare", set=draft.problemset_id, a=mended.id, b=draft.id)
    assert "Revision 2 is the newest: decide on that one." in said(app)
    assert [button.key for button in app.button if button.key and button.key.endswith(":accept")] == []


def test_unsaved_texts_of_two_people_are_compared_where_both_have_some(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    set_setting(workspace, "plain_editors", {"mei": True})
    autosave(workspace, "lee", draft, "Lee asks how many units?")
    app = open_page("compare", set=draft.problemset_id)
    assert "There is only one revision" in said(app)
    autosave(workspace, "mei", draft, "Mei asks how many units?")
    app = open_page("compare", set=draft.problemset_id, a="unsaved:lee", b="unsaved:mei")
    sides = [app.selectbox(key=f"compare:{draft.problemset_id}:{side}").value for side in "ab"]
    assert sides == ["unsaved:lee", "unsaved:mei"]
    assert [heading.value for heading in app.header] == ["Problem 1"]


def test_an_older_revision_comes_back_as_a_new_one(
    open_page: Open, draft: Revision, mended: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("compare", set=draft.problemset_id, a=draft.id, b=mended.id)
    app.button(key=f"compare:{draft.id}:restore").click().run()
    assert "restored revision 1 as revision 3" in said(app)
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert (head.number, head.text, head.parent_id, head.author) == (3, draft.text, mended.id, "mei")
    assert [job.kind for job in jobs.select(workspace)] == ["dry_run"]
    with pytest.raises(ConflictError, match="newer than"):
        restore_revision(workspace, mended.id, by="mei", base_revision_id=mended.id)
