"""What a session does with candidates: good ones are taken, the others refused with the reason."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates import board as boards
from authoring.templates.board import Board
from authoring.templates.candidate_trials import Bench, Refusal
from authoring.templates.family import Mistake, Task
from authoring.templates.planning import TaskCandidate
from authoring.templates.template_draft import problem_of
from evaluator.session import Engine
from tests.templates.conftest import profile_here
from tests.templates.rich_tables import films

LOAD: dict[str, Any] = {"table": 0, "var": "films", "others": {}}
GROUPS: dict[str, Any] = {
    "frame": "films",
    "group": "genre",
    "number": "runtime_min",
    "lead": "mean",
    "var": "by_genre",
}
Try = Callable[..., tuple[Task, Refusal | None]]


@pytest.fixture(scope="module")
def trial(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Try:
    """Try a table of groups with some of its task changed, in a session that has the table."""
    folder = tmp_path_factory.mktemp("films")
    films(folder)
    profile = profile_here(folder)
    load, family = FAMILIES["load_tables"], FAMILIES["group_table"]
    board = Board(profile, infer_semantics(profile))
    first = TaskCandidate(load, LOAD, load.build(board, LOAD))

    def consider(**change: Any) -> tuple[Task, Refusal | None]:
        with Bench(engine, folder, "trials") as bench:
            assert bench.consider(first.task, problem_of(first, (), board)) is None
            loaded = first.task.board.after()
            task: Task = replace(family.build(loaded, GROUPS), **change)
            return task, bench.consider(task, problem_of(TaskCandidate(family, GROUPS, task), (), loaded))

    return consider


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"others": ("by_genre = None",)}, "another right answer is"),
        ({"others": ("no_such_name",)}, "another right answer is CRASH: NameError"),
        ({"checks": ("1 > 2",)}, "the data do not fit the question: what it asks about is too small"),
        ({"body": "no_such_name"}, "NameError"),
    ],
)
def test_what_is_no_good_problem_is_refused_with_the_reason(trial: Try, change: dict[str, Any], reason: str) -> None:
    _, refusal = trial(**change)
    assert refusal is not None
    assert reason in refusal.reason


def test_a_mistake_that_gives_the_right_answer_is_a_reason_to_refuse(trial: Try) -> None:
    task, refusal = trial()
    assert refusal is None
    _, refusal = trial(mistakes=(Mistake(task.code, "is none at all"),))
    assert refusal is not None
    assert refusal.reason.startswith("a wrong answer (is none at all) is CORRECT")
    _, refusal = trial(mistakes=(Mistake(task.code, "may agree", may_agree=True),))
    assert refusal is not None
    assert refusal.reason.startswith("every wrong answer that was tried gives the right values")


def test_a_big_table_is_compared_by_what_is_made_of_it(
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
        slots = {
            "frame": "films",
            "group": "genre",
            "number": "runtime_min",
            "how": "difference",
            "new": "min_vs_genre",
        }
        second = TaskCandidate(family, slots, family.build(board, slots))
        problems.append(problem_of(second, problems, board))
        assert bench.consider(second.task, problems[1]) is None
    probes = problems[1].metadata["probes"]
    assert any("min_vs_genre" in source for source in probes.values())
    validator = problems[1].validator
    assert validator is not None
    assert set(probes) <= set(validator["namespace_check"])
    assert second.task.mistakes
