"""State and history policies, attempts and feedback, where they give different verdicts."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.agents import HistoryCell, OracleAgent, SolveRequest, Submission, Tools
from evaluator.errors import RecordingError, UsageError
from evaluator.language import LoadedSet
from evaluator.running import (
    BetweenAttempts,
    ExecutedCell,
    FeedbackPart,
    HistoryPolicy,
    Policies,
    PriorAnswer,
    StatePolicy,
    parse_feedback,
    score_problemset,
)
from evaluator.running.execution.executed_cell import Contender
from evaluator.running.execution.policies import SHOWN_CHARS, feedback_on, shown_text
from evaluator.scoring import Judged, Verdict
from evaluator.session import Ending, Engine, ErrorView, Outcome
from tests.running.scripted import Scripted, loaded_set, scored, verdicts_of

CHAIN = '''# %%
base = 1

# %%
"""
query: Store two as `a`.
validator:
  namespace_check:
    a:
"""
a = base + 1

# %%
scale = 10

# %%
"""
query: Store ten times `a` as `b`.
validator:
  namespace_check:
    b:
"""
b = a * scale

# %%
"""
query: What is `b` plus one?
"""
b + 1
'''
WRONG_FIRST = ("a = 5", "b = a * scale", "b + 1")
ALL_REFERENCE = Policies()
PROPAGATED = Policies(history=HistoryPolicy.OWN)
END_TO_END = Policies(StatePolicy.OWN, HistoryPolicy.OWN)
ON_FAILURE = Policies(StatePolicy.CORRECTED_ON_FAILURE, HistoryPolicy.OWN)
ALWAYS = Policies(StatePolicy.CORRECTED_ALWAYS, HistoryPolicy.OWN)
WRONG, RIGHT = ["WRONG_VARIABLES"], ["CORRECT"]
ANSWERED = {
    1: PriorAnswer(("a = 5",), "WRONG_VARIABLES", "kept"),
    2: PriorAnswer(("b = a * scale",), "WRONG_VARIABLES", "kept"),
}


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> LoadedSet:
    return loaded_set(tmp_path_factory.mktemp("chain"), CHAIN)


class Walk(NamedTuple):
    verdicts: list[list[str]]
    states: list[str]
    requests: list[SolveRequest]


@pytest.fixture(scope="module")
def walks(engine: Engine, chain: LoadedSet) -> dict[Policies, Walk]:
    """An agent whose first answer is wrong, under each policy, and the oracle on a state of its own, in one pass."""
    policies = (ALL_REFERENCE, PROPAGATED, END_TO_END, ON_FAILURE, ALWAYS)
    agents = [Scripted(*WRONG_FIRST) for _ in policies]
    contenders = [Contender(agent, each) for agent, each in zip(agents, policies, strict=True)]
    contenders += [Contender(OracleAgent(), each) for each in (END_TO_END, ALWAYS)]
    cells: list[ExecutedCell] = []
    assert score_problemset(engine, chain, contenders, on_scored=cells.append) == ()
    assert {verdict for each in verdicts_of(cells) for verdict in each[len(policies) :]} == {"CORRECT"}
    attempts = zip(*(each.attempts for each in cells), strict=True)
    return {
        each: Walk([[one.judged.verdict.value] for one in made], [one.state_after for one in made], agent.requests)
        for each, made, agent in zip(policies, attempts, agents, strict=False)
    }


def test_a_wrong_answer_breaks_later_ones_only_on_the_agents_own_state(walks: dict[Policies, Walk]) -> None:
    assert {each: (walk.verdicts, walk.states) for each, walk in walks.items()} == {
        ALL_REFERENCE: ([WRONG, RIGHT, RIGHT], ["", "", ""]),
        PROPAGATED: ([WRONG, RIGHT, RIGHT], ["", "", ""]),
        END_TO_END: ([WRONG, WRONG, ["WRONG_OUTPUT"]], ["kept"] * 3),
        ON_FAILURE: ([WRONG, RIGHT, RIGHT], ["corrected", "kept", "kept"]),
        ALWAYS: ([WRONG, RIGHT, RIGHT], ["corrected"] * 3),
    }


def sources(cells: Sequence[HistoryCell]) -> list[tuple[str, str]]:
    return [(cell.origin, cell.source.strip()) for cell in cells]


def test_an_agent_is_shown_the_history_that_the_policy_names(walks: dict[Policies, Walk]) -> None:
    setup, more = ("given", "base = 1"), ("given", "scale = 10")
    reference = [setup, ("reference", "a = base + 1"), more, ("reference", "b = a * scale")]
    own = [setup, ("agent", "a = 5"), more, ("agent", "b = a * scale")]
    corrected = [*own[:2], ("correction", "a = base + 1"), *own[2:]]
    last = {each: walk.requests[-1] for each, walk in walks.items() if each != ALWAYS}
    seen = {
        each: (sources(asked.history), {one.name: one.text for one in asked.variables}["a"])
        for each, asked in last.items()
    }
    assert seen == {
        ALL_REFERENCE: (reference, "2"),
        PROPAGATED: (own, "2"),
        END_TO_END: (own, "5"),
        ON_FAILURE: (corrected, "2"),
    }


def test_code_that_does_not_end_by_itself_leaves_the_own_state_as_it_was(engine: Engine, chain: LoadedSet) -> None:
    for ending in ("import os\nos._exit(0)", "raise ValueError"):
        cells = scored(engine, chain, Scripted("a = 5", f"a = 7\n{ending}", "a"), policies=END_TO_END)
        raised = ending.startswith("raise")
        assert [each.attempts[-1].state_after for each in cells] == [
            "kept",
            "kept" if raised else "rolled-back",
            "kept",
        ]
        outcome = cells[2].attempts[0].outcome
        assert outcome is not None
        assert outcome.outputs[0]["data"]["text/plain"] == ("7" if raised else "5")


def test_a_reference_that_fails_on_what_the_agent_left_is_said_so(engine: Engine, chain: LoadedSet) -> None:
    cells = scored(engine, chain, Scripted("a = 2", "del a, scale\nb = 20", "21"), policies=ALWAYS)
    assert verdicts_of(cells)[1] == ["INTACT_VIOLATION"]
    assert [each.attempts[-1].state_after for each in cells] == ["corrected", "correction-failed", "corrected"]


def test_what_was_answered_before_a_stop_makes_the_own_state(
    engine: Engine, chain: LoadedSet, walks: dict[Policies, Walk]
) -> None:
    whole, rest = walks[END_TO_END], Scripted(*WRONG_FIRST)
    resumed = scored(engine, chain, rest, policies=END_TO_END, wanted=(3,), answered=ANSWERED)
    assert verdicts_of(resumed) == whole.verdicts[2:]
    assert rest.requests[0].history == whole.requests[2].history
    assert rest.requests[0].variables == whole.requests[2].variables


def test_a_later_attempt_whose_reply_cannot_be_recorded_ends_the_work(engine: Engine, chain: LoadedSet) -> None:
    class Unrecorded(Scripted):
        def solve(self, request: SolveRequest, tools: Tools) -> Submission:
            if request.attempt == 2:
                raise RecordingError("a reply cannot be recorded")
            return super().solve(request, tools)

    with pytest.raises(RecordingError, match="cannot be recorded"):
        scored(engine, chain, Unrecorded(("a = 3", "a = 2")), max_attempts=3, wanted=(1,))


@pytest.mark.parametrize("policies", [ALL_REFERENCE, pytest.param(END_TO_END, marks=pytest.mark.deep)])
def test_a_later_attempt_follows_only_a_wrong_one_and_counts(
    engine: Engine, chain: LoadedSet, policies: Policies
) -> None:
    agent = Scripted(("a = 3", "a = 2", "never asked"), ("b = 20",), ("1", "2"))
    cells = scored(engine, chain, agent, policies=policies, max_attempts=3)
    wrong = "WRONG_OUTPUT"
    assert verdicts_of(cells) == [["WRONG_VARIABLES", "CORRECT"], ["CORRECT"], [wrong, wrong]]
    assert [[(each.attempt, each.is_last) for each in problem.attempts] for problem in cells] == [
        [(1, False), (2, True)],
        [(1, True)],
        [(1, False), (2, True)],
    ]
    assert [request.attempt for request in agent.requests] == [1, 2, 1, 1, 2, 3]
    if policies is ALL_REFERENCE:  # one that has nothing to add is asked once
        assert verdicts_of(scored(engine, chain, OracleAgent(), max_attempts=3)) == [RIGHT] * 3


@pytest.mark.parametrize("state", [StatePolicy.REFERENCE, pytest.param(StatePolicy.OWN, marks=pytest.mark.deep)])
def test_attempts_start_again_or_pile_up(engine: Engine, chain: LoadedSet, state: StatePolicy) -> None:
    for between, second in ((BetweenAttempts.RESET, "CRASH"), (BetweenAttempts.KEPT, "CORRECT")):
        agent = Scripted(("half = 1", "a = half + 1"), ("b = a * scale",), ("b + 1",))
        policies = Policies(state=state, between_attempts=between)
        wanted = (1, 2) if second == "CORRECT" else (1,)
        cells = scored(engine, chain, agent, policies=policies, max_attempts=2, wanted=wanted)
        assert verdicts_of(cells)[0][1] == second
        assert agent.requests[1].starts_anew is (between is BetweenAttempts.RESET)
        if second == "CORRECT":
            assert verdicts_of(cells)[1:] == [RIGHT]


def test_an_attempt_that_ends_its_process_is_rolled_back_before_the_next(engine: Engine, chain: LoadedSet) -> None:
    kept = Policies(between_attempts=BetweenAttempts.KEPT)
    agent = Scripted(("half = 1", "half = 9\nimport os\nos._exit(3)", "a = half + 1"), ("b = 20",), ("21",))
    cells = scored(engine, chain, agent, policies=kept, max_attempts=3)
    assert verdicts_of(cells) == [["WRONG_VARIABLES", "CRASH", "CORRECT"], RIGHT, RIGHT]


# --- what an agent is told between its attempts ---

CRASHED = Judged(Verdict.CRASH, reason="KeyError: 'x'")
OUTPUTS = (
    {"output_type": "stream", "name": "stdout", "text": "one\n"},
    {"output_type": "execute_result", "data": {"text/plain": "2"}},
    {"output_type": "display_data", "data": {"image/png": "..."}},
    {"output_type": "error", "ename": "E", "evalue": "", "traceback": []},
)


def test_an_agent_is_told_what_the_run_grants(engine: Engine, chain: LoadedSet) -> None:
    agent = Scripted(("print('before')\n1 / 0", "a = 2"))
    granted = parse_feedback("hint,error")
    scored(engine, chain, agent, policies=Policies(feedback=granted), max_attempts=2, wanted=(1,))
    assert agent.requests[0].feedback is None
    feedback = agent.requests[1].feedback
    assert feedback is not None
    assert (feedback.code, feedback.output) == ("print('before')\n1 / 0", None)
    assert "ZeroDivisionError" in str(feedback.error)
    assert "CRASH" in str(feedback.hint)


def test_streams_and_values_are_told_in_order_and_only_what_is_granted() -> None:
    outcome = Outcome(Ending.ERROR, "x", outputs=OUTPUTS, error=ErrorView("KeyError", "'x'", "Traceback: KeyError"))
    for granted, told in (
        ("none", (None, None, None)),
        ("error", ("Traceback: KeyError", None, None)),
        ("output", (None, "one\n2\n", None)),
        ("hint", (None, None, "CRASH: KeyError: 'x'")),
        ("hint,error,output", ("Traceback: KeyError", "one\n2\n", "CRASH: KeyError: 'x'")),
    ):
        found = feedback_on("x", outcome, CRASHED, parse_feedback(granted))
        assert (found.code, found.error, found.output, found.hint) == ("x", *told)
    late, sound = Outcome(Ending.TIMED_OUT, "x"), Outcome(Ending.OK, "x")
    assert feedback_on("x", late, CRASHED, (FeedbackPart.ERROR,)).error == "the code ran out of time"
    assert feedback_on("x", sound, CRASHED, (FeedbackPart.ERROR,)).error is None


@given(st.text(alphabet=st.characters(codec=None), max_size=400), st.integers(1, 200))
def test_a_shown_text_is_short_printable_and_unicode(text: str, times: int) -> None:
    shown = shown_text(text * times)
    shown.encode("utf-8")
    assert len(shown) <= SHOWN_CHARS + len("\n[...]\n")
    assert all(character in "\t\n" or ord(character) >= 32 for character in shown)
    assert shown_text(shown) == shown or len(shown) > SHOWN_CHARS


def test_a_long_text_keeps_its_ends_and_terminal_commands_are_cut() -> None:
    shown = shown_text("first" + "x" * 200_000 + "last")
    assert shown.startswith("first")
    assert shown.endswith("last")
    assert "[...]" in shown
    assert shown_text("\x1b[31mred\x1b[0m\x07\r\nnext\x1b[2J") == "red\nnext"


def test_feedback_names_its_parts_in_one_order_and_refuses_others() -> None:
    assert parse_feedback("hint, error") == (FeedbackPart.ERROR, FeedbackPart.HINT)
    assert parse_feedback("none") == parse_feedback("") == ()
    with pytest.raises(UsageError, match="'hints'"):
        parse_feedback("hints")
    with pytest.raises(UsageError, match="none and something else"):
        parse_feedback("none,error")
