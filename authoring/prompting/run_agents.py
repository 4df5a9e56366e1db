"""The agents of a run: those of the evaluator, and `chat:MODEL`, which asks a language model."""

from collections.abc import Callable
from typing import Final

from authoring.prompting.reference_agent import ChatAgent
from evaluator.agents import Agent, parse_agent
from evaluator.models import ModelClient, ModelSettings

CHAT: Final = "chat"


def asks_model(agent: str) -> bool:
    """Return whether an agent of that name asks a language model."""
    return agent.partition(":")[0] == CHAT


def open_run_agent(
    agent: str, *, client: Callable[[ModelSettings], ModelClient], allow_mismatch: bool = False
) -> Agent:
    """Return the agent that `chat`, `chat:MODEL`, or any name of the evaluator's table stands for.

    Args:
        agent: Such as "oracle" or "chat:some-model"; `chat` alone asks the model that BENCHWRIGHT_MODEL names.
        client: Makes the model's client, with its budget.
        allow_mismatch: Let a replay answer a problem whose query text has changed since.

    Raises:
        UsageError: If there is no such agent or the option does not fit.
        ContentError: If a named file is broken.
        ToolkitError: If no model is named, or there is no key.
    """
    if asks_model(agent):
        return ChatAgent(client(ModelSettings.from_env(agent.partition(":")[2] or None)))
    return parse_agent(agent, allow_mismatch=allow_mismatch)
