"""Experiments as files: what is wrong is told first, runs resume, replies are recorded, and one table comes out."""

import csv
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.experiments.adaptation import Changes, adapted
from evaluator.experiments.experiment_file import AgentEntry, BenchmarkEntry, Experiment
from evaluator.experiments.forecast import requests_of_attempt
from evaluator.experiments.results import mean_tokens, rate_interval
from evaluator.models.exchange import BYTES_PER_TOKEN
from evaluator.records import Record, read_records
from evaluator.reporting.paired import wilson_interval
from evaluator.running import RunConfig, model_asked
from evaluator.session import AgentNetwork
from tests.scripted_model import KEY, Refuse, Say, ScriptedModel, scripted_model

pytestmark = pytest.mark.kernel

Command = Callable[..., Any]
PROBLEMS = "".join(f'# %%\n"""\nquery: Add {number} to x.\n"""\nx + {number}\n\n' for number in (1, 2, 3, 4))


def reply(request: dict[str, Any]) -> Say:
    """Right for 1 and 2, wrong for 3, right for 4 at the second attempt."""
    turns = [str(turn["content"]) for turn in request["messages"]]
    asked = next(turn for turn in reversed(turns) if " to x." in turn)
    number = next(number for number in (1, 2, 3, 4) if f"Add {number} to x." in asked)
    wrong = number == 3 or (number == 4 and turns[-1] == asked)
    code = "x" if wrong else f"x + {number}"
    return Say(f"```python\n{code}\n```", prompt_tokens=100 * number, completion_tokens=10)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    with scripted_model(reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
        yield server


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return what writes a benchmark of two sets, and an experiment of the given lines."""
    bench = tmp_path / "bench"
    bench.mkdir()
    for name in ("one", "two"):
        (bench / f"{name}.py").write_text(f"# %%\nx = 1\n\n{PROBLEMS}")
    (bench / "_manifest.yaml").write_text("name: bench\nversion: '1'\nproblemsets: [one, two]\n")

    def written(*lines: str) -> Path:
        path = tmp_path / "experiment.yaml"
        head = [] if any(line.startswith("benchmarks") for line in lines) else ["benchmarks: [bench]"]
        path.write_text("\n".join(["name: small", "out: out", *head, *lines, ""]))
        return path

    return written


AGENTS = ("agents:", "- {agent: 'chat:m', label: plain, options: {shots: none}}", "- {agent: 'chat:m', label: shots}")
POLICIES = ("policies:", "- {label: once}", "- {label: two attempts, max_attempts: 2, feedback: [output]}")


def rates(found: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {(run["agent"], run["policy"]): run["pass_rate"] for run in found["runs"]}


def test_an_experiment_is_forecast_run_and_brought_into_one_table(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    file = write("published: dseval", *AGENTS, "- oracle", *POLICIES)
    ahead = benchwright("experiment", "run", file, "--dry", "--json")
    assert (ahead.code, ahead.json["requests"]) == (0, [4 * 8, 2 * 8 + 2 * 16])
    assert ahead.json["cost"] is None  # no price is known of it
    assert model.requests == []
    assert {each["state"] for each in benchwright("experiment", "status", file, "--json").json["runs"]} == {"waiting"}
    done = benchwright("experiment", "run", file, "--json")
    assert done.code == 0, done.stderr
    assert "6 runs, 48 problems left to judge" in done.stderr
    assert rates(done.json) == {
        **{("plain", "once"): 0.5, ("shots", "once"): 0.5, ("oracle", "once"): 1.0},
        **{("plain", "two attempts"): 0.75, ("shots", "two attempts"): 0.75, ("oracle", "two attempts"): 1.0},
    }
    first = done.json["runs"][0]
    assert first["interval"] == list(wilson_interval(4, 8) or ())
    assert first["tokens"] == {"prompt": 250.0, "completion": 10.0}
    assert len(done.json["published_alone"]) == 7
    assert done.json["done"] is True
    asked = len(model.requests)
    again = benchwright("experiment", "run", file, "--json")
    assert (again.json, len(model.requests)) == (done.json, asked)
    report = benchwright("experiment", "report", file, "--csv", "table.csv")
    (row,) = [line for line in report.stdout.splitlines() if "oracle" in line and "once" in line]
    assert row.split()[:7] == ["bench", "oracle", "once", "8", "100.0%", "67.6-100.0", "100.0%"]
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert [row["pass_rate"] for row in rows] == ["0.5", "0.75", "0.5", "0.75", "1.0", "1.0"]
    left = benchwright("experiment", "run", file, "--dry", "--json").json
    assert (left["requests"], [each["tokens_measured"] for each in left["runs"]]) == ([0, 0], [True] * 4 + [False] * 2)


def verdicts(path: Path) -> dict[Any, Any]:
    return {record.key: (record.verdict, record.code, record.agent_stats) for record in read_records(path)}


def test_runs_in_one_pass_judge_as_runs_alone_do(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    file = write(*AGENTS[:2], "- empty", "epochs: 2", "workers: 2", "policies:", "- {}", "- {state: own, history: own}")
    done = benchwright("experiment", "run", file, "--json")
    assert done.code == 0, done.stderr
    assert {run["problems"] for run in done.json["runs"]} == {16}
    for run in done.json["runs"]:
        agent = "empty" if run["agent"] == "empty" else "chat:m?shots=none"
        policies = ("--state", "own", "--history", "own") if run["policy"] == "own/own" else ()
        alone = tmp_path / "alone" / run["agent"] / run["policy"]
        assert benchwright("run", "bench", "--agent", agent, "--out", alone, "--epochs", "2", *policies).code == 0
        together = verdicts(Path(run["out"]) / "records.jsonl")
        assert len(together) == 16
        assert together.keys() == verdicts(alone / "records.jsonl").keys()
        for key, (verdict, code, _stats) in verdicts(alone / "records.jsonl").items():
            assert together[key][:2] == (verdict, code)
    assert len(model.requests) == 4 * 16


def test_what_was_recorded_repeats_the_whole_experiment_offline(
    benchwright: Command,
    write: Callable[..., Path],
    model: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = write(*AGENTS, *POLICIES)
    first = benchwright("experiment", "run", file, "--record", "tape", "--json")
    assert first.code == 0, first.stderr
    assert sorted(path.name for path in (tmp_path / "tape").iterdir()) == ["plain", "shots"]
    both = benchwright("experiment", "run", file, "--record", "tape", "--recorded", "tape")
    assert (both.code, "exclude one another" in both.stderr) == (2, True)
    asked = len(model.requests)
    monkeypatch.delenv("OPENAI_API_KEY")
    second = benchwright("experiment", "run", file, "--recorded", "tape", "--out", "again", "--json")
    assert second.code == 0, second.stderr
    assert "no model is asked" in second.stderr
    assert len(model.requests) == asked
    for one, other in zip(first.json["runs"], second.json["runs"], strict=True):
        paths = [Path(run["out"]) / "records.jsonl" for run in (one, other)]
        assert paths[0] != paths[1]
        assert verdicts(paths[0]) == verdicts(paths[1])
        assert {**one, "out": ""} == {**other, "out": ""}
    lost = benchwright("experiment", "run", file, "--recorded", "nowhere", "--out", "third")
    assert (lost.code, "there is no cassette" in lost.stderr) == (2, True)


def test_a_judge_of_figures_is_recorded_with_the_agents(
    benchwright: Command, model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [{"query": f"Draw {name}.", "tags": "all_ci,visualization"} for name in ("bars", "lines")]
    (tmp_path / "records.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    assert benchwright("import", "qwen", "records.jsonl", "--out", "figures").code == 0

    def replied(request: dict[str, Any]) -> Say:
        is_asked_to_judge = request["model"] == "eyes"
        is_right = "Draw bars" in str(request["messages"])
        return Say("right" if is_right else "wrong") if is_asked_to_judge else Say("```python\nplt.bar([1], [2])\n```")

    model.script = replied
    lines = ("name: seen", "out: out", "benchmarks: [figures]", "agents: ['chat:m']", "policies: [{mode: qwen}]")
    file = tmp_path / "seen.yaml"
    file.write_text("\n".join([*lines, "judge: eyes", ""]))
    first = benchwright("experiment", "run", file, "--record", "tape", "--json")
    assert (first.code, first.json["runs"][0]["pass_rate"]) == (0, 0.5), first.stderr
    assert {request["model"] for request in model.requests} == {"m", "eyes"}
    asked = len(model.requests)
    monkeypatch.delenv("OPENAI_API_KEY")
    second = benchwright("experiment", "run", file, "--recorded", "tape", "--out", "again", "--json")
    assert (second.code, second.json["runs"][0]["pass_rate"]) == (0, 0.5), second.stderr
    assert len(model.requests) == asked
    shutil.rmtree(tmp_path / "tape" / "_judge_")
    lost = benchwright("experiment", "run", file, "--recorded", "tape", "--out", "third")
    assert (lost.code, "there is no cassette" in lost.stderr) == (2, True)
    assert not (tmp_path / "third").exists()


FIGURES = "# %%\nimport matplotlib.pyplot as plt\n\n" + "".join(
    f'''# %%
"""
query: Draw {name}.
validator: {{template: basic, judge: {{scale: right_wrong, counts: true}}}}
"""
plt.{name}([1, 2], [3, 4])

'''
    for name in ("bar", "plot")
)
JUDGED_UNDER = [
    pytest.param("{label: once}", id="once"),
    pytest.param("{label: twice, max_attempts: 2, feedback: [output]}", id="by turns"),
    pytest.param("{label: own, state: own, history: own, max_attempts: 2}", id="on its own state"),
]


@pytest.fixture
def drawn(tmp_path: Path) -> Callable[[str], Path]:
    """Return what writes an experiment whose figures a judge looks at."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "drawn.py").write_text(FIGURES)
    (tmp_path / "figures" / "_manifest.yaml").write_text("name: figures\nversion: '1'\n")

    def written(policy: str) -> Path:
        file = tmp_path / "drawn.yaml"
        lines = ("name: drawn", "out: out", "benchmarks: [figures]", "agents: [oracle]", f"policies: [{policy}]")
        file.write_text("\n".join([*lines, "judge: eyes", ""]))
        return file

    return written


@pytest.mark.parametrize("policy", JUDGED_UNDER)
def test_a_reply_of_a_judge_that_cannot_be_recorded_stops_the_run(
    benchwright: Command, drawn: Callable[[str], Path], model: ScriptedModel, tmp_path: Path, policy: str
) -> None:
    """What goes on would pay for replies that are lost; the same command then asks again."""
    model.script = [Say("right")]
    file, tape = drawn(policy), tmp_path / "tape" / "_judge_"
    tape.mkdir(parents=True)
    (tape / "cassette.json").write_text('{"format": 1, "model": "eyes"}')
    (tape / "replies.jsonl").symlink_to("/dev/full")
    stopped = benchwright("experiment", "run", file, "--record", "tape")
    assert stopped.code == 3, stopped.stderr
    assert "a reply cannot be recorded" in stopped.stderr
    assert "make room or mend the folder" in stopped.stderr
    assert len(model.requests) == 1
    (run,) = benchwright("experiment", "status", file, "--json").json["runs"]
    assert list(read_records(Path(run["out"]) / "records.jsonl")) == []
    (tape / "replies.jsonl").unlink()
    done = benchwright("experiment", "run", file, "--record", "tape", "--json")
    assert (done.code, done.json["runs"][0]["pass_rate"]) == (0, 1.0), done.stderr
    assert len(model.requests) == 3


@pytest.mark.parametrize("policy", JUDGED_UNDER)
def test_a_judge_that_is_down_leaves_verdicts_open_and_the_run_goes_on(
    benchwright: Command, drawn: Callable[[str], Path], model: ScriptedModel, policy: str
) -> None:
    model.script = [Refuse(400, "no pictures here")]
    file = drawn(policy)
    benchwright("experiment", "run", file, "--record", "tape")
    (run,) = benchwright("experiment", "status", file, "--json").json["runs"]
    found = list(read_records(Path(run["out"]) / "records.jsonl"))
    assert [(record.index, record.verdict) for record in found] == [(1, "NOT_JUDGED"), (2, "NOT_JUDGED")]
    assert all("no pictures here" in record.extended_verdict for record in found)


def test_no_agent_has_the_folder_of_the_judge(benchwright: Command, write: Callable[..., Path]) -> None:
    file = write("agents: [{agent: oracle, label: _judge_}]", "policies: [{label: once}]")
    (run,) = benchwright("experiment", "status", file, "--json").json["runs"]
    assert Path(run["out"]).parent.name == "judge"


def test_a_stopped_experiment_goes_on(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    """The budget is spent in the second set: what was judged before stays, and only the rest is asked again."""
    file = write(*AGENTS[:2], "budget: {tokens: 2500}")
    stopped = benchwright("experiment", "run", file)
    assert stopped.code == 1, stopped.stderr
    assert "raise 'budget' in the experiment's file" in stopped.stderr
    status = benchwright("experiment", "status", file, "--json").json["runs"][0]
    assert (status["state"], status["judged"], status["pass_rate"]) == ("under way", 6, None)
    assert "not at their end" in benchwright("experiment", "report", file).stdout
    asked = len(model.requests)
    again = benchwright("experiment", "run", file)  # what an earlier start took counts
    assert (again.code, "tokens are used" in again.stderr) == (1, True)
    assert len(model.requests) - asked < 4
    asked = len(model.requests)
    done = benchwright("experiment", "run", write(*AGENTS[:2]), "--json")
    assert (done.code, done.json["runs"][0]["pass_rate"]) == (0, 0.5)
    assert len(model.requests) - asked == 2


def test_each_start_goes_on_where_the_budget_ended_also_where_answers_rest_on_earlier_ones(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel
) -> None:
    """What a start took of the budget counts for the next one, which asks nothing of it again."""
    own = (*AGENTS[:2], "policies: [{label: own, state: own, history: own}]")
    judged, asked = [], []
    for tokens in (1750, 1750, 2000, 2500):
        stopped = benchwright("experiment", "run", write(*own, f"budget: {{tokens: {tokens}}}"))
        assert (stopped.code, "raise 'budget' in the experiment's file" in stopped.stderr) == (1, True)
        (run,) = benchwright("experiment", "status", write(*own), "--json").json["runs"]
        judged.append(run["judged"])
        asked.append(len(model.requests))
    assert (judged, asked) == ([3, 3, 4, 6], [3, 3, 4, 6])
    assert benchwright("experiment", "run", write(*own)).code == 0
    assert len(model.requests) == 8


@pytest.mark.parametrize(
    ("lines", "told", "fix"),
    [
        (("agnts: [oracle]",), "no key is called 'agnts'", "use 'agents'"),
        (("agents: [{agent: oracle, agnt: x}]",), "no key is called 'agnt'", "use 'agent'"),
        (("agents: [{label: x}]",), "'agents.1.agent' is missing", "write it"),
        (("agents: []",), "'agents' is wrong: it is empty", "correct it: write at least one entry"),
        (("agents: [oracle]", "policies: [{state: mine}]"), "'policies.1.state' is none of 'reference'", "one of"),
        (("agents: [oracle]", "policies: [{mode: oracle, state: own}]"), "the mode says what 'state' is", "correct"),
        (("agents: [oracle]", "epochs: 0"), "'epochs' is wrong", "write at least 1"),
        (("agents: [oracle, oracle]",), "two entries are called 'oracle'", "another 'label'"),
        (("agents: [oracel]",), "'oracel'", "oracle"),
        (("agents: oracle",), "'agents' is wrong: it is no list", "write a list"),
        (("agents: [5]",), "'agents.1' is wrong: it is no mapping", "write a mapping"),
        (("agents: [{agent: 'chat:m', options: 5}]",), "'agents.1.options' is wrong: it is no mapping", "a mapping"),
        (("agents: [{agent: 'cmd:cat', folder: 5}]",), "'agents.1.folder' is wrong: it is no path", "write a path"),
        (
            ("agents: [{agent: 'cmd:cat', timeout_s: .inf}]",),
            "'agents.1.timeout_s' is wrong",
            "write at most 1,000,000",
        ),
        (("agents: [oracle]", "judge: 5"), "'judge' is wrong: it is no text", "write a text"),
        (("agents: ['chat:m']", "policies: [{mode: nothing}]"), "'policies.1.mode' is none of", "one of them"),
        (("agents: [{agent: 'chat:m', options: {encodng: coml}}]",), "no option 'encodng'", "use 'encoding'"),
        (("agents: [{agent: 'chat:m', options: {thinking: 'no'}}]",), "option 'thinking' is 'no'", "off, chain"),
        (("agents: ['cmd:no-such-program-at-all']",), "no program 'no-such-program-at-all'", "install it"),
        (("agents: [{agent: oracle, network: model}]",), "--agent-network is for agents in processes", "leave it out"),
        (("agents: [oracle]", "published: dsevl"), "no published rows called 'dsevl'", "use 'dseval'"),
        (("agents: [{agent: oracle, published: CoML}]",), "no published row is called 'CoML'", "published: dseval"),
        (
            ("agents: [{agent: oracle, published: CoML + GPT3.5}]", "published: dseval"),
            "no published row is called 'CoML + GPT3.5'",
            "use 'CoML + GPT-3.5'",
        ),
        (("agents: [oracle", "x"), "", "fix"),
        (("agents: [oracle]", "benchmarks: [nowhere]"), "nowhere", "fix"),
        (("agents: [oracle]", 'benchmarks: ["bench\\0"]'), "character NUL", "experiment.yaml:4"),
        (("agents:", "- {agent: 'cmd:sh', options: {a: b}}"), "'options' are for agents that ask a model", "fix"),
        (("agents: [oracle]", "environment: nosuch"), "there is no environment 'nosuch'", "benchwright env create"),
        (("agents: [oracle, 'cmd:nosuchprogram']",), "there is no program 'nosuchprogram'", "install it"),
        (("agents: [oracle, 'json:nothing']",), "cannot be loaded", "name a function"),
        (("agents: [oracle]", "policies: [{mode: qwen}]"), "'bench' is no benchmark of that family", "qwen-mini"),
        (("agents: []", "bugdet: {tokens: 5}"), "no key is called 'bugdet'", "use 'budget'"),
        (("agents: [oracle]", "budget: {tokns: 5}"), "no key is called 'tokns'", "use 'tokens'"),
        (("agents: [oracle]", "policies: []"), "'policies' is wrong", "correct it"),
        (("agents: [oracle]", "benchmarks: []"), "'benchmarks' is wrong", "correct it"),
        (("agents: [oracle]", "benchmarks: [bench, bench]"), "two entries are called 'bench'", "another 'label'"),
        (("agents: [oracle]", "benchmarks: [{benchmark: bench, sets: [onee]}]"), "no problemset 'onee'", "use 'one'"),
        (
            ("agents: [oracle]", "benchmarks: [away, {benchmark: gone, needs: fetch it}]"),
            "'away'; there is",
            "fetch it",
        ),
        (("a: &a [x, x]", "b: &b [*a, *a, *a]", "c: [*b, *b, *b, *b, *b, *b, *b]"), "aliases", "fix"),
        (("agents: " + "[" * 500 + "]" * 500,), "deep", "fix"),
        (("agents: ['" + "x" * 300_000 + "']",), "300", "fix"),
    ],
)
def test_what_is_wrong_is_told_before_anything_starts(
    benchwright: Command,
    write: Callable[..., Path],
    model: ScriptedModel,
    tmp_path: Path,
    lines: tuple[str, ...],
    told: str,
    fix: str,
) -> None:
    dry = benchwright("experiment", "run", write(*lines), "--dry")
    assert (dry.code, told in dry.stderr) == (2, True), dry.stderr
    done = benchwright("experiment", "run", write(*lines))
    assert done.code == 2, done.stderr
    assert told in done.stderr
    assert fix in done.stderr
    assert "fix:" in done.stderr
    assert not list((tmp_path / "out").rglob("records.jsonl"))


def test_a_key_that_lacks_and_a_file_that_lacks_are_named(
    benchwright: Command, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for lines in (AGENTS, ("agents: [oracle]", "judge: m")):
        done = benchwright("experiment", "run", write(*lines), "--dry")
        assert (done.code, "OPENAI_API_KEY" in done.stderr) == (3, True)
    for command in ("run", "status", "report"):
        absent = benchwright("experiment", command, "absent.yaml")
        assert (absent.code, "no such experiment" in absent.stderr) == (2, True)


def test_a_large_experiment_wants_to_be_agreed_to(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel
) -> None:
    many = [f"- {{agent: oracle, label: '{number}'}}" for number in range(101)]
    done = benchwright("experiment", "run", write("agents:", *many))
    assert done.code == 2
    assert "101 runs" in done.stderr
    assert "--yes" in done.stderr
    too_many = [f"- {{label: '{number}'}}" for number in range(100)]
    refused = benchwright("experiment", "run", write("agents:", *many, "policies:", *too_many), "--yes")
    assert (refused.code, "10,100 runs" in refused.stderr) == (2, True)
    assert model.requests == []


def test_ten_thousand_runs_are_forecast_and_want_to_be_agreed_to(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    agents = [f"- {{agent: 'chat:m', label: a{each}, options: {{max_tokens: {each + 1}}}}}" for each in range(100)]
    policies = [f"- {{label: p{number}}}" for number in range(100)]
    done = benchwright("experiment", "run", write("agents:", *agents, "policies:", *policies))
    assert done.code == 2
    assert "10,000 runs, 80,000 problems left to judge" in done.stderr
    assert "requests to models: 80,000" in done.stderr
    assert "add --yes" in done.stderr
    assert (model.requests, (tmp_path / "out").exists()) == ([], False)


OWN_CLIENT = ("agents:", "- {agent: 'cmd:cat', label: own, network: model, model: m}", "- {agent: 'chat:m'}")


@pytest.mark.parametrize("dry", [("--dry",), ()])
@pytest.mark.parametrize("option", ["--record", "--recorded"])
def test_replies_of_agents_with_clients_of_their_own_are_neither_kept_nor_repeated(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, option: str, dry: tuple[str, ...]
) -> None:
    done = benchwright("experiment", "run", write(*OWN_CLIENT), option, "replies", *dry)
    assert (done.code, "'own' asks its model with a client of its own" in done.stderr) == (2, True), done.stderr
    assert f"leave out {option}" in done.stderr
    assert model.requests == []


def test_agents_with_clients_of_their_own_are_forecast_and_given_the_model_of_an_option() -> None:
    agents = (AgentEntry(agent="smolagents:a?max_steps=6"), AgentEntry(agent="coml"), AgentEntry(agent="oracle"))
    experiment = Experiment(name="e", out=Path("o"), benchmarks=(BenchmarkEntry(benchmark="core"),), agents=agents)
    changed = adapted(experiment, Changes(model="b")).agents
    assert [each.agent for each in changed] == ["smolagents:b?max_steps=6", "coml:b", "oracle"]
    configs = [RunConfig(Path("core"), each.agent, Path("o")) for each in changed]
    assert [model_asked(each) for each in configs] == ["b", "b", ""]
    granted = RunConfig(Path("core"), "cmd:cat", Path("o"), agent_network=AgentNetwork.MODEL, agent_model="c")
    assert model_asked(granted) == "c"
    assert [requests_of_attempt(each) for each in (*configs[:2], granted)] == [(1, 6), (1, 1), (1, 20)]
    assert requests_of_attempt(replace(granted, agent_calls=3)) == (1, 3)


def test_a_file_that_is_too_large_is_not_read(benchwright: Command, write: Callable[..., Path]) -> None:
    file = write("agents: [oracle]", "# " + "x" * 1_000_001)
    done = benchwright("experiment", "run", file)
    assert (done.code, "more than 1 MB" in done.stderr, "fix:" in done.stderr) == (2, True, True)


def test_the_line_of_a_misspelt_key_is_told(benchwright: Command, write: Callable[..., Path]) -> None:
    file = write("agents:", "- oracle", "- agent: empty", "  lable: nothing")
    done = benchwright("experiment", "run", file)
    assert (done.code, f"{file}:7" in done.stderr, "use 'label'" in done.stderr) == (2, True, True), done.stderr


@pytest.mark.parametrize("dry", [("--dry",), ()])
def test_folders_that_cannot_be_written_are_told_before_anything_starts(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path, dry: tuple[str, ...]
) -> None:
    (tmp_path / "taken").write_text("mine")
    below = benchwright("experiment", "run", write(*AGENTS), "--out", "taken/below", *dry)
    assert (below.code, "a file is where a folder" in below.stderr) == (2, True)
    system = benchwright("experiment", "run", write(*AGENTS), "--out", "/proc/experiment", *dry)
    assert (system.code, "cannot write the output folder" in system.stderr) == (2, True)
    assert "name a folder that can be written" in system.stderr
    (tmp_path / "out" / "bench").mkdir(parents=True)
    (tmp_path / "out" / "bench" / "shots").write_text("mine")  # where the second agent's runs shall lie
    second = benchwright("experiment", "run", write(*AGENTS), *dry)
    assert (second.code, str(tmp_path / "out" / "bench" / "shots") in second.stderr) == (2, True)
    assert (model.requests, [path.name for path in (tmp_path / "out").iterdir()]) == ([], ["bench"])


@pytest.mark.parametrize("dry", [("--dry",), ()])
def test_another_run_in_the_folder_of_a_later_benchmark_is_told_before_the_first_one_starts(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path, dry: tuple[str, ...]
) -> None:
    (tmp_path / "sums.py").write_text(PROBLEMS.replace("x +", "1 +").replace("to x", "to one"))
    lines = ("benchmarks: [bench, sums.py]", "agents: [empty, {agent: 'chat:m', label: asked}]")
    (run,) = [
        each
        for each in benchwright("experiment", "status", write(*lines), "--json").json["runs"]
        if (each["benchmark"], each["agent"]) == ("sums", "asked")
    ]
    assert benchwright("run", "sums.py", "--agent", "oracle", "--out", run["out"]).code == 0
    done = benchwright("experiment", "run", write(*lines), *dry)
    assert done.code == 2, done.stderr
    assert "the folder holds another run: its agent is 'oracle'" in done.stderr
    assert run["out"] in done.stderr
    assert model.requests == []
    assert not (tmp_path / "out" / "bench").exists()


def test_a_dry_start_leaves_nothing(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    assert benchwright("experiment", "run", write(*AGENTS), "--dry").code == 0
    assert not (tmp_path / "out").exists()


def test_a_budget_of_cost_needs_prices_before_anything_starts(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    done = benchwright("experiment", "run", write(*AGENTS, "budget: {cost: 5}"), "--dry")
    assert (done.code, "no price is known of the model 'm'" in done.stderr) == (2, True)


def test_a_page_shows_labels_as_text_and_runs_that_are_not_at_their_end(
    benchwright: Command, write: Callable[..., Path], tmp_path: Path
) -> None:
    hostile = "<script>alert(1)</script>"
    file = write(f"agents: [{{agent: oracle, label: '{hostile}'}}]", "policies: [{label: twice, max_attempts: 2}]")
    for remark in (True, False):
        assert benchwright("experiment", "report", file, "--html", "page.html").code == 0
        page = (tmp_path / "page.html").read_text()
        assert hostile not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert ("1 of 1 runs are not at their end" in page, page.count("<svg")) == (remark, 0 if remark else 1)
        assert benchwright("experiment", "run", file).code == 0


def spent(benchwright: Command, file: Path, *more: str) -> int:
    return int(benchwright("experiment", "status", file, *more, "--json").json["spent"]["tokens"])


def test_a_start_from_records_takes_nothing_of_the_budget(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel
) -> None:
    """What a cassette answers was paid for elsewhere, though its records tell tokens as if it had been asked."""
    first = write(*AGENTS[:2])
    assert benchwright("experiment", "run", first, "--record", "tape").code == 0
    assert spent(benchwright, first) == 1000 + 40  # what is asked the same in the second set is asked once
    assert benchwright("experiment", "run", first, "--recorded", "tape", "--out", "again").code == 0
    assert spent(benchwright, first, "--out", "again") == 0
    more = write(*AGENTS[:2], "epochs: 1", "budget: {tokens: 100}")
    assert benchwright("experiment", "run", more, "--out", "again").code == 0


def test_a_ledger_that_cannot_be_read_is_told_before_anything_starts(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ledger.jsonl").write_text('{"before":[0,0.0]}\nnothing\n')
    for dry in (("--dry",), ()):
        done = benchwright("experiment", "run", write(*AGENTS), *dry)
        assert (done.code, "ledger.jsonl:2" in done.stderr, "take the line out" in done.stderr) == (1, True, True)
    assert not (tmp_path / "out" / "bench").exists()


def test_a_ledger_that_is_no_plain_file_is_told_before_anything_starts(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    """A folder; and a link, through which nothing is written."""
    ledger, elsewhere = tmp_path / "out" / "ledger.jsonl", tmp_path / "elsewhere"
    ledger.mkdir(parents=True)
    for place in ("folder", "link"):
        for dry in (("--dry",), ()):
            done = benchwright("experiment", "run", write(*AGENTS), *dry)
            assert (done.code, "no plain file" in done.stderr, "move it away" in done.stderr) == (1, True, True), place
        if place == "folder":
            ledger.rmdir()
            ledger.symlink_to(elsewhere)
    assert not elsewhere.exists()


def test_a_judge_counts_against_the_budget_of_later_starts(
    benchwright: Command, drawn: Callable[[str], Path], model: ScriptedModel
) -> None:
    model.script = [Say("right", prompt_tokens=700, completion_tokens=50)]
    file = drawn("{label: once}")
    assert benchwright("experiment", "run", file).code == 0
    assert (len(model.requests), spent(benchwright, file)) == (2, 1500)
    assert benchwright("experiment", "run", file).code == 0
    assert (len(model.requests), spent(benchwright, file)) == (2, 1500)


def test_vectors_count_against_the_budget(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel
) -> None:
    """An endpoint of vectors tells no tokens: an estimate of the texts is counted."""
    model.script = lambda request: Say("") if "input" in request else reply(request)
    options = "options: {rank_shots: knn, embedding: vectors, shots_count: 1}"
    file = write("agents:", f"- {{agent: 'chat:m', label: near, {options}}}")
    done = benchwright("experiment", "run", file)
    assert done.code == 0, done.stderr
    texts = [text for request in model.requests if "input" in request for text in request["input"]]
    estimate = sum(1 + len(text.encode()) // BYTES_PER_TOKEN for text in texts)
    assert len(texts) >= 8
    assert spent(benchwright, file) == 2 * (1000 + 40) + estimate


def test_an_answer_that_no_record_tells_of_counts_all_the_same(
    benchwright: Command, write: Callable[..., Path], model: ScriptedModel, tmp_path: Path
) -> None:
    """The budget ends before the second attempt at the third problem; the next start asks for the first one anew."""
    lines = (*AGENTS[:2], "policies: [{label: twice, max_attempts: 2, feedback: [output]}]")
    assert benchwright("experiment", "run", write(*lines), "--out", "probe").code == 0
    ledger = [json.loads(line) for line in (tmp_path / "probe" / "ledger.jsonl").read_text().splitlines()]
    third = [line["reserved"][0] for line in ledger if "reserved" in line][2]
    budget = 110 + 210 + third + 100  # enough for the third answer, of 310, and too little for one more
    stopped = benchwright("experiment", "run", write(*lines, f"budget: {{tokens: {budget}}}"))
    assert (stopped.code, "raise 'budget'" in stopped.stderr) == (1, True), stopped.stderr
    (run,) = benchwright("experiment", "status", write(*lines), "--json").json["runs"]
    assert spent(benchwright, write(*lines)) == 110 + 210 + 310
    assert benchwright("experiment", "run", write(*lines)).code == 0
    stats = [record.agent_stats or {} for record in read_records(Path(run["out"]) / "records.jsonl")]
    told = sum(each["prompt_tokens"] + each["completion_tokens"] for each in stats)
    assert told == spent(benchwright, write(*lines), "--out", "probe")
    assert spent(benchwright, write(*lines)) == told + 310


def test_entries_whose_titles_look_alike_have_folders_of_their_own(
    benchwright: Command, write: Callable[..., Path], tmp_path: Path
) -> None:
    labels = ("a b", "a-b", "a-b-2", "A")
    places: dict[str, str] = {}
    for count in (1, 3, 4):  # entries that are added move no run
        lines = [f"- {{agent: empty, label: {label}}}" for label in labels[:count]]
        found = benchwright("experiment", "status", write("agents:", *lines), "--json").json["runs"]
        outs = {run["agent"]: run["out"] for run in found}
        assert len(set(outs.values())) == count
        assert all(outs[label] == place for label, place in places.items())
        places = outs


def test_an_experiment_that_is_no_plain_file_is_not_waited_for(benchwright: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    for name in ("pipe.yaml", "."):
        done = benchwright("experiment", "run", name)
        assert (done.code, "no plain file" in done.stderr) == (2, True)


def test_numbers_among_options_keep_all_their_digits() -> None:
    options: dict[str, float] = {"temperature": 0.12345678, "max_tokens": 2_000_000.0}
    assert AgentEntry(agent="chat:m", options=options).text == "chat:m?temperature=0.12345678&max_tokens=2000000"


def attempt(problemset: str, index: int, epoch: int, verdict: str) -> Record:
    return Record("b", "1", problemset, index, 1, verdict, "", "", "", epoch=epoch)


def test_problems_whose_tokens_nobody_told_are_no_zeros() -> None:
    told = [replace(attempt("s", n, 1, "CORRECT"), agent_stats={"prompt_tokens": 30 * n}) for n in (1, 2)]
    untold = [attempt("s", 3, 1, "NOT_JUDGED"), replace(attempt("s", 4, 1, "CRASH"), agent_stats={"calls": 1})]
    assert mean_tokens([*told, *untold]) == (45.0, 0.0)
    assert mean_tokens(untold) is None


def test_the_interval_over_epochs_is_that_of_problems() -> None:
    """Epochs of one problem are not independent: equal epochs tell no more than one."""
    once = [attempt("s", index, 1, "CORRECT" if index % 2 else "CRASH") for index in range(40)]
    assert rate_interval(once) == wilson_interval(20, 40)
    often = [attempt("s", record.index, epoch, record.verdict) for record in once for epoch in range(1, 11)]
    interval, naive = rate_interval(often), wilson_interval(200, 400)
    assert interval is not None
    assert naive is not None
    assert interval.low == pytest.approx(0.5 - 1.959964 * 0.5063697 / 40**0.5, abs=1e-6)
    assert interval.high - interval.low > 2 * (naive.high - naive.low)
    assert rate_interval([]) is None
    assert rate_interval([attempt("s", 1, 1, "NOT_JUDGED")]) is None
