"""The boards of CIBench and the Qwen benchmark on the Runs page, and error modes that people confirm."""

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.store.reviewing.error_modes import confirmed_error_modes
from authoring.store.runs import find as find_run
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.runs.boards.family_scores import family_scores
from evaluator.families.cibench.board import column_of, rows_together
from evaluator.records import Record
from tests.ui.acts import Open, errors, press, said


def step(index: int, verdict: str, tag: str, score: float, **more: Any) -> Record:
    metric = {"num": "numeric", "vis": "visual", "text": "text"}[tag]
    scores = {"tool": 1.0, "executable": float(verdict != "CRASH"), metric: score}
    family = {
        **{"family": "cibench", "set": "mini", "module": "pandas", "tag": tag, "language": "en", "scores": scores},
        **{"chain": index, "by_rounds": [{**scores, metric: 0.0}, scores]},
    }
    known: dict[str, Any] = {"question": f"Step <b>{index}</b>?", "code": "x", "family": family, **more}
    return Record("mini", "1", "penguins", index, 1, verdict, "UNCATEGORIZED", "", **known)


STEPS = (step(1, "CORRECT", "num", 1.0), step(2, "WRONG_OUTPUT", "vis", 0.5), step(3, "CRASH", "text", 0.0))


def make_run(
    ws: Workspace, folder: Path, *records: Record, mode: str = "end-to-end", rules: str = "sound", version: str = "3"
) -> int:
    folder.mkdir()
    told = {"mode": mode, "rules": rules, "scoring_version": version}
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    run = insert_run(ws, release="mini 1", agent="alpha <i>", out_dir=str(folder), summary={})
    index_attempts(ws, run, [each.to_json() for each in records])
    return run


def rows(app: AppTest) -> list[dict[str, str]]:
    every = [row for table in app.table for row in table.value.to_dict("records")]
    return [{column.replace("\\", ""): value for column, value in row.items()} for row in every]


def named(app: AppTest, column: str, name: str) -> dict[str, str]:
    (row,) = [each for each in rows(app) if each.get(column) == name]
    return row


def own_row(app: AppTest) -> dict[str, str]:
    return next(row for row in rows(app) if row.get("Source") == "this workspace")


def test_a_run_of_cibench_stands_beside_published_rows(ws: Workspace, open_tab: Open, tmp_path: Path) -> None:
    run = make_run(ws, tmp_path / "run", *STEPS)
    app = open_tab("runs", "Board", run=run)
    values = {"E-Tool": "100.0 (3)", "E-Exe": "66.7 (3)", "E-Num": "100.0 (1)", "E-Text": "0.0 (1)"}
    assert named(app, "Where", "all") == {"Where": "all", **values, "E-Vis": "50.0 (1)"}
    assert {"set mini", "module pandas"} <= {row.get("Where") for row in rows(app)}
    assert named(app, "Category", "data manipulation")["Score"] == "50.0 (3)"
    own, published = own_row(app), named(app, "Model", r"gpt\-4o")
    assert (own["Model"], own["E-Vis"], own["O-Vis"], own["Avg"]) == (r"alpha \<i\>", "50.0", "–", "–")
    assert (published["Source"], published["Avg"]) == ("published", "74.5")
    assert "mode end-to-end · rules sound" in said(app)
    assert named(app, "Difficulty", "medium")["visual"] == "50.0 (1)"
    assert named(app, "Rounds", "1")["numeric"] == "0.0 (1)"
    modes = named(app, "Error mode", "reasoning")
    assert (modes["Proposed by rules"], modes["Confirmed by people"]) == ("1 (50.0 %)", "–")


