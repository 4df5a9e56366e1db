"""Seeds that are accepted, where their files go, and the seeds that come with the program."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from authoring.seeds import (
    SHIPPED_SEEDS_DIR,
    NotebookCell,
    Profile,
    SeedCard,
    add_seed,
    build_profile,
    load_shipped_seeds,
    materialise_inputs,
    read_notebook,
)
from authoring.seeds.adding import free_name
from authoring.seeds.licences import SPDX, LicenceKind, licence_advice
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.database.names import MAX_NAME_LENGTH, check_name
from authoring.store.drafting.seeds import find_seed, list_seeds
from authoring.store.workspace import Workspace
from tests.seeds.read_here import HERE

SHIPPED = sorted(card.parent.name for card in SHIPPED_SEEDS_DIR.glob("*/seed.yaml"))


def test_a_seed_keeps_its_files_notebook_and_profile(workspace: Workspace, tmp_path: Path) -> None:
    data, book = tmp_path / "trips 2024.csv", tmp_path / "about.ipynb"
    data.write_text("city,km\nOslo,3\nRome,4\n")
    cells = [
        {"cell_type": "markdown", "source": ["# Trips\n", "by bike"]},
        {"cell_type": "code", "source": "df.head()", "outputs": [{"output_type": "stream", "text": "x" * 1000}]},
        {"cell_type": "raw", "source": "left out"},
    ]
    book.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    seed_id = add_seed(workspace, [data], notebook=book, name="trips", facts=SeedCard(licence="CC0-1.0"), engine=HERE)
    seed = find_seed(workspace, seed_id)
    assert (seed.name, seed.licence, [file.name for file in seed.files]) == ("trips", "CC0-1.0", ["trips 2024.csv"])
    assert seed.profile is not None
    assert [column.name for column in Profile.from_json(seed.profile).tables[0].columns] == ["city", "km"]
    assert read_notebook(workspace, seed) == (
        NotebookCell("markdown", "# Trips\nby bike"),
        NotebookCell("code", "df.head()"),
    )
    folder = materialise_inputs(workspace, "trips", tmp_path / "inputs")
    assert (folder / "trips 2024.csv").read_bytes() == data.read_bytes()
    (folder / "trips 2024.csv").write_text("changed")  # a copy
    assert workspace.blob_path(seed.files[0].digest).read_bytes() == data.read_bytes()


def test_a_new_workspace_starts_with_the_shipped_seeds_once(tmp_path: Path) -> None:
    assert len(SHIPPED) >= 6
    ws = open_workspace(tmp_path / "ws")
    seeds = list_seeds(ws)
    assert sorted(seed.name for seed in seeds) == SHIPPED
    assert all(seed.profile and seed.licence and seed.title and seed.source_url for seed in seeds)
    assert load_shipped_seeds(ws) == ()
    assert len(list_seeds(open_workspace(tmp_path / "ws"))) == len(SHIPPED)


def test_several_first_openings_at_once_add_the_seeds_once(workspace: Workspace) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert len(list(pool.map(open_workspace, [workspace.root] * 3))) == 3
    assert sorted(seed.name for seed in list_seeds(workspace)) == SHIPPED


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.deep)])
def test_the_stored_profiles_are_what_profiling_gives(every: int) -> None:
    for cache in sorted(SHIPPED_SEEDS_DIR.glob("*/profile.json"))[::every]:
        stored = json.loads(cache.read_text(encoding="utf-8"))
        files = [cache.parent / name for name in stored["files"]]
        assert build_profile(HERE, files).to_json() == stored["profile"], cache


def test_a_free_name_is_the_files_own_and_numbered_when_it_is_taken() -> None:
    assert free_name("trips.csv", []) == "trips"
    assert free_name("Été à Nice (2).csv", []) == "Ete-a-Nice-2"
    assert free_name("trips.csv", ["Trips", "trips-2"]) == "trips-3"
    assert free_name("2024.csv", []) == "seed-2024"
    assert free_name("数据.csv", ["seed"]) == "seed-2"
    for odd in ("x" * 200 + ".csv", "-..csv", "a" * 53 + "--b.csv", "'.csv", ""):
        name = free_name(odd, [free_name(odd, [])])
        assert check_name(name, kind="seed") == name
        assert len(name) <= MAX_NAME_LENGTH


LICENCES = (
    ("", LicenceKind.MISSING, ""),
    ("unknown", LicenceKind.MISSING, ""),
    ("CC-BY-4.0", LicenceKind.KNOWN, "CC-BY-4.0"),
    ("public domain (United States government work)", LicenceKind.KNOWN, ""),
    ("cc by 4.0", LicenceKind.NEAR, "CC-BY-4.0"),
    ("Creative Commons Attribution-ShareAlike 4.0 International License", LicenceKind.NEAR, "CC-BY-SA-4.0"),
    ("https://creativecommons.org/licenses/by/3.0/", LicenceKind.NEAR, "CC-BY-3.0"),
    ("odbl", LicenceKind.NEAR, "ODbL-1.0"),
    ("Apachee-2.0", LicenceKind.NEAR, "Apache-2.0"),
    ("Apache-1.0", LicenceKind.UNKNOWN, ""),
    ("CC-BY-5.0", LicenceKind.UNKNOWN, ""),
    ("CC-BY-NonCommercial-4.0", LicenceKind.NEAR, "CC-BY-NC-4.0"),
    ("MIT License", LicenceKind.NEAR, "MIT"),
    ("CC-BY-NC-4.0", LicenceKind.RESTRICTED, "CC-BY-NC-4.0"),
    ("All rights reserved", LicenceKind.FORBIDDEN, ""),
    ("may not be redistributed", LicenceKind.FORBIDDEN, ""),
    ("Redistribution is prohibited", LicenceKind.FORBIDDEN, ""),
    ("as our partners agreed", LicenceKind.UNKNOWN, ""),
)
GUESSED = {
    "cc by 4.0": "the SPDX identifier is CC-BY-4.0",
    "CC BY": "the SPDX identifier may be CC-BY-4.0: no version is named",
    "GPL": "may be GPL-3.0-only: no version is named, nor is it said whether later versions hold too",
    "GPL 3.0 only": "the SPDX identifier is GPL-3.0-only",
}


def test_a_stated_licence_is_judged_and_what_it_leaves_open_is_told() -> None:
    for stated, kind, spdx in LICENCES:
        advice = licence_advice(stated)
        assert (advice.kind, advice.spdx) == (kind, spdx), stated
        assert bool(advice.text) == (kind is not LicenceKind.KNOWN), stated
    for stated, said in GUESSED.items():
        assert licence_advice(stated).text.endswith(said)


def test_every_identifier_is_known_as_it_is_written() -> None:
    for name in SPDX:
        assert licence_advice(name).spdx == name
        assert licence_advice(name.lower()).spdx == name
