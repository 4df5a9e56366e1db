"""The commands of CIBench: notebooks in and out, predictions as a run with a board, stored outputs checked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.language import read_benchmark
from tests.families.notebooks import answer, ask, book, png, printed, shown, write
from tests.families.test_cibench_predictions import RIGHT, TYPED, failed, predictions

pytestmark = pytest.mark.kernel

Command = Callable[..., Any]


def test_the_commands_do_it_all(benchwright: Command, tmp_path: Path) -> None:
    for number in (1, 2):
        write(tmp_path / "cibench_template" / "pandas" / f"{number}.ipynb", TYPED)
    done = benchwright("import", "cibench", "cibench_template", "--out", "bench", "--json")
    assert (done.code, done.json["problemsets"], done.json["problems"]) == (0, 2, 4)
    predictions(tmp_path / "model.json", [[[RIGHT], []], [[failed()], []]])
    done = benchwright("import", "results", "model.json", "--benchmark", "bench", "--out", "run", "--json")
    assert done.code == 0
    reported = benchwright("report", "run", "--json")
    assert reported.json["family_board"] == done.json["family_board"]
    assert reported.json["family_board"]["all"]["numeric"] == {"value": 0.5, "n": 2}
    assert reported.json["total"]["judged"] == 4
    shown_text = benchwright("report", "run").stdout
    assert "set template" in shown_text
    assert "50.0% (2)" in shown_text
    told = "Published rows are of the published sets under published rules; this run: published rules."
    assert told in benchwright("report", "run", "--published").stdout
    weighed = benchwright("report", "run", "--weights", "published", "--json").json["family_board"]
    assert (weighed["weights"], weighed["sets"]["template"]["numeric"]["value"]) == ("published", None)  # modules lack
    again = benchwright("import", "results", "model.json", "--benchmark", "bench", "--out", "run")
    assert (again.code, "holds a run already" in again.stderr) == (1, True)
    (tmp_path / "other.json").write_text('{"99": {"steps": [[]]}}', encoding="utf-8")
    nothing = benchwright("import", "results", "other.json", "--benchmark", "bench", "--out", "other")
    assert (nothing.code, "predicts nothing of the benchmark" in nothing.stderr) == (1, True)
    assert not (tmp_path / "other").exists()
    lost = benchwright("import", "results", "model.json", "--out", "other")
    assert (lost.code, "--benchmark" in lost.stderr) == (2, True)
    wrong = benchwright("import", "results", "model.json", "--benchmark", "bench", "--out", "o", "--mode", "both")
    assert (wrong.code, "end-to-end" in wrong.stderr) == (2, True)
    done = benchwright("export", "cibench", "bench", "--out", "notebooks")
    assert (done.code, "2 notebooks" in done.stdout) == (0, True)
    assert json.loads((tmp_path / "notebooks" / "pandas" / "1.ipynb").read_text()) == TYPED


def test_a_refused_notebook_is_named_and_the_others_are_imported(benchwright: Command, tmp_path: Path) -> None:
    write(tmp_path / "set" / "1.ipynb", TYPED)
    write(tmp_path / "set" / "2.ipynb", book(ask("a"), ask("b")))
    done = benchwright("import", "cibench", "set", "--out", "bench", "--json")
    assert (done.code, done.json["problemsets"]) == (1, 1)
    assert "2.ipynb:2: error[unpaired-cells]" in done.stderr
    done = benchwright("import", "cibench", "set", "--out", "bench")
    assert (done.code, "another folder" in done.stderr) == (2, True)
    done = benchwright("import", "cibench", "nowhere", "--out", "other")
    assert done.code == 2


def shown_texts(cell: dict[str, Any]) -> list[Any]:
    return [each.get("text") or sorted(each["data"]) for each in cell["outputs"]]


def test_an_executed_export_can_be_imported_and_judged(benchwright: Command, tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    (folder / "_inputs").mkdir(parents=True)
    (folder / "_inputs" / "sales.csv").write_text("amount\n3\n4\n")
    (folder / "_manifest.yaml").write_text("name: sales\nversion: '1'\nproblemsets: [one]\n")
    (folder / "one.py").write_text(
        "# %%\nimport matplotlib.pyplot as plt\nimport pandas as pd\n\n"
        '# %%\n"""\nquery: Read the sales from `inputs/sales.csv` and print how many there are.\n'
        'validator: {template: basic, numeric: null}\n"""\n'
        "df = pd.read_csv('inputs/sales.csv')\nprint(len(df))\n\n"
        '# %%\n"""\nquery: What is the sum?\nvalidator: {template: basic, numeric: null}\n"""\ndf["amount"].sum()\n\n'
        '# %%\n"""\nquery: Draw them.\nvalidator: {template: basic, visual: null}\n"""\n'
        "plt.plot(df['amount']);\n"
    )
    bare = benchwright("export", "cibench", folder, "--out", "bare", "--no-data", "--json")
    assert (bare.code, len(bare.json["notebooks"]), (tmp_path / "bare" / "data").exists()) == (0, 1, False)
    done = benchwright("export", "cibench", folder, "--out", "books", "--execute", "--json")
    assert done.code == 0, done.stderr
    stored = json.loads(Path(done.json["notebooks"][0]).read_text())["cells"][1::2]
    assert [shown_texts(cell) for cell in stored] == [["2\n"], [["text/plain"]], [["image/png", "text/plain"]]]
    assert [cell["execution_count"] for cell in stored] == [1, 2, 3]
    assert stored[1]["outputs"][0]["execution_count"] == 2
    imported = benchwright("import", "cibench", "books", "--out", "again", "--json")
    assert (imported.code, imported.json["diagnostics"]) == (0, [])
    assert (tmp_path / "again" / "_inputs" / "sales.csv").read_text() == "amount\n3\n4\n"
    cells = [read_benchmark(path).sets[0].problemset.cells for path in (folder, tmp_path / "again")]  # pyrefly: ignore[missing-attribute]
    assert cells[0] == cells[1]
    for agent, correct in (("oracle", 3), ("empty", 0)):
        ran = benchwright("run", "again", "--agent", agent, "--mode", "end-to-end", "--out", agent, "--json")
        assert ran.json["verdicts"].get("CORRECT", 0) == correct


