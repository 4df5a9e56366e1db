"""Jobs that make releases, run agents on them, and build the demo."""

from collections.abc import Mapping
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import Asking, ByPerson, NoFields, Ref
from authoring.store import releases, runs
from authoring.store.people import Role
from authoring.store.runs import RunRow
from authoring.store.workspace import Workspace
from evaluator.agents import AGENT_TIMEOUT_S, asks_model
from evaluator.agents.choice import names_files, runs_in_processes
from evaluator.errors import UsageError
from evaluator.reporting import read_manifest
from evaluator.running import (
    EXECUTIONS,
    MANIFEST,
    RECORDS,
    ROUNDS,
    BetweenAttempts,
    HistoryPolicy,
    Mode,
    OutputsKept,
    Policies,
    RunConfig,
    StatePolicy,
    StopPolicy,
    agent_of_run,
    is_granted_model,
    model_asked,
    policies_of,
)
from evaluator.running import parse_feedback as parts_of
from evaluator.session import AgentNetwork, EngineChoice, SandboxChoice

if TYPE_CHECKING:
    from evaluator.models import Budget
    from evaluator.running import RunEvent


_POLICIES: Final = ("state", "history", "feedback", "between_attempts", "stop")
BY_VALUE = Field(strict=False)  # JSON has the value of a choice, not the choice


class RunOrder(Asking):
    """A run of an agent on a release or another benchmark; or `again`, or `rescore`, of an earlier run."""

    release: Ref | None = None
    benchmark: str | None = None  # a path, in place of a release
    again: int | None = None  # a run: what is not judged is asked once more, with its budget or this one
    rescore: int | None = None  # a run whose submissions are judged anew, as a run of their own
    agent: str = "oracle"
    called: str | None = None  # what the run calls its agent
    workers: int = 1
    limit: int | None = None
    sets: list[str] = Field(default_factory=list)  # empty: all
    epochs: int = 1
    state: Annotated[StatePolicy, BY_VALUE] = StatePolicy.REFERENCE
    history: Annotated[HistoryPolicy, BY_VALUE] = HistoryPolicy.REFERENCE
    max_attempts: int | None = None  # 1, or as many as a mode has
    feedback: list[str] = Field(default_factory=list)
    between_attempts: Annotated[BetweenAttempts, BY_VALUE] = BetweenAttempts.RESET
    stop: Annotated[StopPolicy, BY_VALUE] = StopPolicy.JUDGED
    mode: Annotated[Mode | None, BY_VALUE] = None  # says what state, history, feedback, between_attempts and stop are
    judge: str = ""  # a vision model that looks at figures; empty: nobody does
    rules: str | None = None
    rng_seed: int = 0
    engine: Annotated[EngineChoice, BY_VALUE] = EngineChoice.AUTO
    allow_mismatch: bool = False
    environment: str | None = None
    outputs: Annotated[OutputsKept, BY_VALUE] = OutputsKept.PRINTED
    agent_timeout_s: int | float = AGENT_TIMEOUT_S  # for one answer of an agent that is not ours
    executions: int = EXECUTIONS  # that an agent may ask for at one problem
    agent_environment: str | None = None  # whose Python an agent's process runs on
    agent_network: Annotated[AgentNetwork, BY_VALUE] = AgentNetwork.NONE
    agent_model: str = ""  # that such a process may ask; empty: BENCHWRIGHT_MODEL's
    agent_calls: int | None = None  # of that model at one problem
    agent_tokens: int | None = None
    agent_folder: str | None = None  # what it sees of this machine's files
    agent_variables: list[str] = Field(default_factory=list)  # names of variables that it is given

    @property
    def may_ask_model(self) -> bool:
        """Whether its agent asks a model, itself or through us, or a judge looks at figures: then a budget counts."""
        config = run_config(self, Path(), Path(), SandboxChoice.AUTO)
        return is_granted_model(config) or asks_model(config.agent) or bool(config.judge)

    def needs_maintainer(self, ws: Workspace) -> bool:
        """Whether it runs code or reads files of this machine; what runs of the workspace submitted is none of that."""
        if self.rescore is not None:
            return False
        if self.again is not None:
            earlier = runs.find(ws, self.again)
            return RunOrder.stored({**_asked_before(earlier), "again": None, "rescore": None}).needs_maintainer(ws)
        if self.agent_folder is not None or self.agent_variables:
            return True
        name, _, path = self.agent.partition(":")
        is_of_run = name == "replay" and Path(path).name == RECORDS and runs.ids_by_folder(ws, [str(Path(path).parent)])
        return names_files(self.agent) and not is_of_run


