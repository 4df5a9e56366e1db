"""Executes one problemset against itself: references must pass; doing nothing, or cheating, must not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.agents import (
    Agent,
    AgentCard,
    EmptyAgent,
    OracleAgent,
    SessionInfo,
    SolveRequest,
    Submission,
    VariedOracle,
    cheat_agents,
)
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ToolkitError
from evaluator.language import (
    ExampleAnswer,
    LoadedSet,
    Problemset,
    example_answers,
    problem_id,
    resolve_validators,
    setting_line,
    validator_line,
)
from evaluator.registry import nearest_name
from evaluator.running.checking.failing_set import FailingSet, execute_to_the_end
from evaluator.running.checking.label_check import labels_in_reach
from evaluator.running.checking.recorded_outputs import Recorded, nothing_recorded, recorded_differences
from evaluator.running.execution.executed_cell import Conditions, ExecutedCell
from evaluator.running.execution.problem_attempts import AttemptResult
from evaluator.running.execution.problemset_scoring import score_problemset
from evaluator.running.quality.assessing import QualityTrials
from evaluator.scoring import Judged, Verdict, example_is_met, wanted_in_words
from evaluator.session import FORBIDDEN_IN_REACH, Engine


class ExampleAgent:
    """Returns one example of each problem, by its place among them; an empty cell where a problem has no such."""

    def __init__(self, place: int, codes: dict[str, str]) -> None:
        self.place = place
        self._codes = codes  # problem id -> code

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name=example_name(self.place), retry=False)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the example of the problem."""
        return Submission(code=self._codes.get(request.problem_id, ""))

    def end(self, session_id: str) -> None:
        """Forget a session."""


def example_name(place: int) -> str:
    """Return the name of the agent that gives the examples at a place."""
    return f"example {place}"


def example_agents(problemset: Problemset) -> Iterator[ExampleAgent]:
    """Yield as many agents as the problem with the most examples needs."""
    examples: dict[str, tuple[ExampleAnswer, ...]] = {
        problem_id(problemset, index): example_answers(problem)
        for index, problem in enumerate(problemset.problems, start=1)
    }
    for place in range(max(map(len, examples.values()), default=0)):
        yield ExampleAgent(place, {name: kept[place].code for name, kept in examples.items() if place < len(kept)})


def judge_example(
    loaded: LoadedSet, scored: ExecutedCell, example: ExampleAnswer, judged: Judged
) -> Iterator[Diagnostic]:
    """Yield what is wrong with the verdict of an answer that a problem keeps."""
    line = setting_line(scored.problem, "examples", example.side, example.position)
    named = f"problem {scored.index} ({scored.problem_id}), {example.where}"
    if example.verdict and example.verdict not in list(Verdict):
        near = nearest_name(example.verdict, [each.value for each in Verdict])
        fix = f"use {near!r}" if near else f"use one of {', '.join(Verdict)}"
        what = f"{named}: no verdict is called {example.verdict!r}"
        yield Diagnostic("unknown-verdict", Severity.ERROR, loaded.path, line, what, fix)
    elif judged.verdict is not Verdict.NOT_JUDGED and not example_is_met(example, judged.verdict):
        said = judged.verdict.value + (f" ({judged.reason})" if judged.reason else "")
        what = f"{named}: this answer is judged {said}, but must be {wanted_in_words(example)}"
        yield Diagnostic(
            "example-misjudged", Severity.ERROR, loaded.path, line, what, "mend the validators or the answer"
        )


LOW_INFORMATION: Final = "low-information"
_CHEAT: Final = "cheat:"


@dataclass(frozen=True)
class SelfCheck:
    """What executing problemsets against themselves found."""

    diagnostics: tuple[Diagnostic, ...] = ()
    problems: int = 0  # executed (count)
    not_judged: tuple[str, ...] = ()  # "set:index" of problems that the engine failed on
    waived: tuple[str, ...] = ()  # what cheating passed although somebody has answered for it, in words
    cheated: bool = False  # whether cheating was tried


