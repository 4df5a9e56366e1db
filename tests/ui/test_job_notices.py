"""Jobs say what they are about, and the notice of one that came to nothing can be put away."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from authoring.store import jobs, releases, runs
from authoring.store.drafting.sketches import list_sketches
from authoring.store.jobs import Job, enqueue
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def fail(ws: Workspace, job: Job) -> None:
    claimed = jobs.claim(ws, owner="w", kinds=(job.kind,))
    assert claimed is not None
    assert claimed.id == job.id
    jobs.fail(ws, job.id, "w", error={"what": "it broke", "where": "", "fix": "mend it"})


def test_a_job_is_named_by_its_problemset_seed_sketch_run_or_file(
    workspace: Workspace, draft: Revision, seed: int
) -> None:
    sketch = list_sketches(workspace, seed)[0]
    run = runs.insert(workspace, release="shop 1.0", agent="oracle", out_dir="/x", summary={})
    orders: dict[str, list[dict[str, object]]] = {
        "shop-sales": [
            {"revision_id": draft.id},
            {"problemset_id": draft.problemset_id, "text": "x", "revision_id": None},
            {"problemset": draft.id, "language": "zh"},
        ],
        "shop-sales@1": [{"problemset": "shop-sales@1", "language": "zh"}],
        "sales": [{"seed": seed, "name": None}, {"seed": "sales"}, {"seed": str(seed)}],
        sketch.name: [{"sketch": sketch.id, "name": ""}],
        "99": [{"sketch": 99}],
        "penguins": [{"name": "penguins", "files": []}],
        "shop 1.0": [{"name": "shop", "version": "1.0"}],
        "oracle on shop 1.0": [{"rescore": run}, {"again": run, "budget": None}],
        "mine on other": [
            {"benchmark": "other", "agent": "model", "called": "mine"},
            {"benchmark": "/data/of/other/", "agent": "mine"},
        ],
        "sheet.ipynb": [{"form": "notebook", "file": {"name": "sheet.ipynb", "digest": "0"}, "name": ""}],
        "": [{}],
    }
    wanted = {
        enqueue(workspace, kind="draft", payload=payload).id: subject
        for subject, payloads in orders.items()
        for payload in payloads
    }
    assert jobs.subjects(workspace, list(wanted)) == wanted
    assert jobs.live_subjects(workspace, 1) == [("draft", "shop-sales")]


def test_the_list_the_page_and_the_sidebar_name_a_job_by_what_it_is_about(
    open_page: Open, workspace: Workspace, draft: Revision, said: Said
) -> None:
    job = enqueue(workspace, kind="dry_run", payload={"revision_id": draft.id}, key=f"dry_run:{draft.id}")
    app = open_page("runs", view="jobs")
    assert r"**Dry run\: shop\-sales**" in said(app)
    assert app.button(key="frame:jobs").help.startswith(r"Dry run\: shop\-sales. Press")
    for number in range(4):
        enqueue(workspace, kind="sketch", payload={"seed": f"seed-{number}"})
    assert r"Sketch\: seed\-1, and 2 more. Press" in app.run().button(key="frame:jobs").help
    for page, parameters in (("runs", {"job": job.id}), ("problemset", {"set": draft.problemset_id})):
        assert r"**Dry run\: shop\-sales**" in said(open_page(page, **parameters))


def test_a_failure_is_dismissed_from_its_notice_and_stays_in_the_list(
    open_page: Open, workspace: Workspace, draft: Revision, said: Said
) -> None:
    job = enqueue(workspace, kind="dry_run", payload={"revision_id": draft.id}, key=f"dry_run:{draft.id}")
    fail(workspace, job)
    app = open_page("problemset", set=draft.problemset_id)
    assert "it broke" in app.error[0].value
    app.button(key=f"job:{job.id}:dismiss").click().run()
    assert "it broke" not in said(app)
    assert "it broke" not in said(open_page("problemset", set=draft.problemset_id)), "another tab"
    listed = open_page("runs", view="jobs")
    assert "dismissed by mei" in said(listed)
    assert "it broke" in listed.error[0].value
    assert f"listed:{job.id}:dismiss" not in [button.key for button in listed.button]
    listed.button(key=f"listed:{job.id}:resume").click().run()
    fail(workspace, job)
    again = open_page("problemset", set=draft.problemset_id)
    assert "it broke" in again.error[0].value, "a new failure is news"


def test_a_run_that_failed_is_shown_as_a_notice_and_in_the_list_of_the_same_page(
    open_page: Open, workspace: Workspace, draft: Revision
) -> None:
    releases.insert(workspace, name="small", version="1", digest="d", path="/x", items=[(draft.id, "sums")])
    job = enqueue(workspace, kind="run", payload={"agent": "oracle", "release": 1})
    fail(workspace, job)
    app = open_page("runs", view="jobs")
    assert [error.value.split("  \n")[0] for error in app.error] == ["**it broke**", "**it broke**"]
    found = [button.key for button in app.button]
    assert f"job:{job.id}:resume" in found
    assert f"listed:{job.id}:resume" in found


def test_a_job_that_failed_for_what_was_sent_is_dismissed_or_changed_and_not_resumed(
    open_page: Open, workspace: Workspace, seed: int
) -> None:
    job = enqueue(workspace, kind="sketch", payload={"seed": seed, "budget": {"tokens": 9}}, key=f"sketch:{seed}")
    assert jobs.claim(workspace, owner="w", kinds=("sketch",)) is not None
    error = {"what": "too few rows", "where": "", "fix": "use more", "by_input": "yes"}
    jobs.fail(workspace, job.id, "w", error=error)
    keys = {str(button.key) for button in open_page("seeds", seed=seed).button}
    assert {f"again:{job.id}", f"job:{job.id}:dismiss"} <= keys
    assert not [key for key in keys if "resume" in key]
    assert not [each for each in open_page("runs", view="jobs").button if str(each.key).startswith(f"listed:{job.id}:")]


def test_what_is_live_or_done_cannot_be_dismissed(workspace: Workspace, draft: Revision) -> None:
    job = enqueue(workspace, kind="dry_run", payload={"revision_id": draft.id})
    jobs.dismiss(workspace, job.id, by="mei")
    assert jobs.find(workspace, job.id).error is None
    assert jobs.claim(workspace, owner="w", kinds=("dry_run",)) is not None
    jobs.finish(workspace, job.id, "w", result={})
    jobs.dismiss(workspace, job.id, by="mei")
    assert jobs.find(workspace, job.id).dismissed_by == ""


def test_a_job_has_cancel_only_while_it_is_live(open_page: Open, workspace: Workspace, draft: Revision) -> None:
    job = enqueue(workspace, kind="dry_run", payload={"revision_id": draft.id})
    app = open_page("runs", job=job.id)
    assert f"job:{job.id}:cancel" in [button.key for button in app.button]
    assert jobs.claim(workspace, owner="w", kinds=("dry_run",)) is not None
    jobs.finish(workspace, job.id, "w", result={})
    app.run()
    assert f"job:{job.id}:cancel" not in [button.key for button in app.button]


def test_the_sidebar_tells_jobs_at_work_from_those_that_wait(open_page: Open, workspace: Workspace) -> None:
    for number in range(3):
        enqueue(workspace, kind="draft", payload={"sketch": number})
    assert open_page().button(key="frame:jobs").label == "3 jobs waiting"
    jobs.register_worker(workspace)
    assert open_page().button(key="frame:jobs").label == "3 jobs waiting"
    jobs.claim(workspace, owner="w", kinds=("draft",))
    assert open_page().button(key="frame:jobs").label == "1 job at work, 2 waiting"
