"""How a revision stands, on the screen: one chip and one line of words for every list, header and gate."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import streamlit as st

from authoring.checks.gates import CheckFailure
from authoring.checks.standing import Standing
from authoring.store.reviewing.reviews import Objection
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import chip_text
from authoring.ui.wording import Chip, label, numbered, plural

MAX_NUMBERS: Final = 5  # of problems that one line names
UNSAVED: Final = Objection("you have unsaved changes", "save or drop them first")


class ChangedSince(NamedTuple):
    """What is not as the dry run of an earlier revision executed it."""

    keys: Collection[str] = ()  # of cells
    is_pending: bool = False  # whether a dry run of the newest revision is on its way


UNCHANGED: Final = ChangedSince()


def unsaved_in(where: str) -> Objection:
    """Return the objection that texts are not saved; `where` says of which problems."""
    return Objection(f"{UNSAVED.what} in {where}", UNSAVED.fix)


def sentence(objection: Objection) -> str:
    """Return why something cannot be done and what helps, as one sentence."""
    return f"{objection.what[0].upper()}{objection.what[1:]}: {objection.fix}."


def standing_chip(standing: Standing, *, has_edits: bool = False) -> Chip:
    """Return how a revision stands as a chip; `has_edits`: text is on the screen that no dry run has seen."""
    if standing.dry_run is None:
        return Chip("no dry run yet", ":material/hourglass_empty:", "gray")
    doubts = _doubts(standing)
    words = ", ".join([result_words(standing), *doubts, *(["before your unsaved changes"] if has_edits else [])])
    if standing.failures:
        return Chip(words, ":material/close:", "red")
    if doubts or has_edits:
        return Chip(words, ":material/history:", "orange" if doubts else "gray")
    return Chip(words, ":material/check:", "green")


def result_words(standing: Standing) -> str:
    """Return what the dry run came to: `all 13 pass`, `1 of 13 fails, 2 not judged`, or what fails as a whole."""
    failing, left = map(len, _lost(standing))
    if failing:
        return f"{failing} of {standing.count} {'fails' if failing == 1 else 'fail'}" + _unjudged(left)
    if any(not each.index for each in standing.failures):
        return "setup fails" if standing.count else "no problem"
    return f"{left} of {standing.count} not judged" if left else f"all {standing.count} pass"


class _Lost(NamedTuple):
    """The first failure of each problem that does not pass."""

    failing: list[CheckFailure]
    unjudged: list[CheckFailure]  # a cell before them ended the session, or never began it


def _lost(standing: Standing) -> _Lost:
    problems = standing.dry_run.problems if standing.dry_run else ()
    unjudged = {each.index for each in problems if each.reference_verdict == "NOT_JUDGED"}
    failing = [each for each in standing.failing if each.index not in unjudged]
    return _Lost(failing, [each for each in standing.failing if each.index in unjudged])


def _unjudged(count: int) -> str:
    return f", {count} not judged" if count else ""


def failing_words(standing: Standing) -> str:
    """Return what fails in a revision by its own dry run; empty: nothing known.

    As `problems 7, 9 and 2 more fail`, `problem 7 fails and problem 8 was not judged`.
    """
    if standing.is_earlier or not standing.failures:
        return ""
    failing, left = _lost(standing)
    if not failing and any(not each.index for each in standing.failures):
        return "the setup fails" if standing.count else "nothing is asked"
    words = [f"{_numbered(failing)} {'fails' if len(failing) == 1 else 'fail'}"] if failing else []
    words += [f"{_numbered(left)} {'was' if len(left) == 1 else 'were'} not judged"] if left else []
    return " and ".join(words)


def _numbered(failures: Sequence[CheckFailure]) -> str:
    return numbered([failure.index for failure in failures], most=MAX_NUMBERS)


def why_not_standing(standing: Standing) -> str:
    """Return why a dry run forbids accepting the revision; empty when it does not."""
    if standing.dry_run is None or standing.is_earlier:
        return "This revision has no dry run yet: press Dry run."
    if standing.stale:
        return f"Its dry run is stale, since {standing.stale}: press Dry run."
    if not standing.failures:
        return ""
    named = "; ".join(str(failure) for failure in standing.failures[:3])
    more = len(standing.failures) - 3
    return f"{named[0].upper()}{named[1:]}{f'; and {more} more' if more > 0 else ''}."


def draw_standing(
    standing: Standing,
    problemset_id: int,
    *,
    has_edits: bool = False,
    repaired: Collection[str] = (),
    since: ChangedSince = UNCHANGED,
) -> None:
    """Draw the chip and, where something fails, the way to the first problem that does.

    Args:
        standing: How the revision stands.
        problemset_id: Of which problemset.
        has_edits: Whether text is on the screen that no dry run has seen.
        repaired: Ids of the problems that pass as they are on the screen.
        since: What was changed since an earlier revision that the standing is of: of it nothing is known now.
    """
    chip = standing_chip(standing, has_edits=has_edits)
    st.badge(chip.word, icon=chip.icon, color=chip.colour)
    failing = [each for each in standing.failing if each.problem_id not in repaired]
    if unknown := [each for each in failing if each.problem_id in since.keys]:
        st.caption(_changed_words(unknown, is_pending=since.is_pending), width="content")
    first = next((each for each in failing if each not in unknown), None)
    if first is not None:
        page_link(
            "editor",
            f"First failing: {first.index}",
            icon=":material/arrow_forward:",
            help=f"{label(str(first), limit=300)}",
            set=problemset_id,
            pid=first.problem_id,
        )


def _changed_words(changed: Sequence[CheckFailure], *, is_pending: bool) -> str:
    now = "being checked again" if is_pending else "not checked since the change"
    words = f"{_numbered(changed)} {'is' if len(changed) == 1 else 'are'} {now}"
    return f":material/hourglass_empty: {words.capitalize()}"


def standing_line(standing: Standing) -> str:
    """Return the chip as Markdown, for a line of a list."""
    return chip_text(standing_chip(standing))


def evidence_line(standing: Standing) -> str:
    """Return on which dry run a standing rests, in words for a caption."""
    if standing.dry_run is None:
        return "no dry run"
    unfit = ("CORRECT", "none", "NOT_JUDGED")
    answers = sum(problem.empty_verdict not in unfit for problem in standing.dry_run.problems)
    stale = f" · stale: {label(standing.stale)}" if standing.stale else ""
    of = f" of revision {standing.number}" if standing.is_earlier else ""
    return (
        f"dry run {standing.dry_run.id}{of}: {result_words(standing)}, {plural(answers, 'empty answer')} "
        f"{'fails' if answers == 1 else 'fail'}{stale}"
    )


def _doubts(standing: Standing) -> list[str]:
    earlier = [f"from revision {standing.number}"] if standing.is_earlier else []
    return [*earlier, *(["stale"] if standing.stale else [])]
