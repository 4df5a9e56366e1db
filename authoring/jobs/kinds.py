"""All kinds of job under their names."""

import importlib
import json
from collections.abc import Mapping
from typing import Any, Final

from authoring.jobs.declaring import JobKind, kinds_in
from authoring.jobs.handlers import (
    bootstrap_jobs,
    draft_jobs,
    execution_jobs,
    experiment_jobs,
    guide_jobs,
    import_jobs,
    machine_jobs,
    made_seed_jobs,
    refine_jobs,
    release_jobs,
    reuse_jobs,
    semantics_jobs,
    topic_jobs,
    try_jobs,
)
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.registry import nearest_name

MAX_PAYLOAD_CHARS: Final = 100_000


def order_job(ws: Workspace, kind: str, payload: str, *, created_by: str = "") -> Job:
    """Queue a job of that kind; `payload` is a JSON object with the fields of that kind.

    The same order twice while the first is queued or running is one job.

    Raises:
        UsageError: If there is no such kind, the payload is no JSON object, or one of its fields does not fit.
    """
    asked = find_kind(JOB_KINDS, kind)
    try:
        fields = json.loads(payload[:MAX_PAYLOAD_CHARS])
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the payload is no JSON: {error}", where="--payload", fix=_EXAMPLE) from None
    if not isinstance(fields, dict):
        raise UsageError("the payload is no JSON object", where="--payload", fix=_EXAMPLE)
    key = f"{kind}:{json.dumps(fields, sort_keys=True)}"
    return asked.order(ws, fields, key=key, created_by=created_by)


_EXAMPLE: Final = """write it like '{"revision_id": 3}'"""


JOB_KINDS: Final[Mapping[str, JobKind[Any]]] = kinds_in(
    execution_jobs,
    try_jobs,
    draft_jobs,
    made_seed_jobs,
    semantics_jobs,
    refine_jobs,
    reuse_jobs,
    guide_jobs,
    topic_jobs,
    release_jobs,
    experiment_jobs,
    bootstrap_jobs,
    import_jobs,
    machine_jobs,
)


def load_kinds(module: str) -> Mapping[str, JobKind[Any]]:
    """Return the table `JOB_KINDS` of a module: ours, or one that a test or an extension brings."""
    kinds: Mapping[str, JobKind[Any]] = importlib.import_module(module).JOB_KINDS
    return kinds


def find_kind(kinds: Mapping[str, JobKind[Any]], name: str) -> JobKind[Any]:
    """Return the kind called `name`.

    Raises:
        UsageError: If there is none; the fix names the nearest known one.
    """
    if name not in kinds:
        near = nearest_name(name, sorted(kinds))
        raise UsageError(
            f"there is no kind of job {name!r}", fix=f"use {near!r}" if near else f"use one of {', '.join(kinds)}"
        )
    return kinds[name]
