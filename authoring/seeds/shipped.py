"""The seeds that come with the program: real data under licences that allow passing it on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from authoring.seeds.adding import file_digests, store_files
from authoring.seeds.intake import check_files
from authoring.seeds.profile import PROFILE_VERSION, Profile
from authoring.seeds.profiling import build_profile
from authoring.store.seeds import insert_seed, list_seeds
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError

if TYPE_CHECKING:
    from evaluator.session import Engine

SHIPPED_SEEDS_DIR: Final = Path(__file__).resolve().parent.parent.parent / "seeds"
CACHE_NAME: Final = "profile.json"
MAX_CARD_BYTES: Final = 100_000


def load_shipped_seeds(ws: Workspace, engine: "Engine | None" = None) -> tuple[int, ...]:
    """Add the shipped seeds that the workspace does not have yet, and return their ids.

    The profiles stored beside the data are used while they fit the files; otherwise `engine` makes new ones.

    Raises:
        ContentError: If a shipped seed is not as its card says.
        ToolkitError: If a profile is stale and there is no engine.
    """
    present = {seed.name.casefold() for seed in list_seeds(ws)}
    return tuple(_load(ws, folder, engine) for folder in _folders() if folder.name.casefold() not in present)


def renew_profiles() -> None:
    """Profile all shipped seeds anew: after their data or `PROFILE_VERSION` changed (see seeds/README.md)."""
    from evaluator.session import Engine

    with Engine(trusted=True) as engine:
        for folder in _folders():
            write_profile_cache(folder, engine)


def _folders() -> list[Path]:
    return [card.parent for card in sorted(SHIPPED_SEEDS_DIR.glob("*/seed.yaml"))]


def write_profile_cache(folder: Path, engine: "Engine") -> Path:
    """Profile one shipped seed and store the result beside its data."""
    files = _files(folder, read_card(folder))
    cached = {
        "files": file_digests(files),
        "profile": build_profile(engine, files).to_json(),
    }
    target = folder / CACHE_NAME
    target.write_text(json.dumps(cached, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return target


def read_card(folder: Path) -> dict[str, Any]:
    """Return the fields of a seed's card (`seed.yaml`).

    Raises:
        ContentError: If it is broken or lacks the name, the files or the licence.
    """
    import yaml

    card = folder / "seed.yaml"
    try:
        fields = yaml.safe_load(card.read_bytes()[:MAX_CARD_BYTES].decode("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ContentError(f"the card of seed {folder.name!r} cannot be read: {error}", where=str(card)) from error
    wanted = ("name", "files", "licence")
    lacking = [key for key in wanted if not isinstance(fields, dict) or not fields.get(key)]
    if lacking:
        what = f"the card of seed {folder.name!r} lacks {', '.join(lacking)}"
        raise ContentError(what, where=str(card), fix="see seeds/README.md")
    return dict(fields)


def _load(ws: Workspace, folder: Path, engine: "Engine | None") -> int:
    card = read_card(folder)
    files = _files(folder, card)
    digests = file_digests(files)
    profile = _cached_profile(folder, digests)
    if profile is None:
        if engine is None:
            raise ToolkitError(f"the stored profile of seed {folder.name!r} does not fit its files", where=str(folder))
        profile = build_profile(engine, files)
    return insert_seed(
        ws,
        name=str(card["name"]),
        title=str(card.get("title", "")),
        files=store_files(ws, files, digests),
        profile=profile.to_json(),
        description=_text(card, "description"),
        source_url=_text(card, "source_url"),
        licence=_text(card, "licence"),
        created_by="benchwright",
    )


def _text(card: Mapping[str, Any], key: str) -> str:
    return str(card.get(key) or "")


def _files(folder: Path, card: Mapping[str, Any]) -> list[Path]:
    files = [folder / str(name) for name in card["files"]]
    check_files(files)
    return files


def _cached_profile(folder: Path, digests: Mapping[str, str]) -> Profile | None:
    """Return the profile stored beside the data if it was made of these files by this version."""
    cache = folder / CACHE_NAME
    if not cache.is_file():
        return None
    try:
        cached = json.loads(cache.read_text(encoding="utf-8"))
        if cached["files"] != dict(digests) or cached["profile"]["version"] != PROFILE_VERSION:
            return None
        return Profile.from_json(cached["profile"])
    except (ValueError, KeyError, TypeError, ContentError):
        return None
