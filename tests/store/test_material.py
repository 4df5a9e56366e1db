from collections.abc import Callable
from typing import Any

import pytest

from authoring.store import dry_runs, releases, runs
from authoring.store.database.connections import ConflictError
from authoring.store.drafting.seeds import SeedFacts, SeedFile, find_seed, insert_seed, list_seeds, save_profile
from authoring.store.drafting.sketches import SketchItem, find_sketch, insert_sketch, list_sketches, save_sketch
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.runs import count_attempts, count_attempts_by_set, index_attempts, list_attempts
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

MakeSet = Callable[..., Revision]
ITEMS = (
    SketchItem(1, "load the trips", ("read_csv",)),
    SketchItem(2, "mean fare by borough", ("groupby", "mean"), (1,), "easy", "aggregate", {"by": "borough"}),
)


FILE = SeedFile("trips 2024.csv", "ab" * 32, 12, "csv")


def seed(ws: Workspace, name: str = "trips") -> int:
    return insert_seed(ws, name=name, files=[FILE], facts=SeedFacts(licence="CC0-1.0"))


def test_a_seed_keeps_its_files_and_its_newest_profile(workspace: Workspace) -> None:
    seed_id = seed(workspace)
    assert find_seed(workspace, "trips").profile is None
    save_profile(workspace, seed_id, {"rows": 1})
    save_profile(workspace, seed_id, {"rows": 2})
    found = find_seed(workspace, str(seed_id))
    assert (found.files, found.profile) == ((FILE,), {"rows": 2})
    assert list_seeds(workspace) == [found]
    with pytest.raises(UsageError, match="already a seed called 'trips'"):
        seed(workspace, "Trips")


def test_a_sketch_is_numbered_and_an_edit_is_its_next_version_once(workspace: Workspace) -> None:
    seed_id = seed(workspace)
    facts: dict[str, Any] = {"seed_id": seed_id, "author": "template", "items": ITEMS}
    made = [insert_sketch(workspace, rng_seed=n, provenance={"n": n}, **facts) for n in range(2)]
    assert [sketch.name for sketch in list_sketches(workspace, seed_id)] == ["trips-1", "trips-2"]
    found = find_sketch(workspace, "trips-2")
    assert (found.id, found.items, found.provenance, found.rng_seed) == (made[1], ITEMS, {"n": 1}, 1)
    edited = save_sketch(workspace, made[0], ITEMS[:1], author="Ann", base_number=1)
    assert (edited.items, edited.head_number) == (ITEMS[:1], 2)
    with pytest.raises(ConflictError, match="version 2 is newer than 1"):
        save_sketch(workspace, made[0], ITEMS, author="Bo", base_number=1)


def test_a_dry_run_comes_back_whole_or_light(workspace: Workspace, make_set: MakeSet) -> None:
    revision = make_set()
    shown: dict[str, Any] = {"outputs": [{"output_type": "stream", "text": "hé"}], "variables": [{"name": "fare"}]}
    shown |= {"error": {"name": "KeyError"}, "reasons": {"empty": "no result"}, "agent_code": "x"}
    problem = DryRunProblem(1, "p1", 0.25, "CORRECT", "WRONG_OUTPUT", **shown)
    of: dict[str, Any] = {"revision_id": revision.id, "environment": "e"}
    first = dry_runs.save(workspace, **of, sandbox="bwrap", problems=[problem], summary={"passed": 1})
    second = dry_runs.save(workspace, **of, sandbox="none", problems=[], summary={})
    found = dry_runs.find(workspace, first)
    assert (found.problems, found.summary, found.sandbox) == ((problem,), {"passed": 1}, "bwrap")
    (light,) = dry_runs.find(workspace, first, light=True).problems
    assert (light.reference_verdict, light.outputs) == ("CORRECT", [])
    latest = dry_runs.latest(workspace, revision.id)
    assert (latest and latest.id) == second
    assert dry_runs.newest_up_to(workspace, [revision.id, 99]) == {
        revision.id: dry_runs.NewestDryRun(1, dry_runs.find(workspace, second, light=True))
    }
    assert dry_runs.latest(workspace, 99) is None


