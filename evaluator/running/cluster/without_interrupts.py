"""Loaded by the processes of a cluster that a command starts: Ctrl-C is for the command alone, which then ends them."""

import contextlib
import signal


def dask_setup(_worker: object) -> None:
    """Ignore interrupts; Dask calls this when a worker starts, which then has them blocked."""
    with contextlib.suppress(ValueError):  # not the main thread: then no signal comes here
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # or sandboxes had them blocked, other than elsewhere
