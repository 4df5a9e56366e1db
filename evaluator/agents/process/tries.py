"""A try of an attempt: what it took, counted while it is asked, and whose failure it is that nothing is handed in."""

import contextlib
from dataclasses import replace
from typing import Final

from evaluator.agents.process.wire import COUNTS
from evaluator.agents.protocol import (
    AgentFailure,
    FailureKind,
    Submission,
    SubmissionStatus,
    Submits,
    SupportsBeginAnew,
    Tools,
)
from evaluator.models.metering import ProblemMeter
from evaluator.models.proxy import ModelProxy

_SETTLING_S: Final = 2.0  # for the tokens of calls that are pending when an answer comes


def counted(proxy: ModelProxy | None, meter: ProblemMeter | None) -> contextlib.AbstractContextManager[None]:
    """Let the calls of a process that is granted a model pass, and count them, while this is open."""
    return proxy.counting(meter) if proxy is not None and meter is not None else contextlib.nullcontext()


def blamed(submission: Submission, meter: ProblemMeter, submits: Submits) -> Submission:
    """Return a submission; with none after a call at which the model's endpoint failed, that failure is ours.

    Raises:
        ToolkitError: If the run cannot go on: its budget is spent and the agent could not do without, or what models
            took cannot be written down.
    """
    is_given = submission.status is SubmissionStatus.OK and (
        submits is Submits.SESSION  # whose last cell may be empty
        or bool(submission.code.strip() or submission.answer)
    )
    ending = meter.take_ending(is_answered=is_given)
    if ending is not None:
        raise ending
    fault = meter.take_fault()
    if not fault or is_given:
        return submission
    said = submission.error.message[:500] if submission.error is not None else submission.status.value
    told = ours(f"{fault}; what the agent made of it: {said}")
    return replace(told, trace=submission.trace, labels=submission.labels)


def ours(message: str) -> Submission:
    """Return what counts as an answer where the failure is none of the agent's."""
    failure = AgentFailure(FailureKind.INFRA, message)
    return Submission(code="", status=SubmissionStatus.ERROR, error=failure)


def begins_anew(tools: Tools, meter: ProblemMeter | None, *, is_spoiled: bool) -> bool:
    """Let the next try begin where the last one did; false where what was executed cannot be taken back.

    What a try took counts no longer where the model's endpoint spoiled it; where the agent says so, we cannot know.
    """
    if isinstance(tools, SupportsBeginAnew) and not tools.begin_anew(gives_back=is_spoiled):
        return False
    if meter is not None and is_spoiled:
        meter.give_back()
    return True


def measured(submission: Submission, meter: ProblemMeter) -> Submission:
    """Put what was measured in the place of what the agent reports, whether it answered or failed."""
    usage = meter.usage(_SETTLING_S).to_json()
    claimed = [name for name in COUNTS if name in submission.usage]
    is_other = any(usage.get(name) is not None and usage[name] != submission.usage[name] for name in claimed)
    labels = (*submission.labels, "usage-differs") if is_other else submission.labels
    return replace(submission, usage=usage, labels=labels)