def test_an_executed_export_names_the_cell_that_fails_and_writes_nothing(benchwright: Command, tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: one\nversion: '1'\nproblemsets: [one]\n")
    (folder / "one.py").write_text('# %%\nx = 1\n\n# %%\n"""\nquery: Add one to x.\n"""\ny = x + nothing\n')
    done = benchwright("export", "cibench", folder, "--out", "books", "--execute")
    assert done.code == 1
    assert "problem 1: the code raises NameError: name 'nothing' is not defined" in done.stderr
    assert "one.py:8\n" in done.stderr
    assert not (tmp_path / "books").exists()


def test_data_files_that_would_be_one_are_refused(benchwright: Command, tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    for name, text in (("one", "1"), ("two", "2")):
        (folder / "_inputs" / name).mkdir(parents=True)
        (folder / "_inputs" / name / "a.csv").write_text(text)
        (folder / f"{name}.py").write_text('# %%\nx = 1\n\n# %%\n"""\nquery: Add one to x.\n"""\nx + 1\n')
    (folder / "_manifest.yaml").write_text("name: one\nversion: '1'\nproblemsets: [one, two]\n")
    done = benchwright("export", "cibench", folder, "--out", "books")
    assert (done.code, "both would be one" in done.stderr, "--no-data" in done.stderr) == (2, True, True)
    assert benchwright("export", "cibench", folder, "--out", "books", "--no-data").code == 0


def test_a_check_tells_where_stored_outputs_differ_from_todays(benchwright: Command, tmp_path: Path) -> None:
    stale = book(
        ask("Print 42."),
        answer("print(42)", printed("42\n")),
        ask("Print 7."),
        answer("print(7)", printed("8\n")),
        ask("Draw it."),
        answer("import matplotlib.pyplot as plt\nplt.plot([1, 3]);\nplt.show()", shown(png())),
        step_types=["num", "num", "vis"],
    )
    write(tmp_path / "cibench_template" / "pandas" / "1.ipynb", stale)
    assert benchwright("import", "cibench", "cibench_template", "--out", "bench").code == 0
    checked = benchwright("check", "bench", "--run", "--no-cheat", "--json")
    differing = [each for each in checked.json["diagnostics"] if each["code"] == "recorded-differs"]
    assert [each["what"].split(" shows")[0] for each in differing] == ["problem 2", "problem 3"]
    assert {each["severity"] for each in differing} == {"warning"}
    manifest = tmp_path / "bench" / "_manifest.yaml"
    manifest.write_text(manifest.read_text("utf-8") + "expected: executed\n", "utf-8")
    again = benchwright("check", "bench", "--run", "--no-cheat", "--json")
    assert "recorded-differs" not in {each["code"] for each in again.json["diagnostics"]}
