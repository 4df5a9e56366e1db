"""`benchwright seed semantics`: shown, corrected, refused, proposed by a model and accepted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.seeds.workspace_setup import open_workspace
from tests.scripted_model import KEY, Say, scripted_model

Command = Callable[..., Any]


@pytest.fixture
def semantics(benchwright: Command, tmp_path: Path) -> Command:
    """Run the command on the shipped seed of a new workspace."""
    open_workspace(tmp_path / "w")

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


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
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
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    semantics: Command, arguments: tuple[str, ...], code: int, said: str
) -> None:
    before = semantics("--json").json
    refused = semantics(*arguments)
    assert (refused.code, said in refused.stderr) == (code, True), refused.stderr
    assert semantics("--json").json == before


def test_what_is_odd_is_said_and_kept(semantics: Command) -> None:
    done = semantics("--set", "Individual ID=identifier", "--json", seed="penguins-field-notes")
    assert "warning[identifier-repeats]" in done.stderr
    assert [one["code"] for one in done.json["findings"]] == ["identifier-repeats"]
    assert _column(done.json, "Individual ID")["meaning"] == "identifier"


def test_a_table_must_be_named_where_there_are_several(semantics: Command) -> None:
    refused = semantics("--row", "x", seed="nyc-flights")
    assert (refused.code, "name one of flights.csv, airlines.csv" in refused.stderr) == (2, True)
    found = semantics("--table", "planes.csv", "--row", "aircraft", "--rows", "aircraft", "--json", seed="nyc-flights")
    assert next(one for one in found.json["tables"] if one["file"] == "planes.csv")["rows"] == "aircraft"


def test_what_a_model_proposes_counts_once_it_is_accepted(semantics: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = "    year: {meaning: ordinal, reason: seasons, origin: person}\n    island: {meaning: place}\n"
    answer = f"```yaml\ntables:\n- file: penguins.csv\n  columns:\n{columns}```"
    with scripted_model([Say(answer)]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
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
