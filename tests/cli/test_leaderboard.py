"""Several runs on one board: both modes of an agent in one row, published rows labelled, correlations, CSV."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from tests.families.notebooks import answer, ask, book, png, printed, shown, value, write
from tests.families.test_cibench_predictions import predictions, ran
from tests.lent_engines import Lend, share

Command = Callable[..., Any]
STEPS = book(
    ask("Print it."),
    answer("print(42)", printed("42\n")),
    ask("Say it."),
    answer("'a b'", value("'a b'")),
    ask("Draw it."),
    answer("draw()", shown(png())),
    modules=["pandas"] * 3,
    step_types=["num", "text", "vis"],
)
OUTPUTS = ("E-Num", "E-Text", "E-Vis", "O-Num", "O-Text", "O-Vis")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, lender: Lend) -> Path:
    """Runs of one agent in both modes: right end to end, but for its picture; numbers alone with the oracle."""
    folder = tmp_path_factory.mktemp("boards")
    write(folder / "cibench_template" / "pandas" / "1.ipynb", STEPS)
    number, text = ran("stdout:\n\n```\n42\n\n```"), ran("execute_result:\n\n```\n'a b'\n```")
    with pytest.MonkeyPatch.context() as patched:
        share(lender, patched)
        patched.chdir(folder)
        assert run_command_line(["import", "cibench", "cibench_template", "--out", "bench"]) == 0
        for mode, steps in {"end-to-end": [[number], [text], []], "oracle": [[number], [], []]}.items():
            file = predictions(folder / mode / "ours.json", [steps])
            words = ["import", "results", str(file), "--benchmark", "bench", "--out", f"run-{mode}", "--mode", mode]
            assert run_command_line(words) == 0
    return folder


@pytest.fixture
def runs(made: Path, benchwright: Command, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)


def board_of(benchwright: Command, *arguments: str) -> dict[str, Any]:
    done = benchwright("leaderboard", *arguments, "--json")
    assert done.code == 0, done.stderr
    assert isinstance(done.json, dict)
    return done.json


@pytest.mark.usefixtures("runs")
def test_both_modes_of_an_agent_are_one_row(benchwright: Command) -> None:
    board = board_of(benchwright, "run-end-to-end", "run-oracle", "--published", "--csv", "board.csv")
    assert (board["family"], board["rules"], len(board["rows"])) == ("cibench", "published", 25)
    ours = board["rows"][0]
    assert (ours["model"], ours["published"]) == ("ours", False)
    assert [ours["scores"][name] for name in OUTPUTS] == [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    assert ours["scores"]["Avg"] == pytest.approx(0.5)
    assert sum(row["published"] for row in board["rows"]) == 24
    assert set(board["by_size"]) == {"below 10B", "10B to 30B", "above 30B", "unknown"}
    with Path("board.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    published = next(row for row in rows if row["Model"] == "gpt-4o")
    assert (published["Avg"], published["O-Exe"], published["opensourced"]) == ("74.5", "94.8", "FALSE")
    assert rows[0]["Avg"] == "50.0"


@pytest.mark.kernel
@pytest.mark.usefixtures("lent_engines")
def test_paradigms_need_no_folder_to_be_named(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('# %%\n"""\nquery: Add one and one.\n"""\n1 + 1\n', encoding="utf-8")
    done = benchwright("paradigms", "one.py", "--agent", "oracle", "--json")
    assert done.code == 0, done.stderr
    assert {row["rates"]["correct"] for row in done.json["paradigms"]} == {1.0}
    assert len(list((tmp_path / "runs" / "paradigms-one-oracle").iterdir())) == 6
    again = benchwright("paradigms", "one.py", "--agent", "oracle", "--html", "page.html")
    assert (again.code, (tmp_path / "page.html").exists()) == (0, True)
    assert benchwright("paradigms", "nothere", "--agent", "oracle").code == 2


@pytest.mark.usefixtures("runs")
def test_a_single_mode_has_no_mean(benchwright: Command) -> None:
    (row,) = board_of(benchwright, "run-end-to-end")["rows"]
    assert (row["scores"]["E-Num"], row["scores"]["O-Num"], row["scores"]["Avg"]) == (1.0, None, None)


@pytest.mark.usefixtures("runs")
def test_boards_are_correlated_over_common_models(benchwright: Command, tmp_path: Path) -> None:
    lines = [
        "",
        "Model,exam,note",
        "Yi-34B-Chat,nan,w",
        "",
        "gpt-4o,9.1,x",
        "Llama-2-7B-Chat,2.0,y",
        "Qwen-72B-Chat,7.5,z",
        "stranger,1,w",
    ]
    (tmp_path / "other.csv").write_text("\n".join(lines), encoding="utf-8")
    board = board_of(benchwright, "run-end-to-end", "--published", "--against", "other.csv")
    assert set(board["correlations"]["Avg"]) == {"exam"}
    assert board["correlations"]["Avg"]["exam"] == {"value": pytest.approx(0.9986, abs=1e-3), "n": 3}
    assert "exam" in benchwright("leaderboard", "run-end-to-end", "--published", "--against", "other.csv").stdout


@pytest.mark.usefixtures("runs")
def test_what_has_no_common_board_is_refused(benchwright: Command, tmp_path: Path) -> None:
    twice = benchwright("leaderboard", "run-end-to-end", "run-end-to-end")
    assert (twice.code, "leave out one of the two" in twice.stderr) == (2, True)
    sound = ("--rules", "sound", "--benchmark", "bench")
    assert benchwright("import", "results", "oracle/ours.json", "--out", "sound", *sound).code == 0
    mixed = benchwright("leaderboard", "run-end-to-end", "sound")
    assert (mixed.code, "same rules" in mixed.stderr) == (2, True)
    benchwright("import", "results", "oracle/ours.json", "--out", "torn", "--benchmark", "bench", "--mode", "oracle")
    manifest = tmp_path / "torn" / "manifest.json"
    told = json.loads(manifest.read_text(encoding="utf-8")) | {"refused": [{"problemset": "unreadable"}]}
    manifest.write_text(json.dumps(told), encoding="utf-8")
    fewer = benchwright("leaderboard", "torn")
    assert (fewer.code, "the run refused unreadable" in fewer.stderr) == (2, True)
    for name, said in (("scoring_version", "same scoring version"), ("index", "have no result")):
        benchwright("import", "results", "oracle/ours.json", "--out", name, "--benchmark", "bench", "--mode", "oracle")
        path = tmp_path / name / "records.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        changed = [{**line, "scoring_version": "1"} for line in lines] if name == "scoring_version" else lines[1:]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in changed), encoding="utf-8")
        unfit = benchwright("leaderboard", "run-end-to-end", name)
        assert (unfit.code, said in unfit.stderr) == (2, True), unfit.stderr
    (tmp_path / "other.csv").write_text("name\na", encoding="utf-8")
    broken = benchwright("leaderboard", "run-end-to-end", "--against", "other.csv")
    assert (broken.code, "no board" in broken.stderr) == (1, True)
    (tmp_path / "records.jsonl").write_text(
        json.dumps({"problemset": "a", "index": 1, "verdict": "CORRECT", "question": "q"}) + "\n", encoding="utf-8"
    )
    plain = benchwright("leaderboard", "records.jsonl")
    assert (plain.code, "--mode" in plain.stderr) == (2, True)
