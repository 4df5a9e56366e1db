"""Several runs in one pass that ends early: the next one asks each agent what its run lacks, on what it kept."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import AgentFailure, FailureKind, SolveRequest, Submission, SubmissionStatus, Tools
from evaluator.errors import ToolkitError
from evaluator.language import read_benchmark
from evaluator.records import Record, read_records
from evaluator.running import HistoryPolicy, Policies, RunConfig, StatePolicy, run_benchmark
from evaluator.running.side_by_side import SideRun, run_side_by_side
from evaluator.session import Engine
from tests.running.scripted import Scripted

PROBLEMS = 5
OWN = Policies(StatePolicy.OWN, HistoryPolicy.OWN)
ON_FAILURE = Policies(StatePolicy.CORRECTED_ON_FAILURE, HistoryPolicy.OWN)
OWN_HISTORY = Policies(history=HistoryPolicy.OWN)
Places = Collection[tuple[int, int]]  # epochs and problems, both from 1


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """Write a set whose state tells what it was made of."""
    folder = tmp_path / "bench"
    folder.mkdir()
    problems = "".join(
        f'# %%\n"""\nquery: Add the mark {number} to the trail.\n"""\ntrail = trail + "r{number} "\ntrail\n\n'
        for number in range(1, PROBLEMS + 1)
    )
    (folder / "walk.py").write_text(f'# %%\ntrail = ""\n\n{problems}')
    (folder / "_manifest.yaml").write_text("name: bench\nversion: '1'\n")
    return folder


class Marking(Scripted):
    """Adds marks of its own, wrongly but where it is right; what it is asked tells on what marks that rests."""

    def __init__(self, mark: str, *, lost: Places = (), stops: Places = ()) -> None:
        super().__init__(asks_ahead=True)
        self.mark, self.lost, self.stops = mark, lost, stops

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:  # noqa: ARG002
        place = (request.epoch, request.index)
        if place in self.stops:
            raise ToolkitError("the budget is spent")
        self.requests.append(request)
        if place in self.lost:
            failure = AgentFailure(FailureKind.INFRA, "away")
            return Submission("", SubmissionStatus.ERROR, error=failure)
        return Submission(f'trail = trail + "{self.mark}{request.epoch}.{request.index} "\ntrail')

    @property
    def asked(self) -> list[tuple[int, int]]:
        return sorted((request.epoch, request.index) for request in self.requests)

    def trails(self) -> dict[tuple[int, int], str]:
        found = {}
        for request in self.requests:
            (state,) = (variable.text for variable in request.variables if variable.name == "trail")
            found[request.epoch, request.index] = state.strip("'")
        return found

    def shown(self) -> dict[tuple[int, int], str]:
        """Return the marks of the code that it was shown."""
        return {
            (request.epoch, request.index): "".join(
                cell.source.split('"')[1] for cell in request.history if cell.source.startswith("trail = trail")
            )
            for request in self.requests
        }


def config_of(bench: Path, out: str, policies: Policies = OWN, **more: Any) -> RunConfig:
    return RunConfig(bench, "marking", bench.parent / out, policies=policies, **more)


def records_of(config: RunConfig) -> list[Record]:
    return sorted(read_records(config.out / "records.jsonl"), key=lambda each: (each.epoch, each.index))


def judged(config: RunConfig) -> list[tuple[int, int]]:
    return [(record.epoch, record.index) for record in records_of(config) if record.verdict != "NOT_JUDGED"]


def marks_of(config: RunConfig) -> list[str]:
    return [(record.code or '"-').split('"')[1][0] for record in records_of(config)]


def walk(engine: Engine, *sides: tuple[RunConfig, Marking], alone: bool = False) -> None:
    if alone:
        ((config, agent),) = sides
        run_benchmark(config, engine=engine, agent=agent)
    else:
        content = read_benchmark(sides[0][0].benchmark)
        run_side_by_side([SideRun(*side) for side in sides], content, engine=engine)


GONE_ON_FROM = {  # what the state holds and what is shown at the third problem
    OWN: ("a1.1 a1.2 ", "a1.1 a1.2 "),
    ON_FAILURE: ("r1 r2 ", "a1.1 r1 a1.2 r2 "),
    OWN_HISTORY: ("r1 r2 ", "a1.1 a1.2 "),
}


def test_what_was_not_judged_is_asked_again_on_the_answers_before(engine: Engine, bench: Path) -> None:
    configs = [config_of(bench, f"out{number}", each, limit=4) for number, each in enumerate(GONE_ON_FROM)]
    walk(engine, *((each, Marking("a", lost={(1, 3)})) for each in configs))
    assert [judged(each) for each in configs] == [[(1, 1), (1, 2), (1, 4)]] * len(configs)
    again = [Marking("b") for _ in configs]
    walk(engine, *zip(configs, again, strict=True))
    for config, agent in zip(configs, again, strict=True):
        trail, shown = GONE_ON_FROM[config.policies]
        assert (agent.trails(), agent.shown()) == ({(1, 3): trail}, {(1, 3): shown})
        assert marks_of(config) == ["a", "a", "b", "a"]
        assert "NOT_JUDGED" not in {record.verdict for record in records_of(config)}


@pytest.mark.deep
def test_what_was_answered_before_a_budget_ended_is_kept_and_gone_on_from(engine: Engine, bench: Path) -> None:
    config, agents = config_of(bench, "out"), [Marking("a", stops={(1, 3)}), Marking("b", stops={(1, 5)}), Marking("c")]
    for agent in agents[:2]:
        with pytest.raises(ToolkitError, match="the budget is spent"):
            walk(engine, (config, agent), alone=True)
    walk(engine, (config, agents[2]), alone=True)
    assert [agent.asked for agent in agents] == [[(1, 1), (1, 2)], [(1, 3), (1, 4)], [(1, 5)]]
    assert agents[1].trails() == {(1, 3): "a1.1 a1.2 ", (1, 4): "a1.1 a1.2 b1.3 "}
    assert agents[2].trails() == agents[2].shown() == {(1, 5): "a1.1 a1.2 b1.3 b1.4 "}
    assert marks_of(config) == ["a", "a", "b", "b", "c"]


def test_each_agent_is_asked_only_what_its_run_lacks(engine: Engine, bench: Path) -> None:
    policies = {"own": OWN, "shared": Policies(), "begun": Policies(), "done": Policies()}
    configs = [config_of(bench, out, each, concurrency=8) for out, each in policies.items()]
    for config, stops in zip(configs, [{(1, 5)}, {(1, 1)}, {(1, 3)}], strict=False):
        with pytest.raises(ToolkitError, match="the budget is spent"):
            walk(engine, (config, Marking("a", stops=stops)))
    walk(engine, (configs[3], Marking("a")))
    agents = [Marking("b") for _ in configs]
    walk(engine, *zip(configs, agents, strict=True))
    everything = [(1, index) for index in range(1, PROBLEMS + 1)]
    assert [agent.asked for agent in agents] == [everything[4:], everything, everything[2:], []]
    assert [judged(config) for config in configs] == [everything] * 4
    assert ["".join(marks_of(config)) for config in configs] == ["aaaab", "bbbbb", "aabbb", "aaaaa"]
    assert agents[0].trails() == {(1, 5): "a1.1 a1.2 a1.3 a1.4 "}
    assert agents[2].trails() == {(1, 3): "r1 r2 ", (1, 4): "r1 r2 r3 ", (1, 5): "r1 r2 r3 r4 "}
