"""Kinds of job that tests give to a real worker: they need no engine."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from authoring.jobs import JobContext, job, kinds_in
from authoring.jobs.context import JobCancelled
from authoring.jobs.payloads import Asking, NoFields, Payload
from evaluator.errors import ContentError
from evaluator.models import Budget, Spent


class Note(Payload):
    file: str


class Count(Payload):
    to: int
    pause_s: float = 0.05


def leave_line(context: JobContext, payload: Note) -> dict[str, Any]:
    """Leave one line in a file: how often did this job run?"""
    with Path(payload.file).open("a", encoding="utf-8") as stream:
        stream.write(f"{context.job.id}\n")
    return {"pid": os.getpid()}


note = job("note", title="Note", lane="interactive", payload=Note)(leave_line)
note_batch = job("note_batch", title="Note behind", lane="batch", payload=Note)(leave_line)


@job("count", title="Count", lane="batch", payload=Count)
def count(context: JobContext, payload: Count) -> dict[str, Any]:
    """Count to a number, slowly."""
    try:
        for number in range(payload.to):
            context.progress(number, payload.to, f"at {number}")
            time.sleep(payload.pause_s)
    except JobCancelled:
        context.report(0, 0, "asked to end")
        raise
    context.report(payload.to, payload.to, "counted")
    return {"counted": payload.to}


@job("stubborn", title="Be stubborn", lane="batch", payload=NoFields)
def stubborn(context: JobContext, payload: NoFields) -> dict[str, Any]:
    """Ignore SIGTERM, together with a child of our own that ignores it too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        context.report(1, 2, f"child {child.pid}")
        time.sleep(60)
    return {}


@job("refuse", title="Refuse", lane="interactive", payload=NoFields)
def refuse(context: JobContext, payload: NoFields) -> dict[str, Any]:
    raise ContentError("the seed is empty", where="trips.csv", fix="add rows")


@job("spend", title="Spend", lane="interactive", payload=Asking, asks_model=True)
def spend(context: JobContext, payload: Asking) -> dict[str, Any]:
    """Take a hundred tokens out of the purse that the payload grants."""
    budget = payload.limits()
    assert budget is not None
    Budget(budget).reserve(Spent(100))
    return {"granted": budget.tokens}


@job("crash", title="Crash", lane="interactive", payload=NoFields)
def crash(context: JobContext, payload: NoFields) -> dict[str, Any]:
    return {"nobody": payload.model_dump()["missing"]}


@job("die", title="Die", lane="interactive", payload=NoFields)
def die(context: JobContext, payload: NoFields) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


JOB_KINDS = kinds_in(sys.modules[__name__])
