"""The kinds of job of a worker that never comes to the end of one, and needs no engine for it."""

import sys
import time
from typing import Any

from authoring.jobs import JobContext, job, kinds_in
from authoring.jobs.handlers.execution_jobs import ExecuteOrder


@job("execute", title="Run cells", lane="interactive", payload=ExecuteOrder)
def execute(context: JobContext, payload: ExecuteOrder) -> dict[str, Any]:
    time.sleep(600)
    return {}


JOB_KINDS = kinds_in(sys.modules[__name__])
