"""The template as it always is, but it and all its forks say where their time goes; `where_time_goes.py` starts it.

Each process adds up, by phase, seconds of the clock and of the processor, and page faults; what one phase spends within
another counts for the inner one only. A timer of processor time samples the stack besides.
"""

import functools
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from typing import Any

INSIDE = "evaluator.inside"
PHASES = (
    ("runtime.worker", "Template.serve", "template"),
    ("runtime.session_worker", "SessionWorker.serve", "session: serve"),
    ("runtime.channel", "Channel.receive", "wait for the host"),
    ("runtime.channel", "Channel.send", "send"),
    ("runtime.session_worker", "SessionWorker._wait", "session: wait for the trial"),
    ("runtime.session_worker", "SessionWorker._open", "session: folder, random state"),
    ("runtime.session_worker", "SessionWorker._execute", "session: cell, other"),
    ("runtime.session_worker", "SessionWorker._attempt", "session: start and end of trials"),
    ("runtime.session_worker", "SessionWorker._fork", "fork"),
    ("runtime.session_worker", "SessionWorker._become_trial", "trial: other"),
    ("runtime.session_worker", "SessionWorker._isolate_fork", "trial: namespaces"),
    ("isolation.folders", "make_trial_folder", "trial: folders"),
    ("runtime.session_worker", "SessionWorker._give_up_rights", "trial: rights"),
    ("runtime.cell", "CellRequest.restrict", "trial: limits"),
    ("runtime.session_worker", "SessionWorker._cell", "cell: begin"),
    ("runtime.cell", "Cell.execute", "cell: begin"),
    ("runtime.cell", "Cell.report", "report: other"),
    ("runtime.namespace", "Namespace.remember", "names: remember"),
    ("runtime.namespace", "Namespace.finish", "names: compare"),
    ("export.tripwire", "Tripwire.set", "tripwire"),
    ("runtime.cell_execution", "_compile", "cell: compile"),
    ("runtime.cell_execution", "_run", "cell: run"),
    ("runtime.error_report", "describe_error", "cell: describe error"),
    ("describing.variable_views", "describe_variables", "report: view"),
    ("export.payload", "encode_payload", "report: payload"),
    ("export.probing", "answer_apart", "probe"),
    ("export.probing", "answer_here", "probe"),
    ("export.figures", "draw_figures", "report: figures"),
)


class Marks:
    """What this process has spent so far, by phase."""

    def __init__(self) -> None:
        self.folder = os.environ["BENCHWRIGHT_TRACE"]
        self.kind = "template"
        self.stack = ["start of the process"]
        self.forget()

    def forget(self) -> None:
        """Begin anew: in a fork."""
        self.spent: dict[str, list[float]] = {}
        self.samples: Counter[str] = Counter()
        self.last = now()
        self.name = f"{os.getpid()}-{time.monotonic_ns()}"

    def turn(self) -> None:
        """Count what was spent since the last turn for the phase that is under way."""
        here = now()
        row = self.spent.setdefault(self.stack[-1], [0.0] * 5)
        for place, (old, new) in enumerate(zip(self.last, here, strict=True), 1):
            row[place] += new - old
        self.last = here

    def enter(self, phase: str) -> None:
        """Go into a phase."""
        self.turn()
        self.stack.append(phase)
        self.spent.setdefault(phase, [0.0] * 5)[0] += 1

    def leave(self) -> None:
        """Go back to the phase around it; a fork has left no phase that its parent is in."""
        self.turn()
        if len(self.stack) > 1:
            self.stack.pop()

    def sample(self, _signal: int, frame: Any) -> None:
        """Count the stack as it is now."""
        names: list[str] = []
        while frame is not None:
            code = frame.f_code
            module = code.co_filename.rpartition("/")[2].removesuffix(".py")
            if module != "traced_worker":
                names.append(f"{module}.{code.co_qualname if hasattr(code, 'co_qualname') else code.co_name}")
            frame = frame.f_back
        self.samples[";".join([self.kind, *reversed(names)])] += 1

    def write(self) -> None:
        """Leave what was found for the script."""
        self.turn()
        samples, self.samples = self.samples, Counter()  # the timer goes on, and what is written must stand still
        found = {"kind": self.kind, "spent": self.spent, "samples": samples}
        with open(f"{self.folder}/{self.name}", "w", encoding="utf-8") as file:
            json.dump(found, file)
        os.replace(f"{self.folder}/{self.name}", f"{self.folder}/{self.name}.json")
        self.samples += samples
        self.last = now()


def now() -> tuple[float, float, float, float]:
    """Return seconds of the clock, of the processor in and outside the kernel, and page faults."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.monotonic(), used.ru_utime, used.ru_stime, used.ru_minflt


def wrapped(function: Any, phase: str) -> Any:
    """Return a function that marks when it begins and ends."""

    @functools.wraps(function)
    def marked(*arguments: Any, **named: Any) -> Any:
        if (marks.kind, phase) in (("session", "wait for the host"), ("trial", "send")):
            marks.write()  # the next thing that comes may be its end
        marks.enter(phase)
        if phase == "trial: other":
            marks.kind = "trial"
        elif phase == "session: serve":
            marks.kind = "session"
        try:
            return function(*arguments, **named)
        finally:
            marks.leave()

    return marked


def mark_phases() -> None:
    """Let the functions of all phases be marked, wherever they have been imported to."""
    replaced = {}
    for place, path, phase in PHASES:
        holder: Any = importlib.import_module(f"{INSIDE}.{place}")
        *classes, name = path.split(".")
        for each in classes:
            holder = getattr(holder, each)
        function = getattr(holder, name)
        setattr(holder, name, wrapped(function, phase))
        replaced[id(function)] = getattr(holder, name)
    for name, module in list(sys.modules.items()):
        for each, item in list(vars(module).items()) if name.startswith(INSIDE) else ():
            if id(item) in replaced:
                setattr(module, each, replaced[id(item)])


def begin_in_fork() -> None:
    """Count a fork's own time, from its start."""
    marks.forget()
    marks.last, stack = (time.monotonic(), 0.0, 0.0, 0.0), marks.stack
    marks.stack = ["start of the fork"]
    if marks.kind in ("session", "trial") and "fork" not in stack:
        marks.kind = "fork of " + marks.kind
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)


def exit_marked(status: int) -> None:
    """Write, then end the process."""
    try:
        marks.write()
    finally:
        end(status)


marks, end = Marks(), os._exit
INTERVAL = 0.001 if os.environ.get("BENCHWRIGHT_SAMPLES") else 0.0
if __name__ == "__main__":
    os._exit = exit_marked  # pyrefly: ignore[bad-assignment]  # before any module of ours takes hold of it
    from evaluator.inside.runtime import worker

    mark_phases()
    signal.signal(signal.SIGPROF, marks.sample)
    os.register_at_fork(after_in_child=begin_in_fork)
    worker.main(sys.argv[1:])
