"""Seeds that come as a folder or a .zip archive: their card (`seed.yaml`), and which of their files are data."""

import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from authoring.seeds.intake import CONVERSIONS, MAX_FILE_BYTES
from authoring.seeds.meanings.stored import SEMANTICS_NAME
from authoring.store.drafting.seeds import TEXT_FIELDS, SeedFacts
from evaluator.errors import ContentError, UsageError
from evaluator.language.file_kinds import KIND_OF_SUFFIX

CARD_NAME: Final = "seed.yaml"
MAX_CARD_BYTES: Final = 100_000
MAX_SEMANTICS_BYTES: Final = 200_000
MAX_FIELD_CHARS: Final = 5_000


@dataclass(frozen=True, kw_only=True)
class SeedCard(SeedFacts):
    """What a card beside the data files says; empty: not stated."""

    name: str = ""
    files: tuple[str, ...] = ()  # the data files among those beside the card; empty: all of them

    def with_facts(self, *, synthetic: bool = False, **texts: str) -> "SeedCard":
        """Return the card with the texts that are given, not empty, in place of its own.

        Raises:
            TypeError: If a text has no such field.
        """
        given: dict[str, Any] = {key: text for key, text in texts.items() if text}
        return replace(self, synthetic=synthetic or self.synthetic, **given)


