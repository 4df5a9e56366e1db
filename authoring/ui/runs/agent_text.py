"""An agent as the command line takes it, `chat:MODEL?encoding=lida`, and as fields of a form. Pure: no Streamlit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from evaluator.agents import AGENTS, choice
from evaluator.agents.choice import CLI, COMMAND, MODEL_AGENT_NAMES, RECORDED, agent_options
from evaluator.agents.options import Number, WholeNumber, read_options
from evaluator.agents.process.launching import parse_command
from evaluator.agents.process.package_command import AGENT_PACKAGES, is_package
from evaluator.errors import ToolkitError, UsageError
from evaluator.plugins import AGENTS as PLUGINS
from evaluator.plugins import plugin_entries
from evaluator.registry import nearest_name

FUNCTION: Final = "function"
REPLAY: Final = "replay"
OWN: Final = (COMMAND, CLI, FUNCTION)
"""Agents that are programs of somebody's own."""
TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "oracle": "oracle: the reference code",
        "oracle:varied": "oracle:varied: the reference, written otherwise",
        "empty": "empty: answers nothing",
        "cheat": "cheat: guesses and lies",
        REPLAY: "replay: the submissions of an earlier run",
        "chat": "chat: a language model, asked once",
        "tools": "tools: a model that calls functions",
        "plan": "plan: a model that plans, writes and runs",
        "notebook-chat": "notebook-chat: a model, as Jupyter AI asks it",
        "comment-program": "comment-program: a model, as Chapyter asks it",
        "react-cibench": "react-cibench: a model, as CIBench asks it",
        "react-qwen": "react-qwen: a model, as the Qwen benchmark asks it",
        COMMAND: "cmd: a program of your own",
        CLI: "cli: a program with a command line",
        FUNCTION: "FILE.py:NAME: a Python function",
    }
)
NEEDS_KEY: Final = " (needs a key)"
OWN_FIELDS: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        COMMAND: ("Command", "python agents/my_agent.py", "It speaks the protocol of Help, Agents of your own."),
        CLI: ("Command", "some-program -p {prompt} --mcp-config {mcp_config}", "It runs once for each attempt."),
        FUNCTION: (
            "Function",
            "agents/my_agent.py:solve",
            "FILE.py:NAME, or package.module:NAME; it runs unprotected.",
        ),
    }
)
"""Of each agent of somebody's own its field: title, example and help."""
_ABOUT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "context": "Order of what is shown: v variables, c code, q query; v and c may be left out.",
        "encoding": "How variables are described; the forms stand under Help, Agents of your own.",
        "shots": "Examples: shipped, none, or the path of a YAML file.",
        "shots_count": "How many examples are shown.",
        "shots_fraction": "Which share of the examples is shown, from 0 to 1; in place of a count.",
        "rank_shots": "knn: the examples whose queries are nearest.",
        "embedding": "A model that embeds queries for knn; without one, character trigrams do.",
        "nearest": "Where the nearest example stands.",
        "thinking": "chain: reasons are asked for, and shown in the examples.",
        "intact_rule": "off: the user's variables may be changed.",
        "history_queries": "on: own earlier cells carry their queries as comments.",
        "ensemble": "Number of replies; the likeliest is submitted.",
        "repair": "How a later attempt is asked.",
        "refresh_context": "on: a repair is shown the variables and code of now.",
        "context_tokens": "Context window in tokens; prompts estimated to be longer are shortened. 0: no estimate.",
        "temperature": "0: the likeliest words.",
        "max_tokens": "The most tokens of one reply.",
        "variant": "codeinterpreter: as DSEval's adapter of codeinterpreterapi asks.",
        "submits": "session: what is executed is what is judged.",
        "vision": "on: figures are shown to the model.",
        "max_calls": "Calls of functions at one attempt.",
        "react": "on: thoughts and code alternate, ten rounds at most.",
        "submit": "joined: all cells that ran; the other: the last of them.",
        "max_replans": "How often a plan is made anew.",
        "transcript": "policy: earlier replies are the code that the history shows; own: as they were.",
        "max_exchanges": "How many earlier exchanges are shown.",
        "rules": "published: as the published program does it; sound: its faults repaired.",
        "result_role": "Role of the messages that hold results.",
        "wrapper": "The form of dialogue of a family of models.",
        "strict_newline": "true: an action on the first line of a reply is not recognized, as published.",
        "num_examples": "How many examples CoML is given: a count such as 3, or a share such as 0.5.",
        "chain_of_thought": "on: reasons are asked for.",
        "intact_instruction": "off: the user's variables may be changed.",
        "context_order": "Order of what is shown: v variables, c code, r request.",
        "prompt_version": "Which of CoML's own prompts.",
        "context_window": "What the model reads at most, in tokens.",
        "max_steps": "Steps at one attempt.",
        "stop": "on: a reply ends where its code does.",
    }
)


