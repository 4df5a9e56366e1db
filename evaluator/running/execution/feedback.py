"""What an agent is told about an attempt that failed: cut to size, since its own code wrote most of it."""

import re
from collections.abc import Collection
from typing import Final

from evaluator.agents import Feedback
from evaluator.running.execution.policies import FeedbackPart
from evaluator.scoring import Judged
from evaluator.session import Ending, Outcome

SHOWN_CHARS: Final = 10_000
"""Of each text: its first and last halves are kept."""

_CONTROLS: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_ENDED: Final = {
    Ending.TIMED_OUT: "the code ran out of time",
    Ending.DIED: "the process that ran the code died",
    Ending.OVER_LIMIT: "the code went over a limit",
    Ending.BAD_REPORT: "the process that ran the code left nothing that can be read",
}


def feedback_on(code: str, outcome: Outcome, judged: Judged, granted: Collection[FeedbackPart]) -> Feedback:
    """Return what an agent may know of its attempt before the next one.

    Args:
        code: Of the attempt.
        outcome: What it left behind.
        judged: What came of it.
        granted: The parts that are told; the others are None.
    """
    return Feedback(
        code=code,
        error=_error(outcome) if FeedbackPart.ERROR in granted else None,
        output=shown_text(_printed(outcome)) if FeedbackPart.OUTPUT in granted else None,
        hint=shown_text(f"{judged.verdict}: {judged.reason}") if FeedbackPart.HINT in granted else None,
    )


def shown_text(text: str) -> str:
    """Return a text that code wrote without control characters, and cut in its middle if it is long."""
    if len(text) > 4 * SHOWN_CHARS:  # so that a gigabyte is not searched through
        text = text[: 2 * SHOWN_CHARS] + text[-2 * SHOWN_CHARS :]
    text = _CONTROLS.sub("", text.replace("\r\n", "\n"))
    half = SHOWN_CHARS // 2
    return text if len(text) <= SHOWN_CHARS else f"{text[:half]}\n[...]\n{text[-half:]}"


def _error(outcome: Outcome) -> str | None:
    if outcome.error is not None:
        return shown_text(outcome.error.traceback or f"{outcome.error.name}: {outcome.error.message}")
    return _ENDED.get(outcome.ending)


def _printed(outcome: Outcome) -> str:
    """Return streams and shown values in order, as text."""
    parts = []
    for output in outcome.outputs:
        if output["output_type"] == "stream":
            parts.append(str(output["text"]))
        elif output["output_type"] in ("execute_result", "display_data"):
            text = output["data"].get("text/plain")
            parts += [] if text is None else [f"{text}\n"]
    return "".join(parts)