def read_card(folder: Path, *, required: tuple[str, ...] = ()) -> SeedCard:
    """Read the card in `folder`; keys that are not known are left alone.

    Raises:
        ContentError: If it is no YAML mapping of texts, or lacks a required field.
    """
    import yaml

    path = folder / CARD_NAME
    try:
        fields = yaml.safe_load(path.read_bytes()[:MAX_CARD_BYTES].decode("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        what = f"the card of seed {folder.name!r} cannot be read: {error}"
        raise ContentError(what, where=str(path), fix="correct the YAML, or leave the card out") from error
    if not isinstance(fields, dict):
        raise ContentError(
            f"the card of seed {folder.name!r} is no mapping", where=str(path), fix="write lines such as 'licence: MIT'"
        )
    lacking = [key for key in required if not fields.get(key)]
    if lacking:
        what = f"the card of seed {folder.name!r} lacks {', '.join(lacking)}"
        raise ContentError(what, where=str(path), fix="see seeds/README.md")
    texts = {key: _text(fields, key, path) for key in TEXT_FIELDS}
    return SeedCard(**texts, synthetic=fields.get("synthetic") is True, files=_files(fields, path))


def _text(fields: Mapping[Any, Any], key: str, path: Path) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if isinstance(value, (list, dict, bytes)):
        raise ContentError(f"{key!r} of the card is no text", where=str(path), fix=f"write '{key}: ...' on one line")
    return str(value)[:MAX_FIELD_CHARS]


def _files(fields: Mapping[Any, Any], path: Path) -> tuple[str, ...]:
    value = fields.get("files") or []
    if not isinstance(value, list) or not all(isinstance(name, str) and Path(name).name == name for name in value):
        raise ContentError("'files' of the card is no list of file names", where=str(path), fix="name the data files")
    return tuple(value)


MAX_ENTRIES: Final = 2_000  # files in one folder or archive, those that are no data included
MAX_TOTAL_BYTES: Final = 1_000_000_000  # unpacked
MAX_DEPTH: Final = 8
_ABOUT: Final = {"readme", "license", "licence", "copying", "notice", "changelog", "description"}  # texts, not tables
_SYSTEM: Final = {"__macosx", "thumbs.db", "desktop.ini"}
_CHUNK: Final = 1 << 20
_DAMAGE: Final = (  # what the reader of archives raises on damaged or unusual ones, its decompressors included
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(NotImplementedError, EOFError, RuntimeError, ValueError),
)


@dataclass(frozen=True)
class Bundle:
    """The files of a seed on their way into the workspace."""

    files: tuple[Path, ...]
    notebook: Path | None = None
    card: SeedCard = field(default_factory=SeedCard)
    semantics: str = ""  # the text of `semantics.yaml`: what the columns mean; empty: not stated
    left_out: tuple[str, ...] = ()  # names of files that are neither data nor a notebook


def open_bundle(paths: Sequence[Path], scratch: Path, *, notebook: Path | None = None) -> Bundle:
    """Return the files that `paths` name; one folder or one `.zip` stands for the data files in it.

    Args:
        paths: Data files, or a single folder or archive.
        scratch: An empty folder, where an archive is unpacked.
        notebook: The notebook that was named; None: the one in the folder or archive, if there is one.

    Raises:
        UsageError: If a folder or an archive is named together with other paths, or holds several notebooks.
        ContentError: If it holds no data, a link, a path that leads out of it, or more than the limits allow.
    """
    bundled = [path for path in paths if path.is_dir() or path.suffix.lower() == ".zip"]
    if not bundled:
        return Bundle(tuple(paths), notebook)
    if len(paths) > 1:
        fix = "give it alone, or name the single files"
        raise UsageError(f"{bundled[0].name!r} is a folder or an archive", where=str(bundled[0]), fix=fix)
    source = bundled[0]
    if source.is_dir():
        return _sorted_out(source, list(_walk(source)), notebook)
    _unpack(source, scratch)
    return _sorted_out(scratch, list(_walk(scratch)), notebook, named=source)


def _sorted_out(root: Path, found: list[Path], notebook: Path | None, *, named: Path | None = None) -> Bundle:
    where = str(named or root)
    card_path = min((path for path in found if path.name == CARD_NAME), key=lambda p: len(p.parts), default=None)
    card = read_card(card_path.parent) if card_path is not None else SeedCard()
    data = [path for path in found if _is_data(path) and (not card.files or path.name in card.files)]
    lacking = sorted(set(card.files) - {path.name for path in data})
    if lacking:
        raise ContentError(f"the card names {lacking[0]!r}, which is not there", where=where, fix="correct the card")
    if not data:
        near = next((path for path in found if path.suffix.lower() in CONVERSIONS), None)
        fix = f"a seed needs one of {', '.join(sorted(KIND_OF_SUFFIX))}"
        fix += f"; as for {near.name!r}: {CONVERSIONS[near.suffix.lower()]}" if near is not None else ""
        raise ContentError(f"{Path(where).name!r} holds no data file", where=where, fix=fix)
    notebooks = [path for path in found if path.suffix.lower() == ".ipynb"]
    if notebook is None and len(notebooks) > 1:
        names = ", ".join(repr(path.name) for path in notebooks[:5])
        raise UsageError(f"there are {len(notebooks)} notebooks: {names}", where=where, fix="name one with --notebook")
    chosen = notebook or next(iter(notebooks), None)
    meanings = min((path for path in found if path.name == SEMANTICS_NAME), key=lambda p: len(p.parts), default=None)
    kept = {*data, chosen, card_path, meanings}
    left_out = tuple(str(path.relative_to(root)) for path in found if path not in kept)
    semantics = "" if meanings is None else read_semantics_file(meanings)
    return Bundle(tuple(data), chosen, card, semantics, left_out)


def read_semantics_file(path: Path) -> str:
    """Return the text of a `semantics.yaml`; what it says is checked against the data once they are profiled.

    Raises:
        ContentError: If it is no UTF-8 text, or too long.
    """
    data = path.read_bytes()[: MAX_SEMANTICS_BYTES + 1]
    fix = "save it as UTF-8, or leave it out"
    if len(data) > MAX_SEMANTICS_BYTES:
        what = f"{path.name!r} is longer than {MAX_SEMANTICS_BYTES:,} bytes"
        raise ContentError(what, where=str(path), fix="state only the columns that matter")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContentError(f"{path.name!r} is no UTF-8 text", where=str(path), fix=fix) from error


def _is_data(path: Path) -> bool:
    stem = path.stem.casefold()
    is_about = path.suffix.lower() in {".txt", ".json"} and any(stem.startswith(word) for word in _ABOUT)
    return path.suffix.lower() in KIND_OF_SUFFIX and not is_about


def _is_system(name: str) -> bool:
    return name.startswith(".") or name.casefold() in _SYSTEM


def _walk(root: Path) -> Iterator[Path]:
    """Yield the regular files below `root` in order of their names.

    Raises:
        ContentError: If there is a link, something that is no file, or more than the limits allow.
    """
    count = 0
    for folder, names, files in os.walk(root, onerror=_refuse_folder):
        names[:] = sorted(name for name in names if not _is_system(name))
        if len(Path(folder).relative_to(root).parts) > MAX_DEPTH:
            raise ContentError("the folders are nested too deeply", where=folder, fix="name the data files alone")
        for name in [*names, *sorted(files)]:
            path = Path(folder) / name
            if path.is_symlink():
                fix = "put a copy of the file in its place"
                raise ContentError(f"{name!r} is a link; what it points to is not read", where=str(path), fix=fix)
            if name in names or _is_system(name):
                continue
            count += 1
            if count > MAX_ENTRIES:
                what = f"there are more than {MAX_ENTRIES:,} files"
                raise ContentError(what, where=str(root), fix="name the data files alone")
            yield path


def _refuse_folder(error: OSError) -> None:
    what = f"a folder cannot be read: {error.strerror}"
    raise UsageError(what, where=str(error.filename), fix="allow it, or name the data files alone")


def _unpack(archive: Path, scratch: Path) -> None:
    """Unpack the entries that matter into `scratch`, counting bytes as they come, not as the archive promises."""
    refuse = _refusal(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
            if len(entries) > MAX_ENTRIES:
                raise refuse(f"holds {len(entries):,} files; at most {MAX_ENTRIES:,} are looked at")
            room = MAX_TOTAL_BYTES
            for entry in entries:
                target = _target(entry, scratch, refuse)
                if target is not None:
                    room -= _copy(opened, entry, target, room, refuse)
    except _DAMAGE as error:
        raise refuse(f"is no readable .zip archive: {str(error)[:200]}") from None
    except (FileExistsError, NotADirectoryError):
        raise refuse("holds the same path as a file and as a folder") from None
    except FileNotFoundError:
        raise UsageError(f"there is no file {archive.name!r}", where=str(archive), fix="check the path") from None


def _target(entry: zipfile.ZipInfo, scratch: Path, refuse: Callable[[str], ContentError]) -> Path | None:
    name = PurePosixPath(entry.filename)
    shown = entry.filename[:80]
    if name.is_absolute() or ".." in name.parts or "\\" in entry.filename or ":" in entry.filename:
        raise refuse(f"holds a path that leads out of it: {shown!r}")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise refuse(f"holds a link: {shown!r}")
    if entry.flag_bits & 1:
        raise refuse(f"is encrypted ({shown!r})")
    if len(name.parts) > MAX_DEPTH or any(len(part.encode()) > 200 for part in name.parts):
        raise refuse(f"holds a path that is too long: {shown!r}")
    if any(_is_system(part) for part in name.parts):
        return None
    wanted = name.name in {CARD_NAME, SEMANTICS_NAME} or name.suffix.lower() in {*KIND_OF_SUFFIX, ".ipynb"}
    target = scratch.joinpath(*name.parts)
    if target.exists():
        raise refuse(f"holds {shown!r} twice")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not wanted:
        target.touch()  # known by name only: it is listed as left out
        return None
    return target


def _copy(
    opened: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, room: int, refuse: Callable[[str], ContentError]
) -> int:
    size = 0
    with opened.open(entry) as source, target.open("wb") as sink:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > MAX_FILE_BYTES:
                raise refuse(f"holds {entry.filename[:80]!r}, which is larger than {MAX_FILE_BYTES / 1e6:,.0f} MB")
            if size > room:
                raise refuse(f"unpacks to more than {MAX_TOTAL_BYTES / 1e6:,.0f} MB")
            sink.write(chunk)
    return size


def _refusal(archive: Path) -> Callable[[str], ContentError]:
    def refuse(what: str) -> ContentError:
        fix = "unpack it, look at it, and name the data files"
        return ContentError(f"{archive.name!r} {what}", where=str(archive), fix=fix)

    return refuse
