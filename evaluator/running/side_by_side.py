"""Several runs of one benchmark in one pass: their references are the same executions, by which all are judged."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from evaluator.agents import Agent
from evaluator.environments import choose_environment
from evaluator.language import Benchmark
from evaluator.running.config import EventKind, RunConfig, RunEvent, RunSummary
from evaluator.running.execution.asking_ahead import AskingPool, are_answered, ask_ahead
from evaluator.running.execution.executed_cell import Conditions, Contender, ExecutedCell, asked_of_any
from evaluator.running.execution.problemset_scoring import score_problemset
from evaluator.running.family_rules import FamilyRules
from evaluator.running.machine import measure_time_scale, usable_cores
from evaluator.running.plan import PlannedSet, plan_run
from evaluator.running.pool import Ahead, run_parallel_ahead
from evaluator.running.run import contender_of, refuse_bad_numbers
from evaluator.running.run_folder import RunFolder
from evaluator.running.run_keeper import RunKeeper
from evaluator.running.run_setup import identify_run, load_agent, own_engine
from evaluator.running.set_runner import SetRunner
from evaluator.scoring.grading import FigureJudge
from evaluator.session import Engine


@dataclass(frozen=True)
class SideRun:
    """One of the runs: they differ in policies, attempts, mode and folder, and have an agent each."""

    config: RunConfig
    agent: Agent
    family: FamilyRules | None = None


def run_side_by_side(
    runs: Sequence[SideRun],
    benchmark: Benchmark,
    *,
    on_event: Callable[[RunEvent], None] = lambda _event: None,
    trusted: bool = False,
    engine: Engine | None = None,
    figure_judge: FigureJudge | None = None,
) -> list[RunSummary]:
    """Run them, each into its folder; what an earlier, stopped call has judged is not judged again.

    A set is executed while one of the runs lacks a verdict in it. Each verdict is written when there is one, and each
    agent is asked only what its run lacks: where later answers rest on earlier ones, on those that were kept.

    Args:
        runs: With the same benchmark, sets, limit, rules, seed and epochs; of the first one everything else counts.
        benchmark: What is run.
        on_event: Told what happens, from any thread, one event at a time; counts are of all runs together.
        trusted: The benchmark is our own shipped code: it may run without a sandbox where there is none.
        engine: Used instead of a new one.
        figure_judge: Looks at figures where problems ask for it.

    Raises:
        UsageError: If a number is out of bounds.
        ContentError: If the manifest is broken, or a folder holds another run.
        ToolkitError: If there is no sandbox, or records cannot be written.
        KeyboardInterrupt: After Ctrl-C, once the records are safe.
    """
    first = runs[0].config
    for run in runs:
        refuse_bad_numbers(run.config)
        assert run.config.epochs == first.epochs, "they share what is executed in each epoch"
    plan = plan_run(benchmark, names=first.sets, limit=first.limit)
    environment = choose_environment(first.environment, benchmark) if engine is None else engine.environment
    with contextlib.ExitStack() as stack:
        for run in runs:
            load_agent(run.agent, stack)
        used = engine or stack.enter_context(own_engine(first, benchmark, plan, runs[0].agent, environment, trusted))
        used.warm_up()
        parts = []
        scale = measure_time_scale()
        for run in runs:
            folder = RunFolder.acquire(run.config.out)
            stack.callback(folder.close)
            identity = identify_run(run.config, benchmark, plan, run.agent, used)
            keeper = RunKeeper(run.config, plan, identity, folder, _silent, time_scale=scale)
            spare = run.config.workers < usable_cores()
            keeper.begin()
            stack.callback(keeper.close)
            made = SetRunner(run.config, identity, run.agent, used, scale, spare, run.family, figure_judge)
            parts.append(_Part(keeper, made))
        on_stop = used.close if engine is None else (lambda: None)
        each_pass = _Pass(parts, used, on_event, plan.total * first.epochs)
        items = ((epoch, planned) for epoch in range(1, first.epochs + 1) for planned in plan.sets)
        each_pass.tell(EventKind.STARTED)
        try:
            pool = stack.enter_context(contextlib.closing(AskingPool(first.concurrency)))
            ahead = Ahead(partial(each_pass.ask, pool), _Asked.is_ready, lambda: pool.has_room, pool.changed)
            run_parallel_ahead(items, ahead, each_pass.score, workers=first.workers, on_stop=on_stop)
        except KeyboardInterrupt as error:
            judged = sum(each.keeper.judged for each in parts)
            said = f"interrupted: {judged} problems of {len(runs)} runs are judged and kept"
            raise KeyboardInterrupt(said) from error
        return [each.keeper.end(each.runner.agent.describe().notes) for each in parts]


def _silent(_event: RunEvent) -> None:
    """Tell nothing: one run counts itself alone."""


class _Part(NamedTuple):
    """One of the runs under way."""

    keeper: RunKeeper
    runner: SetRunner


@dataclass(frozen=True)
class _Pass:
    parts: Sequence[_Part]
    engine: Engine
    on_event: Callable[[RunEvent], None]
    problems: int  # that each of the runs asks, in all epochs (count)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def tell(self, kind: EventKind, name: str = "", index: int = 0, *, epoch: int = 1) -> None:
        """Tell how far all runs are."""
        with self._lock:
            done = sum(each.keeper.judged for each in self.parts)
            self.on_event(RunEvent(kind, done, self.problems * len(self.parts), name, index, epoch))

    def ask(self, pool: AskingPool, item: tuple[int, PlannedSet], stopped: Callable[[], bool]) -> "_Asked":
        """Ask those agents about a set of an epoch that may be asked before it is judged."""
        epoch, planned = item
        found = [(part, contender_of(*part, planned, epoch)) for part in self.parts]
        lacking = [(part, contender) for part, contender in found if contender is not None]
        parts, contenders = [part for part, _ in lacking], [contender for _, contender in lacking]
        if not lacking:
            return _Asked([], [])
        asked = ask_ahead(
            self.engine,
            planned.loaded,
            contenders,
            pool,
            wanted=asked_of_any(contenders, planned.problems),
            conditions=_conditions(parts, epoch),
            cancelled=stopped,
        )
        return _Asked(parts, asked)

    def score(self, item: tuple[int, PlannedSet], asked: "_Asked", stopped: Callable[[], bool]) -> None:
        """Execute a set of an epoch for all runs that lack something of it."""
        epoch, planned = item
        name = planned.loaded.name
        if not asked.parts:
            return

        def keep(cell: ExecutedCell) -> None:
            asking = [part for part, each in zip(*asked, strict=True) if each.asks(cell.index)]
            for part, attempts in zip(asking, cell.attempts_by_agent, strict=True):
                part.keeper.keep(part.runner.judged(replace(cell, attempts=attempts)))
            self.tell(EventKind.JUDGED, name, cell.index, epoch=epoch)

        diagnostics = score_problemset(
            self.engine,
            planned.loaded,
            asked.contenders,
            wanted=asked_of_any(asked.contenders, planned.problems),
            conditions=_conditions(asked.parts, epoch),
            on_scored=keep,
            cancelled=stopped,
        )
        for part in asked.parts if diagnostics else ():
            part.keeper.refuse(name, diagnostics)


def _conditions(parts: Sequence[_Part], epoch: int) -> Conditions:
    renders = any(each.runner.renders for each in parts)
    return replace(parts[0].runner.usual_conditions(epoch), renders=renders)


class _Asked(NamedTuple):
    parts: list[_Part]  # of the runs that lack something
    contenders: list[Contender]  # one of each

    def is_ready(self) -> bool:
        """Return whether all answers are there."""
        return are_answered(self.contenders)
