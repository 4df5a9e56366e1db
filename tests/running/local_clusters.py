"""Dask clusters on this machine's loopback, for tests: of real processes, or of threads of this process."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from distributed import LocalCluster

from evaluator.session import Engine


@contextlib.contextmanager
def local_cluster(**more: Any) -> Iterator[LocalCluster]:
    usual = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0}
    with LocalCluster(**{**usual, **more}, silence_logs=logging.CRITICAL) as started:
        yield started


@contextlib.contextmanager
def cluster_of_threads(n_workers: int, **more: Any) -> Iterator[LocalCluster]:
    """Start a cluster without processes, for what ends none of them: a hundredth of the time.

    Its workers talk over sockets as others do, but share what one of them was prepared for.
    """
    with local_cluster(n_workers=n_workers, processes=False, **{"protocol": "tcp", **more}) as started:
        yield started


def lend_to_workers(engine: Engine, patched: pytest.MonkeyPatch) -> None:
    """Let workers that are threads of this process use an engine instead of one of their own."""
    for name in ("run_task_runner.own_engine", "check_task_runner.checking_engine"):
        patched.setattr(f"evaluator.running.cluster.{name}", lambda *_given: contextlib.nullcontext(engine))
    patched.setattr(
        "evaluator.running.checking.self_check.checking_engine", lambda *_given: contextlib.nullcontext(engine)
    )
