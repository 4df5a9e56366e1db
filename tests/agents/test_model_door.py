"""The one model that an agent's process may ask: through its sandbox, measured, within limits, without the real key."""

import json
import shutil
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.agents import AgentCard, NoTools, SessionInfo, SolveLimits, SolveRequest, Submission
from evaluator.agents.process.launching import AgentCommand
from evaluator.agents.process.process_agent import ProcessAgent, RunInfo
from evaluator.agents.sdk import benchwright_agent
from evaluator.models import Budget, BudgetLimits, ModelSettings
from evaluator.models.proxy import ProxyLimits
from evaluator.session import AgentNetwork
from tests.scripted_model import KEY, Refuse, Say, ScriptedModel, scripted_model

REQUEST = SolveRequest("s", "set", "p1", 1, "How many?", SolveLimits(1.0))
SOURCE = """
    import json, os, urllib.error, urllib.request
    from benchwright_agent import serve

    def ask(body, path="/chat/completions", key=None):
        request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + path, json.dumps(body).encode())
        request.add_header("Authorization", "Bearer " + (key or os.environ["OPENAI_API_KEY"]))
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return f"{error.code} {json.loads(error.read())['error']['message']}"

    def solve(request):
        body = {"model": "another", "messages": [{"role": "user", "content": request["query"]}]}
"""
Make = Callable[..., ProcessAgent]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    with scripted_model([Say("len(df)", prompt_tokens=7, completion_tokens=3)]) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


@pytest.fixture(params=["bwrap", "none"])
def make(request: pytest.FixtureRequest, tmp_path: Path, model: ScriptedModel) -> Iterator[Make]:
    made: list[ProcessAgent] = []
    shutil.copy(benchwright_agent.__file__, tmp_path)

    def agent(
        body: str, *, limits: ProxyLimits | None = None, purse: Budget | None = None, most: int = 1
    ) -> ProcessAgent:
        text = textwrap.dedent(SOURCE) + textwrap.indent(textwrap.dedent(body), " " * 4)
        (tmp_path / "agent.py").write_text(f"{text}\nserve(solve, max_sessions={most})\n")
        network = AgentNetwork.MODEL
        command = AgentCommand(("python", "agent.py"), tmp_path, request.param, network=network)
        run = RunInfo(model=ModelSettings("small", model.url), limits=limits or ProxyLimits(), purse=purse)
        made.append(ProcessAgent(command, run, timeout_s=60))
        return made[-1]

    yield agent
    for each in made:
        each.close()


def solved(agent: ProcessAgent) -> Submission:
    assert isinstance(agent.describe(), AgentCard)
    agent.start(SessionInfo("s", "set"))
    return agent.solve(REQUEST, NoTools())


def test_what_passes_is_measured_whatever_the_agent_reports(make: Make, model: ScriptedModel) -> None:
    agent = make("""
        text = json.loads(ask(body))["choices"][0]["message"]["content"]
        ask(body)
        return {"code": text, "usage": {"prompt_tokens": 0, "completion_tokens": 0}}
    """)
    submission = solved(agent)
    assert submission.code == "len(df)"
    measured = {"prompt_tokens": 14, "completion_tokens": 6, "cached_tokens": 0, "calls": 2, "usage_source": "measured"}
    assert submission.usage == measured
    assert solved(agent).usage == measured  # counted from zero at every problem
    assert model.requests[0]["model"] == "small"


def test_streams_pass_and_are_measured(make: Make, model: ScriptedModel) -> None:
    submission = solved(make("return ask({**body, 'stream': True})"))
    assert submission.code.rstrip().endswith("data: [DONE]")
    assert submission.usage["completion_tokens"] == 3
    assert model.requests[0]["stream_options"] == {"include_usage": True}


def test_the_real_key_stays_here_and_the_door_has_its_own(make: Make) -> None:
    told = json.loads(solved(make("return json.dumps([dict(os.environ), ask(body, key='sk-other')])")).code)
    assert KEY not in json.dumps(told)
    assert told[1] == "401 this door opens with the key that the agent was given"


def test_only_the_model_is_behind_it(make: Make) -> None:
    assert solved(make("return ask(body, '/files')")).code.startswith("404 only /chat/completions")
    assert solved(make("return ask([1])")).code == "400 the request is no JSON object"


def test_limits_of_a_problem_and_of_the_run_are_kept(make: Make, model: ScriptedModel) -> None:
    thrice = "return json.dumps([ask(body) for _ in range(3)])"
    told = json.loads(solved(make(thrice, limits=ProxyLimits(calls=2))).code)
    assert told[2] == "429 the 2 calls of the model that this problem allows are used up"
    told = json.loads(solved(make(thrice, limits=ProxyLimits(tokens=15))).code)
    assert told[2] == "429 the 15 tokens that this problem allows are used up"
    told = json.loads(solved(make(thrice, purse=Budget(BudgetLimits(tokens=1030)))).code)
    assert told[1].startswith("429 the budget ends here")
    assert len(model.requests) <= 2 + 2 + 2


def test_refusals_of_the_endpoint_pass(make: Make, model: ScriptedModel) -> None:
    model.script = [Refuse(429, "slow down", headers=(("Retry-After", "7"),))]
    submission = solved(make("return ask(body)"))
    assert submission.code == "429 slow down"
    assert submission.usage == {"calls": 1, "usage_source": "measured"}  # tokens are unknown, not 0


def test_sessions_of_one_process_share_a_measure_and_say_so(make: Make) -> None:
    submission = solved(make("return {'code': '1', 'usage': {'prompt_tokens': 5}}", most=4))
    assert submission.usage == {"prompt_tokens": 5, "usage_source": "reported"}
    assert submission.labels == ("usage-reported",)
