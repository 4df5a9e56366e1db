"""What a run is asked to do, what it tells while it works, and what it came to."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from evaluator.agents import AGENT_TIMEOUT_S
from evaluator.diagnostics import Diagnostic
from evaluator.errors import UsageError
from evaluator.running.attempt_details import OutputsKept
from evaluator.running.execution.policies import Policies
from evaluator.running.execution.problem_tools import EXECUTIONS
from evaluator.session import AgentNetwork, EngineChoice, SandboxChoice

MAX_CONCURRENCY: Final = 1_000
"""Requests to models that may wait for an answer at once: each is a thread and a connection (count)."""
MAX_AGENT_TIMEOUT_S: Final = 1_000_000.0
"""The longest time that an agent may be given for one answer: the system's clocks take no endless one."""

MAX_PROCESSES: Final = 64
PROCESSES_A_PROCESSOR: Final = 4
"""A cluster that is started here has at most the one, or the other where there are many processors."""


class Executor(StrEnum):
    """Where problemsets are executed."""

    LOCAL = "local"  # by this process, several at a time
    DASK = "dask"  # by the workers of a Dask cluster


def refuse_odd_scheduler(executor: Executor, scheduler: str, *, are_workers_counted: bool) -> None:
    """Refuse a scheduler that nobody asks, and workers that nobody starts.

    Args:
        executor: Where something is done.
        scheduler: The address of a cluster's; empty: none was named.
        are_workers_counted: Whether processes to be started were asked for.

    Raises:
        UsageError: If there is one.
    """
    if executor == Executor.LOCAL and scheduler:
        raise UsageError("only a cluster has a scheduler", where="--scheduler", fix="add --executor dask")
    if executor == Executor.DASK and scheduler and are_workers_counted:
        what, fix = "the workers of a scheduler are counted there", "leave out --workers, or leave out --scheduler"
        raise UsageError(what, where="--workers", fix=fix)


def no_address(scheduler: str) -> UsageError:
    """Return the error that a text is no address of a scheduler."""
    what = f"{scheduler!r} is no address of a Dask scheduler"
    return UsageError(what, where="--scheduler", fix="write tls://HOST:PORT, or tcp://127.0.0.1:PORT")


def refuse_many_processes(workers: int) -> None:
    """Refuse a cluster on this machine of more processes than it has any use for.

    Raises:
        UsageError: If it would have too many.
    """
    processors = os.cpu_count() or 1
    most = max(MAX_PROCESSES, PROCESSES_A_PROCESSOR * processors)
    if workers > most:
        what = f"{workers:,} processes are too many for this machine, which has {processors:,} processors"
        raise UsageError(what, where="--workers", fix=f"use --workers {processors}, at most {most:,}")


@dataclass(frozen=True)
class RunConfig:
    """One agent on one benchmark."""

    benchmark: Path  # a folder with `_manifest.yaml`, or one problemset file
    agent: str  # as `parse_agent` reads it
    out: Path  # gets records.jsonl and manifest.json; the same config resumes there
    workers: int = 1  # problemsets worked on at once (count, >= 1); changes no verdict
    limit: int | None = None  # only the first so many problems of all selected problemsets together (count, >= 1)
    sets: tuple[str, ...] = ()  # names of problemsets; empty: all
    sandbox: SandboxChoice = SandboxChoice.AUTO
    rng_seed: int = 0
    engine: EngineChoice = EngineChoice.AUTO
    rules: str | None = None  # sound | published; None: what the benchmark says
    allow_mismatch: bool = False  # a replay may answer a problem whose query has changed since
    environment: str | None = None  # where code runs; None: what the benchmark names, else our own Python
    policies: Policies = field(default_factory=Policies)  # what the session holds, what the agent sees and is told
    max_attempts: int = 1  # at one problem (count, >= 1); a later one only after an answer that was not correct
    mode: str = ""  # a `Mode`, where the policies are those of one
    judge: str = ""  # the model that looks at figures; empty: none
    epochs: int = 1  # independent passes over all problems (count, >= 1)
    agent_timeout_s: float = AGENT_TIMEOUT_S  # of one call of an agent that is not ours; no part of the identity
    executions: int = EXECUTIONS  # of an agent at one problem before it submits (count, >= 0)
    agent_environment: str | None = None  # whose Python an agent's process runs on; None: ours
    agent_network: AgentNetwork = AgentNetwork.NONE  # what such a process reaches
    agent_model: str = ""  # that such a process may ask, where it is granted a model; empty: BENCHWRIGHT_MODEL's
    agent_calls: int | None = None  # of that model at one problem (count)
    agent_tokens: int | None = None  # of that model at one problem
    agent_folder: Path | None = None  # what it sees of our files; None: the folder of the file that its command names
    agent_variables: tuple[str, ...] = ()  # names of variables of ours that it is given
    outputs: OutputsKept = OutputsKept.PRINTED  # what is kept of what submissions show; no part of the identity
    concurrency: int = 1  # requests to models that wait for an answer at once (count, >= 1); changes no verdict
    executor: Executor = Executor.LOCAL  # changes no verdict
    scheduler: str = ""  # address of a cluster's; empty: one is started here, with so many processes as `workers` says


class EventKind(StrEnum):
    """What happened."""

    STARTED = "started"  # `done` counts what an earlier, stopped run had judged
    JUDGED = "judged"
    REFUSED = "refused"


@dataclass(frozen=True)
class RunEvent:
    """One thing that happened during a run; CLI and app draw it each their own way."""

    kind: EventKind
    done: int  # problems with a verdict so far, in all epochs
    total: int  # problems asked for, in all epochs
    problemset: str = ""
    index: int = 0  # of the problem, counts from 1; 0 when the event is about the problemset
    epoch: int = 1  # counts from 1
    verdict: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()  # why the problemset was refused
    cost: float = 0.0  # of the models that were asked since the run began or was resumed, as far as it is known


@dataclass(frozen=True)
class RunSummary:
    """What a run came to."""

    out: Path
    benchmark: str
    version: str
    agent: str
    total: int  # problems asked for in all epochs, those of refused problemsets included
    judged: int
    not_judged: int  # an infrastructure error: outside every rate
    resumed: int  # of the judged ones: judged by an earlier, stopped run
    counts: Mapping[str, int] = field(default_factory=dict)  # verdict -> problems, NOT_JUDGED included
    pass_rate: float | None = None  # CORRECT / judged, in 0..1; None when nothing, or not everything, was judged
    rates_withheld: str = ""  # why there is no rate; empty when there is one, or nothing to rate
    refused: tuple[str, ...] = ()  # problemsets that were not judged to their end, by their author's fault
    diagnostics: tuple[Diagnostic, ...] = ()  # why
    notes: tuple[str, ...] = ()  # what the agent wants the user to know

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "out": str(self.out),
            "benchmark": self.benchmark,
            "version": self.version,
            "agent": self.agent,
            "total": self.total,
            "judged": self.judged,
            "not_judged": self.not_judged,
            "resumed": self.resumed,
            "verdicts": dict(self.counts),
            "pass_rate": self.pass_rate,
            "rates_withheld": self.rates_withheld or None,
            "refused": list(self.refused),
            "diagnostics": [each.to_json() for each in self.diagnostics],
            "notes": list(self.notes),
        }
