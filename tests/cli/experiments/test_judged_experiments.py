"""Experiments whose figures a judge looks at: its replies are recorded, and its failures leave verdicts open."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.records import read_records
from tests.cli.experiments.small_experiment import Command
from tests.scripted_model import Refuse, Say, ScriptedModel

pytestmark = pytest.mark.kernel


JUDGED_UNDER = [
    pytest.param("{label: once}", id="once"),
    pytest.param("{label: twice, max_attempts: 2, feedback: [output]}", id="by turns", marks=pytest.mark.deep),
    pytest.param(
        "{label: own, state: own, history: own, max_attempts: 2}", id="on its own state", marks=pytest.mark.deep
    ),
]


def test_a_judge_of_figures_is_recorded_with_the_agents(
    benchwright: Command,
    drawn: Callable[..., Path],
    model: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def replied(request: dict[str, Any]) -> Say:
        is_right = "Draw bar" in str(request["messages"])
        return Say(
            ("right" if is_right else "wrong") if request["model"] == "eyes" else "```python\nplt.bar([1], [2])\n```"
        )

    model.script = replied
    file = drawn("{label: once}", "chat:m?shots=none")
    first = benchwright("experiment", "run", file, "--record", "tape", "--json")
    assert (first.code, first.json["runs"][0]["pass_rate"]) == (0, 0.5), first.stderr
    assert sorted(request["model"] for request in model.requests) == ["eyes", "eyes", "m", "m"]
    monkeypatch.delenv("OPENAI_API_KEY")
    second = benchwright("experiment", "run", file, "--recorded", "tape", "--out", "again", "--json")
    assert (second.code, second.json["runs"][0]["pass_rate"]) == (0, 0.5), second.stderr
    assert len(model.requests) == 4
    shutil.rmtree(tmp_path / "tape" / "_judge_")
    lost = benchwright("experiment", "run", file, "--recorded", "tape", "--out", "third")
    assert (lost.code, "there is no cassette" in lost.stderr) == (2, True)
    assert not (tmp_path / "third").exists()


@pytest.mark.parametrize("policy", JUDGED_UNDER)
def test_a_reply_of_a_judge_that_cannot_be_recorded_stops_the_run(
    benchwright: Command, drawn: Callable[..., Path], model: ScriptedModel, tmp_path: Path, policy: str
) -> None:
    """What goes on would pay for replies that are lost; the same command then asks again."""
    model.script = [Say("right")]
    file, tape = drawn(policy), tmp_path / "tape" / "_judge_"
    tape.mkdir(parents=True)
    (tape / "cassette.json").write_text('{"format": 1, "model": "eyes"}')
    (tape / "replies.jsonl").symlink_to("/dev/full")
    stopped = benchwright("experiment", "run", file, "--record", "tape")
    assert stopped.code == 3, stopped.stderr
    assert "a reply cannot be recorded" in stopped.stderr
    assert "make room or mend the folder" in stopped.stderr
    assert len(model.requests) == 1
    (run,) = benchwright("experiment", "status", file, "--json").json["runs"]
    assert list(read_records(Path(run["out"]) / "records.jsonl")) == []
    (tape / "replies.jsonl").unlink()
    done = benchwright("experiment", "run", file, "--record", "tape", "--json")
    assert (done.code, done.json["runs"][0]["pass_rate"]) == (0, 1.0), done.stderr
    assert len(model.requests) == 3


@pytest.mark.parametrize("policy", JUDGED_UNDER)
def test_a_judge_that_is_down_leaves_verdicts_open_and_the_run_goes_on(
    benchwright: Command, drawn: Callable[..., Path], model: ScriptedModel, policy: str
) -> None:
    model.script = [Refuse(400, "no pictures here")]
    file = drawn(policy)
    benchwright("experiment", "run", file, "--record", "tape")
    (run,) = benchwright("experiment", "status", file, "--json").json["runs"]
    found = list(read_records(Path(run["out"]) / "records.jsonl"))
    assert [(record.index, record.verdict) for record in found] == [(1, "NOT_JUDGED"), (2, "NOT_JUDGED")]
    assert all("no pictures here" in record.extended_verdict for record in found)
