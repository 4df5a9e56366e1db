"""What a dry run leaves open between query, reference, validators and agents: it goes to the roundtable."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

from authoring.checks import NOT_ASKED
from authoring.store import problemsets
from authoring.store.dry_runs import DryRun, DryRunProblem, DryRunSample, list_dry_run_samples
from authoring.store.reviewing.roundtable import NewItem, list_roundtable, open_items, repair_items
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.language import Problem, Problemset
from evaluator.scoring import Verdict

MAX_SHOWN_CHARS: Final = 4_000  # of one answer in the evidence
LEAST_AGREEING: Final = 2  # wrong answers that come to the same


class Controversy(StrEnum):
    """Why somebody should look at a problem."""

    REFERENCE_FAILS = "reference_fails"
    EMPTY_PASSES = "empty_passes"
    AGENT_WRONG = "agent_wrong"
    SAMPLES_AGREE = "samples_agree"  # with each other, and not with the reference


def open_controversies(ws: Workspace, problemset: Problemset, dry_run: DryRun) -> list[int]:
    """Put what a dry run leaves open into the queue of its problemset and return the new items' ids.

    The same controversy about the same query, code and validators is opened once, whatever became of it.
    """
    samples: dict[int, list[DryRunSample]] = {}
    for sample in list_dry_run_samples(ws, dry_run.id):
        samples.setdefault(sample.index, []).append(sample)
    items = [
        item
        for row in dry_run.problems
        for item in _items(dry_run.id, problemset.problems[row.index - 1], row, samples.get(row.index, []))
    ]
    return open_items(ws, dry_run.revision_id, items, by=f"dry run {dry_run.id}")


def close_repaired(ws: Workspace, revision: Revision, dry_run: DryRun) -> list[int]:
    """Settle the items of older revisions that a dry run of the newest one shows no more; return their ids."""
    if problemsets.find(ws, revision.problemset_id).head_revision_id != revision.id:
        return []
    samples: dict[int, list[DryRunSample]] = {}
    for sample in list_dry_run_samples(ws, dry_run.id):
        samples.setdefault(sample.index, []).append(sample)
    rows = {row.problem_id: row for row in dry_run.problems}
    closed = [
        item.id
        for item in list_roundtable(ws, revision.problemset_id, only_open=True)
        if item.number < revision.number
        and (row := rows.get(item.problem)) is not None
        and _is_repaired(str(item.evidence.get("kind", "")), row, samples.get(row.index, []))
    ]
    repair_items(ws, closed, by=f"dry run {dry_run.id}", note=f"revision {revision.number} shows it no more")
    return closed


def _is_repaired(kind: str, row: DryRunProblem, samples: Sequence[DryRunSample]) -> bool:
    """Return whether a problem was asked again what an item is about, and came out well. What people opened stays."""
    if kind == Controversy.REFERENCE_FAILS:
        return row.reference_verdict == Verdict.CORRECT
    if kind == Controversy.EMPTY_PASSES:
        return row.empty_verdict not in (Verdict.CORRECT, Verdict.NOT_JUDGED, NOT_ASKED)
    if kind == Controversy.AGENT_WRONG:
        return row.agent_verdict == Verdict.CORRECT
    if kind == Controversy.SAMPLES_AGREE:
        judged = [sample for sample in samples if sample.verdict != Verdict.NOT_JUDGED]
        return len(judged) >= LEAST_AGREEING and not most_agreeing(samples)
    return False


def _items(dry_run_id: int, problem: Problem, row: DryRunProblem, samples: Sequence[DryRunSample]) -> Iterator[NewItem]:
    for kind, reason, evidence in _findings(row, samples):
        about = f"{kind.value} {_digest(problem)}"
        yield NewItem(row.problem_id, reason, {"about": about, "kind": kind.value, "dry_run": dry_run_id, **evidence})


def _findings(row: DryRunProblem, samples: Sequence[DryRunSample]) -> Iterator[tuple[Controversy, str, dict[str, Any]]]:
    if row.reference_verdict not in (Verdict.CORRECT, NOT_ASKED):
        why = str(row.reasons.get("reference", ""))
        reason = f"the reference does not pass its own validators: {row.reference_verdict}"
        yield Controversy.REFERENCE_FAILS, reason, {"verdict": row.reference_verdict, "why": why}
    if row.empty_verdict == Verdict.CORRECT:
        yield Controversy.EMPTY_PASSES, "an empty answer passes", {"verdict": row.empty_verdict}
    agreeing = most_agreeing(samples)
    if agreeing:
        right = sum(sample.verdict == Verdict.CORRECT for sample in samples)
        reason = f"{len(agreeing)} of {len(samples)} answers agree with each other and not with the reference"
        yield (
            Controversy.SAMPLES_AGREE,
            f"{reason}: {agreeing[0].verdict}",
            {**_answer(agreeing[0].code, agreeing[0].verdict, agreeing[0].reason), "agree": len(agreeing)}
            | {"samples": len(samples), "correct": right},
        )
    elif row.agent_verdict not in (Verdict.CORRECT, Verdict.NOT_JUDGED, NOT_ASKED):
        why = str(row.reasons.get("agent", ""))
        reason = f"the reference agent is judged {row.agent_verdict}"
        yield Controversy.AGENT_WRONG, reason, _answer(row.agent_code, row.agent_verdict, why)


def most_agreeing(samples: Sequence[DryRunSample]) -> list[DryRunSample]:
    """Return the largest group of wrong answers that came to the same, if it outweighs the correct ones; else none."""
    wrong = [sample for sample in samples if sample.cluster and sample.verdict != Verdict.CORRECT]
    if not wrong:
        return []
    cluster, size = Counter(sample.cluster for sample in wrong).most_common(1)[0]
    right = sum(sample.verdict == Verdict.CORRECT for sample in samples)
    if size < LEAST_AGREEING or size <= right:
        return []
    return [sample for sample in wrong if sample.cluster == cluster]


def _answer(code: str, verdict: str, why: str) -> dict[str, Any]:
    return {"code": code[:MAX_SHOWN_CHARS], "verdict": verdict, "why": why[:MAX_SHOWN_CHARS]}


def _digest(problem: Problem) -> str:
    """Return what fixes the words, the code and the judging of a problem."""
    plain = json.dumps([problem.query, problem.code, problem.validator], sort_keys=True, default=str)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]
