"""`benchwright agents`, and the commands of docs/agents.md as they are written there."""

import hashlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import AGENTS
from evaluator.agents.choice import process_command
from evaluator.agents.describing import options_of
from evaluator.agents.process.launching import LaunchOptions
from evaluator.agents.process.package_command import requirements_of
from evaluator.agents.sdk import benchwright_agent
from evaluator.environments import VARIABLE
from evaluator.environments.installers import read_requirements
from evaluator.running import RunConfig
from evaluator.running.run_agent import process_text
from tests.kept_environments import kept_environment
from tests.scripted_model import KEY, Say, scripted_model

Command = Callable[..., Any]
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def block(language: str, containing: str) -> str:
    (found,) = [text for name, text in BLOCKS if name == language and containing in text]
    return str(found)


def run_lines(benchwright: Command, text: str, core: Path) -> list[Any]:
    """Run the `benchwright` lines of a block, on the first problems of the shipped benchmark."""
    finished = []
    for line in text.strip().splitlines():
        words = [str(core) if word == "problemsets/core" else word for word in shlex.split(line)[1:]]
        if words[0] == "run":
            words += [] if "--limit" in words else ["--limit", "4"]
            words.append("--json")
        finished.append(benchwright(*words))
    return finished


def test_an_agent_is_begun_checked_and_scored_as_the_page_says(benchwright: Command, tmp_path: Path) -> None:
    begun, checked, scored = run_lines(benchwright, block("", "agents new"), ROOT / "problemsets" / "core")
    assert begun.code == 0
    assert len((tmp_path / "my_agent" / "agent.py").read_text().splitlines()) <= 25
    assert checked.code == 0, checked.stdout
    assert "14 of 14 checks passed" in checked.stdout
    assert scored.code == 0, scored.stderr
    assert scored.json["agent"] == "my-agent"
    assert scored.json["judged"] == 4
    test = subprocess.run([sys.executable, "test_agent.py"], cwd=tmp_path / "my_agent", capture_output=True, text=True)
    assert test.stdout == "2 tests passed\n", test.stderr


@pytest.mark.deep
def test_the_agent_in_node_is_checked_and_scored_as_the_page_says(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "agent.js").write_text(block("javascript", "readline"))
    checked, scored = run_lines(benchwright, block("", "node agent.js"), ROOT / "problemsets" / "core")
    assert "14 of 14 checks passed" in checked.stdout
    assert scored.code == 0, scored.stderr
    assert (scored.json["agent"], scored.json["judged"]) == ("node-agent", 10)


