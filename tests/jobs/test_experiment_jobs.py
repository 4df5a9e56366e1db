"""Experiments as jobs: checked and forecast, run, stopped by a budget, gone on with, repeated without a key."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from authoring.jobs.experiments import enter_runs, parse_experiment, plan_in_workspace, report_of
from authoring.store import experiments, runs
from authoring.store.runs import count_attempts, ids_by_folder
from authoring.store.workspace import Workspace
from evaluator.agents.sdk import benchwright_agent
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.running.run_folder import RunFolder
from tests.cli.conftest import Serve
from tests.jobs.conftest import TEXT
from tests.scripted_model import Say

Do = Callable[..., dict[str, Any]]
FILE = """\
name: two agents
benchmarks:
- benchmarks/trips.py
agents:
- oracle
- {agent: "chat:m", label: none, options: {shots: none}}
"""
OWN = """\
name: own
benchmarks: [{benchmark: benchmarks/trips.py, label: trips}]
agents:
- {agent: "cmd:python agents/mine.py", label: mine, timeout_s: 30}
- {agent: "agents/mine.py:solve", label: function}
"""
AGENT = """\
def solve(request, tools=None):
    return "trips['fare'].mean()"


if __name__ == "__main__":
    import sys

    sys.path.insert(0, __file__.rpartition("/")[0])
    from benchwright_agent import serve

    serve(solve, name="mine", version="1")
