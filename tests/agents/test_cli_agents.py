"""`cli:` agents: a scripted program, its tools through a client of the Model Context Protocol, and its mistakes."""

import sys
import textwrap
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import (
    CellKind,
    Execution,
    HistoryCell,
    NoTools,
    SolveLimits,
    SolveRequest,
    SubmissionStatus,
)
from evaluator.agents.choice import process_command
from evaluator.agents.conformance import check_agent
from evaluator.agents.process.launching import LaunchOptions
from evaluator.agents.process.process_agent import ProcessAgent, RunInfo
from evaluator.errors import ToolkitError, UsageError
from evaluator.models import ModelSettings
from evaluator.session import AgentNetwork
from tests.agents.small_agents import HANG_S, CountingTools, is_gone, process_numbers, solved
from tests.scripted_model import KEY, Say, scripted_model
from tests.waiting import eventually

REQUEST = SolveRequest("s", "set", "p1", 1, "How many rows?", SolveLimits(1.0))
CLIENT = """
    import asyncio, json, sys
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def main():
        told = json.load(open(sys.argv[1]))["mcpServers"]["benchwright"]
        server = StdioServerParameters(command=told["command"], args=told["args"])
        async with Client(stdio_client(server)) as client:
            async def call(name, **arguments):
                result = await client.call_tool(name, arguments)
                print(name, "refused" if result.is_error else "ok", result.content[0].text)
            print([each.name for each in (await client.list_tools()).tools])
"""
Make = Callable[..., ProcessAgent]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[ProcessAgent] = []

    def agent(
        body: str,
        arguments: str = "{prompt}",
        *,
        timeout_s: float = 60.0,
        model: ModelSettings | None = None,
        **more: str,
    ) -> ProcessAgent:
        (tmp_path / "program.py").write_text(textwrap.dedent(body))
        network = AgentNetwork.NONE if model is None else AgentNetwork.MODEL
        backend = more.get("backend", "bwrap")
        options = LaunchOptions(backend, tmp_path, network=network, log=tmp_path / "agent.log")
        text = more.get("command") or f"{sys.executable} {tmp_path / 'program.py'} {arguments}"
        made.append(ProcessAgent(process_command(f"cli:{text}", options), RunInfo(model=model), timeout_s=timeout_s))
        return made[-1]

    yield agent
    for each in made:
        each.close()


def client(*calls: str) -> str:
    lines = "".join(f"            await call({each})\n" for each in calls)
    return textwrap.dedent(f"{CLIENT}{lines}\n    asyncio.run(main())\n")


class HalfCharacters(CountingTools):
    """Grants three executions, each of which shows a text with half a character."""

    def execute(self, code: str, **more: Any) -> Execution:
        shown = {"output_type": "stream", "name": "stdout", "text": f"{code} \ud800 shown"}
        return replace(super().execute(code, **more), outputs=(shown,))


def test_a_program_works_with_the_tools_is_told_of_refusals_and_hands_in(make: Make, tmp_path: Path) -> None:
    executed = ("'execute_code', code='1 + 1'",) * 4 + ("'execute_code'",)
    handed_in = ("'submit_code', code='a'", "'submit_code', code='len(df)'")
    agent = make(client("'list_variables'", *executed, *handed_in), "{mcp_config}")
    submission = solved(agent, REQUEST, HalfCharacters())
    assert (submission.status, submission.code, submission.labels) == (SubmissionStatus.OK, "len(df)", ())
    said = (tmp_path / "agent.log").read_text()
    assert "['execute_code', 'list_variables', 'submit_code']" in said
    assert "list_variables ok df (DataFrame): brief None" in said
    assert said.count("execute_code ok 1 + 1 ? shown") == 3
    assert said.count("the 3 executions that this problem allows are used up") == 1
    assert said.count("execute_code refused") == 2  # once without its code


def test_without_tools_the_last_fenced_block_counts(make: Make) -> None:
    for arguments, taken in (
        ("{prompt}", "sys.argv[1]"),
        ("{prompt_file}", "open(sys.argv[1]).read()"),
        ("", "sys.stdin.read()"),
    ):
        body = f"""
            import sys
            asked = {taken}
            assert "## Request\\nHow many rows?" in asked
            print("First:\\n```python\\n1\\n```\\nBetter:\\n```\\nlen(df)\\n```")
        """
        earlier = HistoryCell(CellKind.PROBLEM, "df.a.sum()", "p1", "What is\nthe sum?")
        submission = solved(make(body, arguments), replace(REQUEST, history=(earlier,)))
        assert (submission.code, submission.labels) == ("len(df)\n", ("from-its-output",))
        assert [turn["role"] for turn in submission.trace] == ["user", "assistant"]
        assert "```python\n# What is\n# the sum?\ndf.a.sum()\n```" in submission.trace[0]["content"]


def test_a_program_that_fails_or_says_nothing_is_told_apart(make: Make) -> None:
    failed = solved(make("import sys; print('```\\n1\\n```\\nno licence'); sys.exit(3)"), REQUEST)
    assert failed.status is SubmissionStatus.ERROR
    assert "program ended with exit code 3 and handed in nothing: ``` 1 ``` no licence" in str(failed.error)
    assert solved(make("print('I do not know')"), REQUEST).status is SubmissionStatus.GAVE_UP


