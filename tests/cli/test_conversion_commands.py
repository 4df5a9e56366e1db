"""Problemsets from files, notebooks and records, into a workspace and out of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from authoring.store import problemsets, revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.workspace import Workspace
from tests.cli.conftest import Command

pytestmark = pytest.mark.kernel

CORE = Path(__file__).parent.parent.parent / "problemsets" / "core"
HERE = ("--workspace", "w")
ONE = '# %%\n"""\nquery: How many?\n"""\n1\n'


def test_a_set_goes_to_a_notebook_and_back_unchanged(benchwright: Command) -> None:
    source = CORE / "time_series.py"
    assert benchwright("export", "notebook", source, "--out", "t.ipynb").code == 0
    back = benchwright("import", "notebook", "t.ipynb", "--out", "t.py")
    assert (back.code, "problems" in back.stdout) == (0, True)
    assert Path("t.py").read_bytes() == source.read_bytes()
    again = benchwright("import", "notebook", "t.ipynb", "--out", "t.py")
    assert (again.code, "exists" in again.stderr) == (2, True)


def test_problemsets_go_into_a_workspace_and_out_as_a_benchmark_that_runs(benchwright: Command, w: Workspace) -> None:
    Path("_inputs").mkdir()
    Path("_inputs/a.csv").write_text("a\n1\n")
    Path("mine.py").write_text(ONE.replace("\n1\n", '\nlen(open("inputs/a.csv").read())\n'))
    kept = benchwright("import", "problemset", "mine.py", *HERE, "--json").json
    assert benchwright("import", "problemset", "mine.py", "--name", "other", *HERE).code == 0
    head = revisions.find(w, "mine")
    assert (head.id, list(problemset_inputs(w, kept["problemset"]))) == (kept["revision"], ["a.csv"])
    revisions.save(w, head.problemset_id, head.text + "\n# later", base_revision_id=head.id, author="Ann")
    written = benchwright("export", "problemset", "mine@1", "other", *HERE, "--out", "drafts", "--json")
    assert (written.code, written.json["revisions"]) == (0, ["mine@1", "other@1"])
    assert Path("drafts/mine.py").read_text() == head.text
    done = benchwright("run", "drafts", "--agent", "oracle", "--out", "run", "--json").json
    assert (done["benchmark"], done["version"], done["verdicts"]) == ("drafts", "draft", {"CORRECT": 2})
    for names, out, said in (
        (("mine",), "drafts", "holds something"),
        (("mine", "mine@1"), "two", "named twice"),
        (("mien",), "two", "mien"),
    ):
        refused = benchwright("export", "problemset", *names, *HERE, "--out", out)
        assert (refused.code, said in refused.stderr) == (2, True), refused.stderr
    assert not Path("two").exists()
    assert benchwright("export", "notebook", "mine@1", *HERE, "--out", "m.ipynb").code == 0
    assert json.loads(Path("m.ipynb").read_text())["cells"][0]["source"] == "How many?"


def test_a_file_with_errors_names_them_and_stores_nothing(benchwright: Command, w: Workspace, tmp_path: Path) -> None:
    words = ("import", "problemset", tmp_path / "bad.py", *HERE, "--json")
    for text in (
        b'# %%\n"""\nquery: [\n"""\n1\n',
        b'# %%\n"""\nquery: How many?\n"""\n1 +\n',
        b'# %%\n"""\nquery: How many?\nvalidator: {nearly: {}}\n"""\n1\n',
        b'# %%\n"""\nquery: How many \xff?\n"""\n1\n',
        b'# language_version: 9\n# %%\n"""\nquery: How many?\n"""\n1\n',
        b"",
    ):
        Path("bad.py").write_bytes(text)
        refused = benchwright(*words)
        error = refused.json["error"]
        assert (refused.code, "bad.py:" in refused.stderr, "nothing was stored" in error["fix"]) == (1, True, True)
        assert error["where"].startswith(f"{tmp_path / 'bad.py'}, line ")
    assert problemsets.select(w) == []
    Path("bad.py").write_text(ONE.replace("\n1\n", "\nn + 1\n"))  # a warning: nothing makes `n`
    stored = benchwright(*words)
    assert (stored.code, "warning[" in stored.stderr, stored.json["number"]) == (0, True, 1)


def test_a_revision_is_told_by_its_number_and_in_json_by_both(benchwright: Command, w: Workspace) -> None:
    for name in ("first", "second"):
        Path(f"{name}.py").write_text(ONE)
    words = ("import", "problemset", *HERE)
    assert benchwright(*words, "first.py", "--json").json["number"] == 1
    assert benchwright(*words, "second.py").stdout == "problemset 2, second, revision 1\n"
    assert revisions.find(w, "second").id == 2
    folder = benchwright(*words, ".")
    assert (folder.code, "import benchmark" in folder.stderr) == (2, True)


def test_a_notebook_of_ours_with_an_error_is_refused_like_the_file(benchwright: Command, w: Workspace) -> None:
    Path("mine.py").write_text(ONE)
    assert benchwright("export", "notebook", "mine.py", "--out", "mine.ipynb").code == 0
    book: dict[str, Any] = json.loads(Path("mine.ipynb").read_text())
    for source, code in (("1 +", 1), ("1 + 1", 0)):
        book["cells"][1]["source"] = source
        Path("mine.ipynb").write_text(json.dumps(book))
        done = benchwright("import", "notebook", "mine.ipynb", *HERE, "--json")
        assert done.code == code
        if code:
            assert "does not parse" in done.json["error"]["what"]
            assert "nothing was stored" in done.json["error"]["fix"]
            assert problemsets.select(w) == []


def test_records_become_a_file_and_say_what_needs_a_person(benchwright: Command) -> None:
    record = {"prompt": "def one():\n", "canonical_solution": "    return 1\n", "test": "assert one() == 1\nprint(2)"}
    Path("r.jsonl").write_text(json.dumps(record))
    done = benchwright("import", "completions", "r.jsonl", "--out", "r.py")
    assert (done.code, "1 problem; 1 thing needs a person" in done.stdout) == (0, True)
    assert "[signature-only]" in done.stderr
    assert benchwright("check", "r.py", "--run", "--no-cheat").code == 0
