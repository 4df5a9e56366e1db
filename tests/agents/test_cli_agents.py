"""`cli:` agents: a scripted program, its tools through a client of the Model Context Protocol, and its mistakes."""

import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import Execution, NoTools, SolveLimits, SolveRequest, SubmissionStatus, Variable
from evaluator.agents.choice import process_command
from evaluator.agents.conformance import check_agent
from evaluator.agents.process.launching import LaunchOptions
from evaluator.agents.process.process_agent import ProcessAgent
from evaluator.errors import ToolkitError, UsageError
from tests.agents.small_agents import CountingTools, solved

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


@pytest.fixture(params=["bwrap", "none"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(tmp_path: Path, backend: str) -> Iterator[Make]:
    """Make the agent of a program's text, started with these arguments."""
    made: list[ProcessAgent] = []

    def agent(body: str, arguments: str = "{prompt}", *, timeout_s: float = 60.0) -> ProcessAgent:
        (tmp_path / "program.py").write_text(textwrap.dedent(body))
        options = LaunchOptions(backend, tmp_path, log=tmp_path / "agent.log")
        command = process_command(f"cli:{sys.executable} {tmp_path / 'program.py'} {arguments}", options)
        made.append(ProcessAgent(command, timeout_s=timeout_s))
        return made[-1]

    yield agent
    for each in made:
        each.close()


def client(*calls: str) -> str:
    lines = "".join(f"            await call({each})\n" for each in calls)
    return textwrap.dedent(f"{CLIENT}{lines}\n    asyncio.run(main())\n")


def test_a_program_works_with_the_tools_and_hands_in(make: Make, tmp_path: Path) -> None:
    handed_in = ("'submit_code', code='a'", "'submit_code', code='len(df)'")
    calls = ("'list_variables'", "'execute_code', code='1 + 1'", *handed_in)
    submission = solved(make(client(*calls), "{mcp_config}"), REQUEST, CountingTools())
    assert (submission.status, submission.code) == (SubmissionStatus.OK, "len(df)")
    assert submission.labels == ()
    said = (tmp_path / "agent.log").read_text()
    assert "['execute_code', 'list_variables', 'submit_code']" in said
    assert "list_variables ok df (DataFrame): brief None" in said
    assert "execute_code ok 1 + 1 None" in said


def test_what_is_refused_is_told_and_the_program_goes_on(make: Make, tmp_path: Path) -> None:
    calls = ("'execute_code', code='1'",) * 5 + ("'execute_code'", "'submit_code', code='2'")
    assert solved(make(client(*calls), "{mcp_config}"), REQUEST, CountingTools()).code == "2"
    said = (tmp_path / "agent.log").read_text()
    assert said.count("execute_code ok") == 3
    assert said.count("the 3 executions that this problem allows are used up") == 2
    assert said.count("execute_code refused") == 3  # once without its code


@pytest.mark.parametrize(
    ("arguments", "taken"),
    [("{prompt}", "sys.argv[1]"), ("{prompt_file}", "open(sys.argv[1]).read()"), ("", "sys.stdin.read()")],
)
def test_without_tools_the_last_fenced_block_counts(make: Make, arguments: str, taken: str) -> None:
    body = f"""
        import sys
        asked = {taken}
        assert "## Request\\nHow many rows?" in asked
        print("First:\\n```python\\n1\\n```\\nBetter:\\n```\\nlen(df)\\n```")
    """
    submission = solved(make(body, arguments), REQUEST)
    assert (submission.code, submission.labels) == ("len(df)\n", ("from-its-output",))
    assert [turn["role"] for turn in submission.trace] == ["user", "assistant"]


def test_a_program_that_fails_or_says_nothing_is_told_apart(make: Make) -> None:
    failed = solved(make("import sys; print('no licence'); sys.exit(3)"), REQUEST)
    assert failed.status is SubmissionStatus.ERROR
    assert "program ended with exit code 3 and handed in nothing: no licence" in str(failed.error)
    assert solved(make("print('I do not know')"), REQUEST).status is SubmissionStatus.GAVE_UP


def test_a_prompt_that_fits_no_argument_is_given_as_a_file(make: Make) -> None:
    body = "import re, sys\ntext = open(re.findall('file (.*prompt.md)', sys.argv[1])[0]).read()\n"
    body += "print('```\\n' + str(text.count('row')) + '\\n```')\n"
    assert int(solved(make(body), replace(REQUEST, query="row " * 300_000)).code) >= 300_000


@pytest.mark.parametrize("arguments", ["{prompt}", "{prompt_file}", ""])
def test_what_no_argument_and_no_file_holds_is_replaced(make: Make, arguments: str) -> None:
    """Data files hold half characters and zeros now and then, and variables show them."""
    request = replace(REQUEST, variables=(Variable("s", "str", "'a\ud800b\0c'"),))
    assert solved(make("print('```\\n3\\n```')", arguments), request).code == "3\n"


def test_half_characters_in_what_a_tool_shows_are_replaced(make: Make, tmp_path: Path) -> None:
    calls = ("'execute_code', code=chr(92) + 'ud800'", "'submit_code', code='3'")

    class HalfCharacters(CountingTools):
        def execute(self, code: str, **more: Any) -> Execution:
            execution = super().execute(code, **more)
            shown = {"output_type": "stream", "name": "stdout", "text": "half \ud800 of it"}
            return replace(execution, outputs=(shown,))

    assert solved(make(client(*calls), "{mcp_config}"), REQUEST, HalfCharacters()).code == "3"
    assert "execute_code ok half ? of it" in (tmp_path / "agent.log").read_text()


def test_what_a_stray_child_still_writes_takes_no_answer_away(make: Make) -> None:
    """It has a session of its own, so it outlives the program for a while, and fills the folder that is removed."""
    body = """
        import subprocess, sys, time
        fill = "import itertools, time\\nend = time.monotonic() + 5\\nfor n in itertools.count():\\n"
        fill += "    open(str(n), 'w').close()\\n    if time.monotonic() > end: break"
        subprocess.Popen([sys.executable, "-c", fill], start_new_session=True, stdout=subprocess.DEVNULL)
        time.sleep(1)
        print("```\\n4\\n```", flush=True)
    """
    assert solved(make(body), REQUEST).code == "4\n"


def test_nothing_of_a_program_outlives_its_answer(make: Make) -> None:
    """A child holds the program's output open; what it writes later belongs to no answer."""
    body = """
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print("```\\n1\\n```", flush=True)
    """
    assert solved(make(body), REQUEST).code == "1\n"


def test_a_program_that_hangs_is_ended_and_the_next_problem_is_answered(make: Make, tmp_path: Path) -> None:
    body = """
        import sys, time
        if "How many rows?" in sys.argv[1]:
            time.sleep(600)
        print("```\\n2\\n```")
    """
    agent = make(body, timeout_s=3)
    assert "did not answer within 3 s" in str(solved(agent, REQUEST).error)
    assert agent.solve(replace(REQUEST, problem_id="p2", query="And then?"), NoTools()).code == "2\n"


def test_it_keeps_to_the_protocol(make: Make) -> None:
    agent = make("print('```\\nlen(df)\\n```')")
    report = check_agent(lambda: agent, timeout_s=60)
    assert report.is_passed, report.to_text()
    assert len(report.results) >= 14


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-program {prompt}", "there is no program 'no-such-program'"),
        ("cat {promt}", "there is no placeholder {promt}; write {prompt}"),
        ("", "the agent's command is empty"),
        ("cat '{prompt}", "cannot be read"),
    ],
)
def test_mistakes_in_a_command_are_refused_at_once(tmp_path: Path, command: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        process_command(f"cli:{command}", LaunchOptions("none", tmp_path))
    assert said in f"{refused.value.what}; {refused.value.fix}"


def test_tools_need_their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.agents.process.cli_command.find_spec", lambda _: None)
    with pytest.raises(ToolkitError, match="the package mcp is not installed"):
        process_command("cli:cat {mcp_config}", LaunchOptions("none", tmp_path))
    assert process_command("cli:cat {prompt}", LaunchOptions("none", tmp_path)).name == "cli:cat {prompt}"


@pytest.mark.parametrize("backend", ["bwrap"], indirect=True)
@pytest.mark.parametrize("arguments", ["{prompt}", "{prompt_file}"])
def test_what_no_argument_can_hold_is_replaced(make: Make, arguments: str) -> None:
    agent = make("print('```\\n7\\n```')", arguments)
    for odd in ("a\0b", "half \ud800"):
        submission = solved(agent, replace(REQUEST, query=odd))
        assert (submission.status, submission.code) == (SubmissionStatus.OK, "7\n"), submission
