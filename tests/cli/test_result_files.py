"""A run as the file of results that its family's own program writes: reading it again gives the same board."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.records import AttemptKey
from evaluator.running import DetailsReader
from tests.cli.conftest import Serve
from tests.families.notebooks import answer, ask, book, png, printed, shown, value, write
from tests.scripted_model import Say

pytestmark = pytest.mark.kernel
Command = Callable[..., Any]
QWEN = "Thought: t\nAction: code_interpreter\nAction Input: ```python\n{}\n```\n"
RECORDS = [
    {"query": "What is 2 + 2?", "tags": "all_ci,math", "extra": [1]},
    {"query": "Is it up?", "tags": "all_ci,general"},
    {"query": "Draw the line.", "tags": "all_ci,visualization"},
    {"question": "9 eggs at $2?", "answer": "9 * 2 = 18\n#### 18"},
]


def board_of(benchwright: Command, run: str) -> dict[str, Any]:
    board = benchwright("report", run, "--json").json["family_board"]
    assert isinstance(board, dict)
    return board


PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 4])\nplt.show()"
STEPS = book(
    ask("Set x to 42."),
    answer("x = 42"),
    ask("Print it."),
    answer("print(x)", printed("42\n")),
    ask("Say it."),
    answer("f'it is {x}'", value("'it is 42'")),
    ask("Draw it."),
    answer(PLOT, shown(png(size=40))),
    modules=["pandas"] * 4,
    step_types=["exec", "num", "text", "vis"],
)


RUNS = [("end-to-end", "oracle"), ("oracle", "empty"), ("end-to-end", "cheat")]
FAST = {("end-to-end", "oracle", "published")}


@pytest.mark.parametrize(
    ("mode", "agent", "rules"),
    [
        pytest.param(*run, rules, marks=() if (*run, rules) in FAST else pytest.mark.deep)
        for run in RUNS
        for rules in ("published", "sound")
    ],
)
def test_predictions_of_a_run_come_to_the_same_board(
    benchwright: Command, tmp_path: Path, mode: str, agent: str, rules: str
) -> None:
    write(tmp_path / "cibench_template" / "pandas" / "1.ipynb", STEPS)
    assert benchwright("import", "cibench", "cibench_template", "--out", "bench").code == 0
    as_run = ("--mode", mode, "--rules", rules)
    assert benchwright("run", "bench", "--agent", agent, "--out", "run", *as_run).code == 0
    written = benchwright("export", "results", "run", "--benchmark", "bench", "--out", "written", "--json")
    assert (written.code, written.json["diagnostics"]) == (0, [])
    mine = board_of(benchwright, "run")
    told = benchwright("import", "results", "written", "--benchmark", "bench", "--out", "told", "--json")  # the folder
    assert (told.json["mode"], told.json["rules"], told.json["family_board"]) == (mode, rules, mine)
    manifest = json.loads(Path("told", "manifest.json").read_text(encoding="utf-8"))
    assert manifest["agent"] == agent
    kept = DetailsReader(Path("told", "details.jsonl")).find(AttemptKey("pandas-1", 4))
    shown = [name for output in kept.outputs for name in output.get("data", {})] if kept is not None else None
    assert shown == (["image/png"] if agent == "oracle" else []), shown
    again = benchwright("export", "results", "told", "--benchmark", "bench", "--out", "more")
    assert (again.code, "was imported" in again.stderr) == (2, True)
    assert mine["all"]["numeric"] == {"value": float(agent == "oracle"), "n": 1}
    assert mine["all"]["visual"]["n"] == 1


def test_rounds_and_thoughts_are_written(benchwright: Command, tmp_path: Path, serve: Serve) -> None:
    notebook = book(ask("Print 42."), answer("print(42)", printed("42\n")), step_types=["num"], modules=["pandas"])
    write(tmp_path / "cibench_template" / "pandas" / "1.ipynb", notebook)
    assert benchwright("import", "cibench", "cibench_template", "--out", "bench").code == 0
    acts = "Thought: try {0}\nAction: IPythonInterpreter\nAction Input: ```python\n{0}\n```"
    serve([Say(acts.format("1 / 0")), Say(acts.format("print(42)"))])
    assert benchwright("run", "bench", "--agent", "react-cibench:m", "--mode", "end-to-end", "--out", "run").code == 0
    assert benchwright("export", "results", "run", "--benchmark", "bench", "--out", "written").code == 0
    entry = json.loads((tmp_path / "written" / "predictions.json").read_text(encoding="utf-8"))["0"]
    assert entry["gold"] == ["42\n"]
    assert entry["origin_prompt"] == ["Print 42.Please use pandas modules.\n"]
    ((failed, worked),) = entry["steps"]
    assert (failed["thought"], failed["args"]["extract_code"], failed["result"]) == ("try 1 / 0", "1 / 0\n", None)
    assert "ZeroDivisionError" in failed["errmsg"]
    assert worked["result"] == {"text": "stdout:\n\n```\n42\n\n```", "image_path": ""}
    read = benchwright(
        *("import", "results", "written/predictions.json", "--benchmark", "bench", "--out", "again", "--json")
    )
    assert read.json["family_board"]["all"] == board_of(benchwright, "run")["all"]
    assert read.json["family_board"]["all"]["executable"]["value"] == 1.0


def test_result_lines_of_a_run_come_to_the_same_board(benchwright: Command, tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "records.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in RECORDS), encoding="utf-8")
    assert benchwright("import", "qwen", "records.jsonl", "--out", "bench").code == 0
    said = {
        "2 + 2": [QWEN.format("print(2 + 2)")],
        "Is it up?": [QWEN.format("1 / 0")],
        "Draw the line.": [QWEN.format("plt.plot([1, 2])\nplt.show()"), " done\nFinal Answer: drawn"],
        "9 eggs": [QWEN.format("print(9 * 2)"), " I know.\nFinal Answer: The answer is 18."],
    }

    def script(request: dict[str, Any]) -> Say:
        if "messages" in request:  # of the judge: agents write on at one text
            return Say("right")
        return Say(next(replies.pop(0) for asked, replies in said.items() if asked in request["prompt"]))

    serve(script)
    command = ("run", "bench", "--agent", "react-qwen:m", "--mode", "qwen", "--judge", "eye", "--out", "run")
    run = benchwright(*command, "--json")
    assert run.code == 0, run.stderr
    written = benchwright("export", "results", "run", "--benchmark", "bench", "--out", "written", "--json")
    assert written.code == 0, written.stderr
    lines = [json.loads(line) for line in (tmp_path / "written" / "results.jsonl").read_text("utf-8").splitlines()]
    assert lines[0]["extra"] == [1]
    assert lines[0]["executable_code"] is True
    assert lines[1]["executable_code"] is False
    assert "ZeroDivisionError" in lines[1]["code_error_info"]
    assert (lines[-1]["acc"], "The answer is 18." in lines[-1]["completion"]) == (True, True)
    read = benchwright(
        *("import", "results", "written/results.jsonl", "--benchmark", "bench", "--out", "again", "--json")
    )
    mine = board_of(benchwright, "run")["tags"]
    assert read.json["family_board"]["tags"] == mine
    assert mine["visualization-hard"]["accuracy"] == mine["gsm8k"]["accuracy"] == {"value": 1.0, "n": 1}


def test_what_cannot_be_written_is_told(benchwright: Command, tmp_path: Path) -> None:
    for name in ("42", "7"):
        steps = (ask(f"Print {name}."), answer(f"print({name})", printed(f"{name}\n")))
        write(tmp_path / name / "pandas" / "same.ipynb", book(*steps, step_types=["num"], modules=["pandas"]))
        assert benchwright("import", "cibench", name, "--out", f"bench-{name}").code == 0
    Path("plain.py").write_text('# %%\n"""\nquery: Two?\n"""\n2\n', encoding="utf-8")
    mode = ("--mode", "end-to-end")
    for bench, out, options in (
        ("plain.py", "plain", ()),
        ("bench-42", "bare", (*mode, "--outputs", "none")),
        ("bench-42", "run", mode),
    ):
        assert benchwright("run", bench, "--out", out, "--agent", "oracle", *options).code == 0
    shutil.copytree("run", "lost")
    record = json.loads(Path("lost", "records.jsonl").read_text(encoding="utf-8"))
    record["family"]["scores"] = dict.fromkeys(record["family"]["scores"])
    Path("lost", "records.jsonl").write_text(json.dumps(record | {"verdict": "NOT_JUDGED"}) + "\n", encoding="utf-8")
    for run, bench, code, said in (
        ("plain", "plain.py", 2, "--mode"),
        ("bare", "bench-42", 1, "--outputs"),
        ("lost", "bench-42", 1, "was not judged"),
        ("run", "bench-7", 2, "the run is of another benchmark than"),  # with a set of the same name
    ):
        refused = benchwright("export", "results", run, "--benchmark", bench, "--out", "written")
        assert (refused.code, said in refused.stderr) == (code, True), refused.stderr
        assert not Path("written").exists()
    assert benchwright("export", "results", "run", "--benchmark", "bench-42", "--out", "written").code == 0
