"""Runs an experiment: benchmark by benchmark, all agents and policies on the same executions of the references."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from evaluator.agents import AgentCard, asks_model, is_recorded
from evaluator.environments import choose_environment
from evaluator.errors import UsageError
from evaluator.experiments.experiment_file import Experiment
from evaluator.experiments.ledger import LEDGER, LedgerBudget, opened_ledger, spent_by_ledger
from evaluator.experiments.output_folders import refuse_other_runs, try_folders, try_place
from evaluator.experiments.planned_runs import (
    Clients,
    PlannedBenchmark,
    PlannedRun,
    close_agents,
    experiment_folder,
    made_agents,
)
from evaluator.experiments.published_rows import rows_beside
from evaluator.experiments.results import spent_before
from evaluator.models import Budget, BudgetLimits, BudgetSpentError, ModelClient, ModelSettings
from evaluator.models.cassette import recorded_clients, recording_clients, trial_clients
from evaluator.models.figure_judge import model_judge
from evaluator.running import RunEvent, RunSummary, is_granted_model
from evaluator.running.run_setup import load_agent
from evaluator.running.side_by_side import SideRun, run_side_by_side
from evaluator.scoring.grading import FigureJudge

JUDGE: Final = "_judge_"
"""The folder of a recorded experiment that keeps what its judge of figures replied; no agent's is called so."""
OnEvent = Callable[[PlannedBenchmark, RunEvent], None]


def run_experiment(
    experiment: Experiment,
    planned: Sequence[PlannedBenchmark],
    *,
    record: Path | None = None,
    recorded: Path | None = None,
    on_event: OnEvent = lambda _planned, _event: None,
) -> tuple[RunSummary, ...]:
    """Run what is not judged yet; each run lies in a folder of its own, as `benchwright run` leaves it.

    What models take is written into the ledger of the experiment's folder when it is paid: agents, judges, vectors,
    and answers that no record tells of, since the run was stopped meanwhile. The budget counts all of it.

    Args:
        experiment: As its file says it.
        planned: Its runs.
        record: A folder for what models reply, an own folder in it for each agent and one for the judge; None: it is
            not kept.
        recorded: Such a folder, from which models are answered: none is asked. None: they are asked.
        on_event: Told what happens, from any thread; counts are of all runs on that benchmark.

    Returns:
        What each run came to, in order.

    Raises:
        UsageError, ContentError: As `run_side_by_side`, before anything of that benchmark starts.
        ContentError: If another start of the experiment is under way, or its ledger cannot be read.
        ToolkitError: If a model gives no answer, a budget is spent, or there is no sandbox; what is judged is kept.
        KeyboardInterrupt: After Ctrl-C, once the records are safe.
    """
    _refuse_unrecordable(planned, record=record, recorded=recorded)
    with opened_ledger(experiment_folder(planned), lambda: spent_before(planned)) as ledger:
        purse = LedgerBudget(experiment.limits or BudgetLimits(), ledger)
        return _run_all(experiment, planned, purse, _cassettes(purse, record, recorded), on_event)


def _run_all(
    experiment: Experiment,
    planned: Sequence[PlannedBenchmark],
    purse: Budget,
    cassettes: Callable[[str], Clients | None],
    on_event: OnEvent,
) -> tuple[RunSummary, ...]:
    clients = _clients(cassettes)
    summaries: list[RunSummary] = []
    for each in planned:
        agents = made_agents(each, purse, clients)
        try:
            sides = [SideRun(run.config, agent, each.family(run)) for run, agent in zip(each.runs, agents, strict=True)]
            judge = _judge(experiment, each, purse, cassettes)
            tell = _telling(each, on_event)
            summaries += run_side_by_side(sides, each.content, on_event=tell, figure_judge=judge)
        except BudgetSpentError as error:
            fix = "raise 'budget' in the experiment's file and repeat the command: what is judged is kept"
            raise BudgetSpentError(error.what, where=error.where, fix=fix) from error
        finally:
            close_agents(agents)
    return tuple(summaries)


