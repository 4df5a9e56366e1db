"""Reads the YAML file of an experiment: which agents are run on which benchmarks, under which policies, how often."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, Literal
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from evaluator.agents import AGENTS
from evaluator.agents.choice import agent_options, runs_in_processes
from evaluator.agents.options import Option
from evaluator.errors import ContentError, UsageError, error_from_os
from evaluator.language import read_yaml
from evaluator.models import BudgetLimits
from evaluator.registry import nearest_name
from evaluator.running import (
    MAX_AGENT_TIMEOUT_S,
    BetweenAttempts,
    FeedbackPart,
    HistoryPolicy,
    Mode,
    Policies,
    StatePolicy,
    StopPolicy,
)
from evaluator.session import AgentNetwork, EngineChoice

MAX_BYTES: Final = 1_000_000


class BadExperimentError(ContentError):
    """An experiment's file says what cannot be run; nothing was started (exit code 2, as of any wrong command)."""

    exit_code: ClassVar[int] = 2


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _whole_texts(cls, value: Any) -> Any:
        parts = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
        for text in parts if isinstance(parts, (list, tuple)) else [parts]:
            if isinstance(text, str):
                _refuse_unusable(text)
        return value


def _refuse_unusable(text: str) -> None:
    if "\0" in text:
        raise ValueError("it holds the character NUL, which no path or name has")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it holds half a character, which no file can hold") from None


class BenchmarkEntry(_Entry):
    """A benchmark, or a part of it."""

    benchmark: str  # a path, or the name of a shipped one
    label: str = ""  # in tables; empty: as it is named
    sets: tuple[str, ...] = ()  # empty: all
    limit: int | None = Field(default=None, ge=1)
    rules: Literal["sound", "published"] | None = None  # None: as the benchmark says
    needs: str = ""  # how to get it, for those who do not have it

    @property
    def title(self) -> str:
        """What tables call it."""
        return self.label or Path(self.benchmark).stem


class AgentEntry(_Entry):
    """An agent with its options."""

    agent: str = Field(min_length=1)  # as `benchwright run --agent` takes it
    label: str = ""  # in tables; empty: the agent with its options
    published: str = ""  # what the published rows call it; empty: as its label
    options: Mapping[str, str | int | float | bool] = Field(default_factory=dict)  # of agents that ask a model
    environment: str | None = None  # whose Python a `cmd:` agent runs on
    network: AgentNetwork = AgentNetwork.NONE
    model: str = ""  # that a `cmd:` agent may ask
    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    folder: Path | None = None
    variables: tuple[str, ...] = ()  # names of variables of our environment that it is given
    timeout_s: float = Field(default=600.0, gt=0, le=MAX_AGENT_TIMEOUT_S)
    executions: int = Field(default=20, ge=0)

    @model_validator(mode="after")
    def _options_that_fit(self) -> "AgentEntry":
        name = self.agent.partition(":")[0]
        has_none = not agent_options(name) and (name in AGENTS or runs_in_processes(self.agent))
        if self.options and has_none:
            raise ValueError(f"'options' are for agents that ask a model themselves, as chat:MODEL; {name!r} has none")
        return self

    @property
    def text(self) -> str:
        """The agent with its options, as `benchwright run --agent` takes it."""
        if not self.options:
            return self.agent
        known = agent_options(self.agent.partition(":")[0])
        written = urlencode({name: _word(value, known.get(name, Option())) for name, value in self.options.items()})
        return f"{self.agent}{'&' if '?' in self.agent else '?'}{written}"

    @property
    def title(self) -> str:
        """What tables call it."""
        return self.label or self.text


class PolicyEntry(_Entry):
    """What the session holds, what an agent sees and is told; a mode says all of it."""

    label: str = ""  # in tables; empty: in words
    mode: Mode | None = None
    state: StatePolicy = StatePolicy.REFERENCE
    history: HistoryPolicy = HistoryPolicy.REFERENCE
    feedback: tuple[FeedbackPart, ...] = ()
    between_attempts: BetweenAttempts = BetweenAttempts.RESET
    stop: StopPolicy = StopPolicy.JUDGED
    max_attempts: int | None = Field(default=None, ge=1, le=100)  # None: 1, of a mode its rounds

    @model_validator(mode="after")
    def _mode_alone(self) -> "PolicyEntry":
        said = self.model_fields_set - {"mode", "label", "max_attempts"}
        if self.mode is not None and said:
            raise ValueError(f"the mode says what {sorted(said)[0]!r} is: leave out one of the two")
        return self

    @property
    def policies(self) -> Policies:
        """The policies of a run that has no mode."""
        return Policies(self.state, self.history, self.feedback, self.between_attempts, self.stop)


class BudgetEntry(_Entry):
    """What the models of all runs may take together."""

    tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)
    minutes: float | None = Field(default=None, ge=0)