@pytest.mark.parametrize(("backend", "how"), [("bwrap", "start_new_session=True, env={}"), ("none", "")])
def test_nothing_of_a_program_outlives_its_answer(make: Make, backend: str, how: str) -> None:
    """A child holds the program's output open; what it writes later belongs to no answer."""
    marker = f"outlives_{uuid.uuid4().hex}"
    body = f"""
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "{marker}"], {how})
        print("```\\n1\\n```", flush=True)
    """
    assert solved(make(body, backend=backend), REQUEST).code == "1\n"
    assert is_gone(marker)


def test_a_program_that_hangs_is_ended_and_the_next_problem_is_answered(make: Make) -> None:
    marker = f"hangs_{uuid.uuid4().hex}"
    body = f"""
        import subprocess, sys
        if "How many rows?" in sys.argv[1]:
            subprocess.run([sys.executable, "-c", "import time; time.sleep(600)", "{marker}"])
        print("```\\n2\\n```")
    """
    agent = make(body, timeout_s=3)
    assert "did not answer within 3 s" in str(solved(agent, REQUEST).error)
    assert is_gone(marker)
    assert agent.solve(replace(REQUEST, problem_id="p2", query="And then?"), NoTools()).code == "2\n"


ASKS = """
    import json, os, sys, urllib.request
    print(sys.argv[1], flush=True)
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b'{"messages": []}')
    request.add_header("Authorization", "Bearer " + os.environ["OPENAI_API_KEY"])
    reply = json.load(urllib.request.urlopen(request, timeout=20))
    print(f"```\\n{reply['choices'][0]['message']['content']}\\n```")
"""


def test_the_model_is_reached_at_every_attempt(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """What leads there is a child of the agent's process, as what a program leaves behind is."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_model([Say("1"), Say("2")]) as model:
        agent = make(ASKS, model=ModelSettings("small", model.url))
        assert [solved(agent, REQUEST).code for _ in range(2)] == ["1\n", "2\n"]


@pytest.mark.parametrize("ending", ["close", "kill"])
def test_a_program_ends_with_its_agent(make: Make, ending: str) -> None:
    marker = f"ends_{uuid.uuid4().hex}"
    sleep = ("python", "-c", "import time; time.sleep(600)", marker)
    agent = make(f"import os; os.execl({sys.executable!r}, *{sleep!r})")
    asked = threading.Thread(target=solved, args=(agent, REQUEST), daemon=True)
    asked.start()
    assert eventually(lambda: bool(process_numbers(marker)), within_s=HANG_S)
    if ending == "kill":
        (home,) = agent._processes
        home.process.kill()
    agent.close()
    assert is_gone(marker)


def test_no_attempt_finds_files_of_another_one(make: Make) -> None:
    """What a product writes down at home would tell it at the next problem what was asked and shown before."""
    body = """
        import os, pathlib, tempfile
        written = [pathlib.Path.home(), pathlib.Path(tempfile.gettempdir()), pathlib.Path.cwd()]
        written += [pathlib.Path(place) for place in ("/tmp", "/tmp/home", "/dev/shm", "/tmp/new/inner")]
        found = [path for place in written for path in place.glob("diary")]
        os.makedirs("/tmp/new/inner")
        for place in written:
            (place / "diary").write_text("seen")
        os.chmod("/tmp/new/inner", 0)
        os.symlink("/usr", "/tmp/link")
        print(f"```\\n{len(found)}\\n```")
    """
    agent = make(body)
    assert [solved(agent, REQUEST).code for _ in range(2)] == ["0\n"] * 2


def test_it_keeps_to_the_protocol(make: Make) -> None:
    agent = make("print('```\\nlen(df)\\n```')")
    report = check_agent(lambda: agent, timeout_s=60)
    assert report.is_passed, report.to_text()
    assert len(report.results) >= 14


def test_mistakes_in_a_command_are_refused_at_once(tmp_path: Path) -> None:
    for command, said in {
        "no-such-program {prompt}": "there is no program 'no-such-program'",
        "cat {promt}": "there is no placeholder {promt}; write {prompt}",
        "": "the agent's command is empty; write cli:'PROGRAM ARGUMENT ...'",
        "cat '{prompt}": "cannot be read",
    }.items():
        with pytest.raises(UsageError) as refused:
            process_command(f"cli:{command}", LaunchOptions("none", tmp_path))
        assert said in f"{refused.value.what}; {refused.value.fix}"


def test_tools_need_their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.agents.process.cli_command.find_spec", lambda _: None)
    with pytest.raises(ToolkitError, match="the package mcp is not installed"):
        process_command("cli:cat {mcp_config}", LaunchOptions("none", tmp_path))
    assert process_command("cli:cat {prompt}", LaunchOptions("none", tmp_path)).name == "cli:cat {prompt}"


def test_a_prompt_that_fits_no_argument_is_given_as_a_file(make: Make) -> None:
    body = "import re, sys\ntext = open(re.findall('file (.*?prompt.md)', sys.argv[1])[0]).read()\n"
    body += "print('```\\n' + str(text.count('row')) + '\\n```')\n"
    for arguments, count in (("{prompt}", 300_000), ("'{prompt} {prompt} {prompt}'", 20_000)):
        assert int(solved(make(body, arguments), replace(REQUEST, query="row " * count)).code) >= count