@dataclass(frozen=True)
class OptionField:
    """An option of an agent as a field of a form."""

    name: str
    about: str  # in one line
    words: tuple[str, ...] = ()  # to choose from, the default first; empty: it is a number or a text
    least: float | None = None  # of a number; None: it is a text
    most: float | None = None
    is_whole: bool = False
    default: Any = None  # None: as the agent says

    @property
    def default_words(self) -> str:
        """What holds where nothing is written, in words."""
        if self.words:
            return self.words[0]
        return {None: "all", "": "none"}.get(self.default, str(self.default))


class AgentParts(NamedTuple):
    """What an agent's text says."""

    kind: str  # a name of `kinds()`
    rest: str = ""  # the model; of agents of one's own the command or FILE.py:NAME; of a replay its file
    options: Mapping[str, str] = MappingProxyType({})  # as they are written


def kinds() -> Mapping[str, str]:
    """Return the name of each kind of agent that can be chosen -> what forms call it."""
    plugins = {name: f"{name}: of an installed package" for name in sorted(plugin_entries(PLUGINS))}
    packages = {name: f"{name}: the package, in its environment" for name in AGENT_PACKAGES}
    ours = {name: title for name, title in TITLES.items() if name not in OWN}
    return {**ours, **packages, **plugins, **{name: TITLES[name] for name in OWN}}


def agent_titles() -> dict[str, str]:
    """Return the name of each kind of agent that can be chosen -> what it is called in a choice."""
    return {name: f"{title}{NEEDS_KEY if asks_for_model(name) else ''}" for name, title in kinds().items()}


def asks_for_model(kind: str) -> bool:
    """Return whether an agent of that kind names a model before its options."""
    return kind in MODEL_AGENT_NAMES or is_package(kind)


def option_fields(kind: str) -> tuple[OptionField, ...]:
    """Return the options of a kind of agent, as its table has them; none for agents without options."""
    fields = []
    for name, option in agent_options(kind).items():
        read = option.read
        least, most = (read.least, read.most) if isinstance(read, WholeNumber | Number) else (None, None)
        about = _ABOUT.get(name) or option.form or f"One of {', '.join(option.words)}."
        is_whole = isinstance(read, WholeNumber)
        fields.append(OptionField(name, about, option.words, least, most, is_whole, option.default_value))
    return tuple(fields)


def written_agent(parts: AgentParts) -> str:
    """Return an agent as the command line takes it; options that are at their defaults are left out."""
    kind, rest, options = parts
    if kind == FUNCTION:
        return rest
    usual = {field.name: field for field in option_fields(kind)}
    told = {name: word for name, word in options.items() if name not in usual or not _is_default(usual[name], word)}
    if not rest and not told:
        return kind
    behind = f"?{urlencode(told, safe='/:,')}" if told else ""
    return f"{kind}:{rest}{behind}"


def _is_default(field: OptionField, word: str) -> bool:
    if word == "":
        return True
    if field.words or field.default is None or field.least is None:
        return word == str(field.words[0] if field.words else field.default)
    try:
        return float(word) == float(field.default)
    except ValueError:
        return False


