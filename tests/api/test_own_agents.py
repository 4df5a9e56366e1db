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
    assert benchwright(*words).json["resumed"] == 3
    write_agent(RIGHT.replace("max", "min"))
    refused = benchwright(*words)
    assert (refused.code, "agent version" in refused.json["error"]["what"]) == (1, True)


def test_an_agent_in_a_module_runs_and_a_typo_in_its_name_is_refused(
    set_file: Path, write_agent: WriteAgent, benchwright: Command, tmp_path: Path
) -> None:
    write_agent(RIGHT, "mine/agents.py")
    write_agent("", "mine/__init__.py")
    run, out = ("run", set_file, "--out", tmp_path / "out", "--json", "--agent"), tmp_path / "out"
    done = benchwright(*run, "mine.agents:solve")
    assert (done.code, done.json["pass_rate"], done.json["agent"]) == (0, 1.0, "mine.agents:solve")
    kept = (out / "records.jsonl").read_bytes()
    words = [str(COMMAND), *map(str, run), "mine.agent:solve", "--fresh"]
    refused = subprocess.run(words, capture_output=True, text=True, check=False)
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
    for name, limit in (("Agent", None), ("agent", 1)):
        result = evaluate(set_file, f"my_agent.py:{name}", max_attempts=2, feedback="error", limit=limit)
        last = [record for record in result.records if record.is_last]
        assert [record.verdict for record in last] == ["CORRECT", "CORRECT", "WRONG_OUTPUT"][:limit]
        if limit is None:
            assert last[-1].code == "['trips', 'None', 'None', 'None']"


def test_a_bad_agent_is_named_and_asked_each_problem(set_file: Path, write_agent: WriteAgent, tmp_path: Path) -> None:
    """A process that died is replaced, and the last one ends with its run."""
    write_agent(
        f"import os\nopen({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} ')"
        """
def solve(request):
    if request.index == 1:
        return {"code": "1"}
    if request.index == 2:
        raise KeyError(request.index)
    return "x" * 20_000_000
def ends(request):
    if request.index == 1:
        os._exit(5)
    if request.index == 2:
        os.kill(os.getpid(), 9)
    return "max(trips)"
"""
    )
    for name, failures in (
        ("solve", ("the agent returned dict, not code", "KeyError: 2", "the agent's answer is longer than 16 MiB")),
        ("ends", ("the agent's process ended with exit code 5", "the agent's process ended by signal SIGKILL", "None")),
    ):
        result = evaluate(set_file, f"my_agent.py:{name}")
        for record, said in zip(result.records, failures, strict=True):
            assert str(record.agent_exception).startswith(said)
            assert (record.verdict == "CORRECT") is (said == "None")
        assert result.rates["judged"] == 3
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert eventually(lambda: all(map(is_gone, pids)), within_s=30)


def test_an_agent_that_cannot_be_loaded_is_refused_before_anything_runs(
    set_file: Path, write_agent: WriteAgent, tmp_path: Path
) -> None:
    for text, said, line, fix in (
        ("\nimport missing", f"{MODULE_FOUND}'missing'", ":2", "mend the agent's code"),
        ("def make():\n    raise ValueError('\\x1b[31mred')\nmake()", "ValueError: red", ":2", "mend"),
        ("def solver(r): pass", "module 'my_agent' has no 'solve'", "", "use 'solver'"),
        ("solve = 7", "'int' is no agent", "", "give a function of one request that returns code"),
        ("import os; os._exit(4)", "the agent's process ended with exit code 4", "", "mend the agent's code"),
    ):
        write_agent(text)
        with pytest.raises(UsageError) as caught:
            evaluate(set_file, "my_agent.py:solve", out=tmp_path / "out")
        assert not (tmp_path / "out").exists()
        assert caught.value.what.startswith(f"the agent 'my_agent.py:solve' cannot be loaded: {said}")
        assert caught.value.where.endswith(f"my_agent.py{line}")
        assert caught.value.fix.startswith(fix)
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


def test_a_stranger_cannot_have_failures_left_out_and_its_usage_counts(set_file: Path, write_agent: WriteAgent) -> None:
    write_agent(
        """
import numpy as np
from evaluator import Submission
from evaluator.agents import AgentFailure, FailureKind, SubmissionStatus
def solve(request):
    if request.index == 1:
        return Submission("", SubmissionStatus.ERROR, error=AgentFailure(FailureKind.INFRA, "not me"))
    return Submission("3", usage={"prompt_tokens": np.int64(7)})
"""
    )
    result = evaluate(set_file, "my_agent.py:solve", limit=2)
    assert (result.rates["judged"], result.rates["not_judged"]) == (2, 0)
    first, second = result.records
    assert first.agent_exception == "not me"
    assert second.agent_stats == {"prompt_tokens": 7, "usage_source": "reported"}


def test_a_name_that_stands_for_nothing_is_refused(set_file: Path) -> None:
    with pytest.raises(UsageError, match="'int' is no agent"):
        evaluate(set_file, 7)
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

    def installed(agents: Mapping[str, str], **modules: str) -> None:
        site = tmp_path / "site"
        info = site / "acme-agents-2.5.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-agents\nVersion: 2.5\n", encoding="utf-8")
        points = "".join(f"{name} = {place}\n" for name, place in agents.items())
        (info / "entry_points.txt").write_text(f"[benchwright.agents]\n{points}", encoding="utf-8")
        for name, text in modules.items():
            (site / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.setenv("PYTHONPATH", str(site))

    return installed


def test_an_agent_of_an_installed_package_is_found_by_its_name(
    set_file: Path, install: Callable[..., None], tmp_path: Path
) -> None:
    install(
        {"acme": "acme:solve", "empty": "acme:solve", "broken": "broken:solve"}, acme=RIGHT, broken="import missing"
    )
    result = evaluate(set_file, "acme", out=tmp_path / "out")
    assert (result.rates["pass_rate"], result.summary.agent) == (1.0, "acme")
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["agent_version"] == "2.5"
    assert evaluate(set_file, "empty").rates["pass_rate"] == 0.0  # a name of ours is not taken by a package
    with pytest.raises(UsageError) as caught:
        evaluate(set_file, "broken")
    said = f"the agent 'broken' of the package acme-agents cannot be loaded: {MODULE_FOUND}'missing'"
    assert caught.value.what == said


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