def check_set(
    engine: Engine,
    loaded: LoadedSet,
    *,
    rules: str,
    cheats: bool,
    recorded: Recorded = nothing_recorded,
    on_scored: Callable[[ExecutedCell], None] = lambda _cell: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> SelfCheck:
    """Execute one problemset against itself, as `self_check` does.

    Args:
        engine: Warm or not.
        loaded: A problemset that parses; all diagnostics name its path.
        rules: sound | published.
        cheats: Whether every trick of the agent `cheat` is submitted.
        recorded: What its source stored of its cells' outputs.
        on_scored: Told of each problem that was executed.
        cancelled: Asked between cells; once it is true, the check ends.

    Raises:
        ToolkitError: If the engine cannot start a session, or the check was cancelled.
    """
    assert loaded.problemset is not None, "a problemset that does not parse is not executed"
    agents: tuple[Agent, ...] = (OracleAgent(), VariedOracle(), EmptyAgent())
    agents += cheat_agents() if cheats else ()
    agents += tuple(example_agents(loaded.problemset))
    by, trials, wanted = Conditions(rules=rules), QualityTrials(guesses=False), _Wanted(loaded.name, cancelled)
    ended = _executed(engine, loaded, agents, by, trials, on_scored, wanted)
    found, diagnostics = ended.sound, list(ended.diagnostics)
    diagnostics += [each for problem in wanted.each(found) for each in _judge_problem(engine, loaded, problem)]
    diagnostics += [each for problem in found for each in _doubts(loaded, problem, trials)]
    for problem in wanted.each(found):
        diagnostics += recorded_differences(engine, loaded, problem, recorded, rules)
    lost = tuple(f"{each.problemset}:{each.index}" for each in found if _is_lost(each))
    waived = tuple(said for each in found if (said := _waiver(each)))
    return SelfCheck(tuple(diagnostics), len(found) + len(ended.failing), lost, waived, cheats)


class _Wanted:
    """Knows whether a check is still wanted; one that was cancelled once stays so: something was left out."""

    def __init__(self, name: str, cancelled: Callable[[], bool]) -> None:
        self._name = name
        self._cancelled = cancelled
        self._was_cancelled = False

    def is_not(self) -> bool:
        """Return whether it was cancelled."""
        self._was_cancelled = self._was_cancelled or self._cancelled()
        return self._was_cancelled

    def need(self) -> None:
        """Go on only with what is wanted.

        Raises:
            ToolkitError: If it was cancelled.
        """
        if self.is_not():
            raise ToolkitError(f"the check of {self._name!r} was cancelled", fix="repeat the same command")

    def each(self, cells: Sequence[ExecutedCell]) -> Iterator[ExecutedCell]:
        """Yield cells, as long as the check is wanted.

        Raises:
            ToolkitError: If it was cancelled.
        """
        for cell in cells:
            self.need()
            yield cell


def _executed(
    engine: Engine,
    loaded: LoadedSet,
    agents: Sequence[Agent],
    by: Conditions,
    trials: QualityTrials,
    on_scored: Callable[[ExecutedCell], None],
    wanted: _Wanted,
) -> FailingSet:
    """Execute a problemset: to its end even where it fails; else with a look for labels that are in reach.

    Raises:
        ToolkitError: If the engine cannot start a session, or the check was cancelled.
    """
    sound: list[ExecutedCell] = []

    def keep(cell: ExecutedCell) -> None:
        sound.append(cell)
        on_scored(cell)

    fails = score_problemset(
        engine, loaded, agents, conditions=by, trials=trials.codes, on_scored=keep, cancelled=wanted.is_not
    )
    wanted.need()
    if fails:
        ended = execute_to_the_end(engine, loaded, agents, by, cancelled=wanted.is_not)
    else:
        ended = FailingSet(tuple(sound), (), labels_in_reach(engine, loaded, cancelled=wanted.is_not))
    wanted.need()
    return ended


def _judge_problem(engine: Engine, loaded: LoadedSet, scored: ExecutedCell) -> list[Diagnostic]:
    by_agent = {attempted.agent: attempted for attempted in scored.attempts}
    found = []
    oracle = by_agent["oracle"].judged
    if oracle.verdict not in (Verdict.CORRECT, Verdict.NOT_JUDGED):
        opaque = _opaque_values(engine, loaded, scored)
        what = f"the reference code of problem {scored.index} fails its own validators: {_shown(by_agent['oracle'])}"
        fix = "repair the code, or the validators that it fails"
        found += opaque or [_error("reference-fails", loaded, scored, what, fix)]
    elif oracle.verdict is Verdict.CORRECT:
        found += _judge_variation(loaded, scored, by_agent["oracle:varied"])
    if by_agent["empty"].judged.verdict is Verdict.CORRECT:
        what = f"an empty cell passes problem {scored.index}"
        found.append(
            _error("empty-passes", loaded, scored, what, "add a validator that looks at what the query asks for")
        )
    elif (tricks := _passing_tricks(scored)) and not _waiver(scored):
        what = f"problem {scored.index} can be guessed: it is passed by {', '.join(tricks)}"
        fix = "add a second validator, or sign for it: `waivers: {low-information: {by: NAME, reason: WHY}}`"
        found.append(_diagnostic(Severity.WARNING, LOW_INFORMATION, loaded, scored, what, fix))
    found += _forbidden_in_reach(loaded, scored, by_agent["empty"])
    for place, example in enumerate(example_answers(scored.problem)):
        found += judge_example(loaded, scored, example, by_agent[example_name(place)].judged)
    return found


def _doubts(loaded: LoadedSet, scored: ExecutedCell, trials: QualityTrials) -> Iterator[Diagnostic]:
    """Yield what is doubtful about a problem although its reference passes."""
    if scored.attempts[0].judged.verdict is not Verdict.CORRECT:
        return  # the first agent is the oracle: what fails is repaired first
    for warning in trials.warnings(scored):
        yield warning.diagnostic(loaded.path, scored.problem.code_line, f"problem {scored.index} ({scored.problem_id})")


def _opaque_values(engine: Engine, loaded: LoadedSet, scored: ExecutedCell) -> list[Diagnostic]:
    """Return a warning for each value that is compared and equals nothing; sound rules refuse such a set instead."""
    if scored.reference is None:
        return []
    found = []
    for value in engine.inspect(scored.reference, resolve_validators(scored.problem).to_json()):
        name = value.where.partition(".")[2]
        whose = f"the variable {name!r}" if name else "the result"
        what = f"{whose} of problem {scored.index} is {value.what}, which equals nothing: no submission can be correct"
        line = validator_line(scored.problem, value.where)
        found.append(Diagnostic("opaque-reference", Severity.WARNING, loaded.path, line, what, value.fix))
    return found


def _forbidden_in_reach(loaded: LoadedSet, scored: ExecutedCell, empty: AttemptResult) -> list[Diagnostic]:
    if empty.outcome is None or FORBIDDEN_IN_REACH not in empty.outcome.marks:
        return []
    what = f"what 'forbid_names' of problem {scored.index} hides is also held by another name or another variable"
    line = setting_line(scored.problem, "execution", "forbid_names")
    fix = "forbid that name too, or do not make it"
    return [Diagnostic("forbidden-in-reach", Severity.WARNING, loaded.path, line, what, fix)]


def _judge_variation(loaded: LoadedSet, scored: ExecutedCell, varied: AttemptResult) -> list[Diagnostic]:
    if varied.judged.verdict in (Verdict.CORRECT, Verdict.NOT_JUDGED):
        return []
    what = f"a harmless variation of the reference code of problem {scored.index} fails: {_shown(varied)}"
    fix = "find what the validators mind: the names of scratch variables, a printed line, or the layout of the code"
    return [_diagnostic(Severity.WARNING, "variation-fails", loaded, scored, what, fix)]


def _passing_tricks(scored: ExecutedCell) -> tuple[str, ...]:
    attempts = (each for each in scored.attempts if each.agent.startswith(_CHEAT))
    return tuple(each.agent for each in attempts if each.judged.verdict is Verdict.CORRECT)


def _waiver(scored: ExecutedCell) -> str:
    """Return who waives that cheating passes a problem, and why; empty: nobody has to, or does."""
    signed = scored.problem.metadata.get("waivers", {}).get(LOW_INFORMATION)
    tricks = _passing_tricks(scored)
    if not signed or not tricks:
        return ""
    where = f"{scored.problemset}:{scored.index}"
    return f"{where} is passed by {', '.join(tricks)}; waived by {signed['by']}: {signed['reason']}"


def _shown(attempted: AttemptResult) -> str:
    judged = attempted.judged
    return f"{judged.verdict.value}{f' ({judged.reason})' if judged.reason else ''}"


def _error(code: str, loaded: LoadedSet, scored: ExecutedCell, what: str, fix: str) -> Diagnostic:
    return _diagnostic(Severity.ERROR, code, loaded, scored, what, fix)


def _diagnostic(
    severity: Severity, code: str, loaded: LoadedSet, scored: ExecutedCell, what: str, fix: str
) -> Diagnostic:
    return Diagnostic(code, severity, loaded.path, scored.problem.code_line, what, fix)


def _is_lost(scored: ExecutedCell) -> bool:
    return any(attempted.judged.verdict is Verdict.NOT_JUDGED for attempted in scored.attempts)
