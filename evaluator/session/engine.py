"""The engine: one warm Template, sessions forked from it, comparators that judge what they report."""

import contextlib
import itertools
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluator.errors import UsageError
from evaluator.inside.channel import Channel
from evaluator.session.backends import resolve_backend
from evaluator.session.choice import SandboxChoice
from evaluator.session.environment import Environment, own_environment
from evaluator.session.judges import Judges
from evaluator.session.outcome import Outcome
from evaluator.session.scratch import make_scratch_folder, remove_scratch_folder
from evaluator.session.session import Session
from evaluator.session.template import Template, WorkerDiedError


class Engine:
    """Opens sessions and judges outcomes; safe to use from several threads. Use it as a context manager.

    The Template starts when the engine is made and warms up in the background.
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
    ) -> None:
        self.environment = environment or own_environment()
        self.sandbox_name = resolve_backend(sandbox, trusted=trusted)
        self._rng_seed = rng_seed
        self._preload = preload
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._owner = os.getpid()
        self._is_closed = False
        self._use = contextlib.ExitStack()
        self._use.enter_context(self.environment.in_use())
        self._scratch = make_scratch_folder()
        interpreter = self.environment.interpreter
        self._template = self._start_template()
        self._judges = Judges(self.sandbox_name, scratch=self._scratch, count=comparators, interpreter=interpreter)

    @property
    def rng_seed(self) -> int:
        """What the random states of all sessions start from, beside the session's key."""
        return self._rng_seed

    @property
    def environment_id(self) -> str:
        """Digest of the Python, platform and package versions that problem code sees."""
        return self.environment.id

    def _start_template(self) -> Template:
        interpreter = self.environment.interpreter
        return Template(self.sandbox_name, scratch=self._scratch, preload=self._preload, interpreter=interpreter)

    def warm_up(self) -> None:
        """Start a comparator now: for callers that will judge, while their first cells still run."""
        self._judges.warm_up()

    def open(self, *, key: str, inputs: Path | None, rng_seed: int | None = None) -> Session:
        """Open a fresh session.

        Args:
            key: The problemset's name; with the `rng_seed` it sets the random states.
            inputs: Folder whose files the session sees as `inputs/`; None for no files.
            rng_seed: Other than the engine's own.

        Raises:
            ToolkitError: If no worker process can be had.
        """
        channel, pidfd = self._fork()
        folder = None
        if self.sandbox_name != "bwrap":
            folder = self._scratch / f"session-{next(self._numbers)}"
        session = Session(channel, pidfd, folder=folder)
        try:
            session.prepare(key=key, rng_seed=self._rng_seed if rng_seed is None else rng_seed, inputs=inputs)
        except BaseException:
            session.close()
            raise
        return session

    def _fork(self) -> tuple[Channel, int]:
        """Fork the Template; a dead one is replaced once."""
        template = self._usable_template(None)
        try:
            return template.fork()
        except WorkerDiedError as error:
            if self._is_closed:
                raise UsageError("the engine is closed", fix="make a new one") from error
            return self._usable_template(template).fork()

    def _usable_template(self, broken: Template | None) -> Template:
        """Return the Template; a new one if it is dead or the one that was found broken."""
        with self._lock:
            if self._is_closed:
                raise UsageError("the engine is closed", fix="make a new one")
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
    ) -> dict[str, Any]:
        """Compare two outcomes in a comparator process and return its findings tree.

        A submission whose claim breaks two fresh comparators is judged again as `bad_report`; the findings then
        have the key `bad_report` with the reason.

        Raises:
            ToolkitError: If no comparator can be had, or the reference's own claim is broken.
        """
        return self._judges.judge(reference, submission, validators, rules=rules)

    def close(self) -> None:
        """End every process and remove every file of this engine."""
        with self._lock:
            if self._is_closed or os.getpid() != self._owner:
                return
            self._is_closed = True
            self._template.close()
            self._judges.close()
            remove_scratch_folder(self._scratch)
            self._use.close()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
