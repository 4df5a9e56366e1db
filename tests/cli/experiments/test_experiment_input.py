"""What is wrong with an experiment is told before anything starts."""

import shutil
from pathlib import Path

import pytest

from evaluator.agents.sdk import benchwright_agent
from tests.cli.experiments.small_experiment import AGENTS, PROBLEMS, Command, Write
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.kernel


WRONG: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("agnts: [oracle]",), "no key is called 'agnts'", "use 'agents'"),
    (("agents:", "- oracle", "- agent: empty", "  lable: nothing"), "experiment.yaml:7", "use 'label'"),
    (("agents: [{label: x}]",), "'agents.1.agent' is missing", "write it: 'agent: ...'"),
    (("policies: [{label: x}]",), "'agents' is missing", "write 'agents: [oracle]' at the top level"),
    (("agents: []",), "'agents' is wrong: it is empty", "correct it: write at least one entry"),
    (("agents: [oracle]", "policies: [{state: mine}]"), "'policies.1.state' is none of 'reference'", "one of"),
    (("agents: [oracle]", "policies: [{mode: oracle, state: own}]"), "the mode says what 'state' is", "correct"),
    (("agents: [oracle]", "epochs: 0"), "'epochs' is wrong", "write at least 1"),
    (("agents: [oracle, oracle]",), "two entries are called 'oracle'", "another 'label'"),
    (("agents: [oracel]",), "'oracel'", "oracle"),
    (("agents: oracle",), "'agents' is wrong: it is no list", "write a list"),
    (("agents: [{agent: 'chat:m', options: {encodng: coml}}]",), "no option 'encodng'", "use 'encoding'"),
    (("agents: ['cmd:no-such-program-at-all']",), "no program 'no-such-program-at-all'", "install it"),
    (("agents: [{agent: oracle, network: model}]",), "--agent-network is for agents in processes", "leave it out"),
    (("agents: [oracle]", "published: dsevl"), "no published rows called 'dsevl'", "use 'dseval'"),
    (("agents: [{agent: oracle, published: CoML}]",), "no published row is called 'CoML'", "published: dseval"),
    (("agents: [oracle", "x"), "", "fix"),
    (("agents: [oracle]", "benchmarks: [nowhere]"), "nowhere", "fix"),
    (("agents: [oracle]", "environment: nosuch"), "there is no environment 'nosuch'", "benchwright env create"),
    (("agents: [oracle]", "policies: [{mode: qwen}]"), "'bench' is no benchmark of that family", "qwen-mini"),
    (("agents: [oracle]", "benchmarks: [{benchmark: bench, sets: [onee]}]"), "no problemset 'onee'", "use 'one'"),
    (("agents: [oracle]", "benchmarks: [away, {benchmark: gone, needs: fetch it}]"), "'away'; there is", "fetch it"),
    (("a: &a [x, x]", "b: &b [*a, *a, *a]", "c: [*b, *b, *b, *b, *b, *b, *b]"), "aliases", "fix"),
)


