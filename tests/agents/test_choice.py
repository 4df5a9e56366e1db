from pathlib import Path
from shlex import quote

import pytest

from evaluator.agents import EmptyAgent, OracleAgent, SessionInfo, SolveLimits, SolveRequest, parse_agent
from evaluator.errors import UsageError


def request(problem_id: str = "p1") -> SolveRequest:
    return SolveRequest(
        session_id="trips",
        problemset="trips",
        problem_id=problem_id,
        index=1,
        query="Count the rows.",
        limits=SolveLimits(wall_s=1.0),
    )


def test_the_oracle_returns_the_reference_code_that_was_revealed_to_it() -> None:
    agent = parse_agent("oracle")
    assert isinstance(agent, OracleAgent)
    agent.start(SessionInfo("trips", "trips"))
    agent.reveal("trips", "p1", "len(df)")
    assert agent.solve(request()).code == "len(df)"


def test_the_empty_agent_returns_an_empty_cell() -> None:
    agent = parse_agent("empty")
    assert isinstance(agent, EmptyAgent)
    assert agent.solve(request()).code == ""


def test_an_unknown_agent_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        parse_agent("orakle")
    assert caught.value.what == "no agent is called 'orakle'"
    assert caught.value.fix == "use 'oracle'"


def test_a_file_or_folder_alone_is_told_how_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As what `agents new` has just made is called; a name that no file system bears is unknown like any other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my agent").mkdir()
    (tmp_path / "run.sh").touch()
    for name, fix in {
        "my agent": quote("cmd:python 'my agent/agent.py'"),
        "run.sh": "'cmd:PROGRAM run.sh'",
        "x" * 5000: "use one of",
    }.items():
        with pytest.raises(UsageError, match="no agent is called") as caught:
            parse_agent(name)
        assert fix in caught.value.fix


@pytest.mark.parametrize("agent", ["my_agent.py:solve", "my_agent.py", "my_agent/agent.py:solve", "my_agent/new.py"])
def test_a_file_that_is_not_there_is_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    """Also beside a folder of its name, which could be imported, as `agents new` makes one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_agent").mkdir()
    with pytest.raises(UsageError) as caught:
        parse_agent(agent)
    assert f"there is no file {agent.removesuffix(':solve')!r}" in caught.value.what
    assert (caught.value.where, "check the path" in caught.value.fix) == (f"agent {agent!r}", True)


def test_an_agent_without_options_refuses_one() -> None:
    with pytest.raises(UsageError, match="takes no option, got 'x'"):
        parse_agent("empty:x")


@pytest.mark.parametrize("text", ["replay", "replay:"])
def test_a_replay_without_a_file_says_how_to_name_one(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_agent(text)
    assert caught.value.fix == "use replay:FILE"


def test_a_replay_of_a_missing_file_names_it(tmp_path: Path) -> None:
    missing = tmp_path / "none.jsonl"
    with pytest.raises(UsageError) as caught:
        parse_agent(f"replay:{missing}")
    assert caught.value.where == str(missing)


def test_a_replay_of_a_folder_asks_for_the_file_in_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a folder, not a records file"):
        parse_agent(f"replay:{tmp_path}")


@pytest.mark.parametrize(("text", "fix"), [("google:m", "chat:google:m"), ("openai:m", "chat:m"), ("cdm:x", "'cmd'")])
def test_a_model_or_a_misspelt_name_is_told_what_was_meant(text: str, fix: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_agent(text)
    assert fix in refused.value.fix


def test_a_model_without_embeddings_is_refused_where_options_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    with pytest.raises(UsageError, match="Anthropic has no models that embed texts"):
        parse_agent("chat:m?rank_shots=knn&embedding=anthropic:m")
