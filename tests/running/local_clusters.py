"""Dask clusters of real processes on this machine's loopback, for tests."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from distributed import LocalCluster


@contextlib.contextmanager
def local_cluster(**more: Any) -> Iterator[LocalCluster]:
    """Start a scheduler with workers of one thread each, and end it."""
    usual = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0}
    with LocalCluster(**{**usual, **more}, silence_logs=logging.CRITICAL) as started:
        yield started
