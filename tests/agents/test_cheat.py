"""Agents that calibrate: one cheats and must score nothing, one writes the reference another way and must score all."""

import ast

import pytest

from evaluator.agents import (
    CheatAgent,
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


def request(query: str = "Store `best` and write `top(df, n)`.", index: int = 1, attempt: int = 1) -> SolveRequest:
    variables = (Variable("df", "DataFrame", "(3, 2)"), Variable("limit", "int", "2"))
    return SolveRequest("s", "s", f"p{index}", index, query, SolveLimits(1.0), attempt=attempt, variables=variables)


@pytest.mark.parametrize("trick", TRICKS)
def test_every_trick_is_code(trick: str) -> None:
    ast.parse(CheatAgent(trick).solve(request()).code)
    ast.parse(CheatAgent(trick).solve(request(query="What? `class` ``` ` `a b` `x.csv`")).code)


def test_a_guess_is_returned_bound_and_given_by_functions() -> None:
    code = CheatAgent("zero").solve(request()).code
    assert code == "best = 0\ndef top(*arguments, **named):\n    return 0\n0\n"


def test_variables_that_are_there_are_handed_back_the_newest_first() -> None:
    assert CheatAgent("variable-1").solve(request("What?")).code == "limit\n"
    assert CheatAgent("variable-2").solve(request("What?")).code == "df\n"
    assert CheatAgent("variable-3").solve(request("What?")).code == ""


def test_without_a_choice_tricks_take_turns_over_problems_and_attempts() -> None:
    agent = CheatAgent()
    played = [agent.solve(request(index=index)).labels[0] for index in range(1, len(TRICKS) + 2)]
    assert played == [f"cheat-{trick}" for trick in (*TRICKS, next(iter(TRICKS)))]
    assert TRICK_MEANINGS.keys() == TRICKS.keys()
    assert agent.solve(request(attempt=3)).labels == agent.solve(request(index=3)).labels


def test_one_agent_plays_each_trick_under_its_own_name() -> None:
    assert [agent.describe().name for agent in cheat_agents()] == [f"cheat:{trick}" for trick in TRICKS]
    assert parse_agent("cheat:zero").describe().name == "cheat:zero"
    with pytest.raises(UsageError, match="knows no trick 'zeros'") as caught:
        parse_agent("cheat:zeros")
    assert "'zero'" in caught.value.fix


def test_the_oracle_has_one_variation() -> None:
    assert isinstance(parse_agent("oracle:varied"), VariedOracle)
    with pytest.raises(UsageError, match="takes no option 'other'"):
        parse_agent("oracle:other")


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


@pytest.mark.parametrize("source", SAME)
def test_a_variation_has_the_same_value(source: str) -> None:
    def last_value(code: str) -> object:
        tree = ast.parse(code)
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        names: dict[str, object] = {"print": str}
        exec(compile(tree, "cell", "exec"), names)
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)

    varied = vary(source)
    assert varied != source
    assert last_value(varied) == last_value(source)


def test_a_variation_renames_scratch_variables_unless_a_text_may_name_them() -> None:
    assert "row_each" in vary("[row for row in rows]")
    assert "row_each" not in vary("[df.query('a > @row') for row in rows]")


def test_code_that_is_no_plain_python_gets_a_comment_only() -> None:
    assert vary("%matplotlib inline\n1") == "# The same, written another way.\n%matplotlib inline\n1"
    assert vary("%%time\n1") == "%%time\n1"


def test_nothing_is_printed_where_the_code_shows_something_itself() -> None:
    assert "working" in vary("1 + 1")
    assert "working" not in vary("print(1)")
    assert "working" not in vary("df.info()")
