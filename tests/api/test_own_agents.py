"""Agents of users, in files, modules and installed packages: found, started in processes of their own, and ended."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator import evaluate
from evaluator.errors import UsageError
from tests.api.conftest import WriteAgent
from tests.cli.conftest import Command
from tests.waiting import eventually

COMMAND = Path(sys.executable).with_name("benchwright")
RIGHT = """
ANSWERS = ["len(trips)", "sum(trips)", "max(trips)"]
def solve(request):
    return ANSWERS[request.index - 1]
"""
MODULE_FOUND = "ModuleNotFoundError: No module named "


def records_of(out: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (out / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    return sorted(found, key=lambda record: (record["problemset"], record["index"]))


def test_an_agent_in_a_file_runs_from_the_command_line(
    set_file: Path, write_agent: WriteAgent, benchwright: Command, tmp_path: Path
) -> None:
    write_agent("print('noise')\nimport beside\n" + RIGHT.replace("return ", "print('more'); return "))
    write_agent("", "beside.py")
    words = ["run", str(set_file), "--agent", "my_agent.py:solve", "--out", str(tmp_path / "out"), "--json"]
    done = subprocess.run([str(COMMAND), *words], capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)
    assert (summary["pass_rate"], summary["agent"]) == (1.0, "my_agent.py:solve")
    assert {record["agent_isolation"] for record in records_of(tmp_path / "out")} == {"child-process"}
    assert "noise" in done.stderr
    again = benchwright(*words)
    assert (again.code, again.json["resumed"]) == (0, 3)
    write_agent(RIGHT.replace("max", "min"))
    refused = benchwright(*words)
    assert (refused.code, "agent version" in refused.json["error"]["what"]) == (1, True)


def test_an_agent_in_a_module_runs_and_a_typo_in_its_name_is_refused(
    set_file: Path, write_agent: WriteAgent, benchwright: Command, tmp_path: Path
) -> None:
    write_agent(RIGHT, "mine/agents.py")
    write_agent("", "mine/__init__.py")
    out = tmp_path / "out"
    done = benchwright("run", set_file, "--agent", "mine.agents:solve", "--out", out, "--json")
    assert (done.code, done.json["pass_rate"], done.json["agent"]) == (0, 1.0, "mine.agents:solve")
    kept = (out / "records.jsonl").read_bytes()
    words = ["run", str(set_file), "--agent", "mine.agent:solve", "--out", str(out), "--fresh", "--json"]
    refused = subprocess.run([str(COMMAND), *words], capture_output=True, text=True, check=False)
    what = json.loads(refused.stdout)["error"]["what"]
    assert (refused.returncode, what.partition(": ")[2]) == (2, f"{MODULE_FOUND}'mine.agent'")
    assert (out / "records.jsonl").read_bytes() == kept


def test_an_object_in_a_file_has_its_methods_called(set_file: Path, write_agent: WriteAgent) -> None:
    write_agent(
        """
class Agent:
    def start(self, session):
        self.seen = [session.problemset]
    async def solve(self, request):
        assert request.history[0].kind == "setup" and request.limits.wall_s > 0
        return "None"
    def retry(self, request):
        self.seen.append(request.feedback.code)
        return ["len(trips)", "sum(trips)", repr(self.seen)][request.index - 1]
