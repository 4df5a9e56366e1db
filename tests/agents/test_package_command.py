"""Agents that are packages: what is refused before anything starts, without any package."""

from pathlib import Path

import pytest

from evaluator.agents.adapters.smolagents_agent import ended_by_answer
from evaluator.agents.choice import IN_PROCESSES, agent_options
from evaluator.agents.process.launching import LaunchOptions
from evaluator.agents.process.package_command import (
    AGENT_PACKAGES,
    NotInstalledError,
    is_package,
    model_of_package,
    package_command_of,
    package_title,
    requirements_of,
)
from evaluator.environments import VARIABLE
from evaluator.environments.installers import read_requirements
from evaluator.errors import UsageError
from evaluator.running import RunConfig, agent_of_run
from evaluator.running.run_agent import process_text
from evaluator.session import AgentNetwork, own_environment

ADAPTERS = Path(__file__).parents[2] / "evaluator" / "agents" / "adapters"


@pytest.fixture(autouse=True)
def no_environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))


def test_every_package_has_its_file_and_its_requirements() -> None:
    for name, package in AGENT_PACKAGES.items():
        (first, *_) = read_requirements([requirements_of(name)])
        assert first.partition("==")[0].partition("[")[0] == package.distribution
        assert (ADAPTERS / f"{name.replace('-', '_')}_agent.py").is_file()
        assert name in IN_PROCESSES
        assert agent_options(name) == package.options
        assert all(option.default_value is not None for option in agent_options(name).values())
    files = {path.name.removesuffix("_requirements.txt") for path in ADAPTERS.glob("*_requirements.txt")}
    assert files == {name.replace("-", "_") for name in AGENT_PACKAGES}
    assert len(files) == 4


def test_a_name_is_told_from_others_and_holds_a_model_and_options() -> None:
    assert is_package("smolagents:m?max_steps=2")
    assert not is_package("chat:smolagents")
    assert model_of_package("smolagents:vendor/m:free?max_steps=2") == "vendor/m:free"
    assert model_of_package("coml") == ""
    assert package_title("smolagents:?max_steps=3&submit=joined", "m") == "smolagents:m?max_steps=3"
    assert package_title("coml:m", "m") == "coml:m"


def test_options_and_model_are_part_of_what_a_run_is(tmp_path: Path) -> None:
    def told(agent: str) -> str:
        return process_text(RunConfig(tmp_path, agent, tmp_path / "out", agent_calls=3))

    plain = "environment smolagents, network model m, 3 calls"
    assert told("smolagents:m") == told("smolagents:m?max_steps=10&submit=joined") == plain
    assert told("smolagents:m?max_steps=9&temperature=1") == f"{plain}, options max_steps=9&temperature=1.0"
    assert told("coml:m?num_examples=1") != told("coml:m?num_examples=1.0")  # one example, and all it has
    assert told("coml:m?num_examples=1.00") == told("coml:m")
    assert told("smolagents:other") == "environment smolagents, network model other, 3 calls"


def test_a_model_behind_another_interface_is_refused_where_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is behind another") as told:
        agent_of_run(RunConfig(tmp_path, "smolagents:anthropic:m", tmp_path / "out"))
    assert told.value.where == "agent 'smolagents:anthropic:m'"


def test_a_package_that_is_not_installed_says_how_it_is() -> None:
    with pytest.raises(NotInstalledError, match="there is no environment 'coml'") as told:
        package_command_of("coml", "m", LaunchOptions("bwrap"))
    assert "benchwright env create coml --for-agent coml" in str(told.value.fix)
    with pytest.raises(NotInstalledError, match="holds no smolagents") as told:
        package_command_of("smolagents", "m", LaunchOptions("bwrap", environment=own_environment()))
    assert "--for-agent smolagents" in str(told.value.fix)
    with pytest.raises(UsageError, match="is called 'smolagent'") as unknown:
        requirements_of("smolagent")
    assert unknown.value.fix == "use 'smolagents'"


def test_options_are_read_before_the_package_is_looked_for() -> None:
    for text, message, fix in (
        ("m?max_step=3", "no option 'max_step'", "use 'max_steps'"),
        ("m?max_steps=0", "'max_steps' is '0'", "a whole number from 1 to 100"),
        ("m?submit=lats", "'submit' is 'lats'", "use 'last'"),
        ("recorded:folder", "recorded replies", "chat:recorded:FOLDER"),
    ):
        with pytest.raises(UsageError, match=message) as told:
            package_command_of("smolagents", text, LaunchOptions("bwrap"))
        assert fix in str(told.value.fix)


def test_it_reaches_its_model_and_nothing_else() -> None:
    for options in (LaunchOptions("bwrap", network=AgentNetwork.FULL), LaunchOptions("bwrap", Path("/tmp"))):
        with pytest.raises(UsageError, match="reaches its model through us"):
            package_command_of("smolagents", "m", options)


def test_the_answer_of_smolagents_ends_its_code() -> None:
    for lines, handed_in in (
        ("x = 4\nfinal_answer(x)\nx = 5", "x = 4\n(x)"),
        ("final_answer(answer=[1,\n  2])  # so", "([1,\n  2])"),
        ("value = final_answer('Zürich')", "('Zürich')"),
        (
            "if len(trips) > 2:\n    final_answer(7)\nelse:\n    pass",
            "if len(trips) > 2:\n    (final_value := (7))\nelse:\n    pass\nfinal_value",
        ),
        ("def final(): return final_answer(1)\nfinal_answer(2)", "def final(): return final_answer(1)\n(2)"),
    ):
        assert ended_by_answer(lines) == (handed_in, True)
    for text in ("x = 1", "def f():\n    return final_answer(1)", "final_answer()", "final_answer(", "é"):
        assert ended_by_answer(text) == (text, False)
