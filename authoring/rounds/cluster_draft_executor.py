"""A plan's drafts are written and checked by the workers of a Dask cluster; the client alone writes to the store."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from authoring.checks import Proof
from authoring.checks.dry_run.dry_running import DryRunResult, store_rows
from authoring.drafting.template_order import TemplateOrder
from authoring.progress import OnEvent, PipelineEvent
from authoring.rounds.draft_task_runner import prepare_plan
from authoring.rounds.draft_tasks import (
    DRY_RUN,
    PROOF,
    PlanOrder,
    TextTask,
    draft_bytes,
    read_drafted,
    read_proof,
    read_result,
    read_rows,
)
from authoring.store.drafting.seeds import Seed
from authoring.store.problemsets import problemset_inputs
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from authoring.templates import DraftedSet
from evaluator.language import LoadedSet, Problemset
from evaluator.running.cluster.file_bundle import BundledFile, pack
from evaluator.running.cluster.messages import Fields, arrived_from
from evaluator.running.cluster.prepared_workers import prepared
from evaluator.running.cluster.run_on_cluster import refuse_without_dask
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec

T = TypeVar("T")


@dataclass(frozen=True)
class ClusterDraftExecutor:
    """Gives each step to a worker and waits for it; as many threads may wait as the cluster does at once."""

    cluster: "DaskCluster"
    work: "WorkSpec"
    environment_id: str
    engine: None = None

    @property
    def threads(self) -> int:
        """How many steps the cluster does at once (count)."""
        return max(1, sum(self.cluster.threads.values()))

    def write_template(self, order: TemplateOrder, on_event: OnEvent) -> DraftedSet:
        """Write a draft by template.

        Raises:
            ContentError: If no draft can be made of it.
            ToolkitError: If an engine or the cluster fails.
        """
        on_event(PipelineEvent(0, 0, "drafting on the cluster"))
        return self._called(order.name, draft_bytes(order), read_drafted)

    def dry_run(self, ws: Workspace, revision: Revision, problemset: Problemset, on_event: OnEvent) -> DryRunResult:
        """Execute and judge a revision, and store the result.

        Raises:
            ToolkitError: If an engine or the cluster fails; then nothing is stored.
        """
        on_event(PipelineEvent(0, 0, "dry run on the cluster"))
        rows = self._called(revision.problemset_name, _task(DRY_RUN, ws, revision), read_rows)
        return store_rows(ws, revision, problemset, rows)

    def prove(self, ws: Workspace, revision: Revision, loaded: LoadedSet) -> Proof:
        """Judge a revision's references across several fresh processes of one worker.

        Raises:
            ToolkitError: If an engine or the cluster fails; then nothing was proved.
        """
        return self._called(loaded.name, _task(PROOF, ws, revision), read_proof)

    def _called(self, name: str, task: bytes, read: Callable[[Fields], T]) -> T:
        result, place = self.cluster.call(self.work, name, task), self.cluster.where
        with arrived_from(place):
            return read(read_result(result, place=place))


def _task(kind: str, ws: Workspace, revision: Revision) -> bytes:
    inputs = problemset_inputs(ws, revision.problemset_id)
    return TextTask(kind, revision.problemset_name, revision.text, inputs).to_bytes()


@contextmanager
def open_draft_executor(
    ws: Workspace, seeds: Sequence[Seed], *, scheduler: str, workers: int, sandbox: SandboxChoice
) -> Iterator[ClusterDraftExecutor]:
    """Yield an executor on a cluster whose workers have the files of some seeds.

    Args:
        ws: The workspace.
        seeds: Of the plan.
        scheduler: The address of a cluster's; empty: one is started on this machine.
        workers: Processes of such a cluster (count).
        sandbox: Where problem code runs.

    Raises:
        UsageError: If Dask is not installed, or the address cannot be used.
        ToolkitError: If the scheduler or a worker is not fit.
    """
    refuse_without_dask()
    from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec  # late: Dask is an extra

    blobs = sorted({file.digest for seed in seeds for file in seed.files})
    own = workspace_validators(ws)
    order = PlanOrder(sandbox, None if own is None else own.code)
    bundle = pack(BundledFile(f"blobs/{digest}", ws.blob_path(digest)) for digest in blobs)
    with DaskCluster.open(scheduler, workers=workers) as cluster:
        work = WorkSpec(prepare_plan, order.to_bytes(), bundle.data)
        try:
            told = next(iter(prepared(cluster, work).values()))
            yield ClusterDraftExecutor(cluster, work, told.inner("same").text("environment"))
        finally:
            cluster.release(work)
