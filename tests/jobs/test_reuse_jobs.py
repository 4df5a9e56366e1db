"""The jobs that draw a seed, draft on topics, gather comments, translate, refine, generalise, import a benchmark."""

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from authoring.drafting.topics.topic import known_topics
from authoring.generalising.template import parse_template
from authoring.store import jobs, problemsets, revisions
from authoring.store.drafting.seeds import find_seed, list_seeds
from authoring.store.model_calls import job_spending
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from tests.cli.conftest import Serve
from tests.drafting.test_translating import translator
from tests.generalising.test_templates import SMALL, table
from tests.scripted_model import Say

pytestmark = pytest.mark.kernel
Do = Callable[..., dict[str, Any]]
TOPICS = [{"title": "Sorting", "modules": ["numpy"], "description": "Ways to sort."}]
CELLS = "\n".join(
    f'# %%\n"""\nquery: |\n  Return the sum of {n} and {n + 7} as an integer.\n"""\n\n{n} + {n + 7}\n'
    for n in range(10)
)


@pytest.mark.usefixtures("nothing_fails")
def test_topics_are_proposed_and_one_of_them_is_drafted(
    workspace: Workspace, do: Do, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
    model = serve([Say(f"```json\n{json.dumps(TOPICS)}\n```"), Say(f"```python\n{CELLS}```")])
    with pytest.raises(UsageError, match="a budget of -1 tokens is none"):
        do("topics", {"modules": ["numpy"], "budget": {"tokens": -1}})
    assert model.requests == []
    made = do("topics", {"modules": ["numpy"], "count": 1, "budget": {"tokens": 90_000}, "model": None})
    assert made == {"topics": [{"title": "Sorting", "modules": ["numpy"]}], "left_out": 0}
    (topic,) = known_topics(workspace)
    order = {"title": topic.title, "modules": list(topic.modules), "seed": None, "name": "sums", "created_by": "Mei"}
    drafted = do("topic_draft", order)
    row = problemsets.find(workspace, drafted["problemset"])
    assert (row.name, row.problem_count, revisions.find(workspace, drafted["revision"]).author) == ("sums", 10, "Mei")
    assert all(job_spending(workspace, job.id)[0] for job in jobs.select(workspace, 2))


def test_comments_are_gathered_into_amendments_without_a_model(do: Do) -> None:
    made = do("guide", {"author": "template", "all_times": True})
    assert (made["amendments"], made["comments"]) == ([], 0)


def test_a_benchmark_is_imported_from_its_archive(workspace: Workspace, trips: Revision, do: Do) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("city-2/_manifest.yaml", 'name: city\nversion: "2"\n')
        archive.writestr("city-2/rides.py", trips.text)
        archive.writestr("city-2/_inputs/trips.csv", "borough,fare\nQueens,10.5\n")
    file = {"name": "bench.zip", "digest": workspace.put_bytes(stream.getvalue())}
    made = do("import_benchmark", {"file": file})
    assert (made["benchmark"], made["refused"], problemsets.find(workspace, "rides").problem_count) == ("city 2", [], 2)
    with pytest.raises(ContentError):
        do("import_benchmark", {"file": {"name": "bench.zip", "digest": workspace.put_bytes(b"no archive")}})


FIELDS = """\
title: Orders of a made-up shop
tables:
- file: orders.csv
  rows: 40
  fields:
  - {name: order_no, kind: id}
  - {name: product, kind: category, values: [seeds, pots]}
"""


def test_a_seed_is_drawn_from_stated_fields_and_marked_synthetic(workspace: Workspace, do: Do) -> None:
    made = do("seed_make", {"name": "shop", "statement": FIELDS, "rng_seed": 7, "created_by": "Mei"})
    seed = find_seed(workspace, made["id"])
    assert (seed.name, seed.synthetic, seed.created_by, seed.licence) == ("shop", True, "Mei", "CC0-1.0")
    assert "rng_seed: 7" in made["statement"]
    assert [each["rows"] for each in (seed.profile or {})["tables"]] == [40]
    with pytest.raises(UsageError, match="already a seed called 'Shop'"):
        do("seed_make", {"name": "Shop", "topic": "orders"})
    with pytest.raises(UsageError, match="either by a statement, or by a model"):
        do("seed_make", {"name": "other"})
    with pytest.raises(ContentError, match="rows") as refused:
        do("seed_make", {"name": "other", "statement": FIELDS.replace("40", "-1")})
    assert (refused.value.where, len(list_seeds(workspace))) == ("Fields", 1)


def test_a_model_states_the_fields_of_a_topic(workspace: Workspace, do: Do, serve: Serve) -> None:
    model = serve([Say(f"```yaml\n{FIELDS}```")])
    made = do("seed_make", {"name": "shop", "topic": "orders of a garden shop", "model": "m"})
    assert "orders of a garden shop" in model.prompts[0]
    assert find_seed(workspace, made["id"]).synthetic


@pytest.fixture
def sales(workspace: Workspace, do: Do) -> int:
    """Two seeds of like form, and a problemset on the first one; its head revision's id."""
    shapes = {
        "orders": ("order_no,region,channel,ordered_on,net_revenue", ("north", "south", "west"), ("web", "shop"), 31.0),
        "visits": ("visit_id,ward,insurance,visited_on,cost_usd", ("A1", "B2", "C3"), ("public", "own", "none"), 0.02),
    }
    for name, shape in shapes.items():
        file = {"name": f"{name}.csv", "digest": workspace.put_bytes(table(*shape).encode())}
        do("seed_add", {"name": name, "files": [file]})
    seed = find_seed(workspace, "orders")
    of_seed: dict[str, Any] = {"seed_id": seed.id, "inputs": {file.name: file.digest for file in seed.files}}
    return problemsets.create(workspace, name="sales", text=SMALL, author="Ann", origin=Origin.PERSON, **of_seed).id


def test_a_problemset_becomes_a_template_and_one_on_other_data(workspace: Workspace, do: Do, sales: int) -> None:
    made = do("generalise", {"problemset": sales})
    assert parse_template(made["text"], where="t").problems == made["problems"]
    assert made["columns"]["region"]["name"] == "region"
    assert made["values"]["value1"]["was"] == "north"

    put = do("instantiate", {"problemset": sales, "seed": "visits", "columns": {"region": "ward"}, "created_by": "Mei"})
    row = problemsets.find(workspace, put["id"])
    assert (row.name, row.problem_count) == ("sales-visits", put["problems"])
    assert revisions.find(workspace, put["revision"]).author == "Mei"
    assert "constant" in [finding["problem"] for finding in put["findings"]]
    assert all(finding["what"] and finding["fix"] for finding in put["findings"])

    edited = made["text"].replace("How many <<table1.rows>>", "Count: how many <<table1.rows>>")
    template = {"name": "edited.yaml", "digest": workspace.put_bytes(edited.encode())}
    again = do("instantiate", {"template": template, "seed": "visits", "name": "edited"})
    assert "Count: how many" in revisions.find(workspace, again["revision"]).text
    broken = {"name": "../broken.yaml", "digest": workspace.put_bytes(b"template: 1\n")}
    with pytest.raises(ContentError) as refused:
        do("instantiate", {"template": broken, "seed": "visits"})
    assert refused.value.where == "broken.yaml"
    with pytest.raises(UsageError, match="neither a template nor a problemset"):
        do("instantiate", {"seed": "visits"})


def test_a_problemset_is_translated_into_a_new_one(workspace: Workspace, do: Do, sales: int, serve: Serve) -> None:
    serve(translator)
    made = do("translate", {"problemset": sales, "language": "zh", "model": "m"})
    with pytest.raises(UsageError, match="cannot be written in 'fr'"):
        do("translate", {"problemset": sales, "language": "fr", "model": "m"})
    row = problemsets.find(workspace, made["id"])
    assert (row.name, row.seed_id) == ("sales-zh", find_seed(workspace, "orders").id)
    assert "译" in revisions.find(workspace, made["revision"]).text


CELL = '```python\n# %% problem: p1\n"""\nquery: What is the highest fare?\n"""\nfare = trips["fare"].max()\nfare\n```'


@pytest.mark.usefixtures("no_trials")
def test_a_refined_revision_comes_with_its_dry_run(workspace: Workspace, trips: Revision, do: Do, serve: Serve) -> None:
    serve([Say(CELL)])
    made = do("refine", {"problemset": trips.problemset_id, "problems": ["p1"], "model": "m"})
    assert "highest fare" in revisions.find(workspace, made["revision"]).text
    assert isinstance(made["dry_run"], int)
