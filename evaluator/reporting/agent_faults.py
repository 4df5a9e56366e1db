"""What went wrong with the agent itself, what was not judged and why, and what attempts are labelled."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from evaluator.agents.cheat import CHEAT_LABEL, TRICK_MEANINGS
from evaluator.scoring import AttemptRecord

MAX_FAILURES: Final = 20
"""Different failures that are shown; the rest are counted together."""
MAX_WHY: Final = 300
"""Characters shown of one."""
MAX_CELL: Final = 160
"""Characters of it in a table."""
LABELS: Final[Mapping[str, str]] = {
    "answered-twice": "it answered a call of ours a second time; the first answer counts",
    "answered-unasked": "it answered a call that we never made; passed over",
    "called-out-of-turn": "it called us while no problem of that session was pending, or another one's; refused",
    "log-cut": "it wrote more on its standard error than the run's agent.log keeps",
    "usage-unreadable": "it claims tokens, calls or a cost that are no counts; those are left out, never 0",
    "usage-differs": "it claims other tokens or calls than were measured; the measured ones count",
    "from-its-output": "the answer is the last fenced block that the program printed",
    "unfenced": "the model's reply held no fenced block; all of it counts as code",
    "no-record": "the replayed file holds no answer to the problem",
    "context-length": "a prompt was longer than the model takes; what was done before it counts",
    "no-plan": "the model's reply held no plan that can be read",
    "plan-failed": "a step of the plan did not succeed within its tries",
    "rounds-used-up": "the rounds that the agent may take were used up",
    "calls-used-up": "the calls of tools that the agent may make were used up",
    "out-of-steps": "the agent's package ended after its largest number of steps",
    "out-of-executions": "the executions that the problem allows were used up (--executions)",
    "no-call": "the model's reply called no tool, so that there is no code",
    "not-repaired": "the package repaired nothing; the code of the attempt before is handed in again",
    "no-logprobs": "the endpoint told no log probabilities, by which the best of several replies is chosen",
    "declared-right": "the agent declared its last answer right and gave it again",
}
"""Labels that need words -> what they mean, in a plain sentence; the glossary, the app and reports say the same."""
_RUNG: Final = re.compile(r"rung-(\d{1,2})")
LABEL_FORMS: Final[Mapping[str, str]] = {
    "rung-2, rung-3, ...": "a prompt was longer than the model takes; it was shortened up to the step of that number",
    "cheat-zero, ...": "a trick of the agent `cheat`, which solves nothing; each has a label of its own",
}
"""Labels that hold a number or a name, by examples -> what they mean; `label_meaning` says it of one."""


def label_meaning(label: str) -> str:
    """Return what a label of an attempt means; empty for an agent's own labels, of which nothing is known."""
    rung = _RUNG.fullmatch(label)
    if rung is not None:
        return f"a prompt was longer than the model takes; it was shortened up to step {rung[1]}"
    trick = TRICK_MEANINGS.get(label.removeprefix(CHEAT_LABEL)) if label.startswith(CHEAT_LABEL) else None
    return LABELS.get(label, "") if trick is None else f"a trick of the agent `cheat`, which solves nothing: {trick}"


@dataclass(frozen=True)
class ToldFailure:
    """One way in which the agent failed, or one reason for which attempts are not judged. Hostile text: escape it."""

    why: str  # the first line of what is told of it
    attempts: int  # count
    first: str  # problemset and number of the problem where it came first

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"why": self.why, "attempts": self.attempts, "first": self.first}


@dataclass(frozen=True)
class AgentFaults:
    """What went wrong with the agent itself over all attempts of a run, and what is not judged since we failed."""

    failures: tuple[ToldFailure, ...] = ()  # most frequent first
    not_judged: tuple[ToldFailure, ...] = ()  # outages and the like: nothing that the agent can be blamed for
    labels: Mapping[str, int] = field(default_factory=dict)  # label -> attempts (count), most frequent first

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        labels = [
            {"label": name, "attempts": n, "means": label_meaning(name) or None} for name, n in self.labels.items()
        ]
        return {
            "agent_failures": [each.to_json() for each in self.failures],
            "not_judged_why": [each.to_json() for each in self.not_judged],
            "agent_labels": labels,
        }

    def tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Return headers and rows of one table for each kind that there is."""
        found: list[tuple[list[str], list[list[str]]]] = []
        for title, told in (("the agent failed: why", self.failures), ("not judged: why", self.not_judged)):
            if told:
                found.append(([title, "attempts", "first at"], _rows(told)))
        if self.labels:
            rows = [[name, str(number), label_meaning(name)] for name, number in self.labels.items()]
            columns = 3 if any(meaning for *_, meaning in rows) else 2  # an agent's own labels are its own
            headers = ["label of the agent's answers", "attempts", "meaning"]
            found.append((headers[:columns], [row[:columns] for row in rows]))
        return found


def _rows(told: Sequence[ToldFailure]) -> list[list[str]]:
    shown, rest = told[:MAX_FAILURES], told[MAX_FAILURES:]
    rows = [[each.why[:MAX_CELL], str(each.attempts), each.first] for each in shown]
    if rest:
        rows.append([f"and {len(rest)} others", str(sum(each.attempts for each in rest)), rest[0].first])
    return rows


class ToldAttempt(AttemptRecord, Protocol):
    """A judged attempt with what is told of its agent."""

    @property
    def subverdict(self) -> str:
        """The cause behind its verdict."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """What the agent or its carrier says of it."""
        ...

    @property
    def agent_exception(self) -> str | None:
        """Why the agent returned nothing worth running."""
        ...

    @property
    def extended_verdict(self) -> str:
        """A short reason for people; of what is NOT_JUDGED it is looked at."""
        ...


def agent_faults(records: Iterable[ToldAttempt]) -> AgentFaults:
    """Collect what the records of a run tell of the agent itself, one record per attempt."""
    blamed, excused, labels = _Reasons(), _Reasons(), Counter[str]()
    for record in records:
        labels.update(record.labels)
        if record.verdict == "NOT_JUDGED":
            excused.add(record.agent_exception or record.extended_verdict, record)
        else:
            blamed.add(record.agent_exception or "", record)
    return AgentFaults(blamed.told(), excused.told(), dict(_by_frequency(labels)))


@dataclass(frozen=True)
class _Reasons:
    """Reasons counted by their first lines; attempts without one are passed over."""

    first: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, reason: str, record: AttemptRecord) -> None:
        if reason.strip():
            line = " ".join(reason.strip().splitlines()[0].split())
            why = line.removeprefix("the agent failed: ")[:MAX_WHY]
            self.first.setdefault(why, f"{record.problemset} {record.index}")
            self.counts[why] += 1

    def told(self) -> tuple[ToldFailure, ...]:
        return tuple(ToldFailure(why, number, self.first[why]) for why, number in _by_frequency(self.counts))


def _by_frequency(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
