"""The agent that a run names; of one in processes of its own, how they are started and what they are told."""

import hashlib
import os
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from evaluator.agents import Agent, asks_model, is_recorded, model_agent, parse_agent
from evaluator.agents.choice import COMMAND, process_command, runs_in_processes
from evaluator.agents.process.launching import LaunchOptions, parse_command
from evaluator.agents.process.package_command import is_package, model_of_package, package_text
from evaluator.agents.process.process_agent import RunInfo
from evaluator.environments import environment_named
from evaluator.errors import UsageError
from evaluator.installation import HOME
from evaluator.language import MANIFEST_NAMES
from evaluator.models import Budget, ModelClient, ModelSettings, price_of
from evaluator.models.budget import PRICES_VARIABLE
from evaluator.models.metering import ProxyLimits
from evaluator.models.proxy import refuse_other_interfaces
from evaluator.running.config import RunConfig
from evaluator.running.run_folder import RECORDS
from evaluator.session import AgentNetwork, resolve_backend

LOG: Final = "agent.log"
"""In a run's folder: what processes of the agent wrote on stderr."""

WORKSPACE: Final = "workspace.sqlite"
"""The database of a workspace of authors."""
_MARKS: Final = frozenset({*MANIFEST_NAMES, RECORDS, WORKSPACE})
"""What a folder holds that is a benchmark, a run or a workspace of authors."""
_PATH: Final = re.compile(
    r"(/|\.{1,2}/|~/)[^\n]*|[^\s:-][^\s:]*\.(py|js|mjs|ts|sh|rb|pl|jar|json|jsonl|ya?ml|toml|ini|cfg|txt|md|csv|db|sqlite)"
)
"""An argument that is the path of a file by its shape."""
_PASSED_OVER: Final = frozenset({".venv", "node_modules", "__pycache__"})
_MOST_LOOKED_AT: Final = 20_000


def agent_of_run(
    config: RunConfig,
    purse: Budget | None = None,
    clients: Callable[[ModelSettings], ModelClient] | None = None,
    *,
    has_log: bool = True,
    hidden: Sequence[Path] = (),
) -> Agent:
    """Return the agent that a run names.

    Args:
        config: Of the run.
        purse: What the agent may ask of a model in all; None: there is no limit.
        clients: Makes the clients of an agent that asks a model itself; None: those that ask, within the purse.
        has_log: Whether what its processes write on stderr is kept in the run's folder, which their start makes then.
        hidden: More that its processes must not see, beside benchmarks and runs: the same on another machine.

    Raises:
        UsageError: If there is none, or an option of the run is for other agents.
        ContentError: If the named file is broken.
        ToolkitError: If an agent's process cannot be kept apart here.
    """
    if not runs_in_processes(config.agent):
        _refuse_process_options(config)
        if asks_model(config.agent):
            return model_agent(config.agent, clients or (lambda settings: ModelClient(settings, purse=purse)))
        return parse_agent(config.agent, allow_mismatch=config.allow_mismatch, timeout_s=config.agent_timeout_s)
    refuse_model_options(config)
    model = _granted_model(config)
    if model is not None:
        where = f"agent {config.agent!r}" if is_package(config.agent) else "--agent-model"
        refuse_other_interfaces(model, where)
    if model is not None and purse is not None and purse.budget.cost is not None and price_of(model.model) is None:
        fix = f"name a table of prices that holds it in {PRICES_VARIABLE}, or limit tokens instead"
        raise UsageError(f"no price is known of the model {model.model!r}", where="budget of cost", fix=fix)
    policies = {"state": config.policies.state.value, "history": config.policies.history.value}
    return parse_agent(
        config.agent,
        timeout_s=config.agent_timeout_s,
        launch=launch_options(config, has_log=has_log, hidden=hidden),
        run=RunInfo(
            config.out.name,
            config.rng_seed,
            policies=policies,
            has_tools=config.executions > 0,
            model=model,
            limits=ProxyLimits(config.agent_calls, config.agent_tokens),
            purse=purse,
        ),
    )


