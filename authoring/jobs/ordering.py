"""Orders a job by name, as the app's buttons do, from a text that a person typed."""

import json
from typing import Final

from authoring.jobs.kinds import JOB_KINDS, find_kind
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

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
