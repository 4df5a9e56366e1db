"""`benchwright run`: an agent on a benchmark, judged, recorded, resumable."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from authoring.cli.cluster_options import executor_option, refuse_no_cluster, refuse_odd_cluster, scheduler_option
from authoring.cli.evaluating.phases import (
    agent_of_phases,
    closed,
    generate_only,
    is_generate_alone,
    names_of_run,
    refuse_fresh,
    sets_to_ask,
    start_afresh,
)
from authoring.cli.one_machine import refuse_one_machine_options
from authoring.cli.options import (
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    EnvironmentOption,
    JsonOption,
    budget_of,
)
from authoring.cli.output import emit, note, print_diagnostics
from evaluator.agents import AGENT_TIMEOUT_S, SupportsLoad, asks_model, is_recorded
from evaluator.errors import UsageError
from evaluator.families.live_run import rules_of_run
from evaluator.language import Benchmark, Rules, read_benchmark
from evaluator.models import Budget, BudgetLimits, ModelClient
from evaluator.reporting.progress_bar import drawn_progress
from evaluator.running import (
    EXECUTIONS,
    RECORDS,
    ROUNDS,
    BetweenAttempts,
    EventKind,
    Executor,
    HistoryPolicy,
    Mode,
    OutputsKept,
    Policies,
    RunConfig,
    RunEvent,
    RunSummary,
    StatePolicy,
    StopPolicy,
    agent_of_run,
    parse_feedback,
    policies_of,
    run_benchmark,
)
from evaluator.running.attempt_facts import read_attempts
from evaluator.running.plan import plan_run
from evaluator.running.run import refuse_what_stays
from evaluator.running.run_folder import OtherRunError
from evaluator.scoring.grading import FigureJudge
from evaluator.session import AgentNetwork, EngineChoice, SandboxChoice

LOG_EVERY_S: Final = 30.0
_ASKED: Final = "What is asked"
_POLICIES: Final = "What the session holds, what the agent sees and is told"
_JUDGED: Final = "How it is run and judged"
_AGENTS: Final = "What an agent of your own may do"


def _asked(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel=_ASKED)


def _policy(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel=_POLICIES)


def _judged(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel=_JUDGED)


def _agents(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel=_AGENTS)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run", help="Run an agent on a benchmark and judge it. The same command again resumes a stopped run.")(
        run
    )


def run(
    benchmark: Annotated[Path, typer.Argument(help="A folder with _manifest.yaml, or one problemset file.")],
    agent: Annotated[
        str,
        typer.Option(
            help="oracle, empty, cheat, replay:FILE, chat:MODEL, react-cibench:MODEL, FILE.py:NAME, cmd:'COMMAND', "
            "cli:'COMMAND', ... "
            "(MODEL: perhaps anthropic:NAME or google:NAME)"
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for records.jsonl and manifest.json.")],
    workers: Annotated[int, typer.Option(help="Problemsets worked on at once; not with --scheduler.")] = 1,
    executor: Annotated[Executor, executor_option("Where problemsets are executed", _JUDGED)] = Executor.LOCAL,
    scheduler: Annotated[str, scheduler_option(panel=_JUDGED)] = "",
    concurrency: Annotated[int, _agents("Requests to a model that wait for an answer at once, beside --workers.")] = 1,
    limit: Annotated[int | None, _asked("Only the first N problems of all selected sets together.")] = None,
    sets: Annotated[str, typer.Option(metavar="NAME,...", help="Only these problemsets.", rich_help_panel=_ASKED)] = "",
    task: Annotated[
        str,
        typer.Option(
            metavar="TAG,...",
            help="Only records of the Qwen benchmark with these tags: math, visualization, general, gsm8k, ...",
            rich_help_panel=_ASKED,
        ),
    ] = "",
    phases: Annotated[
        str,
        typer.Option(
            metavar="PHASE,...",
            help="Some of generate, execute, score, where each problemset has one problem.  [default: all]",
            rich_help_panel=_ASKED,
        ),
    ] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Remove what an earlier run left in --out.", rich_help_panel=_ASKED)
    ] = False,
    epochs: Annotated[int, _asked("Independent passes over all problems, each with random states of its own.")] = 1,
    mode: Annotated[
        Mode | None,
        _policy("As CIBench or Qwen's benchmark runs agents, instead of --state and the like."),
    ] = None,
    state: Annotated[
        StatePolicy | None, _policy("What the session holds before each problem.  [default: reference]")
    ] = None,
    history: Annotated[
        HistoryPolicy | None, _policy("Whose code an agent is shown for the problems before.  [default: reference]")
    ] = None,
    max_attempts: Annotated[
        int | None, _policy("Attempts at one problem; the last one counts.  [default: 1; with --mode 3]")
    ] = None,
    feedback: Annotated[
        str | None,
        typer.Option(
            metavar="PART,...",
            help="What an agent is told between attempts: none, or some of error, output, hint.  [default: none]",
            rich_help_panel=_POLICIES,
        ),
    ] = None,
    between_attempts: Annotated[
        BetweenAttempts | None,
        _policy("Later attempts start where the first one did, or where the last one ended.  [default: reset]"),
    ] = None,
    stop: Annotated[
        StopPolicy | None,
        _policy("Attempts end with: a correct answer, code that runs, code that fails.  [default: judged]"),
    ] = None,
    judge: Annotated[
        str, _judged("A vision model that looks at figures where a problem asks for it; its replies are kept.")
    ] = "",
    rules: Annotated[Rules | None, _judged("Judge by these rules, whatever the benchmark says.")] = None,
    sandbox: Annotated[SandboxChoice, _judged("none is your consent to run code unprotected.")] = SandboxChoice.AUTO,
    rng_seed: Annotated[int, _judged("Seeds the random states of every session.")] = 0,
    engine: Annotated[
        EngineChoice, _judged("Keep submissions apart by fork or by replay; auto: as each problemset needs.")
    ] = EngineChoice.AUTO,
    allow_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-mismatch", help="Replay code whose problem has another query now.", rich_help_panel=_JUDGED
        ),
    ] = False,
    environment: EnvironmentOption = None,
    outputs: Annotated[
        OutputsKept, _judged("What to keep of what submissions show; shown: also last values, which takes time.")
    ] = OutputsKept.PRINTED,
    agent_timeout: Annotated[
        float, _agents("Seconds that an agent of your own may take for one call.")
    ] = AGENT_TIMEOUT_S,
    executions: Annotated[int, _agents("Executions at one problem that an agent may ask for before it submits.")] = (
        EXECUTIONS
    ),
    agent_environment: Annotated[
        str | None, _agents("The Python of cmd: agents, made with `benchwright env create`.  [default: this one]")
    ] = None,
    agent_network: Annotated[AgentNetwork, _agents("What cmd: and cli: agents reach.")] = AgentNetwork.NONE,
    agent_model: Annotated[
        str, _agents("The model that cmd: agents reach with --agent-network model.  [default: BENCHWRIGHT_MODEL's]")
    ] = "",
    agent_calls: Annotated[int | None, _agents("Calls of that model at one problem, at most.")] = None,
    agent_tokens: Annotated[int | None, _agents("Tokens of that model at one problem, at most.")] = None,
    agent_folder: Annotated[
        Path | None, _agents("What cmd: agents see of your files.  [default: the folder of the file they name]")
    ] = None,
    agent_variable: Annotated[
        list[str] | None,
        _agents("A variable of your environment that cmd: and cli: agents are given. Repeatable."),
    ] = None,
    record: Annotated[
        Path | None, _agents("Keep a model's replies in this folder; chat:recorded:FOLDER answers from them.")
    ] = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    as_json: JsonOption = False,
) -> int:
    """Run an agent; 0: all judged, 1: a problemset was refused, 3: something could not be judged."""
    about = read_benchmark(benchmark)
    config = RunConfig(
        benchmark,
        agent,
        out,
        workers,
        limit,
        sets_to_ask(about, sets, task),
        sandbox,
        rng_seed,
        engine,
        rules=rules.value if rules is not None else None,
        allow_mismatch=allow_mismatch,
        environment=environment,
        policies=_chosen_policies(mode, state, history, feedback, between_attempts, stop),
        max_attempts=max_attempts if max_attempts is not None else ROUNDS if mode else 1,
        mode=mode.value if mode is not None else "",
        judge=judge,
        epochs=epochs,
        outputs=outputs,
        agent_timeout_s=agent_timeout,
        executions=executions,
        agent_environment=agent_environment,
        agent_network=agent_network,
        agent_model=agent_model,
        agent_calls=agent_calls,
        agent_tokens=agent_tokens,
        agent_folder=agent_folder,
        agent_variables=tuple(agent_variable or ()),
        concurrency=concurrency,
        executor=executor,
        scheduler=scheduler,
    )
    limits = budget_of(budget_tokens, budget_cost, budget_minutes)
    budget = {"--budget-tokens": budget_tokens, "--budget-cost": budget_cost, "--budget-minutes": budget_minutes}
    refuse_on_cluster(config, {"--phases": phases, "--record": record, **budget})
    family = rules_of_run(about, mode=config.mode, rules=config.rules)
    purse = purse_of(limits)
    chosen = agent_of_run(config, purse, recording(config, record, purse))
    if isinstance(chosen, SupportsLoad) and (fresh or is_generate_alone(phases)):
        chosen.load()
    if fresh and executor is Executor.LOCAL:
        start_afresh(config, phases)
    elif fresh:
        refuse_fresh(config, phases)  # it is removed once the workers are ready
    if is_generate_alone(phases):
        return generate_only(config, about, chosen, as_json=as_json)
    if phases:
        chosen = agent_of_phases(config, about, chosen, phases)
    figure_judge = run_judge(config, purse)
    here = chosen if executor is Executor.LOCAL else None  # workers make their own
    discarded = names_of_run() if fresh and here is None else None
    closing = contextlib.nullcontext() if here is not None else closed(chosen)
    with closing, _refused_first(config, about), progress_bar() as on_event:
        summary = run_benchmark(
            config,
            on_event=on_event,
            agent=here,
            benchmark=about,
            family=family,
            figure_judge=figure_judge,
            discarded=discarded,
        )
    print_diagnostics(summary.diagnostics)
    for remark in summary.notes:
        note(f"note: {remark}")
    emit(summary.to_json(), as_json, "" if as_json else summary_text(summary))
    return exit_code(summary)


def _chosen_policies(
    mode: Mode | None,
    state: StatePolicy | None,
    history: HistoryPolicy | None,
    feedback: str | None,
    between_attempts: BetweenAttempts | None,
    stop: StopPolicy | None,
) -> Policies:
    """Return the policies of a mode, or those that are written; a mode and a state or history exclude one another."""
    written = {
        "state": state,
        "history": history,
        "feedback": None if feedback is None else parse_feedback(feedback),
        "between_attempts": between_attempts,
        "stop": stop,
    }
    given: dict[str, Any] = {name: value for name, value in written.items() if value is not None}
    if mode is None:
        return replace(Policies(), **given)
    for name in given:
        option = name.replace("_", "-")
        raise UsageError(f"--mode says what --{option} does", where=f"--{option}", fix="leave out one of the two")
    return policies_of(mode)


def refuse_on_cluster(config: RunConfig, given: Mapping[str, object]) -> None:
    """Refuse options that one process alone can do, a scheduler that nobody asks, and a cluster without Dask.

    Args:
        config: Of the run.
        given: Option -> its value; None or an empty text was not given.

    Raises:
        UsageError: If there is one, Dask is not installed, or the scheduler's address cannot be used.
    """
    refuse_odd_cluster(config.executor, config.scheduler, config.workers)
    refuse_one_machine_options(config.executor, given)
    if config.executor is not Executor.LOCAL:
        refuse_what_stays(config, {})
        refuse_no_cluster(config.scheduler)


@contextlib.contextmanager
def _refused_first(config: RunConfig, benchmark: Benchmark) -> Iterator[None]:
    """Where the folder holds another run, tell first which files are refused: that may be all of the difference."""
    try:
        yield
    except OtherRunError:
        plan = plan_run(benchmark, names=config.sets, limit=config.limit)
        print_diagnostics(each for refused in plan.refused for each in refused.diagnostics)
        raise


def purse_of(budget: BudgetLimits | None) -> Budget | None:
    """Return what is asked before each request to a model; None: there is no limit."""
    return Budget(budget) if budget else None


def recording(config: RunConfig, record: Path | None, purse: Budget | None) -> Callable[..., ModelClient] | None:
    """Return what makes the clients that record replies of a model; None where they are not recorded.

    Raises:
        UsageError: If the agent asks no model itself, or answers from a cassette.
    """
    if record is None:
        return None
    if not asks_model(config.agent) or is_recorded(config.agent):
        what = "the replies of this agent cannot be recorded: it asks no model, or asks with a client of its own"
        raise UsageError(what, where=f"--agent {config.agent}", fix="leave out --record, or use chat:MODEL or its like")
    from evaluator.models.cassette import recording_clients  # late: few runs are recorded

    return recording_clients(record, purse=purse)


def run_judge(config: RunConfig, purse: Budget | None) -> FigureJudge | None:
    """Return the judge of figures, whose replies are kept in the run's folder; None where none is named."""
    if not config.judge:
        return None
    from evaluator.models.figure_judge import model_judge  # late: few runs have one

    return model_judge(config.judge, config.out, purse=purse)


