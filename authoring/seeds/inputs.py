"""Brings a seed's stored files to where sessions read them, and its notebook to where authors do."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from authoring.seeds.profiling import place_files
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError

COPY_BELOW_BYTES: Final = 32 * 1024 * 1024  # larger files are linked


@dataclass(frozen=True)
class NotebookCell:
    """One cell of a seed's notebook, without outputs."""

    type: str  # code | markdown
    source: str


def materialise_inputs(ws: Workspace, seed: int | str | Mapping[str, str], folder: Path) -> Path:
    """Put the files of a seed (id or name), or of a map file name -> sha256, into `folder` and return it.

    Raises:
        UsageError: If there is no such seed.
        ToolkitError: If a stored file is missing.
    """
    digests = seed if isinstance(seed, Mapping) else {file.name: file.digest for file in find_seed(ws, seed).files}
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in digests.items():
        blob, target = ws.blob_path(digest), folder / name
        if not blob.is_file():
            what = f"the stored file {name!r} is missing from the workspace"
            raise ToolkitError(what, where=str(blob), fix="restore the workspace from a backup, or add the seed again")
        target.unlink(missing_ok=True)
        if blob.stat().st_size < COPY_BELOW_BYTES:
            shutil.copyfile(blob, target)
        else:
            place_files({name: blob}, folder)
    return folder


def read_notebook(ws: Workspace, seed: Seed) -> tuple[NotebookCell, ...]:
    """Return the code and Markdown cells of a seed's notebook, in order; empty without a notebook."""
    if seed.notebook is None:
        return ()
    book = json.loads(ws.blob_path(seed.notebook).read_text(encoding="utf-8"))
    return tuple(NotebookCell(cell["cell_type"], cell["source"]) for cell in book["cells"])
