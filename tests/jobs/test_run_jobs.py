"""Jobs that run agents on releases and bring in results: policies, modes, budgets; and the whole way from a file."""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.checks.dry_run.dry_running import dry_run
from authoring.jobs.handlers.release_jobs import RunOrder, rescoring, run_config
from authoring.prompting.repair_loop import purse_of_job
from authoring.release import create_release
from authoring.store import dry_runs, problemsets, runs
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import find_sketch, save_sketch
from authoring.store.releases import find as find_release
from authoring.store.reviewing.reviews import record_decision
from authoring.store.runs import count_attempts, list_attempts
from authoring.store.workspace import Workspace
from authoring.templates import template_draft
from evaluator.agents.sdk import benchwright_agent
from evaluator.errors import ContentError, UsageError
from evaluator.models import BudgetLimits
from evaluator.records import AttemptKey
from evaluator.reporting import read_manifest
from evaluator.running import DetailsReader, Mode, Policies, RunConfig, StatePolicy, StopPolicy, policies_of
from evaluator.running.quality.assessing import QualityTrials
from evaluator.session import SandboxChoice
from tests.cli.conftest import Serve
from tests.jobs.conftest import add_trips
from tests.lent_engines import Lend
from tests.scripted_model import Say
from tests.templates.conftest import Agreeable

Do = Callable[..., dict[str, Any]]

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("no_trials")]


@pytest.fixture(scope="module")
def released(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory, lender: Lend) -> Path:
    ws = Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("released") / "workspace"))
    trips = add_trips(ws)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QualityTrials, "codes", lambda *_: ())
        dry_run(ws, trips.id, engine=lender())
    record_decision(ws, revision_id=trips.id, decision="accepted", by="Ann")
    create_release(ws, "bench", "1.0", out=ws.root / "releases" / "bench-1.0", created_by="Ann")
    return ws.root


@pytest.fixture
def workspace(released: Path, tmp_path: Path) -> Workspace:
    return Workspace.open(shutil.copytree(released, tmp_path / "workspace"))


def test_from_a_file_to_a_scored_run(workspace: Workspace, do: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_draft, "MIN_PROBLEMS", 3)
    monkeypatch.setattr(template_draft, "Bench", Agreeable)
    boroughs = ("Queens", "Bronx", "Brooklyn")
    fares = [5 + 4 * (n % 3) + (n * n * 37 % 101) / 7 for n in range(120)]  # they differ by borough
    rows = "\n".join(f"{n},{boroughs[n % 3]},{fares[n]:.2f},2024-0{1 + n % 6}-1{n % 9}" for n in range(120))
    digest = workspace.put_bytes(f"trip,borough,fare,day\n{rows}\n".encode())
    seed = do("seed_add", {"name": "taxis", "files": [{"name": "taxi trips.csv", "digest": digest}], "licence": "CC0"})
    assert find_seed(workspace, seed["id"]).profile is not None
    sketch = find_sketch(workspace, do("sketch", {"seed": seed["id"], "author": "template", "rng_seed": 3})["id"])
    assert len(sketch.items) >= 8
    save_sketch(workspace, sketch.id, sketch.items[:3], author="Ann", base_number=1)
    draft = do("draft", {"sketch": sketch.id, "author": "template", "name": "taxis"})
    row = problemsets.find(workspace, draft["problemset"])
    assert (row.name, row.problem_count, draft["problems"]) == ("taxis", 3, 3)
    assert dry_runs.latest(workspace, draft["revision"]) is not None
    record_decision(workspace, revision_id=draft["revision"], decision="accepted", by="Ann")
    release = do("release", {"name": "taxis", "version": "1.0"})
    run = do("run", {"release": release["id"], "agent": "oracle", "sets": ["taxis"]})
    assert run["verdicts"] == {"CORRECT": 3}
    assert count_attempts(workspace, run["id"]) == run["verdicts"]
    assert runs.find(workspace, run["id"]).release == "taxis 1.0"


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
def own_client(workspace: Workspace, serve: Serve) -> dict[str, Any]:
    (folder := workspace.root / "agents").mkdir()
    shutil.copy(benchwright_agent.__file__, folder)
    (folder / "own.py").write_text(OWN_CLIENT)
    (bench := workspace.root / "benchmarks").mkdir()
    (bench / "one.py").write_text('# %%\nx = 1\n\n# %%\n"""\nquery: One more than x?\n"""\nx + 1\n')
    serve([Say("x + 1", prompt_tokens=30, completion_tokens=5)])
    place = {"benchmark": str(bench / "one.py"), "agent": "cmd:python agents/own.py"}
    return {**place, "agent_network": "model", "agent_model": "m"}


