"""Experiments that are shipped: each is listed, copied, forecast, run in small, resumed, and gives its table."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluator.experiments.experiment_file import read_experiment
from evaluator.experiments.planned_runs import title_of
from evaluator.experiments.shipped import shipped_experiments, shipped_file, shipped_names
from tests.cli.experiments.small_experiment import Command
from tests.scripted_model import Say, ScriptedModel
from tests.waiting import eventually

pytestmark = pytest.mark.kernel

CODE = "Thought: I add.\nAction: IPythonInterpreter\nAction Input:\n```python\n1 + 1\n```"
PLAN = '[{"id": 1, "depends_on": [], "instruction": "Add.", "type": "other"}]'


def reply(request: dict[str, Any]) -> Say:
    """Wrong code for every agent, in all their layouts; a judge of figures agrees."""
    if request["model"] == "eyes":
        return Say("right")
    asked = str(request.get("messages", ""))[-3000:]
    return Say(PLAN if "JSON" in asked else CODE, logprobs=(-0.5, -0.25))


@pytest.fixture
def model(model: ScriptedModel) -> ScriptedModel:
    model.script = reply
    return model


def words(name: str, limit: int = 1) -> list[str]:
    """How an experiment is run in small: all of them can be asked of one model, but the one that compares models."""
    one = [] if name == "dseval-models" else ["--model", "m"]
    return [name, "--small", "--limit", str(limit), "--judge", "eyes", *one]


@pytest.mark.deep
@pytest.mark.parametrize("name", shipped_names())
def test_every_shipped_experiment_runs_in_small_and_gives_its_table(
    benchwright: Command, model: ScriptedModel, tmp_path: Path, name: str
) -> None:
    content = read_experiment(shipped_file(name))
    ahead = benchwright("experiment", "run", *words(name), "--dry", "--json")
    assert ahead.code == 0, ahead.stderr
    assert (ahead.json["name"], model.requests, list(tmp_path.iterdir())) == (f"{name}-small", [], [])
    done = benchwright("experiment", "run", *words(name), "--json")
    assert done.code == 0, done.stderr
    rows = [(run["benchmark"], run["agent"], run["policy"]) for run in done.json["runs"]]
    wanted = [
        (benchmark.title, agent.title, title_of(policy))
        for benchmark in content.small
        for agent in content.agents
        for policy in content.policies
    ]
    assert (rows, done.json["done"]) == (wanted, True)
    for run in done.json["runs"]:
        assert (run["judged"], run["problems"], run["state"]) == (1, 1, "done")
        low, high = run["interval"]
        assert low <= run["pass_rate"] <= high
        assert high - low > 0.5  # one problem tells little
        assert sum(run["tokens"].values()) > 0
    assert len(model.requests) >= len(rows)
    left = benchwright("experiment", "run", *words(name), "--dry", "--json").json
    assert (left["requests"], {run["problems_left"] for run in left["runs"]}) == ([0, 0], {0})
    report = benchwright("experiment", "report", *words(name), "--csv", "table.csv", "--html", "page.html")
    assert report.code == 0, report.stderr
    table = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert [(row["benchmark"], row["agent"], row["policy"]) for row in table] == wanted
    page = (tmp_path / "page.html").read_text()
    assert all(agent.title in page for agent in content.agents)
    assert "<script>" in page
    assert not re.search(r"(?:src|href)=", page)


def test_a_board_stands_beside_all_published_rows(benchwright: Command, model: ScriptedModel, tmp_path: Path) -> None:
    done = benchwright("experiment", "run", *words("cibench-board"), "--json")
    assert done.code == 0, done.stderr
    ours, *published = done.json["board"]["rows"]
    assert (ours["model"], ours["published"], len(published)) == ("react-cibench", False, 24)
    assert {row["published"] for row in published} == {True}
    assert ours["scores"]["E-Tool"] == 1.0
    assert ours["scores"]["O-Exe"] == 1.0
    assert [run["published_row"]["agent"] for run in done.json["runs"]] == ["gpt-4o", "gpt-4o"]
    report = benchwright("experiment", "report", *words("cibench-board"), "--csv", "table.csv").stdout
    below = [line.split() for line in report.splitlines() if line.startswith("CIBench ") and "gpt-4o" in line]
    assert [line[2] for line in below] == ["published", "published"]
    told = "published rows are of the whole CIBench; cibench-mini here has 1 problem: compare them only where"
    assert report.count(told) == 1
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert {(row["published_benchmark"], row["published_agent"]) for row in rows} == {("CIBench", "gpt-4o")}
    assert [float(row["published_executable"]) for row in rows] == [0.972, 0.948]


def test_two_policies_of_one_mode_are_not_pooled_on_a_board(benchwright: Command, tmp_path: Path) -> None:
    """They fill the same columns; one row of both would count each problem twice."""
    lines = ("name: two", "out: out", "benchmarks: [{benchmark: cibench-mini, limit: 1}]", "agents: [oracle]")
    policies = "policies: [{mode: oracle}, {mode: oracle, max_attempts: 1, label: once}]"
    (tmp_path / "two.yaml").write_text("\n".join([*lines, policies, ""]))
    done = benchwright("experiment", "run", "two.yaml", "--json")
    assert (done.code, len(done.json["runs"])) == (0, 2), done.stderr
    assert done.json["board"] is None


def test_published_rates_stand_below_ours_where_a_run_repeats_them(
    benchwright: Command, model: ScriptedModel, tmp_path: Path
) -> None:
    """The benchmark is called as the one that they are of; what repeats another setting has none beside it."""
    for name in ("exercise", "mine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "_manifest.yaml").write_text("name: exercise\nversion: '1'\n")
        (tmp_path / name / "one.py").write_text('# %%\n"""\nquery: Add one and one.\n"""\n1 + 1\n')
    options = ("--benchmark", "exercise", "--benchmark", "mine", "--model", "m")
    done = benchwright("experiment", "run", "dseval-error-propagation", *options, "--json")
    assert done.code == 0, done.stderr
    found = [(run["benchmark"], run["policy"], run["published"]) for run in done.json["runs"]]
    own = ("own history", "own history and state")
    assert found == [
        ("DSEval-Exercise", "reference", 0.791),
        *[("DSEval-Exercise", policy, None) for policy in own],
        *[("mine", policy, None) for policy in ("reference", *own)],
    ]
    assert done.json["runs"][0]["published_row"]["rates"]["without_both"] == 0.84
    text = benchwright("experiment", "report", "dseval-error-propagation", *options).stdout
    (row,) = [line for line in text.splitlines() if "CoML + GPT-3.5" in line]
    assert row.split()[4:] == ["published", "187", "79.1%", "-", "79.7%", "83.4%", "84.0%", "2,125+24"]
    assert "data, not measured here" in text
    assert "published rates are of all 187 problems of DSEval-Exercise; DSEval-Exercise here has 1 problem" in text
    losses = {(loss["benchmark"], loss["what"]): loss["loss"] for loss in done.json["losses"]}
    assert losses == {(name, what): 0.0 for name in ("DSEval-Exercise", "mine") for what in ("history", "state")}


def test_what_wrong_code_in_the_history_costs_is_told(
    benchwright: Command, model: ScriptedModel, tmp_path: Path
) -> None:
    """The second problem is solved by those alone that see the right code of the first one."""
    first = '# %%\n"""\nquery: Make a three.\n"""\na = 1 + 2\na\n\n'
    (tmp_path / "sums.py").write_text(f'{first}# %%\n"""\nquery: Double a.\n"""\n2 * a\n')

    def led_astray(request: dict[str, Any]) -> Say:
        asked = str(request["messages"][-1]["content"])
        return Say(f"```python\n{'2 * a' if 'a = 1 + 2' in asked else 'a = 7'}\n```")

    model.script = led_astray
    options = ("dseval-error-propagation", "--benchmark", "sums.py", "--model", "m")
    done = benchwright("experiment", "run", *options, "--json")
    assert done.code == 0, done.stderr
    history, state = done.json["losses"]
    assert (history["what"], history["with"], history["without"]) == ("history", "reference", "own history")
    assert history["problems"] == {"both": 0, "only_first": 1, "only_second": 0, "neither": 1, "total": 2}
    assert history["loss"] == 0.5
    assert history["interval"][0] < 0.5 < history["interval"][1]
    assert (state["what"], state["loss"]) == ("state", 0.0)
    report = benchwright("experiment", "report", *options).stdout
    (row,) = [line.split() for line in report.splitlines() if line.split()[:3] == ["sums", "CoML", "history"]]
    assert row[3:8] == ["reference", "own", "history", "2", "50.0"]


def test_self_debug_and_resampling_are_compared_over_attempts_and_tokens(
    benchwright: Command, model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "sums.py").write_text('# %%\n"""\nquery: Add one and two.\n"""\n1 + 2\n')

    def mended(request: dict[str, Any]) -> Say:
        """Right at the second attempt of self-debug, and never where the same is asked again."""
        is_repair = len(request["messages"]) > 20
        return Say(f"```python\n1 + {2 if is_repair else 1}\n```", prompt_tokens=500 if is_repair else 100)

    model.script = mended
    options = ("dseval-repairs", "--benchmark", "sums.py", "--model", "m")
    done = benchwright("experiment", "run", *options, "--json")
    assert done.code == 0, done.stderr
    debug, resampling = done.json["curves"]
    assert debug["attempts"] == [[1, 0.0], [2, 1.0], [3, 1.0], [4, 1.0], [5, 1.0]]
    assert debug["tokens"] == [[120.0, 0.0], [640.0, 1.0]]
    assert resampling["attempts"] == [[attempt, 0.0] for attempt in range(1, 6)]
    assert resampling["tokens"] == [[120.0 * attempt, 0.0] for attempt in range(1, 6)]
    report = benchwright("experiment", "report", *options, "--html", "page.html").stdout
    (row,) = [
        line for line in report.splitlines() if line.startswith("sums") and line.count("%") == 5 and "100" in line
    ]
    assert row.split()[-5:] == ["0.0%", "100.0%", "100.0%", "100.0%", "100.0%"]
    page = (tmp_path / "page.html").read_text()
    assert page.count("<svg") == 2
    assert "pass rate over tokens a problem" in page


def test_shipped_experiments_are_listed_with_what_they_repeat_and_need(benchwright: Command, tmp_path: Path) -> None:
    found = benchwright("experiment", "list", "--json").json["experiments"]
    assert [each["name"] for each in found] == list(shipped_names())
    assert len(found) == 11
    assert all(each["about"] and each["needs"] and each["small"] for each in found)
    (tmp_path / "qwen").mkdir()
    (table,) = [each for each in shipped_experiments() if each.name == "qwen-table"]
    assert table.needs == ()
    told = benchwright("experiment", "list").stdout
    assert "benchwright import cibench cibench_generation --out cibench-generation" in told
    assert "MetaCopilot/dseval" in told
    assert "eval_code_interpreter_v1.jsonl" not in told


def test_a_copy_of_a_shipped_experiment_can_be_changed(benchwright: Command, tmp_path: Path) -> None:
    """It has a name of its own, so that its runs lie not among those of the shipped one."""
    assert benchwright("experiment", "new", "dseval-shots", "my/shots.yaml").code == 0
    shipped = shipped_file("dseval-shots").read_text()
    assert (tmp_path / "my" / "shots.yaml").read_text() == shipped.replace("name: dseval-shots", 'name: "shots"')
    for file, called in (("dseval-repairs.yaml", "dseval-repairs-copy"), (f"{'x' * 200}.yaml", "x" * 90)):
        assert benchwright("experiment", "new", "dseval-shots", file, "--json").json["called"] == called
        assert read_experiment(tmp_path / file).name == called
    below = benchwright("experiment", "new", "dseval-shots", "my/shots.yaml/x.yaml")
    assert (below.code, "'my/shots.yaml' is a file, not a folder" in below.stderr) == (2, True)
    taken = benchwright("experiment", "new", "dseval-shots", "my/shots.yaml")
    assert (taken.code, "exists" in taken.stderr) == (2, True)
    assert "name a file that is not there yet" in taken.stderr
    for command in (("new", "dseval-shot", "other.yaml"), ("run", "dseval-shot")):
        unknown = benchwright("experiment", *command)
        assert (unknown.code, "use 'dseval-shots'" in unknown.stderr) == (2, True)
    assert not (tmp_path / "other.yaml").exists()


def test_what_lacks_or_does_not_fit_is_told_before_anything_starts(
    benchwright: Command, model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\nbenchmarks: [core]\nagents: [oracle]\n")
    lacking = [f"dseval/benchmarks/{name}" for name in ("exercise", "so", "leetcode", "kaggle")]
    for command, options, told in (
        ("run", ("dseval-frameworks", "--dry"), (*lacking, "put it here as the folder 'dseval'")),
        ("status", ("cibench-board",), ("benchwright import cibench cibench_template",)),
        ("run", ("dseval-shots", "--small", "--benchmark", "core"), ("both say what is run", "leave out one")),
        ("run", ("dseval-shots", "--small", "--limit", "0"), ("a limit of 0 problems", "at least 1")),
        ("run", ("dseval-models", "--small", "--model", "m"), ("compares models", "leave out --model")),
        ("run", ("mine.yaml", "--small"), ("no benchmark for a trial", "--benchmark PATH")),
    ):
        refused = benchwright("experiment", command, *options)
        assert (refused.code, [part for part in told if part not in refused.stderr]) == (2, []), refused.stderr
    assert model.requests == []


@pytest.mark.deep
def test_a_killed_experiment_goes_on_and_what_was_paid_is_counted_once(
    benchwright: Command, model: ScriptedModel, tmp_path: Path
) -> None:
    """The fifth request is under way at the kill: it counts by the most it may take, and is asked again."""

    def replied(request: dict[str, Any]) -> Say:
        return Say(CODE, delay_s=600.0 if len(model.requests) == 5 else 0.0)

    model.script = replied
    options = ("dseval-side-effects", "--small", "--limit", "4", "--model", "m")
    command = [sys.executable, "-c", "from authoring.cli.main import main; main()", "experiment", "run", *options]
    root = Path(__file__).parents[2]
    started = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(root)})
    try:
        assert eventually(lambda: len(model.requests) == 5, within_s=60.0)
    finally:
        started.send_signal(signal.SIGKILL)
        started.wait()
    status = benchwright("experiment", "status", *options, "--json").json
    ledger = tmp_path / "runs" / "dseval-side-effects-small" / "ledger.jsonl"
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert [set(line) for line in lines[:3]] == [{"before"}, {"reserved"}, {"returned", "spent"}]
    assert status["spent"]["tokens"] == 4 * 120 + lines[-1]["reserved"][0]
    judged = sum(run["judged"] for run in status["runs"])
    assert judged <= 4
    done = benchwright("experiment", "run", *options, "--json")
    assert (done.code, done.json["done"]) == (0, True), done.stderr
    assert len(model.requests) == 5 + 8 - judged
    after = benchwright("experiment", "status", *options, "--json").json["spent"]["tokens"]
    assert after == status["spent"]["tokens"] + (8 - judged) * 120
