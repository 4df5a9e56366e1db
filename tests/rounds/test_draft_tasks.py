"""What a plan's client and the workers of a cluster say to each other, and what is done on one machine alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from authoring.checks import Check, CheckFailure, Proof
from authoring.checks.dry_run.dry_running import ExecutedRows
from authoring.drafting.sketching import Author
from authoring.drafting.template_order import TemplateOrder
from authoring.languages import Language
from authoring.rounds.auto import AutoOrder, bootstrap_auto
from authoring.rounds.draft_tasks import (
    DRY_RUN,
    PlanOrder,
    TextTask,
    draft_bytes,
    read_drafted,
    read_proof,
    read_result,
    read_rows,
    read_task,
    result_bytes,
)
from authoring.seeds import load_shipped_seeds
from authoring.seeds.meanings import seed_semantics
from authoring.seeds.meanings.stored import seed_profile_of
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import SketchItem
from authoring.store.dry_runs import DryRunProblem
from authoring.store.workspace import Workspace
from authoring.templates import DraftedSet
from evaluator.errors import ContentError, UsageError
from evaluator.running import Executor
from evaluator.running.cluster.messages import BadMessageError, write_message
from evaluator.session import SandboxChoice

DIGEST = "0" * 64
ROW = DryRunProblem(
    *(1, "total", 0.25, "CORRECT", "WRONG_OUTPUT"),
    outputs=[{"output_type": "stream", "text": "a\udc80"}],
    reasons={"empty": "nothing"},
    warnings=[{"code": "x"}],
)


def test_an_input_file_has_a_plain_name_and_is_asked_for_by_its_digest() -> None:
    for name in ("../out.csv", "a/b.csv", "", ".."):
        with pytest.raises(BadMessageError, match="no input file"):
            read_task(TextTask(DRY_RUN, "trips", "", {name: DIGEST}).to_bytes())
    for digest in ("../../etc/passwd", "F" * 64, ""):
        with pytest.raises(BadMessageError, match="no digest"):
            read_task(TextTask(DRY_RUN, "trips", "", {"trips.csv": digest}).to_bytes())


def test_orders_come_back_as_they_were(workspace: Workspace) -> None:
    plan = PlanOrder(SandboxChoice.BWRAP, "def check(case):\n    ...\n")
    assert PlanOrder.from_bytes(plan.to_bytes()) == plan
    task = TextTask(DRY_RUN, "trips", "# %%\n1\n", {"trips.csv": DIGEST})
    assert read_task(task.to_bytes()) == task
    ws = workspace
    load_shipped_seeds(ws, only=["penguins"])
    seed = find_seed(ws, "penguins")
    items = (SketchItem(1, "The mean", ("mean",), (), "easy", "group_means", {"by": ["species"], "n": 3}),)
    order = TemplateOrder(
        *("one", items, seed_profile_of(seed), seed_semantics(ws, seed), 7, ("a", "b"), Language.CHINESE),
        {file.name: file.digest for file in seed.files},
    )
    assert read_task(draft_bytes(order)) == order


def test_what_came_of_a_step_comes_back_as_it_was() -> None:
    rows = ExecutedRows((ROW, replace(ROW, index=2, error={"name": "E"})), {"seconds": 1.5}, "0123", "bwrap")
    assert read_rows(read_result(result_bytes(rows), place="worker")) == rows
    failure = CheckFailure(Check.GUESS, 3, "third", "'one' passes without a look at the data", "ask for more")
    proof = Proof((failure,), {1: 0.5, 3: 0.25})
    assert read_proof(read_result(result_bytes(proof), place="worker")) == proof
    drafted = DraftedSet("# %%\n1\n", {"replaced": [{"why": None}]})
    assert read_drafted(read_result(result_bytes(drafted), place="worker")) == drafted


def test_a_process_of_a_proof_is_named_by_a_number() -> None:
    for name in ("²", "-1", "one", "", "9" * 5_000):
        data = write_message("outcome", {"failures": [], "seconds": {name: 0.5}}, limit=10_000)
        with pytest.raises(BadMessageError, match="no number from 0"):
            read_proof(read_result(data, place="worker"))


def test_an_error_of_a_step_is_raised_with_its_own_words() -> None:
    error = ContentError("the tables give too few problems", fix="add larger ones")
    with pytest.raises(ContentError) as caught:
        read_result(result_bytes(error), place="tcp://worker")
    assert (caught.value.what, caught.value.where) == (error.what, "tcp://worker")


def test_rows_that_are_none_are_refused() -> None:
    rows = ExecutedRows((ROW,), {}, "0123", "bwrap")
    changes: list[dict[str, Any]] = [{"index": 0}, {"seconds": -1}, {"outputs": {}}, {"more": 1}, {"error": "E"}]
    for change in changes:
        content = json.loads(result_bytes(rows).partition(b"\n")[2])
        content["problems"][0] |= change
        with pytest.raises(BadMessageError):
            read_rows(read_result(write_message("outcome", content, limit=10**6), place="worker"))


def test_what_a_plan_cannot_do_on_a_cluster_is_usage(workspace: Workspace, tmp_path: Path) -> None:
    orders: list[tuple[dict[str, Any], str]] = [
        ({"executor": Executor.DASK, "author": Author.MODEL}, "a model drafts on one machine"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "only a cluster has a scheduler"),
        ({"executor": Executor.DASK, "scheduler": "tcp://10.0.0.1:1"}, "without TLS"),
        ({"executor": Executor.DASK, "workers": 5000}, "5,000 processes are too many for this machine"),
        ({"executor": Executor.DASK, "scheduler": "tcp://127.0.0.1:1", "workers": 2}, "are counted there"),
    ]
    for more, said in orders:
        with pytest.raises(UsageError, match=said):
            bootstrap_auto(workspace, AutoOrder(name="x", out=tmp_path / "out", seeds=("penguins",), **more))
