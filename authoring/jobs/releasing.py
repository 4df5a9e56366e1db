"""Jobs that make releases, run agents on them, and build the demo."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required
from authoring.store import RunRow, Workspace, find_release, find_run
from evaluator.errors import UsageError

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
    """Run an agent on a release, or on any benchmark, and index its records. A resumed job continues where it stopped.

    Payload: `release` (id or name) or `benchmark` (a path), what `run_config` documents, and `budget` ({tokens, cost,
    minutes} or null) of an agent that asks a model; or only `again` (a run's id), which asks that run's problems that
    are not judged once more, with a `budget` of its own; or `rescore` (a run's id) and `release`, which judges that
    run's submissions anew as a run of their own. Returns the run's summary and its `id`.
    """
    from authoring.checks.agreeing_agents import open_suspects
    from authoring.jobs.run_orders import rescoring, run_config
    from authoring.prompting.repair_loop import open_client
    from authoring.release.release_runs import run_in_workspace
    from evaluator.agents import asks_model, chat_agent, parse_agent
    from evaluator.models import BudgetLimits, ModelClient, ModelSettings

    out = _inside(context.workspace, "runs", f"job-{context.job.id}")
    asked: Mapping[str, Any] = payload
    facts: dict[str, Any] = {}
    if payload.get("again") is not None:
        earlier = find_run(context.workspace, required(payload, "again", int))
        asked = {**_asked_before(earlier), "budget": payload.get("budget")}
        out = Path(earlier.out_dir)
    elif payload.get("rescore") is not None:
        earlier = find_run(context.workspace, required(payload, "rescore", int))
        asked = rescoring(earlier, payload.get("release"))
        facts = {"rescored_from": earlier.id}
    path, label = _benchmark(context.workspace, asked)
    config = run_config(asked, path, out, context.sandbox_choice())
    budget = BudgetLimits.from_json(asked.get("budget"))

    def client(settings: ModelSettings) -> ModelClient:
        subject = f"job {context.job.id}"
        return open_client(
            context.workspace, settings, purpose="run", subject=subject, budget=budget, job_id=context.job.id
        )

    agent = (
        chat_agent(config.agent.partition(":")[2], client)
        if asks_model(config.agent)
        else parse_agent(config.agent, allow_mismatch=config.allow_mismatch, allow_files=False)
    )
    run_id, summary = run_in_workspace(
        context.workspace,
        config,
        label=label,
        agent=agent,
        called=asked.get("called"),
        facts={**facts, "asked": dict(asked), "started_by": context.job.created_by, "job": context.job.id},
        on_event=lambda event: _tell(context, event),
    )
    return {**summary.to_json(), "id": run_id, "suspects": len(open_suspects(context.workspace, label))}


def _asked_before(earlier: RunRow) -> Mapping[str, Any]:
    asked = earlier.summary.get("asked")
    if not isinstance(asked, dict):
        fix = "repeat the command that made it: it judges what is missing"
        raise UsageError("the run does not say what it was asked", where=f"run {earlier.id}", fix=fix)
    return asked


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
