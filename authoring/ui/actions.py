"""What buttons do: each is one call into the store, one transaction. Long work is ordered as a job."""

import contextlib
from collections.abc import Sequence
from typing import Final

from authoring.checks.standing import standing_of
from authoring.store import jobs, problemsets, revisions
from authoring.store.autosaves import Autosave
from authoring.store.database.connections import ConflictError
from authoring.store.people import Role
from authoring.store.reviewing.leases import lease_problemset, release_lease
from authoring.store.reviewing.mentions import find_mentions
from authoring.store.reviewing.queue import next_for
from authoring.store.reviewing.reviews import (
    add_comment,
    list_comments,
    record_decision,
    reopen_comment,
)
from authoring.store.statuses import ReviewDecision
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.comments.open_comments import open_words
from authoring.ui.editor import draft_view as draft
from authoring.ui.editor.edit_impact import tell_reach
from authoring.ui.editor.editing import (
    LABELS,
    OpenDraft,
    conflicts,
    draft_on_screen,
    field_of,
    fields_in_words,
    is_answer,
    is_own_save,
    load_draft,
    open_choices,
    put_text,
    sound_text,
    unseen,
)
from authoring.ui.editor.evidence import dry_run_agent_key, dry_run_key, run_key, run_on_key
from authoring.ui.editor.reviewed import unticked_words
from authoring.ui.inputs.typed_text import sent
from authoring.ui.jobs import order
from authoring.ui.shell.auth import current_user, people_to_mention
from authoring.ui.shell.navigation import go
from authoring.ui.shell.timing import forget_set, keep_set_minutes, minutes_on_set
from authoring.ui.standing import failing_words, unsaved_in
from authoring.ui.workplace import environment, workspace
from evaluator.errors import ContentError
from evaluator.language.document_cells import DocumentCell

NEIGHBOUR_BUTTONS: Final = ("rail:previous", "rail:next", "rail:failing")
ON_THE_WAY: Final = "its dry run is on the way"
TRIES: Final = 5  # to save on a head that others move at the same time


@writes(Role.ANNOTATOR, Role.REVIEWER)
def run(problemset_id: int, cell_key: str | None = None) -> None:
    """Execute what is on the screen: up to one cell, or everything."""
    opened = draft_on_screen(problemset_id)
    cell = opened.draft.find(cell_key)
    upto = None if cell is None else _last_problem(opened.draft, cell)
    _order_run(opened, run_key(problemset_id, current_user(), cell_key), upto=upto)


@writes(Role.ANNOTATOR, Role.REVIEWER)
def run_from(problemset_id: int, cell_key: str) -> None:
    """Execute what is on the screen to its end, judging one cell and those after it."""
    opened = draft_on_screen(problemset_id)
    cell = opened.draft.find(cell_key)
    first = None if cell is None else _last_problem(opened.draft, cell)
    _order_run(opened, run_on_key(problemset_id, current_user()), first=first)


def _order_run(opened: OpenDraft, key: str, **limits: int | None) -> None:
    payload = {"problemset_id": opened.row.id, "text": sound_text(opened), "digests": draft.digests(opened.draft)}
    order("execute", {"upto": None, **payload, **limits}, key=key)


@writes(Role.ANNOTATOR)
def save(problemset_id: int, message_key: str | None = None) -> None:
    """Make a revision of what is on the screen and order its dry run.

    Args:
        problemset_id: The problemset.
        message_key: The field with what the person says about it; None or empty: the changed problems are named.
    """
    message = " ".join(str(state.widget_value(message_key) or "").split()) if message_key else ""
    for _ in range(TRIES - 1):
        with contextlib.suppress(ConflictError):  # somebody's save came between reading the head and writing on it
            return _save(problemset_id, message, message_key)
    return _save(problemset_id, message, message_key)


