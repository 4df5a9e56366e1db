"""The card of a seed (`seed.yaml`): what a folder or an archive says about its own data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError

CARD_NAME: Final = "seed.yaml"
MAX_CARD_BYTES: Final = 100_000
MAX_FIELD_CHARS: Final = 5_000
_TEXTS: Final = ("name", "title", "description", "source_url", "licence", "published_on", "popularity")


@dataclass(frozen=True, kw_only=True)
class SeedCard:
    """What is stated about a seed; empty: not stated."""

    name: str = ""
    title: str = ""
    description: str = ""
    source_url: str = ""
    licence: str = ""
    published_on: str = ""  # when the data was published, ISO 8601
    popularity: str = ""  # such as "1,200 votes"; sets that models may know by heart are told by it
    synthetic: bool = False  # made by a program, not collected
    files: tuple[str, ...] = ()  # the data files among those beside the card; empty: all of them

    def with_texts(self, *, synthetic: bool = False, **texts: str) -> "SeedCard":
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
    texts = {key: _text(fields, key, path) for key in _TEXTS}
    return SeedCard(**texts, synthetic=fields.get("synthetic") is True, files=_files(fields, path))


def _text(fields: Mapping[Any, Any], key: str, path: Path) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if isinstance(value, list | dict | bytes):
        raise ContentError(f"{key!r} of the card is no text", where=str(path), fix=f"write '{key}: ...' on one line")
    return str(value)[:MAX_FIELD_CHARS]


def _files(fields: Mapping[Any, Any], path: Path) -> tuple[str, ...]:
    value = fields.get("files") or []
    if not isinstance(value, list) or not all(isinstance(name, str) and Path(name).name == name for name in value):
        raise ContentError("'files' of the card is no list of file names", where=str(path), fix="name the data files")
    return tuple(value)
