"""Pages that the worker reads on order: the newest order, and the page that stands until it is done."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui.jobs import draw_job, order
from authoring.ui.workplace import workspace

_LOOKED_AT: Final = 2  # orders: the newest one, and the one before it that is done


class PagedJob(NamedTuple):
    """What was ordered under one key."""

    newest: Job | None
    shown: tuple[Job, Mapping[str, Any]] | None  # the newest one that is done, and its page

    @property
    def live(self) -> bool:
        """Return whether a page is being read."""
        return self.newest is not None and self.newest.live

    def draw_progress(self) -> None:
        """Draw the newest order until it is done."""
        if self.newest is not None and self.newest.state != JobState.DONE:
            draw_job(self.newest)


def read_paged(ws: Workspace, key: str) -> PagedJob:
    """Return what was ordered under a key."""
    found = jobs.select_results(ws, key, limit=_LOOKED_AT)
    shown = next(((job, page) for job, page in found if job.state == JobState.DONE and page), None)
    return PagedJob(found[0][0] if found else None, shown)


def order_again(job_id: int, change: Mapping[str, Any]) -> None:
    """Order what a job has shown, with other fields, say another page of it."""
    shown = jobs.find(workspace(), job_id)
    order(shown.kind, {**shown.payload, **change}, key=shown.key)
