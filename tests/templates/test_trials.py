"""What a session does with candidates: good ones are taken, the others refused with the reason."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from authoring.seeds import build_profile
from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates import board as boards
from authoring.templates.board import Board
from authoring.templates.candidate_trials import Bench, Refusal
from authoring.templates.family import Mistake, Task
from authoring.templates.planning import TaskCandidate
from authoring.templates.template_draft import problem_of
from evaluator.session import Engine
from tests.templates.rich_tables import films


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("films")
    films(made)
    return made


@pytest.fixture
def trial(engine: Engine, folder: Path) -> Iterator[Callable[[dict[str, Any]], Refusal | None]]:
    """Try a table of groups with some of its task changed, in a session that has the table."""
    profile = build_profile(engine, sorted(folder.iterdir()))
    load, family = FAMILIES["load_tables"], FAMILIES["group_table"]
    with Bench(engine, folder, "trials") as bench:
        board = Board(profile, infer_semantics(profile))
        slots: dict[str, Any] = {"table": 0, "var": "films", "others": {}}
        first = TaskCandidate(load, slots, load.build(board, slots))
        assert bench.consider(first.task, problem_of(first, (), board)) is None
        board = first.task.board.after()
        slots = {"frame": "films", "group": "genre", "number": "runtime_min", "lead": "mean", "var": "by_genre"}

        def consider(change: dict[str, Any]) -> Refusal | None:
            task: Task = replace(family.build(board, slots), **change)
            return bench.consider(task, problem_of(TaskCandidate(family, slots, task), (), board))

        yield consider


def test_what_rejects_mistakes_and_accepts_other_ways_is_taken(trial: Callable[..., Refusal | None]) -> None:
    assert trial({}) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"others": ("by_genre = None",)}, "another right answer is"),
        ({"others": ("no_such_name",)}, "another right answer is CRASH: NameError"),
        (
            {"checks": ("1 > 2",)},
            "the data do not fit the question: what it asks about is too small",
        ),
        ({"body": "no_such_name"}, "NameError"),
    ],
)
def test_what_is_no_good_problem_is_refused_with_the_reason(
    trial: Callable[..., Refusal | None], change: dict[str, Any], reason: str
) -> None:
    refusal = trial(change)
    assert refusal is not None
    assert re.search(reason, refusal.reason), refusal.reason


def test_a_mistake_that_gives_the_right_answer_is_a_reason_to_refuse(
    trial: Callable[..., Refusal | None], engine: Engine, folder: Path
) -> None:
    task = _group_task(engine, folder)
    refusal = trial({"mistakes": (Mistake(task.code, "is none at all"),)})
    assert refusal is not None
    assert refusal.reason.startswith("a wrong answer (is none at all) is CORRECT")


def _group_task(engine: Engine, folder: Path) -> Task:
    profile = build_profile(engine, sorted(folder.iterdir()))
    board, load = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"]
    board = load.build(board, {"table": 0, "var": "films", "others": {}}).board.after()
    slots = {"frame": "films", "group": "genre", "number": "runtime_min", "lead": "mean", "var": "by_genre"}
    return FAMILIES["group_table"].build(board, slots)


def test_a_big_table_is_compared_by_what_is_made_of_it(engine: Engine, author: Callable[..., Any]) -> None:
    """A table above the limit keeps a check of its new columns, and mistakes in them are rejected."""
    rng, rows = np.random.default_rng(8), 310_000

    def write(folder: Path) -> None:
        table = pd.DataFrame({f"m{place}": rng.normal(60, 9, rows).round(2) for place in range(6)})
        table["site"] = rng.choice(["hill", "lake", "town", "port"], rows, p=[0.4, 0.3, 0.2, 0.1])
        table["kind"] = rng.choice(["old", "new"], rows, p=[0.7, 0.3])
        table["m0"] += np.where(table["site"] == "port", 9, 0) + 0.5 * table["m1"]
        for place in range(2):
            table[f"g{place}"] = rng.choice(["x", "y", "z"], rows, p=[0.5, 0.3, 0.2])
        table.to_parquet(folder / "big.parquet")

    made = author(write)
    profile = made.profile()
    assert profile.tables[0].rows * len(profile.tables[0].columns) > boards.MAX_CELLS
    board, load = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"]
    slots: dict[str, Any] = {"table": 0, "var": "big", "others": {}}
    first = TaskCandidate(load, slots, load.build(board, slots))
    problems = [problem_of(first, (), board)]
    with Bench(engine, made.inputs, "big") as bench:
        assert bench.consider(first.task, problems[0]) is None
        board = first.task.board.after()
        family = FAMILIES["standing_in_group"]
        slots = {"frame": "big", "group": "site", "number": "m0", "how": "difference", "new": "m0_vs_site"}
        second = TaskCandidate(family, slots, family.build(board, slots))
        problems.append(problem_of(second, problems, board))
        assert bench.consider(second.task, problems[1]) is None
    probes = problems[1].metadata["probes"]
    assert any("m0_vs_site" in source for source in probes.values())
    validator = problems[1].validator
    assert validator is not None
    assert set(probes) <= set(validator["namespace_check"])
    assert second.task.mistakes
