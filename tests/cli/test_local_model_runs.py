"""Agents over a real model behind a real server, whose scores nobody can foretell. See docs/maintainers.md."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("local_model")

Command = Callable[..., Any]
CORE = Path(__file__).parents[2] / "problemsets" / "core"
LIMIT = 6


def kept(folder: Path) -> list[dict[str, Any]]:
    """Return a run's records without what the clock says."""
    records = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    return [{name: value for name, value in each.items() if name != "seconds"} for each in records]


@pytest.mark.parametrize("agent", ["chat", "tools", "notebook-chat"])
def test_an_agent_is_scored_end_to_end_and_repeated_without_its_model(
    benchwright: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, agent: str
) -> None:
    limit = ("--limit", str(LIMIT), "--json")
    first = benchwright("run", CORE, "--agent", agent, "--record", "replies", "--out", "first", *limit)
    assert first.code == 0, first.stderr
    assert first.json["judged"] == LIMIT
    records = kept(tmp_path / "first")
    assert all(each["agent_stats"]["prompt_tokens"] > 0 for each in records)
    assert all(each["agent_stats"]["completion_tokens"] > 0 for each in records)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "BENCHWRIGHT_MODEL"):
        monkeypatch.delenv(name)
    again = benchwright("run", CORE, "--agent", f"{agent}:recorded:replies", "--out", "again", *limit)
    assert again.code == 0, again.stderr
    assert kept(tmp_path / "again") == records
    assert again.json["pass_rate"] == first.json["pass_rate"]
