"""What a job's function is given: the workspace, a warm engine, and a way to tell how far it is."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from authoring.jobs.engines import WarmEngine, sandbox_choice
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError

if TYPE_CHECKING:
    from authoring.checks.dry_run.warm_sessions import WarmPlace
    from authoring.progress import PipelineEvent
    from evaluator.session import Engine, SandboxChoice


@contextmanager
def reading_input() -> Iterator[None]:
    """Blame what is refused here on what was sent with the order: the same again would be refused again.

    Not blamed is what the machine or the workspace refuses, such as a taken name: a person can change that.
    """
    try:
        yield
    except ToolkitError as error:
        error.is_by_input = error.exit_code in (1, 2) and not error.is_by_place
        raise


class JobCancelled(BaseException):
    """The job was cancelled, or its worker is ending. Not an `Exception`: nothing may take it for a failed attempt."""


@dataclass(frozen=True)
class JobContext:
    """The surroundings of one job; made by the lane that runs it."""

    workspace: Workspace
    job: Job
    warm: WarmEngine
    report: Callable[[int, int, str], None]  # done, total, one line of text
    is_cancelled: Callable[[], bool]

    def engine(self, *, trusted: bool = False) -> "Engine":
        """Return the lane's engine; it is kept from job to job. `trusted`: the job runs our own shipped code only."""
        return self.warm.get(self.workspace, trusted=trusted)

    def place(self, problemset_id: int, inputs: Mapping[str, str], number: int | None) -> "WarmPlace | None":
        """Return where the sessions of a problemset wait while somebody works on a problem; None: on none.

        Args:
            problemset_id: Whose sessions.
            inputs: Its input files: name -> digest.
            number: The problem, from 1.
        """
        from authoring.checks.dry_run.warm_sessions import WarmPlace

        if number is None:
            return None
        return WarmPlace(self.warm.warm_sessions, json.dumps([problemset_id, sorted(inputs.items())]), number)

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Tell how far the job is (0 of 0: not known) and add a line to its log; ends the job if it was cancelled.

        Raises:
            JobCancelled: If somebody has cancelled it.
        """
        self.report(done, total, text)
        if self.cancelled():
            raise JobCancelled

    def on_event(self, event: "PipelineEvent") -> None:
        """Take a step of the pipeline as progress; ends the job if it was cancelled."""
        self.progress(event.done, event.total, event.text)

    def sandbox_choice(self) -> "SandboxChoice":
        """Return the sandbox that the workspace's people agreed to."""
        return sandbox_choice(self.workspace)

    def cancelled(self) -> bool:
        """Return whether somebody has cancelled the job."""
        return self.is_cancelled()
