"""The engine: one warm TemplateProcess, sessions forked from it, comparators that judge what they report."""

import contextlib
import itertools
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from evaluator.errors import EngineClosedError, ToolkitError
from evaluator.inside.runtime.channel import Channel
from evaluator.session.comparator_pool import ComparatorPool, UnmatchableValue
from evaluator.session.grader_pool import Grade, GradeItem, GraderPool
from evaluator.session.outcome import Outcome
from evaluator.session.sandboxing.backends import Isolation, SandboxChoice, resolve_backend
from evaluator.session.sandboxing.environment import Environment, own_environment
from evaluator.session.sandboxing.scratch import make_scratch_folder, remove_scratch_folder
from evaluator.session.session import Session
from evaluator.session.template import SESSIONS, TemplateProcess, WorkerDiedError

if TYPE_CHECKING:
    from evaluator.session.kernel import Kernel

KERNEL_MODULE: Final = "evaluator.inside.runtime.kernel_main"
"""Imported by the TemplateProcess where kernels are expected: each of them would take a while to import it itself."""
DRAWING: Final = ("matplotlib.pyplot",)
"""To preload where cells are not known when the engine starts: many draw, and each trial would import it anew."""


class Engine:
    """Opens sessions and judges outcomes; safe to use from several threads. Use it as a context manager.

    The TemplateProcess starts when the engine is made and warms up in the background.
    """

    def __init__(
        self,
        *,
        sandbox: SandboxChoice = SandboxChoice.AUTO,
        rng_seed: int = 0,
        comparators: int = 1,
        preload: tuple[str, ...] = (),
        trusted: bool = False,
        environment: Environment | None = None,
        isolation: Isolation | None = None,
        hash_seed: int = 0,
    ) -> None:
        """Start a TemplateProcess.

        Args:
            sandbox: Where problem code runs.
            rng_seed: What random states start from, beside a session's key.
            comparators: How many judge at once (count, >= 1).
            preload: Modules that sessions find imported; they must be known to survive a fork.
            trusted: The code is our own: it may run without a sandbox where there is none.
            environment: Whose interpreter runs problem code; None: our own.
            isolation: Of all sessions; None: of each what it is opened with, else a fork.
            hash_seed: In which order sessions go through sets of texts: what an answer must not hang on.
        """
        self.environment = environment or own_environment()
        self.sandbox_name = resolve_backend(sandbox, trusted=trusted)
        self._rng_seed = rng_seed
        self._hash_seed = hash_seed
        self.isolation = isolation
        self._preload = (*preload, KERNEL_MODULE) if isolation is Isolation.REPLAY else preload
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._owner = os.getpid()
        self._is_closed = False
        self._use = contextlib.ExitStack()
        self._use.enter_context(self.environment.in_use())
        self._scratch = make_scratch_folder()
        interpreter = self.environment.interpreter
        self._template = self._start_template()
        self._comparator_pool = ComparatorPool(
            self.sandbox_name, scratch=self._scratch, count=comparators, interpreter=interpreter
        )
        self._grader_pool = GraderPool(backend=self.sandbox_name, count=comparators)

    @property
    def rng_seed(self) -> int:
        """What the random states of all sessions start from, beside the session's key."""
        return self._rng_seed

    @property
    def environment_id(self) -> str:
        """Digest of the Python, platform and package versions that problem code sees."""
        return self.environment.id

    def _start_template(self) -> TemplateProcess:
        interpreter = self.environment.interpreter
        return TemplateProcess(
            self.sandbox_name,
            scratch=self._scratch,
            preload=self._preload,
            interpreter=interpreter,
            hash_seed=self._hash_seed,
        )

    def warm_up(self) -> None:
        """Start a comparator now: for callers that will judge, while their first cells still run."""
        self._comparator_pool.warm_up()

    def open(
        self,
        *,
        key: str,
        inputs: Path | None,
        rng_seed: int | None = None,
        isolation: Isolation | None = None,
        preload: tuple[str, ...] = (),
    ) -> Session:
        """Open a fresh session.

        Args:
            key: The problemset's name; with the `rng_seed` it sets the random states.
            inputs: Folder whose files the session sees as `inputs/`; None for no files.
            rng_seed: Other than the engine's own.
            isolation: Of this session, where the engine's own leaves it open.
            preload: Modules to import in each kernel before its first cell, where the isolation is a replay.

        Raises:
            ToolkitError: If no worker process can be had.
        """
        seed = self._rng_seed if rng_seed is None else rng_seed
        if (self.isolation or isolation) is Isolation.REPLAY:
            return self._open_replay(lambda kernel: self._start(kernel, key, inputs, seed, preload))
        session = Session(*self._fork(), folder=self._session_folder())
        with _closed_on_failure(session):
            session.prepare(key=key, rng_seed=seed, inputs=inputs)
        return session

    def _open_replay(self, start: "Callable[[Kernel], None]") -> Session:
        from evaluator.session.kernel import (
            Kernel,  # late: it imports jupyter_client, which most runs do not need
            ReplaySession,
        )

        if self.sandbox_name == "landlock":
            what = "a kernel talks over sockets, which the sandbox 'landlock' does not allow"
            raise ToolkitError(what, fix="run `isolation: replay` where bubblewrap works")

        def another() -> Kernel:
            kernel = Kernel(*self._fork(for_kernel=True), folder=self._session_folder())
            start(kernel)
            return kernel

        session = ReplaySession(*self._fork(for_kernel=True), folder=self._session_folder(), another=another)
        start(session)
        return session

    def _start(self, kernel: "Kernel", key: str, inputs: Path | None, rng_seed: int, preload: tuple[str, ...]) -> None:
        """Make a kernel ready for cells."""
        with _closed_on_failure(kernel):
            kernel.prepare(key=key, rng_seed=rng_seed, inputs=inputs)
            kernel.start(self._scratch / f"kernel-{next(self._numbers)}", preload=preload)

    def _session_folder(self) -> Path | None:
        """Return where a session without namespaces works."""
        if self.sandbox_name == "bwrap":
            return None
        return self._scratch / SESSIONS / f"session-{next(self._numbers)}"

    def _fork(self, *, for_kernel: bool = False) -> tuple[Channel, int]:
        """Fork the TemplateProcess; a dead one is replaced once."""
        template = self._usable_template(None)
        try:
            return template.fork(for_kernel=for_kernel)
        except WorkerDiedError as error:
            if self._is_closed:
                raise EngineClosedError from error
            return self._usable_template(template).fork(for_kernel=for_kernel)

    def _usable_template(self, broken: TemplateProcess | None) -> TemplateProcess:
        """Return the TemplateProcess; a new one if it is dead or the one that was found broken."""
        with self._lock:
            if self._is_closed:
                raise EngineClosedError
            if self._template is broken or not self._template.is_alive:
                self._template.close()
                self._template = self._start_template()
            return self._template

    def judge(
        self,
        reference: Outcome,
        submission: Outcome,
        validators: Mapping[str, Any],
        *,
        rules: str = "sound",
        protected: Collection[str] | None = None,
        grades: Sequence[Grade] = (),
        is_recorded: bool = False,
    ) -> dict[str, Any]:
        """Compare two outcomes in a comparator process and return its findings tree.

        Args:
            reference: What the reference code left behind.
            submission: What the submission left behind.
            validators: The tree of validators, as plain JSON values.
            rules: "sound" or "published".
            protected: The names that `namespace_intact` speaks of under sound rules; None for all.
            grades: One per graded validator, in the order of the tree.
            is_recorded: Whether the grades come of stored outputs instead of what the reference showed.

        A submission whose payload breaks two fresh comparators is judged again as `bad_report`; the findings then
        have the key `bad_report` with the reason.

        Raises:
            ToolkitError: If no comparator can be had, or the reference's own payload is broken.
        """
        return self._comparator_pool.judge(
            reference,
            submission,
            validators,
            rules=rules,
            protected=protected,
            grades=grades,
            is_recorded=is_recorded,
        )

    def grade(self, items: Sequence[GradeItem]) -> list[Grade]:
        """Score texts and pictures in a grader process, which runs on our own interpreter.

        Raises:
            ToolkitError: If no grader can be started.
        """
        return self._grader_pool.grade(items)

    def inspect(self, reference: Outcome, validators: Mapping[str, Any]) -> tuple[UnmatchableValue, ...]:
        """Return what validators compare of a reference although no submission could equal it.

        Raises:
            ToolkitError: If no comparator can be had, or the reference's payload is broken.
        """
        return self._comparator_pool.inspect(reference, validators)

    def close(self) -> None:
        """End every process and remove every file of this engine."""
        with self._lock:
            if self._is_closed or os.getpid() != self._owner:
                return
            self._is_closed = True
            self._template.close()
            self._comparator_pool.close()
            self._grader_pool.close()
            remove_scratch_folder(self._scratch)
            self._use.close()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def _closed_on_failure(session: Session) -> Iterator[None]:
    try:
        yield
    except BaseException:
        session.close()
        raise
