"""What the report and the status of an experiment show of its runs, and of other runs in their folders."""

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.experiments.small_experiment import Command, Write
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.kernel

ASKED = "agents: [{agent: 'chat:m', label: asked, options: {shots: none}}, {agent: oracle, label: right}]"


OTHERS: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...] = (
    ((ASKED,), ("--limit", "3"), "its limit is none, not 3"),
    ((ASKED,), ("--model", "other"), "its agent is 'chat:m?shots=none', not 'chat:other?shots=none'"),
    ((ASKED.replace("shots: none", "shots_count: 1"),), (), "its agent is 'chat:m?shots=none', not 'chat:m?shots_"),
    ((ASKED.replace("shots: none", "encoding: lida"),), (), "its agent is 'chat:m?shots=none', not 'chat:m?enc"),
    (("agents: [{agent: 'tools:m', label: asked}]",), (), "its agent is 'chat:m?shots=none', not 'tools:m"),
    (("agents: [{agent: empty, label: asked}]",), (), "its agent is 'chat:m?shots=none', not 'empty'"),
    ((ASKED, "epochs: 2"), (), "its epochs is 1, not 2"),
    ((ASKED, "rng_seed: 2"), (), "its rng seed is 0, not 2"),
    ((ASKED, "benchmarks: [{benchmark: bench, sets: [two]}]"), (), "its problemsets are one, two, not two"),
    ((ASKED, "benchmarks: [{benchmark: bench, rules: published}]"), (), "its rules is 'sound', not 'published'"),
)


def test_a_report_shows_no_results_of_another_run(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    """What `run` refuses to go on with (the folder holds another run) is no result of what is asked for."""
    once = "policies: [{label: once}]"
    assert benchwright("experiment", "run", write(ASKED, once)).code == 0
    asked = len(model.requests)
    for lines, options, told in OTHERS:
        report = benchwright("experiment", "report", write(*lines, once), *options, "--csv", "t.csv", "--json").json
        first = report["runs"][0]
        told_of = (first["state"], first["pass_rate"], first["tokens"], report["done"])
        assert told_of == ("another run", None, None, False)
        assert first["difference"].startswith(told)
    lines, options, told = OTHERS[0]
    file = write(*lines, once)
    row = next(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert (row["state"], row["pass_rate"], row["prompt_tokens"]) == ("another run", "", "")
    assert "the folder holds another run" in benchwright("experiment", "run", file, *options).stderr
    assert benchwright("experiment", "report", file, *options, "--html", "t.html").code == 0
    assert "another run lies in" in (tmp_path / "t.html").read_text()
    for command in ("report", "status"):
        shown = benchwright("experiment", command, file, *options).stdout
        assert f"asked, once: another run lies in {first['out']}: {told}" in shown  # pyrefly: ignore[unbound-name]
        assert "'benchwright report FOLDER' shows it" in shown
    assert len(model.requests) == asked


def test_a_report_needs_no_model_and_no_key(
    benchwright: Command, write: Write, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("agents: [chat]")
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "m")
    assert benchwright("experiment", "run", file).code == 0
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "another")  # `run` refuses, as another model would be asked now
    (run,) = benchwright("experiment", "report", file, "--json").json["runs"]
    assert (run["state"], run["difference"]) == ("done", None)
    assert "chat:m" in benchwright("experiment", "report", file).stdout
    refused = benchwright("experiment", "run", file)
    assert (refused.code, "its agent is 'chat:m', not 'chat:another'" in refused.stderr) == (2, True)
    for name in ("BENCHWRIGHT_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    (run,) = benchwright("experiment", "report", file, "--json").json["runs"]
    assert (run["state"], run["pass_rate"]) == ("done", 0.5)


def test_records_without_a_manifest_that_can_be_read_are_of_another_run(
    benchwright: Command, write: Write, model: ScriptedModel
) -> None:
    file = write(ASKED)
    assert benchwright("experiment", "run", file).code == 0
    first, second = benchwright("experiment", "report", file, "--json").json["runs"]
    manifest = Path(first["out"]) / "manifest.json"
    newer = json.dumps({**json.loads(manifest.read_text()), "format": 99})
    for text, told in (("{", "is no manifest of a run"), (newer, "a newer benchwright"), ("", "without a manifest")):
        manifest.write_text(text) if text else manifest.unlink()
        runs = benchwright("experiment", "report", file, "--json").json["runs"]
        assert (runs[0]["state"], runs[0]["pass_rate"], told in runs[0]["difference"]) == ("another run", None, True)
        assert (runs[1]["state"], runs[1]["pass_rate"]) == ("done", second["pass_rate"])


def test_the_table_tells_what_its_runs_were_made_with(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    """A page that is kept says whose numbers it holds: agents in full, benchmark, rules, versions, epochs, and when."""
    file = write(ASKED, "epochs: 2", "rng_seed: 7", "about: what <b>examples</b> gain")
    before = benchwright("experiment", "report", file, "--csv", "t.csv", "--json").json
    assert ([run["made_with"] for run in before["runs"]], before["last_judged"]) == ([None, None], None)
    assert benchwright("experiment", "run", file).code == 0
    found = benchwright("experiment", "report", file, "--csv", "t.csv", "--html", "t.html", "--json").json
    judged = datetime.fromisoformat(found["last_judged"])
    assert timedelta() <= datetime.now(UTC) - judged < timedelta(minutes=10)
    manifest = json.loads((Path(found["runs"][0]["out"]) / "manifest.json").read_text())
    made = found["runs"][0]["made_with"]
    assert (made["agent_name"], made["agent_version"]) == ("chat:m?shots=none", manifest["agent_version"])
    assert (made["benchmark_name"], made["benchmark_version"], made["rules"]) == ("bench", "1", "sound")
    assert (made["epochs"], made["rng_seed"], made["environment"]) == (2, 7, manifest["environment"])
    row = next(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert {name: row[name] for name in made} == {name: str(value) for name, value in made.items()}
    assert row["last_judged"] <= found["last_judged"]
    page, text = (tmp_path / "t.html").read_text(), benchwright("experiment", "report", file).stdout
    version = f"scoring version {manifest['scoring_version']}"
    for told in ("chat:m?shots=none", "benchmark bench 1", version, "epochs 2", "seed 7", "w/o PE: ", "last judged "):
        assert told in page
        assert told in text
    assert "<b>examples</b>" not in page
    assert "what &lt;b&gt;examples&lt;/b&gt; gain" in page


def test_a_run_that_cannot_be_read_hides_no_other(benchwright: Command, write: Write) -> None:
    file = write("agents: [oracle, empty]", "policies: [{label: once}]")
    runs = benchwright("experiment", "run", file, "--json").json["runs"]
    with (Path(runs[1]["out"]) / "records.jsonl").open("a") as records:
        records.write("{half\n")
    for command in ("status", "report"):
        shown = benchwright("experiment", command, file)
        assert (shown.code, "oracle" in shown.stdout) == (1, True)
        assert "records.jsonl:" in shown.stderr
        assert "fix:" in shown.stderr
