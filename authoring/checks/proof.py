"""What several fresh processes prove about a problemset: one answer everywhere, and none that can be guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from authoring.checks.gates import PASSED, SLOW_FRACTION, Check, CheckFailure
from evaluator.agents import Agent, CheatAgent, OracleAgent
from evaluator.diagnostics import Diagnostic
from evaluator.errors import ToolkitError
from evaluator.language import LoadedSet
from evaluator.running import AttemptResult, ExecutedCell, score_problemset
from evaluator.scoring import Judged, Verdict, judge_submission
from evaluator.session import Engine

GUESSES: Final = ("pass", "none", "zero", "one", "true", "false", "frame", "variable-1", "previous")
"""Tricks that need no look at the data: constants, the newest variable, the last problem's code again."""


@dataclass(frozen=True)
class Proof:
    """What the processes came to."""

    failures: tuple[CheckFailure, ...]  # in the order of the problems
    seconds: Mapping[int, float]  # problem -> the least time that its reference took

    def slow(self, loaded: LoadedSet, seconds: Mapping[int, float]) -> tuple[CheckFailure, ...]:
        """Return the problems whose reference always took too much of its limit; `seconds`: of another execution."""
        assert loaded.problemset is not None
        found = []
        for number, problem in enumerate(loaded.problemset.problems, 1):
            least = min(self.seconds.get(number, 0.0), seconds.get(number, 0.0))
            limit = problem.time_limit_s
            if least > SLOW_FRACTION * limit:
                what = f"the reference takes {least:.2f} s of {limit:g} s"
                found.append(CheckFailure(Check.TIME, number, "", what, "raise max_time, or ask for less"))
        return tuple(found)


def prove(loaded: LoadedSet, engines: Sequence[Engine]) -> Proof:
    """Run a problemset in one fresh session per engine and judge references across them.

    The empty answer is not tried: a dry run does that.

    Args:
        loaded: A problemset without errors.
        engines: Two or more, best with different hash seeds; guesses are tried in the first.

    Raises:
        ToolkitError: If an engine fails; then nothing was proved.
    """
    guessing: list[Agent] = [OracleAgent(), *map(CheatAgent, GUESSES)]
    first, refusals = _run(engines[0], loaded, guessing)
    failures = [*refusals]
    for scored in first:
        failures += _failures(scored)
    seconds = {s.index: s.reference.seconds for s in first if s.reference}
    for engine in engines[1:]:
        again, refusals = _run(engine, loaded, [OracleAgent()])
        failures += refusals
        failures += _disagreements(engines[0], first, again)
        for scored in again:
            if scored.reference:
                least = min(seconds.get(scored.index, scored.reference.seconds), scored.reference.seconds)
                seconds[scored.index] = least
    return Proof(tuple(sorted(dict.fromkeys(failures), key=lambda f: f.index)), seconds)


def _run(
    engine: Engine, loaded: LoadedSet, agents: Sequence[Agent]
) -> tuple[list[ExecutedCell], tuple[CheckFailure, ...]]:
    found: list[ExecutedCell] = []
    diagnostics = score_problemset(engine, loaded, agents, on_scored=found.append)
    lost = [each for each in found if any(a.judged.verdict is Verdict.NOT_JUDGED for a in each.attempts)]
    if lost:
        what = f"the engine failed on problem {lost[0].index} of {loaded.name!r}"
        raise ToolkitError(what, where=loaded.name, fix="repeat the command; nothing was concluded from it")
    return found, tuple(_refusal(loaded, each) for each in diagnostics)


def _refusal(loaded: LoadedSet, diagnostic: Diagnostic) -> CheckFailure:
    """Return what ended a run by the author's fault, as the failure of the problem in whose lines it is."""
    assert loaded.problemset is not None
    starts = [problem.line for problem in loaded.problemset.problems]
    number = sum(line <= diagnostic.line for line in starts)
    check = Check.GOLD if number else Check.SETUP
    return CheckFailure(check, number, "", diagnostic.what, diagnostic.fix)


def _failures(scored: ExecutedCell) -> list[CheckFailure]:
    failures = []
    for attempted in scored.attempts:
        passed = attempted.judged.verdict.value == PASSED
        if attempted.agent == "oracle" and not passed:
            failures.append(_not_gold(scored, attempted.judged, "in a fresh process"))
        elif attempted.agent != "oracle" and passed:
            trick = attempted.agent.removeprefix("cheat:")
            check = Check.NOTHING if trick == "pass" else Check.GUESS  # as an empty answer, which a dry run tries
            what = f"{trick!r} passes without a look at the data"
            failures.append(CheckFailure(check, scored.index, scored.problem_id, what, "ask for more"))
    return failures


def _disagreements(engine: Engine, first: Sequence[ExecutedCell], again: Sequence[ExecutedCell]) -> list[CheckFailure]:
    """Judge the references of another process as submissions to the first one's."""
    failures = []
    others = {each.index: each for each in again}
    for scored in first:
        other = others.get(scored.index)
        outcome = _oracle(other).outcome if other else None
        if other is None or scored.reference is None or outcome is None:
            continue  # it was refused, which is told by itself
        own, across = _oracle(other).judged, judge_submission(engine, scored.reference, outcome, scored.problem)
        if across.verdict is Verdict.NOT_JUDGED and across.author_fault is None:
            raise ToolkitError(across.reason, where=scored.problemset, fix="repeat the command")
        for judged in (own, across):
            if judged.verdict is not Verdict.CORRECT:
                failures.append(_not_gold(scored, judged, "in a process with another hash seed"))
                break
    return failures


def _oracle(scored: ExecutedCell) -> AttemptResult:
    return next(each for each in scored.attempts if each.agent == "oracle")


def _not_gold(scored: ExecutedCell, judged: Judged, where: str) -> CheckFailure:
    what = f"the reference does not pass its own validators {where}: {judged.verdict.value} ({judged.reason[:200]})"
    fix = "give it one possible answer: fix the order, the random state or the time"
    return CheckFailure(Check.GOLD, scored.index, scored.problem_id, what, fix)
