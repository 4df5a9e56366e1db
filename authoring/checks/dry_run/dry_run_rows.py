"""What is stored of an executed problemset: one row per problem, one per sampled answer, and a summary."""

import hashlib
import json
import re
from typing import Any, Final

from authoring.checks import NOT_ASKED
from authoring.checks.dry_run.answer_samples import sample_to_json
from authoring.checks.dry_run.checked_set import CheckedCell, CheckedSet
from authoring.store import DryRunProblem, DryRunSample
from evaluator.models import ModelSettings
from evaluator.scoring import SCORING_VERSION
from evaluator.session import Environment, Outcome

_ADDRESS: Final = re.compile(r"\b0x[0-9a-f]{6,16}\b")


def outcome_digest(outcome: Outcome) -> str:
    """Return the sha256 of what a cell left behind: its ending, error, outputs, claim and answers to probes.

    Time and the addresses of objects, which differ each time, are left out. Two executions of the same code on the
    same state have the same digest, unless the code draws random numbers or tells the time.
    """
    error = (outcome.error.name, outcome.error.message) if outcome.error else None
    shown = json.dumps([outcome.ending.value, error, [dict(output) for output in outcome.outputs]], sort_keys=True)
    digest = hashlib.sha256(_ADDRESS.sub("0x", shown).encode("utf-8", "surrogatepass"))
    for data in (outcome.payload, *(answer.data for answer in outcome.answers)):
        digest.update(hashlib.sha256(data or b"").digest())
    return digest.hexdigest()


def row_of(cell: CheckedCell) -> DryRunProblem:
    """Return an executed and judged problem as it is stored."""
    judged = {"reference": cell.reference, "empty": cell.empty, "agent": cell.agent}
    verdicts = {who: found.verdict.value if found else NOT_ASKED for who, found in judged.items()}
    outcome = cell.outcome
    return DryRunProblem(
        index=cell.problem or 0,
        problem_id=cell.problem_id,
        seconds=round(outcome.seconds, 4),
        reference_verdict=verdicts["reference"],
        empty_verdict=verdicts["empty"],
        agent_verdict=verdicts["agent"],
        outputs=[dict(output) for output in outcome.outputs],
        variables=[variable.to_json() for variable in outcome.variables],
        error=outcome.error.to_json() if outcome.error else None,
        reasons={who: found.reason for who, found in judged.items() if found and found.reason},
        agent_code=cell.agent_code,
        outcome_digest=outcome_digest(outcome),
        findings={who: found.validation for who, found in judged.items() if found and found.validation},
        examples=[kept.to_json() for kept in cell.examples],
    )


def summary_of(executed: CheckedSet, model: ModelSettings | None, environment: Environment) -> dict[str, Any]:
    """Return what is stored of a dry run as a whole."""
    broken = executed.failed_setup
    said = ""
    if broken is not None:
        error = broken.outcome.error
        said = f"line {broken.line}: " + (f"{error.name}: {error.message}" if error else broken.outcome.ending.value)
    return {
        "problems": len(executed.problems),
        "seconds": round(sum(cell.outcome.seconds for cell in executed.cells), 4),
        "max_time_s": {cell.problem_id: cell.max_time_s for cell in executed.problems},
        "scoring_version": SCORING_VERSION,
        "versions": library_versions(environment),
        "agent": model.model if model else NOT_ASKED,
        "setup_failure": said,
    }


def samples_of(executed: CheckedSet, model: ModelSettings | None) -> list[DryRunSample]:
    """Return the answers of the reference agent as they are stored, where it was asked more than once."""
    agent = model.model if model else NOT_ASKED
    return [
        DryRunSample(
            index=cell.problem or 0,
            sample=number,
            agent=agent,
            verdict=tried.judged.verdict.value,
            subverdict=tried.judged.subverdict.value,
            **sample_to_json(tried),
        )
        for cell in executed.problems
        if len(cell.tries) > 1
        for number, tried in enumerate(cell.tries, 1)
    ]


def library_versions(environment: Environment) -> dict[str, str]:
    """Return the versions in an environment that people ask for first when an answer has moved."""
    found = {"python": environment.interpreter.version}
    for name in ("numpy", "pandas", "scipy", "scikit-learn"):
        if name in environment.packages:
            found[name] = environment.packages[name]
    return found