def test_what_agents_with_own_clients_took_is_counted(workspace: Workspace, do: Do, own_client: dict[str, Any]) -> None:
    for budget in (None, {"tokens": 5000}):
        made = do("run", {**own_client, "budget": budget})
        assert made["verdicts"] == {"CORRECT": 1}
        job_id = runs.find(workspace, made["id"]).summary["job"]
        assert purse_of_job(workspace, BudgetLimits(tokens=5000), job_id).spent.tokens == 35  # of a resumed job
    for order, budget in (({}, {"tokens": 5000}), ({"budget": {"tokens": 9}}, {"tokens": 9}), ({"budget": None}, None)):
        do("run", {"again": made["id"], **order})
        assert runs.find(workspace, made["id"]).summary["asked"]["budget"] == budget


def test_a_run_goes_by_its_policies_and_asks_again_what_is_open(workspace: Workspace, do: Do, serve: Serve) -> None:
    wrong, right = "```python\n0\n```", "```python\ntrips['fare'].mean()\n```"
    counts = "```python\ntrips['borough'].value_counts()\n```"
    order = {"release": "bench@1.0", "agent": "chat:m", "max_attempts": 2, "feedback": ["output"], "workers": 1}
    model = serve([Say(wrong), Say(right), Say(counts)])
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
    model = serve([Say(counts)])
    again = do("run", {"again": made["id"]})
    assert (again["id"], again["verdicts"], again["resumed"]) == (made["id"], {"CORRECT": 2}, 1)
    assert len(model.requests) == 1
    anew = do("run", {"rescore": made["id"]})
    assert (anew["verdicts"], anew["id"] != made["id"]) == ({"CORRECT": 2}, True)
    found = runs.find(workspace, anew["id"])
    assert (found.agent, found.release, found.summary["rescored_from"]) == ("chat:m", "bench 1.0", made["id"])
    assert [row.attempt for row in list_attempts(workspace, found.id)] == [1, 2, 1]
    digest = workspace.put_bytes(records.read_bytes())
    taken = do("import_results", {"file": {"name": "theirs.jsonl", "digest": digest}, "release": "bench@1.0"})
    imported = runs.find(workspace, taken["id"])
    assert (imported.agent, imported.release, taken["records"]) == ("theirs", "bench 1.0", 3)
    assert count_attempts(workspace, imported.id) == {"CORRECT": 2, "WRONG_OUTPUT": 1}
    assert do("run", {"rescore": imported.id})["verdicts"] == {"CORRECT": 2}
    with pytest.raises(UsageError, match="no state 'elsewhere'"):
        do("run", {**order, "state": "elsewhere"})


def test_a_run_is_imported_file_by_file_or_as_an_archive(workspace: Workspace, do: Do, tmp_path: Path) -> None:
    ran = runs.find(workspace, do("run", {"release": "bench@1.0", "agent": "oracle"})["id"])
    names = ("records.jsonl", "manifest.json", "details.jsonl")
    files = {name: (Path(ran.out_dir) / name).read_bytes() for name in names}
    sent = [{"name": name, "digest": workspace.put_bytes(data)} for name, data in files.items()]
    made = do("import_results", {"file": sent[0], "beside": sent[1:], "created_by": "Mei"})
    run = runs.find(workspace, made["id"])
    assert (run.agent, run.release, made["records"], run.summary["started_by"]) == ("oracle", "bench 1.0", 2, "Mei")
    manifest = read_manifest(Path(run.out_dir) / "manifest.json")
    assert manifest["source"] == find_release(workspace, "bench@1.0").path  # known here by name and version
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
    for own in ({"state": "own"}, {"stop": "failure"}):
        with pytest.raises(UsageError, match="a mode and own policies were both given: 'oracle', and '"):
            config(mode="oracle", **own)


def test_a_run_in_a_mode_is_scored_as_that_system_does_also_anew(workspace: Workspace, do: Do) -> None:
    made = do("run", {"release": "bench@1.0", "agent": "oracle", "mode": "end-to-end"})
    assert made["verdicts"] == {"CORRECT": 2}
    run = runs.find(workspace, made["id"])
    manifest = read_manifest(Path(run.out_dir) / "manifest.json")
    assert (manifest["mode"], manifest["policies"]["state"]) == ("end-to-end", "own")
    assert list_attempts(workspace, run.id)[0].record["family"]["family"] == "cibench"
    assert rescoring(run, None)["mode"] == "end-to-end"
    assert do("run", {"rescore": made["id"]})["verdicts"] == {"CORRECT": 2}
