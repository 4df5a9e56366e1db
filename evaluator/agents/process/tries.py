"""What a try of an attempt took: counted while it is asked, given back where the model's endpoint spoiled it."""

import contextlib
from dataclasses import replace
from typing import Final

from evaluator.agents.process.wire import COUNTS
from evaluator.agents.protocol import Submission, SupportsBeginAnew, Tools
from evaluator.models.metering import ProblemMeter
from evaluator.models.proxy import ModelProxy

_SETTLING_S: Final = 2.0  # for the tokens of calls that are pending when an answer comes


def counted(proxy: ModelProxy | None, meter: ProblemMeter | None) -> contextlib.AbstractContextManager[None]:
    """Let the calls of a process that is granted a model pass, and count them, while this is open."""
    return proxy.counting(meter) if proxy is not None and meter is not None else contextlib.nullcontext()


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
