"""Agents that run on CIBench: how steps are asked, what is expected of them, how what was executed is scored."""

import contextlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Self

from evaluator.errors import ToolkitError
from evaluator.families.cibench.benchmark_folder import described_sets, recorded_notebook
from evaluator.families.cibench.notebook import CibenchNotebook, asked_query, tag_of
from evaluator.families.cibench.problemset import family_of, step_number
from evaluator.families.cibench.scoring import cut_logs, grade_logs, pair_of, tag_of_problem, told_of
from evaluator.language import Benchmark, Problem, chain_lengths, session_dependencies
from evaluator.language.cells import normal_line_ends
from evaluator.running import AttemptResult, ExecutedCell
from evaluator.running.execution.executed_cell import as_many_as_allowed
from evaluator.scoring.execution_log import TRIM, Execution, ExecutionLog, execution_text
from evaluator.scoring.grading import Expected, Grader, displayed_pictures, expected_of
from evaluator.session import Ending
from evaluator.session.grader_pool import Grade

_EXECUTED: Final = "executed"  # of a manifest's `expected`: what the reference shows now, not what was stored


class _Pictures:
    def __init__(self, known: Mapping[str, bytes]) -> None:
        self._known = known

    def picture(self, link: str) -> bytes | None:
        return self._known.get(link)


class CibenchRules:
    """The rules of CIBench for one benchmark; one not made of notebooks is scored by what its references show."""

    def __init__(self, benchmark: Benchmark, rules: str) -> None:
        """Prepare.

        Args:
            benchmark: What is run.
            rules: published | sound.
        """
        self._benchmark = benchmark
        self._sound = rules == "sound"
        self._places = described_sets(benchmark)

    @classmethod
    def of_run(cls, benchmark: Benchmark, rules: str) -> Self:
        """Return the rules for a run of a benchmark."""
        return cls(benchmark, rules)

    def wording(self, problemset: str, problem: Problem) -> str:
        """Return a query with the modules that it wants used."""
        modules = str(family_of(problem).get("modules", ""))
        if not modules:
            return problem.query
        is_chinese = self._places[problemset].is_chinese
        return asked_query(problem.query, modules, is_chinese=is_chinese, sound=self._sound)

    def rounds(self, problemset: str, problem: Problem) -> int:  # noqa: ARG002  # the protocol's one signature
        """Return as many as are allowed."""
        return as_many_as_allowed(problem)

    def recorded(self, problemset: str, problem: Problem) -> Expected | None:
        """Return what the step's cell stored; None: the reference decides, as where its code was edited since."""
        notebook = self._notebooks.get(problemset)
        steps = {step.number: step for step in notebook.steps} if notebook is not None else {}
        stored = steps.get(step_number(problem))
        if stored is None or normal_line_ends(stored.code).strip() != problem.code:
            return None
        return stored.expected

    @cached_property
    def _notebooks(self) -> Mapping[str, CibenchNotebook]:
        if self._benchmark.manifest.extra.get("expected") == _EXECUTED:
            return {}
        found = {loaded.name: recorded_notebook(self._benchmark, loaded.name) for loaded in self._benchmark.sets}
        return {name: notebook for name, notebook in found.items() if notebook is not None}

    def told(self, grader: Grader, executed: ExecutedCell) -> Mapping[str, Any]:
        """Return place, tag and scores of a step, from all that the agent executed at it."""
        problem, place = executed.problem, self._places[executed.problemset]
        recorded = self.recorded(executed.problemset, problem)
        expected = recorded
        if expected is None and executed.reference is not None:
            expected = expected_of(executed.reference.outputs)
        tag = tag_of_problem(problem)
        if not family_of(problem) and expected is not None:
            tag = tag_of(expected)
        pictures: dict[str, bytes] = {}
        log = ExecutionLog(
            tuple(
                self._execution(number, attempt, pictures)
                for number, attempt in enumerate(executed.attempts, start=1)
                if attempt.outcome is not None and attempt.submission.code.strip()
            )
        )
        logs = cut_logs(log)
        rules = "sound" if self._sound else "published"
        grades: list[Grade | None] = [None] * len(logs)
        with contextlib.suppress(ToolkitError):  # then nothing is graded, and the step counts as such
            grades = grade_logs(grader, [(tag, expected, each) for each in logs], _Pictures(pictures), rules)
        chain = self._chains[executed.problemset][executed.index - 1]
        pair = pair_of(place, executed.index, problem)
        told = told_of(place, tag, logs, grades, rounds=len(executed.attempts), chain=chain, pair=pair)
        if executed.attempts[-1].outcome is None:  # by no fault of the agent: it says nothing of it
            told["scores"] = dict.fromkeys(told["scores"])
            told.pop("by_rounds", None)
        return told

    @cached_property
    def _chains(self) -> Mapping[str, tuple[int, ...]]:
        sets = {loaded.name: loaded.problemset for loaded in self._benchmark.sets if loaded.problemset is not None}
        return {name: chain_lengths(session_dependencies(each)) for name, each in sets.items()}

    def _execution(self, number: int, attempt: AttemptResult, pictures: dict[str, bytes]) -> Execution:
        """Return an attempt as an execution; one that failed has no result, as in published predictions."""
        outcome = attempt.outcome
        assert outcome is not None
        if outcome.ending is not Ending.OK:
            return Execution(False)
        shown = displayed_pictures(outcome.outputs)
        names = [f"{number}/{position}" for position in range(len(shown))]
        pictures |= dict(zip(names, shown, strict=True))
        text = execution_text(outcome.outputs, limit=None if self._sound else TRIM)
        return Execution(True, text, tuple(names))
