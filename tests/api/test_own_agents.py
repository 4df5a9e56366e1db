import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator import evaluate
from evaluator.errors import UsageError

pytestmark = pytest.mark.kernel

WriteAgent = Callable[..., Path]
COMMAND = Path(sys.executable).with_name("benchwright")
RIGHT = """
ANSWERS = ["len(trips)", "sum(trips)", "max(trips)"]
def solve(request):
    return ANSWERS[request.index - 1]
"""


def run(*arguments: str | Path, env: Mapping[str, str] | None = None) -> tuple[int, dict[str, Any], str]:
    done = subprocess.run(
        [str(COMMAND), "run", *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def records_of(out: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (out / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    return sorted(found, key=lambda record: (record["problemset"], record["index"]))


def test_an_agent_in_a_file_runs_from_the_command_line(set_file: Path, write_agent: WriteAgent, tmp_path: Path) -> None:
    write_agent("print('noise')\nimport beside\n" + RIGHT.replace("return ", "print('more'); return "))
    write_agent("", "beside.py")
    code, summary, err = run(set_file, "--agent", "my_agent.py:solve", "--out", tmp_path / "out")
    assert (code, summary["pass_rate"], summary["agent"]) == (0, 1.0, "my_agent.py:solve")
    assert {record["agent_isolation"] for record in records_of(tmp_path / "out")} == {"child-process"}
    assert "noise" in err
    code, summary, _ = run(set_file, "--agent", "my_agent.py:solve", "--out", tmp_path / "out")
    assert (code, summary["resumed"]) == (0, 3)
    write_agent(RIGHT.replace("max", "min"))
    code, refused, _ = run(set_file, "--agent", "my_agent.py:solve", "--out", tmp_path / "out")
    assert code == 1
    assert "agent version" in refused["error"]["what"]


def test_an_agent_in_a_module_runs_too(set_file: Path, write_agent: WriteAgent, tmp_path: Path) -> None:
    write_agent(RIGHT, "mine/agents.py")
    write_agent("", "mine/__init__.py")
    code, summary, _ = run(set_file, "--agent", "mine.agents:solve", "--out", tmp_path / "out")
    assert (code, summary["pass_rate"], summary["agent"]) == (0, 1.0, "mine.agents:solve")


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
    ("text", "failures"),
    [
        ("def solve(request): raise KeyError(request.index)", ["KeyError: 1", "KeyError: 2", "KeyError: 3"]),
        ("def solve(request): return None", ["the agent returned None, not code"]),
        ("def solve(request): return {'code': '1'}", ["the agent returned dict, not code as text"]),
        ("import os\ndef solve(request): os._exit(5)", ["the agent's process ended with exit code 5"]),
        ("import os\ndef solve(request): os.kill(os.getpid(), 9)", ["the agent's process ended by signal SIGKILL"]),
        ("import sys\ndef solve(request): sys.exit(6)", ["SystemExit: 6"]),
        ("def solve(request): return 'x' * 20_000_000", ["the agent's answer is longer than 16 MiB"]),
    ],
)
def test_a_bad_agent_is_named_at_each_problem(
    set_file: Path, write_agent: WriteAgent, text: str, failures: list[str]
) -> None:
    write_agent(text)
    result = evaluate(set_file, "my_agent.py:solve")
    said = [str(record.agent_exception) for record in result.records]
    expected = failures * 3 if len(failures) == 1 else failures
    assert all(found.startswith(start) for found, start in zip(said, expected, strict=True)), said
    assert (result.rates["judged"], result.rates["pass_rate"]) == (3, 0.0)


@pytest.mark.parametrize(
    ("text", "said", "where", "fix"),
    [
        (
            "\nimport missing",
            "ModuleNotFoundError: No module named 'missing'",
            "my_agent.py:2",
            "mend the agent's code",
        ),
        ("x = 1\ndef solve(", "SyntaxError: ", "my_agent.py:2", "mend the agent's code"),
        ("def make():\n    raise ValueError('\\x1b[31mred')\nmake()", "ValueError: red", "my_agent.py:2", "mend"),
        ("def solver(r): pass", "module 'my_agent' has no 'solve'", "my_agent.py", "use 'solver'"),
        ("solve = 7", "'int' is no agent", "my_agent.py", "give a function of one request that returns code"),
        (
            "class solve:\n    def __init__(self): 1 / 0",
            "ZeroDivisionError: ",
            "my_agent.py:2",
            "mend the agent's code",
        ),
        (
            "import os; os._exit(4)",
            "the agent's process ended with exit code 4",
            "my_agent.py",
            "mend the agent's code",
        ),
    ],
)
def test_an_agent_that_cannot_be_loaded_is_refused_before_anything_runs(
    set_file: Path, write_agent: WriteAgent, tmp_path: Path, text: str, said: str, where: str, fix: str
) -> None:
    write_agent(text)
    out = tmp_path / "out"
    code, refused, _ = run(set_file, "--agent", "my_agent.py:solve", "--out", out)
    assert (code, out.exists()) == (2, False)
    error = refused["error"]
    assert error["what"].startswith(f"the agent 'my_agent.py:solve' cannot be loaded: {said}"), error
    assert (error["where"].endswith(where), error["fix"].startswith(fix)) == (True, True), error


def test_a_typo_in_a_modules_name_is_refused_where_runs_are_compared_resumed_or_begun_afresh(
    set_file: Path, write_agent: WriteAgent, tmp_path: Path
) -> None:
    write_agent(RIGHT, "mine/agents.py")
    write_agent("", "mine/__init__.py")
    out = tmp_path / "out"
    assert run(set_file, "--agent", "mine.agents:solve", "--out", out)[0] == 0
    kept = (out / "records.jsonl").read_bytes()
    code, refused, _ = run(set_file, "--agent", "mine.agent:solve", "--out", out, "--fresh")
    assert (code, refused["error"]["what"].partition(": ")[2]) == (
        2,
        "ModuleNotFoundError: No module named 'mine.agent'",
    )
    assert (out / "records.jsonl").read_bytes() == kept
    words = ["paradigms", str(set_file), "--agent", "mine.agents:solver", "--out", str(tmp_path / "many"), "--json"]
    done = subprocess.run([str(COMMAND), *words], capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["error"]["fix"]) == (2, "use 'solve'")
    assert not (tmp_path / "many").exists()


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
    out = tmp_path / "out"
    code, summary, _ = run(set_file, "--agent", "my_agent.py:hang", "--out", out, "--agent-timeout", "3")
    assert (code, summary["judged"], summary["verdicts"]["CORRECT"]) == (0, 3, 1)
    said = [record["agent_exception"] for record in records_of(tmp_path / "out")]
    late = "the agent did not return within 3 s; it is not asked again in this problemset"
    assert said == [None, late, late]
    for pid in (tmp_path / "pids").read_text().split():
        wait_until_gone(int(pid))


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists():
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "Z":  # nobody is left to wait for it but the first process
            return
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_process_that_died_is_replaced_with_the_history_at_hand(set_file: Path, write_agent: WriteAgent) -> None:
    dies = "def dies(request):\n    return solve(request) if request.index != 2 else os._exit(1)"
    write_agent(f"import os\n{RIGHT}\n{dies}\n")
    result = evaluate(set_file, "my_agent.py:dies")
    assert [record.verdict == "CORRECT" for record in result.records] == [True, False, True]


def test_processes_of_an_agent_end_with_its_run(set_file: Path, write_agent: WriteAgent, tmp_path: Path) -> None:
    write_agent(f"import os, pathlib\npathlib.Path({str(tmp_path)!r}, 'pid').write_text(str(os.getpid()))\n{RIGHT}")
    assert evaluate(set_file, "my_agent.py:solve").rates["pass_rate"] == 1.0
    wait_until_gone(int((tmp_path / "pid").read_text()))


def test_a_stranger_cannot_have_its_failures_left_out(set_file: Path, write_agent: WriteAgent) -> None:
    write_agent(
        """
from evaluator import Submission
from evaluator.agents import AgentFailure, FailureKind, SubmissionStatus
def solve(request):
    return Submission("", SubmissionStatus.ERROR, error=AgentFailure(FailureKind.INFRA, "not me"))
"""
    )
    result = evaluate(set_file, "my_agent.py:solve")
    assert (result.rates["judged"], result.rates["not_judged"]) == (3, 0)
    assert {record.agent_exception for record in result.records} == {"not me"}


@pytest.mark.parametrize(
    ("agent", "said", "fix"),
    [
        ("no_file.py:solve", "there is no file 'no_file.py'", "FILE.py:NAME"),
        ("no_package.module:solve", "there is no module of that name", "MODULE:NAME"),
        ("orakle", "no agent is called 'orakle'", "use 'oracle'"),
        ("my_agent.py", "no agent is called 'my_agent.py'", "FILE.py:NAME"),
    ],
)
def test_a_name_that_stands_for_nothing_is_refused(set_file: Path, agent: str, said: str, fix: str) -> None:
    with pytest.raises(UsageError) as caught:
        evaluate(set_file, agent)
    assert said in caught.value.what
    assert fix in caught.value.fix


@pytest.fixture
def installed(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Return what lays out a package with entry points as pip leaves it, and returns where Python finds it."""

    def install(package: str, modules: Mapping[str, str], entry_points: str) -> dict[str, str]:
        site = tmp_path / "site"
        info = site / f"{package}-2.5.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.5\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
        for name, text in modules.items():
            (site / f"{name}.py").write_text(text, encoding="utf-8")
        return {"PYTHONPATH": str(site)}

    return install


def test_an_agent_of_an_installed_package_is_found_by_its_name(
    set_file: Path, installed: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    where = installed("acme-agents", {"acme": RIGHT}, "[benchwright.agents]\nacme = acme:solve\n")
    code, summary, err = run(set_file, "--agent", "acme", "--out", tmp_path / "out", env=where)
    assert (code, summary["pass_rate"], summary["agent"]) == (0, 1.0, "acme"), err
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["agent_version"] == "2.5"


def test_a_name_of_ours_is_not_taken_by_a_package(
    set_file: Path, installed: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    where = installed("acme-agents", {"acme": RIGHT}, "[benchwright.agents]\nempty = acme:solve\n")
    _, summary, _ = run(set_file, "--agent", "empty", "--out", tmp_path / "out", env=where)
    assert summary["pass_rate"] == 0.0


def test_a_plug_in_that_does_not_load_is_refused_with_its_package(
    set_file: Path, installed: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    where = installed("acme-agents", {"acme": "import missing"}, "[benchwright.agents]\nacme = acme:solve\n")
    code, summary, err = run(set_file, "--agent", "acme", "--out", tmp_path / "out", env=where)
    assert code == 2
    said = (
        "the agent 'acme' of the package acme-agents cannot be loaded: ModuleNotFoundError: No module named 'missing'"
    )
    assert summary["error"]["what"] == said
    code, summary, err = run(set_file, "--agent", "oracle", "--out", tmp_path / "other", env=where)
    assert (code, summary["pass_rate"], err) == (0, 1.0, "")


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
    result = evaluate(set_file, "my_agent.py:solve")
    assert [record.agent_stats for record in result.records] == [{"prompt_tokens": 7, "usage_source": "reported"}] * 3
