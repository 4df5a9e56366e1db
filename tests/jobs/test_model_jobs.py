"""The jobs in which a model proposes topics and writes on them, comments are gathered, and a benchmark is imported."""

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from authoring.drafting.topics.topic import known_topics
from authoring.store import jobs, problemsets, revisions
from authoring.store.model_calls import job_spending
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from tests.cli.conftest import Serve
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
    serve([Say(f"```json\n{json.dumps(TOPICS)}\n```"), Say(f"```python\n{CELLS}```")])
    made = do("topics", {"modules": ["numpy"], "count": 1, "budget": {"tokens": 90_000}, "model": None})
    assert made == {"topics": [{"title": "Sorting", "modules": ["numpy"]}], "left_out": 0}
    (topic,) = known_topics(workspace)
    order = {"title": topic.title, "modules": list(topic.modules), "seed": None, "name": "sums", "created_by": "Mei"}
    drafted = do("topic_draft", order)
    row = problemsets.find(workspace, drafted["problemset"])
    assert (row.name, row.problem_count, revisions.find(workspace, drafted["revision"]).author) == ("sums", 10, "Mei")
    assert all(job_spending(workspace, job.id)[0] for job in jobs.select(workspace, 10))


def test_a_budget_in_the_order_is_kept(do: Do, serve: Serve) -> None:
    model = serve([Say("nothing")])
    with pytest.raises(UsageError, match="a budget of -1 tokens is none"):
        do("topics", {"modules": ["numpy"], "budget": {"tokens": -1}})
    assert model.requests == []


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
