"""What goes into a release: accepted revisions with their problems, input files, evidence and data sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from authoring.checks import MACHINES, failures_of
from authoring.conversion.converted import kept_place
from authoring.edits import edits_between, problem_ids
from authoring.store import dry_runs, problemsets
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.dry_runs import DryRun
from authoring.store.problemsets import problemset_inputs
from authoring.store.reviewing.reviews import list_decisions
from authoring.store.revisions import Revision
from authoring.store.revisions import accepted as accepted_revisions
from authoring.store.revisions import find as find_revision
from authoring.store.revisions import select as list_revisions
from authoring.store.settings import workspace_validators
from authoring.store.statuses import Origin, ReviewDecision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language import OWN_VALIDATORS_FILE, OwnValidators, Problemset, used_own_validators

MAX_SET_BYTES: Final = 50_000_000  # of one set's input files
NOTED_FILE_BYTES: Final = 10_000_000  # DSEval-style sets keep each file below this; a larger one is noted on the card


@dataclass(frozen=True)
class InputFile:
    """One data file of a set."""

    name: str  # below `inputs/`
    digest: str  # sha256
    size_bytes: int
    source: Path  # where its bytes are stored


@dataclass(frozen=True)
class ReleasedSet:
    """One accepted problemset with all that the release says about it."""

    revision: Revision
    problemset: Problemset
    inputs: tuple[InputFile, ...]
    seed: Seed | None
    environment: str  # in which its dry run passed
    versions: Mapping[str, str]  # of that environment's Python and first libraries
    deciders: tuple[str, ...]  # who accepted it
    drafted_by: str  # origin of the first revision: model | template | person | import
    people: tuple[str, ...]  # who saved revisions of it, in order
    person_revisions: int  # saved by people, up to the released one
    own_validators: OwnValidators | None  # of the workspace, if one of its problems asks for one of them
    minutes: float  # active minutes of all revisions up to the released one; later ones must not change its card
    place: Mapping[str, Any]  # in a family's benchmark, as the manifest said that it was imported with; else empty
    problems_changed: int  # that people changed or added in those revisions (count)

    @property
    def by_rule(self) -> bool:
        """Whether no person accepted it: it passed every check, and that was enough."""
        return bool(self.deciders) and set(self.deciders) <= MACHINES

    @property
    def name(self) -> str:
        """The problemset's name, which becomes a file name."""
        return self.revision.problemset_name


def gather_sets(ws: Workspace, chosen: Sequence[str] = ()) -> tuple[ReleasedSet, ...]:
    """Return what a release of the accepted problemsets holds, by name.

    Args:
        ws: The workspace.
        chosen: Revisions (NAME, NAME@3 or an id) to release; none: the head of every accepted problemset.

    Raises:
        ContentError: If there is nothing to release, or something chosen may not be released.
        UsageError: If something chosen does not exist.
    """
    revisions = [find_revision(ws, ref) for ref in chosen] if chosen else accepted_revisions(ws)
    if not revisions:
        fix = "accept a revision first: benchwright accept REVISION --by NAME"
        raise ContentError("no problemset is accepted, so there is nothing to release", where=str(ws.root), fix=fix)
    names = [revision.problemset_name for revision in revisions]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ContentError(f"two revisions of {twice[0]!r} were chosen", fix="choose one revision of each problemset")
    return tuple(sorted((_gather(ws, revision) for revision in revisions), key=lambda item: item.name))


def _gather(ws: Workspace, revision: Revision) -> ReleasedSet:
    label = f"{revision.problemset_name}@{revision.number}"
    evidence = _passed_dry_run(ws, revision, label)
    own = workspace_validators(ws)
    problemset = revision.document(own).require_readable()
    used = used_own_validators(problemset)
    if evidence.summary.get("validators", "") != (used.digest if used is not None else ""):
        what = f"{OWN_VALIDATORS_FILE} is not what it was in the newest dry run of {label}"
        raise ContentError(what, where=label, fix=f"run it again: benchwright dry-run {label}")
    row = problemsets.find(ws, revision.problemset_id)
    revisions = [r for r in list_revisions(ws, row.id) if r.number <= revision.number]
    return ReleasedSet(
        revision=revision,
        problemset=problemset,
        inputs=_inputs(ws, revision),
        seed=find_seed(ws, row.seed_id) if row.seed_id else None,
        environment=evidence.environment,
        versions=evidence.summary.get("versions", {}),
        deciders=_deciders(ws, revision, label),
        drafted_by=revisions[0].origin,
        people=tuple(dict.fromkeys(r.author for r in revisions if r.origin == Origin.PERSON and r.author)),
        person_revisions=sum(r.origin == Origin.PERSON for r in revisions),
        own_validators=used,
        minutes=round(sum(r.minutes for r in revisions), 1),
        place=kept_place(revisions[0]),
        problems_changed=_problems_changed(revisions),
    )


def _problems_changed(revisions: Sequence[Revision]) -> int:
    """Return how many problems of the last revision people changed or added."""
    texts = {r.id: r.text for r in revisions}
    by_people = [r for r in revisions if r.origin == Origin.PERSON and r.parent_id in texts]
    edits = edits_between((texts[r.parent_id], r.text) for r in by_people if r.parent_id is not None)
    return len(edits.problems.intersection(problem_ids(revisions[-1].text)))


def _deciders(ws: Workspace, revision: Revision, label: str) -> tuple[str, ...]:
    decisions = [d for d in list_decisions(ws, revision.problemset_id) if d.revision_id == revision.id]
    if not decisions or decisions[-1].decision != ReviewDecision.ACCEPTED:
        fix = f"accept it first: benchwright accept {label} --by NAME"
        raise ContentError(f"{label} is not accepted", where=label, fix=fix)
    return tuple(dict.fromkeys(d.by for d in decisions if d.decision == ReviewDecision.ACCEPTED))


def _passed_dry_run(ws: Workspace, revision: Revision, label: str) -> DryRun:
    evidence = dry_runs.latest(ws, revision.id)
    if evidence is None or failures_of(evidence):
        what = "has no dry run" if evidence is None else f"fails its newest dry run, number {evidence.id}"
        fix = f"run it again: benchwright dry-run {label}"
        raise ContentError(f"{label} {what}", where=label, fix=fix)
    return evidence


def _inputs(ws: Workspace, revision: Revision) -> tuple[InputFile, ...]:
    files = []
    for name, digest in sorted(problemset_inputs(ws, revision.problemset_id).items()):
        source = ws.blob_path(digest)
        if not source.is_file():
            what = f"the stored data file {name!r} of {revision.problemset_name!r} is gone"
            raise ContentError(what, where=str(source), fix="restore the workspace from a backup")
        files.append(InputFile(name, digest, source.stat().st_size, source))
    size = sum(file.size_bytes for file in files)
    if size > MAX_SET_BYTES:
        what = f"the data files of {revision.problemset_name!r} have {size / 1e6:.0f} MB; {MAX_SET_BYTES / 1e6:.0f} MB"
        fix = "make the seed anew from a sample of its rows"
        raise ContentError(f"{what} a set are allowed in a release", where=revision.problemset_name, fix=fix)
    return tuple(files)
