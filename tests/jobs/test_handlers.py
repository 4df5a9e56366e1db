import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from authoring.jobs import JOB_KINDS
from authoring.jobs.handlers.execution_jobs import cap_outputs
from authoring.jobs.handlers.release_jobs import RunOrder, rescoring, run_config
from authoring.prompting.repair_loop import purse_of_job
from authoring.store import dry_runs, jobs, problemsets, revisions, runs
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.releases import find as find_release
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.runs import count_attempts, list_attempts
from authoring.store.settings import get_setting
from authoring.store.workspace import Workspace
from evaluator.agents.sdk import benchwright_agent
from evaluator.errors import ContentError, UsageError
from evaluator.models import BudgetLimits
from evaluator.records import AttemptKey
from evaluator.reporting import read_manifest
from evaluator.running import DetailsReader, Mode, Policies, RunConfig, StatePolicy, StopPolicy, policies_of
from evaluator.session import SandboxChoice
from tests.scripted_model import KEY, Refuse, Say, scripted_model

Do = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.kernel


def test_executing_unsaved_text_returns_outputs_and_verdicts_by_cell(
    workspace: Workspace, trips: Revision, do: Do
) -> None:
    told: list[tuple[int, int, str]] = []
    text = trips.text.replace("mean()", "max()")
    result = do("execute", {"problemset_id": trips.problemset_id, "text": text, "upto": 1}, told=told)
    setup, first = result["cells"]
    assert (setup["position"], setup["problem"], setup["outcome"]["ending"]) == (1, None, "ok")
    assert (first["problem"], first["reference"]["verdict"], first["empty"]["verdict"] == "CORRECT") == (
        1,
        "CORRECT",
        False,
    )
    assert "12" in json.dumps(first["outcome"]["outputs"])
    assert told[-1][:2] == (1, 1)
    assert result["diagnostics"] == []
    assert revisions.find(workspace, trips.id).text == trips.text


def test_an_answer_is_tried_validators_are_proposed_and_a_variable_is_shown_of_unsaved_text(
    trips: Revision, do: Do
) -> None:
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
    assert (rows["rows"], rows["cells"], rows["why"]) == (
        3,
        [["Bronx", "7.0"], ["Queens", "12.0"]],
        "it was not there before",
    )
    do("variable_rows", {**order, "position": 2}, told=told)
    assert told[-1] == (1, 2, "cell 1 of 2")


def test_a_run_from_one_problem_on_judges_it_and_those_after_it(trips: Revision, do: Do) -> None:
    result = do("execute", {"problemset_id": trips.problemset_id, "first": 2})
    _, first, second = result["cells"]
    assert (first["outcome"]["ending"], first["reference"], second["reference"]["verdict"]) == ("ok", None, "CORRECT")


def test_executing_a_text_with_errors_names_the_line(trips: Revision, do: Do) -> None:
    text = trips.text.replace("query: What", "quary: What")
    with pytest.raises(ContentError, match="line") as caught:
        do("execute", {"problemset_id": trips.problemset_id, "text": text})
    assert caught.value.fix


def test_a_text_with_half_a_character_is_refused_by_its_line(trips: Revision, do: Do) -> None:
    with pytest.raises(ContentError, match="broken character") as refused:
        do("execute", {"problemset_id": trips.problemset_id, "text": "# %%\nx = 1  # \ud800\n"})
    assert refused.value.where == "line 2"


def test_an_output_that_is_too_large_to_keep_is_replaced_by_a_sentence() -> None:
    small = {"output_type": "stream", "name": "stdout", "text": "hello"}
    huge = {"output_type": "display_data", "data": {"text/html": ["x" * 3_000_000] * 2}, "metadata": {}}
    executed = {"cells": [{"outcome": {"outputs": [huge, small]}}]}
    first, second = cap_outputs(executed)["cells"][0]["outcome"]["outputs"]
    assert (first["output_type"], second) == ("stream", small)
    assert "6.0 MB is too large to keep" in first["text"]


def test_all_outputs_of_a_job_together_are_limited() -> None:
    part = {"output_type": "stream", "name": "stdout", "text": "x" * 4_000_000}
    executed = {"cells": [{"outcome": {"outputs": [part] * 4}} for _ in range(5)]}
    kept = [output for cell in cap_outputs(executed)["cells"] for output in cell["outcome"]["outputs"]]
    assert [output is part for output in kept] == [True] * 9 + [False] * 11


