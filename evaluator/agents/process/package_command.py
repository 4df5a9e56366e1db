"""Agents that are packages, such as `smolagents:MODEL?max_steps=8`: a small file of ours, run where the package is.

What they work as, and where they differ from the package alone, stands in the adapter of each. Their pins contradict
each other and ours, so each has an environment of its own, and its model is reached through us.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from evaluator.agents import adapters, sdk
from evaluator.agents.options import Option, number, read_options, whole_number, written_options
from evaluator.agents.process.launching import AgentCommand, LaunchOptions
from evaluator.environments import environment_named
from evaluator.errors import ToolkitError, UsageError
from evaluator.registry import nearest_name
from evaluator.session import AgentNetwork, Environment

_ADAPTERS: Final = Path(adapters.__file__).parent
_SDK: Final = Path(sdk.__file__).parent
_ORDERS: Final = ("vcr", "cvr", "rvc", "rcv", "vr", "rv", "cr", "rc", "r")  # of variables, code, request
_SUBMIT: Final = Option(words=("joined", "last"))  # all cells that ran without an error, or the last


def _asked(max_tokens: int, temperature: float = 0.0) -> Mapping[str, Option]:
    """Return what is asked of the model itself, with these defaults."""
    return {
        "temperature": Option(read=number(0, 2), default=temperature, form="a number from 0 to 2"),
        "max_tokens": Option(read=whole_number(1, 1_000_000), default=max_tokens, form="a whole number from 1 on"),
    }


def _shots(text: str) -> int | float:
    """Return how many examples CoML is given: 0.5 and 1.0 are shares of all it has, 1 and 3 are counts."""
    return number(0, 1)(text) if "." in text else whole_number(0, 1_000)(text)


class NotInstalledError(ToolkitError):
    """The package of an agent is in no environment; the remedy makes one."""


@dataclass(frozen=True)
class AgentPackage:
    """A package that holds an agent, and how ours of that name is made of it."""

    about: str  # in one line
    distribution: str  # as an index calls it, in lower case
    options: Mapping[str, Option]


AGENT_PACKAGES: Final[Mapping[str, AgentPackage]] = MappingProxyType(
    {
        "coml": AgentPackage(
            "coml:MODEL is CoML itself, which `chat` follows; a later attempt is its repair",
            "mlcopilot",
            MappingProxyType(
                {
                    "num_examples": Option(read=_shots, default=1.0, form="a share such as 0.5, or a count such as 3"),
                    "chain_of_thought": Option(words=("off", "on")),
                    "intact_instruction": Option(words=("on", "off")),
                    "context_order": Option(words=_ORDERS),
                    "prompt_version": Option(words=("v2", "v1", "kaggle", "leetcode", "matplotlib", "seaborn")),
                    **_asked(1000),
                }
            ),
        ),
        "codeinterpreterapi": AgentPackage(
            "codeinterpreterapi:MODEL hands in the code of the next tool call of that package's agent",
            "codeinterpreterapi",
            MappingProxyType({**_asked(1000, temperature=0.03)}),
        ),
        "open-interpreter": AgentPackage(
            "open-interpreter:MODEL lets Open Interpreter work on a copy of the session",
            "open-interpreter",
            MappingProxyType(
                {
                    "submit": _SUBMIT,
                    "context_window": Option(
                        read=whole_number(1_000, 10_000_000), default=16_000, form="a whole number from 1000 on"
                    ),
                    **_asked(2000),
                }
            ),
        ),
        "smolagents": AgentPackage(
            "smolagents:MODEL lets the code agent of smolagents work on a copy of the session",
            "smolagents",
            MappingProxyType(
                {
                    "submit": _SUBMIT,
                    "max_steps": Option(read=whole_number(1, 100), default=10, form="a whole number from 1 to 100"),
                    "stop": Option(words=("on", "off")),
                    **_asked(2000),
                }
            ),
        ),
    }
)
"""Name of the agent, and of the environment that is looked for -> its package."""


def is_package(agent: str) -> bool:
    """Return whether an agent of that name is a package's."""
    return agent.partition(":")[0] in AGENT_PACKAGES


def model_of_package(agent: str) -> str:
    """Return the model that such an agent's name holds; empty: the one that BENCHWRIGHT_MODEL names."""
    return agent.partition(":")[2].partition("?")[0]


def package_text(agent: str) -> str:
    """Return what of such an agent's name may change what it answers, beside its model: options that are no defaults.

    Raises:
        UsageError: If an option or its word is not known.
    """
    name, _, text = agent.partition(":")
    known = AGENT_PACKAGES[name].options
    return written_options(read_options(name, text.partition("?")[2], known), known)


def package_title(agent: str, model: str) -> str:
    """Return what such an agent is called in records: with the model that it asks, and options that are no defaults."""
    text = package_text(agent)
    return f"{agent.partition(':')[0]}:{model}" + (f"?{text}" if text else "")


def package_command_of(name: str, text: str, options: LaunchOptions) -> AgentCommand:
    """Return how an agent is started that is a package's.

    Args:
        name: Of the agent.
        text: `MODEL?OPTION=WORD&...`.
        options: How its process is started; without an environment it is the one of the agent's name.

    Raises:
        UsageError: If an option or its word is not known, or it is to reach more than a model.
        NotInstalledError: If there is no such environment, or the package is not in it.
    """
    written = f"{name}:{text}"
    values = read_options(name, text.partition("?")[2], AGENT_PACKAGES[name].options)
    if model_of_package(written).startswith("recorded:"):
        what = "recorded replies cannot be given to this agent: it asks its model with a client of its own"
        raise UsageError(what, where=f"agent {written!r}", fix="name a model, or use chat:recorded:FOLDER or its like")
    if options.network is AgentNetwork.FULL or options.folder is not None:
        what = "this agent reaches its model through us, and no file of yours"
        raise UsageError(what, where=f"agent {written!r}", fix="leave out --agent-network and --agent-folder")
    return AgentCommand(
        ("python", str(_ADAPTERS / f"{name.replace('-', '_')}_agent.py"), json.dumps(values)),
        Path("/"),
        options.backend,
        environment=_environment_of(name, options.environment, written),
        network=AgentNetwork.MODEL,
        variables=options.variables,
        readable=(str(_ADAPTERS), str(_SDK)),
        hidden=options.hidden,
        log=options.log,
        written=written,
    )


def requirements_of(name: str) -> Path:
    """Return the file that says what the environment of a package's agent holds.

    Raises:
        UsageError: If no package's agent is called so.
    """
    if name not in AGENT_PACKAGES:
        near = nearest_name(name, list(AGENT_PACKAGES))
        fix = f"use {near!r}" if near else f"use one of {', '.join(AGENT_PACKAGES)}"
        raise UsageError(f"no agent that is a package is called {name!r}", fix=fix)
    return _ADAPTERS / f"{name.replace('-', '_')}_requirements.txt"


def _environment_of(name: str, named: Environment | None, written: str) -> Environment:
    """Return where an agent's package is installed."""
    make = f"benchwright env create {name} --for-agent {name}"
    if named is None:
        try:
            named = environment_named(name)
        except UsageError as error:
            what = f"the package of this agent is not installed: there is no environment {name!r}"
            raise NotInstalledError(what, where=f"agent {written!r}", fix=f"make it: {make}") from error
    if AGENT_PACKAGES[name].distribution not in named.packages:
        what = f"the environment {named.name!r} holds no {AGENT_PACKAGES[name].distribution}"
        raise NotInstalledError(what, where=f"agent {written!r}", fix=f"make one that does: {make}")
    return named
