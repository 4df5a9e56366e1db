"""The budget and the ledger of an experiment, over all its starts."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.agents.sdk import benchwright_agent
from tests.cli.experiments.small_experiment import AGENTS, Command, Write, spent
from tests.scripted_model import Say, ScriptedModel

pytestmark = pytest.mark.kernel


def test_a_stopped_experiment_goes_on(benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path) -> None:
    """The budget is spent in the second set: what was judged before stays, and only the rest is asked again."""
    file = write(*AGENTS[:2], "budget: {tokens: 1750}")
    stopped = benchwright("experiment", "run", file)
    assert stopped.code == 1, stopped.stderr
    assert "raise 'budget' in the experiment's file" in stopped.stderr
    status = benchwright("experiment", "status", file, "--json").json["runs"][0]
    assert (status["state"], status["judged"], status["pass_rate"]) == ("under way", 3, None)
    assert "not at their end" in benchwright("experiment", "report", file).stdout
    asked = len(model.requests)
    again = benchwright("experiment", "run", file)  # what an earlier start took counts
    assert (again.code, "tokens are used" in again.stderr) == (1, True)
    assert len(model.requests) - asked < 2
    asked = len(model.requests)
    done = benchwright("experiment", "run", write(*AGENTS[:2]), "--json")
    assert (done.code, done.json["runs"][0]["pass_rate"]) == (0, 0.5)
    assert len(model.requests) - asked == 1


def test_a_start_from_records_takes_nothing_of_the_budget(
    benchwright: Command, write: Write, model: ScriptedModel
) -> None:
    """What a cassette answers was paid for elsewhere, though its records tell tokens as if it had been asked."""
    first = write(*AGENTS[:2])
    assert benchwright("experiment", "run", first, "--record", "tape").code == 0
    assert spent(benchwright, first) == 1000 + 40
    assert benchwright("experiment", "run", first, "--recorded", "tape", "--out", "again").code == 0
    assert spent(benchwright, first, "--out", "again") == 0
    more = write(*AGENTS[:2], "epochs: 1", "budget: {tokens: 100}")
    assert benchwright("experiment", "run", more, "--out", "again").code == 0


def test_a_budget_that_cannot_be_kept_is_told_before_anything_starts(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    """Of cost without prices; a ledger with a line that is none."""
    priceless = benchwright("experiment", "run", write(*AGENTS, "budget: {cost: 5}"), "--dry")
    assert (priceless.code, "no price is known of the model 'm'" in priceless.stderr) == (2, True)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ledger.jsonl").write_text('{"before":[0,0.0]}\nnothing\n')
    for dry in (("--dry",), ()):
        done = benchwright("experiment", "run", write(*AGENTS), *dry)
        assert (done.code, "ledger.jsonl:2" in done.stderr, "take the line out" in done.stderr) == (1, True, True)
    assert not (tmp_path / "out" / "bench").exists()


def test_a_judge_counts_against_the_budget_of_later_starts(
    benchwright: Command, drawn: Callable[[str], Path], model: ScriptedModel
) -> None:
    model.script = [Say("right", prompt_tokens=700, completion_tokens=50)]
    file = drawn("{label: once}")
    assert benchwright("experiment", "run", file).code == 0
    assert (len(model.requests), spent(benchwright, file)) == (2, 1500)
    assert benchwright("experiment", "run", file).code == 0
    assert (len(model.requests), spent(benchwright, file)) == (2, 1500)


def test_a_spent_budget_is_no_failure_of_an_agent_with_its_own_client(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    """It ends the run, as it does with agents that ask by ours; what is judged stays, and the rest is asked later."""
    shutil.copy(benchwright_agent.__file__, tmp_path)
    (tmp_path / "own.py").write_text(
        "import json, os, urllib.request\n"
        "from benchwright_agent import serve\n"
        "def solve(request):\n"
        "    body = json.dumps({'messages': [{'role': 'user', 'content': request['query']}], 'max_tokens': 100})\n"
        "    asked = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body.encode())\n"
        "    asked.add_header('Authorization', 'Bearer ' + os.environ['OPENAI_API_KEY'])\n"
        "    told = json.load(urllib.request.urlopen(asked, timeout=20))\n"
        "    return told['choices'][0]['message']['content'].strip('`').removeprefix('python')\n"
        "serve(solve)\n"
    )
    own = ("agents: [{agent: 'cmd:python own.py', label: own, network: model, model: m}]",)
    stopped = benchwright("experiment", "run", write(*own, "budget: {tokens: 400}"), "--json")
    assert len(model.requests) == 2  # of 110 and 210 tokens; the third might take 100 and more
    (run,) = benchwright("experiment", "status", write(*own), "--json").json["runs"]
    assert (run["judged"], stopped.code) == (2, 1), stopped.stdout
