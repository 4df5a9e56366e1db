"""The seeds that come with the program: real data under licences that allow passing it on."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from authoring.seeds.adding import file_digests, store_files
from authoring.seeds.bundles import SeedCard, read_card, read_semantics_file
from authoring.seeds.intake import check_files
from authoring.seeds.meanings.stored import SEMANTICS_NAME, SHIPPED_BY
from authoring.seeds.profile import PROFILE_VERSION, Profile
from authoring.seeds.profiling import build_profile
from authoring.store.drafting.seeds import insert_seed, list_seeds
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError
from evaluator.installation import HOME

if TYPE_CHECKING:
    from evaluator.session import Engine

SHIPPED_SEEDS_DIR: Final = HOME / "seeds"
CACHE_NAME: Final = "profile.json"
_REQUIRED: Final = ("name", "files", "licence")


def load_shipped_seeds(
    ws: Workspace, engine: "Engine | None" = None, *, only: Collection[str] | None = None
) -> tuple[int, ...]:
    """Add the shipped seeds that the workspace does not have yet, all or `only` those named, and return their ids.

    The profiles stored beside the data are used while they fit the files; otherwise `engine` makes new ones.

    Raises:
        ContentError: If a shipped seed is not as its card says.
        ToolkitError: If a profile is stale and there is no engine.
    """
    present = {seed.name.casefold() for seed in list_seeds(ws)}
    wanted = [folder for folder in _folders() if only is None or folder.name in only]
    return tuple(_load(ws, folder, engine) for folder in wanted if folder.name.casefold() not in present)


def shipped_seed_names() -> tuple[str, ...]:
    """Return the names of the shipped seeds, in alphabetical order."""
    return tuple(folder.name for folder in _folders())


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
    files = _files(folder, read_card(folder, required=_REQUIRED))
    cached = {
        "files": file_digests(files),
        "profile": build_profile(engine, files).to_json(),
    }
    target = folder / CACHE_NAME
    target.write_text(json.dumps(cached, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return target


def _load(ws: Workspace, folder: Path, engine: "Engine | None") -> int:
    card = read_card(folder, required=_REQUIRED)
    files = _files(folder, card)
    digests = file_digests(files)
    profile = _cached_profile(folder, digests)
    if profile is None:
        if engine is None:
            raise ToolkitError(f"the stored profile of seed {folder.name!r} does not fit its files", where=str(folder))
        profile = build_profile(engine, files)
    return insert_seed(
        ws,
        name=card.name,
        files=store_files(ws, files, digests),
        facts=card,
        profile=profile.to_json(),
        semantics=read_semantics_file(folder / SEMANTICS_NAME),
        created_by=SHIPPED_BY,
    )


def _files(folder: Path, card: SeedCard) -> list[Path]:
    files = [folder / name for name in card.files]
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
