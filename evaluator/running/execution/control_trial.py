"""Control trials: whether a submission's end is its own doing, or that of trials in which even the reference fails."""

from dataclasses import dataclass, field
from typing import Final

from evaluator.session import CaptureSpec, CellLimits, Ending, Outcome, Session

_DOUBTFUL: Final = frozenset({Ending.DIED, Ending.TIMED_OUT, Ending.BAD_REPORT})


@dataclass
class ControlTrials:
    """Runs a problem's reference in a trial, once for the problem and only when a submission's end gives reason to."""

    _endings: dict[str, Ending] = field(default_factory=dict)

    def fails_alike(
        self, session: Session, reference: str, outcome: Outcome, *, capture: CaptureSpec, limits: CellLimits
    ) -> bool:
        """Return whether the reference, too, ends in the way in which a submission ended.

        It does where a library that setup code used does not survive a fork, for example.

        Raises:
            ToolkitError: If the session is gone.
        """
        if outcome.ending not in _DOUBTFUL:
            return False
        if reference not in self._endings:
            self._endings[reference] = session.attempt(reference, capture=capture, limits=limits).ending
        if self._endings[reference] is not outcome.ending:
            return False
        del self._endings[reference]  # when it is asked again, it is tried again: the machine may have been the cause
        return True
