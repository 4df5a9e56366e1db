"""Puts a problemset that was made elsewhere into a workspace, with the files that it reads."""

from pathlib import Path
from typing import Final

from authoring.seeds.intake import check_input_name
from authoring.store import Revision, Workspace, create_problemset, find_seed
from evaluator.errors import ContentError
from evaluator.language import refused_links

MAX_INPUT_FILES: Final = 200
MAX_INPUT_BYTES: Final = 200_000_000


def import_problemset(
    ws: Workspace,
    text: str,
    *,
    name: str,
    inputs: Path | None = None,
    seed: str | None = None,
    author: str = "",
    message: str = "imported",
) -> Revision:
    """Store a text as a new problemset of origin `import`; the text may be broken.

    Args:
        ws: The workspace.
        text: The DSEAL text.
        name: What the problemset is called.
        inputs: A folder whose files the session shows as `inputs/`; None: those of the seed, if one is named.
        seed: Name or id of the seed that it is about.
        author: Who imports it.
        message: What the first revision is.

    Raises:
        UsageError: If the name is taken or cannot be a name, or there is no such seed.
        ContentError: If the inputs are too many or too large, oddly named, or links that lead elsewhere.
    """
    found = find_seed(ws, seed) if seed else None
    files = {file.name: file.digest for file in found.files} if found else {}
    if inputs is not None:
        files |= {path.name: ws.put_blob(path) for path in _files(inputs)}
    return create_problemset(
        ws,
        name=name,
        text=text,
        author=author or "import",
        origin="import",
        seed_id=found.id if found else None,
        message=message,
        provenance={"author": "import"},
        inputs=files,
    )


def _files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    for link in refused_links(folder):
        what = f"{link.path.name!r} is a link that {link.what}"
        raise ContentError(what, where=str(link.path), fix="put a copy of the file in its place")
    for path in files:
        check_input_name(path)
    if len(files) > MAX_INPUT_FILES:
        fix = "give the set a folder of its own: _inputs/NAME"
        raise ContentError(f"the folder has {len(files):,} files", where=str(folder), fix=fix)
    large = next((path for path in files if path.stat().st_size > MAX_INPUT_BYTES), None)
    if large is not None:
        what = f"{large.name!r} is larger than {MAX_INPUT_BYTES / 1e6:,.0f} MB"
        raise ContentError(what, where=str(large), fix="keep the rows and columns that matter")
    return files
