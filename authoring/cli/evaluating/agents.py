"""`benchwright agents`: which there are, what one says of itself, whether it keeps to the protocol, and a new one."""

import shlex
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from authoring.cli.options import JsonOption
from authoring.cli.output import emit
from evaluator.agents import Agent, AgentCard, SupportsClose
from evaluator.agents.choice import (
    AGENT_HELP,
    AGENTS,
    COMMAND,
    IN_PROCESSES,
    agent_options,
    asks_model,
    parse_agent,
    runs_in_processes,
)
from evaluator.agents.describing import SUBMITTED, about_agent, described_model_agent, options_of
from evaluator.agents.process.launching import LaunchOptions
from evaluator.agents.process.package_command import NotInstalledError, is_package, model_of_package
from evaluator.agents.process.process_agent import RunInfo
from evaluator.agents.sdk import benchwright_agent
from evaluator.errors import UsageError, error_from_os
from evaluator.models import ModelSettings
from evaluator.plugins import AGENTS as PLUGINS
from evaluator.plugins import plugin_entries
from evaluator.reporting.text_tables import text_table
from evaluator.session import AgentNetwork, SandboxChoice, resolve_backend

_HELP = """Agents: which there are, what one says of itself, whether it keeps to the protocol, and a new one.

AGENT is whatever `benchwright run --agent` takes, or a bare command such as 'python my_agent.py'."""
_TEMPLATE: Final = Path(benchwright_agent.__file__).parents[1] / "new_agent"

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="As --agent takes it, or a bare command.")]
EnvironmentOption = Annotated[
    str | None, typer.Option("--agent-environment", help="The environment that a command runs in.  [default: this one]")
]
NetworkOption = Annotated[AgentNetwork, typer.Option("--agent-network", help="What a command reaches.")]
FolderOption = Annotated[
    Path | None,
    typer.Option("--agent-folder", help="The folder that a command can read.  [default: the folder of its file]"),
]
VariableOption = Annotated[
    list[str] | None, typer.Option("--agent-variable", help="A variable of your environment that a command is given.")
]
SandboxOption = Annotated[SandboxChoice, typer.Option(help="none is your consent to run a command unprotected.")]


def register(app: typer.Typer) -> None:
    """Add the command and its four subcommands."""
    commands = typer.Typer(help=_HELP, no_args_is_help=True)
    commands.command("list", help="List the agents that have a name.")(list_all)
    commands.command("describe", help="Show what an agent says of itself.")(describe)
    commands.command("check", help="Test that an agent keeps to the protocol, and list what fails.")(check)
    commands.command("new", help="Write a working agent with a test into a new folder.")(new)
    app.add_typer(commands, name="agents")


def list_all(as_json: JsonOption = False) -> int:
    """List the agents of the program and of plug-ins."""
    own = [{"agent": name, "about": AGENT_HELP[name], "options": _options(name)} for name in sorted(AGENTS)]
    own += [{"agent": name, "about": AGENT_HELP[name], "options": _options(name)} for name in IN_PROCESSES]
    entries = sorted(plugin_entries(PLUGINS).items())
    others = [{"agent": name, "about": f"plug-in: {entry.value}", "options": {}} for name, entry in entries]
    width = max(len(str(each["agent"])) for each in own + others)
    lines = [f"{each['agent']:{width}}  {each['about']}" for each in own + others]
    emit({"agents": own + others}, as_json, "\n".join(lines))
    return 0


def _options(name: str) -> dict[str, list[str]]:
    """Return what may be written for each option of an agent."""
    return {option: list(each.words) or [each.form] for option, each in agent_options(name).items()}


def describe(
    agent: AgentArgument,
    agent_environment: EnvironmentOption = None,
    agent_network: NetworkOption = AgentNetwork.NONE,
    agent_folder: FolderOption = None,
    agent_variable: VariableOption = None,
    sandbox: SandboxOption = SandboxChoice.AUTO,
    as_json: JsonOption = False,
) -> int:
    """Show an agent's card, and its options; of a package that is not installed the options alone."""
    options = options_of(agent)
    launch = partial(_launch_options, agent_environment, agent_network, agent_folder, agent_variable, sandbox)
    try:
        card = _card(agent, launch)
        said, shown = _card_json(card), _card_text(card)
    except NotInstalledError as error:
        said = {"name": agent.partition(":")[0], "not_installed": error.what, "fix": error.fix}
        shown = f"{error.what}\n{error.fix}"
    told = {"about": about_agent(agent) or None, "options": [each.to_json() for each in options]}
    rows = [[each.name, each.value or "-", each.default or "-", each.form] for each in options]
    table = text_table(["option", "value", "default", "what may be written"], rows, numbers_from=4) if rows else ""
    emit({**said, **told}, as_json, "\n\n".join(filter(None, [about_agent(agent), shown, table])))
    return 0