def _save(problemset_id: int, message: str, message_key: str | None) -> None:
    opened = _draft_to_save(problemset_id)
    if not opened.draft.has_edits:
        state.flash("info", "nothing to save: the text is that of the revision")
        return
    _refuse_conflicts(opened)
    _refuse_whole_beside_parts(opened)
    _refuse_open_choices(opened)
    if others := unseen(opened):
        what = f"nothing is saved yet: another tab of yours has changed {_named(opened, others)}"
        state.flash("warning", what, fix="look at it, then press Save revision again: that saves all unsaved changes")
        return
    text = sound_text(opened)
    revision = revisions.save(
        workspace(),
        problemset_id,
        text,
        base_revision_id=opened.revision.id,
        author=current_user(),
        message=message or _message(opened.draft),
        minutes=minutes_on_set(opened.row),
        merged=[saved for saved in opened.autosaves if not is_answer(saved) and saved not in opened.strays],
    )
    if message_key:
        sent(message_key)
    forget_set(opened.row)
    state.remember(f"saved:{problemset_id}", revision.id)
    state.flash_ordered(f"saved revision {revision.number}", ON_THE_WAY, job=dry_run_key(revision.id))
    _end_dry_run(opened.revision.id)
    order_dry_run(revision.id)
    tell_reach(revision)


def _refuse_conflicts(opened: OpenDraft) -> None:
    blocking = conflicts(opened)
    if not blocking:
        return
    is_own = is_own_save(opened, blocking)
    who = "you, in another tab, have saved other texts of what you changed here" if is_own else ""
    raise ContentError(
        f"{who or 'somebody else changed what you changed'}: {_named(opened, blocking)}",
        where=opened.row.name,
        fix="open the named problem, compare both texts and keep one, then save",
    )


def _refuse_whole_beside_parts(opened: OpenDraft) -> None:
    """Refuse what would save the whole text and forget the texts of single cells, which are not in it."""
    parts = set(opened.draft.edits) - {draft.WHOLE}
    if draft.WHOLE not in opened.draft.edits or not parts:
        return
    raise ContentError(
        f"the whole text is changed, and beside it {fields_in_words(opened, parts)}: only one of the two can be saved",
        where=opened.row.name,
        fix="put all that you want to keep into one of them, and drop the other: the whole text on the page of the "
        "set under Whole text, a single text in the editor under Changes",
    )


def _draft_to_save(problemset_id: int) -> OpenDraft:
    """Return the draft on the screen; where it may not be stored over what another tab stored, ask to choose."""
    try:
        return draft_on_screen(problemset_id)
    except ConflictError as error:
        if not isinstance(error.head, Autosave) or is_answer(error.head):
            raise
        opened = load_draft(workspace(), problemsets.find(workspace(), problemset_id))
        raise _unchosen(opened, [error.head]) from error


def _refuse_open_choices(opened: OpenDraft) -> None:
    """Refuse to save one of two texts before the person has said which one."""
    if waiting := open_choices(opened):
        raise _unchosen(opened, waiting)


def _unchosen(opened: OpenDraft, waiting: Sequence[Autosave]) -> ContentError:
    return ContentError(
        f"nothing is saved: two tabs of yours hold different texts of {_named(opened, waiting)}",
        where=opened.row.name,
        fix="compare both texts in the box beside the editors, keep one of them there, then save",
    )


def _named(opened: OpenDraft, texts: Sequence[Autosave]) -> str:
    return fields_in_words(opened, {(saved.problem, saved.field) for saved in texts})


@writes(Role.ANNOTATOR)
def format_code(problemset_id: int, cell_key: str) -> None:
    """Format the code of a cell as it stands on the screen, as an unsaved change."""
    from authoring.revising.code_format import formatted  # starts a program, and is needed only here

    opened = draft_on_screen(problemset_id)
    cell = opened.shown(cell_key)
    if cell is None:
        raise ContentError("there is no such problem any more", where=opened.row.name, fix="open another one")
    code = opened.draft.value(cell, "code")
    made = formatted(code, where=f"{cell.label}, {LABELS['code'].lower()}")
    if made == code:
        state.flash("info", "the code is formatted already")
        return
    put_text(field_of(opened, cell.key, "code", cell.texts["code"]), made)
    state.flash("success", "formatted the code, as an unsaved change")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def dry_run(revision_id: int) -> None:
    """Order a dry run of a revision."""
    order_dry_run(revision_id)


