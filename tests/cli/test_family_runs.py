"""Both other systems end to end on the command line, with their agents asking a real HTTP server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents.model_agents.react_cibench import TOOL
from tests.cli.conftest import Serve
from tests.families.notebooks import answer, ask, book, printed, value, write
from tests.scripted_model import Say, scripted_model

pytestmark = pytest.mark.kernel
Command = Callable[..., Any]
ACTS = f"Thought: t\nAction: {TOOL}\nAction Input: ```python\n{{}}\n```"
STEPS = book(
    ask("Set x to 42."),
    answer("x = 42"),
    ask("Print it."),
    answer("print(x)", printed("42\n")),
    ask("Say it."),
    answer("'it is 42'", value("'it is 42'")),
    modules=["pandas"] * 3,
    step_types=["exec", "num", "text"],
)
QWEN = "Thought: t\nAction: code_interpreter\nAction Input: ```python\n{}\n```\n"
RECORDS = [
    {"query": "What is 2 + 2?", "tags": "all_ci,math"},
    {"query": "Is it up?", "tags": "all_ci,general"},
    {"question": "9 eggs at $2?", "answer": "9 * 2 = 18\n#### 18"},
]


GEN = "\nAction: code_interpreter\nAction Input: 2 + 2\nObservation: 4\nFinal Answer: 4"


def lines(path: str, records: list[Any]) -> str:
    Path(path).write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    return path


def test_cibench_is_imported_run_by_its_agent_and_reported(benchwright: Command, tmp_path: Path, serve: Serve) -> None:
    write(tmp_path / "cibench_template" / "pandas" / "1.ipynb", STEPS)
    assert benchwright("import", "cibench", "cibench_template", "--out", "bench").code == 0
    said = [ACTS.format("1 / 0"), ACTS.format("x = 42"), ACTS.format("print(x)"), "Final Answer: it is 42"]
    model = serve([Say(text) for text in said])
    command = ("run", "bench", "--agent", "react-cibench:m", "--mode", "end-to-end", "--out", "run", "--json")
    run = benchwright(*command)
    assert run.code == 0, run.stderr
    assert run.json["verdicts"] == {"CORRECT": 2, "WRONG_OUTPUT": 1}
    again = benchwright(*command)
    assert (again.code, again.json["resumed"]) == (0, 3)
    assert len(model.requests) == 4
    asked = [request["messages"][-1]["content"] for request in model.requests]
    assert asked[0] == "Set x to 42.Please use pandas modules.\n"
    assert "ZeroDivisionError" in asked[1]
    board = benchwright("report", "run", "--json").json["family_board"]
    assert {metric: board["all"][metric]["value"] for metric in ("tool", "executable", "numeric", "text")} == {
        "tool": pytest.approx(2 / 3),
        "executable": pytest.approx(2 / 3),
        "numeric": 1.0,
        "text": 0.0,
    }
    assert board["leaderboard"]["E-Num"] == {"value": 1.0, "n": 1}
    model = serve([Say("following")])
    told = benchwright("report", "run", "--error-modes", "m", "--json").json["family_analyses"]
    assert "by m" in benchwright("report", "run", "--error-modes", "m").stdout
    assert told["error_modes_by_model"]["modes"]["following"] == {"value": 1.0, "n": 1}
    assert len(model.requests) == 1


def test_qwen_is_imported_run_by_its_agent_and_reported(benchwright: Command, serve: Serve) -> None:
    assert benchwright("import", "qwen", lines("records.jsonl", RECORDS), "--out", "bench").code == 0
    closing = "Thought: done\nFinal Answer: she earns $18.00"
    said = [QWEN.format("2 + 2"), "Thought: I cannot.\nFinal Answer: no", QWEN.format("9 * 2"), closing]
    model = serve([Say(text) for text in said])
    run = benchwright("run", "bench", "--agent", "react-qwen:m", "--mode", "qwen", "--out", "run", "--json")
    assert run.code == 0, run.stderr
    assert len(model.requests) == 4  # one round of math and of general, up to three of a word problem
    assert run.json["verdicts"] == {"CORRECT": 2, "UNKNOWN": 1}
    board = benchwright("report", "run", "--json").json["family_board"]
    assert (board["family"], board["mode"]) == ("qwen", "qwen")
    tags = board["tags"]
    assert tags["math"]["executable"] == {"value": 1.0, "n": 1}
    assert tags["general"]["missing"] == {"value": 1.0, "n": 1}
    assert tags["gsm8k"]["accuracy"] == {"value": 1.0, "n": 1}


def test_modes_of_the_other_family_are_refused_before_anything_happens(benchwright: Command, tmp_path: Path) -> None:
    assert benchwright("import", "qwen", lines("records.jsonl", RECORDS[2:]), "--out", "qwen").code == 0
    write(tmp_path / "set" / "1.ipynb", book(*STEPS["cells"][:2], step_types=["exec"]))
    assert benchwright("import", "cibench", "set", "--out", "cibench").code == 0
    assert benchwright("run", "qwen", "--agent", "oracle", "--mode", "qwen", "--out", "run").code == 0
    before = (tmp_path / "run" / "records.jsonl").read_bytes()
    for bench, mode, fit in (("qwen", "oracle-as-run", "use qwen;"), ("cibench", "qwen", "use end-to-end or oracle")):
        refused = benchwright("run", bench, "--agent", "empty", "--mode", mode, "--out", "run", "--fresh")
        assert (refused.code, f"'{mode}' is no mode of {bench}" in refused.stderr) == (2, True), refused.stderr
        assert fit in refused.stderr
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == before
    with scripted_model([]) as model:
        refused = benchwright("report", "run", "--error-modes", "m", "--html", "page.html")
    assert (refused.code, "are those of CIBench, and 'run' is a run of qwen" in refused.stderr) == (2, True)
    assert (model.requests, (tmp_path / "page.html").exists()) == ([], False)
    results = lines("results.jsonl", [{**RECORDS[2], "gen": "18"}])
    refused = benchwright("import", "results", results, "--benchmark", "qwen", "--out", "theirs", "--mode", "oracle")
    assert (refused.code, "'oracle' is a mode of CIBench" in refused.stderr) == (2, True)


def test_figures_of_qwen_wait_for_a_judge_and_are_judged_once_one_is_named(benchwright: Command, serve: Serve) -> None:
    records = [{"query": f"Draw {name}.", "tags": "all_ci,visualization"} for name in ("bars", "lines", "nothing")]
    assert benchwright("import", "qwen", lines("records.jsonl", records), "--out", "bench").code == 0
    codes = ["plt.bar([1], [2])", "plt.plot([1, 2])", "1"]
    answers = [{"problemset": f"q{n}", "index": 1, "attempt": 1, "code": code} for n, code in enumerate(codes, 1)]
    lines("answers.jsonl", answers)
    command = ("run", "bench", "--agent", "replay:answers.jsonl", "--mode", "qwen", "--out", "run", "--json")
    first = benchwright(*command)
    assert (first.code, first.json["verdicts"]) == (3, {"NOT_JUDGED": 2, "WRONG_OUTPUT": 1})
    hard = benchwright("report", "run", "--json").json["family_board"]["tags"]["visualization-hard"]
    assert hard["accuracy"] == {"value": None, "n": 3, "not_graded": 2}
    assert hard["executable"] == {"value": 1.0, "n": 3}
    model = serve(lambda request: Say("right" if "bars" in str(request["messages"]) else "wrong"))
    second = benchwright(*command, "--judge", "eyes")
    assert benchwright(*command, "--judge", "eyes").code == 0
    assert (second.code, second.json["verdicts"]) == (0, {"CORRECT": 1, "WRONG_OUTPUT": 2})
    assert len(model.requests) == 2
    hard = benchwright("report", "run", "--json").json["family_board"]["tags"]["visualization-hard"]
    assert hard["accuracy"] == {"value": 1 / 3, "n": 3}
    other = benchwright(*command, "--judge", "others")
    assert (other.code, "judge" in other.stdout + other.stderr) == (1, True)


def test_last_values_are_read_whatever_is_kept_of_outputs(benchwright: Command, tmp_path: Path) -> None:
    text = '# language_version: 3\n# %%\n"""\nquery: Thirty?\nvalidator: {template: basic, numeric: }\n"""\n30\n'
    (tmp_path / "one.py").write_text(text, encoding="utf-8")
    for kept in ("none", "printed", "shown"):
        run = benchwright("run", "one.py", "--agent", "oracle", "--outputs", kept, "--out", kept, "--json")
        assert (run.code, run.json["verdicts"]) == (0, {"CORRECT": 1}), run.stderr
    assert "not at hand" not in benchwright("report", "none").stdout


def test_records_and_results_of_qwen_are_imported_and_exported(benchwright: Command, tmp_path: Path) -> None:
    lines("records.jsonl", RECORDS)
    done = benchwright("import", "qwen", "records.jsonl", "--out", "bench", "--json")
    assert (done.code, done.json["problems"], done.json["tags"]) == (0, 3, {"math": 1, "general": 1, "gsm8k": 1})
    results = [{**RECORDS[0], "gen": GEN, "executable_code": True}, {**RECORDS[2], "completion": "It is 18."}]
    lines("results.jsonl", results)
    done = benchwright("import", "results", "results.jsonl", "--benchmark", "bench", "--out", "run", "--json")
    assert done.code == 0
    board = benchwright("report", "run", "--json").json["family_board"]
    assert board == done.json["family_board"]
    assert board["tags"]["math"]["executable"] == {"value": 1.0, "n": 1}
    assert board["tags"]["gsm8k"]["accuracy"] == {"value": 1.0, "n": 1}
    assert board["tags"]["general"]["executable"] == {"value": None, "n": 0}
    text = benchwright("report", "run").stdout
    assert "gsm8k" in text
    assert "nothing compares what it shows" in text
    done = benchwright("export", "qwen", "bench", "--out", "again.jsonl")
    assert (done.code, "3 records" in done.stdout) == (0, True)
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "records.jsonl").read_bytes()
    done = benchwright("export", "qwen", "bench", "--out", "again.jsonl")
    assert (done.code, "exists already" in done.stderr) == (2, True)


def test_bad_records_of_qwen_say_what_where_and_how_to_mend_it(benchwright: Command) -> None:
    lines("records.jsonl", [*RECORDS, {"query": "q", "tags": "poetry"}])
    done = benchwright("import", "qwen", "records.jsonl", "--out", "bench")
    assert done.code == 1
    assert "records.jsonl:4: error[unknown-tag]" in done.stderr
    assert "fix:" in done.stderr
    assert benchwright("import", "qwen", "absent.jsonl", "--out", "other").code == 2
    assert benchwright("import", "qwen", "records.jsonl", "--out", "bench").code == 2
    lost = benchwright("import", "qwen", "records.jsonl", "--out", "third", "--data", "nowhere")
    assert (lost.code, "nowhere" in lost.stderr) == (2, True)
