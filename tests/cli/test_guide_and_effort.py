"""`benchwright guide` and `benchwright effort` as people type them."""

from pathlib import Path

from authoring.store import problemsets
from authoring.store.reviewing.reviews import add_comment
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.cli.conftest import Command


def test_a_guide_is_shown_amended_and_compared(benchwright: Command, tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path / "workspace")
    made = problemsets.create(ws, name="a", text="# %%\n1\n", author="template", origin=Origin.TEMPLATE, guide_number=1)
    add_comment(ws, revision_id=made.id, author="Ben", text="Ties?", kind="ambiguous")
    shown = benchwright("guide", "show", "--json").json
    assert (shown["number"], shown["author"]) == (1, "benchwright")
    assert benchwright("guide", "propose", "--by", "Ann", "--json").json["comments"] == 1
    assert "draft by rule" in benchwright("guide", "list").stdout
    text = ["--text", "- Say what happens to ties."]
    changed = benchwright("guide", "change", "1", "--by", "Ben", *text, "--minutes", "4", "--json").json
    assert (changed["status"], changed["guide_number"]) == ("changed", 2)
    again = benchwright("guide", "accept", "1", "--by", "Ben")
    assert (again.code, "was changed by 'Ben'" in again.stderr) == (1, True)
    assert "+- Say what happens to ties." in benchwright("guide", "diff", "1", "2").stdout
    own = ["--old", "10 to 15 problems", "--text", "8 problems", "--reason", "too long"]
    assert benchwright("guide", "propose", "--by", "Ann", *own).code == 0
    assert benchwright("guide", "refuse", "2", "--by", "Ben").stdout == "amendment 2 is refused\n"
    written = benchwright("guide", "show", "--out", "guide.md", "--json").json["text"]
    assert (tmp_path / "guide.md").read_text(encoding="utf-8") == written
    assert benchwright("guide", "show", "--out", "guide.md").code == 2
    (tmp_path / "guide.md").write_text("Be exact.\n", encoding="utf-8")
    assert benchwright("guide", "edit", "guide.md", "--by", "Ann", "--json").json["number"] == 3
    assert benchwright("guide", "show", "--revision", "9").code == 2
    (row,) = benchwright("guide", "effects", "--json").json["effects"]
    assert (row["guide_number"], row["drafts"], row["edits_per_problem"]) == (1, 1, None)
    assert benchwright("effort", "--by", "guide", "--json").json["minutes_by_activity"] == {"guide": 4.0}


def test_effort_is_recorded_and_shown_with_what_is_unknown(benchwright: Command, tmp_path: Path) -> None:
    Workspace.open(tmp_path / "workspace")
    assert "no manual baseline was measured" in benchwright("effort").stdout
    assert benchwright("effort", "person", "Ann", "--experience", "5 years").code == 0
    assert benchwright("effort", "baseline", "by hand", "--minutes", "60", "--problems", "5", "--by", "Ann").code == 0
    assert benchwright("effort", "add", "review", "--minutes", "3", "--by", "Ann").code == 0
    shown = benchwright("effort", "--by", "person")
    assert "Ann: 3.0 minutes (review 3.0); per problem unknown  [5 years]" in shown.stdout
    assert "by hand: 12.00 minutes per problem; reduction: unknown times" in shown.stdout
    assert benchwright("effort", "--by", "mood").code == 2
