"""The table of agents that ask a model: their names, their options, and how one is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from evaluator.agents.choice import RECORDED
from evaluator.agents.model_agents.chat import CHAT_OPTIONS, ChatAgent
from evaluator.agents.model_agents.comment_program import COMMENT_PROGRAM_OPTIONS, CommentProgramAgent
from evaluator.agents.model_agents.notebook_chat import NOTEBOOK_CHAT_OPTIONS, NotebookChatAgent
from evaluator.agents.model_agents.plan import PLAN_OPTIONS, PlanAgent
from evaluator.agents.model_agents.react_cibench import ReactCibenchAgent
from evaluator.agents.model_agents.react_qwen import WRAPPERS, ReactQwenAgent
from evaluator.agents.model_agents.tools import TOOLS_OPTIONS, ToolsAgent
from evaluator.agents.options import Option, read_options
from evaluator.agents.protocol import Agent
from evaluator.models import ModelClient, ModelSettings
from evaluator.models.cassette import Cassette, RecordedClient
from evaluator.models.endpoint_faults import prefix_fault

MakeClient = Callable[[ModelSettings], ModelClient]
_RULES: Final = Option(words=("published", "sound"))
_REACT_CIBENCH: Final = MappingProxyType({"rules": _RULES, "result_role": Option(words=("system", "user"))})
_REACT_QWEN: Final = MappingProxyType(
    {"rules": _RULES, "wrapper": Option(words=tuple(WRAPPERS)), "strict_newline": Option(words=("true", "false"))}
)


@dataclass(frozen=True)
class ModelAgentKind:
    """One kind of agent that asks a model."""

    options: Mapping[str, Option]
    make: Callable[[ModelClient, Mapping[str, Any], Callable[[str], ModelClient]], Agent]


def _react_qwen(client: ModelClient, options: Mapping[str, Any], _other: object) -> Agent:
    if client.settings.provider != "openai":
        raise prefix_fault(client.settings)
    return ReactQwenAgent(client, **{**options, "strict_newline": options["strict_newline"] == "true"})


MODEL_AGENTS: Final[Mapping[str, ModelAgentKind]] = MappingProxyType(
    {
        "chat": ModelAgentKind(CHAT_OPTIONS, lambda client, told, other: ChatAgent(client, told, embedder=other)),
        "tools": ModelAgentKind(TOOLS_OPTIONS, lambda client, told, _: ToolsAgent(client, told)),
        "plan": ModelAgentKind(PLAN_OPTIONS, lambda client, told, _: PlanAgent(client, told)),
        "notebook-chat": ModelAgentKind(NOTEBOOK_CHAT_OPTIONS, lambda client, told, _: NotebookChatAgent(client, told)),
        "comment-program": ModelAgentKind(
            COMMENT_PROGRAM_OPTIONS, lambda client, told, _: CommentProgramAgent(client, told)
        ),
        "react-cibench": ModelAgentKind(_REACT_CIBENCH, lambda client, told, _: ReactCibenchAgent(client, **told)),
        "react-qwen": ModelAgentKind(_REACT_QWEN, _react_qwen),
    }
)
"""Name -> its options, and what makes one of a client, of their values, and of what makes clients of other models."""


def model_agent(text: str, client: MakeClient = ModelClient) -> Agent:
    """Return an agent that asks a model.

    Args:
        text: `AGENT:MODEL?OPTION=WORD&...`, the model perhaps as `anthropic:MODEL` or `google:MODEL`; without a model
            it is the one that BENCHWRIGHT_MODEL names, and `AGENT:recorded:FOLDER` answers from a cassette.
        client: Makes the model's client, with a budget and a transcript where they are wanted.

    Raises:
        UsageError: If an option or its word is not known, the agent asks in a way that the provider has not, or there
            is no such cassette.
        ToolkitError: If no model is named, there is no key, or the provider's Python client is not installed.
    """
    name, _, rest = text.partition(":")
    model, _, written = rest.partition("?")
    kind = MODEL_AGENTS[name]
    options = read_options(name, written, kind.options)
    if model.startswith(RECORDED):
        cassette = Cassette.recorded(Path(model.removeprefix(RECORDED)))
        model, client = cassette.model, lambda settings: RecordedClient(settings, cassette)
    asked = client(ModelSettings.from_env(model or None))
    return kind.make(asked, options, lambda other: client(ModelSettings.from_env(other)))
