"""Problems of a release on which agents agree with each other and not with the reference: people look there first."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from authoring.store import problemsets
from authoring.store.releases import find_problem_place
from authoring.store.reviewing.roundtable import NewItem, open_items
from authoring.store.runs import RunRow, newest_runs
from authoring.store.workspace import Workspace
from evaluator.scoring import Verdict

MAX_RUNS: Final = 20  # the newest run of each agent
MAX_SHOWN_CHARS: Final = 4_000  # of an answer in the evidence
LEAST_AGREEING: Final = 2  # agents
COMPARABLE: Final = frozenset({Verdict.WRONG_OUTPUT, Verdict.WRONG_VARIABLES, Verdict.PRESENTATION_ERROR})
"""Verdicts of answers that ran to their end: crashes agree only in having crashed."""


@dataclass(frozen=True)
class AgentAnswer:
    """What one agent answered to a problem in its first epoch."""

    agent: str
    verdict: str
    shown: str  # what it printed and displayed; empty: nothing was kept
    code: str


def open_suspects(ws: Workspace, release: str) -> list[int]:
    """Put problems into the roundtable's queue on which agents agree against the reference, and return the items' ids.

    Agents agree when what their answers showed is the same text, and more of them do than were right. The same
    agreement on the same query is opened once. What the workspace does not hold with the same query is passed over.

    Args:
        ws: The workspace.
        release: Name and version, as runs call it: "core 1.0".
    """
    runs = newest_runs(ws, release, MAX_RUNS)
    answers: dict[tuple[str, int], list[AgentAnswer]] = defaultdict(list)
    questions: dict[tuple[str, int], str] = {}
    for run in runs if len(runs) >= LEAST_AGREEING else ():
        for key, question, answer in _answers(run):
            answers[key].append(answer)
            questions[key] = question
    opened: list[int] = []
    for key, given in answers.items():
        group = most_agreeing_agents(given)
        place = find_problem_place(ws, *key, questions[key]) if group else None
        if place is not None and place.same_query:
            head = problemsets.find(ws, place.problemset_id).head_revision_id
            item = NewItem(place.problem_id, *_evidence(release, questions[key], group, given))
            opened += open_items(ws, head, [item], by=f"runs on {release}")
    return opened


def most_agreeing_agents(answers: Sequence[AgentAnswer]) -> list[AgentAnswer]:
    """Return the largest group of wrong answers that showed the same, if it outweighs the correct ones; else none."""
    groups: dict[str, dict[str, AgentAnswer]] = defaultdict(dict)
    for answer in answers:
        if answer.verdict in COMPARABLE and answer.shown.strip():
            groups[answer.shown.strip()][answer.agent] = answer
    largest = max(groups.values(), key=len, default={})
    right = len({answer.agent for answer in answers if answer.verdict == Verdict.CORRECT})
    return list(largest.values()) if len(largest) >= LEAST_AGREEING and len(largest) > right else []


def _answers(run: RunRow) -> Iterator[tuple[tuple[str, int], str, AgentAnswer]]:
    from evaluator.running import DETAILS, RECORDS, DetailsReader, read_records

    folder = Path(run.out_dir)
    if not (folder / RECORDS).is_file():
        return
    details = DetailsReader(folder / DETAILS)
    for record in read_records(folder / RECORDS):
        if record.is_last and record.epoch == 1:
            kept = details.find(record.key)
            shown = _shown(kept.outputs) if kept is not None and kept.error is None else ""
            answer = AgentAnswer(run.agent, record.verdict, shown, record.code or "")
            yield (record.problemset, record.index), record.question, answer


def _shown(outputs: Sequence[Mapping[str, Any]]) -> str:
    data = [output.get("data") for output in outputs]
    texts = [each.get("text/plain") if isinstance(each, Mapping) else None for each in data]
    return "\n".join(str(text or output.get("text") or "") for text, output in zip(texts, outputs, strict=True))


def _evidence(
    release: str, question: str, group: Sequence[AgentAnswer], answers: Sequence[AgentAnswer]
) -> tuple[str, Mapping[str, Any]]:
    agents, count = sorted(answer.agent for answer in group), len({answer.agent for answer in answers})
    reason = f"{len(group)} of {count} agents on {release} agree with each other and not with the reference"
    about = hashlib.sha256(f"{question}\0{group[0].shown}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return reason, {
        **{"about": f"agents_agree {about}", "kind": "agents_agree", "agents": agents, "verdict": group[0].verdict},
        "why": f"{', '.join(agents)} showed: {group[0].shown.strip()[:500]}",
        "code": group[0].code[:MAX_SHOWN_CHARS],
    }
