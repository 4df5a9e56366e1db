"""`benchwright seed make`, `seed semantics` and `seed personal`, as people type them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from authoring.prompting.prompts import prompt_text
from authoring.store import model_calls
from authoring.store.drafting.seeds import find_seed, save_profile
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import fenced_blocks
from tests.cli.conftest import Command, Serve
from tests.scripted_model import Say

pytestmark = pytest.mark.usefixtures("w")

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
    benchwright: Command, tmp_path: Path, serve: Serve
) -> None:
    bad = FIELDS.replace("name: lognormal, mean: 1.5, sd: 0.4", "name: pareto, alpha: 2")
    model = serve([Say(f"```yaml\n{bad}\n```"), Say(f"```yaml\n{FIELDS}\n```")])
    words = ("seed", "make", "garden", "--topic", "a garden shop", "--model", "scripted", "--rng-seed", "5")
    made = benchwright(*words, "--out", "fields.yaml", "--workspace", "w", "--json")
    assert made.code == 0, made.stderr
    assert "a garden shop" in model.prompts[0]
    assert "tables.1.fields.4" in model.prompts[1]
    assert "rng_seed: 5" in (tmp_path / "fields.yaml").read_text(encoding="utf-8")
    ws = Workspace.open(tmp_path / "w")
    assert find_seed(ws, "garden").statement == made.json["statement"]
    assert [call.purpose for call in model_calls.select(ws)] == ["made tables"] * 2


def test_what_is_taken_already_is_refused_before_a_model_is_asked(
    benchwright: Command, tmp_path: Path, serve: Serve
) -> None:
    (tmp_path / "fields.yaml").write_text(FIELDS, encoding="utf-8")
    assert benchwright("seed", "make", "garden", "--fields", "fields.yaml", "--workspace", "w").code == 0
    model = serve([Say(f"```yaml\n{FIELDS}\n```")])
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
    half = FIELDS.replace("values: [north,", 'values: ["\\ud800",')
    assert half != FIELDS
    (tmp_path / "half.yaml").write_text(half, encoding="utf-8")
    refused = benchwright("seed", "make", "made", "--fields", "half.yaml", "--workspace", "w")
    assert (refused.code, "half a character" in refused.stderr) == (1, True), refused.stderr


def test_no_command_waits_for_a_pipe(benchwright: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for words in (
        *(("import", "results", "pipe"), ("leaderboard", "pipe"), ("report", "pipe")),
        *(("instantiate", "pipe", "--seed", "x"), ("seed", "make", "made", "--fields", "pipe", "--workspace", "w")),
    ):
        refused = benchwright(*words)
        assert (refused.code, "plain file" in refused.stderr) == (2, True), refused.stderr


# What columns mean


@pytest.fixture
def semantics(benchwright: Command) -> Command:
    """Run the command on a shipped seed."""

    def run(*arguments: str, seed: str = "penguins") -> Any:
        return benchwright("seed", "semantics", seed, *arguments, "--workspace", "w")

    return run


def _column(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(column for column in found["tables"][0]["columns"] if column["name"] == name)


def test_the_table_says_what_rows_and_columns_are(semantics: Command) -> None:
    shown = semantics()
    assert shown.code == 0
    assert "One row is one penguin (plural: penguins)." in shown.stdout
    assert "have no order of their own" in shown.stdout
    (line,) = [one for one in shown.stdout.splitlines() if "body_mass_g" in one]
    assert line.split() == ["body_mass_g", "measure,", "in", "g,", "does", "not", "add", "up", "person"]


def test_what_is_set_is_kept_and_forgotten_by_reset(semantics: Command) -> None:
    given = ["--set", "year=ordinal", "--set", "body_mass_g.unit=kg", "--set", "year.levels=2007,2008,2009"]
    found = semantics(*given, "--row", "bird", "--groups", "sex,species", "--by", "Ann", "--json").json
    assert (_column(found, "year")["meaning"], _column(found, "year")["levels"]) == ("ordinal", [2007, 2008, 2009])
    assert _column(found, "body_mass_g")["unit"] == "kg"
    assert (found["tables"][0]["row"], found["tables"][0]["rows"]) == ("bird", "birds")
    assert found["tables"][0]["groups"] == ["sex", "species"]
    after = semantics("--reset", "--json").json
    assert (_column(after, "year")["meaning"], after["tables"][0]["row"]) == ("time", "penguin")


def test_what_cannot_be_is_refused_and_changes_nothing(semantics: Command) -> None:
    before = semantics("--json").json
    for arguments, code, said in (
        (("--set", "species=measure"), 1, "'species' holds texts, so it cannot be a measure"),
        (("--set", "spezies=label"), 2, "use 'species'"),
        (("--set", "species=catgory"), 2, "use 'category'"),
        (("--set", "species.uint=mm"), 2, "use 'unit'"),
        (("--set", "species"), 2, "write COLUMN=MEANING"),
        (("--set", "body_mass_g.adds_up=maybe"), 2, "'at one time'"),
        (("--set", "sex.levels=male,femal"), 1, "write 'female'"),
        (("--order", "yaer"), 1, "'year' is meant?"),
        (("--table", "penguin.csv", "--row", "x"), 2, "use 'penguins.csv'"),
        (("--accept",), 1, "no model has proposed anything"),
    ):
        refused = semantics(*arguments)
        assert (refused.code, said in refused.stderr) == (code, True), refused.stderr
    assert semantics("--json").json == before


def test_a_table_must_be_named_where_there_are_several(semantics: Command) -> None:
    refused = semantics("--row", "x", seed="nyc-flights")
    assert (refused.code, "name one of flights.csv, airlines.csv" in refused.stderr) == (2, True)
    found = semantics("--table", "planes.csv", "--row", "aircraft", "--rows", "aircraft", "--json", seed="nyc-flights")
    assert next(one for one in found.json["tables"] if one["file"] == "planes.csv")["rows"] == "aircraft"


def test_what_a_model_proposes_counts_once_it_is_accepted(
    semantics: Command, monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    columns = "    year: {meaning: ordinal, reason: seasons, origin: person}\n    island: {meaning: place}\n"
    answer = f"```yaml\ntables:\n- file: penguins.csv\n  columns:\n{columns}```"
    serve([Say(answer)])
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
    semantics("--set", "island=category", "--set", "island.unit=none")
    proposed = semantics("--propose", "--json")
    assert "the model would change 1 columns" in proposed.stderr
    assert _column(proposed.json, "year")["meaning"] == "time"
    assert "meaning: ordinal" in proposed.json["proposal"]["text"]
    accepted = semantics("--accept", "--json").json
    year = _column(accepted, "year")
    assert (year["meaning"], year["origin"], accepted["proposal"]) == ("ordinal", "model", None)
    assert (_column(accepted, "island")["meaning"], _column(accepted, "island")["origin"]) == ("category", "person")


# Data about persons

PEOPLE = "name,mail,spent\nAnna Schmidt,anna@web.de,3\nPeter Jones,pj@mail-post.net,4\nMaria Rossi,m.rossi@web.de,5\n"


def test_columns_about_persons_are_warned_of_and_confirmed(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    added = benchwright("seed", "add", "people.csv", "--name", "people", "--workspace", "w", "--json")
    assert (added.code, len(added.json["personal"])) == (0, 2)
    assert "warning: column 'mail' of people.csv seems to hold e-mail addresses (3 rows)" in added.stderr
    assert "benchwright seed personal people --confirm COLUMN" in added.stderr
    assert "anna@web.de" not in added.stdout + added.stderr
    here = ("--workspace", "w")
    shown = benchwright("seed", "personal", "people", *here)
    assert "such as a***@***.**" in shown.stdout
    signed = ("--confirm", "mail", "--as", "public", "--reason", "a yearbook", "--by", "Ada")
    confirmed = benchwright("seed", "personal", "people", *signed, *here)
    assert (confirmed.code, "confirmed by Ada as public: a yearbook" in confirmed.stdout) == (0, True)
    findings = benchwright("seed", "personal", "people", "--json", *here).json["findings"]
    assert {one["column"]: one["confirmed"] for one in findings}["name"] is None
    withdrawn = benchwright("seed", "personal", "people", "--withdraw", "mail", "--json", *here).json["findings"]
    assert [one["confirmed"] for one in withdrawn] == [None, None]
    clean = benchwright("seed", "personal", "penguins", *here)
    assert clean.stdout == "no column looks like data about persons\n"


def test_a_confirmation_without_reason_or_of_another_column_is_refused(benchwright: Command) -> None:
    lacking = benchwright("seed", "personal", "penguins", "--confirm", "island", "--workspace", "w")
    assert (lacking.code, "--as public, synthetic, not-personal" in lacking.stderr) == (2, True)
    other = benchwright("seed", "personal", "penguins", "--confirm", "island", "--as", "public", "--workspace", "w")
    assert (other.code, "nothing was found about a column 'island'" in other.stderr) == (2, True)


def test_a_seed_that_an_earlier_version_profiled_is_looked_at_again(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    assert benchwright("seed", "add", "people.csv", "--name", "people", "--workspace", "w").code == 0
    ws = Workspace.open(tmp_path / "w")
    seed = find_seed(ws, "people")
    assert seed.profile is not None
    tables = [
        {**table, "columns": [{k: v for k, v in column.items() if k != "personal"} for column in table["columns"]]}
        for table in seed.profile["tables"]
    ]
    save_profile(ws, seed.id, {**seed.profile, "tables": tables, "version": 3})
    shown = benchwright("seed", "personal", "people", "--workspace", "w", "--json")
    assert [one["column"] for one in shown.json["findings"]] == ["name", "mail"]
    renewed = find_seed(ws, "people").profile
    assert renewed is not None
    assert renewed["version"] > 3
