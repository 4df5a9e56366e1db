"""Refining, suggestions, the pool of examples, and sketches as files, on the command line and as a job."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.store import problemsets
from authoring.store.drafting.seeds import insert_seed
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.cli.conftest import Serve
from tests.scripted_model import Say

pytestmark = pytest.mark.kernel
Command = Callable[..., Any]

SET = '# %%\n"""\nquery: What is 1 and 1?\n"""\n1 + 1\n# %%\n"""\nquery: What is 2 and 2?\n"""\n2 + 2\n'
CELL = '```python\n# %% problem: p1\n"""\nquery: What is 5 and 1?\n"""\n5 + 1\n```'


def test_a_refined_problem_goes_through_suggestion_decision_and_pool(
    benchwright: Command, tmp_path: Path, serve: Serve
) -> None:
    problemsets.create(Workspace.open(tmp_path / "w"), name="sums", text=SET, author="Ann", origin=Origin.PERSON)
    where = ("--workspace", "w", "--json")
    serve([Say(CELL)])
    made = benchwright("refine", "sums", "--problems", "1", "--suggest", "--model", "m", *where)
    assert (made.code, made.json["problems"], made.json["suggestions"], made.json["id"]) == (0, ["p1"], [1], None)
    (listed,) = benchwright("suggestion", "list", "sums", *where).json["suggestions"]
    assert (listed["stale"], "What is 5" in listed["new_text"]) == (False, True)
    (tmp_path / "cell.py").write_text('"""\nquery: What is 6 and 1?\n"""\n6 + 1\n', encoding="utf-8")
    changed = benchwright("suggestion", "change", "1", "cell.py", "--by", "Ann", *where)
    assert (changed.code, changed.json["status"], changed.json["number"]) == (0, "changed", 2)
    for words in (("accept", "1"), ("refuse", "1", "--reason", "late")):
        again = benchwright("suggestion", *words, "--by", "Bo", *where)
        assert (again.code, "decided before" in again.json["error"]["what"]) == (1, True)
    assert benchwright("refine", "sums", "--problems", "p9", "--model", "m", *where).code == 2
    assert benchwright("accept", "sums", "--by", "Bo", *where).code == 0
    assert benchwright("example", "exclude", "sums", "--by", "Ann", *where).json["excluded"] is True
    assert [row["excluded"] for row in benchwright("example", "list", *where).json["examples"]] == [True]
    assert benchwright("example", "include", "sums", "--by", "Ann", *where).json["excluded"] is False


def test_a_sketch_is_shown_edited_and_commented_on(benchwright: Command, tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path / "w")
    seed = insert_seed(ws, name="trips", files=[], profile=None)
    insert_sketch(ws, seed_id=seed, author="model", rng_seed=0, items=[SketchItem(1, "Load it.")], provenance={})
    where = ("--workspace", "w", "--json")
    assert benchwright("sketch", "show", "trips-1", "--out", "plan.yaml", *where).json["number"] == 1
    plan = tmp_path / "plan.yaml"
    plan.write_text(plan.read_text(encoding="utf-8").replace("Load it.", "Load all."), encoding="utf-8")
    edited = benchwright("sketch", "edit", "trips-1", "plan.yaml", "--by", "Ann", *where)
    assert (edited.code, edited.json["number"], edited.json["items"][0]["query_idea"]) == (0, 2, "Load all.")
    plan.write_text(plan.read_text(encoding="utf-8").replace("Load all.", "Load a part."), encoding="utf-8")
    late = benchwright("sketch", "edit", "trips-1", "plan.yaml", "--by", "Bo", *where)
    assert (late.code, "version 2 is newer" in late.json["error"]["what"]) == (1, True)
    assert benchwright("sketch", "comment", "trips-1", "say more", "--item", "1", "--by", "Bo", *where).json["id"] == 1
    assert benchwright("sketch", "show", "trips-1", *where).json["comments"][0]["text"] == "say more"
    assert benchwright("sketch", "trips", "--mix", "tough=1", *where).code == 2


def test_a_wish_that_the_author_would_not_hear_is_refused(benchwright: Command) -> None:
    model = ("--author", "model", "--model", "m")
    for wish, where in ((("--mix", "easy=3"), "--mix"), ((*model, "--difficulty", "hard"), "--difficulty")):
        done = benchwright("sketch", "penguins", *wish, "--json")
        assert (done.code, done.json["error"]["where"]) == (2, where)


def test_exporting_what_is_no_file_names_the_way_into_a_workspace(benchwright: Command) -> None:
    done = benchwright("export", "notebook", "shop-1@2", "--json")
    assert (done.code, "--workspace W" in done.json["error"]["fix"]) == (2, True)
