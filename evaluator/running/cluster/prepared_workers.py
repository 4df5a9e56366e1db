"""Makes workers ready, and says once, as one machine would, what is wrong here where all of them fail alike."""

from typing import TYPE_CHECKING

from evaluator.running.cluster.checks import UnfitWorkersError
from evaluator.running.cluster.messages import Fields

if TYPE_CHECKING:
    from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec


def prepared(cluster: "DaskCluster", work: "WorkSpec") -> dict[str, Fields]:
    """Return what the workers of a cluster tell that are ready for work, as `DaskCluster.prepare` does.

    Raises:
        UsageError, ContentError: If all of them say the same, which is then wrong in what was asked for.
        ToolkitError: If one of them is not fit.
    """
    from evaluator.running.cluster.connection import LOCAL  # late: Dask is an extra

    try:
        return cluster.prepare(work)
    except UnfitWorkersError as error:
        common = error.said_by_all(len(cluster.threads), place="" if cluster.where == LOCAL else "all workers")
        if common is None:
            raise
        raise common from error
