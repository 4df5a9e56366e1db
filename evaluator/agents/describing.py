"""What an agent is for people who have not asked it yet: what it does, its options, no key needed."""

from dataclasses import dataclass
from typing import Any

from evaluator.agents.choice import AGENT_HELP, agent_options, model_agent
from evaluator.agents.options import read_options
from evaluator.agents.protocol import Agent, Submits
from evaluator.errors import ToolkitError
from evaluator.models import Completion, ModelClient, ModelRequest, ModelSettings, configured_model

SUBMITTED = {
    Submits.CODE: "a cell; what it executes before that is tried on a scratch copy and never judged",
    Submits.SESSION: "all that it executes in the session, and the cell that it returns",
    Submits.TEXT: "an answer in prose, which `final_answer` judges; a cell beside it, if any, the other validators",
}
"""What an agent submits, in words."""


@dataclass(frozen=True)
class DescribedOption:
    """One option of an agent, as it is written behind the model's name."""

    name: str
    value: str  # that holds; empty: none
    default: str
    form: str  # what may be written

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, "value": self.value, "default": self.default, "form": self.form}


class UnaskedClient(ModelClient):
    """Stands for a model that nobody asks: it needs no key and no package."""

    def __init__(self, settings: ModelSettings) -> None:
        """Take the settings."""
        self.settings = settings

    def answer(self, request: ModelRequest, on_progress: object = None) -> Completion:
        """Refuse."""
        del request, on_progress
        raise ToolkitError("an agent that is described asks no model", where=self.settings.host)


def described_model_agent(text: str) -> Agent:
    """Return an agent that asks a model, to be described only; without a model in its name any will do.

    Raises:
        UsageError: If an option or its word is not known.
    """
    name, _, rest = text.partition(":")
    model, mark, written = rest.partition("?")
    if not model.strip() and configured_model() is None:
        text = f"{name}:MODEL{mark}{written}"
    return model_agent(text, UnaskedClient)


def about_agent(text: str) -> str:
    """Return what an agent of ours does, in one line; empty for others."""
    return AGENT_HELP.get(text.partition(":")[0], "")


def options_of(text: str) -> tuple[DescribedOption, ...]:
    """Return the options of an agent, with what holds; many agents have none.

    Raises:
        UsageError: If an option or its word is not known.
    """
    name, _, rest = text.partition(":")
    known = agent_options(name)
    if not known:  # a question mark in a command is its own
        return ()
    values = read_options(name, rest.partition("?")[2], known)
    return tuple(
        DescribedOption(
            each, _shown(values[each]), _shown(option.default_value), " | ".join(option.words) or option.form
        )
        for each, option in known.items()
    )


def _shown(value: object) -> str:
    return "" if value is None else str(value)
