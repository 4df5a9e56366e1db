import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.kernel
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