def test_a_run_of_the_other_mode_makes_the_row_whole(ws: Workspace, open_tab: Open, tmp_path: Path) -> None:
    first = make_run(ws, tmp_path / "first", *STEPS)
    second = make_run(ws, tmp_path / "second", *STEPS, mode="oracle")
    rules = make_run(ws, tmp_path / "third", *STEPS, mode="oracle", rules="published")
    version = make_run(ws, tmp_path / "fourth", *STEPS, mode="oracle", version="2")
    app = open_tab("runs", "Board", run=first)
    why = {rules: "judged by other rules", version: "another scoring version (2, this one: 3)", second: ""}
    for run, told in why.items():
        app.selectbox(key=f"board:{first}:other").set_value(run).run()
        assert told in said(app)
        assert own_row(app)["Avg"] == ("–" if told else "50.0")
    assert own_row(app)["Model"].endswith(f"runs {first} and {second}")
    row = {"E-Num": {"value": 0.5, "n": 2}}
    assert rows_together(row, row) is None, "two rows of one mode are not put together"
    assert column_of("visual", "oracle-as-run") == "O-Vis"
    assert (column_of("visual", ""), column_of("accuracy", "qwen")) == ("Vis", "accuracy")


def test_people_confirm_and_change_what_rules_propose(ws: Workspace, open_tab: Open, tmp_path: Path) -> None:
    run = make_run(ws, tmp_path / "run", *STEPS)
    app = open_tab("runs", "Board", run=run)
    app.session_state[f"modes:{run}"] = True
    press(app.run(), "mode:2:confirm")
    app.selectbox(key="mode:3").set_value("hallucination").run()
    confirmed = {key.index: each.mode for key, each in confirmed_error_modes(ws, run).items()}
    assert confirmed == {2: "reasoning", 3: "hallucination"}
    assert {row["Error mode"]: row["Confirmed by people"] for row in rows(app) if "Error mode" in row} == {
        **{"following": "0 (0.0 %)", "hallucination": "1 (50.0 %)", "reasoning": "1 (50.0 %)", "code": "0 (0.0 %)"}
    }
    assert named(app, "Error mode", "code")["Proposed by rules"] == "1 (50.0 %)"
    assert any("Step \\<b\\>2" in each.value for each in (*app.markdown, *app.text, *app.caption))
    app.selectbox(key="mode:3").set_value("not confirmed").run()
    assert [key.index for key in confirmed_error_modes(ws, run)] == [2]
    app.selectbox(key="mode:3").set_value("code").run()
    index_attempts(ws, run, [each.to_json() for each in STEPS])
    app.selectbox(key="mode:3").set_value("not confirmed").run()
    assert "the attempt was judged anew meanwhile" in errors(app)


def test_qwen_has_tags_and_another_kind_of_run_no_board(ws: Workspace, open_tab: Open, tmp_path: Path) -> None:
    executed = {"executable": 1.0, "missing": 0.0, "failing": 0.0}
    given = {"general": executed, "visualization-hard": {**executed, "accuracy": None}, "gsm8k": {"accuracy": 1.0}}
    items = [
        Record(
            "q", "1", f"q{number}", 1, 1, "CORRECT", "", "", "Why?", code="x",
            family={"family": "qwen", "tags": [tag], "scores": scores},
        )
        for number, (tag, scores) in enumerate(given.items())
    ]  # fmt: skip
    app = open_tab("runs", "Board", run=make_run(ws, tmp_path / "run", *items, mode="qwen"))
    assert named(app, "Where", "general")["executable"] == "100.0 (1)"
    assert named(app, "Where", "visualization\\-hard")["accuracy"] == "withheld: 1 of 1 not graded"
    own = own_row(app)
    assert (own["math"], own["general"], own["visualization-hard"]) == ("100.0", "100.0", "–")
    assert "Error modes" not in said(app)
    plain = make_run(ws, tmp_path / "plain", Record("b", "1", "s", 1, 1, "CORRECT", "", "", "q", code="1"), mode="")
    assert [tab.label for tab in open_tab("runs", "Board", run=plain).tabs] == ["Problems", "Charts", "Problemsets"]
    assert family_scores(ws, find_run(ws, plain)) is None
