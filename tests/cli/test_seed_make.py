"""`benchwright seed make`: a file or a model states fields, and our code draws them."""

import json
import os
from pathlib import Path

import pytest

from authoring.prompting.prompts import prompt_text
from authoring.store import model_calls
from authoring.store.drafting.seeds import find_seed
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import fenced_blocks
from tests.cli.conftest import Command
from tests.scripted_model import KEY, Say, scripted_model

FIELDS = next(fenced_blocks(prompt_text("made_table")))  # the example that a model is shown


def test_a_seed_is_made_from_a_file_without_a_model(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "fields.yaml").write_text(FIELDS, encoding="utf-8")
    made = benchwright("seed", "make", "garden", "--fields", "fields.yaml", "--workspace", "w", "--json")
    assert made.code == 0, made.stderr
    assert (made.json["synthetic"], [table["rows"] for table in made.json["tables"]]) == (True, [200, 1500])
    shown = benchwright("seed", "show", "garden", "--workspace", "w")
    assert "Drawn from this statement:" in shown.stdout
    assert "lognormal" in shown.stdout
    personal = benchwright("seed", "personal", "garden", "--workspace", "w")
    assert personal.stdout == "no column looks like data about persons\n"


def test_a_model_states_the_fields_and_what_is_wrong_goes_back(
    benchwright: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = FIELDS.replace("name: lognormal, mean: 1.5, sd: 0.4", "name: pareto, alpha: 2")
    with scripted_model([Say(f"```yaml\n{bad}\n```"), Say(f"```yaml\n{FIELDS}\n```")]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        words = ("seed", "make", "garden", "--topic", "a garden shop", "--model", "scripted", "--rng-seed", "5")
        made = benchwright(*words, "--out", "fields.yaml", "--workspace", "w", "--json")
    assert made.code == 0, made.stderr
    assert "a garden shop" in model.prompts[0]
    assert "tables.1.fields.4" in model.prompts[1]
    assert "rng_seed: 5" in (tmp_path / "fields.yaml").read_text(encoding="utf-8")
    ws = Workspace.open(tmp_path / "w")
    assert find_seed(ws, "garden").statement == made.json["statement"]
    assert [call.purpose for call in model_calls.select(ws)] == ["made tables"] * 2


def test_a_file_that_is_there_and_a_taken_name_are_refused_before_a_model_is_asked(
    benchwright: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fields.yaml").write_text(FIELDS, encoding="utf-8")
    assert benchwright("seed", "make", "garden", "--fields", "fields.yaml", "--workspace", "w").code == 0
    with scripted_model([Say(f"```yaml\n{FIELDS}\n```")]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        words = ("--topic", "a garden shop", "--model", "scripted", "--workspace", "w")
        written = benchwright("seed", "make", "other", *words, "--out", "fields.yaml")
        named = benchwright("seed", "make", "Garden", *words)
    assert (written.code, "'fields.yaml' exists" in written.stderr) == (2, True)
    assert (named.code, "already a seed called" in named.stderr) == (2, True)
    assert (tmp_path / "fields.yaml").read_text(encoding="utf-8") == FIELDS
    assert model.requests == []


def test_neither_or_both_and_a_bad_file_are_refused(benchwright: Command, tmp_path: Path) -> None:
    here = ("--workspace", "w")
    assert benchwright("seed", "make", "x", *here).code == 2
    (tmp_path / "fields.yaml").write_text(FIELDS.replace("rows: 1500", "rows: 1500000"), encoding="utf-8")
    both = benchwright("seed", "make", "x", "--fields", "fields.yaml", "--topic", "t", *here)
    assert (both.code, "--fields FILE, or --topic TEXT" in both.stderr) == (2, True)
    refused = benchwright("seed", "make", "x", "--fields", "fields.yaml", "--json", *here)
    assert refused.code == 1
    assert "tables.1.rows" in json.loads(refused.stdout)["error"]["what"]
    assert benchwright("seed", "make", "x", "--fields", "nothing.yaml", *here).code == 2


def test_pipes_and_half_characters_are_refused_at_once(benchwright: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused = benchwright("seed", "make", "made", "--fields", "pipe", "--workspace", "w")
    assert (refused.code, "is no plain file" in refused.stderr) == (2, True)
    half = FIELDS.replace("values: [north,", 'values: ["\\ud800",')
    assert half != FIELDS
    (tmp_path / "half.yaml").write_text(half, encoding="utf-8")
    refused = benchwright("seed", "make", "made", "--fields", "half.yaml", "--workspace", "w")
    assert (refused.code, "half a character" in refused.stderr) == (1, True), refused.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("import", "results", "pipe"),
        ("leaderboard", "pipe"),
        ("report", "pipe"),
        ("instantiate", "pipe", "--seed", "x"),
    ],
)
def test_no_command_waits_for_a_pipe(benchwright: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused = benchwright(*command)
    assert (refused.code, "plain file" in refused.stderr) == (2, True), refused.stderr