def order_dry_run(revision_id: int) -> None:
    """Queue the dry run of a revision."""
    order("dry_run", {"revision_id": revision_id}, key=dry_run_key(revision_id))


def _end_dry_run(revision_id: int) -> None:
    """Cancel the dry run of a revision that is not the newest any more: the one of the newest would wait behind it."""
    job = jobs.find_latest(workspace(), dry_run_key(revision_id))
    if job is not None and job.live:
        jobs.cancel(workspace(), job.id)


@writes(Role.REVIEWER)
def accept(revision_id: int) -> None:
    """Accept the revision on the screen; refused with unsaved changes, or without a dry run that passes and holds."""
    from authoring.checks.acceptance import accept as accept_revision  # heavy, and needed only here

    revision = revisions.find(workspace(), revision_id)
    refuse_unsaved(revision.problemset_id)
    accept_revision(workspace(), revision_id, by=current_user())
    keep_set_minutes(workspace(), "review", problemsets.find(workspace(), revision.problemset_id))
    _go_on_reviewing(f"accepted revision {revision.number} of {revision.problemset_name}")
    if unticked := unticked_words(revision):
        state.flash("info", unticked)
    comments = list_comments(workspace(), revision.problemset_id)
    if unanswered := open_words(comments, draft.cells_of(revision.problemset_name, revision.text)):
        state.flash("info", f"{revision.problemset_name} is accepted with {unanswered}")


def _go_on_reviewing(done: str) -> None:
    """Say what was decided, and open the next set that somebody submitted, if one waits for this person."""
    ws, person = workspace(), current_user()
    following = next_for(ws, person, [Role.REVIEWER])
    if following is None:
        state.flash("success", done)
        return
    lease_problemset(ws, following, holder=person)
    state.flash("success", f"{done}; this is the next one that waits for review")
    go("problemset", set=following)


@writes(Role.REVIEWER)
def send_back(revision_id: int, reason_key: str) -> None:
    """Send the revision on the screen back with a reason."""
    reason = str(state.widget_value(reason_key) or "").strip()
    if not reason:
        raise ContentError("a reason is needed to send a revision back", fix="say what the author should change")
    record_decision(
        workspace(), revision_id=revision_id, decision=ReviewDecision.SENT_BACK, by=current_user(), reason=reason
    )
    sent(reason_key)
    revision = revisions.find(workspace(), revision_id)
    keep_set_minutes(workspace(), "review", problemsets.find(workspace(), revision.problemset_id))
    state.flash("success", f"sent revision {revision.number} of {revision.problemset_name} back")


@writes(Role.ANNOTATOR)
def submit(problemset_id: int, base_revision_id: int) -> None:
    """Hand the head revision to a reviewer, and give the claim back; refused while what was typed is not saved."""
    refuse_unsaved(problemset_id)
    problemsets.submit(workspace(), problemset_id, base_revision_id=base_revision_id)
    release_lease(workspace(), problemset_id, holder=current_user())
    standing = standing_of(workspace(), base_revision_id, environment())
    state.flash("success", "submitted for review")
    if failing := failing_words(standing):
        fix = "repair it, then save and submit again: a set that fails is not accepted"
        state.flash("warning", f"in what you submitted {failing}", fix=fix)


def refuse_unsaved(problemset_id: int) -> None:
    """Refuse to decide on a revision while what was typed, perhaps just now, is not saved."""
    opened = draft_on_screen(problemset_id)
    if opened.draft.has_edits:
        found = unsaved_in(draft.edited_words(opened.draft))
        raise ContentError(found.what, where=opened.row.name, fix=found.fix)


@writes(*Role)
def comment(revision_id: int, problem: str | None, key: str) -> None:
    """Write a comment on a problem, or on the whole set."""
    write_comment(revision_id, problem, key)


