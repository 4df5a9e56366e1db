"""How a step of the pipeline tells what it is at; the command line and the app each draw it their own way."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PipelineEvent:
    """One step forward."""

    done: int  # of `total`; both 0 when the amount of work is not known
    total: int
    text: str  # for people, such as "problem 3 of 12"


OnEvent = Callable[[PipelineEvent], None]


def no_progress(event: PipelineEvent) -> None:
    """Listen to nothing: the default of every step."""
