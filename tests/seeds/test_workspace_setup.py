"""Opening a workspace: the shipped seeds are in a new one, once."""

import threading
from pathlib import Path

from authoring.seeds import SHIPPED_SEEDS_DIR
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.drafting.seeds import list_seeds
from authoring.store.workspace import Workspace

SHIPPED = sorted(card.parent.name for card in SHIPPED_SEEDS_DIR.glob("*/seed.yaml"))


def names(ws: Workspace) -> list[str]:
    return sorted(seed.name for seed in list_seeds(ws))


def test_a_new_workspace_starts_with_the_shipped_seeds_once(tmp_path: Path) -> None:
    assert len(SHIPPED) >= 6
    assert names(open_workspace(tmp_path / "ws")) == SHIPPED
    assert names(open_workspace(tmp_path / "ws")) == SHIPPED


def test_every_shipped_seed_comes_with_profile_and_licence(tmp_path: Path) -> None:
    for seed in list_seeds(open_workspace(tmp_path / "ws")):
        assert seed.profile is not None
        assert seed.licence
        assert seed.source_url


def test_several_first_openings_at_once_add_the_seeds_once(tmp_path: Path) -> None:
    Workspace.open(tmp_path / "ws")
    failures: list[BaseException] = []

    def first() -> None:
        try:
            open_workspace(tmp_path / "ws")
        except BaseException as error:  # noqa: BLE001 - the test reports it
            failures.append(error)

    threads = [threading.Thread(target=first) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert names(open_workspace(tmp_path / "ws")) == SHIPPED
