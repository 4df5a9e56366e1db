"""The table of agents, and what a name stands for: an agent of ours, a plug-in, a function in a file or a module."""

import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib.machinery import PathFinder
from pathlib import Path
from shlex import quote
from typing import Final
from urllib.parse import parse_qsl

from evaluator.agents.cheat import CheatAgent
from evaluator.agents.child import ChildAgent, Target
from evaluator.agents.fixtures import EmptyAgent, OracleAgent, VariedOracle
from evaluator.agents.options import Option
from evaluator.agents.process.cli_command import cli_command_of
from evaluator.agents.process.launching import AgentCommand, LaunchOptions, command_of
from evaluator.agents.process.package_command import AGENT_PACKAGES, package_command_of
from evaluator.agents.process.process_agent import ProcessAgent, RunInfo
from evaluator.agents.protocol import Agent
from evaluator.agents.replay import ReplayAgent
from evaluator.agents.solver import TIMEOUT_S
from evaluator.errors import UsageError, error_from_os
from evaluator.models import ModelClient, ModelSettings
from evaluator.models.interfaces import INTERFACES, OPENAI
from evaluator.plugins import AGENTS as PLUGINS
from evaluator.plugins import package_of, plugin_entries
from evaluator.registry import Registry, nearest_name


def _without_option(name: str, factory: Callable[[], Agent]) -> Callable[..., Agent]:
    def build(option: str | None, *, allow_mismatch: bool) -> Agent:  # noqa: ARG001 - the table's one signature
        if option is not None:
            raise UsageError(f"agent {name!r} takes no option, got {option!r}", fix=f"use {name!r} alone")
        return factory()

    return build


def _oracle(option: str | None, *, allow_mismatch: bool) -> Agent:  # noqa: ARG001 - the table's one signature
    if option not in (None, "varied"):
        raise UsageError(f"agent 'oracle' takes no option {option!r}", fix="use oracle or oracle:varied")
    return OracleAgent() if option is None else VariedOracle()


def _cheat(option: str | None, *, allow_mismatch: bool) -> Agent:  # noqa: ARG001 - the table's one signature
    return CheatAgent(option)


def _replay(option: str | None, *, allow_mismatch: bool) -> Agent:
    if not option:
        raise UsageError("agent 'replay' needs a records file", fix="use replay:FILE")
    return ReplayAgent.from_file(Path(option), allow_mismatch=allow_mismatch)


def _asking(name: str) -> Callable[..., Agent]:
    def build(option: str | None, *, allow_mismatch: bool) -> Agent:  # noqa: ARG001 - the table's one signature
        return model_agent(f"{name}:{option or ''}")

    return build


AGENTS: Final[Registry[Agent]] = Registry("agent")
"""Name -> factory(option after the colon or None, allow_mismatch)."""
AGENTS.add("oracle", _oracle)
AGENTS.add("empty", _without_option("empty", EmptyAgent))
AGENTS.add("cheat", _cheat)
AGENTS.add("replay", _replay)
MODEL_AGENT_NAMES: Final = ("chat", "tools", "plan", "notebook-chat", "comment-program", "react-cibench", "react-qwen")
"""Agents that ask a model; `evaluator.agents.model_agents.table` holds their options."""
for _name in MODEL_AGENT_NAMES:
    AGENTS.add(_name, _asking(_name))

COMMAND: Final = "cmd"
"""`cmd:COMMAND` is an agent in a process of its own."""
CLI: Final = "cli"
"""`cli:COMMAND` is somebody's command-line program, run once per attempt."""
IN_PROCESSES: Final[Mapping[str, Callable[[str, LaunchOptions], AgentCommand]]] = {
    COMMAND: command_of,
    CLI: cli_command_of,
    **{name: partial(package_command_of, name) for name in AGENT_PACKAGES},
}
"""What stands before the colon of an agent in processes of its own -> how they are started."""

