"""Which files may become a seed: checks that need no reading of their content."""

import codecs
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language.file_kinds import KIND_OF_SUFFIX

MAX_FILE_BYTES: Final = 200 * 1024 * 1024
MAX_NOTEBOOK_BYTES: Final = 20 * 1024 * 1024
MAX_FILES: Final = 30
MAX_NAME_LENGTH: Final = 100
ARCHIVE_SUFFIX: Final = ".zip"
TEXT_KINDS: Final = {"csv", "tsv", "json", "jsonl"}
WIDE_MARKS: Final = (
    codecs.BOM_UTF16_LE,
    codecs.BOM_UTF16_BE,
    codecs.BOM_UTF32_BE,
)  # UTF-32's other begins as the first
_UNSAFE: Final = set("\"'`\\/<>|:*?\0{}")
_AS_WORKBOOK: Final = "open it in a spreadsheet program and save it as .xlsx or CSV"
_AS_TABLE: Final = "export its table as CSV or Parquet, and add that"
CONVERSIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys((".xls", ".xlsb", ".xlsm", ".xlt", ".ods", ".fods", ".numbers"), _AS_WORKBOOK),
    **dict.fromkeys((".html", ".htm", ".xml", ".pdf", ".doc", ".docx", ".odt", ".sqlite", ".db", ".mdb"), _AS_TABLE),
    **dict.fromkeys((".sav", ".dta", ".sas7bdat", ".rds", ".rdata", ".h5", ".hdf5", ".feather", ".pkl"), _AS_TABLE),
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".tgz", ".zip"), "unpack it first"),
    ".ipynb": "give it as the notebook of the seed: the field Notebook, or --notebook",
}
"""What the owner of a file of another kind can do, by its suffix."""


def file_kind(path: Path) -> str:
    """Return the kind of a data file by its suffix.

    Raises:
        ContentError: If no reader knows the suffix.
    """
    suffix = path.suffix.lower()
    if suffix not in KIND_OF_SUFFIX:
        fix = CONVERSIONS.get(suffix, f"use one of {', '.join(KIND_OF_SUFFIX)}")
        raise ContentError(f"{path.name!r} is no kind of data file that can be read", where=str(path), fix=fix)
    return KIND_OF_SUFFIX[suffix].name


def check_files(files: Sequence[Path]) -> None:
    """Refuse files that are missing, unreadable, empty, too large, of an unknown kind, oddly named or given twice.

    Raises:
        UsageError: If a path names no readable file, or one is given twice.
        ContentError: If a file is refused for what it is.
    """
    if not files:
        raise UsageError("a seed needs at least one data file", fix="name a CSV, JSON, Parquet or Excel file")
    if len(files) > MAX_FILES:
        raise UsageError(f"a seed has at most {MAX_FILES} files, not {len(files)}", fix="choose the ones that matter")
    seen: dict[str, Path] = {}
    for path in files:
        _check_readable(path)
        file_kind(path)
        check_input_name(path)
        _check_size(path, MAX_FILE_BYTES)
        folded = path.name.casefold()
        if folded in seen:
            what = f"two files are called {path.name!r}"
            if seen[folded].resolve() == path.resolve():
                what = f"{path.name!r} is given twice"
            raise UsageError(what, where=str(path), fix="give each file once, under its own name")
        seen[folded] = path


class Upload(NamedTuple):
    """A file on its way in, of which only this is looked at here."""

    name: str
    size_bytes: int
    head: bytes = b""  # its first bytes, or all of them