def read_agent(text: str) -> AgentParts:
    """Return the parts of an agent's text; its options and their words are known ones.

    Raises:
        UsageError: If there is no such agent, option or word; the fix names the nearest.
    """
    text = text.strip()
    name, _, rest = text.partition(":")
    if asks_for_model(name):
        model, _, written = rest.partition("?")
        read_options(name, written, agent_options(name))
        return AgentParts(name, model, dict(parse_qsl(written, keep_blank_values=True)))
    if name in (COMMAND, CLI):
        parse_command(rest, where=f"{name}:{rest}")
        return AgentParts(name, rest)
    if name == REPLAY:
        return AgentParts(REPLAY, rest)
    if text in kinds() and text not in OWN:
        return AgentParts(text)
    if name in AGENTS:
        AGENTS.get(name)(rest or None, allow_mismatch=False)  # such as one trick of `cheat`: refuses what it has not
        return AgentParts(name, rest)
    if _names_function(text):
        return AgentParts(FUNCTION, text)
    raise _unknown(text)


def _names_function(text: str) -> bool:
    place, colon, name = text.rpartition(":")
    return bool(colon and name.isidentifier() and (place.endswith(".py") or "/" in place or "." in place))


def _unknown(text: str) -> UsageError:
    if not text:
        return UsageError("no agent is named", fix="choose an agent, or write one, such as oracle")
    name = text.partition(":")[0].partition("?")[0]
    known = [each for each in kinds() if each != FUNCTION]  # which is no name of an agent
    near = nearest_name(name, known)
    others = f"use one of {', '.join(known)}, or name a function as FILE.py:NAME"
    fix = f"write {near!r}{' and a colon before its model and options' if near == name else ''}" if near else others
    return UsageError(f"no agent is called {name!r}", where="Agent", fix=fix)


def check_agent(text: str, base: Path) -> AgentParts:
    """Return the parts of an agent's text, after a look at the files that it names; nothing of them is read or run.

    Args:
        text: As the command line takes it.
        base: From where paths count.

    Raises:
        UsageError: If something of it is not known, or a file is not there.
    """
    parts = read_agent(text)
    if parts.kind == FUNCTION and parts.rest.rpartition(":")[0].endswith(".py"):
        _require_file(parts.rest.rpartition(":")[0], base, "name a file of this machine as FILE.py:NAME")
    if parts.kind == REPLAY:
        if not parts.rest:
            raise UsageError("there is no run whose submissions could be replayed", fix="choose another agent")
        _require_file(parts.rest, base, "choose a run, or name the file of its records")
    if parts.kind in (COMMAND, CLI):
        for word in parse_command(parts.rest)[1:]:
            if word.endswith((".py", ".js", ".mjs", ".sh")) and not word.startswith("-"):
                _require_file(word, base, "check the path")
    shots = parts.options.get("shots", "")
    if shots not in ("", "shipped", "none"):
        _require_file(shots, base, "write shipped, none or the path of a YAML file")
    if parts.rest.startswith(RECORDED) and not _stands(base / parts.rest.removeprefix(RECORDED), Path.is_dir):
        what = f"there is no folder {parts.rest.removeprefix(RECORDED)[:300]!r} of recorded replies"
        raise UsageError(what, where=f"agent {text!r}", fix="name the folder that --record wrote")
    return parts


def _require_file(path: str, base: Path, fix: str) -> None:
    if not _stands(base / path, Path.is_file):
        raise UsageError(f"there is no file {path[:300]!r}", where=f"paths count from {base}", fix=fix)


def _stands(path: Path, is_kind: Callable[[Path], bool]) -> bool:
    try:
        return is_kind(path)
    except OSError:
        return False  # no file can be called so, or nobody may look


def place_in_form(error: ToolkitError, field: str) -> str:
    """Return where an agent is wrong: in that field, where nothing closer is known."""
    return field if error.where in ("", "Agent") else error.where


def names_files(parts: AgentParts) -> bool:
    """Return whether an agent is code of somebody's own, or reads files that its text names: for maintainers alone."""
    return choice.names_files(written_agent(parts))
