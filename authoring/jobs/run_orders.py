"""What a job is asked about a run: its payload read into a run's configuration."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from authoring.jobs.payloads import optional
from authoring.store import RunRow
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

E = TypeVar("E", bound=StrEnum)


def run_config(payload: Mapping[str, Any], benchmark: Path, out: Path, sandbox: SandboxChoice) -> RunConfig:
    """Return the configuration that a payload asks for.

    Payload: `agent`, `workers`, `limit`, `sets`, `epochs`, `state`, `history`, `max_attempts`, `feedback` (a list),
    `between_attempts`, `rules`, `rng_seed`, `engine`, `allow_mismatch`, `environment`, `outputs`; all may be missing.

    Raises:
        UsageError: If a field is of another type or no such choice.
    """
    feedback = optional(payload, "feedback", list, [])
    return RunConfig(
        benchmark=benchmark,
        agent=optional(payload, "agent", str, "oracle"),
        out=out,
        workers=optional(payload, "workers", int, 1),
        limit=payload.get("limit"),
        sets=tuple(optional(payload, "sets", list, [])),
        sandbox=sandbox,
        rng_seed=optional(payload, "rng_seed", int, 0),
        engine=_choice(payload, "engine", EngineChoice.AUTO),
        rules=payload.get("rules"),
        allow_mismatch=optional(payload, "allow_mismatch", bool, default=False),
        environment=payload.get("environment"),
        policies=Policies(
            _choice(payload, "state", StatePolicy.REFERENCE),
            _choice(payload, "history", HistoryPolicy.REFERENCE),
            parts_of(",".join(map(str, feedback)) or "none"),
            _choice(payload, "between_attempts", BetweenAttempts.RESET),
        ),
        max_attempts=optional(payload, "max_attempts", int, 1),
        epochs=optional(payload, "epochs", int, 1),
        outputs=_choice(payload, "outputs", OutputsKept.PRINTED),
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


def _choice(payload: Mapping[str, Any], name: str, default: E) -> E:
    wanted = optional(payload, name, str, default.value)
    kind = type(default)
    if wanted not in [each.value for each in kind]:
        known = ", ".join(each.value for each in kind)
        raise UsageError(f"there is no {name} {wanted!r}", where="payload", fix=f"use one of {known}")
    return kind(wanted)
