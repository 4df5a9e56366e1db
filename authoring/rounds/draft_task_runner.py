"""What does the tasks of a plan on a worker: engines, on which drafts are written by template, dry-run and proved."""

import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from authoring.checks import Proof, prove
from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.checks.dry_run.checked_set import row_of, summary_of
from authoring.checks.dry_run.dry_running import ExecutedRows, readable_text
from authoring.drafting.template_order import TemplateOrder
from authoring.progress import no_progress
from authoring.rounds.draft_executor import loaded_text, with_inputs
from authoring.rounds.draft_tasks import DRY_RUN, PlanOrder, TextTask, read_task, result_bytes
from authoring.rounds.parallel_engines import HASH_SEEDS, engines_of_worker
from authoring.templates import DraftedSet
from evaluator.errors import ToolkitError
from evaluator.language import read_own_validators
from evaluator.session import scratch_folder


def prepare_plan(order: bytes, files: Path, threads: int) -> "DraftTaskRunner":
    """Return what does the tasks of a plan on a worker.

    Args:
        order: Of the plan.
        files: The folder with what was shipped.
        threads: Tasks that are done at once (count).

    Raises:
        ToolkitError: If the sandbox is not here.
    """
    del threads  # engines serve any number
    return DraftTaskRunner(PlanOrder.from_bytes(order), files)


class DraftTaskRunner:
    """Does the tasks of one plan: each is a pure function of its bytes and of the files that were shipped."""

    def __init__(self, order: PlanOrder, files: Path) -> None:
        self._files = files
        code = order.own_validators
        self._own = None if code is None else read_own_validators(code, files / "_validators.py")
        with ExitStack() as stack:
            self._engines = stack.enter_context(engines_of_worker(order.sandbox, HASH_SEEDS))
            self._engines[0].warm_up()
            self._stack = stack.pop_all()

    def told(self) -> Mapping[str, Any]:
        """Return where problem code runs."""
        return {"same": {"environment": self._engines[0].environment_id, "sandbox": self._engines[0].sandbox_name}}

    def work(self, task: bytes, cancelled: Callable[[], bool]) -> bytes:
        """Write, dry-run or prove a draft.

        Raises:
            ToolkitError: If the task cannot be read, or its result is too large.
        """
        del cancelled  # a step is short, and nobody waits for its end
        wanted = read_task(task)
        try:
            with scratch_folder() as folder:
                inputs = self._materialised(wanted.inputs, folder / "inputs")
                return result_bytes(self._done(wanted, inputs))
        except ToolkitError as error:
            return result_bytes(error)

    def _materialised(self, inputs: Mapping[str, str], folder: Path) -> Path:
        folder.mkdir()
        for name, digest in inputs.items():
            shutil.copyfile(self._files / "blobs" / digest, folder / name)
        return folder

    def _done(self, wanted: TextTask | TemplateOrder, inputs: Path) -> DraftedSet | ExecutedRows | Proof:
        engine = self._engines[0]
        if isinstance(wanted, TemplateOrder):
            return wanted.write(engine, inputs, no_progress)
        problemset = readable_text(wanted.text, wanted.name, self._own)
        if wanted.kind == DRY_RUN:
            executed = execute_cells(engine, problemset, inputs)
            executed.refuse_engine_faults()
            rows = tuple(row_of(cell) for cell in executed.problems)
            summary = summary_of(executed, None, engine.environment)
            return ExecutedRows(rows, summary, engine.environment_id, engine.sandbox_name)
        return prove(with_inputs(loaded_text(wanted.name, wanted.text, problemset, self._own), inputs), self._engines)

    def close(self) -> None:
        """End the engines."""
        self._stack.close()
