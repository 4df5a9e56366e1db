"""Adds a seed to the workspace: checks, profile, stored files, one row."""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from authoring.seeds.intake import check_files, check_notebook, file_kind
from authoring.seeds.meanings.stored import SEMANTICS_NAME, check_card_text
from authoring.seeds.profiling import build_profile, reduce_notebook
from authoring.store.database.names import MAX_NAME_LENGTH, check_name
from authoring.store.drafting.seeds import NO_FACTS, SeedFacts, SeedFile, insert_seed, list_seeds, twin_of
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError, by_place

if TYPE_CHECKING:
    from evaluator.session import Engine


def add_seed(
    ws: Workspace,
    files: Sequence[Path],
    *,
    name: str,
    engine: "Engine",
    notebook: Path | None = None,
    facts: SeedFacts = NO_FACTS,
    semantics: str = "",
    statement: str = "",
    created_by: str = "",
) -> int:
    """Check, profile and store data files as a seed called `name`, and return its id.

    The files are read in a session of `engine` only. A notebook is kept as its code and Markdown cells.

    Args:
        ws: The workspace.
        files: The data files; a folder or an archive is opened by `open_bundle` first.
        name: What the seed is called.
        engine: Where the files are read.
        notebook: A notebook about the data.
        facts: What is stated about the data, such as a `SeedCard`; its name is not used.
        semantics: What its columns mean, the text of a `semantics.yaml`; empty: the rules tell.
        statement: What the data were drawn from; empty: they were not.
        created_by: Who adds it.

    Raises:
        UsageError: If a path or the name does not fit.
        ContentError: If a file is refused, or a seed has the same files; it names which and the remedy.
    """
    check_files(files)
    if notebook is not None:
        check_notebook(notebook)
    refuse_name(ws, name)
    digests = file_digests(files)
    _refuse_twin(ws, digests)
    reduced = None if notebook is None else reduce_notebook(engine, notebook)
    profile = build_profile(engine, files)
    if semantics:
        check_card_text(semantics, profile, where=SEMANTICS_NAME)
    return insert_seed(
        ws,
        name=name,
        files=store_files(ws, files, digests),
        facts=facts,
        notebook=None if reduced is None else ws.put_bytes(reduced),
        profile=profile.to_json(),
        semantics=semantics,
        statement=statement,
        created_by=created_by,
    )


def _refuse_twin(ws: Workspace, digests: Mapping[str, str]) -> None:
    twin = twin_of(ws, digests.values())
    if twin is not None:
        fix = f"use it: benchwright sketch {twin.name}"
        what = f"seed {twin.name!r} holds the same data"
        raise by_place(ContentError(what, where=f"seed {twin.id}", fix=fix))


def file_digests(files: Sequence[Path]) -> dict[str, str]:
    """Return file name -> sha256.

    Raises:
        UsageError: If two files have the same content.
    """
    digests: dict[str, str] = {}
    for path in files:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        twin = next((name for name, known in digests.items() if known == digest), None)
        if twin is not None:
            what = f"{path.name!r} and {twin!r} are the same file"
            raise UsageError(what, where=str(path), fix="give each file once")
        digests[path.name] = digest
    return digests


def store_files(ws: Workspace, files: Sequence[Path], digests: Mapping[str, str]) -> list[SeedFile]:
    """Copy the files into the workspace.

    Raises:
        ContentError: If a file is not the one that was profiled any more.
    """
    stored = []
    for path in files:
        digest = ws.put_blob(path)
        if digest != digests[path.name]:
            what = f"{path.name!r} changed while it was read"
            raise ContentError(what, where=str(path), fix="add it again when nothing writes to it")
        stored.append(SeedFile(path.name, digest, path.stat().st_size, file_kind(path)))
    return stored


def refuse_name(ws: Workspace, name: str) -> None:
    """Refuse what a new seed cannot be called: before files are read, or a model is asked.

    Raises:
        UsageError: If the name is taken or cannot be a name.
    """
    check_name(name, kind="seed")
    if any(seed.name.casefold() == name.casefold() for seed in list_seeds(ws)):
        raise by_place(UsageError(f"there is already a seed called {name!r}", fix="choose another name"))


def free_name(file_name: str, taken: Collection[str]) -> str:
    """Return a name for the seed of a file: its own as far as a name may be so, numbered when a seed has it.

    Args:
        file_name: Of the file.
        taken: Names of the seeds that exist.
    """
    plain = unicodedata.normalize("NFKD", Path(file_name).stem).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).lstrip(".-")[: MAX_NAME_LENGTH - 6].rstrip(".-")
    if not stem or stem.isdigit():
        stem = f"seed-{stem}".rstrip("-")
    used = {name.casefold() for name in taken}
    numbered = (f"{stem}-{number}" for number in count(2))
    return stem if stem.casefold() not in used else next(name for name in numbered if name.casefold() not in used)
