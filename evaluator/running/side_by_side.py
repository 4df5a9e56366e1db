"""Several runs of one benchmark in one pass: their references are the same executions, by which all are judged."""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from evaluator.agents import Agent
from evaluator.environments import choose_environment
from evaluator.language import Benchmark
from evaluator.running.config import EventKind, RunConfig, RunEvent, RunSummary
from evaluator.running.execution.asking_ahead import AskingPool, are_answered, ask_ahead, may_be_asked_ahead
from evaluator.running.execution.executed_cell import Conditions, Contender, ExecutedCell
from evaluator.running.execution.problemset_scoring import score_problemset
from evaluator.running.family_rules import FamilyRules
from evaluator.running.plan import PlannedSet, plan_run
from evaluator.running.pool import Ahead, run_parallel_ahead
from evaluator.running.run import RunExecutor, identify_run, load_agent, own_engine, refuse_bad_numbers
from evaluator.running.run_folder import RunFolder
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

    A set is executed while one of the runs lacks a verdict in it, and its records are written when all of it is
    judged, or the work ends before.

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
        executors = []
        for run in runs:
            folder = RunFolder.acquire(run.config.out)
            stack.callback(folder.close)
            identity = identify_run(run.config, benchmark, plan, run.agent, used)
            made = RunExecutor(run.config, plan, run.agent, used, folder, identity, _silent, run.family, figure_judge)
            made.begin()
            stack.callback(made.close)
            executors.append(made)
        on_stop = used.close if engine is None else (lambda: None)
        each_pass = _Pass(executors, used, on_event, plan.total * first.epochs)
        items = ((epoch, planned) for epoch in range(1, first.epochs + 1) for planned in plan.sets)
        each_pass.tell(EventKind.STARTED)
        try:
            pool = stack.enter_context(contextlib.closing(AskingPool(first.concurrency)))
            ahead = Ahead(partial(each_pass.ask, pool), _Asked.is_ready, lambda: pool.has_room, pool.changed)
            run_parallel_ahead(items, ahead, each_pass.score, workers=first.workers, on_stop=on_stop)
        except KeyboardInterrupt as error:
            judged = sum(each.judged for each in executors)
            said = f"interrupted: {judged} problems of {len(runs)} runs are judged and kept"
            raise KeyboardInterrupt(said) from error
        return [executor.end() for executor in executors]


def _silent(_event: RunEvent) -> None:
    """Tell nothing: one run counts itself alone."""


@dataclass(frozen=True)
class _Pass:
    executors: Sequence[RunExecutor]
    engine: Engine
    on_event: Callable[[RunEvent], None]
    problems: int  # that each of the runs asks, in all epochs (count)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _under_way: Counter[tuple[str, int]] = field(default_factory=Counter)  # (set, epoch) -> verdicts not written yet

    def tell(self, kind: EventKind, name: str = "", index: int = 0, *, epoch: int = 1, more: int = 0) -> None:
        """Tell how far all runs are: the verdicts that they have, and those of sets under way."""
        with self._lock:
            if more:
                self._under_way[name, epoch] += more
            done = sum(executor.judged for executor in self.executors) + sum(self._under_way.values())
            self.on_event(RunEvent(kind, done, self.problems * len(self.executors), name, index, epoch))

    def ask(self, pool: AskingPool, item: tuple[int, PlannedSet], stopped: Callable[[], bool]) -> "_Asked":
        """Ask those agents about a set of an epoch that may be asked before it is judged."""
        epoch, planned = item
        lacking = self._lacking(item)
        contenders = [executor.contender(planned.loaded.name, epoch) for executor, _ in lacking]
        wanted = self._wanted(planned, lacking)
        if pool.count == 1 or not any(map(may_be_asked_ahead, contenders)):
            return _Asked(lacking, wanted, contenders)
        conditions = self._conditions(lacking, epoch)
        asked = ask_ahead(
            self.engine, planned.loaded, contenders, pool, wanted=wanted, conditions=conditions, cancelled=stopped
        )
        return _Asked(lacking, wanted, asked)

    def score(self, item: tuple[int, PlannedSet], asked: "_Asked", stopped: Callable[[], bool]) -> None:
        """Execute a set of an epoch for all runs that lack something of it."""
        epoch, planned = item
        name, lacking = planned.loaded.name, asked.lacking
        if not lacking:
            return
        whole: list[
            ExecutedCell
        ] = []  # of runs whose answers rest on earlier ones: a part of a set is no start for more

        def keep(cell: ExecutedCell) -> None:
            self._write(name, lacking, [cell], rests_on_own=False)
            whole.append(cell)
            more = sum(executor.needs_own_code and cell.index in missing for executor, missing in lacking)
            self.tell(EventKind.JUDGED, name, cell.index, epoch=epoch, more=more)

        try:
            diagnostics = score_problemset(
                self.engine,
                planned.loaded,
                asked.contenders,
                wanted=asked.wanted,
                conditions=self._conditions(lacking, epoch),
                on_scored=keep,
                cancelled=stopped,
            )
        finally:
            with self._lock:
                self._under_way.pop((name, epoch), None)  # from here on the runs count them, or they are lost
        if diagnostics or {cell.index for cell in whole} >= set(asked.wanted):
            self._write(name, lacking, whole, rests_on_own=True)
        for executor, _ in lacking if diagnostics else ():
            executor.refuse(name, diagnostics)

    @staticmethod
    def _write(
        name: str,
        lacking: Sequence[tuple[RunExecutor, frozenset[int]]],
        scored: Sequence[ExecutedCell],
        *,
        rests_on_own: bool,
    ) -> None:
        for position, (executor, missing) in enumerate(lacking):
            for cell in scored if executor.needs_own_code == rests_on_own else ():
                if cell.index in missing:
                    attempts = cell.attempts_by_agent[position]
                    executor.keep(replace(cell, attempts=attempts), executor.identity_of(name))

    def _lacking(self, item: tuple[int, PlannedSet]) -> list[tuple[RunExecutor, frozenset[int]]]:
        epoch, planned = item
        found = [(executor, frozenset(executor.missing(planned, epoch))) for executor in self.executors]
        return [(executor, missing) for executor, missing in found if missing]

    def _wanted(self, planned: PlannedSet, lacking: Sequence[tuple[RunExecutor, frozenset[int]]]) -> Collection[int]:
        """Return the problems of a set to ask: all of them where answers rest on what was answered before."""
        if any(executor.needs_own_code for executor, _ in lacking):
            return range(1, planned.problems + 1)
        return frozenset[int]().union(*(missing for _, missing in lacking))

    def _conditions(self, lacking: Sequence[tuple[RunExecutor, frozenset[int]]], epoch: int) -> Conditions:
        usual = lacking[0][0].usual_conditions(epoch)
        return replace(usual, renders=any(executor.renders for executor, _ in lacking))


class _Asked(NamedTuple):
    lacking: list[tuple[RunExecutor, frozenset[int]]]  # and the problems (from 1) that each run lacks
    wanted: Collection[int]  # the problems that are asked
    contenders: list[Contender]

    def is_ready(self) -> bool:
        """Return whether all answers are there."""
        return are_answered(self.contenders)
