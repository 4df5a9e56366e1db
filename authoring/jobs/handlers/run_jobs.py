"""What a job is asked about a run, and the run's configuration that comes of it."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from authoring.jobs.payloads import Asking, Ref
from authoring.store.runs import RunRow
from evaluator.errors import UsageError
from evaluator.reporting import read_manifest
from evaluator.running import (
    MANIFEST,
    RECORDS,
    BetweenAttempts,
    HistoryPolicy,
    OutputsKept,
    Policies,
    RunConfig,
    StatePolicy,
)
from evaluator.running import parse_feedback as parts_of
from evaluator.session import EngineChoice, SandboxChoice

BY_VALUE = Field(strict=False)  # JSON has the value of a choice, not the choice


class RunOrder(Asking):
    """A run of an agent on a release or another benchmark; or `again`, or `rescore`, of an earlier run."""

    release: Ref | None = None
    benchmark: str | None = None  # a path, in place of a release
    again: int | None = None  # a run whose problems that are not judged are asked once more, with this budget
    rescore: int | None = None  # a run whose submissions are judged anew, as a run of their own
    agent: str = "oracle"
    called: str | None = None  # what the run calls its agent
    workers: int = 1
    limit: int | None = None
    sets: list[str] = Field(default_factory=list)  # empty: all
    epochs: int = 1
    state: Annotated[StatePolicy, BY_VALUE] = StatePolicy.REFERENCE
    history: Annotated[HistoryPolicy, BY_VALUE] = HistoryPolicy.REFERENCE
    max_attempts: int = 1
    feedback: list[str] = Field(default_factory=list)
    between_attempts: Annotated[BetweenAttempts, BY_VALUE] = BetweenAttempts.RESET
    rules: str | None = None
    rng_seed: int = 0
    engine: Annotated[EngineChoice, BY_VALUE] = EngineChoice.AUTO
    allow_mismatch: bool = False
    environment: str | None = None
    outputs: Annotated[OutputsKept, BY_VALUE] = OutputsKept.PRINTED


def run_config(asked: RunOrder, benchmark: Path, out: Path, sandbox: SandboxChoice) -> RunConfig:
    """Return the configuration that an order asks for."""
    return RunConfig(
        benchmark=benchmark,
        agent=asked.agent,
        out=out,
        workers=asked.workers,
        limit=asked.limit,
        sets=tuple(asked.sets),
        sandbox=sandbox,
        rng_seed=asked.rng_seed,
        engine=asked.engine,
        rules=asked.rules,
        allow_mismatch=asked.allow_mismatch,
        environment=asked.environment,
        policies=Policies(
            asked.state, asked.history, parts_of(",".join(asked.feedback) or "none"), asked.between_attempts
        ),
        max_attempts=asked.max_attempts,
        epochs=asked.epochs,
        outputs=asked.outputs,
    )


def rescoring(earlier: RunRow, release: int | str | None) -> dict[str, Any]:
    """Return the payload that judges the submissions of an earlier run anew, under the same policies.

    Args:
        earlier: The run; what was submitted is read from its records.
        release: On which release; None: the one it ran on.

    Raises:
        UsageError: If its folder is gone.
    """
    records = Path(earlier.out_dir) / RECORDS
    if not records.is_file():
        raise UsageError("the run's records are gone", where=str(records), fix="restore its folder, or run the agent")
    told = read_manifest(records.with_name(MANIFEST))
    asked = earlier.summary.get("asked") or {}
    policies = told.get("policies") or {}
    name, _, version = earlier.release.rpartition(" ")
    where = next(each for each in (release, asked.get("release"), f"{name}@{version}") if each is not None)
    return {
        "release": where,
        "agent": f"replay:{records}",
        "called": earlier.agent,
        "allow_mismatch": True,
        **{name: policies[name] for name in ("state", "history", "feedback", "between_attempts") if name in policies},
        **{name: told[name] for name in ("epochs", "max_attempts", "rng_seed", "engine") if name in told},
        "outputs": OutputsKept.SHOWN.value,
    }
