"""What an experiment will ask of models, by what its agents may take and by what its runs have told."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import AgentCard, asks_model
from evaluator.agents.describing import described_model_agent
from evaluator.experiments.experiment_file import AgentEntry, BenchmarkEntry, Experiment, PolicyEntry
from evaluator.experiments.forecast import forecast
from evaluator.experiments.planned_runs import PlannedBenchmark, plan_experiment
from evaluator.experiments.results import run_results
from evaluator.records import Record
from evaluator.running.plan import identify_sets, plan_run
from evaluator.running.run_manifest import manifest_text
from evaluator.running.run_setup import RunPlace, identity_at
from evaluator.session import AgentNetwork
from tests.cli.experiments.small_experiment import PROBLEMS

OWN = AgentEntry(agent="cmd:cat", network=AgentNetwork.MODEL, model="m")


def planned(tmp_path: Path, agent: AgentEntry, *, attempts: int) -> tuple[PlannedBenchmark, ...]:
    """Return an experiment of one run on a benchmark of four problems."""
    (bench := tmp_path / "bench").mkdir()
    (bench / "one.py").write_text(f"# %%\nx = 1\n\n{PROBLEMS}")
    (bench / "_manifest.yaml").write_text("name: bench\nversion: '1'\n")
    benchmarks, policies = (BenchmarkEntry(benchmark=str(bench)),), (PolicyEntry(max_attempts=attempts),)
    experiment = Experiment(name="e", benchmarks=benchmarks, agents=(agent,), policies=policies)
    return plan_experiment(experiment, out=tmp_path / "out")


def record(experiment: tuple[PlannedBenchmark, ...], **stats: int) -> None:
    """Write three attempts at each of two problems, which tell what they took."""
    records = [
        Record("bench", "1", "one", index, number, "CRASH", "", "", "", agent_stats=stats)
        for index in (1, 2)
        for number in (1, 2, 3)
    ]
    benchmark, (run,) = experiment[0].content, experiment[0].runs
    asks = asks_model(run.config.agent)
    card = described_model_agent(run.config.agent).describe() if asks else AgentCard("own", "1")
    place = RunPlace("current", "none", "fork", run.config.rng_seed)
    identity = identity_at(place, run.config, benchmark, card, identify_sets(plan_run(benchmark).sets))
    run.config.out.mkdir(parents=True)
    (run.config.out / "manifest.json").write_text(manifest_text(identity, source="bench", refused=()))
    (run.config.out / "records.jsonl").write_bytes(b"".join(each.to_line() for each in records))


@pytest.mark.parametrize(
    ("agent", "most"),
    [
        (OWN.model_copy(update={"calls": 3}), 3),
        (OWN.model_copy(update={"calls": 30}), 30),
        (OWN, 2 * 20),
        (AgentEntry(agent="smolagents:m?max_steps=6", calls=10), 10),
        (AgentEntry(agent="smolagents:m?max_steps=6", calls=100), 2 * 6),
        (AgentEntry(agent="chat:m?ensemble=3"), 2 * 3),
    ],
)
def test_calls_of_a_problem_are_forecast_once_for_all_attempts(tmp_path: Path, agent: AgentEntry, most: int) -> None:
    ahead = forecast(run_results(planned(tmp_path, agent, attempts=2)))
    least = 3 if "ensemble" in agent.agent else 1
    assert ahead.requests == (4 * least, 4 * most)


def test_tokens_of_all_attempts_are_forecast_once_where_they_are_known(tmp_path: Path) -> None:
    """Two problems took all three attempts at 110 tokens each; the two that are left can take no more each."""
    experiment = planned(tmp_path, AgentEntry(agent="chat:m"), attempts=3)
    record(experiment, prompt_tokens=100, completion_tokens=10)
    (result,) = run_results(experiment)
    assert (result.judged, result.tokens) == (2, (300.0, 30.0))
    assert forecast([result]).tokens == (2 * 110, 2 * 330)


def test_tokens_that_a_problem_allows_are_the_most_that_is_forecast(tmp_path: Path) -> None:
    agent = OWN.model_copy(update={"calls": 3, "tokens": 5_000})
    assert forecast(run_results(planned(tmp_path, agent, attempts=2))).tokens == (4 * 2_170, 4 * 5_000)


def test_what_asked_a_model_nothing_tells_nothing_of_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a command that failed before it asked: the tokens of its attempts are measured, and 0."""
    (tmp_path / "prices.yaml").write_text("models: [{model: m, input: 1, output: 2}]\n")
    monkeypatch.setenv("BENCHWRIGHT_PRICES", str(tmp_path / "prices.yaml"))
    experiment = planned(tmp_path, OWN, attempts=3)
    record(experiment, calls=0, prompt_tokens=0, completion_tokens=0)
    ahead = forecast(run_results(experiment))
    assert ahead.tokens == (2 * 2_170, 2 * 2_170 * 3 * 20)
    assert ahead.cost is not None
    assert ahead.cost.least == pytest.approx(2 * (2_100 * 1 + 70 * 2) / 1e6, rel=0.01)
    assert not ahead.runs[0].is_measured


def test_models_without_a_price_are_named_and_one_problem_is_one(tmp_path: Path) -> None:
    made = planned(tmp_path, AgentEntry(agent="chat:of-no-price"), attempts=1)
    told = forecast(run_results(made)).to_text()
    assert "no price is known of of-no-price; BENCHWRIGHT_PRICES names a table of prices" in told
    experiment = made[0].runs[0]
    one = replace(made[0], runs=(replace(experiment, problems=1),))
    assert "1 run, 1 problem left to judge" in forecast(run_results((one,))).to_text()