def test_a_release_is_found_by_id_name_and_version(workspace: Workspace, make_set: MakeSet) -> None:
    item = (make_set().id, "trips-1")
    one = releases.insert(workspace, name="bench", version="1.0", digest="d1", path="out/1", items=[item])
    two = releases.insert(workspace, name="bench", version="1.1", digest="d2", path="out/2", items=[item])
    assert releases.find(workspace, "bench").id == two
    assert releases.find(workspace, "bench@1.0").id == one
    assert releases.find(workspace, str(one)).items == (item,)
    assert [release.id for release in releases.select(workspace)] == [two, one]
    with pytest.raises(UsageError, match=r"no release 'bench@2'"):
        releases.find(workspace, "bench@2")
    assert releases.insert(workspace, name="bench", version="1.0", digest="d1", path="b", items=[item]) == one
    assert releases.find(workspace, one).path == "b"  # frozen, but it may be written again
    with pytest.raises(UsageError, match="exists with other content"):
        releases.insert(workspace, name="bench", version="1.0", digest="e", path="a", items=[item])


def test_records_of_a_run_are_indexed_once_and_counted(workspace: Workspace) -> None:
    run = runs.insert(workspace, release="bench 1", agent="oracle", out_dir="out", summary={})
    records = [
        {"problemset": f"set-{number % 3}", "index": number // 3 + 1, "attempt": 1, "verdict": verdict, "code": "x"}
        for number, verdict in enumerate(["CORRECT", "CRASH"] * 600)
    ]
    assert index_attempts(workspace, run, records) == 1200
    assert index_attempts(workspace, run, records[:10]) == 10
    assert count_attempts(workspace, run) == {"CORRECT": 600, "CRASH": 600}
    assert sum(count_attempts_by_set(workspace, run)["set-0"].values()) == 400
    page = list_attempts(workspace, run, verdict="CRASH", limit=5, offset=5)
    assert [row.verdict for row in page] == ["CRASH"] * 5
    assert page[0].record["code"] == "x"
    assert {row.problemset for row in list_attempts(workspace, run, problemset="set-2")} == {"set-2"}


def test_a_repeated_run_into_the_same_folder_is_the_same_run(workspace: Workspace) -> None:
    run = runs.insert(workspace, release="bench 1", agent="oracle", out_dir="out", summary={})
    assert runs.insert(workspace, release="bench 1", agent="oracle", out_dir="out", summary={"n": 1}) == run
    assert runs.find(workspace, run).summary == {"n": 1}
    assert [found.id for found in runs.select(workspace)] == [run]
    with pytest.raises(UsageError, match="no run has the id 9"):
        runs.find(workspace, 9)


def test_all_seeds_are_read_at_once_as_each_alone(workspace: Workspace) -> None:
    for name, parts in {"one": "ba", "two": "ba", "bare": ""}.items():
        files = [SeedFile(f"{name}-{part}.csv", "ab" * 32, 3, "csv") for part in parts]
        insert_seed(workspace, name=name, files=files, profile={"tables": [name]} if parts else None)
    assert list_seeds(workspace) == [find_seed(workspace, name) for name in ("one", "two", "bare")]


def test_a_stored_profile_that_is_none_costs_that_seed_alone(workspace: Workspace) -> None:
    whole = seed(workspace, "whole")
    save_profile(workspace, whole, {"rows": 1})
    for number, body in enumerate(('{"tables": [', "", "[1, 2]", "[" * 100_000)):
        broken = seed(workspace, f"broken-{number}")
        save_profile(workspace, broken, {"rows": 2})
        with workspace.write() as db:
            db.execute("UPDATE profile SET body = ? WHERE seed_id = ?", [body, broken])
    found = {seed.name: seed.profile for seed in list_seeds(workspace)}
    assert found == {"whole": {"rows": 1}, **{f"broken-{number}": {} for number in range(4)}}
    assert find_seed(workspace, whole).profile == {"rows": 1}