def _card(agent: str, launch: Callable[[], LaunchOptions]) -> AgentCard:
    if asks_model(agent):
        made: Agent = described_model_agent(agent)
    else:
        made = _made(agent, launch)
    try:
        return made.describe()
    finally:
        if isinstance(made, SupportsClose):
            made.close()


def check(
    agent: AgentArgument,
    agent_environment: EnvironmentOption = None,
    agent_network: NetworkOption = AgentNetwork.NONE,
    agent_folder: FolderOption = None,
    agent_variable: VariableOption = None,
    sandbox: SandboxOption = SandboxChoice.AUTO,
    timeout: Annotated[float, typer.Option(help="Seconds that one answer may take.")] = 120.0,
    as_json: JsonOption = False,
) -> int:
    """Check an agent; 1: it failed at a test."""
    from evaluator.agents.conformance import check_agent
    from evaluator.running import MAX_AGENT_TIMEOUT_S

    if not 0 < timeout <= MAX_AGENT_TIMEOUT_S:
        bounds = f"more than 0 and at most {MAX_AGENT_TIMEOUT_S:,.0f} seconds"
        raise UsageError(f"timeout is {timeout:g}, but must be {bounds}", fix="use --timeout 120")
    launch = partial(_launch_options, agent_environment, agent_network, agent_folder, agent_variable, sandbox)
    model = ModelSettings.from_env(model_of_package(agent) or None) if is_package(agent) else None
    report = check_agent(lambda: _made(agent, launch, model=model, timeout_s=timeout), timeout_s=timeout)
    emit(report.to_json(), as_json, report.to_text())
    return 0 if report.is_passed else 1


def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet, or empty.")],
    as_json: JsonOption = False,
) -> int:
    """Write a new agent."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            "the folder is not empty" if folder.is_dir() else "a file of that name exists",
            where=str(folder),
            fix="name a new or an empty folder",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sources = (*sorted(set(_TEMPLATE.glob("*.py")) - {_TEMPLATE / "__init__.py"}), Path(benchwright_agent.__file__))
        names = [shutil.copyfile(source, folder / source.name).name for source in sources]
    except OSError as error:
        raise error_from_os(error) from error
    command = f"python {shlex.quote(str(folder / 'agent.py'))}"
    text = f"{folder}: {', '.join(names)}\ncheck it: benchwright agents check {shlex.quote(command)}\n"
    text += f"run it: benchwright run BENCHMARK --agent {shlex.quote(f'cmd:{command}')} --out runs/my-agent"
    emit({"folder": str(folder), "files": names, "agent": f"cmd:{command}"}, as_json, text)
    return 0


def _made(
    agent: str,
    launch: Callable[[], LaunchOptions],
    *,
    model: ModelSettings | None = None,
    timeout_s: float = 600.0,
) -> Agent:
    """Return the agent that a name or a bare command stands for; only a command is launched."""
    text = agent
    if _is_bare_command(agent):
        text = f"{COMMAND}:{agent}"
    if not runs_in_processes(text):
        return parse_agent(text, timeout_s=timeout_s)
    return parse_agent(text, timeout_s=timeout_s, launch=launch(), run=RunInfo(model=model))


def _launch_options(
    environment: str | None,
    network: AgentNetwork,
    folder: Path | None,
    variables: list[str] | None,
    sandbox: SandboxChoice,
) -> LaunchOptions:
    from evaluator.environments import environment_named
    from evaluator.running.run_agent import granted_variables

    return LaunchOptions(
        backend=resolve_backend(sandbox, trusted=False),
        folder=folder,
        environment=environment_named(environment, where="--agent-environment") if environment else None,
        network=network,
        variables=granted_variables(variables or ()),
    )


def _is_bare_command(text: str) -> bool:
    """Return whether a text is a command line: its first word is a program, and no agent is called so."""
    name = text.partition(":")[0]
    if name in AGENTS or name in IN_PROCESSES or text in plugin_entries(PLUGINS):
        return False
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return " " in text.strip() or shutil.which(first) is not None


def _card_json(card: AgentCard) -> dict[str, Any]:
    return {
        "name": card.name,
        "version": card.version,
        "submits": card.submits.value,
        "variables": card.variables,
        "history": card.history,
        "files": card.files,
        "retry": card.retry,
        "max_sessions": card.max_sessions,
        "isolation": card.isolation or None,
        "notes": list(card.notes),
    }


def _card_text(card: AgentCard) -> str:
    shown = {name: value for name, value in _card_json(card).items() if value not in (None, [])}
    said = {True: "yes", False: "no"}
    shown["submits"] = f"{card.submits} ({SUBMITTED[card.submits]})"
    shown["notes"] = "; ".join(card.notes)
    lines = [f"{name}: {said[value] if isinstance(value, bool) else value}" for name, value in shown.items() if value]
    return "\n".join(lines)
