"""Agents that are packages: each package itself in its environment, with a scripted model and real sessions."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluator.agents.choice import parse_agent
from evaluator.agents.conformance import check_agent
from evaluator.agents.process.launching import LaunchOptions
from evaluator.agents.process.package_command import requirements_of
from evaluator.agents.process.process_agent import RunInfo
from evaluator.environments.installers import read_requirements
from evaluator.models import ModelSettings
from evaluator.running import FeedbackPart, Policies, RunConfig, run_benchmark
from evaluator.session import Engine
from tests.kept_environments import kept_environment
from tests.scripted_model import Refuse, Say, ScriptedModel, Step

pytestmark = [pytest.mark.slow, pytest.mark.deep]

SET = '''# %%
import pandas as pd
trips = pd.DataFrame({"city": ["Oslo", "Rome", "Oslo"], "km": [3.5, 12.0, 7.25]})

# %%
"""
query: How many trips are there?
"""
len(trips)

# %%
"""
query: What is the longest distance?
"""
trips["km"].max()
'''
DONE = Say("There are three.")
Request = dict[str, Any]


def said(request: Request) -> str:
    parts: list[str] = []
    for message in request["messages"]:
        content = message["content"] or ""
        texts = [content] if isinstance(content, str) else [part["text"] for part in content]
        parts += [f"<{message['role']}>", *texts]
    return "\n".join(parts)


def last(request: Request) -> str:
    return said(request).split("<user>")[-1]


def turns(request: Request) -> int:
    return sum(message["role"] == "assistant" for message in request["messages"])


def smol(*lines: str) -> Say:
    return Say("Thought: so.\n<code>\n" + "\n".join(lines) + "\n</code>")


def calls(code: str) -> Say:
    return Say("", calls=(("python", {"code": code}),))


def fenced(code: str) -> Say:
    return Say(f"```python\n{code}\n```")


def smol_plays(request: Request) -> Step:
    steps = smol("count = len(trips)", "print(count)"), smol("final_answer(count)")
    longest = smol("final_answer(trips['km'].max())")
    return longest if "longest" in said(request) else steps[len(request["messages"]) > 2]


def coml_plays(request: Request) -> Step:
    return fenced("trips['km'].max()" if "longest" in last(request) else "len(trips)")


def interpreter_plays(request: Request) -> Step:
    if turns(request):
        return DONE
    return fenced("trips['km'].max()" if "longest" in said(request) else "len(trips)")


class Package(NamedTuple):
    name: str
    answers: Callable[[Request], Step]  # both problems
    codes: tuple[str, str]  # handed in for them
    len_df: Callable[[Request], Step]  # the code `len(df)`


PLAIN = ("len(trips)", "trips['km'].max()")
PACKAGES = {
    each.name: each
    for each in (
        Package(
            "smolagents",
            smol_plays,
            ("count = len(trips)\nprint(count)\n\n(count)", "(trips['km'].max())"),
            lambda _: smol("final_answer(len(df))"),
        ),
        Package("coml", coml_plays, PLAIN, lambda _: fenced("len(df)")),
        Package(
            "codeinterpreterapi",
            lambda request: calls("trips['km'].max()" if "longest" in said(request) else "len(trips)"),
            PLAIN,
            lambda _: calls("len(df)"),
        ),
        Package(
            "open-interpreter",
            interpreter_plays,
            PLAIN,
            lambda request: DONE if turns(request) else fenced("len(df)"),
        ),
    )
}


class Scored(NamedTuple):
    records: list[dict[str, Any]]
    model: ScriptedModel

    @property
    def verdicts(self) -> list[str]:
        return [each["verdict"] for each in self.records]

    @property
    def codes(self) -> list[str]:
        return [each["code"] for each in self.records]


Score = Callable[..., Scored]


@pytest.fixture
def score(serve: Callable[[Any], ScriptedModel], engine: Engine, tmp_path: Path) -> Iterator[Score]:
    """Run an agent on the two problems while a script is played, with options behind its name."""
    with contextlib.ExitStack() as installed:

        def scored(agent: str, script: Any, *, out: str = "out", **more: Any) -> Scored:
            name, _, options = agent.partition("?")
            installed.enter_context(kept_environment(name, read_requirements([requirements_of(name)])))
            model = serve(script)
            (tmp_path / "trips.py").write_text(SET)
            told = Policies(feedback=(FeedbackPart.ERROR, FeedbackPart.OUTPUT))
            text = f"{name}:m" + (f"?{options}" if options else "")
            config = RunConfig(tmp_path / "trips.py", text, tmp_path / out, policies=told, **more)
            run_benchmark(config, engine=engine)
            lines = (tmp_path / out / "records.jsonl").read_text().splitlines()
            return Scored([json.loads(line) for line in lines], model)

        yield scored


@pytest.mark.parametrize("name", PACKAGES)
def test_it_bears_everything(name: str, serve: Callable[[Any], ScriptedModel]) -> None:
    serve(PACKAGES[name].len_df)
    launch, run = LaunchOptions("bwrap"), RunInfo(model=ModelSettings.from_env("m"))
    with contextlib.ExitStack() as stack:
        stack.enter_context(kept_environment(name, read_requirements([requirements_of(name)])))

        def made() -> Any:
            agent = parse_agent(f"{name}:m", launch=launch, run=run, timeout_s=60.0)
            stack.callback(agent.close)  # pyrefly: ignore[missing-attribute]
            return agent

        report = check_agent(made, timeout_s=60.0)
    assert len(report.results) == 14
    assert report.is_passed, report.to_text()
    assert f"{name}:m" in report.to_text().splitlines()[0]
    assert f"answers a problem: ok, {9 if name == 'smolagents' else 7} characters of code" in report.to_text()


@pytest.mark.parametrize("name", PACKAGES)
def test_its_code_is_handed_in_and_its_model_measured(name: str, score: Score) -> None:
    run = score(name, PACKAGES[name].answers)
    assert run.verdicts == ["CORRECT", "CORRECT"]
    assert run.codes == list(PACKAGES[name].codes)
    assert "How many trips are there?" in said(run.model.requests[0])
    assert "trips" in said(run.model.requests[0])
    assert run.records[0]["agent_stats"]["usage_source"] == "measured"


@pytest.mark.parametrize("name", PACKAGES)
def test_an_endpoint_that_fails_is_no_fault_of_the_agent(name: str, score: Score) -> None:
    run = score(name, [Refuse(503, "overloaded")], limit=1)
    assert run.verdicts == ["NOT_JUDGED"]
    assert "the model endpoint answered with 503" in run.records[0]["agent_exception"]


# CoML


# codeinterpreterapi
