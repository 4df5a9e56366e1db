"""Many requests that wait at once: the same records, sessions that wait for nobody, failures that end the run."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import AgentFailure, FailureKind, SolveRequest, Submission, Tools
from evaluator.errors import ToolkitError
from evaluator.language import read_benchmark
from evaluator.records import Record, read_records
from evaluator.running import (
    BetweenAttempts,
    FeedbackPart,
    HistoryPolicy,
    Policies,
    RunConfig,
    StatePolicy,
    run_benchmark,
)
from evaluator.running.execution.asking_ahead import AskingPool, may_be_asked_ahead
from evaluator.running.execution.executed_cell import Contender
from evaluator.running.side_by_side import SideRun, run_side_by_side
from evaluator.session import Engine
from tests.running.scripted import Scripted
from tests.waiting import eventually

SETS, PROBLEMS = 2, 4
GATE = PROBLEMS + 2  # so many requests of several sets wait at once


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "bench"
    folder.mkdir()
    problems = "".join(
        f'# %%\n"""\nquery: Let y{number} be {number} more than x.\n"""\ny{number} = x + {number}\ny{number}\n\n'
        for number in range(1, PROBLEMS + 1)
    )
    for place in range(SETS):
        (folder / f"set{place}.py").write_text(f"# %%\nx = {place}\n\n{problems}")
    (folder / "_manifest.yaml").write_text("name: bench\nversion: '1'\n")
    return folder


class Waiting(Scripted):
    """Answers once so many requests have waited at once, wrongly to the third problem; counts who waits."""

    def __init__(self, gate: int = 1, *, looks: bool = False, fails: bool = False) -> None:
        super().__init__(encoding="coml", asks_ahead=True)
        self.gate, self.looks, self.fails = gate, looks, fails
        self.waiting = self.most = 0
        self._lock = threading.Condition()

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        with self._lock:
            self.requests.append(request)
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            self._lock.notify_all()
            assert self._lock.wait_for(lambda: self.most >= self.gate, 60), "so many never waited at once"
        try:
            if self.fails and request.index == 2:
                raise ToolkitError("the model is away")
            seen = ""
            if self.looks and request.index == 4:
                try:
                    seen = f"  # {tools.execute('x').outputs}"
                except Exception as error:  # noqa: BLE001 - as agents do
                    seen = f"  # {error}"
        finally:
            with self._lock:
                self.waiting -= 1
        told = " ".join(variable.text for variable in request.variables)
        code = f"y{request.index} = x + {request.index}\ny{request.index}"
        if request.index == 3 and request.attempt == 1:
            code = f"y3 = {len(request.history)}, {told!r}\ny3"
        return Submission(code + seen, usage={"prompt_tokens": len(told)})


def records_of(out: Path) -> list[Record]:
    found = [replace(each, seconds=None) for each in read_records(out / "records.jsonl")]
    return sorted(found, key=lambda each: each.key)


def ran(engine: Engine, bench: Path, out: str, agent: Any, **more: Any) -> list[Record]:
    config = RunConfig(bench, "waiting", bench.parent / out, **more)
    run_benchmark(config, engine=engine, agent=agent)
    return records_of(bench.parent / out)


def test_many_that_wait_at_once_are_judged_as_one_after_the_other(engine: Engine, bench: Path) -> None:
    """Also where an agent looks at the session: it is asked again when there is one."""
    once, many = Waiting(looks=True), Waiting(GATE, looks=True)
    attempts = {"max_attempts": 2, "policies": Policies(feedback=(FeedbackPart.OUTPUT,))}
    expected = ran(engine, bench, "once", once, **attempts)
    found = ran(engine, bench, "many", many, concurrency=16, workers=2, **attempts)
    assert len(found) == SETS * (PROBLEMS + 1)
    assert found == expected
    assert {record.verdict for record in found if record.index != 3} == {"CORRECT"}
    assert once.most == 1
    assert GATE <= many.most <= 16 + 2  # later attempts are asked where they are judged
    assert sorted(many.ended) == sorted(once.ended)
    twice = [request.index for request in many.requests]
    for request in once.requests:
        twice.remove(request.index)
    assert set(twice) <= {4}
    assert any("output_type" in record.code for record in found if record.code)


@pytest.mark.deep
def test_a_stopped_run_goes_on_with_what_it_lacks(engine: Engine, bench: Path) -> None:
    out = bench.parent / "out"
    with pytest.raises(ToolkitError, match="the model is away"):
        ran(engine, bench, "out", Waiting(fails=True), concurrency=8)
    before = records_of(out)
    assert all(record.index == 1 for record in before)
    agent = Waiting()
    assert len(ran(engine, bench, "out", agent, concurrency=8)) == SETS * PROBLEMS
    assert len(agent.requests) == SETS * PROBLEMS - len(before)


def test_several_agents_wait_beside_one_another(engine: Engine, bench: Path) -> None:
    agents = [Waiting(PROBLEMS), Waiting(PROBLEMS), Waiting()]
    usual = RunConfig(bench, "waiting", bench.parent, concurrency=32, sets=("set0",))
    policies = [Policies(), Policies(), Policies(StatePolicy.OWN, HistoryPolicy.OWN)]
    configs = [replace(usual, out=bench.parent / f"side{n}", policies=each) for n, each in enumerate(policies)]
    run_side_by_side(list(map(SideRun, configs, agents)), read_benchmark(bench), engine=engine)
    found = [records_of(config.out) for config in configs]
    assert found[0] == found[1]
    assert [len(each) for each in found] == [PROBLEMS] * 3
    assert {record.verdict for record in found[0] if record.index != 3} == {"CORRECT"}
    assert agents[2].most == 1  # what it is asked rests on what it answered


def test_a_pass_writes_each_verdict_when_it_is_judged(engine: Engine, bench: Path) -> None:
    """A kill in the middle of a long set takes none of them."""
    config = RunConfig(bench, "waiting", bench.parent / "side", sets=("set0",))
    kept: list[int] = []

    class Watching(Waiting):
        def solve(self, request: SolveRequest, tools: Tools) -> Submission:
            kept.append(len(records_of(config.out)))
            return super().solve(request, tools)

    run_side_by_side([SideRun(config, Watching())], read_benchmark(bench), engine=engine)
    assert kept == list(range(PROBLEMS))


def test_who_may_be_asked_ahead() -> None:
    for policies, attempts, may in (
        (Policies(), 3, True),
        (Policies(between_attempts=BetweenAttempts.KEPT), 1, True),
        (Policies(between_attempts=BetweenAttempts.KEPT), 2, False),
        (Policies(StatePolicy.OWN), 1, False),
        (Policies(history=HistoryPolicy.OWN), 1, False),
    ):
        assert may_be_asked_ahead(Contender(Waiting(), policies, attempts)) is may


def test_an_answer_that_our_side_lost_is_not_judged(engine: Engine, bench: Path) -> None:
    class Lost(Waiting):
        def solve(self, request: SolveRequest, tools: Tools) -> Submission:
            if request.index == 1:
                raise RuntimeError("oops")
            made = super().solve(request, tools)
            return replace(made, error=AgentFailure(FailureKind.INFRA, "gone")) if request.index == 2 else made

    one = {"sets": ("set0",), "limit": 3}
    found = [
        [(each.verdict, each.agent_exception) for each in ran(engine, bench, out, Lost(), concurrency=count, **one)]
        for out, count in (("once", 1), ("many", 8))
    ]
    assert found[0] == found[1]
    assert ("NOT_JUDGED", "gone") in found[0]
    assert "RuntimeError: oops" in {told for _, told in found[0]}


def test_a_pool_asks_no_more_than_it_may() -> None:
    pool, gate, running = AskingPool(3), threading.Event(), list[int]()

    def ask() -> Submission:
        running.append(1)
        gate.wait(20)
        return Submission("1")

    futures = [pool.submit(ask) for _ in range(7)]
    assert eventually(lambda: len(running) >= 3)
    assert not eventually(lambda: len(running) > 3, within_s=0.1)
    assert not pool.has_room
    gate.set()
    assert [future.result(20).code for future in futures] == ["1"] * 7
    pool.close()
