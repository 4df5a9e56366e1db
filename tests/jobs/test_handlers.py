import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.jobs import JOB_KINDS
from authoring.jobs.handlers.execution_jobs import cap_outputs
from authoring.store import dry_runs, jobs, problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.settings import get_setting
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from tests.scripted_model import KEY, Refuse, Say, scripted_model

Do = Callable[..., dict[str, Any]]

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("no_trials")]


def test_unsaved_text_gives_outputs_and_verdicts_by_cell(workspace: Workspace, trips: Revision, do: Do) -> None:
    told: list[tuple[int, int, str]] = []
    text = trips.text.replace("mean()", "max()")
    result = do("execute", {"problemset_id": trips.problemset_id, "text": text, "upto": 1}, told=told)
    setup, first = result["cells"]
    assert (setup["position"], setup["problem"], setup["outcome"]["ending"]) == (1, None, "ok")
    assert (first["problem"], first["reference"]["verdict"]) == (1, "CORRECT")
    assert first["empty"]["verdict"] != "CORRECT"
    assert "12" in json.dumps(first["outcome"]["outputs"])
    assert told[-1][:2] == (1, 1)
    assert result["diagnostics"] == []
    assert revisions.find(workspace, trips.id).text == trips.text


def test_an_answer_validators_and_a_variable_of_unsaved_text(trips: Revision, do: Do) -> None:
    text = trips.text.replace("mean()", "max()")
    asked = {"problemset_id": trips.problemset_id, "text": text, "problem": 1}
    tried = do("try", {**asked, "code": 'print("so")\nfare = 12.0\nfare'})
    assert (tried["verdict"], tried["outputs"][0]["text"], tried["reference"]) == ("CORRECT", "so\n", "CORRECT")
    assert {part["category"] for part in tried["validation"]["reason"]} == {"crash", "namespace_intact", "result"}
    proposed = do("validators", asked)
    assert {"title", "validator", "reference_passes", "rewrites"} <= proposed["proposals"][0].keys()
    told: list[tuple[int, int, str]] = []
    order = {"problemset_id": trips.problemset_id, "text": trips.text, "position": 1, "name": "trips", "offset": 1}
    rows = do("variable_rows", order, told=told)
    assert (rows["rows"], rows["cells"]) == (3, [["Bronx", "7.0"], ["Queens", "12.0"]])
    assert rows["why"] == "it was not there before"
    do("variable_rows", {**order, "position": 2}, told=told)
    assert told[-1] == (1, 2, "cell 1 of 2")


def test_a_run_from_one_problem_on_judges_it_and_those_after_it(trips: Revision, do: Do) -> None:
    result = do("execute", {"problemset_id": trips.problemset_id, "first": 2})
    _, first, second = result["cells"]
    assert (first["outcome"]["ending"], first["reference"], second["reference"]["verdict"]) == ("ok", None, "CORRECT")


def test_a_text_with_errors_is_refused_by_its_line_and_a_check_tells_them(trips: Revision, do: Do) -> None:
    wrong = {"problemset_id": trips.problemset_id, "text": trips.text.replace("query: What", "quary: What")}
    with pytest.raises(ContentError, match="line") as caught:
        do("execute", wrong)
    assert caught.value.fix
    found = do("check", wrong)["diagnostics"]
    assert found
    assert {"code", "line", "what", "fix"} <= set(found[0])
    with pytest.raises(ContentError, match="broken character") as refused:
        do("execute", {"problemset_id": trips.problemset_id, "text": "# %%\nx = 1  # \ud800\n"})
    assert refused.value.where == "line 2"


def test_outputs_that_are_too_large_to_keep_are_replaced_by_a_sentence() -> None:
    small = {"output_type": "stream", "name": "stdout", "text": "hello"}
    huge = {"output_type": "display_data", "data": {"text/html": ["x" * 3_000_000] * 2}, "metadata": {}}
    executed = {"cells": [{"outcome": {"outputs": [huge, small]}}]}
    first, second = cap_outputs(executed)["cells"][0]["outcome"]["outputs"]
    assert (first["output_type"], second) == ("stream", small)
    assert "6.0 MB is too large to keep" in first["text"]
    part = {"output_type": "stream", "name": "stdout", "text": "x" * 4_000_000}
    executed = {"cells": [{"outcome": {"outputs": [part] * 4}} for _ in range(5)]}
    kept = [output for cell in cap_outputs(executed)["cells"] for output in cell["outcome"]["outputs"]]
    assert [output is part for output in kept] == [True] * 9 + [False] * 11