AGENT_HELP: Final[Mapping[str, str]] = {
    "oracle": "returns the reference code, oracle:varied a harmless variation of it; correct everywhere",
    "empty": "returns an empty cell; never correct",
    "cheat": "guesses, and tries the attacks of the catalogue; a problem that it passes can be guessed",
    "replay": "replay:FILE submits what records, predictions or result lines hold",
    "chat": "chat:MODEL asks a model once for each attempt, as CoML does",
    "tools": "tools:MODEL lets a model call functions that execute code on a copy of the session",
    "plan": "plan:MODEL plans steps, writes and runs code for each, as the Data Interpreter does",
    "notebook-chat": "notebook-chat:MODEL asks with the bare query, as the chat of Jupyter AI does",
    "comment-program": "comment-program:MODEL asks for a program in which prose is comments, as Chapyter does",
    "react-cibench": "react-cibench:MODEL is CIBench's ReAct agent: thought, code, observation, until it finishes",
    "react-qwen": "react-qwen:MODEL is Qwen's ReAct agent: it continues one text after each execution",
    COMMAND: "cmd:'COMMAND' is an agent in a process of its own, in any language; see `benchwright agents new`",
    CLI: "cli:'COMMAND' runs a command-line program with the prompt and with tools over MCP",
    **{name: package.about for name, package in AGENT_PACKAGES.items()},
}
"""What each agent of the table does, in one line."""


def model_agent(text: str, client: Callable[[ModelSettings], ModelClient] = ModelClient) -> Agent:
    """Return an agent that asks a model, as `evaluator.agents.model_agents.table.model_agent` does."""
    from evaluator.agents.model_agents import table  # late: agents that ask no model need none of it

    return table.model_agent(text, client)


def agent_options(name: str) -> Mapping[str, Option]:
    """Return the options that may be written behind an agent's name, as `NAME:MODEL?OPTION=WORD`; many have none."""
    if name in AGENT_PACKAGES:
        return AGENT_PACKAGES[name].options
    if name not in MODEL_AGENT_NAMES:
        return {}
    from evaluator.agents.model_agents import table

    return table.MODEL_AGENTS[name].options


def runs_in_processes(agent: str) -> bool:
    """Return whether an agent of that name has processes of its own."""
    return agent.partition(":")[0] in IN_PROCESSES


def process_command(agent: str, options: LaunchOptions) -> AgentCommand:
    """Return how the processes of such an agent are started.

    Raises:
        UsageError: If its command cannot be read, or names what is not there.
        ToolkitError: If something that it needs is not installed.
    """
    name, _, text = agent.partition(":")
    return IN_PROCESSES[name](text, options)


def asks_model(agent: str) -> bool:
    """Return whether an agent of that name asks a language model."""
    return agent.partition(":")[0] in MODEL_AGENT_NAMES


RECORDED: Final = "recorded:"
"""`AGENT:recorded:FOLDER` answers from what a model replied before."""


def is_recorded(agent: str) -> bool:
    """Return whether an agent of that name answers from a cassette."""
    return asks_model(agent) and agent.partition(":")[2].startswith(RECORDED)


def names_files(agent: str) -> bool:
    """Return whether an agent is code of somebody's own, or reads files of this machine that its text names."""
    name, _, rest = agent.partition(":")
    if name in (COMMAND, CLI, "replay"):
        return True
    if name in MODEL_AGENT_NAMES or name in AGENT_PACKAGES:
        model, _, options = rest.partition("?")
        shots = dict(parse_qsl(options, keep_blank_values=True)).get("shots", "")
        return model.startswith(RECORDED) or shots not in ("", "shipped", "none")
    return name not in AGENTS and agent not in plugin_entries(PLUGINS)