def exit_code(summary: RunSummary) -> int:
    """Return 3 when something is NOT_JUDGED, else 1 when a problemset was refused, else 0 whatever the verdicts."""
    if summary.not_judged:
        return 3
    return 1 if summary.refused else 0


def summary_text(summary: RunSummary) -> str:
    """Return what people read after a run."""
    from evaluator.reporting import summarise_run

    records = summary.out / RECORDS
    found = read_attempts(records)
    report = summarise_run(found)
    lines = [f"{summary.benchmark} {summary.version}, agent {summary.agent}", "", report.to_text(), ""]
    told = [(record.verdict != "NOT_JUDGED", record.agent_exception or "") for record in found]
    failures = [why for is_judged, why in told if is_judged and why]
    if failures:
        attempts = "1 attempt" if len(failures) == 1 else f"{len(failures)} attempts"
        shown = failures[0].removeprefix("the agent failed: ")[:200]
        lines.append(f"the agent failed at {attempts}, such as: {shown!r}")
    if summary.refused:
        lines.append(f"refused: {', '.join(summary.refused)}")
    if summary.not_judged:
        waits = sum("no judge has looked" in record.extended_verdict for record in found)
        more = f", {waits} of them wait for a judge: add --judge MODEL" if waits else ""
        outages = [why for is_judged, why in told if why and not is_judged]
        why = f", such as for {outages[0][:200]!r}" if outages else ""
        lines.append(f"not judged: {summary.not_judged}{why}; the same command tries them again{more}")
    return "\n".join([*lines, *_resumed_words(summary), f"records: {records}"])


def _resumed_words(summary: RunSummary) -> list[str]:
    """Return how much of a run an earlier one had judged; nothing where there was none."""
    now = summary.judged + summary.not_judged - summary.resumed
    if not summary.resumed:
        return []
    if now or summary.refused:
        return [f"{summary.resumed:,} judged before, {now:,} now"]
    return [f"nothing left to judge: all {summary.resumed:,} were judged before"]


@contextlib.contextmanager
def progress_bar(before: int = 0, total: int | None = None) -> Iterator[Callable[[RunEvent], None]]:
    """Draw how far a run is: on a terminal as a bar, in logs a line every `LOG_EVERY_S`.

    Args:
        before: Problems that other runs of the command have done (count).
        total: Problems of all runs of the command (count); None: there is one run.
    """
    with drawn_progress(log_every_s=LOG_EVERY_S) as draw:
        yield lambda event: draw(before + event.done, total or event.total, _said(event))


def _said(event: RunEvent) -> str:
    cost = f"cost {event.cost:.4g}, " if event.cost else ""
    return "" if event.kind is EventKind.STARTED else f"{cost}{event.problemset} {event.verdict or event.kind}"
