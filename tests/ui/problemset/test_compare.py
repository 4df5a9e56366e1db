"""Compare: changed verdicts on top, texts, outputs and verdicts side by side, unsaved texts, restoring, deciding."""

import pytest

from authoring.revising.rebase import restore_revision
from authoring.store import jobs
from authoring.store.database.connections import ConflictError
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from tests.ui.acts import press, said
from tests.ui.conftest import stream, texts
from tests.ui.problemset.acts import Desk, judge


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


def test_unsaved_texts_of_two_people_are_compared_where_both_have_some(desk: Desk) -> None:
    desk.keep("Lee asks how many units?", field="query", person="lee")
    assert "There is only one revision" in said(desk.open("compare", set=desk.number))
    desk.keep("Mei asks how many units?", field="query")
    app = desk.open("compare", set=desk.number, a="unsaved:lee", b="unsaved:mei")
    sides = [app.selectbox(key=f"compare:{desk.number}:{side}").value for side in "ab"]
    assert sides == ["unsaved:lee", "unsaved:mei"]
    assert [heading.value for heading in app.header] == ["Problem 1"]
