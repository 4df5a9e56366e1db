"""Agents that ask nobody: the oracle, the empty one, cheats; and what a name that is no agent's is told."""

import ast
from pathlib import Path
from shlex import quote

import pytest

from evaluator.agents import (
    CheatAgent,
    EmptyAgent,
    OracleAgent,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Variable,
    VariedOracle,
    cheat_agents,
    parse_agent,
    vary,
)
from evaluator.agents.cheat import TRICK_MEANINGS, TRICKS
from evaluator.errors import UsageError


def request(
    query: str = "Count the rows.", index: int = 1, *, problemset: str = "trips", attempt: int = 1
) -> SolveRequest:
    variables = (Variable("df", "DataFrame", "(3, 2)"), Variable("limit", "int", "2"))
    limits = SolveLimits(wall_s=1.0)
    return SolveRequest(problemset, problemset, f"p{index}", index, query, limits, attempt=attempt, variables=variables)


# Names


def test_the_oracle_returns_the_reference_and_the_empty_agent_nothing() -> None:
    oracle, empty = parse_agent("oracle"), parse_agent("empty")
    assert isinstance(oracle, OracleAgent)
    assert isinstance(empty, EmptyAgent)
    oracle.start(SessionInfo("trips", "trips"))
    oracle.reveal("trips", "p1", "len(df)")
    assert oracle.solve(request()).code == "len(df)"
    assert empty.solve(request()).code == ""


def test_a_name_that_is_no_agents_is_told_what_was_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As what `agents new` has just made is called; a name that no file system bears is unknown like any other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my agent").mkdir()
    (tmp_path / "run.sh").touch()
    for name, fix in {
        "orakle": "use 'oracle'",
        "my agent": quote("cmd:python 'my agent/agent.py'"),
        "run.sh": "'cmd:PROGRAM run.sh'",
        "x" * 5000: "use one of",
        "google:m": "chat:google:m",
        "openai:m": "chat:m",
        "cdm:x": "'cmd'",
    }.items():
        with pytest.raises(UsageError, match="no agent is called") as caught:
            parse_agent(name)
        assert fix in caught.value.fix, name
    for name, told in {"empty:x": "takes no option, got 'x'", "oracle:other": "takes no option 'other'"}.items():
        with pytest.raises(UsageError, match=told):
            parse_agent(name)


def test_a_file_that_is_not_there_is_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also beside a folder of its name, which could be imported, as `agents new` makes one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_agent").mkdir()
    for agent in ("my_agent.py:solve", "my_agent.py", "my_agent/agent.py:solve", "my_agent/new.py"):
        with pytest.raises(UsageError) as caught:
            parse_agent(agent)
        assert f"there is no file {agent.removesuffix(':solve')!r}" in caught.value.what
        assert (caught.value.where, "check the path" in caught.value.fix) == (f"agent {agent!r}", True)


# Agents that calibrate: one cheats and must score nothing, one writes the reference another way and must score all

STORES = "Store `best` and write `top(df, n)`."


def test_every_trick_is_code() -> None:
    for trick in TRICKS:
        ast.parse(CheatAgent(trick).solve(request(STORES)).code)
        ast.parse(CheatAgent(trick).solve(request("What? `class` ``` ` `a b` `x.csv`")).code)
    assert len(TRICKS) >= 5


def test_a_guess_is_returned_bound_and_given_by_functions() -> None:
    code = CheatAgent("zero").solve(request(STORES)).code
    assert code == "best = 0\ndef top(*arguments, **named):\n    return 0\n0\n"


def test_variables_that_are_there_are_handed_back_the_newest_first() -> None:
    codes = [CheatAgent(f"variable-{number}").solve(request("What?")).code for number in (1, 2, 3)]
    assert codes == ["limit\n", "df\n", ""]


def test_without_a_choice_tricks_take_turns_over_problems_and_attempts() -> None:
    agent = CheatAgent()
    played = [agent.solve(request(STORES, index)).labels[0] for index in range(1, len(TRICKS) + 2)]
    assert played == [f"cheat-{trick}" for trick in (*TRICKS, next(iter(TRICKS)))]
    assert TRICK_MEANINGS.keys() == TRICKS.keys()
    assert agent.solve(request(STORES, attempt=3)).labels == agent.solve(request(STORES, 3)).labels


def test_one_agent_plays_each_trick_under_its_own_name() -> None:
    assert [agent.describe().name for agent in cheat_agents()] == [f"cheat:{trick}" for trick in TRICKS]
    assert parse_agent("cheat:zero").describe().name == "cheat:zero"
    with pytest.raises(UsageError, match="knows no trick 'zeros'") as caught:
        parse_agent("cheat:zeros")
    assert "'zero'" in caught.value.fix


SAME = [
    "x = [1, 2, 3]\n[y * 2 for y in x if y > 1]",
    "x = [3, 4]\n{i: [i + j for j in range(i)] for i in x}",
    "x = 5\n[x for x in range(x)]",
    "rows = [[1, 2], [3]]\nsum(cell for row in rows for cell in row)",
    "text = 'y'\n[y for y in 'abc'] + [f'{k}{v!r}' for k, v in {'a': 1}.items()]",
    "def f(n):\n    '''Say n.'''\n    return [n := n + 1 for _ in range(3)]\nf(1)",
    "fs = [lambda: i for i in range(3)]\n[each() for each in fs]",
    "from __future__ import annotations\n1 + 1",
    "[[x for x in range(x)] for x in range(4)]",
]


def test_a_variation_has_the_same_value() -> None:
    def last_value(code: str) -> object:
        tree = ast.parse(code)
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        names: dict[str, object] = {"print": str}
        exec(compile(tree, "cell", "exec"), names)
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)

    assert isinstance(parse_agent("oracle:varied"), VariedOracle)
    for source in SAME:
        varied = vary(source)
        assert varied != source
        assert last_value(varied) == last_value(source)


def test_magics_are_not_varied_and_nothing_is_printed_beside_prints() -> None:
    assert vary("%matplotlib inline\n1") == "# The same, written another way.\n%matplotlib inline\n1"
    assert vary("%%time\n1") == "%%time\n1"
    assert "working" in vary("1 + 1")
    assert "working" not in vary("print(1)")
    assert "working" not in vary("df.info()")
    assert "row_each" in vary("[row for row in rows]")
    assert "row_each" not in vary("[df.query('a > @row') for row in rows]")  # a text may name it
