"""How often the reference agent solves each problem, beside the problem's difficulty, and its equal wrong answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from authoring.store.dry_runs import DryRunSample, list_dry_run_samples
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.language import (
    Level,
    Problem,
    level_with_samples,
    measured_difficulties,
    parse_problemset,
    syntactic_difficulty,
)
from evaluator.scoring import Verdict


@dataclass(frozen=True)
class WrongAnswers:
    """Wrong answers to one problem that came to the same."""

    count: int
    verdict: str
    reason: str
    code: str  # of the first of them

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"count": self.count, "verdict": self.verdict, "reason": self.reason, "code": self.code}


@dataclass(frozen=True)
class SolveRate:
    """What several answers to one problem showed."""

    index: int  # from 1
    problem_id: str
    judged: int  # answers (count), without NOT_JUDGED
    correct: int
    not_judged: int
    difficulty: int  # of the reference code's syntax tree
    level: Level  # measured on the problem, and moved by the rate where enough answers were judged
    wrong: tuple[WrongAnswers, ...]  # largest group first

    @property
    def rate(self) -> float | None:
        """Correct per judged answer, a fraction in 0..1; None where none was judged."""
        return self.correct / self.judged if self.judged else None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"index": self.index, "problem_id": self.problem_id, "rate": self.rate, "judged": self.judged},
            **{"correct": self.correct, "not_judged": self.not_judged, "difficulty": self.difficulty},
            "level": self.level,
            "wrong": [each.to_json() for each in self.wrong],
        }


def solve_rates(ws: Workspace, revision: Revision, dry_run_id: int) -> tuple[SolveRate, ...]:
    """Return the solve rates of a dry run, by problem; empty where the agent was not asked several times."""
    samples: dict[int, list[DryRunSample]] = {}
    for sample in list_dry_run_samples(ws, dry_run_id):
        samples.setdefault(sample.index, []).append(sample)
    own = workspace_validators(ws)
    problemset = parse_problemset(revision.text, name=revision.problemset_name, own_validators=own).problemset
    assert problemset is not None, "a revision with a dry run parses"
    measured = measured_difficulties(problemset)
    return tuple(
        _rate(index, problem, measured[index - 1].level, samples[index])
        for index, problem in enumerate(problemset.problems, 1)
        if index in samples
    )


def _rate(index: int, problem: Problem, measured: Level, samples: Iterable[DryRunSample]) -> SolveRate:
    listed = list(samples)
    judged = [sample for sample in listed if sample.verdict != Verdict.NOT_JUDGED]
    correct = sum(sample.verdict == Verdict.CORRECT for sample in judged)
    return SolveRate(
        index=index,
        problem_id=str(problem.metadata.get("id") or f"p{index}"),
        judged=len(judged),
        correct=correct,
        not_judged=len(listed) - len(judged),
        difficulty=syntactic_difficulty(problem.code),
        level=level_with_samples(measured, correct, len(judged)),
        wrong=wrong_groups(judged),
    )


def wrong_groups(judged: Iterable[DryRunSample]) -> tuple[WrongAnswers, ...]:
    """Return wrong answers that came to the same together, the largest group first."""
    groups: dict[tuple[int, str], list[DryRunSample]] = {}
    for sample in judged:
        if sample.verdict != Verdict.CORRECT:
            same = "" if sample.cluster else sample.code  # what nothing compared is equal where its code is
            groups.setdefault((sample.cluster, same), []).append(sample)
    found = [WrongAnswers(len(each), each[0].verdict, each[0].reason, each[0].code) for each in groups.values()]
    return tuple(sorted(found, key=lambda group: -group.count))
