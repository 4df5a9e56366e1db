"""Agents that run on the Qwen benchmark: how records are asked, and how what was executed is scored."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluator.families.qwen import FAMILY
from evaluator.families.qwen.board import ACCURACY, EXECUTABLE, FAILING, MISSING
from evaluator.families.qwen.problemset import family_of, usual_record
from evaluator.language import Problem
from evaluator.running import AttemptResult, ExecutedCell
from evaluator.scoring import Verdict
from evaluator.scoring.grading import Expected, Grader
from evaluator.session import Ending

_ROUNDS: Final = 3  # of visualization and word problems; all others have one


class QwenRules:
    """The rules of the Qwen benchmark."""

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
            scores[ACCURACY] = _accuracy(executed.attempts)
        return {"family": FAMILY, "tags": list(record.task_tags), "scores": scores, "rounds": len(executed.attempts)}


def _works(attempt: AttemptResult) -> bool:
    return attempt.outcome is not None and attempt.outcome.ending is Ending.OK


def _accuracy(attempts: Sequence[AttemptResult]) -> float | None:
    """Return the score of the validator that says what is right; None: nobody has said it."""
    judged = attempts[-1].judged
    if judged.verdict is Verdict.NOT_JUDGED:
        return None
    parts = (judged.validation or {}).get("reason")
    scores = [part.get("score") for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []
    found = [score for score in scores if isinstance(score, int | float)]
    return float(found[0]) if found else 0.0