agent = Agent()
"""
    )
    for name in ("Agent", "agent"):
        result = evaluate(set_file, f"my_agent.py:{name}", max_attempts=2, feedback="error")
        assert [record.verdict for record in result.records if record.is_last] == ["CORRECT", "CORRECT", "WRONG_OUTPUT"]
        assert result.failures()[0].code == "['trips', 'None', 'None', 'None']"


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("def solve(request): return {'code': '1'}", "the agent returned dict, not code as text"),
        ("import os\ndef solve(request): os._exit(5)", "the agent's process ended with exit code 5"),
        ("import os\ndef solve(request): os.kill(os.getpid(), 9)", "the agent's process ended by signal SIGKILL"),
        ("def solve(request): return 'x' * 20_000_000", "the agent's answer is longer than 16 MiB"),
    ],
)
def test_a_bad_agent_is_named(set_file: Path, write_agent: WriteAgent, text: str, failure: str) -> None:
    write_agent(text)
    result = evaluate(set_file, "my_agent.py:solve", limit=1)
    (said,) = [str(record.agent_exception) for record in result.records]
    assert said.startswith(failure)
    assert (result.rates["judged"], result.rates["pass_rate"]) == (1, 0.0)


def test_a_bad_agent_is_asked_each_problem(set_file: Path, write_agent: WriteAgent) -> None:
    write_agent("def solve(request): raise KeyError(request.index)")
    result = evaluate(set_file, "my_agent.py:solve")
    assert [record.agent_exception for record in result.records] == ["KeyError: 1", "KeyError: 2", "KeyError: 3"]
    assert (result.rates["judged"], result.rates["pass_rate"]) == (3, 0.0)


@pytest.mark.parametrize(
    ("text", "said", "line", "fix"),
    [
        ("\nimport missing", f"{MODULE_FOUND}'missing'", ":2", "mend the agent's code"),
        ("def make():\n    raise ValueError('\\x1b[31mred')\nmake()", "ValueError: red", ":2", "mend"),
        ("def solver(r): pass", "module 'my_agent' has no 'solve'", "", "use 'solver'"),
        ("solve = 7", "'int' is no agent", "", "give a function of one request that returns code"),
        ("import os; os._exit(4)", "the agent's process ended with exit code 4", "", "mend the agent's code"),
    ],
)
def test_an_agent_that_cannot_be_loaded_is_refused_before_anything_runs(
    set_file: Path, write_agent: WriteAgent, tmp_path: Path, text: str, said: str, line: str, fix: str
) -> None:
    write_agent(text)
    with pytest.raises(UsageError) as caught:
        evaluate(set_file, "my_agent.py:solve", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert caught.value.what.startswith(f"the agent 'my_agent.py:solve' cannot be loaded: {said}")
    assert caught.value.where.endswith(f"my_agent.py{line}")
    assert caught.value.fix.startswith(fix)


def test_an_agent_that_hangs_while_it_is_imported_is_refused_in_time(set_file: Path, write_agent: WriteAgent) -> None:
    write_agent("import time\ntime.sleep(600)")
    with pytest.raises(UsageError, match="was not loaded within 1 s"):
        evaluate(set_file, "my_agent.py:solve", agent_timeout_s=1)


def test_an_agent_that_never_returns_is_killed_and_its_set_given_up(
    set_file: Path, write_agent: WriteAgent, tmp_path: Path
) -> None:
    write_agent(
        f"""
import os, pathlib, subprocess, time
{RIGHT}
def hang(request):
    if request.index == 2:
        child = subprocess.Popen(["sleep", "600"])
        pathlib.Path({str(tmp_path / "pids")!r}).write_text(f"{{os.getpid()}} {{child.pid}}")
        time.sleep(600)
    return solve(request)
"""
    )
    result = evaluate(set_file, "my_agent.py:hang", agent_timeout_s=3)
    assert (result.rates["judged"], result.summary.counts["CORRECT"]) == (3, 1)
    late = "the agent did not return within 3 s; it is not asked again in this problemset"
    assert [record.agent_exception for record in result.records] == [None, late, late]
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert eventually(lambda: all(map(is_gone, pids)), within_s=30)


def is_gone(pid: int) -> bool:
    """Return whether a process has ended; nobody may be left to wait for it but the first process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_process_that_died_is_replaced_and_the_last_ends_with_its_run(
    set_file: Path, write_agent: WriteAgent, tmp_path: Path
) -> None:
    dies = "def dies(request):\n    return solve(request) if request.index != 2 else os._exit(1)"
    note = f"pathlib.Path({str(tmp_path)!r}, 'pid').write_text(str(os.getpid()))"
    write_agent(f"import os, pathlib\n{note}\n{RIGHT}\n{dies}\n")
    result = evaluate(set_file, "my_agent.py:dies")
    assert [record.verdict == "CORRECT" for record in result.records] == [True, False, True]
    assert eventually(lambda: is_gone(int((tmp_path / "pid").read_text())), within_s=30)


