"""A benchmark that models of Anthropic and Google solve, from the command to the records."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_model import KEY, Say
from tests.scripted_providers import scripted_anthropic, scripted_google

Command = Callable[..., Any]
SERVERS = {
    "anthropic": (scripted_anthropic, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "google": (scripted_google, "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
}


@pytest.fixture
def one_problem(tmp_path: Path) -> Path:
    path = tmp_path / "one.py"
    path.write_text('# %%\nx = 1\n\n# %%\n"""\nquery: One more than x?\n"""\nx + 1\n')
    return path


@pytest.mark.kernel
@pytest.mark.parametrize("provider", ["anthropic", pytest.param("google", marks=pytest.mark.deep)])
def test_a_model_of_a_provider_solves_a_problem(
    benchwright: Command, one_problem: Path, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve, url, key = SERVERS[provider]
    with serve([Say("```python\nx + 1\n```", cached_tokens=40)]) as model:
        monkeypatch.setenv(url, model.url)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        monkeypatch.setenv(key, KEY)
        done = benchwright("run", one_problem, "--agent", f"chat:{provider}:m", "--out", "out", "--json")
    assert (done.code, done.json["verdicts"], len(model.requests)) == (0, {"CORRECT": 1}, 1)
    written = {path.name: path.read_text() for path in Path("out").rglob("*.json*")}
    (record,) = written["records.jsonl"].splitlines()
    stats = json.loads(record)["agent_stats"]
    assert stats["cached_tokens"] == 40
    assert f"chat:{provider}:m" in written["manifest.json"]
    assert not any(KEY in text for text in written.values())


@pytest.mark.parametrize("provider", SERVERS)
def test_what_is_missing_is_said_before_a_run_starts(
    benchwright: Command, one_problem: Path, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ("run", one_problem, "--agent", f"chat:{provider}:m", "--out", "out")
    for name in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    no_key = benchwright(*run)
    assert (no_key.code, SERVERS[provider][2] in no_key.stderr) == (3, True)
    monkeypatch.setitem(sys.modules, {"anthropic": "anthropic", "google": "google.genai"}[provider], None)
    no_package = benchwright(*run)
    assert (no_package.code, f"pip install 'benchwright[{provider}]'" in no_package.stderr) == (3, True)
    assert not Path("out", "records.jsonl").exists()