def test_checking_returns_all_diagnostics_without_executing(trips: Revision, do: Do) -> None:
    text = trips.text.replace("query: What", "quary: What")
    found = do("check", {"problemset_id": trips.problemset_id, "text": text})["diagnostics"]
    assert found
    assert {"code", "line", "what", "fix"} <= set(found[0])


def test_a_dry_run_is_stored_with_the_revision(workspace: Workspace, trips: Revision, do: Do) -> None:
    result = do("dry_run", {"revision_id": trips.id})
    stored = dry_runs.latest(workspace, trips.id)
    assert stored is not None
    assert (stored.id, [problem.reference_verdict for problem in stored.problems]) == (result["id"], ["CORRECT"] * 2)
    assert {problem.agent_verdict for problem in stored.problems} == {"none"}
    assert [job.kind for job in jobs.select(workspace, 10, ["queued"])] == []


def test_with_a_model_the_agents_dry_run_is_a_job_of_its_own(
    workspace: Workspace, trips: Revision, do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "some-model")
    do("dry_run", {"revision_id": trips.id})
    (ordered,) = jobs.select(workspace, 10, ["queued"])
    assert (ordered.kind, ordered.payload) == ("dry_run_agent", {"revision_id": trips.id})
    assert JOB_KINDS[ordered.kind].lane == "batch"


def test_a_payload_without_what_is_needed_is_told(do: Do) -> None:
    with pytest.raises(UsageError, match="no 'problemset_id' of type int"):
        do("execute", {"problemset_id": "1"})


def test_from_a_file_to_a_scored_run(workspace: Workspace, do: Do) -> None:
    boroughs = ("Queens", "Bronx", "Brooklyn")
    fares = [5 + 4 * (n % 3) + (n * n * 37 % 101) / 7 for n in range(120)]  # they differ by borough
    rows = "\n".join(f"{n},{boroughs[n % 3]},{fares[n]:.2f},2024-0{1 + n % 6}-1{n % 9}" for n in range(120))
    digest = workspace.put_bytes(f"trip,borough,fare,day\n{rows}\n".encode())
    seed = do("seed_add", {"name": "taxis", "files": [{"name": "taxi trips.csv", "digest": digest}], "licence": "CC0"})
    assert find_seed(workspace, seed["id"]).profile is not None
    sketch = do("sketch", {"seed": seed["id"], "author": "template", "rng_seed": 3})
    assert len(find_sketch(workspace, sketch["id"]).items) >= 5
    draft = do("draft", {"sketch": sketch["id"], "author": "template"})
    row = problemsets.find(workspace, draft["problemset"])
    assert (row.problem_count, dry_runs.latest(workspace, draft["revision"]) is not None) == (draft["problems"], True)
    record_decision(workspace, revision_id=draft["revision"], decision="accepted", by="Ann")
    release = do("release", {"name": "bench", "version": "1.0"})
    run = do("run", {"release": release["id"], "agent": "oracle"})
    assert run["verdicts"] == {"CORRECT": draft["problems"]}
    assert count_attempts(workspace, run["id"]) == run["verdicts"]
    assert runs.find(workspace, run["id"]).release == "bench 1.0"


OWN_CLIENT = """\
import json, os, sys, urllib.request
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchwright_agent import serve

def solve(request):
    body = json.dumps({"messages": [{"role": "user", "content": request["query"]}], "max_tokens": 100}).encode()
    asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
    asked.add_header("Authorization", "Bearer " + os.environ["OPENAI_API_KEY"])
    return json.load(urllib.request.urlopen(asked, timeout=20))["choices"][0]["message"]["content"]

serve(solve, name="own")
"""


