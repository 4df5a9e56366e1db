"""Executes candidates in a session and keeps those with one clear answer that nothing else gives."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from authoring.templates.family import Mistake, Task
from evaluator.errors import ContentError
from evaluator.language import (
    LANGUAGE_VERSION,
    Problem,
    SetupCell,
    resolve_validators,
    usual_time_s,
    wanted_names,
)

if TYPE_CHECKING:
    from evaluator.session import Engine, Outcome

SETUP: Final = SetupCell("import numpy as np\nimport pandas as pd")
PROBE: Final = Path(__file__).parent / "probe_cell.py"
PATIENCE_S: Final = 60.0  # wall time that a candidate may take while it is tried
TIMINGS: Final = 3  # a reference is too slow when it is so often
GUESSABLE: Final = 20  # whole numbers up to this could be hit by chance
SHARE_KNOWN: Final = 0.2  # of a result's values, at least
UNFIT: Final = (  # what is in a check that fails, and what that means to a reader
    (r"is_unique|== 1\b|idxm|nlargest", "several answers would be equally right"),
    (r"nunique", "its values hardly differ"),
    (r"notna|isna|isfinite", "a part of the answer would be missing"),
    (r"count|len\(|\"n\"|size\(", "too few rows, or too many, would answer it"),
    (r"[<>]|between", "what it asks about is too small, or too large, to say anything"),
)


@dataclass(frozen=True)
class Refusal:
    """Why a candidate did not become a problem."""

    reason: str
    check: str = ""  # the condition on the data that does not hold, as code


class Bench:
    """A session that advances problem by problem and tries candidates on copies of itself."""

    def __init__(self, engine: "Engine", inputs: Path, name: str) -> None:
        from evaluator.running import ReferenceSession

        self._engine = engine
        self.agreeing: tuple[str, ...] = ()  # mistakes that are none on these data, of the candidate looked at last
        self._probe = PROBE.read_text(encoding="utf-8")
        self._session = ReferenceSession(engine, name, Path(f"{name}.py"), inputs, goes_on=True)
        self._session.with_retry(lambda: self._session.advance(SETUP))

    def __enter__(self) -> "Bench":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def consider(self, task: Task, problem: Problem) -> Refusal | None:
        """Try a candidate; advance the session by its reference code when it is good.

        Good is what has one answer worth asking for, rejects each of the task's mistakes and accepts its other ways.

        Returns:
            None when the problem was taken, else why not.
        """
        return self._session.with_retry(lambda: self._look(task, problem) or self._judge(task, problem))

    def _look(self, task: Task, problem: Problem) -> Refusal | None:
        """Execute the code with the probe behind it and weigh what it leaves."""
        wanted = task.result or task.look or (task.stores[0] if task.stores else "None")
        checks = f"[{', '.join(task.checks)}]"
        source = f"{task.body}\n_bw_result = (\n{wanted}\n)\n{self._probe}\n_bw_show(_bw_result, {checks})\n"
        outcome = self._session.attempt(source, _patient(problem), names=())
        if outcome.ending != "ok":
            return Refusal(_how_it_failed(outcome))
        try:
            facts = read_facts(outcome)
        except ContentError as error:  # one candidate's, such as output beyond the limit: another one stands in
            return Refusal(error.what)
        failed = [check for check, holds in zip(task.checks, facts["checks"], strict=False) if not holds]
        if failed:
            return Refusal(f"the data do not fit the question: {in_words(failed[0])}", failed[0][:300])
        return weigh(facts, stored=bool(task.stores) or not task.result)

    def _judge(self, task: Task, problem: Problem) -> Refusal | None:
        """Judge the reference against itself and against wrong and right answers, then advance the session."""
        from evaluator.running import AuthorError
        from evaluator.scoring import Verdict, judge_submission

        patient, names = _patient(problem), wanted_names(resolve_validators(problem))
        try:
            probes = self._session.probes(patient)
        except AuthorError as error:
            what = error.cause.what if error.cause is not None else error.what
            return Refusal(f"a validator's own inputs are wrong: {what}"[:300])
        for _ in range(TIMINGS):  # a busy machine must not change which problems a draft holds
            first = self._session.attempt(problem.code, patient, names=names, probes=probes)
            if first.ending != "ok":
                return Refusal(_how_it_failed(first))
            if first.seconds <= _time_limit(problem):
                break
        else:
            return Refusal(f"takes {first.seconds:.1f} s of {_time_limit(problem):g} s")  # pyrefly: ignore[unbound-name]  # timed at least once
        nothing = Mistake("", "nothing is done")
        self.agreeing = ()
        for mistake in (nothing, *task.mistakes):
            outcome = self._session.attempt(mistake.code, patient, names=names, probes=probes)
            judged = judge_submission(self._engine, first, outcome, problem)
            forgiven = judged.verdict is Verdict.PRESENTATION_ERROR and mistake is nothing
            if judged.verdict is Verdict.CORRECT and mistake.may_agree:
                self.agreeing += (mistake.code,)
            elif judged.verdict in (Verdict.CORRECT, Verdict.NOT_JUDGED) or forgiven:
                return Refusal(f"a wrong answer ({mistake.why}) is {judged.verdict}: {judged.reason}"[:300])
        if task.mistakes and len(self.agreeing) == len(task.mistakes):
            return Refusal("every wrong answer that was tried gives the right values on these data")
        for other in task.others:
            outcome = self._session.attempt(other, patient, names=names, probes=probes)
            judged = judge_submission(self._engine, first, outcome, problem)
            if judged.verdict is not Verdict.CORRECT:
                return Refusal(f"another right answer is {judged.verdict}: {judged.reason}"[:300])
        second = self._session.advance(patient, names=names, probes=probes)
        itself = judge_submission(self._engine, second, first, problem)
        if second.ending != "ok" or itself.verdict is not Verdict.CORRECT:
            self._session.step_back()
            return Refusal(f"the reference against itself is {itself.verdict}: {itself.reason}"[:300])
        return None


def in_words(check: str) -> str:
    """Return what it means that a condition on the data does not hold."""
    return next((words for pattern, words in UNFIT if re.search(pattern, check)), "it would have no clear answer")


def _time_limit(problem: Problem) -> float:
    """Return the limit that a problem will have in a text of the newest language version."""
    return problem.execution.max_time_s or usual_time_s(LANGUAGE_VERSION)


def _patient(problem: Problem) -> Problem:
    """Return a problem with so much time that a busy machine refuses no candidate."""
    return replace(problem, execution=replace(problem.execution, max_time_s=PATIENCE_S))


def weigh(facts: dict[str, Any], *, stored: bool) -> Refusal | None:
    """Return why a result is not worth asking for, if so."""
    if not facts["values"] or facts["known"] < SHARE_KNOWN * facts["values"]:
        return Refusal("the result is empty or mostly missing")
    if stored:
        return None
    if facts["is_bool"] or (facts["whole"] is not None and abs(facts["whole"]) <= GUESSABLE):
        return Refusal("the result could be guessed")
    if facts["values"] > 1 and facts["distinct"] < 2:
        return Refusal("all values of the result are equal")
    return None


def read_facts(outcome: "Outcome") -> dict[str, Any]:
    """Return what the probe printed; the text is hostile until it has the expected form.

    Raises:
        ContentError: If it has another.
    """
    text = "".join(str(one.get("text", "")) for one in outcome.outputs if one.get("name") == "stdout")
    lines = text.strip().splitlines()
    try:
        facts = json.loads(lines[-1][:10_000]) if lines else None
    except (ValueError, RecursionError):
        facts = None
    kinds = {"values": int, "known": int, "distinct": int, "is_bool": bool, "whole": int | None, "checks": list}
    if not isinstance(facts, dict) or not all(isinstance(facts.get(key), kind) for key, kind in kinds.items()):
        raise ContentError("a candidate's execution gave no readable report", fix="draft again with another rng_seed")
    return facts


def _how_it_failed(outcome: "Outcome") -> str:
    if outcome.error is not None:
        return f"{outcome.error.name}: {outcome.error.message}"[:300]
    return str(outcome.ending.value)


def with_time(problem: Problem, seconds: float) -> Problem:
    """Return the problem with room for code that takes about `seconds`; the default where that is plenty."""
    limit = float(min(int(3 * seconds) + 2, 300))
    if limit <= usual_time_s(LANGUAGE_VERSION):
        return problem
    return replace(problem, execution=replace(problem.execution, max_time_s=limit))