def check_agents(
    experiment: Experiment,
    planned: Sequence[PlannedBenchmark],
    *,
    record: Path | None = None,
    recorded: Path | None = None,
) -> None:
    """Make every agent and load each entry once, so that what is wrong with one is told before anything starts.

    So are the environments of all benchmarks looked up, and the key of the judge; all output folders are tried, and an
    earlier start's ledger is read.

    Raises:
        UsageError, ContentError, ToolkitError: As `rows_beside`, `made_agents`, `choose_environment`, `load_agent`,
            `try_folders` and `refuse_other_runs`.
    """
    rows_beside(experiment)
    _refuse_unrecordable(planned, record=record, recorded=recorded)
    try_folders(planned)
    if record is not None:
        try_place(record, "--record")
    spent_by_ledger(experiment_folder(planned) / LEDGER)
    purse = Budget(experiment.limits) if experiment.limits is not None else None
    cassettes = _cassettes(purse, record, recorded, is_trial=True)
    clients = _clients(cassettes)
    if experiment.judge:
        (cassettes(JUDGE) or ModelClient)(ModelSettings.from_env(experiment.judge))
    cards: dict[str, AgentCard] = {}
    for each in planned:
        choose_environment(experiment.environment, each.content)
        for run in each.runs:
            each.family(run)
        first = {run.agent.title: run for run in reversed(each.runs) if run.agent.title not in cards}
        runs = tuple(reversed(first.values()))
        agents = made_agents(replace(each, runs=runs), purse, clients, has_log=False)
        try:
            with ExitStack() as stack:
                for run, agent in zip(runs, agents, strict=True):
                    load_agent(agent, stack)
                    cards[run.agent.title] = agent.describe()
        finally:
            close_agents(agents)
        refuse_other_runs(each, cards)


def _refuse_unrecordable(planned: Sequence[PlannedBenchmark], *, record: Path | None, recorded: Path | None) -> None:
    """Refuse agents that ask a model with clients of their own, where replies are kept or repeated."""
    asking = [run.agent for each in planned for run in each.runs if is_granted_model(run.config)]
    if asking and (record is not None or recorded is not None):
        option = "--record" if recorded is None else "--recorded"
        what = f"{asking[0].title!r} asks its model with a client of its own: its replies are neither kept nor repeated"
        fix = f"leave out {option}, or take this agent out of the experiment"
        raise UsageError(what, where=f"{option} {record or recorded}", fix=fix)


def _cassettes(
    purse: Budget | None, record: Path | None, recorded: Path | None, *, is_trial: bool = False
) -> Callable[[str], Clients | None]:
    """Return what opens cassettes by the names of their folders, and makes clients on each; None: there are none.

    For a trial nothing is written.
    """
    recording = trial_clients if is_trial else recording_clients

    @cache
    def opened(place: str) -> Clients | None:
        if recorded is not None:
            return recorded_clients(recorded / place)
        return None if record is None else recording(record / place, purse=purse)

    return opened


def _clients(cassettes: Callable[[str], Clients | None]) -> Callable[[PlannedRun], Clients | None]:
    """Return what gives each agent its clients: one cassette for each agent, whatever its policies."""

    def clients(run: PlannedRun) -> Clients | None:
        asks = asks_model(run.config.agent) and not is_recorded(run.config.agent)
        return cassettes(run.config.out.parent.name) if asks else None

    return clients


def _telling(planned: PlannedBenchmark, on_event: OnEvent) -> Callable[[RunEvent], None]:
    return lambda event: on_event(planned, event)


def _judge(
    experiment: Experiment,
    planned: PlannedBenchmark,
    purse: Budget | None,
    cassettes: Callable[[str], Clients | None],
) -> FigureJudge | None:
    if not experiment.judge:
        return None
    folder = planned.runs[0].config.out.parent.parent
    return model_judge(experiment.judge, folder, purse=purse, client=cassettes(JUDGE))
