"""How a revision stands: what a dry run proves, and one answer for lists, the decision to accept and the gate."""

from collections.abc import Callable
from typing import Any

import pytest

from authoring.checks import Check, failures_of, refuse_failures, slow_problems
from authoring.checks.standing import OTHER_ENVIRONMENT, OTHER_SCORING, OTHER_VALIDATORS, standing_of, standings
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.dry_runs import DryRun, DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.standing import evidence_line, failing_words, result_words, standing_chip, why_not_standing
from evaluator.errors import ContentError
from evaluator.scoring import SCORING_VERSION

Save = Callable[..., None]
TEXT = '# %%\n"""\nquery: What is one?\n"""\n1\n'
GOOD = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT")
EMPTY_PASSES = DryRunProblem(2, "p2", 0.01, "CORRECT", "CORRECT")
CRASHES = DryRunProblem(3, "p3", 0.01, "CRASH", "CORRECT")


@pytest.fixture
def revision(ws: Workspace) -> Revision:
    return problemsets.create(ws, name="one", text=TEXT, author="lee", origin=Origin.PERSON)


@pytest.fixture
def save(ws: Workspace) -> Save:
    def save_(revision_id: int, *problems: DryRunProblem, environment: str = "e", **summary: object) -> None:
        told = {"scoring_version": SCORING_VERSION, **summary}
        place: dict[str, Any] = {"revision_id": revision_id, "environment": environment, "sandbox": "none"}
        dry_runs.save(ws, problems=problems, summary=told, **place)

    return save_


def test_a_set_that_was_never_executed_says_so(ws: Workspace, revision: Revision) -> None:
    standing = standing_of(ws, revision.id, "e")
    assert (standing.passes, standing.is_current, standing_chip(standing).word) == (False, False, "no dry run yet")
    assert "no dry run yet" in why_not_standing(standing)


UNJUDGED = [DryRunProblem(number, f"p{number}", 0.0, "NOT_JUDGED", "NOT_JUDGED") for number in (2, 3)]
TIMEOUT = DryRunProblem(1, "p1", 5.0, "TIMEOUT", "NOT_JUDGED")
MISJUDGED = {"index": 1, "problem_id": "p1", "where": "examples.a", "verdict": "CORRECT", "wanted": "WRONG_OUTPUT"}
FAILING_SETUP = {"setup_failure": "line 1: NameError"}


def test_what_passes_fails_and_is_not_judged_is_counted(ws: Workspace, revision: Revision, save: Save) -> None:
    for problems, summary, word, failing, why in (
        ([GOOD], {}, "all 1 pass", "", ""),
        ([GOOD, EMPTY_PASSES], {}, "1 of 2 fails", "problem 2 fails", "an empty answer passes"),
        # a problem that fails twice counts once
        ([GOOD, EMPTY_PASSES, CRASHES], {"misjudged_examples": [MISJUDGED]}, "3 of 3 fail", None, "and 1 more"),
        ([GOOD], FAILING_SETUP, "setup fails", "the setup fails", "NameError"),
        ([], {}, "no problem", "nothing is asked", ""),
        ([GOOD, *UNJUDGED], {}, "2 of 3 not judged", "problems 2, 3 were not judged", ""),
        ([GOOD, *UNJUDGED], FAILING_SETUP, "setup fails", "the setup fails", ""),
        (
            *([TIMEOUT, *UNJUDGED], {}, "1 of 3 fails, 2 not judged"),
            *("problem 1 fails and problems 2, 3 were not judged", ""),
        ),
    ):
        save(revision.id, *problems, **summary)
        standing = standing_of(ws, revision.id, "e")
        passes = word == "all 1 pass"
        assert (result_words(standing), standing.passes) == (word, passes)
        assert (standing_chip(standing).word, standing_chip(standing).colour) == (word, "green" if passes else "red")
        assert failing in (None, failing_words(standing))
        assert (why in why_not_standing(standing)) if not passes else why_not_standing(standing) == ""