@pytest.fixture
def own_client(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The order of a run of an agent that asks its model with a client of its own."""
    (folder := workspace.root / "agents").mkdir()
    shutil.copy(benchwright_agent.__file__, folder)
    (folder / "own.py").write_text(OWN_CLIENT)
    (bench := workspace.root / "benchmarks").mkdir()
    (bench / "one.py").write_text('# %%\nx = 1\n\n# %%\n"""\nquery: One more than x?\n"""\nx + 1\n')
    with scripted_model([Say("x + 1", prompt_tokens=30, completion_tokens=5)]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        place = {"benchmark": str(bench / "one.py"), "agent": "cmd:python agents/own.py"}
        yield {**place, "agent_network": "model", "agent_model": "m"}


@pytest.mark.parametrize("budget", [{"tokens": 5000}, None])
def test_a_resumed_job_counts_what_an_agent_with_a_client_of_its_own_took(
    workspace: Workspace, do: Do, own_client: dict[str, Any], budget: dict[str, int] | None
) -> None:
    made = do("run", {**own_client, "budget": budget})
    assert made["verdicts"] == {"CORRECT": 1}
    job_id = runs.find(workspace, made["id"]).summary["job"]
    assert purse_of_job(workspace, BudgetLimits(tokens=5000), job_id).spent.tokens == 35


def test_what_is_judged_again_keeps_its_budget_unless_another_one_is_named(
    workspace: Workspace, do: Do, own_client: dict[str, Any]
) -> None:
    made = do("run", {**own_client, "budget": {"tokens": 5000}})["id"]
    for order, budget in (({}, {"tokens": 5000}), ({"budget": {"tokens": 9}}, {"tokens": 9}), ({"budget": None}, None)):
        do("run", {"again": made, **order})
        assert runs.find(workspace, made).summary["asked"]["budget"] == budget


def test_a_run_goes_by_the_policies_it_was_ordered_with_and_asks_again_only_what_is_not_judged(
    workspace: Workspace, trips: Revision, do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    do("dry_run", {"revision_id": trips.id})
    record_decision(workspace, revision_id=trips.id, decision="accepted", by="Ann")
    release = do("release", {"name": "bench", "version": "1.0"})["id"]
    wrong, right = "```python\n0\n```", "```python\ntrips['fare'].mean()\n```"
    counts = "```python\ntrips['borough'].value_counts()\n```"
    order = {"release": release, "agent": "chat:m", "max_attempts": 2, "feedback": ["output"], "workers": 1}
    with scripted_model([Say(wrong), Say(right), Say(counts)]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        made = do("run", order)
    assert made["verdicts"] == {"CORRECT": 2}
    assert [len(request["messages"]) for request in model.requests] == [12, 14, 12]
    assert "# Output\n0" in model.prompts[1]
    run = runs.find(workspace, made["id"])
    assert (run.agent, run.summary["started_by"], run.summary["asked"]["max_attempts"]) == ("chat:m", "Ann", 2)
    details = DetailsReader(Path(run.out_dir) / "details.jsonl").find(AttemptKey("trips-1", 1, attempt=2))
    assert details is not None
    roles = [message["role"] for message in details.transcript]
    assert roles == ["system", *["user", "assistant"] * 7]  # five examples, and two attempts
    assert details.transcript[-1]["tokens"] == 120

    records = Path(run.out_dir) / "records.jsonl"
    lines = records.read_text().splitlines()
    lost = lines[-1].replace('"CORRECT"', '"NOT_JUDGED"')
    records.write_text("\n".join([*lines[:-1], lost]) + "\n")
    with scripted_model([Say(counts)]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        again = do("run", {"again": made["id"]})
    assert (again["id"], again["verdicts"], again["resumed"]) == (made["id"], {"CORRECT": 2}, 1)
    assert len(model.requests) == 1
    anew = do("run", {"rescore": made["id"]})
    assert (anew["verdicts"], anew["id"] != made["id"]) == ({"CORRECT": 2}, True)
    found = runs.find(workspace, anew["id"])
    assert (found.agent, found.release, found.summary["rescored_from"]) == ("chat:m", "bench 1.0", made["id"])
    assert [row.attempt for row in list_attempts(workspace, found.id)] == [1, 2, 1]
    digest = workspace.put_bytes(records.read_bytes())
    taken = do("import_results", {"file": {"name": "theirs.jsonl", "digest": digest}, "release": release})
    imported = runs.find(workspace, taken["id"])
    assert (imported.agent, imported.release, taken["records"]) == ("theirs", "bench 1.0", 3)
    assert count_attempts(workspace, imported.id) == {"CORRECT": 2, "WRONG_OUTPUT": 1}
    assert do("run", {"rescore": imported.id})["verdicts"] == {"CORRECT": 2}
    with pytest.raises(UsageError, match="no state 'elsewhere'"):
        do("run", {**order, "state": "elsewhere"})


def test_the_folder_of_a_run_is_imported_file_by_file_or_as_an_archive(
    workspace: Workspace, trips: Revision, do: Do, tmp_path: Path
) -> None:
    do("dry_run", {"revision_id": trips.id})
    record_decision(workspace, revision_id=trips.id, decision="accepted", by="Ann")
    release = do("release", {"name": "bench", "version": "1.0"})
    ran = runs.find(workspace, do("run", {"release": release["id"], "agent": "oracle"})["id"])
    names = ("records.jsonl", "manifest.json", "details.jsonl")
    files = {name: (Path(ran.out_dir) / name).read_bytes() for name in names}
    sent = [{"name": name, "digest": workspace.put_bytes(data)} for name, data in files.items()]
    made = do("import_results", {"file": sent[0], "beside": sent[1:], "created_by": "Mei"})
    run = runs.find(workspace, made["id"])
    assert (run.agent, run.release, made["records"], run.summary["started_by"]) == ("oracle", "bench 1.0", 2, "Mei")
    manifest = read_manifest(Path(run.out_dir) / "manifest.json")
    assert manifest["source"] == find_release(workspace, release["id"]).path  # known here by name and version
    assert DetailsReader(Path(run.out_dir) / "details.jsonl").find(AttemptKey("trips-1", 1)) is not None

    archive = tmp_path / "mine.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for name, data in files.items():
            packed.writestr(f"runs/mine/{name}", data)
    sent_whole = {"name": "mine.zip", "digest": workspace.put_bytes(archive.read_bytes())}
    again = do("import_results", {"file": sent_whole, "agent": "my agent"})
    assert (again["agent"], count_attempts(workspace, again["id"])) == ("my agent", {"CORRECT": 2})
    with zipfile.ZipFile(archive, "a") as packed:
        for name, data in files.items():
            packed.writestr(f"runs/yours/{name}", data)
    with pytest.raises(ContentError, match=r"'mine\.zip' holds 2 runs"):
        do("import_results", {"file": {"name": "mine.zip", "digest": workspace.put_bytes(archive.read_bytes())}})


def test_a_notebook_records_and_a_problemset_file_are_imported_with_what_is_left_to_people(
    workspace: Workspace, trips: Revision, do: Do
) -> None:
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


def test_a_problemset_file_with_errors_is_refused_by_its_name_and_nothing_is_stored(
    workspace: Workspace, trips: Revision, do: Do
) -> None:
    before = [row.name for row in problemsets.select(workspace)]
    broken = trips.text.replace("query:", "quary:", 1).encode()
    with pytest.raises(ContentError, match="no key is called 'quary'") as refused:
        do("import", {"form": "problemset", "file": {"name": "rides.py", "digest": workspace.put_bytes(broken)}})
    assert refused.value.where.startswith("rides.py, line ")
    assert "nothing was stored" in refused.value.fix
    assert [row.name for row in problemsets.select(workspace)] == before


def test_a_look_at_the_model_is_kept_whether_it_answers_or_not(
    workspace: Workspace, do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_mode_says_what_the_policies_are_and_refuses_others_beside_it() -> None:
    def config(**fields: Any) -> RunConfig:
        return run_config(RunOrder.stored(fields), Path("b"), Path("o"), SandboxChoice.AUTO)

    found = config(agent="react-cibench:m", mode="oracle", judge="eyes")
    assert (found.mode, found.max_attempts, found.judge) == ("oracle", 3, "eyes")
    assert found.policies == policies_of(Mode.ORACLE)
    assert config(mode="end-to-end", max_attempts=2).max_attempts == 2
    plain = config(stop="visible", state="own")
    assert (plain.mode, plain.max_attempts, plain.judge) == ("", 1, "")
    assert plain.policies == Policies(StatePolicy.OWN, stop=StopPolicy.VISIBLE)
    with pytest.raises(UsageError, match="a mode and own policies were both given: 'oracle', and '"):
        config(mode="oracle", state="own")
    with pytest.raises(UsageError, match="a mode and own policies were both given: 'oracle', and '"):
        config(mode="oracle", stop="failure")


def test_a_run_in_a_mode_is_scored_as_that_system_does_and_scored_anew_in_the_same_mode(
    workspace: Workspace, trips: Revision, do: Do
) -> None:
    do("dry_run", {"revision_id": trips.id})
    record_decision(workspace, revision_id=trips.id, decision="accepted", by="Ann")
    release = do("release", {"name": "bench", "version": "1.0"})["id"]
    made = do("run", {"release": release, "agent": "oracle", "mode": "end-to-end"})
    assert made["verdicts"] == {"CORRECT": 2}
    run = runs.find(workspace, made["id"])
    manifest = read_manifest(Path(run.out_dir) / "manifest.json")
    assert (manifest["mode"], manifest["policies"]["state"]) == ("end-to-end", "own")
    assert list_attempts(workspace, run.id)[0].record["family"]["family"] == "cibench"
    assert rescoring(run, None)["mode"] == "end-to-end"
    assert do("run", {"rescore": made["id"]})["verdicts"] == {"CORRECT": 2}
