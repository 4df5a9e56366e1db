"""Seeds that are accepted, where their files go, and the seeds that come with the program."""

import json
from pathlib import Path

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
from authoring.store.database.names import MAX_NAME_LENGTH, check_name
from authoring.store.drafting.seeds import find_seed, list_seeds
from authoring.store.workspace import Workspace
from evaluator.session import Engine


def test_a_seed_keeps_its_files_notebook_and_profile(workspace: Workspace, engine: Engine, tmp_path: Path) -> None:
    data, book = tmp_path / "trips 2024.csv", tmp_path / "about.ipynb"
    data.write_text("city,km\nOslo,3\nRome,4\n")
    cells = [
        {"cell_type": "markdown", "source": ["# Trips\n", "by bike"]},
        {"cell_type": "code", "source": "df.head()", "outputs": [{"output_type": "stream", "text": "x" * 1000}]},
        {"cell_type": "raw", "source": "left out"},
    ]
    book.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    seed_id = add_seed(workspace, [data], notebook=book, name="trips", facts=SeedCard(licence="CC0-1.0"), engine=engine)
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


def test_materialised_files_are_copies_that_may_be_changed(
    workspace: Workspace, engine: Engine, tmp_path: Path
) -> None:
    data = tmp_path / "a.csv"
    data.write_text("a,b\n1,2\n")
    seed = find_seed(workspace, add_seed(workspace, [data], name="one", engine=engine))
    folder = materialise_inputs(workspace, {"x.csv": seed.files[0].digest}, tmp_path / "inputs")
    (folder / "x.csv").write_text("changed")
    assert workspace.blob_path(seed.files[0].digest).read_text() == "a,b\n1,2\n"


def test_the_shipped_seeds_load_without_an_engine_and_only_once(workspace: Workspace) -> None:
    ids = load_shipped_seeds(workspace)
    assert len(ids) >= 6
    assert all(seed.profile and seed.licence and seed.title for seed in list_seeds(workspace))
    assert load_shipped_seeds(workspace) == ()


def test_the_stored_profiles_are_what_profiling_gives(engine: Engine) -> None:
    for cache in sorted(SHIPPED_SEEDS_DIR.glob("*/profile.json")):
        stored = json.loads(cache.read_text(encoding="utf-8"))
        files = [cache.parent / name for name in stored["files"]]
        assert build_profile(engine, files).to_json() == stored["profile"], cache


def test_a_free_name_is_the_files_own_as_far_as_a_name_may_be_so_and_numbered_when_it_is_taken() -> None:
    assert free_name("trips.csv", []) == "trips"
    assert free_name("Été à Nice (2).csv", []) == "Ete-a-Nice-2"
    assert free_name("trips.csv", ["Trips", "trips-2"]) == "trips-3"
    assert free_name("2024.csv", []) == "seed-2024"
    assert free_name("数据.csv", ["seed"]) == "seed-2"
    for odd in ("x" * 200 + ".csv", "-..csv", "a" * 53 + "--b.csv", "'.csv", ""):
        name = free_name(odd, [free_name(odd, [])])
        assert check_name(name, kind="seed") == name
        assert len(name) <= MAX_NAME_LENGTH
