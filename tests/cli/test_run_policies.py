"""Policies, attempts and epochs, chosen on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Serve
from tests.scripted_model import Say

pytestmark = pytest.mark.kernel

Command = Callable[..., Any]

CHAIN = '''# %%
base = 1

# %%
"""
query: Store two as `a`.
validator:
  namespace_check:
    a:
"""
a = base + 1

# %%
"""
query: Store ten times `a` as `b`.
validator:
  namespace_check:
    b:
"""
b = a * 10
'''


@pytest.fixture
def chain(tmp_path: Path) -> tuple[str, ...]:
    """Return the command that replays a wrong answer and one that rests on it; a second attempt is right."""
    (tmp_path / "chain.py").write_text(CHAIN)
    answers = [(1, 1, "a = 5"), (1, 2, "a = 2"), (2, 1, "b = a * 10")]
    lines = [{"problemset": "chain", "index": i, "attempt": n, "code": code} for i, n, code in answers]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    return ("run", "chain.py", "--agent", "replay:answers.jsonl", "--json")


def records_of(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(out, "records.jsonl").read_text().splitlines()]


def test_attempts_are_records_and_the_last_one_counts(benchwright: Command, chain: tuple[str, ...]) -> None:
    done = benchwright(*chain, "--max-attempts", "3", "--feedback", "error,hint", "--state", "own", "--out", "out")
    assert (done.json["pass_rate"], done.json["judged"], done.json["total"]) == (1.0, 2, 2)
    assert [(each["index"], each["attempt"], each["verdict"], each["is_last"]) for each in records_of("out")] == [
        (1, 1, "WRONG_VARIABLES", False),
        (1, 2, "CORRECT", True),
        (2, 1, "CORRECT", True),
    ]
    manifest = json.loads(Path("out", "manifest.json").read_text())
    assert manifest["max_attempts"] == 3
    assert manifest["policies"]["feedback"] == ["error", "hint"]
    assert benchwright(*chain, "--max-attempts", "3", "--stop", "visible", "--out", "visible").code == 0
    assert [each["attempt"] for each in records_of("visible")] == [1, 1]  # what runs is the last


def test_a_run_resumes_only_under_its_own_policies(benchwright: Command, chain: tuple[str, ...]) -> None:
    own = ("--state", "own", "--max-attempts", "2", "--out", "out")
    assert benchwright(*chain, *own).json["resumed"] == 0
    for other, said in (
        (("--max-attempts", "2"), "own/reference"),
        (("--state", "own"), "max attempts is 2"),
        (("--state", "own", "--max-attempts", "2", "--feedback", "hint"), "feedback hint"),
        (("--state", "own", "--max-attempts", "2", "--between-attempts", "kept"), "between attempts kept"),
        (("--state", "own", "--max-attempts", "2", "--epochs", "2"), "epochs is 1"),
    ):
        refused = benchwright(*chain, *other, "--out", "out")
        assert refused.code == 1
        assert said in refused.json["error"]["what"]
    assert benchwright(*chain, *own).json["resumed"] == 2


def test_epochs_differ_in_random_states_and_the_first_is_a_single_run(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "dice.py").write_text('# %%\nimport random\n\n# %%\n"""\nquery: Throw.\n"""\nrandom.random()\n')
    (tmp_path / "a.jsonl").write_text(json.dumps({"problemset": "dice", "index": 1, "code": "random.random()"}) + "\n")
    again = {"problemset": "dice", "index": 1, "epoch": 2, "code": "print(random.random())\nrandom.random()"}
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write(json.dumps(again) + "\n")
    done = benchwright(
        "run", "dice.py", "--agent", "replay:a.jsonl", "--epochs", "2", "--workers", "2", "--out", "two", "--json"
    )
    assert (done.json["total"], done.json["judged"]) == (2, 2)
    by_epoch = {each["epoch"]: (each["code"], each["verdict"]) for each in records_of("two")}
    assert by_epoch[1] == ("random.random()", "CORRECT")
    assert by_epoch[2][0] == again["code"]
    assert by_epoch[2][1] == "WRONG_OUTPUT"
    benchwright("run", "dice.py", "--agent", "replay:a.jsonl", "--out", "one", "--json")
    (one,) = records_of("one")
    first = next(each for each in records_of("two") if each["epoch"] == 1)
    assert {**one, "seconds": 0} == {**first, "seconds": 0}


def test_policies_that_make_no_sense_are_refused(benchwright: Command, chain: tuple[str, ...]) -> None:
    for arguments, said in (
        (("--feedback", "hints"), "no feedback 'hints'"),
        (("--feedback", "none,error"), "none and something else"),
        (("--max-attempts", "0"), "max-attempts is 0"),
        (("--epochs", "0"), "epochs is 0"),
        (("--mode", "oracle", "--state", "own"), "--state"),
        (("--mode", "oracle", "--feedback", "error"), "--feedback"),
        (("--mode", "oracle", "--stop", "judged"), "--stop"),
    ):
        refused = benchwright(*chain, *arguments, "--out", "out")
        assert (refused.code, said in refused.stdout) == (2, True), refused.stdout
    assert not Path("out").exists()


def test_a_run_ends_with_its_budget_and_goes_on_with_a_larger_one(
    benchwright: Command, chain: tuple[str, ...], serve: Serve
) -> None:
    command = ("run", "chain.py", "--agent", "chat:m?shots=none", "--out", "out", "--json")
    model = serve([Say("```python\na = 2\n```"), Say("```python\nb = a * 10\n```")])
    first = benchwright(*command, "--budget-tokens", "1300")
    assert (first.code, "tokens are used" in first.stdout) == (1, True)
    assert [each["verdict"] for each in records_of("out")] == ["CORRECT"]
    second = benchwright(*command, "--budget-tokens", "5000")
    assert (second.code, second.json["verdicts"], len(model.requests)) == (0, {"CORRECT": 2}, 2)
    assert records_of("out")[0]["agent_stats"] == {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "cached_tokens": 0,
        "calls": 1,
    }


def test_a_run_that_is_recorded_is_repeated_without_a_key(
    benchwright: Command, chain: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    serve([Say("```python\na = 2\n```"), Say("```python\nb = a * 10\n```")])
    run = ("run", "chain.py", "--json", "--agent")
    assert benchwright(*run, "chat:m?shots=none", "--out", "first", "--record", "tape").code == 0
    monkeypatch.delenv("OPENAI_API_KEY")
    again = benchwright(*run, "chat:recorded:tape?shots=none", "--out", "second")
    assert (again.code, again.json["verdicts"]) == (0, {"CORRECT": 2})
    assert [each["agent_stats"] for each in records_of("first")] == [
        each["agent_stats"] for each in records_of("second")
    ]
    missing = benchwright(*run, "chat:recorded:tape", "--out", "third")
    assert (missing.code, missing.json["error"]["what"]) == (3, "the cassette has no reply to this request to 'm'")
    refused = benchwright(*run, "oracle", "--out", "other", "--record", "tape")
    assert (refused.code, "leave out --record" in refused.stdout) == (2, True)


def test_a_mode_stands_for_policies_and_brings_its_board(benchwright: Command, chain: tuple[str, ...]) -> None:
    run = benchwright(*chain, "--mode", "end-to-end", "--out", "mode")
    assert run.code == 0
    manifest = json.loads(Path("mode", "manifest.json").read_text())
    assert manifest["mode"] == "end-to-end"
    assert manifest["max_attempts"] == 3
    assert manifest["policies"] == {
        "state": "own",
        "history": "own",
        "feedback": ["error", "output"],
        "between_attempts": "kept",
        "stop": "visible",
    }
    assert [(each["index"], each["attempt"]) for each in records_of("mode")] == [(1, 1), (2, 1)]
    board = benchwright("report", "mode", "--json").json["family_board"]
    assert (board["mode"], board["all"]["executable"]) == ("end-to-end", {"value": 1.0, "n": 2})
