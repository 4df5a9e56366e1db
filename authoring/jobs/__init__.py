"""What the worker does: the kinds of job, the process of a lane, and the reports while a job runs."""

from authoring.jobs.context import JobCancelled, JobContext
from authoring.jobs.declaring import LANES, JobKind, job, kinds_in
from authoring.jobs.engines import CONSENT_SETTING, WarmEngine
from authoring.jobs.kinds import JOB_KINDS, find_kind, load_kinds

__all__ = [
    "CONSENT_SETTING",
    "JOB_KINDS",
    "LANES",
    "JobCancelled",
    "JobContext",
    "JobKind",
    "WarmEngine",
    "find_kind",
    "job",
    "kinds_in",
    "load_kinds",
]
