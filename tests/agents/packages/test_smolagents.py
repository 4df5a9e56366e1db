"""smolagents: the package itself, with a scripted model and real sessions."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluator.agents.adapters.smolagents_agent import ended_by_answer
from evaluator.errors import ContentError
from tests.agents.packages.conftest import Score, said
from tests.scripted_model import Refuse, Say, Step

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

AGENT = "smolagents"


def code(*lines: str) -> Say:
    """A reply of the layout that the package asks for."""
    return Say("Thought: so.\n<code>\n" + "\n".join(lines) + "\n</code>")


def by_query(count: Step, longest: Step) -> Callable[[dict[str, Any]], Step]:
    """Answer each of the two problems in one way."""
    return lambda request: longest if "longest" in said(request) else count


def test_it_bears_everything(bears_everything: Callable[[Any], str]) -> None:
    assert "answers a problem: ok, 9 characters of code" in bears_everything([code("final_answer(len(df))")])


def test_it_works_in_steps_on_a_copy_and_hands_in_what_ran(score: Score) -> None:
    steps = code("count = len(trips)", "print(count)"), code("final_answer(count)")

    def play(request: dict[str, Any]) -> Step:
        longest = code("final_answer(trips['km'].max())")
        return longest if "longest" in said(request) else steps[len(request["messages"]) > 2]

    run = score(play)
    assert run.verdicts == ["CORRECT", "CORRECT"]
    assert run.codes == ["count = len(trips)\nprint(count)\n\n(count)", "(trips['km'].max())"]
    first, second, third = run.model.requests
    assert "How many trips are there?" in said(first)
    assert "trips (DataFrame)" in said(first)
    assert "3" in said(second).split("Observation")[-1]
    assert "len(trips)" in said(third)  # the reference is what later problems see of earlier ones
    stats = run.records[0]["agent_stats"]
    assert (stats["calls"], stats["prompt_tokens"], stats["usage_source"]) == (2, 200, "measured")
    assert run.records[0]["agent_stats"]["executions"]["scratch"]["ok"] == 2


def test_an_error_of_its_code_is_told_to_it_and_not_handed_in(score: Score) -> None:
    def play(request: dict[str, Any]) -> Step:
        return code("final_answer(len(trips))") if "NameError" in said(request) else code("missing + 1")

    run = score(play, limit=1)
    assert run.codes == ["(len(trips))"]
    assert run.verdicts == ["CORRECT"]


@pytest.mark.parametrize(("options", "handed_in"), [("", "a = 1\n\na"), ("?submit=last", "a")])
def test_out_of_steps_it_hands_in_what_it_has(score: Score, options: str, handed_in: str) -> None:
    def play(request: dict[str, Any]) -> Step:
        return code("a") if "a = 1" in said(request).split("trips")[-1] else code("a = 1")

    run = score(play, f"{options}{'&' if options else '?'}max_steps=2", limit=1)
    assert run.codes == [handed_in]
    assert "out-of-steps" in run.records[0]["labels"]


@pytest.mark.parametrize(
    ("lines", "handed_in"),
    [
        (["x = 4", "final_answer(x)", "x = 5"], "x = 4\n(x)"),
        (["final_answer(answer=[1,", "  2])  # so"], "([1,\n  2])"),
        (["value = final_answer('Zürich')"], "('Zürich')"),
        (["if len(trips) > 2:", "    final_answer(7)", "else:", "    pass"],
         "if len(trips) > 2:\n    (final_value := (7))\nelse:\n    pass\nfinal_value"),
        (["def final(): return final_answer(1)", "final_answer(2)"], "def final(): return final_answer(1)\n(2)"),
    ],
)  # fmt: skip
def test_the_answer_ends_the_code(lines: list[str], handed_in: str) -> None:
    assert ended_by_answer("\n".join(lines)) == (handed_in, True)


@pytest.mark.parametrize(
    "text", ["x = 1", "def f():\n    return final_answer(1)", "final_answer()", "final_answer(", "é"]
)
def test_code_without_an_answer_stays_as_it_is(text: str) -> None:
    assert ended_by_answer(text) == (text, False)


def test_out_of_executions_it_hands_in_what_it_has(score: Score) -> None:
    run = score([code("len(trips)")], limit=1, executions=2)
    assert run.codes == ["len(trips)\n\nlen(trips)"]
    assert "out-of-executions" in run.records[0]["labels"]


def test_an_endpoint_that_fails_is_no_fault_of_the_agent(score: Score) -> None:
    run = score(by_query(Refuse(503, "overloaded"), code("final_answer(trips['km'].max())")))
    assert run.verdicts == ["NOT_JUDGED", "CORRECT"]
    assert "the model endpoint answered with 503" in run.records[0]["agent_exception"]


def test_a_model_that_refuses_stop_words_is_asked_without(score: Score) -> None:
    def play(request: dict[str, Any]) -> Step:
        return Refuse(400, "stop is not supported") if "stop" in request else code("final_answer(len(trips))")

    assert score(play, limit=1).verdicts != ["CORRECT"]
    assert score(play, "?stop=off", out="again", limit=1).verdicts == ["CORRECT"]


def test_its_parameters_reach_the_model(score: Score) -> None:
    run = score([code("final_answer(1)")], "?temperature=0.5&max_tokens=77", limit=1)
    (asked,) = run.model.requests
    assert (asked["temperature"], asked["max_tokens"], asked["model"]) == (0.5, 77, "m")


def test_a_run_with_other_options_is_another_run(score: Score) -> None:
    play = [code("final_answer(1)")]
    score(play, "?max_steps=3", limit=1)
    with pytest.raises(ContentError, match="max_steps=3"):
        score(play, "?max_steps=4", limit=1)
