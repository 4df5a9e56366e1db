"""Several seeds at once: each worker has engines of its own, and what comes out does not hang on who was faster."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import TypeVar

from authoring.progress import OnEvent, PipelineEvent
from evaluator.session import DRAWING, Engine, SandboxChoice

T = TypeVar("T")
R = TypeVar("R")

HASH_SEEDS = (0, 1)  # of the engines of one worker


class _Stopped(BaseException):
    """Another worker has failed, or the caller was interrupted: this work is given up."""


@contextmanager
def engines_of_worker(sandbox: SandboxChoice, hash_seeds: Sequence[int]) -> Iterator[tuple[Engine, ...]]:
    """Yield engines that differ in their hash seeds, the usual one first."""
    with ExitStack() as stack:
        yield tuple(
            stack.enter_context(Engine(sandbox=sandbox, hash_seed=seed, preload=DRAWING)) for seed in hash_seeds
        )


def run_parallel(
    tasks: Sequence[T],
    work: Callable[[T, tuple[Engine, ...], OnEvent], R],
    *,
    workers: int,
    sandbox: SandboxChoice,
    on_event: OnEvent,
    hash_seeds: Sequence[int] = HASH_SEEDS,
) -> list[R]:
    """Do all tasks, `workers` at a time, and return their results in the order of the tasks.

    The first failure stops the others at their next event; it is raised when all have stopped.
    """
    stop, lock = threading.Event(), threading.Lock()

    def listen(event: PipelineEvent) -> None:
        if stop.is_set():
            raise _Stopped
        with lock:
            on_event(event)

    with ExitStack() as stack:
        free: SimpleQueue[tuple[Engine, ...]] = SimpleQueue()
        count = max(1, min(workers, len(tasks)))
        for _ in range(count):
            free.put(stack.enter_context(engines_of_worker(sandbox, hash_seeds)))

        def run(task: T) -> R:
            engines = free.get()
            try:
                return work(task, engines, listen)
            except BaseException:
                stop.set()
                raise
            finally:
                free.put(engines)

        pool = stack.enter_context(ThreadPoolExecutor(count, thread_name_prefix="bootstrap"))
        stack.callback(stop.set)  # runs first: whatever ends this function, nobody continues
        futures = [pool.submit(run, task) for task in tasks]
        wait(futures, return_when=FIRST_EXCEPTION)
        return _results(futures)


def _results(futures: Sequence["Future[R]"]) -> list[R]:
    """Return the results in order, or raise what stopped the work rather than what stopped because of it."""
    errors = [error for future in futures if future.done() and (error := future.exception()) is not None]
    for error in sorted(errors, key=lambda each: isinstance(each, _Stopped)):
        raise error
    return [future.result() for future in futures]
