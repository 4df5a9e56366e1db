"""CIBench notebooks, Qwen records and their results in a workspace: folders, problemsets, runs; hostile files."""

import io
import json
import re
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from authoring.conversion.family_imports import imported_benchmarks
from authoring.store import problemsets, runs
from authoring.store.workspace import Workspace
from authoring.ui.runs.boards.family_scores import family_scores
from authoring.ui.runs.expected_figures import expected_figures
from evaluator.errors import ContentError, ToolkitError, UsageError
from tests.families.notebooks import answer, ask, book, png, printed, shown
from tests.families.test_cibench_predictions import RIGHT, TYPED, failed, predictions

Do = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.kernel

QUERY = {"query": "Draw it.", "tags": "all_ci,visualization", "lang": "en", "input_file_path": ["up/a.csv"]}
PROBLEM = {"question": "What is 1 + 1?", "answer": "It is 2.\n#### 2"}


def packed(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def notebook(*cells: dict[str, Any], **metadata: Any) -> bytes:
    return json.dumps(book(*cells, **metadata)).encode()


def file_of(ws: Workspace, name: str, data: bytes) -> dict[str, str]:
    return {"name": name, "digest": ws.put_bytes(data)}


FIGURE = notebook(ask("Draw it."), answer("plot()", shown(png())), ask("Say one."), answer("print(1)", printed("1\n")))


def test_a_folder_of_notebooks_becomes_a_benchmark_whose_sets_are_queued(workspace: Workspace, do: Do) -> None:
    books = {"pandas/1.ipynb": FIGURE, "pandas/2.ipynb": notebook(ask("alone"))}
    files = {f"cibench_template/{name}": data for name, data in books.items()}
    archive = packed({**files, "__MACOSX/cibench_template/._1.ipynb": b"junk"})
    made = do("import_family", {"family": "cibench", "file": file_of(workspace, "mini.zip", archive), "queue": True})
    assert (made["benchmark"], made["problemsets"], made["problems"]) == ("mini", 1, 2)
    (finding, *_) = made["findings"]
    assert (finding["code"], finding["source"], finding["severity"]) == ("unpaired-cells", "2.ipynb, line 1", "error")
    ((name, number),) = [(each["name"], each["problemset"]) for each in made["kept"]]
    assert problemsets.find(workspace, number).name == name
    assert list(imported_benchmarks(workspace)) == ["mini"]
    manifest = (workspace.root / "benchmarks" / "mini" / "_manifest.yaml").read_text()
    assert "set: template" in manifest
    with pytest.raises(UsageError, match="has a benchmark 'mini' already"):
        do("import_family", {"family": "cibench", "file": file_of(workspace, "mini.zip", archive)})


def test_what_is_refused_is_called_as_it_was_sent(workspace: Workspace, do: Do) -> None:
    wrong = packed({"bench/_manifest.yaml": b"name: [a]\n", "bench/a.py": b""})
    orders = {
        "import_benchmark": [("empty.zip", packed({"a.txt": b""})), ("wrong.zip", wrong), ("odd.zip", b"no archive")],
        "import_family": [("none.zip", packed({"a.txt": b""})), ("torn.zip", b"no archive")],
        "import": [("torn.ipynb", b"{"), ("torn.jsonl", b"{")],
    }
    forms = {"ipynb": "notebook", "jsonl": "completions"}
    for kind, files in orders.items():
        for name, data in files:
            order: dict[str, Any] = {"file": file_of(workspace, name, data)}
            order |= {"family": "cibench"} if kind == "import_family" else {}
            order |= {"form": forms[name.rpartition(".")[2]]} if kind == "import" else {}
            with pytest.raises(ToolkitError) as refused:
                do(kind, order)
            said = refused.value
            assert said.where.startswith(name), (name, said.where)
            assert not re.search(r"(?<!\w)/\w", " ".join([said.what, said.where, said.fix, *said.args]))


def test_sets_and_modules_are_named_after_folders(workspace: Workspace, do: Do) -> None:
    for number, (name, below, called) in enumerate(
        (("pandas/1.ipynb", "pandas", "p0"), ("mine/pandas/1.ipynb", "pandas", "mine"), ("1.ipynb", "p2", "p2"))
    ):
        file = file_of(workspace, f"p{number}.zip", packed({name: FIGURE}))
        do("import_family", {"family": "cibench", "file": file})
        manifest = (workspace.root / "benchmarks" / f"p{number}" / "_manifest.yaml").read_text()
        assert f"module: {below}" in manifest
        assert f"set: {called}" in manifest


def test_predictions_are_scored_against_it_and_shown_on_its_board(workspace: Workspace, do: Do, tmp_path: Path) -> None:
    files = {f"cibench_template/pandas/{number}.ipynb": json.dumps(TYPED).encode() for number in (1, 2)}
    do("import_family", {"family": "cibench", "file": file_of(workspace, "b.zip", packed(files)), "name": "bench"})
    written = predictions(tmp_path / "model.json", [[[RIGHT], []], [[failed()], []]]).read_bytes()
    order = {"benchmark": "bench", "mode": "oracle", "rules": "published", "agent": "theirs"}
    made = do("import_results", {**order, "file": file_of(workspace, "model.json", written)})
    run = runs.find(workspace, made["id"])
    assert (run.agent, run.release, made["records"]) == ("theirs", "bench", 4)
    found = family_scores(workspace, run)
    assert found is not None
    assert found.board == made["family_board"]
    assert found.board["leaderboard"]["O-Num"] == {"value": 0.5, "n": 2}
    zipped = packed({"results/model.json": written, "results/img/1.png": png()})
    again = do("import_results", {**order, "file": file_of(workspace, "model.zip", zipped), "agent": ""})
    assert runs.find(workspace, again["id"]).agent == "model"
    with pytest.raises(UsageError, match="none is named"):
        do("import_results", {"file": file_of(workspace, "model.json", written)})
    with pytest.raises(UsageError, match=r"no imported benchmark is called '[.][.]/bench'"):
        do("import_results", {**order, "benchmark": "../bench", "file": file_of(workspace, "model.json", written)})


def test_the_figure_of_a_notebook_stands_beside_an_attempt(workspace: Workspace, do: Do, tmp_path: Path) -> None:
    archive = packed({"cibench_template/pandas/1.ipynb": FIGURE})
    do("import_family", {"family": "cibench", "file": file_of(workspace, "bench.zip", archive)})
    written = predictions(tmp_path / "model.json", [[[failed()], [RIGHT]]]).read_bytes()
    made = do("import_results", {"benchmark": "bench", "file": file_of(workspace, "model.json", written)})
    run = runs.find(workspace, made["id"])
    (first, second) = runs.list_attempts(workspace, run.id)
    expected = expected_figures(workspace, run, first)
    assert (expected.pictures, "the notebook stores" in expected.source) == ((png(),), True)
    assert expected_figures(workspace, run, second).pictures == ()


def test_an_agent_runs_on_an_imported_benchmark(workspace: Workspace, do: Do) -> None:
    cells = (ask("Say one."), answer("print(1)", printed("1\n")))
    archive = packed({"cibench_template/pandas/1.ipynb": notebook(*cells, step_types=["num"])})
    do("import_family", {"family": "cibench", "file": file_of(workspace, "bench.zip", archive)})
    path = str(imported_benchmarks(workspace)["bench"])
    made = do("run", {"benchmark": path, "agent": "oracle", "mode": "end-to-end"})
    assert made["verdicts"] == {"CORRECT": 1}
    found = family_scores(workspace, runs.find(workspace, made["id"]))
    assert found is not None
    assert found.board["leaderboard"]["E-Num"] == {"value": 1.0, "n": 1}


def test_records_of_qwen_become_problemsets_with_their_files(workspace: Workspace, do: Do) -> None:
    lines = "\n".join([json.dumps(QUERY), json.dumps(PROBLEM), "{no json"]).encode()
    made = do("import_family", {"family": "qwen", "file": file_of(workspace, "eval.jsonl", lines)})
    codes = [each["code"] for each in made["findings"]]
    assert (made["benchmark"], made["problemsets"], made["kept"]) == ("eval", 2, [])
    assert "missing-data" in codes
    assert made["findings"][0]["severity"] == "error"
    archive = packed({"data/eval.jsonl": lines, "data/up/a.csv": b"a\n1\n"})
    order = {"family": "qwen", "file": file_of(workspace, "eval.zip", archive), "name": "whole", "queue": True}
    made = do("import_family", order)
    assert "missing-data" not in [each["code"] for each in made["findings"]]
    assert [each["name"] for each in made["kept"]] == ["whole-q1", "whole-q2"]
    assert (workspace.root / "benchmarks" / "whole" / "_inputs" / "q1" / "a.csv").read_bytes() == b"a\n1\n"


def link(target: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo("pandas/1.ipynb")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, target)
    return buffer.getvalue()


def test_hostile_and_broken_files_leave_nothing(workspace: Workspace, do: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    for family, name, data, what in (
        ("cibench", "a.zip", b"no archive", "is no readable .zip"),
        ("cibench", "a.zip", packed({"../../out.ipynb": FIGURE}), "leads out of it"),
        ("cibench", "a.zip", packed({"/etc/out.ipynb": FIGURE}), "leads out of it"),
        ("cibench", "a.zip", link("/etc/passwd"), "holds a link"),
        ("cibench", "a.zip", packed({"readme.txt": b"x"}), "no notebook could be imported"),
        ("cibench", "a.ipynb", FIGURE, "is no .zip"),
        ("qwen", "a.jsonl", b"", "holds no record"),
        ("qwen", "a.zip", packed({"a.jsonl": b"{}", "b.jsonl": b"{}"}), "holds 2 files"),
        ("qwen", "a.zip", packed({"a.txt": b"{}"}), "holds no files"),
        ("other", "a.zip", packed({"1.ipynb": FIGURE}), "no family is called"),
    ):
        with pytest.raises(ToolkitError, match=what):
            do("import_family", {"family": family, "file": file_of(workspace, name, data)})
    order = {"family": "cibench", "file": file_of(workspace, "a.zip", packed({"1.ipynb": FIGURE}))}
    for name in ("..", "../x", "a/b", ".hidden", "a b", "x" * 61):
        with pytest.raises(UsageError, match="does not fit"):
            do("import_family", {**order, "name": name})
    monkeypatch.setattr("authoring.conversion.benchmarks.MAX_BYTES", 100)
    with pytest.raises(ContentError, match="unpacks to more"):
        do("import_family", order)
    assert imported_benchmarks(workspace) == {}
    assert not list(workspace.root.rglob("out.ipynb"))
    no_record = {"file": file_of(workspace, "a.jsonl", b'{"no": "record"}\n')}
    for more, what in (({}, "line 1"), ({"mode": "oracle"}, "for predictions")):
        with pytest.raises(UsageError, match=what):
            do("import_results", {**no_record, **more})