"""
RIGHT = "```python\ntrips['fare'].mean()\n```"


@pytest.fixture
def ordered(workspace: Workspace) -> Do:
    """Save an experiment on a small benchmark and return the order of its job."""
    folder = workspace.root / "benchmarks"
    folder.mkdir()
    made = 'pd.DataFrame({"borough": ["Queens", "Bronx", "Queens"], "fare": [10.5, 7.0, 12.0]})'
    (folder / "trips.py").write_text(TEXT.replace('pd.read_csv("inputs/trips.csv")', made))

    def order(text: str = FILE, **more: str) -> dict[str, Any]:
        name = "two"
        there = [row for row in experiments.select(workspace) if row.name == name]
        experiments.save(workspace, name, text, base=experiments.read(workspace, name).digest if there else None)
        return {"name": name, "digest": workspace.put_bytes(text.encode()), **more}

    return order


ORACLE = "".join(FILE.splitlines(keepends=True)[:5])
TWO_WITHOUT_MODEL = f"{ORACLE}- empty\n"


def rates(ws: Workspace, text: str = FILE) -> list[tuple[str, float | None]]:
    experiment = parse_experiment("two", text)
    body = report_of(experiment, plan_in_workspace(ws, experiment)).to_json()
    return [(run["agent"], run["pass_rate"]) for run in body["runs"]]


def test_an_experiment_is_forecast_run_and_entered(workspace: Workspace, ordered: Do, do: Do, serve: Serve) -> None:
    told: list[tuple[int, int, str]] = []
    model = serve([Say(RIGHT)])
    order = ordered()
    ahead = do("experiment_check", order)
    assert (len(ahead["runs"]), ahead["requests"], ahead["is_large"]) == (2, [2, 2], False)
    assert model.requests == []
    assert not (workspace.root / "runs").exists() or rates(workspace) == [("oracle", None), ("none", None)]
    made = do("experiment", order, told=told)
    assert rates(workspace) == [("oracle", 1.0), ("none", 0.5)]
    assert told[-1][:2] == (4, 4)
    assert made["not_judged"] == 0
    assert [runs.find(workspace, each).agent for each in made["runs"]] == ["oracle", "none"]
    assert [runs.find(workspace, each).release for each in made["runs"]] == ["trips 0"] * 2
    assert count_attempts(workspace, made["runs"][1]) == {"CORRECT": 1, "WRONG_OUTPUT": 1}
    folders = [runs.find(workspace, each).out_dir for each in made["runs"]]
    assert ids_by_folder(workspace, [*folders, "/elsewhere"]) == dict(zip(folders, made["runs"], strict=True))
    assert all(Path(folder).is_relative_to(workspace.root / "runs" / "two-agents") for folder in folders)
    assert do("experiment_check", order)["requests"] == [0, 0]
    assert do("experiment", order)["runs"] == made["runs"]  # nothing is asked or entered twice


def test_a_budget_keeps_what_is_judged_a_larger_goes_on(
    workspace: Workspace, ordered: Do, do: Do, serve: Serve
) -> None:
    (done,) = do("experiment", ordered(ORACLE))["runs"]
    before = runs.find(workspace, done).summary
    assert (before["agent"], before["total"], before["pass_rate"]) == ("oracle", 2, 1.0)
    model = serve([Say(RIGHT)])
    with pytest.raises(ContentError, match="the budget ends here") as stopped:
        do("experiment", ordered(f"{FILE}budget: {{tokens: 100}}\n"))
    assert "raise 'budget' in its file" in stopped.value.fix
    after = runs.find(workspace, done).summary
    assert (after["agent"], after["total"], after["pass_rate"]) == ("oracle", 2, 1.0)
    do("experiment", ordered(f"{FILE}budget: {{tokens: 5000}}\n"))
    assert rates(workspace) == [("oracle", 1.0), ("none", 0.5)]
    assert len(runs.select(workspace)) == 2
    assert len(model.requests) <= 3


def test_what_was_kept_repeats_an_experiment_without_a_key(
    workspace: Workspace, ordered: Do, do: Do, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="no replies were kept"):
        do("experiment_check", ordered(replies="repeat"))
    serve([Say(RIGHT)])
    do("experiment", ordered(replies="keep"))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name)
    (workspace.root / "runs").rename(workspace.root / "runs-before")
    assert rates(workspace) == [("oracle", None), ("none", None)]
    with pytest.raises(ToolkitError, match="OPENAI_API_KEY"):
        do("experiment_check", ordered())
    do("experiment", ordered(replies="repeat"))
    assert rates(workspace) == [("oracle", 1.0), ("none", 0.5)]


def test_programs_are_found_from_the_folder_of_the_workspace(workspace: Workspace, ordered: Do, do: Do) -> None:
    agents = workspace.root / "agents"
    agents.mkdir()
    (agents / "mine.py").write_text(AGENT)
    (agents / "benchwright_agent.py").write_bytes(Path(benchwright_agent.__file__).read_bytes())
    here = Path.cwd()
    do("experiment_check", ordered(OWN))
    do("experiment", ordered(OWN))
    assert rates(workspace, OWN) == [("mine", 0.5), ("function", 0.5)]
    assert [run["problems_left"] for run in do("experiment_check", ordered(OWN))["runs"]] == [0, 0]
    fewer = OWN.replace("timeout_s: 30", "executions: 3")
    assert rates(workspace, fewer) == [("mine", None), ("function", 0.5)]
    assert Path.cwd() == here
    (agents / "mine.py").unlink()
    with pytest.raises(UsageError, match="no file"):
        do("experiment_check", ordered(OWN))


def test_what_is_wrong_is_told_by_line_before_anything_starts(workspace: Workspace, ordered: Do, do: Do) -> None:
    with pytest.raises(ContentError) as wrong:
        do("experiment_check", ordered(FILE.replace("benchmarks:", "benchmark:")))
    assert (wrong.value.where, wrong.value.fix) == ("two.yaml:2", "use 'benchmarks'")
    published = "- {agent: empty, published: CoML}\npublished: dseval\n"
    for text, said in (
        (FILE.replace("shots:", "shot:"), "no option 'shot'"),
        (f"{FILE}published: dsevl\n", "there are no published rows called 'dsevl'"),
        (f"{FILE}{published}", "no published row is called 'CoML'"),
    ):
        with pytest.raises(UsageError, match=said):
            do("experiment_check", ordered(text))
    assert runs.select(workspace) == []


def test_an_experiment_that_is_at_work_elsewhere_is_left_alone(workspace: Workspace, ordered: Do, do: Do) -> None:
    order = ordered(TWO_WITHOUT_MODEL)
    (planned,) = plan_in_workspace(workspace, parse_experiment("two", TWO_WITHOUT_MODEL))
    elsewhere = RunFolder.acquire(planned.runs[0].config.out)
    try:
        with pytest.raises(ContentError, match="another run is writing to this folder") as refused:
            do("experiment", order)
    finally:
        elsewhere.close()
    assert refused.value.fix == "wait for it to end, or name another folder as 'out' in the file"
    do("experiment", order)
    assert rates(workspace, TWO_WITHOUT_MODEL) == [("oracle", 1.0), ("empty", 0.0)]


def test_runs_started_elsewhere_are_entered_if_they_can_be_read(
    workspace: Workspace, ordered: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered(TWO_WITHOUT_MODEL)
    monkeypatch.chdir(workspace.root)  # where the app's paths count from, too
    assert run_command_line(["experiment", "run", "experiments/two.yaml"]) == 0
    assert rates(workspace, TWO_WITHOUT_MODEL) == [("oracle", 1.0), ("empty", 0.0)]
    planned = plan_in_workspace(workspace, parse_experiment("two", TWO_WITHOUT_MODEL))
    first, second = (run.config.out for run in planned[0].runs)
    records = (first / "records.jsonl").read_text()
    (first / "records.jsonl").write_text("{}\n")
    with pytest.raises(ContentError, match="no result record"):
        enter_runs(workspace, planned)
    assert list(ids_by_folder(workspace, [str(first), str(second)])) == [str(second)]
    (first / "records.jsonl").write_text(records)
    assert len(enter_runs(workspace, planned)) == 2


def test_another_run_of_the_same_label_shows_no_rates(workspace: Workspace, ordered: Do, do: Do, serve: Serve) -> None:
    """An option that is edited makes another run of the entry; what lies in its folder is still what it was."""
    edited = FILE.replace("{shots: none}", "{shots_count: 1}")
    serve([Say(RIGHT)])
    made = do("experiment", ordered())
    experiment = parse_experiment("two", edited)
    _, chat = report_of(experiment, plan_in_workspace(workspace, experiment)).to_json()["runs"]
    assert (chat["state"], chat["pass_rate"]) == ("another run", None)
    assert "not 'chat:m?shots_count=1'" in chat["difference"]
    assert rates(workspace, edited) == [("oracle", 1.0), ("none", None)]
    with pytest.raises(UsageError, match="the folder holds another run"):
        do("experiment", ordered(edited))
    assert enter_runs(workspace, plan_in_workspace(workspace, experiment)) == made["runs"][:1]
    assert rates(workspace) == [("oracle", 1.0), ("none", 0.5)]
