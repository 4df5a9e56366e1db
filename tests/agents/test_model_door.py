"""The one model that an agent's process may ask: through its sandbox, measured, within limits, without the real key."""

import json
import shutil
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import (
    AgentCard,
    FailureKind,
    Feedback,
    NoTools,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Submission,
)
from evaluator.agents.process import process_agent
from evaluator.agents.process.launching import AgentCommand
from evaluator.agents.process.process_agent import ProcessAgent, RunInfo
from evaluator.agents.sdk import benchwright_agent
from evaluator.errors import RecordingError
from evaluator.experiments.ledger import LedgerBudget, opened_ledger
from evaluator.models import Budget, BudgetLimits, ModelSettings, Spent
from evaluator.models.metering import ProxyLimits
from evaluator.session import AgentNetwork
from tests.scripted_model import KEY, Drop, Refuse, Say, ScriptedModel, scripted_model

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


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_agent, "_PAUSE_S", 0.0)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    with scripted_model([Say("len(df)", prompt_tokens=7, completion_tokens=3)]) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


@pytest.fixture
def make(tmp_path: Path, model: ScriptedModel) -> Iterator[Make]:
    made: list[ProcessAgent] = []
    shutil.copy(benchwright_agent.__file__, tmp_path)

    def agent(
        body: str, *, limits: ProxyLimits | None = None, purse: Budget | None = None, most: int = 1
    ) -> ProcessAgent:
        text = textwrap.dedent(SOURCE) + textwrap.indent(textwrap.dedent(body), " " * 4)
        (tmp_path / "agent.py").write_text(f"{text}\nserve(solve, max_sessions={most})\n")
        network = AgentNetwork.MODEL
        log = tmp_path / "agent.log"
        command = AgentCommand(("python", "agent.py"), tmp_path, "bwrap", network=network, log=log)
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


def test_the_real_key_stays_here_and_only_the_model_is_behind_the_door(make: Make) -> None:
    asked = "[dict(os.environ), ask(body, key='sk-other'), ask(body, '/files'), request['limits']]"
    agent = make(f"return json.dumps({asked})", limits=ProxyLimits(calls=3, tokens=5000))
    told = json.loads(solved(agent).code)
    assert KEY not in json.dumps(told)
    assert told[1] == "401 this door opens with the key that the agent was given"
    assert told[2].startswith("404 only /chat/completions")
    assert told[3] == {"wall_s": 1.0, "executions": None, "model_calls": 3, "tokens": 5000}


def test_limits_of_a_problem_and_of_the_run_are_kept(make: Make, model: ScriptedModel) -> None:
    thrice = "return json.dumps([ask(body) for _ in range(3)])"
    told = json.loads(solved(make(thrice, limits=ProxyLimits(calls=2))).code)
    assert told[2] == "429 the 2 calls of the model that this problem allows are used up"
    told = json.loads(solved(make(thrice, limits=ProxyLimits(tokens=35))).code)
    assert told[2].startswith("429 of the 35 tokens that this problem allows 15 are left, and this call may take ")
    submission = solved(make(thrice, purse=Budget(BudgetLimits(tokens=1025))))
    assert json.loads(submission.code)[1].startswith("429 the budget ends here")
    assert submission.usage["calls"] == 1  # those that the budget refused were not asked
    assert len(model.requests) == 2 + 2 + 1


def test_attempts_at_a_problem_share_its_limits_and_are_counted_apart(make: Make, model: ScriptedModel) -> None:
    agent = make("return json.dumps([ask(body) for _ in range(2)])", limits=ProxyLimits(calls=3))
    assert solved(agent).usage["calls"] == 2
    retried = agent.solve(replace(REQUEST, attempt=2, feedback=Feedback("1")), NoTools())
    assert json.loads(retried.code)[1].startswith("429 the 3 calls")
    assert retried.usage["calls"] == 1
    assert retried.usage["prompt_tokens"] == 7
    assert agent.solve(replace(REQUEST, problem_id="p2"), NoTools()).usage["calls"] == 2  # the next problem has its own
    assert len(model.requests) == 2 + 1 + 2


def test_the_next_process_of_an_agent_has_what_is_left_of_its_limits(make: Make) -> None:
    agent = make(
        """
        text = ask(body)
        if request["attempt"] == 1:
            os._exit(3)
        return text
    """,
        limits=ProxyLimits(calls=1),
    )
    submission = solved(agent)
    assert submission.error is not None
    assert (submission.usage["calls"], submission.usage["prompt_tokens"]) == (1, 7)
    retried = agent.solve(replace(REQUEST, attempt=2, feedback=Feedback("1")), NoTools())
    assert retried.code.startswith("429 the 1 calls")


def test_an_outage_does_not_use_up_what_a_problem_allows(make: Make, model: ScriptedModel) -> None:
    body = "told = ask(body)\nif told[:2] == '50': raise ValueError(told)\nreturn told"
    agent = make(body, limits=ProxyLimits(calls=2, tokens=1500))
    model.script = [Refuse(503, "overloaded")]
    failed = solved(agent)
    assert failed.error is not None
    assert (failed.error.kind, failed.usage["calls"]) == (FailureKind.INFRA, 3)  # what was asked is told all the same
    model.script = [Drop()] * (len(model.requests) + 2) + [Say("len(df)")]
    assert "len(df)" in solved(agent).code


def test_a_ledger_that_cannot_be_written_ends_the_run_and_blames_no_agent(make: Make, tmp_path: Path) -> None:
    with opened_ledger(tmp_path / "paid", Spent) as ledger:
        agent = make("return ask(body)", purse=LedgerBudget(BudgetLimits(), ledger))
        ledger._descriptor, kept = -1, ledger._descriptor  # as a disk that went away
        with pytest.raises(RecordingError, match="cannot be written down"):
            solved(agent)
        ledger._descriptor = kept
        assert solved(agent).code  # the same process answers on


def test_an_agent_with_a_model_is_given_one_session_per_process(make: Make) -> None:
    agent = make("return {'code': os.environ['OPENAI_API_KEY'], 'usage': {'prompt_tokens': 5}}", most=4)
    first = solved(agent)
    agent.start(SessionInfo("t", "other"))
    second = agent.solve(replace(REQUEST, session_id="t"), NoTools())
    assert first.code != second.code
    assert first.usage["prompt_tokens"] == second.usage["prompt_tokens"] == 0


def test_a_claim_beside_what_was_measured_is_labelled(make: Make) -> None:
    told = "return {'code': ask(body), 'usage': {'prompt_tokens': %d, 'calls': 1}}"
    honest, other = solved(make(told % 7)), solved(make(told % 6))
    assert (honest.labels, other.labels) == ((), ("usage-differs",))
    assert honest.usage == other.usage
    assert other.usage["prompt_tokens"] == 7
