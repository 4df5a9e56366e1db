"""Accept a revision on evidence, or send it back with a reason."""

from collections.abc import Callable, Sequence

from authoring.checks import EvidenceError, refuse_failures
from authoring.checks.dry_run.dry_running import DryRunResult, current_dry_run, dry_run, readable_problemset
from authoring.progress import OnEvent, no_progress
from authoring.store import problemsets, revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.reviewing.reviews import record_acceptances, record_decision, refuse_acceptance
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.statuses import ReviewDecision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.session import Engine, environment_id


def accept(
    ws: Workspace,
    revision_ref: str | int,
    *,
    by: str,
    reason: str = "",
    engine: Engine | None = None,
    open_engine: Callable[[], Engine] | None = None,
    environment: str | None = None,
    on_event: OnEvent = no_progress,
) -> int:
    """Accept the head revision of a problemset and return the decision's id.

    Args:
        ws: The workspace.
        revision_ref: A revision's id, NAME (its head) or NAME@3.
        by: Who accepts.
        reason: Why, if there is more to say.
        engine: Runs the dry run when it is missing or stale.
        open_engine: Makes the engine when one is needed; with neither, a missing dry run refuses the revision.
        environment: Id of the environment in which a dry run must have passed; None: the engine's, else our own.
        on_event: Told of each problem of that dry run.

    Raises:
        UsageError: If there is no such revision, or nobody is named.
        ConflictError: If it is not the head.
        ContentError: If the text has errors, an input file is gone, a reference does not pass its own validators, or an
            empty answer passes, every problem named; or its author accepts it where a second person must.
        ToolkitError: If the engine cannot start.
    """
    revision = _fit_for_evidence(ws, revision_ref, by)
    found = current_dry_run(ws, revision, environment or (engine.environment_id if engine else environment_id()))
    if found is None or found.failures:
        found = _run_again(ws, revision, engine, open_engine, on_event) or found
    _refuse_without_evidence(revision, found)
    return record_decision(ws, revision_id=revision.id, decision=ReviewDecision.ACCEPTED, by=by, reason=reason)


def accept_each(
    ws: Workspace, revision_ids: Sequence[int], *, by: str, environment: str | None = None
) -> dict[int, ContentError]:
    """Accept those of some head revisions that may be, together, and return what refused the others, by id.

    Nothing is executed: without a dry run that passes and still holds a revision is refused.

    Args:
        ws: The workspace.
        revision_ids: The revisions that the person chose.
        by: Who accepts.
        environment: Id of the environment in which the dry runs must have passed; None: our own.

    Raises:
        UsageError: If there is no such revision; then none is accepted.
    """
    refused = find_refusals(ws, revision_ids, by=by, environment=environment)
    return refused | record_acceptances(ws, [each for each in revision_ids if each not in refused], by=by)


def find_refusals(
    ws: Workspace, revision_ids: Sequence[int], *, by: str, environment: str | None = None
) -> dict[int, ContentError]:
    """Return what `accept_each` would refuse some head revisions for, by id; nothing is accepted.

    Raises:
        UsageError: If there is no such revision.
    """
    used, refused = environment or environment_id(), dict[int, ContentError]()
    for revision_id in revision_ids:
        try:
            revision = _fit_for_evidence(ws, revision_id, by)
            _refuse_without_evidence(revision, current_dry_run(ws, revision, used))
        except ContentError as error:
            refused[revision_id] = error
    return refused


def send_back(ws: Workspace, revision_ref: str | int, *, by: str, reason: str) -> int:
    """Send the head revision of a problemset back to its author and return the decision's id.

    Raises:
        UsageError: If there is no such revision, or nobody is named.
        ConflictError: If it is not the head.
        ContentError: If there is no reason.
    """
    revision = revisions.find(ws, revision_ref)
    refuse_old_revision(ws, revision)
    return record_decision(ws, revision_id=revision.id, decision=ReviewDecision.SENT_BACK, by=by, reason=reason)


def _fit_for_evidence(ws: Workspace, revision_ref: str | int, by: str) -> Revision:
    """Return a revision that can be accepted, for all that is known without its dry run."""
    revision = revisions.find(ws, revision_ref)
    refuse_old_revision(ws, revision)
    refuse_acceptance(ws, revision.id, by)
    readable_problemset(revision, workspace_validators(ws))
    _refuse_missing_inputs(ws, revision)
    return revision


def _refuse_without_evidence(revision: Revision, found: DryRunResult | None) -> None:
    label = f"{revision.problemset_name}@{revision.number}"
    if found is None:
        what = "the newest revision has no dry run that still holds"
        raise EvidenceError(what, where=label, fix=f"run it first: benchwright dry-run {label}")
    refuse_failures(found.failures, label)


def _run_again(
    ws: Workspace,
    revision: Revision,
    engine: Engine | None,
    open_engine: Callable[[], Engine] | None,
    on_event: OnEvent,
) -> DryRunResult | None:
    """Return a new dry run; None when there is nothing to run it with."""
    if engine is not None:
        return dry_run(ws, revision.id, engine=engine, on_event=on_event)
    if open_engine is None:
        return None
    with open_engine() as opened:
        return dry_run(ws, revision.id, engine=opened, on_event=on_event)


def refuse_old_revision(ws: Workspace, revision: Revision) -> None:
    """Refuse a decision on a revision that is not the head, before any work is done for it.

    Raises:
        ContentError: If a newer revision exists.
    """
    row = problemsets.find(ws, revision.problemset_id)
    if row.head_revision_id != revision.id:
        what = f"revision {revision.number} is not the newest revision; {row.head_number} is"
        where = f"{revision.problemset_name}@{revision.number}"
        raise ContentError(what, where=where, fix=f"decide on {row.name}@{row.head_number}")


def _refuse_missing_inputs(ws: Workspace, revision: Revision) -> None:
    for name, digest in problemset_inputs(ws, revision.problemset_id).items():
        if not ws.blob_path(digest).is_file():
            what = f"the stored data file {name!r} of {revision.problemset_name!r} is gone"
            raise ContentError(what, where=str(ws.blob_path(digest)), fix="restore the workspace from a backup")