def _granted_model(config: RunConfig) -> ModelSettings | None:
    """Return the model that an agent's process may ask, through us."""
    if not is_granted_model(config):
        return None
    named = model_of_package(config.agent) if is_package(config.agent) else config.agent_model
    return ModelSettings.from_env(named or None)


def is_granted_model(config: RunConfig) -> bool:
    """Return whether an agent's process may ask a model, through us, with a client of its own."""
    return is_package(config.agent) or config.agent_network is AgentNetwork.MODEL


def names_its_model(config: RunConfig) -> bool:
    """Return whether a run says which model its agent's process may ask; false where BENCHWRIGHT_MODEL does."""
    named = model_of_package(config.agent) if is_package(config.agent) else config.agent_model
    return not is_granted_model(config) or bool(named)


def model_asked(config: RunConfig) -> str:
    """Return the name of the model that a run's agent asks, itself or through us; empty: it asks none of ours.

    Raises:
        UsageError, ToolkitError: If no model is named, or its name cannot be read.
    """
    if is_granted_model(config):
        granted = _granted_model(config)
        return granted.model if granted is not None else ""
    if not asks_model(config.agent) or is_recorded(config.agent):
        return ""
    return ModelSettings.from_env(config.agent.partition(":")[2].partition("?")[0] or None).model


def launch_options(config: RunConfig, *, has_log: bool = True, hidden: Sequence[Path] = ()) -> LaunchOptions:
    """Return how processes of a run's agent are started: without sight of benchmarks, of the run and of our seeds.

    The run's folder is not made before a process starts, and hidden nevertheless.

    Raises:
        UsageError: If the agent's environment does not exist, or its folder is one that it must not see.
        ToolkitError: If there is no sandbox.
    """
    named = config.agent_environment
    options = LaunchOptions(
        backend=resolve_backend(config.sandbox, trusted=False),
        folder=config.agent_folder,
        environment=environment_named(named, where="--agent-environment") if named else None,
        network=config.agent_network,
        variables=granted_variables(config.agent_variables),
        hidden=(*paths_hidden(config), *(path for path in hidden if path.exists())),
        log=config.out / LOG if has_log else None,
    )
    folder = process_command(config.agent, options).folder
    if folder == Path("/"):  # it has none, and sees nothing but the system
        return options
    if options.backend != "none" and (folder / WORKSPACE).exists():  # its files come and go: they cannot all be hidden
        what = "the agent lies in the folder of a workspace, whose database and backups hold reference code"
        fix = "move the agent's files into a folder of their own, which may lie in there"
        raise UsageError(what, where=str(folder), fix=fix)
    return replace(options, hidden=(*options.hidden, *_answers_in(folder)))


def paths_hidden(config: RunConfig) -> tuple[Path, ...]:
    """Return what processes of a run's agent must not see, wherever it lies: benchmarks, runs, our seeds and tests."""
    shipped = tuple(HOME / name for name in ("problemsets", "seeds", "tests", ".git"))
    seen = (config.benchmark, *_runs_beside(config.out), *shipped)
    return (config.out.absolute(), *(path.absolute() for path in seen if path.exists()))


def granted_variables(names: Sequence[str]) -> dict[str, str]:
    """Return the variables of our environment that an agent's process is given.

    Raises:
        UsageError: If one of them is not set here.
    """
    for name in names:
        if name not in os.environ:
            what = f"there is no environment variable {name!r} to give to the agent"
            raise UsageError(what, where="--agent-variable", fix=f"export {name}=..., or leave it out")
    return {name: os.environ[name] for name in names}


