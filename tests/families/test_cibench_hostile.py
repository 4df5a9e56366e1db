"""CIBench files as a stranger, or an enemy, writes them: nothing is scored wrongly, lost, followed or hung on."""

import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.families.cibench.benchmark_folder import export_folder, import_folder
from evaluator.families.cibench.predictions import is_predictions, read_predictions
from evaluator.families.predicted_run import import_predictions
from evaluator.language import read_benchmark
from evaluator.reporting import read_run
from evaluator.scoring.execution_log import Execution, ExecutionLog, picture_links
from tests.families.notebooks import answer, ask, book, png, shown, value, write
from tests.families.test_cibench_notebooks import read
from tests.families.test_cibench_predictions import TYPED, predictions, ran, scored

pytestmark = pytest.mark.kernel

LONG = 100_000  # repetitions over which a search that goes back would take hours


def numbered(result: str) -> dict[str, Any]:
    return book(ask(f"Give {result}"), answer(result, value(result)), step_types=["num"])


def says(result: str) -> list[Any]:
    return [[ran(f"execute_result:\n\n```\n{result}\n```")]]


def test_a_refused_notebook_moves_no_prediction_to_another(tmp_path: Path) -> None:
    write(tmp_path / "nb" / "0.ipynb", book(ask("a"), ask("b")))
    for number in (1, 2):
        write(tmp_path / "nb" / f"{number}.ipynb", numbered(str(number)))
    made = import_folder(tmp_path / "nb", tmp_path / "bench")
    assert made.problemsets == 2
    file = predictions(tmp_path / "model.json", [[[]], says("1"), says("2")])
    run = import_predictions(file, tmp_path / "run", benchmark=tmp_path / "bench")
    assert run.board["all"]["numeric"] == {"value": 1.0, "n": 2}
    assert [each.code for each in run.diagnostics] == ["prediction-of-no-notebook"]


def test_predictions_of_other_notebooks_are_told_by_their_prompts(tmp_path: Path) -> None:
    write(tmp_path / "nb" / "0.ipynb", numbered("1"))
    import_folder(tmp_path / "nb", tmp_path / "bench")
    entry = {"gold": [], "prediction": [""], "steps": says("1")}
    for number, (prompt, codes) in enumerate([("Give 1Please use a modules.\n", []), ("Plot it", ["other-queries"])]):
        file = tmp_path / f"model{number}.json"
        file.write_text(json.dumps({"0": {**entry, "origin_prompt": [prompt]}}))
        run = import_predictions(file, tmp_path / f"run{number}", benchmark=tmp_path / "bench")
        assert [each.code for each in run.diagnostics] == codes


def test_a_broken_problemset_is_refused_and_not_left_out(tmp_path: Path) -> None:
    write(tmp_path / "nb" / "0.ipynb", numbered("1"))
    import_folder(tmp_path / "nb", tmp_path / "bench")
    path = tmp_path / "bench" / "nb-0.py"
    path.write_text(path.read_text() + "\0")
    file = predictions(tmp_path / "model.json", [says("1")])
    with pytest.raises(ContentError, match="has errors"):
        import_predictions(file, tmp_path / "run", benchmark=tmp_path / "bench")


def test_a_benchmark_of_another_family_is_refused(tmp_path: Path) -> None:
    file = predictions(tmp_path / "model.json", [says("1")])
    with pytest.raises(ContentError, match="not made of CIBench notebooks"):
        import_predictions(file, tmp_path / "run", benchmark=Path("problemsets/core").resolve())


def test_edited_code_is_not_graded_by_outputs_of_other_code(tmp_path: Path) -> None:
    write(tmp_path / "nb" / "0.ipynb", book(ask("a"), answer("x", value("42")), ask("b"), answer("y", value("1"))))
    import_folder(tmp_path / "nb", tmp_path / "bench")
    path = tmp_path / "bench" / "nb-0.py"
    path.write_text(path.read_text().replace("\n\nx\n", "\n\nx + 100\n"))
    about = read_benchmark(tmp_path / "bench")
    (exported,) = export_folder(about, tmp_path / "out")
    first, second = json.loads(exported.read_text())["cells"][1::2]
    assert (first["source"], first["outputs"], first["execution_count"]) == ("x + 100", [], None)
    assert second["outputs"] == [value("1")]
    again = import_folder(tmp_path / "out", tmp_path / "again")
    assert again.problems == 2
    assert read_benchmark(tmp_path / "again").problemsets[0].cells == about.problemsets[0].cells
    file = predictions(tmp_path / "model.json", [[*says("42"), *says("1")]])
    run = import_predictions(file, tmp_path / "run", benchmark=tmp_path / "bench")
    assert [each.code for each in run.diagnostics] == ["edited-since-recorded"]
    assert run.board["all"]["general"] == {"value": None, "n": 2, "not_graded": 1}
    assert [record.verdict for record in read_run(run.out).records] == ["NOT_JUDGED", "CORRECT"]


OURS = [
    {"setup": [5]}, {"setup": [{"before": "x", "source": "1"}]}, {"setup": [{"before": 1}]},
    {"setup": [{"before": -1, "source": "1"}]}, {"setup": [{"before": 9, "source": "1"}]},
    {"setup": [{"before": 1e999, "source": "1"}]},
]  # fmt: skip


