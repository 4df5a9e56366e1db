"""Agents that run on the Qwen benchmark: how records are asked, and how what was executed is scored."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from evaluator.families.qwen import FAMILY
from evaluator.families.qwen.board import ACCURACY, EXECUTABLE, FAILING, MISSING
from evaluator.families.qwen.problemset import family_of, usual_record
from evaluator.language import Benchmark, Problem
from evaluator.running import AttemptResult, ExecutedCell
from evaluator.scoring import Verdict
from evaluator.scoring.grading import Expected, Grader
from evaluator.session import Ending

_JUDGING: Final = frozenset(("judge", "final_answer"))
_ROUNDS: Final = 3  # of visualization and word problems; all others have one


class QwenRules:
    """The rules of the Qwen benchmark."""

    @classmethod
    def of_run(cls, benchmark: Benchmark, rules: str) -> Self:
        """Return the rules, which are the same for all runs."""
        del benchmark, rules
        return cls()

    def wording(self, problemset: str, problem: Problem) -> str:  # noqa: ARG002  # the protocol's one signature
        """Return a query with the first action that it gives."""
        return problem.query + str(family_of(problem).get("prefill", ""))

    def recorded(self, problemset: str, problem: Problem) -> Expected | None:  # noqa: ARG002
        """Return None: a record stores no outputs."""
        return None

    def rounds(self, problemset: str, problem: Problem) -> int:  # noqa: ARG002
        """Return three for figures and word problems, else one."""
        tags = usual_record(problem).task_tags
        return _ROUNDS if any(tag == "gsm8k" or tag.startswith("visualization") for tag in tags) else 1

    def told(self, grader: Grader, executed: ExecutedCell) -> Mapping[str, Any]:  # noqa: ARG002
        """Return tags and scores of a record, from all that the agent executed at it."""
        record = usual_record(executed.problem)
        ran = [each for each in executed.attempts if each.outcome is not None and each.submission.code.strip()]
        scores: dict[str, float | None] = {}
        if not record.is_word_problem:
            counted = ran if record.counts_all_actions else ran[:1]
            works = bool(counted) and all(_works(each) for each in counted)
            scores = {EXECUTABLE: float(works), MISSING: float(not ran), FAILING: float(bool(ran) and not works)}
        if record.is_word_problem or any(tag.startswith("visualization") for tag in record.task_tags):
            scores[ACCURACY] = _accuracy(executed.attempts[-1:] if record.is_word_problem else executed.attempts)
        if executed.attempts[-1].outcome is None:  # by no fault of the agent: it says nothing of it
            scores = dict.fromkeys(scores)
        return {"family": FAMILY, "tags": list(record.task_tags), "scores": scores, "rounds": len(executed.attempts)}


def _works(attempt: AttemptResult) -> bool:
    return attempt.outcome is not None and attempt.outcome.ending is Ending.OK


def _accuracy(attempts: Sequence[AttemptResult]) -> float | None:
    """Return whether one of the executions was found right; None: none was, and nobody has looked at one of them."""
    if any(_JUDGING & attempt.scores.keys() and max(attempt.scores.values()) == 1 for attempt in attempts):
        return 1.0
    return None if any(attempt.verdict is Verdict.NOT_JUDGED for attempt in attempts) else 0.0