def _answers_in(folder: Path) -> list[Path]:
    """Return what within an agent's folder may hold answers: benchmarks, runs, workspaces, and histories of files.

    At most `_MOST_LOOKED_AT` files and folders are looked at, the outer ones first.
    """
    found, waiting, looked_at = list[Path](), deque([folder]), 0
    while waiting and looked_at < _MOST_LOOKED_AT:
        here = waiting.popleft()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue  # what we cannot read, its process cannot
        looked_at += len(entries)
        if here != folder and any(entry.name in _MARKS for entry in entries):
            found.append(here)
            continue
        for entry in entries:
            if entry.name == ".git" or (here == folder and entry.name in _MARKS):
                found.append(Path(entry.path))
            elif entry.is_dir(follow_symlinks=False) and entry.name not in _PASSED_OVER:
                waiting.append(Path(entry.path))
    return found


def _runs_beside(out: Path) -> list[Path]:
    """Return the folders beside a run's that hold runs: records of an oracle are the answers."""
    try:
        return [path for path in out.absolute().parent.iterdir() if (path / RECORDS).exists()]
    except OSError:
        return []


def process_text(config: RunConfig) -> str:
    """Return what of an agent's process may change what it answers; empty where it has none."""
    if not runs_in_processes(config.agent):
        return ""
    is_packaged, name = is_package(config.agent), config.agent.partition(":")[0]
    network = AgentNetwork.MODEL if is_packaged else config.agent_network
    usual = name if is_packaged else "default"
    text = f"environment {config.agent_environment or usual}, network {network.value}"
    text += "" if is_packaged else f", command {_command_digest(config)}"
    text += f", folder {config.agent_folder}" if config.agent_folder is not None else ""
    text += f", variables {' '.join(sorted(config.agent_variables))}" if config.agent_variables else ""
    model = _granted_model(config)
    if model is None:
        return text
    limits = {"calls": config.agent_calls, "tokens": config.agent_tokens}
    told = "".join(f", {most} {name}" for name, most in limits.items() if most is not None)
    options = package_text(config.agent) if is_packaged else ""
    return f"{text} {model.model}{told}" + (f", options {options}" if options else "")


def _command_digest(config: RunConfig) -> str:
    """Return what tells commands apart wherever their files lie; not the command: keys may stand in it.

    Of the program and of what has the shape of a file's path only the names count, whether it is there now or not: the
    agent may write it. Slashes stand in prompts, addresses and names of models as well.
    """
    program, *words = parse_command(config.agent.partition(":")[2])
    words = [Path(word).name if _PATH.fullmatch(word) else word for word in words]
    words = [program.rpartition("/")[2] or program, *words]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]


def _refuse_process_options(config: RunConfig) -> None:
    given = {
        "--agent-environment": config.agent_environment,
        "--agent-network": None if config.agent_network is AgentNetwork.NONE else config.agent_network,
        "--agent-folder": config.agent_folder,
        "--agent-variable": config.agent_variables or None,
        "--agent-model": config.agent_model or None,
        "--agent-calls": config.agent_calls,
        "--agent-tokens": config.agent_tokens,
    }
    for option, value in given.items():
        if value is not None:
            what = f"{option} is for agents in processes of their own"
            raise UsageError(what, where=f"agent {config.agent!r}", fix=f"leave it out, or use {COMMAND}:'COMMAND'")


def refuse_model_options(config: RunConfig) -> None:
    """Refuse limits of a model that the agent's process is not granted.

    Raises:
        UsageError: If there are some, or one is no count.
    """
    for name, most in (("calls", config.agent_calls), ("tokens", config.agent_tokens)):
        if most is not None and most < 1:
            raise UsageError(f"agent-{name} is {most}, but must be at least 1", fix=f"use --agent-{name} 1 or more")
    if is_package(config.agent):
        if config.agent_model:
            what, fix = "the model of this agent stands in its name", f"write {config.agent.partition(':')[0]}:MODEL"
            raise UsageError(what, where=f"--agent-model {config.agent_model}", fix=fix)
        return
    given = config.agent_model or config.agent_calls or config.agent_tokens
    if given and config.agent_network is not AgentNetwork.MODEL:
        what = "--agent-model, --agent-calls and --agent-tokens are for agents that are granted a model"
        raise UsageError(what, where=f"--agent-network {config.agent_network}", fix="add --agent-network model")
