"""One process at a time works on a plan; the lock ends with its holder, however that ends."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

from authoring.progress import OnEvent, PipelineEvent
from authoring.store import Bootstrap, Workspace

POLL_S = 0.5


@contextlib.contextmanager
def alone_on(ws: Workspace, plan: Bootstrap, on_event: OnEvent) -> Iterator[None]:
    """Wait until no other process works on the plan, then keep them out; `on_event` may end the waiting."""
    folder = ws.root / "locks"
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder / f"bootstrap-{plan.id}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while not _taken(descriptor):
            on_event(PipelineEvent(0, 0, f"another process works on {plan.name}; waiting for it"))
            time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