def upload_faults(files: Sequence[Upload]) -> list[ToolkitError]:
    """Return all that keeps files from becoming a seed and can be seen without parsing them; a `.zip` may stand alone.

    The job that reads them checks more: what is in an archive, and whether a table can be read.
    """
    faults: list[ToolkitError] = []
    if len(files) > MAX_FILES:
        what = f"a seed has at most {MAX_FILES} files, not {len(files)}"
        faults.append(UsageError(what, fix="take some out, or make several seeds"))
    seen: set[str] = set()
    for file in files:
        try:
            _check_upload(file, alone=len(files) == 1)
            if file.name.casefold() in seen:
                what = f"two files are called {file.name!r}"
                raise UsageError(what, where=file.name, fix="take one of them out, or rename it")
        except (ContentError, UsageError) as fault:
            faults.append(fault)
        seen.add(file.name.casefold())
    return faults


def _check_upload(file: Upload, *, alone: bool) -> None:
    path = Path(file.name)
    check_input_name(path)
    _refuse_size(path, file.size_bytes, MAX_FILE_BYTES)
    if path.suffix.lower() == ARCHIVE_SUFFIX:
        if not alone:
            fix = "send it alone, or the single files"
            raise UsageError(f"{file.name!r} is an archive beside other files", where=file.name, fix=fix)
        return
    if file_kind(path) not in TEXT_KINDS or file.head.startswith(WIDE_MARKS):
        return
    if b"\0" in file.head:
        what = f"{file.name!r} holds NUL bytes, so it is no text, or damaged"
        raise ContentError(what, where=file.name, fix="save it as UTF-8 in the program that wrote it")
    if len(file.head) == file.size_bytes and not file.head.removeprefix(codecs.BOM_UTF8).strip():
        what = f"{file.name!r} holds nothing but blanks"
        raise ContentError(what, where=file.name, fix="give a file with data in it")


def check_notebook(path: Path) -> None:
    """Refuse what cannot be a notebook, before anything reads it.

    Raises:
        UsageError: If the path names no readable file.
        ContentError: If it is no .ipynb file or is too large.
    """
    _check_readable(path)
    if path.suffix.lower() != ".ipynb":
        raise ContentError(f"{path.name!r} is no notebook", where=str(path), fix="give a file that ends in .ipynb")
    check_input_name(path)
    _check_size(path, MAX_NOTEBOOK_BYTES)


def _check_readable(path: Path) -> None:
    where = str(path)
    try:
        if path.is_dir():
            raise UsageError(f"{path.name or where!r} is a folder, not a file", where=where, fix="name the files in it")
        if not path.exists():
            raise UsageError(f"there is no file {path.name!r}", where=where, fix="check the path")
        if not path.is_file():
            raise UsageError(f"{path.name!r} is no regular file", where=where, fix="copy its content into a file")
        with path.open("rb"):
            readable = os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)
    except OSError:  # the file, or a folder on the way to it
        readable = False
    if not readable:
        raise UsageError(f"{path.name!r} cannot be read", where=where, fix=f"allow it: chmod u+r {path.name!r}")


def check_input_name(path: Path) -> None:
    """Refuse a file whose name could not be that of an input: too long, unprintable, or with signs that paths use.

    Raises:
        ContentError: If it is one.
    """
    name = path.name
    fix = "rename it with letters, digits, spaces, dots, dashes and underscores"
    if len(name) > MAX_NAME_LENGTH:
        what = f"the file name {name[:30]!r}... has {len(name)} characters; at most {MAX_NAME_LENGTH}"
        raise ContentError(what, where=str(path), fix=fix)
    if not name.isprintable() or _UNSAFE & set(name) or name != name.strip() or name[0] in ".-":
        raise ContentError(f"{name!r} cannot be the name of an input file", where=str(path), fix=fix)


def _check_size(path: Path, limit: int) -> None:
    _refuse_size(path, path.stat().st_size, limit)


def _refuse_size(path: Path, size: int, limit: int) -> None:
    if size == 0:
        raise ContentError(f"{path.name!r} is empty", where=str(path), fix="give a file with data in it")
    if size > limit:
        what = f"{path.name!r} has {_mb(size)}; at most {_mb(limit)} are read"
        raise ContentError(what, where=str(path), fix="keep the rows and columns that matter, or save it as Parquet")


def _mb(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"
