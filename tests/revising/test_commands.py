"""The commands of this room, on one workspace, as a person at a terminal sees them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from authoring.cli.main import run_command_line
from authoring.store import problemsets, revisions
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.cli.lent_engines import lender, lent_engines
from tests.revising.conftest import problem

__all__ = ["lender", "lent_engines"]

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("lent_engines")]

TEXT = "# %%\nrows = [3, 1, 2]\n\n" + problem("clean", "Sort `rows` into `clean`.", "clean = sorted(rows)\nclean")
TEXT += problem("total", "What is the sum of `clean`?", "sum(clean)") + problem("count", "How many rows?", "len(rows)")


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


Run = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    ws = Workspace.open(tmp_path / "ws")
    set_setting(ws, "shipped_seeds", "loaded")  # the seeds are of no use here and take a second
    problemsets.create(ws, name="sums", text=TEXT, author="Ann", origin=Origin.PERSON)
    return ws.root


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str | Path) -> Said:
        capsys.readouterr()
        code = run_command_line([*map(str, words), "--workspace", str(home)])
        return Said(code, *capsys.readouterr())

    return run


def test_an_edit_is_listed_rerun_and_merged_with_a_later_one(home: Path, run: Run, tmp_path: Path) -> None:
    ws = Workspace.open(home)
    assert run("accept", "sums", "--by", "Bo").code == 0
    first = revisions.find(ws, "sums")
    revisions.save(ws, first.problemset_id, TEXT.replace("sorted(rows)", "rows[1:]"), base_revision_id=1, author="Cy")
    listed = run("affected", "sums")
    assert listed.code == 0
    assert "sums@1 to sums@2: 2 problems are affected" in listed.out
    assert "reads `clean` from problem 1 (clean), whose code changed" in listed.out
    done = run("rerun", "sums")
    assert done.code == 0
    assert "2 judged, 1 taken over" in done.out
    assert "problem 2 (total) was CORRECT, is CORRECT\n  - 6\n  + 3\n" in done.out
    assert "approvals that Bo gave @1: kept by problem 3" in done.out
    mine = tmp_path / "mine.py"
    mine.write_text(TEXT.replace("sorted(rows)", "rows[2:]").replace("How many rows?", "Count the rows."))
    refused = run("merge", "sums", "--base", "1", "--mine", mine, "--save", "--by", "Ann", "--json")
    assert refused.code == 1
    (conflict,) = refused.json["error"]["merge"]["conflicts"]
    assert (conflict["cell"], conflict["field"], conflict["mine"]) == ("clean", "code", "clean = rows[2:]\nclean")
    assert problemsets.find(ws, "sums").head_number == 2, "nothing was saved"
    shown = run("merge", "sums", "--base", "1", "--mine", mine)
    assert "clean: code\n  base:\n    clean = sorted(rows)\n    clean\n  theirs:" in shown.out
    saved = run("merge", "sums", "--base", "1", "--mine", mine, "--take", "theirs:clean", "--save", "--by", "Ann")
    assert saved.out == "saved as sums@3\n"
    merged = revisions.find(ws, "sums").text
    assert merged == TEXT.replace("sorted(rows)", "rows[1:]").replace("How many rows?", "Count the rows.")
    assert run("merge", "sums", "--base", "1", "--mine", mine, "--take", "theirs:nothing").code == 2
