"""Writes problemsets of a workspace, accepted or not, as a benchmark folder that can be checked and run."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from authoring.conversion.converted import kept_place
from authoring.store import revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.families.family_names import families_of
from evaluator.families.folders import made_at_once, refuse_taken
from evaluator.language import MANIFEST_NAMES, OWN_VALIDATORS_FILE, Problemset, used_own_validators
from evaluator.language.yaml_text.reader import write_yaml

VERSION: Final = "draft"  # a release has a number, and what it holds was accepted


def write_draft_folder(ws: Workspace, refs: Sequence[str], out: Path) -> tuple[Revision, ...]:
    """Write revisions with their input files and return them; nothing is recorded in the workspace.

    Args:
        ws: The workspace.
        refs: NAME (its newest revision), NAME@3 or an id.
        out: The folder to write; it must be empty or not there.

    Raises:
        UsageError: If there is no such revision, one problemset is named twice, or `out` holds something.
        ContentError: If a text cannot be read.
        ToolkitError: If a stored file is gone, or a file cannot be written.
    """
    refuse_taken(out)
    chosen = [revisions.find(ws, ref) for ref in refs]
    names = [revision.problemset_name for revision in chosen]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"the problemset {twice!r} is named twice", fix="name one revision of it")
    hidden = next((name for name in names if name.startswith("_")), None)
    if hidden is not None:
        fix = "give the problemset another name: files that begin with '_' are not problemsets"
        raise ContentError(f"{hidden!r} cannot be exported under this name", where=hidden, fix=fix)
    own = workspace_validators(ws)
    problemsets = [revision.document(own).require_readable() for revision in chosen]
    with made_at_once(out) as draft:
        for revision in chosen:
            (draft / f"{revision.problemset_name}.py").write_bytes(revision.text.encode("utf-8"))
            _copy_inputs(ws, revision, draft / "_inputs" / revision.problemset_name)
        if own is not None and any(used_own_validators(each) is not None for each in problemsets):
            (draft / OWN_VALIDATORS_FILE).write_bytes(own.code.encode("utf-8", "surrogatepass"))
        manifest = _manifest(ws, chosen, problemsets, out)
        (draft / MANIFEST_NAMES[0]).write_text(write_yaml(manifest), encoding="utf-8")
    return tuple(chosen)


def _copy_inputs(ws: Workspace, revision: Revision, folder: Path) -> None:
    for name, digest in sorted(problemset_inputs(ws, revision.problemset_id).items()):
        source = ws.blob_path(digest)
        if not source.is_file():
            what = f"the stored data file {name!r} of {revision.problemset_name!r} is gone"
            raise ToolkitError(what, where=str(source), fix="restore the workspace from a backup")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)


def _manifest(
    ws: Workspace, chosen: Sequence[Revision], problemsets: Sequence[Problemset], out: Path
) -> dict[str, Any]:
    families = families_of(problemsets)
    return {
        "name": out.resolve().name,
        "version": VERSION,
        "language_version": min(each.language_version for each in problemsets),  # newer files state their own
        "rules": "sound",
        **({"family": families[0]} if len(families) == 1 else {}),
        "sets": {each.problemset_name: _described(ws, each) for each in chosen},
    }


def _described(ws: Workspace, revision: Revision) -> dict[str, Any]:
    place = kept_place(revisions.select(ws, revision.problemset_id)[0])
    return {**place, "revision": revision.number, "digest": revision.digest}