def test_a_dry_run_is_stored_and_with_a_model_its_own_is_a_job(
    workspace: Workspace, trips: Revision, do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = do("dry_run", {"revision_id": trips.id})
    stored = dry_runs.latest(workspace, trips.id)
    assert stored is not None
    assert (stored.id, [problem.reference_verdict for problem in stored.problems]) == (result["id"], ["CORRECT"] * 2)
    assert {problem.agent_verdict for problem in stored.problems} == {"none"}
    assert [job.kind for job in jobs.select(workspace, 10, ["queued"])] == []
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "some-model")
    do("dry_run", {"revision_id": trips.id})
    (ordered,) = jobs.select(workspace, 10, ["queued"])
    assert (ordered.kind, ordered.payload) == ("dry_run_agent", {"revision_id": trips.id})
    assert JOB_KINDS[ordered.kind].lane == "batch"


def test_a_payload_without_what_is_needed_is_told(do: Do) -> None:
    with pytest.raises(UsageError, match="no 'problemset_id' of type int"):
        do("execute", {"problemset_id": "1"})


def test_notebooks_records_and_problemset_files_are_imported(workspace: Workspace, trips: Revision, do: Do) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "**Question 1.** What is the sum of 1 and 2?"},
        {"cell_type": "code", "metadata": {}, "source": "1 + 2", "outputs": [], "execution_count": 1},
    ]
    book = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    record = json.dumps({"prompt": "def twice(x):\n", "solution": "    return 2 * x\n", "test": "assert twice(2) == 4"})
    for form, name, data in (
        ("notebook", "sums.ipynb", book),
        ("completions", "functions.jsonl", record.encode()),
        ("problemset", "rides.py", trips.text.encode()),
    ):
        made = do("import", {"form": form, "file": {"name": name, "digest": workspace.put_bytes(data)}})
        row = problemsets.find(workspace, made["id"])
        assert (row.name, row.problem_count) == (name.partition(".")[0], made["problems"])
        assert all(finding["fix"] for finding in made["findings"])
    questions = {"cells": [{"cell_type": "markdown", "source": "How many?"}, {"cell_type": "code", "source": ""}]}
    answers = {"cells": [{"cell_type": "markdown", "source": "How many?"}, {"cell_type": "code", "source": "3"}]}
    files = {key: workspace.put_bytes(json.dumps(book).encode()) for key, book in (("q", questions), ("a", answers))}
    order = {"form": "notebook", "file": {"name": "q.ipynb", "digest": files["q"]}}
    made = do("import", {**order, "solutions": {"name": "a.ipynb", "digest": files["a"]}})
    assert (made["problems"], [finding["code"] for finding in made["findings"]]) == (1, ["short-query"])
    with pytest.raises(UsageError, match="nothing is known of the form"):
        do("import", {"form": "sheet", "file": {"name": "a.xlsx", "digest": workspace.put_bytes(b"x")}})


def test_a_problemset_file_with_errors_is_refused_by_its_name(workspace: Workspace, trips: Revision, do: Do) -> None:
    before = [row.name for row in problemsets.select(workspace)]
    broken = trips.text.replace("query:", "quary:", 1).encode()
    with pytest.raises(ContentError, match="no key is called 'quary'") as refused:
        do("import", {"form": "problemset", "file": {"name": "rides.py", "digest": workspace.put_bytes(broken)}})
    assert refused.value.where.startswith("rides.py, line ")
    assert "nothing was stored" in refused.value.fix
    assert [row.name for row in problemsets.select(workspace)] == before


def test_a_look_at_the_model_is_kept_in_any_case(workspace: Workspace, do: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    assert do("model_check", {})["model"] is None
    with scripted_model([Say("yes"), Refuse(401, "wrong key")]) as model:
        for name, value in (("OPENAI_BASE_URL", model.url), ("OPENAI_API_KEY", KEY), ("BENCHWRIGHT_MODEL", "scripted")):
            monkeypatch.setenv(name, value)
        assert do("model_check", {})["reachable"]
        seen = do("model_check", {})
    assert (seen["reachable"], bool(seen["what"]), bool(seen["fix"])) == (False, True, True)
    assert get_setting(workspace, "model_seen") == seen
    assert KEY not in json.dumps(seen)


def test_an_environment_that_cannot_be_built_says_why(do: Do, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_ENVIRONMENTS", str(tmp_path / "environments"))
    with pytest.raises(ContentError, match="requirement"):
        do("environment", {"name": "odd", "requirements": "pandas; import os\n"})
    with pytest.raises(UsageError):
        do("environment", {"name": "../out", "requirements": "pandas"})
