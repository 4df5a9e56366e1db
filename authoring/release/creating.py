"""Freeze accepted revisions into a release: a folder that can be run, verified and published as it is."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from authoring.checks import MACHINES
from authoring.release.card import card_text
from authoring.release.contents import ReleasedSet, gather_sets
from authoring.release.gate import personal_data_findings
from authoring.release.release_folder import (
    CHECKSUMS_NAME,
    PlannedFile,
    check_destination,
    checksums_text,
    planned,
    release_digest,
    verify_release,
    write_folder,
)
from authoring.release.release_manifest import NOT_STATED, canary_of, content_digest, manifest_text
from authoring.store import releases
from authoring.store.database.names import check_name
from authoring.store.reviewing.roundtable import list_roundtable
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language import OWN_VALIDATORS_FILE

VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,39}")


@dataclass(frozen=True)
class ReleaseResult:
    """A release that was written and recorded."""

    id: int
    name: str
    version: str
    out: Path
    digest: str  # sha256 of the list of digests
    problemsets: tuple[str, ...]
    problems: int
    open_items: tuple[str, ...] = ()  # what the roundtable has left open about the sets, in words
    personal: tuple[str, ...] = ()  # what in their data looks like data about persons and nobody confirmed, in words
    existed: bool = field(default=False, compare=False)  # it had been recorded before, and nothing was changed

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "id": self.id,
            "name": self.name,
            "version": self.version,
            "out": str(self.out),
            "digest": self.digest,
            "problemsets": list(self.problemsets),
            "problems": self.problems,
            "open_items": list(self.open_items),
            "personal": list(self.personal),
            "existed": self.existed,
        }


def create_release(
    ws: Workspace,
    name: str,
    version: str,
    *,
    out: Path,
    chosen: Sequence[str] = (),
    authors: Sequence[str] = (),
    licence: str = "",
    created_by: str = "",
) -> ReleaseResult:
    """Write a release of accepted revisions and record it. The same revisions give the same bytes.

    Done again after a kill, or by a double click, it comes to the same release in the same folder.

    Args:
        ws: The workspace.
        name: What the benchmark is called.
        version: Such as "1.0".
        out: The folder to make; it may exist when it is empty.
        chosen: Revisions to release; none: the head of every accepted problemset.
        authors: Who is named; none: the people who revised and accepted the sets.
        licence: Of queries and code.
        created_by: Who makes it.

    Raises:
        UsageError: If a name does not fit, `out` is not free, or this name and version stand for other content.
        ContentError: If nothing is accepted, evidence is missing, or data is too large.
        ToolkitError: If the disk refuses.
    """
    check_name(name, kind="release")
    if not VERSION.fullmatch(version):
        raise UsageError(
            f"{version!r} cannot be a version", fix="use letters, digits, '.', '-', '_' and '+', such as 1.0"
        )
    out = Path(os.path.abspath(out.expanduser()))
    if not (out / CHECKSUMS_NAME).is_file():  # else it may be this very release, written by a try that was killed
        check_destination(out)
    sets = gather_sets(ws, chosen)
    files = planned_files(name, version, sets, authors=authors or _people(sets), licence=licence or NOT_STATED)
    digest = files[CHECKSUMS_NAME].digest
    existed = _is_recorded(ws, name, version, digest)
    if not _is_written(out, digest):
        write_folder(files, out)
    release_id = releases.insert(
        ws,
        name=name,
        version=version,
        digest=digest,
        path=str(out),
        items=[(item.revision.id, item.name) for item in sets],
        created_by=created_by,
    )
    problems = sum(len(item.problemset.problems) for item in sets)
    names = tuple(item.name for item in sets)
    return ReleaseResult(
        *(release_id, name, version, out, digest, names, problems, _left_open(ws, sets), _unconfirmed(ws, sets)),
        existed=existed,
    )


def preview_card(ws: Workspace, name: str, version: str, licence: str = "", *, chosen: Sequence[str] = ()) -> str:
    """Return the card that a release of what is chosen, or everything accepted, would have now; nothing is written.

    Raises:
        ContentError: If the release could not be made; it says why.
    """
    sets = gather_sets(ws, chosen)
    return planned_files(name, version, sets, authors=_people(sets), licence=licence or NOT_STATED)["README.md"].text()


def _left_open(ws: Workspace, sets: Sequence[ReleasedSet]) -> tuple[str, ...]:
    """Return what the roundtable has left open about the released problemsets."""
    released = {item.revision.problemset_id for item in sets}
    items = [item for item in list_roundtable(ws, only_open=True) if item.problemset_id in released]
    return tuple(f"item {item.id}: {item.problemset_name}, {item.problem}: {item.reason}" for item in items)


def _unconfirmed(ws: Workspace, sets: Sequence[ReleasedSet]) -> tuple[str, ...]:
    """Return what looks like data about persons in the released problemsets' data, each once."""
    found = personal_data_findings(ws)
    released = {item.revision.problemset_id for item in sets}
    return tuple(dict.fromkeys(f"{each.what}; {each.fix}" for key in found if key in released for each in found[key]))


def planned_files(
    name: str, version: str, sets: Sequence[ReleasedSet], *, authors: Sequence[str], licence: str
) -> dict[str, PlannedFile]:
    """Return all files of a release by their path: the same for the same sets, whenever and wherever it is made."""
    files: dict[str, PlannedFile] = {}
    for item in sets:
        if item.name.startswith("_"):
            fix = "give the problemset another name: files that begin with '_' are not problemsets"
            raise ContentError(f"{item.name!r} cannot be released under this name", where=item.name, fix=fix)
        files[f"{item.name}.py"] = planned(item.revision.text.encode("utf-8"))
        for file in item.inputs:
            files[f"_inputs/{item.name}/{file.name}"] = PlannedFile(file.digest, source=file.source)
        if item.own_validators is not None:
            files[OWN_VALIDATORS_FILE] = planned(item.own_validators.code.encode("utf-8", "surrogatepass"))
    canary = canary_of(content_digest(files))
    files["_manifest.yaml"] = planned(
        manifest_text(name, version, sets, authors=authors, licence=licence, canary=canary)
    )
    files["README.md"] = planned(card_text(name, version, sets, authors=authors, licence=licence, canary=canary))
    files[CHECKSUMS_NAME] = planned(checksums_text(files))
    return files


def _is_written(out: Path, digest: str) -> bool:
    """Whether `out` holds this very release: then a process that was killed before it could record it made it."""
    return not out.is_symlink() and out.is_dir() and release_digest(out) == digest and not verify_release(out)


def _people(sets: Sequence[ReleasedSet]) -> tuple[str, ...]:
    named = {person for item in sets for person in (*item.people, *item.deciders)}
    return tuple(sorted(named - MACHINES))


def _is_recorded(ws: Workspace, name: str, version: str, digest: str) -> bool:
    """Return whether the workspace has this very release.

    Raises:
        UsageError: If it has another one of this name and version.
    """
    for release in releases.select(ws):
        if (release.name, release.version) == (name, version):
            if release.digest != digest:
                what = f"release {name!r} {version!r} exists with other content"
                raise UsageError(what, where=f"release {release.id}", fix="choose the next version")
            return True
    return False
