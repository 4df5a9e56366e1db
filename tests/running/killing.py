"""Finds the processes of a run by what they do, and kills them: without a word, as a machine does."""

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from evaluator.inside.isolation.processes import descendants_of

SANDBOX, TEMPLATE, SESSION, TRIAL, COMPARATOR = "sandbox", "template", "session", "trial", "comparator"
_OURS = 3  # pid namespaces around a template: the machine's, the sandbox's, its own


def role_of(pid: int) -> str:
    """Return what a worker process is; empty for any other."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            words = file.read().split("\0")
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            facts = dict(line.split(":", 1) for line in file if ":" in line)
        levels, parent = len(facts["NSpid"].split()), int(facts["PPid"])
    except (OSError, KeyError):
        return ""
    if "evaluator.inside.isolation.sandbox_entry" in words:
        return COMPARATOR
    if "evaluator.inside.runtime.worker" not in words:
        return ""
    if levels < _OURS:
        return SANDBOX
    if levels > _OURS:
        return TRIAL
    return SESSION if _levels(parent) == _OURS else TEMPLATE


def _levels(pid: int) -> int:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next((len(line.split()) - 1 for line in file if line.startswith("NSpid:")), 0)
    return 0


def kill_one(role: str, rng: random.Random, *, patience_s: float = 3.0) -> bool:
    """Kill a random process of that role below this one; false when there was none for so long."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        found = [pid for pid in sorted(descendants_of(os.getpid())) if role_of(pid) == role]
        if found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(found), signal.SIGKILL)
                return True
        time.sleep(0.005)
    return False


@contextmanager
def killing(
    roles: Sequence[str], rng: random.Random, *, every_s: float, progress: Callable[[], Mapping[str, int]]
) -> Iterator[list[str]]:
    """Kill one process of each role, one after the other at random instants, while the block runs; yield whose.

    `progress` tells how far each piece of work under way has come. All of them must have come further since the last
    kill, or be done, before the next: the machine may spoil each step once, a second time is its author's fault.
    """
    stop = threading.Event()
    killed: list[str] = []

    def work() -> None:
        for role in roles:
            if stop.wait(rng.uniform(0, 2 * every_s)):
                return
            if kill_one(role, rng):
                killed.append(role)
            before = dict(progress())
            while any(progress().get(name) == step for name, step in before.items()):
                if stop.wait(0.01):
                    return

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield killed
    finally:
        stop.set()
        thread.join(10)
