"""What must hold of a revision before it is accepted: its references pass, doing nothing fails, nothing asks twice."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from authoring.store.dry_runs import DryRun, DryRunProblem
from evaluator.errors import ContentError
from evaluator.language import Problem, Problemset, problem_id, syntax_tree

RULE_AUTHOR: Final = "bootstrap"  # the name in whose decisions nobody looked at the problemset
DEMO_AUTHOR: Final = "demo"  # the name under which the demo is made and accepted by the program
MACHINES: Final = frozenset({RULE_AUTHOR, DEMO_AUTHOR})  # no persons

SLOW_FRACTION: Final = 1 / 3  # of a problem's time limit; above it another machine may not make it
PASSED: Final = "CORRECT"
NOT_ASKED: Final = "none"  # the reference agent's column while no model is configured


class Check(StrEnum):
    """One thing that a problem must show before its revision can be accepted."""

    SETUP = "setup"  # the preparing cells run
    GOLD = "gold"  # the reference passes its own validators in a fresh session
    NOTHING = "nothing"  # an empty answer fails
    EXAMPLES = "examples"  # the answers that it keeps get their verdicts
    GUESS = "guess"  # what needs no look at the data fails
    TIME = "time"  # the reference takes under a third of its limit
    REPEAT = "repeat"  # no other problem of the same seed asks for it


@dataclass(frozen=True)
class CheckFailure:
    """One problem that does not show what it must."""

    check: Check
    index: int  # of the problem, from 1; 0: not one problem
    problem_id: str
    what: str
    fix: str

    def __str__(self) -> str:
        """Return the line that names the problem and why."""
        return f"problem {self.index} ({self.problem_id}): {self.what}" if self.index else self.what

    def to_json(self) -> dict[str, str | int]:
        """Return plain JSON values."""
        return {
            "check": self.check.value,
            "index": self.index,
            "problem_id": self.problem_id,
            "what": self.what,
            "fix": self.fix,
        }


class EvidenceError(ContentError):
    """A revision without a dry run from which it may be accepted."""

    def __init__(self, what: str, *, where: str, fix: str, failures: tuple[CheckFailure, ...] = ()) -> None:
        super().__init__(what, where=where, fix=fix)
        self.failures = failures  # none: there is no dry run that still holds


def failures_of(dry_run: DryRun) -> tuple[CheckFailure, ...]:
    """Return what forbids accepting the revision of a dry run, in the order of the problems; empty: nothing does."""
    failures = []
    broken = dry_run.summary.get("setup_failure")
    if broken:
        what, fix = f"a setup cell fails: {broken}", "repair the cell; every problem after it rests on it"
        failures.append(CheckFailure(Check.SETUP, 0, "", what, fix))
    if not dry_run.problems:
        failures.append(CheckFailure(Check.GOLD, 0, "", "there is no problem", "add a cell with a query"))
    misjudged = dry_run.summary.get("misjudged_examples", ())
    for problem in dry_run.problems:
        failures += _problem_failures(problem)
        failures += [_example_failure(kept) for kept in misjudged if kept["index"] == problem.index]
    return tuple(failures)


def slow_problems(dry_run: DryRun) -> tuple[int, ...]:
    """Return the numbers of the problems whose reference takes more than a third of the time limit."""
    limits = dry_run.summary.get("max_time_s", {})
    return tuple(p.index for p in dry_run.problems if p.seconds > SLOW_FRACTION * float(limits.get(p.problem_id, 1.0)))


def refuse_failures(failures: tuple[CheckFailure, ...], label: str) -> None:
    """Refuse the newest revision, which `label` names, where it shows less than it must.

    Raises:
        EvidenceError: If there is any failure; it names every problem and the reason.
    """
    if failures:
        listed = "; ".join(str(failure) for failure in failures)
        fix = failures[0].fix if len(failures) == 1 else "repair the named problems and save a new revision"
        what = f"the newest revision is not fit to be accepted: {listed}"
        raise EvidenceError(what, where=label, fix=fix, failures=failures)


def _problem_failures(problem: DryRunProblem) -> list[CheckFailure]:
    found = []
    if problem.reference_verdict != PASSED:
        reason = _reason(problem, "reference")
        what = f"the reference does not pass its own validators: {problem.reference_verdict}{reason}"
        fix = "repair the code, its limits or its validators; a result that differs each time needs a fixed state"
        found.append(CheckFailure(Check.GOLD, problem.index, problem.problem_id, what, fix))
    if problem.empty_verdict == PASSED:
        what = "an empty answer passes"
        fix = "ask for a result, or add a validator that only an answer can satisfy"
        found.append(CheckFailure(Check.NOTHING, problem.index, problem.problem_id, what, fix))
    return found


def _example_failure(kept: Mapping[str, Any]) -> CheckFailure:
    what = f"the answer it keeps as {kept['where']} is judged {kept['verdict']}, but must be {kept['wanted']}"
    fix = "mend its validators, or drop the example"
    return CheckFailure(Check.EXAMPLES, int(kept["index"]), str(kept["problem_id"]), what, fix)


def _reason(problem: DryRunProblem, who: str) -> str:
    reason = " ".join(str(problem.reasons.get(who) or "").split())
    return f" ({reason[:200]})" if reason else ""


def fingerprints(problem: Problem) -> tuple[str, ...]:
    """Return what two problems have in common when they are the same to a reader: the words, or the code's sense."""
    words = " ".join(problem.query.casefold().split())
    try:
        code = ast.dump(syntax_tree(problem.code))  # without comments, line breaks and kinds of quotes
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = problem.code
    return f"query {words}", f"code {code}"


def known_fingerprints(problemset: Problemset) -> dict[str, str]:
    """Return fingerprint -> the problem that has it, such as "penguins-1, problem 3"."""
    found: dict[str, str] = {}
    for number, problem in enumerate(problemset.problems, 1):
        for mark in fingerprints(problem):
            found.setdefault(mark, f"{problemset.name}, problem {number}")
    return found


def find_repeats(problemset: Problemset, known: Mapping[str, str]) -> tuple[CheckFailure, ...]:
    """Return the problems of a set that repeat an earlier one of it or one of `known` (fingerprint -> label)."""
    seen, failures = dict(known), []
    for number, problem in enumerate(problemset.problems, 1):
        marks = fingerprints(problem)
        twin = next((seen[mark] for mark in marks if mark in seen), None)
        if twin is not None:
            what, fix = f"it repeats {twin}", "ask for something else, or leave it out"
            failures.append(CheckFailure(Check.REPEAT, number, problem_id(problemset, number), what, fix))
        for mark in marks:
            seen.setdefault(mark, f"{problemset.name}, problem {number}")
    return tuple(failures)