def test_what_no_problemset_can_hold_refuses_its_notebook_alone(tmp_path: Path) -> None:
    damaged = [TYPED | {"metadata": {"benchwright": ours}} for ours in OURS]
    damaged += [book(ask("a"), answer(code)) for code in ("x = '\ud800'", "x = '\0'", "# %%\nx = 1")]
    damaged.append(book(ask("q"), answer(f"x = '{'a' * 5_100_000}'")))
    for number, content in enumerate([*damaged, TYPED]):
        write(tmp_path / "nb" / f"{number:02}.ipynb", content)
    made = import_folder(tmp_path / "nb", tmp_path / "bench")
    assert made.problemsets == 1
    assert {each.code for each in made.diagnostics} == {"not-writable"}
    assert {each.path.name for each in made.diagnostics} == {f"{number:02}.ipynb" for number in range(len(damaged))}
    assert "and a problemset at most 5,000,000" in made.diagnostics[-1].what


def test_a_malformed_notebook_is_told() -> None:
    for content in (
        book(ask("a"), answer("1") | {"outputs": 5}),
        book(ask("a"), answer("1") | {"metadata": "x"}),
        book(ask("a"), {"cell_type": "code", "metadata": {}}),
        book(ask("a"), "cell"),  # pyrefly: ignore[bad-argument-type]  # as a stranger writes it
        {"cells": [ask("a"), answer("1")], "metadata": [1]},
        {"cells": [ask("a"), answer("1")], "metadata": None},
    ):
        assert [each.code for each in read(content).diagnostics] == ["not-a-notebook"]


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    write(tmp_path / "secret.ipynb", TYPED)
    write(tmp_path / "nb" / "0.ipynb", TYPED)
    (tmp_path / "nb" / "1.ipynb").symlink_to(tmp_path / "secret.ipynb")
    os.mkfifo(tmp_path / "nb" / "2.ipynb")
    made = import_folder(tmp_path / "nb", tmp_path / "bench")
    assert (made.problemsets, [each.code for each in made.diagnostics]) == (1, ["not-a-file"] * 2)
    os.mkfifo(tmp_path / "model.json")
    assert not is_predictions(tmp_path / "model.json")
    with pytest.raises(UsageError, match="no plain file"):
        read_predictions(tmp_path / "model.json")


def test_a_folder_is_written_at_once_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        write(tmp_path / "nb" / f"{number}.ipynb", numbered(str(number)))

    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("evaluator.families.cibench.benchmark_folder.shutil.copyfile", full)
        with pytest.raises(ToolkitError, match="the disk is full"):
            import_folder(tmp_path / "nb", tmp_path / "bench")
    assert not (tmp_path / "bench").exists()
    import_folder(tmp_path / "nb", tmp_path / "bench")
    with pytest.raises(UsageError, match="holds something already"):
        import_folder(tmp_path / "nb", tmp_path / "bench")
    assert len(read_benchmark(tmp_path / "bench").sets) == 3


def test_a_folder_within_the_data_files_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "nb" / "0.ipynb", TYPED)
    with pytest.raises(UsageError, match="within the data files"):
        import_folder(tmp_path / "nb", tmp_path / "nb" / "out", data=tmp_path / "nb")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="no folder"):
        import_folder(tmp_path / "nb", tmp_path / "file")


def test_a_result_of_another_shape_is_told(tmp_path: Path) -> None:
    for result, code in (
        ({"text": "", "image_path": "pics/a.png"}, "picture-link-not-read"),
        ({"text": "", "image_path": ["a.png"]}, "bad-round"),
        ({"text": 5, "image_path": ""}, "bad-round"),
        ("done", "bad-round"),
    ):
        file = predictions(tmp_path / "model.json", [[[ran() | {"result": result}]]])
        assert [each.code for each in read_predictions(file).diagnostics] == [code]


def two_headers() -> bytes:
    """A picture whose second header announces far more than its first."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    small, huge = (
        struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0) for width, height in [(16, 16), (13000, 13000)]
    )
    data = zlib.compress(bytes(1000))
    return png()[:8] + chunk(b"IHDR", small) + chunk(b"IHDR", huge) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_a_hostile_picture_costs_no_one_elses_score(tmp_path: Path) -> None:
    (tmp_path / "predicted").mkdir()
    (tmp_path / "predicted" / "a.png").write_bytes(two_headers())
    (tmp_path / "predicted" / "b.png").write_bytes(png())
    figures = book(ask("a"), answer("p", shown(png())), ask("b"), answer("q", shown(png())), step_types=["vis", "vis"])
    run = scored(tmp_path, [figures], [[[ran("", "![fig-1](a.png)")], [ran("", "![fig-1](b.png)")]]])
    assert run.board["all"]["visual"]["n"] == 2
    assert run.board["all"]["visual"]["value"] == pytest.approx(0.5, abs=1e-3)


def test_hostile_texts_are_read_in_one_pass() -> None:
    def log(text: str) -> ExecutionLog:
        return ExecutionLog((Execution(True, text),))

    assert picture_links("![fig-1](" * LONG) == ()
    assert len(picture_links("![fig-1](" * LONG + ")")) == 1
    assert log("execute_result:\n\n```\nx" * LONG).value_text(sound=False) == "xexecute_result:\n"
    assert log("execute_result: ```\n" * LONG).value_text(sound=False) is None
    assert log("```\nx" * LONG).shown_text(sound=False) is None
    assert log("\n\nstdout:\n\n```\nx" * LONG).shown_text(sound=True) is None
