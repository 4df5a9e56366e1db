"""A worker's place for one run: its engine, its agent with keys of the worker's own, and what makes records."""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from evaluator.agents import SupportsLoad
from evaluator.environments import choose_environment
from evaluator.errors import ToolkitError
from evaluator.language import read_benchmark
from evaluator.running.cluster.messages import BadMessageError
from evaluator.running.cluster.tasks import RunOrder, SetResult, SetTask
from evaluator.running.execution.asking_ahead import AskingPool, are_answered
from evaluator.running.family_rules import FamilyRules
from evaluator.running.machine import measure_time_scale, usable_cores
from evaluator.running.plan import PlannedSet, plan_run
from evaluator.running.run_agent import agent_of_run
from evaluator.running.run_keeper import JudgedProblem
from evaluator.running.run_setup import close_at_end, identify_run, own_engine
from evaluator.running.set_runner import SetRunner

_LOOK_EVERY_S: Final = 0.2


def prepare_run(family: type[FamilyRules] | None, order: bytes, files: Path, threads: int) -> "RunTaskRunner":
    """Return what does the tasks of a run on a worker.

    Args:
        family: How problems are asked and scored, where they are of a family.
        order: Of the run.
        files: The folder with what was shipped.
        threads: Tasks that are done at once (count).

    Raises:
        ToolkitError: If the sandbox, the environment, the agent or what it needs is not here.
    """
    return RunTaskRunner(RunOrder.from_bytes(order), family, files, threads)


class RunTaskRunner:
    """Does the tasks of one run."""

    def __init__(self, order: RunOrder, family: type[FamilyRules] | None, files: Path, threads: int) -> None:
        self._files = files
        self._order = order
        agent_text = order.agent.replace("replay:agent/", f"replay:{files}/agent/", 1)
        config = replace(
            order.config, benchmark=files / order.benchmark, agent=agent_text, out=files / "run" / order.config.out.name
        )
        config.out.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            agent = agent_of_run(config, has_log=False, hidden=tuple(map(Path, order.hidden)))
            close_at_end(agent, stack)
            if isinstance(agent, SupportsLoad):
                agent.load()
            benchmark = read_benchmark(config.benchmark)
            plan = plan_run(benchmark, names=config.sets, limit=config.limit)
            environment = choose_environment(config.environment, benchmark)
            of_threads = replace(config, workers=threads)
            engine = stack.enter_context(own_engine(of_threads, benchmark, plan, agent, environment, order.trusted))
            engine.warm_up()
            identity = identify_run(config, benchmark, plan, agent, engine)
            rules = None if family is None else family.of_run(benchmark, identity.rules)
            spare = order.threads_of_machine < usable_cores()
            self._runner = SetRunner(config, identity, agent, engine, measure_time_scale(), spare, rules)
            self._planned = {each.loaded.name: each for each in plan.sets}
            self._stack = stack.pop_all()

    def told(self) -> Mapping[str, Any]:
        """Return the run's identity here, how fast the machine is, and what the agent says of itself."""
        card, runner = self._runner.agent.describe(), self._runner
        return {"same": asdict(runner.identity), "time_scale": runner.time_scale, "notes": list(card.notes)}

    def work(self, task: bytes, cancelled: Callable[[], bool]) -> bytes:
        """Execute a problemset for the problems that lack a verdict.

        Raises:
            ToolkitError: If the task cannot be read, or its result is too large.
        """
        wanted = SetTask.from_bytes(task)
        planned = self._planned_as(wanted)
        judged: list[JudgedProblem] = []
        try:
            refused = self._score(planned, wanted, judged.append, cancelled)
        except ToolkitError as error:
            return SetResult(tuple(judged), error=error).to_bytes(self._files)
        return SetResult(tuple(judged), refused).to_bytes(self._files)

    def _score(
        self,
        planned: PlannedSet,
        wanted: SetTask,
        on_judged: Callable[[JudgedProblem], None],
        cancelled: Callable[[], bool],
    ) -> tuple[Any, ...]:
        contender = self._runner.contender(planned, wanted.epoch, wanted.missing, wanted.answered)
        with closing(AskingPool(self._order.concurrency)) as pool:
            asked = self._runner.ask(pool, planned, wanted.epoch, contender, cancelled=cancelled)
            while not are_answered(asked) and not cancelled():
                time.sleep(_LOOK_EVERY_S)
            return self._runner.score(planned, wanted.epoch, asked, on_judged=on_judged, cancelled=cancelled)

    def _planned_as(self, wanted: SetTask) -> PlannedSet:
        planned = self._planned.get(wanted.identity.name)
        here = next((each for each in self._runner.identity.sets if each.name == wanted.identity.name), None)
        if planned is None or here != wanted.identity:
            fix = "leave the benchmark alone while it is run, then repeat the same command: it resumes"
            raise BadMessageError(f"the problemset {wanted.identity.name!r} is not as it was shipped", fix=fix)
        return planned

    def close(self) -> None:
        """End the engine and the agent."""
        self._stack.close()