def write_comment(revision_id: int, problem: str | None, key: str, *, line: int | None = None) -> None:
    """Store the comment in the fields under a key and empty them; for callbacks."""
    text = str(state.widget_value(f"{key}:text") or "").strip()
    if not text:
        raise ContentError("the comment is empty", fix="write what you want to say, then press Comment")
    add_comment(
        workspace(),
        revision_id=revision_id,
        author=current_user(),
        text=text,
        kind=str(state.widget_value(f"{key}:kind") or "other"),
        problem=problem,
        line=line,
        blocking=bool(state.widget_value(f"{key}:blocking")),
        people=people_to_mention(workspace()),
    )
    tell_unknown(text)
    sent(f"{key}:text")
    state.put_widget_value(f"{key}:blocking", False)


@writes(Role.ANNOTATOR, Role.REVIEWER)
def reopen(comment_id: int) -> None:
    """Mark a comment as open again."""
    reopen_comment(workspace(), comment_id)


def tell_unknown(text: str) -> None:
    """Say which names after @ in a stored comment belong to nobody here."""
    unknown = find_mentions(text, people := people_to_mention(workspace())).unknown
    if unknown:
        names = " or ".join(unknown)
        state.flash(
            "warning",
            f"the comment is stored, but nobody here is called {names}, so nobody is told",
            fix=f"if you meant somebody, edit the comment; people here are {', '.join(people)}",
        )


@writes(ANYONE)
def open_editor(problemset_id: int) -> None:
    """Go to the editor."""
    go("editor", set=problemset_id)


@writes(ANYONE)
def open_neighbour(keys: Sequence[str], shown: str, step: int) -> None:
    """Show the cell before or after the one that the address names, or else the one shown.

    Counted from the address: of two quick presses the second one comes from a screen that the first one has left.
    """
    here = state.param("pid")
    at = keys.index(here if here in keys else shown)
    state.set_param("pid", keys[min(max(at + step, 0), len(keys) - 1)])


@writes(ANYONE)
def open_failing(keys: Sequence[str], failing: Sequence[str], shown: str) -> None:
    """Show the next cell that fails after the one that the address names, from the end on at the first again.

    Args:
        keys: All cells, in their order.
        failing: Those of them that fail.
        shown: The cell on the screen.
    """
    here = state.param("pid")
    at = keys.index(here if here in keys else shown)
    target = next((key for key in (*keys[at + 1 :], *keys[: at + 1]) if key in failing), None)
    if target is None:
        state.flash("info", "no problem fails, as far as they have been executed")
    elif target == keys[at]:
        state.flash("info", "no other problem fails: this is the only one")
    else:
        state.set_param("pid", target)


@writes(ANYONE)
def pick_cell(widget_key: str) -> None:
    """Show the problem that was picked in the row of numbers.

    A press of a neighbour's key goes before: a browser that has not taken over yet what the new screen picked sends
    the row of the screen before with it, which reads like a pick.
    """
    picked = state.widget_value(widget_key)
    if picked and not any(state.widget_value(key) for key in NEIGHBOUR_BUTTONS):
        state.set_param("pid", picked)


@writes(Role.ANNOTATOR, Role.REVIEWER)
def dry_run_samples(revision_id: int, key: str) -> None:
    """Order a dry run in which the reference agent is asked several times."""
    payload = {"revision_id": revision_id, "samples": int(state.widget_value(key) or 1)}
    order("dry_run_agent", payload, key=dry_run_agent_key(revision_id))


def _last_problem(opened: draft.DraftView, cell: DocumentCell) -> int | None:
    """Return the problem after which execution may stop: the cell itself, or the first one after a setup cell."""
    return next((other.number for other in opened.problems if other.position >= cell.position), None)


def _message(opened: draft.DraftView) -> str:
    if draft.WHOLE in opened.edits:
        return "edited the whole text"
    names = [cell.label.lower() for cell in opened.cells if opened.is_edited(cell)]
    return f"edited {', '.join(names)}"