def run_config(asked: RunOrder, benchmark: Path, out: Path, sandbox: SandboxChoice) -> RunConfig:
    """Return the configuration that an order asks for."""
    return RunConfig(
        benchmark=benchmark,
        agent=asked.agent,
        out=out,
        workers=asked.workers,
        limit=asked.limit,
        sets=tuple(asked.sets),
        sandbox=sandbox,
        rng_seed=asked.rng_seed,
        engine=asked.engine,
        rules=asked.rules,
        allow_mismatch=asked.allow_mismatch,
        environment=asked.environment,
        policies=_policies(asked),
        max_attempts=asked.max_attempts or (ROUNDS if asked.mode else 1),
        mode=asked.mode.value if asked.mode else "",
        judge=asked.judge,
        epochs=asked.epochs,
        outputs=asked.outputs,
        agent_timeout_s=asked.agent_timeout_s,
        executions=asked.executions,
        agent_environment=asked.agent_environment,
        agent_network=asked.agent_network,
        agent_model=asked.agent_model,
        agent_calls=asked.agent_calls,
        agent_tokens=asked.agent_tokens,
        agent_folder=Path(asked.agent_folder) if asked.agent_folder else None,
        agent_variables=tuple(asked.agent_variables),
    )


def _policies(asked: RunOrder) -> Policies:
    """Return the policies of a mode, or those that are asked; as on the command line, one excludes the other."""
    feedback = parts_of(",".join(asked.feedback) or "none")
    written = Policies(asked.state, asked.history, feedback, asked.between_attempts, asked.stop)
    if asked.mode is None:
        return written
    if written != Policies():
        what = f"a mode and own policies were both given: {asked.mode.value!r}, and {written.to_text()!r}"
        fix = "leave out the mode, or state, history, feedback, between_attempts and stop"
        raise UsageError(what, where="payload", fix=fix)
    return policies_of(asked.mode)


def rescoring(earlier: RunRow, release: int | str | None) -> dict[str, Any]:
    """Return the payload that judges the submissions of an earlier run anew, under the same policies.

    Args:
        earlier: The run; what was submitted is read from its records.
        release: On which release; None: the one it ran on.

    Raises:
        UsageError: If its folder is gone.
    """
    records = Path(earlier.out_dir) / RECORDS
    if not records.is_file():
        raise UsageError("the run's records are gone", where=str(records), fix="restore its folder, or run the agent")
    told = read_manifest(records.with_name(MANIFEST))
    asked = earlier.summary.get("asked") or {}
    mode = next((each.value for each in Mode if each == told.get("mode")), None)
    policies = {} if mode else told.get("policies") or {}
    kept = {"mode": mode, "judge": asked.get("judge")}
    name, _, version = earlier.release.rpartition(" ")
    where = next(each for each in (release, asked.get("release"), f"{name}@{version}") if each is not None)
    return {
        "release": where,
        "agent": f"replay:{records}",
        "called": earlier.agent,
        "allow_mismatch": True,
        **{name: policies[name] for name in _POLICIES if name in policies},
        **{name: value for name, value in kept.items() if value},
        **{name: told[name] for name in ("epochs", "max_attempts", "rng_seed", "engine") if name in told},
        "outputs": OutputsKept.SHOWN.value,
    }


class ReleaseOrder(ByPerson):
    """A release of accepted problemsets."""

    name: str
    version: str
    chosen: list[str] = Field(default_factory=list)  # empty: all that are accepted
    authors: list[str] = Field(default_factory=list)
    licence: str = ""
    out: str = ""  # a folder; empty: one in the workspace's folder `releases`


@job("release", title="Create release", lane="batch", payload=ReleaseOrder)
def release(context: JobContext, payload: ReleaseOrder) -> dict[str, Any]:
    """Freeze the accepted problemsets and return the release with its `id`."""
    from authoring.release import create_release

    name, version = payload.name, payload.version
    made = create_release(
        context.workspace,
        name,
        version,
        out=Path(payload.out) if payload.out else _inside(context.workspace, "releases", f"{name}-{version}"),
        chosen=tuple(payload.chosen),
        authors=tuple(payload.authors),
        licence=payload.licence,
        created_by=payload.person(context.job.created_by),
    )
    return made.to_json()


