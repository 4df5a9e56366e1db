"""A benchmark that models of Anthropic and Google solve, from the command to the records."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_model import KEY, Say
from tests.scripted_providers import scripted_anthropic

Command = Callable[..., Any]


@pytest.fixture
def one_problem(tmp_path: Path) -> Path:
    path = tmp_path / "one.py"
    path.write_text('# %%\nx = 1\n\n# %%\n"""\nquery: One more than x?\n"""\nx + 1\n')
    return path


@pytest.mark.kernel
def test_a_model_of_a_provider_solves_a_problem(
    benchwright: Command, one_problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_anthropic([Say("```python\nx + 1\n```", cached_tokens=40)]) as model:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        done = benchwright("run", one_problem, "--agent", "chat:anthropic:m", "--out", "out", "--json")
    assert (done.code, done.json["verdicts"], len(model.requests)) == (0, {"CORRECT": 1}, 1)
    written = {path.name: path.read_text() for path in Path("out").rglob("*.json*")}
    (record,) = written["records.jsonl"].splitlines()
    stats = json.loads(record)["agent_stats"]
    assert stats["cached_tokens"] == 40
    assert "chat:anthropic:m" in written["manifest.json"]
    assert not any(KEY in text for text in written.values())


def test_what_is_missing_is_said_before_a_run_starts(
    benchwright: Command, one_problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for provider, key, package in (
        ("anthropic", "ANTHROPIC_API_KEY", "anthropic"),
        ("google", "GEMINI_API_KEY", "google.genai"),
    ):
        run = ("run", one_problem, "--agent", f"chat:{provider}:m", "--out", "out")
        no_key = benchwright(*run)
        assert (no_key.code, key in no_key.stderr) == (3, True)
        monkeypatch.setitem(sys.modules, package, None)
        no_package = benchwright(*run)
        assert (no_package.code, f"pip install 'benchwright[{provider}]'" in no_package.stderr) == (3, True)
        assert not Path("out", "records.jsonl").exists()
