"""A session whose submissions run in fresh kernels, into which its cells so far are replayed; no state is forked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from evaluator.errors import UsageError
from evaluator.inside.runtime.channel import Channel
from evaluator.session.choice import Isolation
from evaluator.session.kernel import Kernel
from evaluator.session.outcome import CellLimits, Ending, Outcome, Probe, ProbeAnswer, ProbeEnding, Wants
from evaluator.session.session import SETUP_LIMITS, KeptTrial, SessionLost

_REPORTED: Final = (Ending.OK, Ending.ERROR)


@dataclass(frozen=True)
class _Passed:
    """A cell that made the session's state."""

    source: str
    limits: CellLimits
    ending: Ending


class ReplaySession(Kernel):
    """Runs cells as any session does: `execute` in a kernel of its own, `attempt` in a fresh one after a replay.

    Each probe but an attempt's first gets a fresh kernel too: one that has answered a probe is worn.
    """

    def __init__(self, channel: Channel, pidfd: int, *, folder: Path | None, another: Callable[[], Kernel]) -> None:
        super().__init__(channel, pidfd, folder=folder)
        self._another = another
        self._passed: list[_Passed] = []

    def execute(self, source: str, *, wants: Wants = Wants(), limits: CellLimits = SETUP_LIMITS) -> Outcome:  # noqa: B008  # frozen
        """Run a cell in the session's own kernel and advance its state.

        A cell that ends as `died`, `timed_out` or `over_limit` takes the session with it: its outcome is
        returned, and every later call raises `SessionLost`.

        Raises:
            SessionLost: If the session is gone.
        """
        with self._lock:
            outcome = super().execute(source, wants=replace(wants, probes=()), limits=limits)
            answers: tuple[ProbeAnswer, ...] = ()
            if outcome.ending in _REPORTED:
                answers = self._answers(source, wants.probes, limits)
                self._passed.append(_Passed(source, limits, outcome.ending))
            return replace(outcome, wants=wants, answers=answers, engine=Isolation.REPLAY.value)

    def attempt(self, source: str, *, wants: Wants = Wants(), limits: CellLimits = CellLimits()) -> Outcome:  # noqa: B008  # frozen
        """Run a submission in a fresh kernel; the session's state stays as it is.

        Raises:
            SessionLost: If the session is gone, or its cells do not run as they did.
        """
        with self._lock:
            self._refuse_unusable()
            outcome = self._try(source, replace(wants, probes=wants.probes[:1]), limits)
            answers = outcome.answers
            if outcome.ending in _REPORTED:
                answers += self._answers(source, wants.probes[1:], limits)
            return replace(outcome, wants=wants, answers=answers, engine=Isolation.REPLAY.value)

    def lost_threads(self) -> tuple[str, ...]:
        """Return nothing: no state is forked."""
        return ()

    def keep(self, limits: CellLimits) -> KeptTrial:
        """Refuse: a kernel that lives on with an agent's own state is not offered.

        Raises:
            UsageError: Always.
        """
        del limits
        fix = "run with `--engine fork`, or with the state of the reference"
        raise UsageError("sessions that are replayed cannot keep an agent's own state", fix=fix)

    def _answers(self, source: str, probes: tuple[Probe, ...], limits: CellLimits) -> tuple[ProbeAnswer, ...]:
        """Return what each probe finds after the cell, which runs anew for each."""
        return tuple(self._answer(source, probe, limits) for probe in probes)

    def _answer(self, source: str, probe: Probe, limits: CellLimits) -> ProbeAnswer:
        outcome = self._try(source, Wants(probes=(probe,)), limits)
        return outcome.answers[0] if outcome.answers else ProbeAnswer(ProbeEnding.MISSING)

    def _try(self, source: str, wants: Wants, limits: CellLimits) -> Outcome:
        kernel = self._another()
        try:
            self._replay(kernel)
            return kernel.attempt(source, wants=wants, limits=limits)
        finally:
            kernel.close()

    def _replay(self, kernel: Kernel) -> None:
        for number, cell in enumerate(self._passed, 1):
            ending = kernel.execute(cell.source, limits=cell.limits).ending
            if ending is not cell.ending:
                what = f"cell {number} ended as {ending.value} when it was replayed, as {cell.ending.value} before"
                raise SessionLost(what, fix="open the session again and replay its cells")
