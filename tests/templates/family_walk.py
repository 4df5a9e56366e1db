"""Tries every family of tasks in sessions over tables that were made for it."""

from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates.board import Board, Focus
from authoring.templates.candidate_trials import Bench
from authoring.templates.family import Task
from authoring.templates.planning import TaskCandidate
from authoring.templates.template_draft import problem_of
from evaluator.language import Problem
from evaluator.session import Engine
from tests.templates.conftest import profile_here
from tests.templates.rich_tables import RICH

MEASURES: Final = {
    "orders": "weight_kg",
    "nations": "life_expectancy",
    "rainfall": "temperature_c",
    "films": "votes",
    "clinics": "recovery_days",
}
MAKERS: Final = frozenset(
    {
        "load_tables",
        "latest_rows",
        "change_over_time",
        "period_table",
        "group_table",
        "inside_leader",
        "quartiles_by_group",
    }
)
TRIES: Final = 3  # proposals of a family on one table
ROUNDS: Final = 2  # some families need what later ones leave


@dataclass(frozen=True)
class Taken:
    """A problem that a session took, with the state before it."""

    candidate: TaskCandidate
    problem: Problem
    board: Board


@dataclass
class Walk:
    """What became of each family."""

    taken: list[Taken] = field(default_factory=list)
    built: dict[str, TaskCandidate] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)

    @property
    def not_taken(self) -> dict[str, list[str]]:
        """The families of which no problem was taken, with the reasons."""
        names = {one.candidate.family.name for one in self.taken}
        return {name: self.refused.get(name, ["nothing fits"]) for name in FAMILIES if name not in names}


def walk_families(engine: Engine, root: Path, *, is_whole: bool) -> Walk:
    """Try the families on each of the rich tables, one after the other in the order of a sitting.

    Args:
        engine: Where they are tried.
        root: Of the folders of the tables.
        is_whole: Whether all mistakes and other ways of a problem are tried, or one of each.
    """
    walk = Walk()
    for name, write in RICH.items():
        folder = root / name
        folder.mkdir()
        write(folder)
        profile = profile_here(folder)
        with Bench(engine, folder, name) as bench:
            _walk_table(walk, bench, Board(profile, infer_semantics(profile)), MEASURES[name], is_whole=is_whole)
    return walk


def _walk_table(walk: Walk, bench: Bench, board: Board, measure: str, *, is_whole: bool) -> None:
    rng, problems = Random(4), list[Problem]()
    for _ in range(ROUNDS):
        for name, family in FAMILIES.items():
            if name not in walk.not_taken and not (name in MAKERS and name not in _names(problems)):
                continue
            for raw in islice(family.propose(board, rng), TRIES):
                slots = {**raw, "wording": rng.randrange(9), "focus": Focus(measure=measure).to_slots()}
                task = family.build(board, slots)
                candidate = TaskCandidate(family, slots, task if is_whole else _lean(task))
                walk.built[name] = candidate
                problem = problem_of(candidate, problems, board)
                refusal = bench.consider(candidate.task, problem)
                if refusal is None:
                    problems.append(problem)
                    walk.taken.append(Taken(candidate, problem, board))
                    board = candidate.task.board.after()
                    break
                walk.refused.setdefault(name, []).append(refusal.reason)


def _lean(task: Task) -> Task:
    mistakes = sorted(task.mistakes, key=lambda one: one.may_agree)
    return replace(task, mistakes=tuple(mistakes[:1]), others=task.others[:1])


def _names(problems: list[Problem]) -> set[str]:
    return {str(problem.metadata["id"]).replace("-", "_") for problem in problems}
