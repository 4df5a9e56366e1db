"""`benchwright seed personal`: columns that look like data about persons are told and confirmed."""

from pathlib import Path

from authoring.store.drafting.seeds import find_seed, save_profile
from authoring.store.workspace import Workspace
from tests.cli.conftest import Command

PEOPLE = "name,mail,spent\nAnna Schmidt,anna@web.de,3\nPeter Jones,pj@mail-post.net,4\nMaria Rossi,m.rossi@web.de,5\n"


def test_a_seed_about_persons_is_added_with_a_warning_and_a_column_is_confirmed(
    benchwright: Command, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    added = benchwright("seed", "add", "people.csv", "--name", "people", "--workspace", "w", "--json")
    assert (added.code, len(added.json["personal"])) == (0, 2)
    assert "warning: column 'mail' of people.csv seems to hold e-mail addresses (3 rows)" in added.stderr
    assert "benchwright seed personal people --confirm COLUMN" in added.stderr
    assert "anna@web.de" not in added.stdout + added.stderr
    here = ("--workspace", "w")
    shown = benchwright("seed", "personal", "people", *here)
    assert "such as a***@***.**" in shown.stdout
    confirmed = benchwright(
        "seed",
        "personal",
        "people",
        "--confirm",
        "mail",
        "--as",
        "public",
        "--reason",
        "a yearbook",
        "--by",
        "Ada",
        *here,
    )
    assert (confirmed.code, "confirmed by Ada as public: a yearbook" in confirmed.stdout) == (0, True)
    signed = benchwright("seed", "personal", "people", "--json", *here).json["findings"]
    assert {one["column"]: one["confirmed"] for one in signed}["name"] is None
    withdrawn = benchwright("seed", "personal", "people", "--withdraw", "mail", "--json", *here).json["findings"]
    assert [one["confirmed"] for one in withdrawn] == [None, None]
    clean = benchwright("seed", "personal", "penguins", *here)
    assert clean.stdout == "no column looks like data about persons\n"


def test_a_confirmation_without_a_reason_why_or_of_another_column_is_refused(benchwright: Command) -> None:
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