def parse_agent(
    text: str,
    *,
    allow_mismatch: bool = False,
    timeout_s: float = TIMEOUT_S,
    allow_files: bool = True,
    launch: LaunchOptions | None = None,
    run: RunInfo | None = None,
) -> Agent:
    """Return the agent that a name stands for: of our table, else a plug-in, else in a file, else in a module.

    Args:
        text: Such as "oracle", "replay:records.jsonl", "chat:some-model", "my_agent.py:solve", "package.module:name",
            "cmd:python my_agent.py", "cli:some-program -p {prompt}".
        allow_mismatch: Let a replay answer a problem whose query text has changed since.
        timeout_s: What one call of an agent that is not ours may take (s).
        allow_files: Whether files, modules and commands are looked for: whoever names one runs any code here.
        launch: How processes of `cmd:COMMAND` and `cli:COMMAND` are started.
        run: What such a process is told of the run.

    Raises:
        UsageError: If there is no such agent (the fix names the nearest) or the option does not fit.
        ContentError: If the named file is broken.
        ToolkitError: If a model is asked for, and none is named or there is no key.
    """
    name, colon, option = text.partition(":")
    if runs_in_processes(text) and allow_files:
        return ProcessAgent(process_command(text, launch or LaunchOptions()), run, timeout_s=timeout_s)
    if name in AGENTS:
        return AGENTS.get(name)(option if colon else None, allow_mismatch=allow_mismatch)
    target = _plugin(text) or (_in_file(text) or _in_module(text) if allow_files else None)
    if target is not None:
        return ChildAgent(target, timeout_s=timeout_s)
    raise _unknown(text, allow_files)


def _plugin(text: str) -> Target | None:
    entry = plugin_entries(PLUGINS).get(text)
    if entry is None:
        return None
    version = entry.dist.version if entry.dist is not None else "1"
    return Target("module", entry.module, entry.attr or "solve", text, version, package_of(entry))


def _in_file(text: str) -> Target | None:
    """Return the function that `FILE:NAME` means if there is such a file; its version is what stands in it."""
    place, colon, name = text.rpartition(":")
    path = Path(place)
    if not colon or not name or not path.is_file():
        return None
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise error_from_os(error) from error
    return Target("file", str(path.resolve()), name, text, digest[:12])


def _in_module(text: str) -> Target | None:
    """Return the function that `MODULE:NAME` means if its outermost package can be found; nothing is imported here."""
    place, colon, name = text.partition(":")
    if not colon or not name or not all(part.isidentifier() for part in place.split(".")) or place in INTERFACES:
        return None
    if place.endswith(".py"):  # a file that is not there, beside a folder of its name
        return None
    found = PathFinder.find_spec(place.partition(".")[0], [str(Path.cwd()), *sys.path])
    return None if found is None else Target("module", place, name, text)


def _unknown(text: str, allow_files: bool) -> UsageError:
    """Return the error for a name that stands for nothing; it tells what was looked for."""
    name, colon, _ = text.partition(":")
    if colon and name in INTERFACES:
        what = f"{text!r} is a model, and no agent is called {name!r}"
        asked = text if name != OPENAI.provider else text.partition(":")[2]
        return UsageError(what, fix=f"name the agent that asks it: chat:{asked}")
    known = sorted({*AGENTS, *IN_PROCESSES, *plugin_entries(PLUGINS)})
    near = nearest_name(name, known)
    place = text.rpartition(":")[0] if colon else text
    if not allow_files:
        fix = f"use one of {', '.join(known)}; agents in files run from the command line"
        return UsageError(f"no agent is called {name!r}", fix=f"use {near!r}" if near else fix)
    is_path = place.endswith(".py") or (bool(colon) and "/" in place)
    if is_path and not os.path.isfile(place):
        what = f"no agent is called {text!r}: there is no file {place!r}"
        return UsageError(what, where=f"agent {text!r}", fix="check the path, and name a file as FILE.py:NAME")
    what = f"no agent is called {name!r}"
    if colon:
        what += ", and there is no module of that name"
    others = "name your own as FILE.py:NAME or MODULE:NAME"
    if os.path.exists(text):  # a name that no path can have is none, too
        return UsageError(
            f"{what}, and a file needs to be told how it is run", where=text, fix=_how_to_name(Path(text))
        )
    fix = f"use {near!r}" if near else f"use one of {', '.join(known)}, or {others}"
    return UsageError(what, fix=fix)


def _how_to_name(path: Path) -> str:
    """Return how a file or folder that is there is named as an agent, as a shell takes it."""
    script = path / "agent.py" if path.is_dir() else path
    program = "python" if script.suffix == ".py" else "PROGRAM"
    command = quote(f"cmd:{program} {quote(str(script))}")
    return f"write {command} for one that speaks the protocol, or FILE.py:NAME for a function or class in Python"
