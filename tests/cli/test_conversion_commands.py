import json
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from authoring.store import revisions
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


def test_a_broken_file_is_kept_and_its_faults_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.py").write_text('# %%\n"""\nquery: [\n"""\n1\n')
    assert (
        run_command_line(["import", "problemset", str(tmp_path / "bad.py"), "--workspace", str(tmp_path / "ws")]) == 1
    )
    assert "bad.py:" in capsys.readouterr().err
    assert revisions.find(Workspace.open(tmp_path / "ws"), "bad").text.startswith("# %%")


def test_records_become_a_file_and_say_what_needs_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"prompt": "def one():\n", "canonical_solution": "    return 1\n", "test": "assert one() == 1\nprint(2)"}
    (tmp_path / "r.jsonl").write_text(json.dumps(record))
    out = tmp_path / "r.py"
    assert run_command_line(["import", "completions", str(tmp_path / "r.jsonl"), "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "1 problem; 1 thing needs a person" in told.out
    assert "[test-left-out]" in told.err
    assert run_command_line(["check", str(out), "--run"]) == 0
