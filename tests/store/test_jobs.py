from concurrent.futures import ThreadPoolExecutor

import pytest

from authoring.store import jobs
from authoring.store.jobs import (
    Job,
    beat_worker,
    cancel_wishes,
    end_cancelled,
    enqueue,
    heartbeat,
    job_result,
    live_workers,
    mark_interrupted,
    register_worker,
    remove_worker,
)
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError


def claimed(ws: Workspace, *, key: str | None = None) -> Job:
    enqueue(ws, kind="draft", payload={"sketch": 1}, key=key, created_by="Ann")
    job = jobs.claim(ws, owner="me", kinds=["draft"])
    assert job is not None
    return job


def make_stale(ws: Workspace, job: Job) -> None:
    with ws.write() as db:
        db.execute("UPDATE job SET heartbeat_at = '2020-01-01T00:00:00.000+00:00' WHERE id = ?", [job.id])


def test_a_double_click_is_one_job(workspace: Workspace) -> None:
    first = enqueue(workspace, kind="draft", payload={"a": 1}, key="draft:1")
    assert enqueue(workspace, kind="draft", payload={"a": 2}, key="draft:1") == first
    assert enqueue(workspace, kind="draft", payload={}, key="draft:2").id != first.id
    jobs.claim(workspace, owner="me", kinds=["draft"])
    assert enqueue(workspace, kind="draft", payload={}, key="draft:1").id == first.id
    jobs.finish(workspace, first.id, "me", result={})
    assert enqueue(workspace, kind="draft", payload={}, key="draft:1").id != first.id


def test_clicks_of_many_tabs_at_once_are_one_job(workspace: Workspace) -> None:
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda _: enqueue(workspace, kind="draft", payload={}, key="k").id, range(12)))
    assert (len(found), len(set(found))) == (12, 1)


def test_jobs_are_claimed_oldest_first_by_kind_and_once(workspace: Workspace) -> None:
    made = [enqueue(workspace, kind=kind, payload={}) for kind in ("run", "draft", "run")]
    claims = [jobs.claim(workspace, owner="me", kinds=["run"]) for _ in range(3)]
    assert [claim and claim.id for claim in claims] == [made[0].id, made[2].id, None]
    assert claims[0] is not None
    assert (claims[0].state, claims[0].owner, claims[0].attempts) == ("running", "me", 1)


def test_a_result_is_kept_and_only_the_newest_of_a_key(workspace: Workspace) -> None:
    job = claimed(workspace)
    assert job_result(workspace, job.id) is None
    assert jobs.finish(workspace, job.id, "me", result={"id": 3, "bad": "\ud800"})
    assert job_result(workspace, job.id) == {"id": 3, "bad": "\ud800"}
    assert jobs.find(workspace, job.id).state == "done"
    ids = []
    for number in range(8):
        job = claimed(workspace, key="execute:1")
        jobs.finish(workspace, job.id, "me", result={"n": number})
        ids.append(job.id)
    assert [job_result(workspace, job_id) is not None for job_id in ids] == [False] * 3 + [True] * 5
    latest = jobs.find_latest(workspace, "execute:1")
    assert (latest and latest.id) == ids[-1]
    assert jobs.find_latest(workspace, "other") is None


def test_progress_is_reported_under_the_owners_token_only(workspace: Workspace) -> None:
    job = claimed(workspace)
    assert heartbeat(workspace, job.id, "me", done=1, total=3, log_tail="x" * 9000 + "end").still_ours
    now = jobs.find(workspace, job.id)
    assert (now.done, now.total, len(now.log_tail), now.log_tail[-3:]) == (1, 3, 8000, "end")
    assert not heartbeat(workspace, job.id, "somebody", done=2, total=3, log_tail="").still_ours
    assert not jobs.finish(workspace, job.id, "somebody", result={})
    assert not jobs.fail(workspace, job.id, "somebody", error={})
    assert jobs.find(workspace, job.id).done == 1


