"""Agents whose model's endpoint fails midway: each further try begins where the attempt did, in real sessions."""

import json
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents.sdk import benchwright_agent
from evaluator.running import RunConfig, run_benchmark
from evaluator.session import AgentNetwork, Engine
from tests.scripted_model import Refuse, Say, ScriptedModel

SET = '''# %%
x = [1]

# %%
"""
query: How long is x with one more?
"""
x.append(2)
len(x)
'''
AGENT = """
    import json, os, urllib.request
    from benchwright_agent import serve

    def ask():
        request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b'{"messages": []}')
        request.add_header("Authorization", "Bearer " + os.environ["OPENAI_API_KEY"])
        return urllib.request.urlopen(request, timeout=20).read().decode()

    def solve(request, tools):
"""
Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def run(tmp_path: Path, serve: Callable[[Any], ScriptedModel], engine: Engine) -> Run:
    """Run an agent at one problem while the endpoint fails at the first call; return the records."""

    def scored(body: str, submits: str = "code", **more: Any) -> list[dict[str, Any]]:
        serve([Refuse(503, "overloaded"), Say("ok")])
        folder = tmp_path / "agent"
        folder.mkdir()
        shutil.copy(benchwright_agent.__file__, folder)
        text = textwrap.dedent(AGENT) + textwrap.indent(textwrap.dedent(body), " " * 4)
        (folder / "agent.py").write_text(f"{text}\nserve(solve, submits={submits!r})\n")
        (tmp_path / "x.py").write_text(SET)
        model: dict[str, Any] = {"agent_network": AgentNetwork.MODEL, "agent_model": "m"}
        config = RunConfig(tmp_path / "x.py", f"cmd:python {folder / 'agent.py'}", tmp_path / "out", **model, **more)
        run_benchmark(config, engine=engine)
        return [json.loads(line) for line in (tmp_path / "out" / "records.jsonl").read_text().splitlines()]

    return scored


def test_the_copy_of_the_session_is_a_new_one(run: Run) -> None:
    (record,) = run("""
        seen = tools.execute("x.append(2)\\nprint(len(x))")["text"].strip()
        ask()
        return "x.append(2)\\nlen(x)" if seen == "2" else seen
    """)
    assert (record["verdict"], record["agent_stats"]["calls"]) == ("CORRECT", 2)
    assert record["agent_stats"]["executions"] == {"scratch": {"ok": 2}}  # what was executed is told all the same


def test_executions_are_given_back(run: Run) -> None:
    (record,) = run('tools.execute("1")\nask()\nreturn "x.append(2); len(x)"', executions=1)
    assert record["verdict"] == "CORRECT"


def test_they_are_not_where_the_agent_alone_blames_the_endpoint(run: Run) -> None:
    (record,) = run(
        """
        tools.execute("1")
        return {"status": "error", "error": {"kind": "infra", "message": "our network is down"}}
    """,
        executions=1,
    )
    assert record["agent_exception"].endswith("the 1 executions that this problem allows are used up")


def test_what_was_executed_in_the_judged_session_is_not_executed_again(run: Run) -> None:
    records = run('tools.execute("x.append(2)", scope="live")\nask()\nreturn "len(x)"', "session")
    assert records[-1]["verdict"] == "NOT_JUDGED"
    assert "the model endpoint answered with 503" in records[-1]["agent_exception"]
    assert [record["code"] for record in records] == ["x.append(2)", ""]
