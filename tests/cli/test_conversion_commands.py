import json
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from authoring.store import problemsets, revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.workspace import Workspace

pytestmark = pytest.mark.kernel

CORE = Path(__file__).parent.parent.parent / "problemsets" / "core"


def test_a_set_goes_to_a_notebook_and_back_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, book, back = CORE / "time_series.py", tmp_path / "t.ipynb", tmp_path / "t.py"
    assert run_command_line(["export", "notebook", str(source), "--out", str(book)]) == 0
    assert run_command_line(["import", "notebook", str(book), "--out", str(back)]) == 0
    assert back.read_bytes() == source.read_bytes()
    assert "problems" in capsys.readouterr().out
    assert run_command_line(["import", "notebook", str(book), "--out", str(back)]) == 2
    assert "exists" in capsys.readouterr().err


def test_a_file_goes_into_a_workspace_with_its_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ws = tmp_path / "ws"
    (tmp_path / "_inputs").mkdir()
    (tmp_path / "_inputs" / "a.csv").write_text("a\n1\n")
    (tmp_path / "mine.py").write_text('# %%\n"""\nquery: How many?\n"""\n1\n')
    words = ["import", "problemset", str(tmp_path / "mine.py"), "--workspace", str(ws), "--json"]
    assert run_command_line(words) == 0
    kept = json.loads(capsys.readouterr().out)
    opened = Workspace.open(ws)
    assert revisions.find(opened, "mine").id == kept["revision"]
    assert list(problemset_inputs(opened, kept["problemset"])) == ["a.csv"]
    assert (
        run_command_line(["export", "notebook", "mine@1", "--workspace", str(ws), "--out", str(tmp_path / "m.ipynb")])
        == 0
    )
    assert json.loads((tmp_path / "m.ipynb").read_text())["cells"][0]["source"] == "How many?"


def test_problemsets_of_a_workspace_become_a_benchmark_that_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "_inputs").mkdir()
    (tmp_path / "_inputs" / "a.csv").write_text("a\n1\n")
    (tmp_path / "mine.py").write_text('# %%\n"""\nquery: How many?\n"""\nlen(open("inputs/a.csv").read())\n')
    here = ["--workspace", str(tmp_path / "ws")]
    for name in ("mine", "other"):
        assert run_command_line(["import", "problemset", str(tmp_path / "mine.py"), "--name", name, *here]) == 0
    ws = Workspace.open(tmp_path / "ws")
    head = revisions.find(ws, "mine")
    revisions.save(ws, head.problemset_id, head.text + "\n# later", base_revision_id=head.id, author="Ann")
    capsys.readouterr()
    out = tmp_path / "drafts"
    assert run_command_line(["export", "problemset", "mine@1", "other", *here, "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["revisions"] == ["mine@1", "other@1"]
    assert (out / "mine.py").read_text() == head.text
    assert run_command_line(["run", str(out), "--agent", "oracle", "--out", str(tmp_path / "run"), "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["benchmark"], done["version"], done["verdicts"]) == ("drafts", "draft", {"CORRECT": 2})
    assert run_command_line(["export", "problemset", "mine", *here, "--out", str(out)]) == 2
    assert "holds something" in capsys.readouterr().err
    assert run_command_line(["export", "problemset", "mine", "mine@1", *here, "--out", str(tmp_path / "two")]) == 2
    assert "named twice" in capsys.readouterr().err
    assert run_command_line(["export", "problemset", "mien", *here, "--out", str(tmp_path / "two")]) == 2
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize(
    "text",
    [
        b'# %%\n"""\nquery: [\n"""\n1\n',
        b'# %%\n"""\nquery: How many?\n"""\n1 +\n',
        b'# %%\n"""\nquery: How many?\nvalidator: {nearly: {}}\n"""\n1\n',
        b'# %%\n"""\nquery: How many \xff?\n"""\n1\n',
        b'# language_version: 9\n# %%\n"""\nquery: How many?\n"""\n1\n',
        b"",
    ],
)
def test_a_file_with_errors_names_them_and_stores_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes
) -> None:
    (tmp_path / "bad.py").write_bytes(text)
    words = ["import", "problemset", str(tmp_path / "bad.py"), "--workspace", str(tmp_path / "ws"), "--json"]
    assert run_command_line(words) == 1
    told = capsys.readouterr()
    assert "bad.py:" in told.err
    error = json.loads(told.out)["error"]
    assert error["where"].startswith(f"{tmp_path / 'bad.py'}, line ")
    assert "nothing was stored" in error["fix"]
    assert problemsets.select(Workspace.open(tmp_path / "ws")) == []
    (tmp_path / "bad.py").write_text('# %%\n"""\nquery: How many?\n"""\nn + 1\n')  # a warning: nothing makes `n`
    assert run_command_line(words) == 0
    told = capsys.readouterr()
    assert "warning[" in told.err
    assert json.loads(told.out)["number"] == 1


def test_a_revision_is_told_by_its_number_and_in_json_by_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text('# %%\n"""\nquery: How many?\n"""\n1\n')
    words = ["import", "problemset", "--workspace", str(tmp_path / "ws")]
    assert run_command_line([*words, str(tmp_path / "first.py"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["number"] == 1
    assert run_command_line([*words, str(tmp_path / "second.py")]) == 0
    assert capsys.readouterr().out == "problemset 2, second, revision 1\n"
    assert revisions.find(Workspace.open(tmp_path / "ws"), "second").id == 2
    assert run_command_line([*words, str(tmp_path)]) == 2
    assert "import benchmark" in capsys.readouterr().err


def test_a_notebook_of_ours_with_an_error_is_refused_like_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text('# %%\n"""\nquery: How many?\n"""\n1\n')
    book, ws = tmp_path / "mine.ipynb", tmp_path / "ws"
    assert run_command_line(["export", "notebook", str(tmp_path / "mine.py"), "--out", str(book)]) == 0
    edited = json.loads(book.read_text())
    edited["cells"][1]["source"] = "1 +"
    book.write_text(json.dumps(edited))
    capsys.readouterr()
    words = ["import", "notebook", str(book), "--workspace", str(ws), "--json"]
    assert run_command_line(words) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert "does not parse" in error["what"]
    assert "nothing was stored" in error["fix"]
    assert problemsets.select(Workspace.open(ws)) == []
    edited["cells"][1]["source"] = "1 + 1"
    book.write_text(json.dumps(edited))
    assert run_command_line(words) == 0


def test_records_become_a_file_and_say_what_needs_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"prompt": "def one():\n", "canonical_solution": "    return 1\n", "test": "assert one() == 1\nprint(2)"}
    (tmp_path / "r.jsonl").write_text(json.dumps(record))
    out = tmp_path / "r.py"
    assert run_command_line(["import", "completions", str(tmp_path / "r.jsonl"), "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "1 problem; 1 thing needs a person" in told.out
    assert "[signature-only]" in told.err
    assert run_command_line(["check", str(out), "--run"]) == 0
