"""Entries of an experiment's file: the options of their agents, the model that they ask, and what it took."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import UsageError
from evaluator.experiments.adaptation import Changes, adapted
from evaluator.experiments.experiment_file import AgentEntry, BenchmarkEntry, Experiment
from evaluator.experiments.forecast import requests_of_attempt
from evaluator.experiments.results import mean_tokens, whole_cost
from evaluator.records import Record
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


def test_agents_with_own_clients_are_given_the_model_of_an_option() -> None:
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
    entry = AgentEntry(agent="coml:a", network=AgentNetwork.MODEL)  # a package has the model in its name
    (changed,) = adapted(experiment_of(entry), Changes(model="b")).agents
    assert (changed.text, changed.model) == ("coml:b", "")
    names = ("chat:a", "tools:a", "cmd:cat", "cmd:cat", "tools:b")  # of the same commands neither asks a model
    agents = [AgentEntry(agent=name, label=f"{number}") for number, name in enumerate(names)]
    with pytest.raises(UsageError, match="'1' and '4' are the same agent"):
        adapted(experiment_of(*agents), Changes(model="c"))


# --- what models took: known where every attempt tells it, and never less than it was ---


def attempt(index: int, number: int = 1, **stats: Any) -> Record:
    return Record("b", "1", "s", index, number, "CORRECT", "", "", "", agent_stats=stats)


@pytest.mark.parametrize(
    ("attempts", "mean"),
    [
        ([attempt(1, prompt_tokens=100, completion_tokens=10), attempt(2, prompt_tokens=0)], (50, 5)),
        ([attempt(1, prompt_tokens=100, completion_tokens=10), attempt(1, 2)], None),
        ([attempt(1, prompt_tokens=100, completion_tokens=10), attempt(2)], (100, 10)),
        ([attempt(1, prompt_tokens=100), attempt(1, 2, prompt_tokens=60, completion_tokens=8)], (160, 8)),
        ([attempt(1), attempt(2)], None),
        ([], None),
    ],
)  # fmt: skip
def test_tokens_are_of_problems_all_of_whose_attempts_tell_them(attempts: list[Record], mean: object) -> None:
    assert mean_tokens(attempts) == mean


def test_a_cost_that_is_not_known_whole_is_not_known() -> None:
    first = attempt(1, calls=1, cost=0.5)
    assert whole_cost([first, attempt(2, calls=2, cost=0.25)]) == 0.75
    assert whole_cost([first, attempt(2, calls=0)]) == 0.5
    assert whole_cost([first, attempt(2, calls=1)]) is None
    assert whole_cost([attempt(1), attempt(2)]) is None


def test_problems_whose_tokens_nobody_told_are_no_zeros() -> None:
    told = [attempt(number, prompt_tokens=30 * number) for number in (1, 2)]
    not_judged, crashed = replace(attempt(3), verdict="NOT_JUDGED", agent_stats=None), attempt(4, calls=1)
    untold = [not_judged, replace(crashed, verdict="CRASH")]
    assert mean_tokens([*told, *untold]) == (45.0, 0.0)
    assert mean_tokens(untold) is None