def test_a_newer_revision_stands_by_the_one_before_it(ws: Workspace, revision: Revision, save: Save) -> None:
    second = revisions.save(ws, revision.problemset_id, text=TEXT + "\n", author="lee", base_revision_id=revision.id)
    save(revision.id, EMPTY_PASSES)
    save(revision.id, GOOD)  # the newest one of that revision counts
    standing = standing_of(ws, second.id, "e")
    chip = standing_chip(standing)
    assert (chip.word, chip.colour) == ("all 1 pass, from revision 1", "orange")
    assert not standing.passes
    save(second.id, GOOD)
    save(revision.id, EMPTY_PASSES)  # later, of what is not the newest revision
    assert standing_of(ws, second.id, "e").passes
    assert standing_chip(standing_of(ws, revision.id, "e")).word == "1 of 1 fails"


def test_unsaved_text_and_unjudged_empty_answers_are_not_counted(ws: Workspace, revision: Revision, save: Save) -> None:
    save(revision.id, GOOD)
    chip = standing_chip(standing_of(ws, revision.id, "e"), has_edits=True)
    assert (chip.word, chip.colour) == ("all 1 pass, before your unsaved changes", "gray")
    save(revision.id, GOOD, DryRunProblem(2, "p2", 0.01, "CRASH", "NOT_JUDGED"))
    assert evidence_line(standing_of(ws, revision.id, "e")).endswith("1 of 2 fails, 1 empty answer fails")


def test_a_dry_run_that_holds_no_more_is_stale_with_the_reason(ws: Workspace, revision: Revision, save: Save) -> None:
    for summary, environment, why in (
        ({"scoring_version": "another"}, "e", OTHER_SCORING),
        ({}, "f", OTHER_ENVIRONMENT),
        ({"validators": "of before"}, "e", OTHER_VALIDATORS),
        ({"validators": "of before", "scoring_version": "another"}, "f", OTHER_VALIDATORS),
    ):
        save(revision.id, GOOD, environment=environment, **summary)
        standing = standing_of(ws, revision.id, "e")
        chip = standing_chip(standing)
        assert (chip.word, chip.colour, standing.passes) == ("all 1 pass, stale", "orange", False)
        assert why in why_not_standing(standing)
        assert standing_of(ws, revision.id, None).stale == ("" if why == OTHER_ENVIRONMENT else why)


def test_many_revisions_are_asked_about_in_one_statement(ws: Workspace, revision: Revision, save: Save) -> None:
    other = problemsets.create(ws, name="two", text=TEXT, author="lee", origin=Origin.PERSON)
    save(revision.id, GOOD)
    save(other.id, EMPTY_PASSES)
    found = standings(ws, [revision.id, other.id, 999], "e")
    assert [found[each].passes for each in (revision.id, other.id, 999)] == [True, False, False]
    assert found[999].dry_run is None


# what a dry run proves, read from its rows


def row(
    index: int = 1, *, reference: str = "CORRECT", empty: str = "WRONG_OUTPUT", seconds: float = 0.01
) -> DryRunProblem:
    return DryRunProblem(index, f"p{index}", seconds, reference, empty, reasons={"reference": "why\nexactly"})


def made(*problems: DryRunProblem, **summary: object) -> DryRun:
    return DryRun(1, 1, "", "env", "bwrap", problems, summary)


def test_every_failing_problem_is_named_with_its_reason_and_refused() -> None:
    found = failures_of(made(row(1, reference="CRASH"), row(2, empty="CORRECT"), row(3, reference="NOT_JUDGED")))
    assert [(f.check, f.index) for f in found] == [(Check.GOLD, 1), (Check.NOTHING, 2), (Check.GOLD, 3)]
    assert str(found[0]) == "problem 1 (p1): the reference does not pass its own validators: CRASH (why exactly)"
    assert [f.check for f in failures_of(made())] == [Check.GOLD]
    assert [f.check for f in failures_of(made(row(1), setup_failure="line 3: NameError"))] == [Check.SETUP]
    refuse_failures((), "trips@1")
    fault = r"trips@1: the newest revision is not fit to be accepted: problem 1 .*; problem 2 "
    with pytest.raises(ContentError, match=fault):
        refuse_failures(found, "trips@1")


def test_slow_means_more_than_a_third_of_the_problems_own_limit() -> None:
    rows = (row(1, seconds=0.3), row(2, seconds=0.4), row(3, seconds=0.4))
    assert slow_problems(made(*rows, max_time_s={"p1": 1.0, "p2": 1.0, "p3": 2.0})) == (2,)