@job("run", title="Score an agent", lane="batch", payload=RunOrder, roles=(Role.EVALUATOR,), asks_model=True)
def run(context: JobContext, payload: RunOrder) -> dict[str, Any]:
    """Run an agent on a release, or on any benchmark, and index its records. A resumed job continues where it stopped.

    Returns the run's summary and its `id`.
    """
    from authoring.checks.agreeing_agents import open_suspects
    from authoring.prompting.repair_loop import open_client, purse_of_job
    from authoring.release.release_runs import run_in_workspace
    from evaluator.models import BudgetLimits, ModelClient, ModelSettings
    from evaluator.models.figure_judge import model_judge

    out = _inside(context.workspace, "runs", f"job-{context.job.id}")
    fields: Mapping[str, Any] = context.job.payload  # kept with the run as they were ordered
    facts: dict[str, Any] = {}
    if payload.again is not None:
        earlier = runs.find(context.workspace, payload.again)
        named = {"budget": fields["budget"]} if "budget" in fields else {}  # null: without a limit this time
        fields = {**_asked_before(earlier), **named}
        out = Path(earlier.out_dir)
    elif payload.rescore is not None:
        earlier = runs.find(context.workspace, payload.rescore)
        fields = rescoring(earlier, payload.release)
        facts = {"rescored_from": earlier.id}
    asked = RunOrder.stored(fields)
    path, label = _benchmark(context.workspace, asked)
    config = run_config(asked, path, out, context.sandbox_choice())
    purse = purse_of_job(context.workspace, asked.limits() or BudgetLimits(), context.job.id)

    def client(settings: ModelSettings, purpose: str = "run") -> ModelClient:
        subject = f"job {context.job.id}"
        return open_client(
            context.workspace, settings, purpose=purpose, subject=subject, budget=purse, job_id=context.job.id
        )

    judge = model_judge(config.judge, out, client=partial(client, purpose="judge")) if config.judge else None
    facts |= {"asked": dict(fields), "started_by": context.job.created_by, "job": context.job.id}
    with chdir(context.workspace.root):  # from where paths of an agent of one's own count
        run_id, summary = run_in_workspace(
            context.workspace,
            config,
            label=label,
            agent=agent_of_run(config, _budget_of_agent(context, config, purse), client),
            figure_judge=judge,
            called=asked.called,
            facts=facts,
            on_event=lambda event: _tell(context, event),
        )
    return {**summary.to_json(), "id": run_id, "suspects": len(open_suspects(context.workspace, label))}


def _budget_of_agent(context: JobContext, config: RunConfig, purse: "Budget") -> "Budget":
    """Return the budget that an agent asks: what one with a client of its own takes becomes calls of the job, too."""
    from authoring.prompting.job_budget import JobBudget
    from evaluator.models import ModelSettings

    if not (runs_in_processes(config.agent) and is_granted_model(config)):
        return purse
    settings = ModelSettings.from_env(model_asked(config))
    return JobBudget(context.workspace, purse, settings, job_id=context.job.id)


def _asked_before(earlier: RunRow) -> Mapping[str, Any]:
    asked = earlier.summary.get("asked")
    if not isinstance(asked, dict):
        fix = "repeat the command that made it: it judges what is missing"
        raise UsageError("the run does not say what it was asked", where=f"run {earlier.id}", fix=fix)
    return asked


@job("demo", title="Build the demo", lane="batch", payload=NoFields)
def demo(context: JobContext, payload: NoFields) -> dict[str, Any]:  # noqa: ARG001 - one signature for all
    """Build what a new demo workspace shows: a draft that waits, an accepted problemset, a release, a scored run."""
    from authoring.demo import build_demo

    return build_demo(context.workspace, context.progress)


def _benchmark(workspace: Workspace, asked: RunOrder) -> tuple[Path, str]:
    if asked.benchmark:
        path = Path(asked.benchmark)
        return path, path.name
    if asked.release is None:
        raise UsageError("the run has no release", where="payload", fix="order it again with 'release' or 'benchmark'")
    found = releases.find(workspace, asked.release)
    return Path(found.path), f"{found.name} {found.version}"


def _inside(workspace: Workspace, folder: str, name: str) -> Path:
    home = workspace.root / folder
    home.mkdir(exist_ok=True)
    return home / name


def _tell(context: JobContext, event: "RunEvent") -> None:
    verdict = f": {event.verdict}" if event.verdict else ""
    place = f"{event.problemset} {event.index or ''}".strip()
    context.report(event.done, event.total, f"{event.kind.value} {place}{verdict}")