@pytest.mark.deep
def test_the_agent_of_smolagents_is_checked_and_scored_as_the_page_says(
    benchwright: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    installs, text = block("", "smolagents:MODEL --out").split("\n", 1)
    assert installs == "benchwright env create smolagents --for-agent smolagents"
    requirements = read_requirements([requirements_of("smolagents")])
    count = Say("Thought: so.\n<code>\nfinal_answer(len(globals()))\n</code>")
    with kept_environment("smolagents", requirements), scripted_model([count]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        checked, scored = run_lines(benchwright, text, ROOT / "problemsets" / "core")
    assert "14 of 14 checks passed" in checked.stdout
    assert scored.code == 0, scored.stderr
    assert (scored.json["agent"], scored.json["judged"]) == ("smolagents:MODEL", 10)
    assert {request["model"] for request in model.requests} == {"MODEL"}


def test_options_of_a_package_are_described_before_it_is_installed(
    benchwright: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    told = benchwright("agents", "describe", "smolagents:m?max_steps=4")
    assert told.code == 0, told.stderr
    assert "make it: benchwright env create smolagents --for-agent smolagents" in told.stdout
    assert re.search(r"max_steps +4 +10 +a whole number from 1 to 100", told.stdout)
    described = benchwright("agents", "describe", "coml", "--json").json
    assert "there is no environment 'coml'" in described["not_installed"]
    assert {each["name"] for each in described["options"]} >= {"num_examples", "temperature"}
    assert benchwright("agents", "describe", "smolagents:m?max_step=4").code == 2
    assert options_of("cmd:./agent --url http://127.0.0.1/?a=b") == ()


def test_the_agent_of_the_page_in_python_is_scored(benchwright: Command, tmp_path: Path, one_problem: Path) -> None:
    (tmp_path / "agent.py").write_text(block("python", "def solve").replace('"len(df)"', '"x + 1"'))
    (tmp_path / "benchwright_agent.py").write_bytes(Path(benchwright_agent.__file__).read_bytes())
    done = benchwright("run", one_problem, "--agent", "cmd:python agent.py", "--out", "run", "--json")
    assert done.code == 0, done.stderr
    assert done.json["pass_rate"] == 1.0
    (record,) = (tmp_path / "run" / "records.jsonl").read_text().splitlines()
    assert '"executions": {"scratch": {"ok": 1}}' in record
    again = benchwright("run", one_problem, "--agent", "cmd:python agent.py", "--out", "run", "--json")
    assert again.json["resumed"] == 1
    for other in (("--agent-network", "full"), ("--agent-folder", "."), ("--agent-variable", "PATH")):
        refused = benchwright("run", one_problem, "--agent", "cmd:python agent.py", "--out", "run", *other)
        assert refused.code == 1
        assert "agent process is" in refused.stderr


def test_a_command_is_the_same_run_wherever_its_files_lie_and_no_other(tmp_path: Path) -> None:
    for agent, other in (
        ("cli:prog -p 'Look into inputs/ first. {prompt}'", "cli:prog -p 'Never look into inputs/ first. {prompt}'"),
        ("cmd:node a.js --url http://127.0.0.1:8001/v1", "cmd:node a.js --url http://127.0.0.1:8002/v1"),
        ("cmd:node a.js --model vendor/small", "cmd:node a.js --model other/small"),
    ):
        one, two = (process_text(RunConfig(tmp_path, each, tmp_path / "out")) for each in (agent, other))
        assert one != two
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "agent.js").touch()
    commands = [f"cmd:/opt/{each}/node {tmp_path / each / 'agent.js'} --fast" for each in ("here", "there")]
    configs = [RunConfig(tmp_path, each, tmp_path / "out") for each in (*commands, "cmd:node agent.js --fast")]
    digest = hashlib.sha256(b"node\0agent.js\0--fast").hexdigest()[:12]  # also of runs that are recorded already
    assert {process_text(each) for each in configs} == {f"environment default, network none, command {digest}"}
    for word in ("memory/notes.txt", str(tmp_path / "memory/notes"), "./notes"):  # made by its first start
        config = RunConfig(tmp_path, f"cmd:node agent.js {word}", tmp_path / "out", agent_folder=tmp_path)
        before = process_text(config)
        (tmp_path / word).parent.mkdir(exist_ok=True)
        (tmp_path / word).write_text("seen")
        assert process_text(config) == before
    prompt = "Look into the inputs first. " * 200  # no file name
    assert prompt in process_command(f"cli:cat '{prompt}' {{prompt}}", LaunchOptions()).words


@pytest.fixture
def one_problem(tmp_path: Path) -> Path:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: one\nversion: '1'\nproblemsets: [one]\n")
    (folder / "one.py").write_text('# %%\nx = 1\n\n# %%\n"""\nquery: One more than x?\n"""\nx + 1\n')
    return folder


def test_every_agent_with_a_name_is_listed(benchwright: Command) -> None:
    listed = benchwright("agents", "list", "--json").json["agents"]
    assert {each["agent"] for each in listed} >= {*AGENTS, "cmd", "cli"}
    assert all(each["about"] for each in listed)
    assert "react-qwen" in benchwright("agents", "list").stdout


def test_agents_without_a_model_bear_everything(benchwright: Command) -> None:
    report = benchwright("agents", "check", "cheat", "--json")
    assert report.code == 0, report.stdout
    assert len(report.json["checks"]) == 10
    assert benchwright("agents", "describe", "oracle:varied", "--json").json["name"] == "oracle:varied"


def test_what_an_agent_does_not_bear_is_named(benchwright: Command, tmp_path: Path) -> None:
    head = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom benchwright_agent import serve\n"
    (tmp_path / "benchwright_agent.py").write_bytes(Path(benchwright_agent.__file__).read_bytes())
    for body, failing in (
        ("import os; len(request['query']) > 1000 and os._exit(5)", "handles a query of 1 MB"),
        ("import os; os.write(99, b'x' * 100)", "answers a problem"),  # an error at every one
        ("import os; print('x' * 100); os.write(1, b'x' * 100)", ""),
    ):
        (tmp_path / "bad.py").write_text(f"{head}def solve(request):\n    {body}\n    return '1'\nserve(solve)\n")
        report = benchwright("agents", "check", "python bad.py", "--timeout", "2", "--json")
        failed = [each["check"] for each in report.json["checks"] if not each["passed"]]
        assert (report.code, failing in failed) == ((1, True) if failing else (0, False))


def test_mistakes_are_refused_before_anything_starts(benchwright: Command, tmp_path: Path, one_problem: Path) -> None:
    def refused(*arguments: object) -> str:
        done = benchwright(*arguments)
        assert done.code == 2, (arguments, done.stdout)
        return str(done.stderr)

    run = ("run", one_problem, "--out", "run")
    assert "there is no file 'absent.py'" in refused(*run, "--agent", "cmd:python absent.py")
    assert "no program 'pyhton'" in refused(*run, "--agent", "cmd:pyhton")
    assert "is empty" in refused(*run, "--agent", "cmd:")
    assert "close the quotes" in refused(*run, "--agent", "cmd:python 'x")
    assert "for agents in processes" in refused(*run, "--agent", "oracle", "--agent-network", "full")
    assert "leave it out" in refused(*run, "--agent", "oracle", "--agent-variable", "PATH")
    unset = refused(*run, "--agent", "cmd:true", "--agent-variable", "NOT_SET_ANYWHERE")
    assert "there is no environment variable 'NOT_SET_ANYWHERE'" in unset
    assert "no placeholder {promt}" in refused(*run, "--agent", "cli:cat {promt}")
    assert "no environment 'nowhere'" in refused(*run, "--agent", "cmd:true", "--agent-environment", "nowhere")
    assert "at most 1,000" in refused(*run, "--agent", "oracle", "--concurrency", "1001")
    assert "executions is -1" in refused(*run, "--agent", "oracle", "--executions", "-1")
    assert "exit code 0" in refused(*run, "--agent", "cmd:true")
    (one_problem / "agent.py").write_text("")
    assert "move it out" in refused(*run, "--agent", f"cmd:python {one_problem / 'agent.py'}")
    assert "use 'oracle'" in refused("agents", "check", "orcale")
    for command in ("nosuchcmd x", "cmd:nosuchcmd x", "cli:nosuchcmd x", "cmd:nosuchcmd"):
        told = refused("agents", "check", command)
        assert all(part in told for part in ("there is no program 'nosuchcmd'", "where: c", "fix: install it"))
    assert "more than 0" in refused("agents", "check", "oracle", "--timeout", "0")
    assert "at most 1,000,000" in refused("agents", "check", "oracle", "--timeout", "inf")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert "the folder is not empty" in refused("agents", "new", "full")
    assert not (tmp_path / "run" / "records.jsonl").exists()


def test_what_is_refused_before_anything_starts_leaves_nothing(
    benchwright: Command, tmp_path: Path, one_problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    own_model = ("cmd:true", "--agent-network", "model", "--agent-model", "m")
    others = [("cmd:nosuchcmd",), ("cmd:",), ("cli:nosuchcmd",), ("coml:M",), ("coml:M?num_exampels=1",)]
    for words in (*others, ("cmd:true", "--sets", "onee"), own_model):
        done = benchwright("run", one_problem, "--out", "run", "--agent", *words)
        assert (done.code in (2, 3), (tmp_path / "run").exists()) == (True, False), (words, done.stderr)
    assert "OPENAI_API_KEY" in done.stderr  # of the last one
    (tmp_path / "taken").touch()
    done = benchwright("run", one_problem, "--out", "taken/run", "--agent", "cmd:true")
    assert (done.code, "cannot write the output folder" in done.stderr) == (3, True), done.stderr


def test_answers_that_lie_beside_an_agent_are_hidden_from_it(
    benchwright: Command, tmp_path: Path, one_problem: Path
) -> None:
    """Benchmarks wherever they lie, records of an oracle, which hold its reference code, workspaces and histories."""
    assert benchwright("run", one_problem, "--agent", "oracle", "--out", "runs/oracle").code == 0
    assert benchwright("run", one_problem, "--agent", "oracle", "--out", "older/deep/oracle").code == 0
    shutil.copytree(one_problem, tmp_path / "copies" / "deep" / "bench")
    for place in (".git/objects", "copies/clone/.git", "desk"):
        (tmp_path / place).mkdir(parents=True)
    for place in (".git/objects/pack", "copies/clone/.git/staged", "desk/workspace.sqlite", "desk/sets.tar"):
        (tmp_path / place).write_text("answers")
    (tmp_path / "copies" / "notes.txt").write_text("its own")
    (tmp_path / "benchwright_agent.py").write_bytes(Path(benchwright_agent.__file__).read_bytes())
    (tmp_path / "agent.py").write_text(
        "import os\nfrom benchwright_agent import serve\n"
        "def solve(request):\n"
        "    return repr(sorted(name for _, _, names in os.walk('.') for name in names))\n"
        "serve(solve)\n"
    )
    done = benchwright("run", one_problem, "--agent", "cmd:python agent.py", "--out", "runs/mine", "--json")
    assert done.code == 0, done.stderr
    (record,) = (tmp_path / "runs" / "mine" / "records.jsonl").read_text().splitlines()
    for seen in ("agent.py", "notes.txt"):
        assert seen in record
    ours = ("records.jsonl", "manifest.json", "agent.log", "_manifest.yaml", "one.py")
    for hidden in (*ours, "pack", "staged", "workspace.sqlite", "sets.tar"):
        assert hidden not in record


def test_an_agent_that_asks_a_model_is_described_without_a_key(
    benchwright: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "BENCHWRIGHT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    for agent in ("chat", "chat:m?encoding=lida", "tools:anthropic:m", "react-cibench:m"):
        described = benchwright("agents", "describe", agent, "--json")
        assert described.code == 0, described.stderr
        assert described.json["about"]
        names = [each["name"] for each in described.json["options"]]
        assert ("rules" if agent.startswith("react") else "temperature") in names
    text = benchwright("agents", "describe", "chat:m?encoding=lida").stdout
    assert re.search(r"^encoding +lida +coml +coml \|", text, re.MULTILINE)
    assert "submits: code (a cell" in text
    assert benchwright("agents", "describe", "chat:m?encodin=lida").code == 2


def test_an_agent_in_a_file_bears_what_is_played(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def solve(request, tools):\n    return 'len(df)'\n")
    report = benchwright("agents", "check", "mine.py:solve", "--json")
    assert [each for each in report.json["checks"] if not each["passed"]] == []
    assert len(report.json["checks"]) == 14