def test_a_stranger_cannot_have_its_failures_left_out(set_file: Path, write_agent: WriteAgent) -> None:
    write_agent(
        """
from evaluator import Submission
from evaluator.agents import AgentFailure, FailureKind, SubmissionStatus
def solve(request):
    return Submission("", SubmissionStatus.ERROR, error=AgentFailure(FailureKind.INFRA, "not me"))
"""
    )
    result = evaluate(set_file, "my_agent.py:solve", limit=1)
    assert (result.rates["judged"], result.rates["not_judged"]) == (1, 0)
    assert {record.agent_exception for record in result.records} == {"not me"}


def test_a_name_that_stands_for_nothing_is_refused(set_file: Path) -> None:
    for agent, said, fix in (
        ("no_file.py:solve", "there is no file 'no_file.py'", "FILE.py:NAME"),
        ("no_package.module:solve", "there is no module of that name", "MODULE:NAME"),
        ("orakle", "no agent is called 'orakle'", "use 'oracle'"),
        ("my_agent.py", "no agent is called 'my_agent.py'", "FILE.py:NAME"),
    ):
        with pytest.raises(UsageError) as caught:
            evaluate(set_file, agent)
        assert said in caught.value.what
        assert fix in caught.value.fix


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what lays out a package with an agent as pip leaves it, where Python and its processes find it."""

    def installed(agent: str, modules: Mapping[str, str]) -> None:
        site = tmp_path / "site"
        info = site / "acme-agents-2.5.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-agents\nVersion: 2.5\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[benchwright.agents]\n{agent} = acme:solve\n", encoding="utf-8")
        for name, text in modules.items():
            (site / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.setenv("PYTHONPATH", str(site))

    return installed


def test_an_agent_of_an_installed_package_is_found_by_its_name(
    set_file: Path, install: Callable[..., None], tmp_path: Path
) -> None:
    install("acme", {"acme": RIGHT})
    result = evaluate(set_file, "acme", out=tmp_path / "out")
    assert (result.rates["pass_rate"], result.summary.agent) == (1.0, "acme")
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["agent_version"] == "2.5"


def test_a_name_of_ours_is_not_taken_by_a_package(set_file: Path, install: Callable[..., None]) -> None:
    install("empty", {"acme": RIGHT})
    assert evaluate(set_file, "empty").rates["pass_rate"] == 0.0


def test_a_plug_in_that_does_not_load_is_refused_with_its_package(set_file: Path, install: Callable[..., None]) -> None:
    install("acme", {"acme": "import missing"})
    said = f"the agent 'acme' of the package acme-agents cannot be loaded: {MODULE_FOUND}'missing'"
    with pytest.raises(UsageError) as caught:
        evaluate(set_file, "acme")
    assert caught.value.what == said
    assert evaluate(set_file, "oracle").rates["pass_rate"] == 1.0


def test_where_an_agent_fails_is_in_the_log_once(set_file: Path, write_agent: WriteAgent, tmp_path: Path) -> None:
    raises = "raise ValueError('\\x1b[31mgone\\x07')"
    write_agent(f"def solve(request):\n    return helper()\n\ndef helper():\n    {raises}\n")
    words = [str(set_file), "--agent", "my_agent.py:solve", "--out", str(tmp_path / "out")]
    done = subprocess.run([str(COMMAND), "run", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.count("line 5, in helper") == 1
    assert "ValueError: gone\n" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    assert "the agent failed at 3 attempts, such as: " in done.stdout


def test_numbers_of_numpy_count_as_usage(set_file: Path, write_agent: WriteAgent) -> None:
    write_agent(
        "import numpy as np\nfrom evaluator import Submission\n"
        "def solve(request):\n    return Submission('3', usage={'prompt_tokens': np.int64(7)})\n"
    )
    result = evaluate(set_file, "my_agent.py:solve", limit=1)
    assert [record.agent_stats for record in result.records] == [{"prompt_tokens": 7, "usage_source": "reported"}]