class Experiment(_Entry):
    """The whole file. Paths in it count from the current folder, as those on the command line do."""

    name: str = Field(min_length=1, max_length=100)
    out: Path | None = None  # None: a folder of that name below `runs`
    benchmarks: tuple[BenchmarkEntry, ...] = Field(min_length=1)
    agents: tuple[AgentEntry, ...] = Field(min_length=1)
    policies: tuple[PolicyEntry, ...] = Field(default=(PolicyEntry(),), min_length=1)
    epochs: int = Field(default=1, ge=1, le=1000)
    rng_seed: int = Field(default=0, ge=0, lt=2**32)
    workers: int = Field(default=1, ge=1, le=64)
    concurrency: int = Field(default=1, ge=1, le=1000)  # requests to models that wait for an answer at once
    engine: EngineChoice = EngineChoice.AUTO
    environment: str | None = None  # where code runs; None: as the benchmark says
    judge: str = ""  # a vision model that looks at figures
    budget: BudgetEntry = BudgetEntry()
    published: str = ""  # the published rows that stand beside ours, by their name
    about: str = ""  # in one line, what it compares or repeats
    small: tuple[BenchmarkEntry, ...] = ()  # what takes the place of `benchmarks` in a trial of it all

    @field_validator("benchmarks", "small", mode="before")
    @classmethod
    def _named_benchmarks(cls, entries: Any) -> Any:
        return _spelled_out(entries, "benchmark")

    @field_validator("agents", mode="before")
    @classmethod
    def _named_agents(cls, entries: Any) -> Any:
        return _spelled_out(entries, "agent")

    @property
    def limits(self) -> BudgetLimits | None:
        """The budget; None: there is no limit."""
        limits = BudgetLimits(self.budget.tokens, self.budget.cost, self.budget.minutes)
        return None if limits.is_unlimited else limits


def _spelled_out(entries: Any, key: str) -> Any:
    """Return entries as mappings: a bare text is the one thing that an entry must say."""
    if not isinstance(entries, (list, tuple)):
        return entries
    return [{key: entry} if isinstance(entry, str) else entry for entry in entries]


def _word(value: str | int | float | bool, option: Option) -> str:
    """Return how an option is written behind an agent; `on` and `off` may have been read as truth values."""
    if isinstance(value, bool):
        pair = ("off", "on") if "on" in option.words else ("false", "true")
        return pair[value]
    return value if isinstance(value, str) else option.word(value)


def read_experiment(path: Path) -> Experiment:
    """Read an experiment's file.

    Raises:
        UsageError: If there is no such file.
        BadExperimentError: If it is no YAML, or a key or value is wrong; with its line and the remedy.
    """
    try:
        if path.exists() and not path.is_file():
            raise UsageError("this is no plain file", where=str(path), fix="name the experiment's YAML file")
        if path.stat().st_size > MAX_BYTES:
            raise BadExperimentError("the file has more than 1 MB", where=str(path), fix="leave data to other files")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UsageError("there is no such experiment", where=str(path), fix="name its YAML file") from error
    except UnicodeDecodeError as error:
        raise BadExperimentError("the file is no UTF-8 text", where=str(path), fix="save it as UTF-8") from error
    except OSError as error:
        raise error_from_os(error) from error
    document = read_yaml(text)
    for fault in document.faults:
        raise BadExperimentError(fault.what, where=f"{path}:{fault.line}", fix=fault.fix)
    if not isinstance(document.value, Mapping):
        what = "the file is empty" if document.value is None else "the file is no mapping"
        raise BadExperimentError(what, where=f"{path}:1", fix="write name, benchmarks and agents")
    try:
        return Experiment.model_validate(document.value)
    except ValidationError as error:
        found = error.errors(include_url=False)  # a misspelt key is told first: what is missing often follows from it
        first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
        line = document.line(*first["loc"])
        what, fix = _complaint(first["loc"], first["type"], first["msg"], first.get("ctx") or {})
        raise BadExperimentError(what, where=f"{path}:{line}", fix=fix) from None


_PARTS: Final[Mapping[str, type[BaseModel]]] = {
    "benchmarks": BenchmarkEntry,
    "small": BenchmarkEntry,
    "agents": AgentEntry,
    "policies": PolicyEntry,
    "budget": BudgetEntry,
}


_MISSING: Final = {"name": "my-experiment", "benchmarks": "[core]", "agents": "[oracle]"}
_WANTED: Final = {
    **{"tuple_type": "list", "model_type": "mapping", "mapping_type": "mapping", "dict_type": "mapping"},
    **{"string_type": "text", "path_type": "path"},
}


def _complaint(place: tuple[int | str, ...], kind: str, said: str, more: Mapping[str, Any]) -> tuple[str, str]:
    """Return what is wrong at a place of the file, and its remedy."""
    name = next((str(part) for part in reversed(place) if isinstance(part, str)), "")
    shown = ".".join(str(part + 1) if isinstance(part, int) else part for part in place)
    fields = _PARTS[str(place[0])].model_fields if len(place) > 1 and place[0] in _PARTS else Experiment.model_fields
    if kind == "extra_forbidden":
        near = nearest_name(name, list(fields))
        return f"no key is called {name!r}", f"use {near!r}" if near else f"use one of {', '.join(fields)}"
    if kind == "missing":
        if len(place) == 1:
            needs = "a file needs name, benchmarks and agents"
            return f"{name!r} is missing", f"write '{name}: {_MISSING.get(name, '...')}' at the top level; {needs}"
        return f"{shown!r} is missing", f"write it: '{name}: ...'"
    if kind in ("enum", "literal_error"):
        return f"{shown!r} is none of {more.get('expected', 'those there are')}", "use one of them"
    if kind == "too_short" and more.get("actual_length") == 0:
        return f"{shown!r} is wrong: it is empty", "correct it: write at least one entry"
    if kind in _WANTED:
        return f"{shown!r} is wrong: it is no {_WANTED[kind]}", f"write a {_WANTED[kind]}"
    words = said.removeprefix("Value error, ")
    bounds = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    fix = next((f"write {bound} {more[key]:,}" for key, bound in bounds.items() if key in more), "correct it")
    return f"{shown!r} is wrong: {words[:1].lower()}{words[1:]}", fix
