"""Jobs that make releases, run agents on them, and build the demo."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required
from authoring.store import Workspace, find_release

if TYPE_CHECKING:
    from evaluator.running import RunEvent


def release(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Freeze the accepted problemsets. Payload: `name`, `version`, `chosen`, `authors`, `licence`, `out` (a folder).

    Without `out` the release is written into the workspace's folder `releases`. Returns the release with its `id`.
    """
    from authoring.release import create_release

    name, version = required(payload, "name", str), required(payload, "version", str)
    out = payload.get("out")
    made = create_release(
        context.workspace,
        name,
        version,
        out=Path(out) if out else _inside(context.workspace, "releases", f"{name}-{version}"),
        chosen=tuple(optional(payload, "chosen", list, [])),
        authors=tuple(optional(payload, "authors", list, [])),
        licence=optional(payload, "licence", str, ""),
        created_by=optional(payload, "created_by", str, context.job.created_by),
    )
    return made.to_json()


def run(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Run an agent on a release, or on any benchmark, and index its records. A resumed job goes on where it stopped.

    Payload: `release` (id or name) or `benchmark` (a path); `agent`, `workers`, `limit`, `sets`, `rng_seed`.
    Returns the run's summary and its `id`.
    """
    from authoring.pipeline.scoring_runs import run_in_workspace
    from evaluator.running import RunConfig

    path, label = _benchmark(context.workspace, payload)
    config = RunConfig(
        benchmark=path,
        agent=optional(payload, "agent", str, "oracle"),
        out=_inside(context.workspace, "runs", f"job-{context.job.id}"),
        workers=optional(payload, "workers", int, 1),
        limit=payload.get("limit"),
        sets=tuple(optional(payload, "sets", list, [])),
        sandbox=context.sandbox_choice(),
        rng_seed=optional(payload, "rng_seed", int, 0),
    )
    run_id, summary = run_in_workspace(
        context.workspace, config, label=label, on_event=lambda event: _tell(context, event)
    )
    return {**summary.to_json(), "id": run_id}


def demo(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """Build what a new demo workspace shows: a draft that waits, an accepted problemset, a release, a scored run."""
    from authoring.demo import build_demo

    return build_demo(context.workspace, context.progress)


def _benchmark(workspace: Workspace, payload: Mapping[str, Any]) -> tuple[Path, str]:
    if payload.get("benchmark"):
        path = Path(required(payload, "benchmark", str))
        return path, path.name
    ref = payload.get("release")
    found = find_release(workspace, ref if isinstance(ref, str) else required(payload, "release", int))
    return Path(found.path), f"{found.name} {found.version}"


def _inside(workspace: Workspace, folder: str, name: str) -> Path:
    home = workspace.root / folder
    home.mkdir(exist_ok=True)
    return home / name


def _tell(context: JobContext, event: "RunEvent") -> None:
    verdict = f": {event.verdict}" if event.verdict else ""
    place = f"{event.problemset} {event.index or ''}".strip()
    context.report(event.done, event.total, f"{event.kind.value} {place}{verdict}")
