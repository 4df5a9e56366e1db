"""What a session does with candidates: good ones are taken, the others refused with the reason."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates import board as boards
from authoring.templates.board import Board
from authoring.templates.candidate_trials import Bench
from authoring.templates.family import Mistake, Task
from authoring.templates.planning import TaskCandidate
from authoring.templates.template_draft import problem_of
from evaluator.session import Engine
from tests.templates.conftest import profile_here
from tests.templates.rich_tables import films

LOAD: dict[str, Any] = {"table": 0, "var": "films", "others": {}}
GROUPED = {"frame": "films", "group": "genre", "number": "runtime_min"}
GROUPS: dict[str, Any] = {**GROUPED, "lead": "mean", "var": "by_genre"}


def test_what_is_no_good_problem_is_refused_with_the_reason(engine: Engine, tmp_path: Path) -> None:
    films(tmp_path)
    profile, family = profile_here(tmp_path), FAMILIES["group_table"]
    board, load = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"]
    first = TaskCandidate(load, LOAD, replace(load.build(board, LOAD), mistakes=(), others=()))
    with Bench(engine, tmp_path, "trials") as bench:
        assert bench.consider(first.task, problem_of(first, (), board)) is None
        board = first.task.board.after()
        good = replace(family.build(board, GROUPS), mistakes=(), others=())
        changes: dict[str, dict[str, Any]] = {
            "another right answer is": {"others": ("by_genre = None",)},
            "another right answer is CRASH: NameError": {"others": ("no_such_name",)},
            "the data do not fit the question: what it asks about is too small": {"checks": ("1 > 2",)},
            "NameError": {"body": "no_such_name"},
            "a wrong answer (is none at all) is CORRECT": {"mistakes": (Mistake(good.code, "is none at all"),)},
            "every wrong answer that was tried gives the right values": {
                "mistakes": (Mistake(good.code, "may agree", may_agree=True),)
            },
        }
        for reason, change in changes.items():
            task: Task = replace(good, **change)
            refusal = bench.consider(task, problem_of(TaskCandidate(family, GROUPS, task), (), board))
            assert refusal is not None, change
            assert refusal.reason.startswith(reason), change
        assert bench.consider(good, problem_of(TaskCandidate(family, GROUPS, good), (), board)) is None


def test_a_big_table_is_compared_by_what_is_new(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table above the limit keeps a check of its new columns, and mistakes in them are rejected."""
    films(tmp_path)
    profile = profile_here(tmp_path)
    monkeypatch.setattr(boards, "MAX_CELLS", profile.tables[0].rows * len(profile.tables[0].columns) - 1)
    board, load = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"]
    first = TaskCandidate(load, LOAD, load.build(board, LOAD))
    problems = [problem_of(first, (), board)]
    with Bench(engine, tmp_path, "big") as bench:
        assert bench.consider(first.task, problems[0]) is None
        board = first.task.board.after()
        family = FAMILIES["standing_in_group"]
        slots = {**GROUPED, "how": "difference", "new": "min_vs_genre"}
        second = TaskCandidate(family, slots, family.build(board, slots))
        problems.append(problem_of(second, problems, board))
        assert bench.consider(second.task, problems[1]) is None
    probes = problems[1].metadata["probes"]
    assert any("min_vs_genre" in source for source in probes.values())
    validator = problems[1].validator
    assert validator is not None
    assert set(probes) <= set(validator["namespace_check"])
    assert second.task.mistakes
