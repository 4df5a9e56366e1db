"""Kinds of job that tests give to a real worker: they need no engine."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authoring.jobs import JobContext, JobKind
from evaluator.errors import ContentError
from evaluator.models import Budget, BudgetLimits, Spent


def note(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Leave one line in a file: how often did this job run?"""
    with Path(payload["file"]).open("a", encoding="utf-8") as stream:
        stream.write(f"{context.job.id}\n")
    return {"pid": os.getpid()}


def count(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Count to a number, slowly."""
    for number in range(payload["to"]):
        context.progress(number, payload["to"], f"at {number}")
        time.sleep(payload.get("pause_s", 0.05))
    context.report(payload["to"], payload["to"], "counted")
    return {"counted": payload["to"]}


def stubborn(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Ignore SIGTERM, together with a child of our own that ignores it too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        context.report(1, 2, f"child {child.pid}")
        time.sleep(60)
    return {}


def refuse(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    raise ContentError("the seed is empty", where="trips.csv", fix="add rows")


def spend(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Take a hundred tokens out of the purse that the payload grants."""
    budget = BudgetLimits.from_json(payload["budget"])
    assert budget is not None
    Budget(budget).reserve(Spent(100))
    return {"granted": budget.tokens}


def crash(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    return {"nobody": payload["missing"]}


def die(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


JOB_KINDS = {
    "note": JobKind("interactive", f"{__name__}:note"),
    "note_batch": JobKind("batch", f"{__name__}:note"),
    "count": JobKind("batch", f"{__name__}:count"),
    "stubborn": JobKind("batch", f"{__name__}:stubborn"),
    "spend": JobKind("interactive", f"{__name__}:spend"),
    "refuse": JobKind("interactive", f"{__name__}:refuse"),
    "crash": JobKind("interactive", f"{__name__}:crash"),
    "die": JobKind("interactive", f"{__name__}:die"),
}