def test_what_is_wrong_is_told_before_anything_starts(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    for number, (lines, told, fix) in enumerate(WRONG):
        done = benchwright("experiment", "run", write(*lines), *(("--dry",) if number % 4 else ()))
        assert (done.code, told in done.stderr, fix in done.stderr, "fix:" in done.stderr) == (2, True, True, True), (
            lines,
            done.stderr,
        )
    assert not list((tmp_path / "out").rglob("records.jsonl"))
    assert model.requests == []


def test_a_key_that_lacks_and_a_file_that_lacks_are_named(
    benchwright: Command, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for lines in (AGENTS, ("agents: [oracle]", "judge: m")):
        done = benchwright("experiment", "run", write(*lines), "--dry")
        assert (done.code, "OPENAI_API_KEY" in done.stderr) == (3, True)
    for command in ("run", "status", "report"):
        absent = benchwright("experiment", command, "absent.yaml")
        assert (absent.code, "no such experiment" in absent.stderr) == (2, True)


def test_a_large_experiment_wants_to_be_agreed_to(benchwright: Command, write: Write, model: ScriptedModel) -> None:
    many = [f"- {{agent: oracle, label: '{number}'}}" for number in range(101)]
    done = benchwright("experiment", "run", write("agents:", *many))
    assert done.code == 2
    told = "the experiment has 101 runs; at most 100 runs and 20,000 requests are started without --yes"
    assert told in done.stderr
    assert "add --yes to start it" in done.stderr
    assert f"{told}: add --yes" in benchwright("experiment", "run", write("agents:", *many), "--dry").stdout
    too_many = [f"- {{label: '{number}'}}" for number in range(100)]
    refused = benchwright("experiment", "run", write("agents:", *many, "policies:", *too_many), "--yes")
    assert (refused.code, "10,100 runs" in refused.stderr) == (2, True)
    assert model.requests == []


def test_a_file_that_holds_too_much_or_nothing_is_told_so(benchwright: Command, write: Write, tmp_path: Path) -> None:
    done = benchwright("experiment", "run", write("agents: [oracle]", "# " + "x" * 1_000_001))
    assert (done.code, "more than 1 MB" in done.stderr, "fix:" in done.stderr) == (2, True, True)
    for text in ("", "# nothing\n", "---\n"):
        (tmp_path / "empty.yaml").write_text(text)
        done = benchwright("experiment", "run", "empty.yaml")
        assert (done.code, "the file is empty" in done.stderr) == (2, True)
        assert "write name, benchmarks and agents" in done.stderr


def test_folders_that_cannot_be_written_are_told_before_anything_starts(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("mine")
    below = benchwright("experiment", "run", write(*AGENTS), "--out", "taken/below")
    assert (below.code, "a file is where a folder" in below.stderr) == (2, True)
    system = benchwright("experiment", "run", write(*AGENTS), "--out", "/proc/experiment", "--dry")
    assert (system.code, "cannot write the output folder" in system.stderr) == (2, True)
    assert "name a folder that can be written" in system.stderr
    (tmp_path / "out" / "bench").mkdir(parents=True)
    (tmp_path / "out" / "bench" / "shots").write_text("mine")  # where the second agent's runs shall lie
    second = benchwright("experiment", "run", write(*AGENTS))
    assert (second.code, str(tmp_path / "out" / "bench" / "shots") in second.stderr) == (2, True)
    assert (model.requests, [path.name for path in (tmp_path / "out").iterdir()]) == ([], ["bench"])


def test_another_run_in_a_later_folder_is_told_before_the_first_starts(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "sums.py").write_text(PROBLEMS.replace("x +", "1 +").replace("to x", "to one"))
    lines = ("benchmarks: [bench, sums.py]", "agents: [empty, {agent: 'chat:m', label: asked}]")
    runs = benchwright("experiment", "status", write(*lines), "--json").json["runs"]
    (out,) = (each["out"] for each in runs if (each["benchmark"], each["agent"]) == ("sums", "asked"))
    assert benchwright("run", "sums.py", "--agent", "oracle", "--out", out).code == 0
    for dry in (("--dry",), ()):
        done = benchwright("experiment", "run", write(*lines), *dry)
        assert done.code == 2, done.stderr
        assert "the folder holds another run: its agent is 'oracle'" in done.stderr
        assert out in done.stderr
    assert model.requests == []
    assert not (tmp_path / "out" / "bench").exists()


def test_a_dry_start_leaves_nothing(benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path) -> None:
    shutil.copy(benchwright_agent.__file__, tmp_path)
    (tmp_path / "own.py").write_text("from benchwright_agent import serve\nserve(lambda request: '1', name='own')\n")
    assert benchwright("experiment", "run", write("agents: ['cmd:python own.py']"), "--dry").code == 0
    file = write("agents: ['chat:m']")
    assert benchwright("experiment", "run", file, "--dry", "--record", "tape").code == 0
    assert not [path for path in (tmp_path / "out", tmp_path / "tape") if path.exists()]
    (tmp_path / "taken").touch()
    taken = benchwright("experiment", "run", file, "--dry", "--record", "taken/tape")
    assert (taken.code, "a file is where a folder" in taken.stderr, "--record" in taken.stderr) == (2, True, True)
    (tmp_path / "other" / "chat-m").mkdir(parents=True)
    (tmp_path / "other" / "chat-m" / "cassette.json").write_text('{"format": 1, "model": "n"}')
    other = benchwright("experiment", "run", file, "--dry", "--record", "other")
    assert (other.code, "the cassette holds replies of 'n', not of 'm'" in other.stderr) == (2, True), other.stderr
