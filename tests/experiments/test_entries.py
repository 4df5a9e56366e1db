"""Entries of an experiment's file: the options of their agents, and the model that they ask."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.errors import UsageError
from evaluator.experiments.adaptation import Changes, adapted
from evaluator.experiments.experiment_file import AgentEntry, BenchmarkEntry, Experiment
from evaluator.experiments.forecast import requests_of_attempt
from evaluator.running import RunConfig, model_asked
from evaluator.session import AgentNetwork


def test_numbers_among_options_keep_all_their_digits() -> None:
    options: dict[str, float] = {"temperature": 0.12345678, "max_tokens": 2_000_000.0}
    assert AgentEntry(agent="chat:m", options=options).text == "chat:m?temperature=0.12345678&max_tokens=2000000"


def test_a_share_of_examples_in_a_file_is_no_count() -> None:
    """`num_examples: 1.0` are all of CoML's examples, `num_examples: 1` is one."""
    texts = [AgentEntry(agent="coml:m", options={"num_examples": each}).text for each in (1.0, 1, 0.5)]
    assert texts == ["coml:m?num_examples=1.0", "coml:m?num_examples=1", "coml:m?num_examples=0.5"]
    assert AgentEntry(agent="coml:m", options={"temperature": 1.0}).text == "coml:m?temperature=1"


def test_agents_with_clients_of_their_own_are_forecast_and_given_the_model_of_an_option() -> None:
    agents = (AgentEntry(agent="smolagents:a?max_steps=6"), AgentEntry(agent="coml"), AgentEntry(agent="oracle"))
    experiment = Experiment(name="e", out=Path("o"), benchmarks=(BenchmarkEntry(benchmark="core"),), agents=agents)
    changed = adapted(experiment, Changes(model="b")).agents
    assert [each.agent for each in changed] == ["smolagents:b?max_steps=6", "coml:b", "oracle"]
    configs = [RunConfig(Path("core"), each.agent, Path("o")) for each in changed]
    assert [model_asked(each) for each in configs] == ["b", "b", ""]
    granted = RunConfig(Path("core"), "cmd:cat", Path("o"), agent_network=AgentNetwork.MODEL, agent_model="c")
    assert model_asked(granted) == "c"
    assert [requests_of_attempt(each) for each in (*configs[:2], granted)] == [(1, 6), (1, 1), (1, 20)]
    assert requests_of_attempt(replace(granted, agent_calls=3)) == (1, 3)


def experiment_of(*agents: AgentEntry) -> Experiment:
    return Experiment(name="e", benchmarks=(BenchmarkEntry(benchmark="core"),), agents=agents)


def test_commands_that_differ_in_their_model_alone_are_not_given_one_model() -> None:
    agents = [AgentEntry(agent="cmd:cat", label=each, network=AgentNetwork.MODEL, model=each) for each in ("a", "b")]
    with pytest.raises(UsageError, match="'a' and 'b' are the same agent: the experiment compares models"):
        adapted(experiment_of(*agents), Changes(model="c"))
    usual = AgentEntry(agent="cmd:cat", label="usual", network=AgentNetwork.MODEL)  # that of BENCHWRIGHT_MODEL
    with pytest.raises(UsageError, match="'a' and 'usual' are the same agent"):
        adapted(experiment_of(agents[0], usual), Changes(model="c"))
    other = agents[1].model_copy(update={"calls": 3})
    assert [each.model for each in adapted(experiment_of(agents[0], other), Changes(model="c")).agents] == ["c", "c"]


def test_the_two_agents_that_one_model_makes_the_same_are_told() -> None:
    names = ("chat:a", "tools:a", "cmd:cat", "cmd:cat", "tools:b")  # of the same commands neither asks a model
    agents = [AgentEntry(agent=name, label=f"{number}") for number, name in enumerate(names)]
    with pytest.raises(UsageError, match="'1' and '4' are the same agent"):
        adapted(experiment_of(*agents), Changes(model="c"))


def test_a_package_with_a_network_is_given_the_model_in_its_name() -> None:
    entry = AgentEntry(agent="coml:a", network=AgentNetwork.MODEL)
    experiment = Experiment(name="e", benchmarks=(BenchmarkEntry(benchmark="core"),), agents=(entry,))
    (changed,) = adapted(experiment, Changes(model="b")).agents
    assert (changed.text, changed.model) == ("coml:b", "")