def test_cancelling_ends_a_queued_job_and_asks_for_a_running_one(workspace: Workspace) -> None:
    queued = enqueue(workspace, kind="run", payload={})
    assert jobs.cancel(workspace, queued.id).state == "cancelled"
    job = claimed(workspace)
    asked = jobs.cancel(workspace, job.id)
    assert (asked.state, asked.cancel_requested) == ("running", True)
    assert heartbeat(workspace, job.id, "me", done=0, total=0, log_tail="") == (True, True)
    assert cancel_wishes(workspace, [job.id, queued.id]) == [job.id]
    assert end_cancelled(workspace, job.id, "me")
    assert jobs.cancel(workspace, job.id).state == "cancelled"


def test_a_job_without_heartbeat_is_interrupted(workspace: Workspace) -> None:
    job = claimed(workspace)
    assert mark_interrupted(workspace) == []
    make_stale(workspace, job)
    assert mark_interrupted(workspace) == [job.id]
    now = jobs.find(workspace, job.id)
    assert now.state == "interrupted"
    assert now.error is not None
    assert "Resume" in now.error["fix"]
    assert not heartbeat(workspace, job.id, "me", done=5, total=5, log_tail="").still_ours
    assert not jobs.finish(workspace, job.id, "me", result={})
    other = claimed(workspace)
    jobs.cancel(workspace, other.id)
    make_stale(workspace, other)
    mark_interrupted(workspace)
    assert jobs.find(workspace, other.id).state == "cancelled"


def test_resume_queues_again_and_the_claim_starts_afresh(workspace: Workspace) -> None:
    job = claimed(workspace, key="k")
    make_stale(workspace, job)
    mark_interrupted(workspace)
    assert jobs.resume(workspace, job.id).state == "queued"
    assert jobs.resume(workspace, job.id).id == job.id
    again = jobs.claim(workspace, owner="other", kinds=["draft"])
    assert again is not None
    assert (again.id, again.attempts, again.error, again.payload) == (job.id, 2, None, {"sketch": 1})


def test_resume_returns_the_live_job_of_a_key_and_refuses_a_done_one(workspace: Workspace) -> None:
    first = claimed(workspace, key="k")
    jobs.fail(workspace, first.id, "me", error={"what": "a"})
    failed = jobs.find(workspace, first.id)
    assert (failed.state, failed.error) == ("failed", {"what": "a"})
    second = enqueue(workspace, kind="draft", payload={}, key="k")
    assert jobs.resume(workspace, first.id).id == second.id
    jobs.claim(workspace, owner="me", kinds=["draft"])
    jobs.finish(workspace, second.id, "me", result={})
    with pytest.raises(ContentError, match="is done"):
        jobs.resume(workspace, second.id)
    with pytest.raises(UsageError, match="no job has the id 99"):
        jobs.find(workspace, 99)


def test_jobs_are_listed_newest_first_by_page_and_state(workspace: Workspace) -> None:
    ids = [enqueue(workspace, kind="run", payload={}).id for _ in range(5)]
    jobs.cancel(workspace, ids[0])
    assert [job.id for job in jobs.select(workspace, 2, offset=1)] == [ids[3], ids[2]]
    assert [job.id for job in jobs.select(workspace, 50, ["cancelled"])] == [ids[0]]


def test_a_worker_shows_while_it_reports(workspace: Workspace) -> None:
    assert live_workers(workspace) == []
    worker = register_worker(workspace)
    (alive,) = live_workers(workspace)
    assert (alive.id, alive.age_s < 5) == (worker, True)
    with workspace.write() as db:
        db.execute("UPDATE worker SET heartbeat_at = '2020-01-01T00:00:00.000+00:00'")
    assert live_workers(workspace) == []
    beat_worker(workspace, worker)
    assert [row.id for row in live_workers(workspace)] == [worker]
    remove_worker(workspace, worker)
    assert live_workers(workspace) == []
