"""The boards of CIBench and the Qwen benchmark on the Runs page, and error modes that people confirm."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store.reviewing.error_modes import ERROR_MODES, confirm_error_mode, confirmed_error_modes
from authoring.store.run_results import find_attempt
from authoring.store.runs import find as find_run
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.runs.boards.family_scores import family_scores
from evaluator.errors import UsageError
from evaluator.families.cibench.analyses import ErrorMode
from evaluator.families.cibench.board import column_of, rows_together
from evaluator.records import AttemptKey, Record

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def step(index: int, verdict: str, tag: str, score: float, **more: Any) -> Record:
    metric = {"num": "numeric", "vis": "visual", "text": "text"}[tag]
    scores = {"tool": 1.0, "executable": float(verdict != "CRASH"), metric: score}
    family = {
        **{"family": "cibench", "set": "mini", "module": "pandas", "tag": tag, "language": "en", "scores": scores},
        **{"chain": index, "by_rounds": [{**scores, metric: 0.0}, scores]},
    }
    known: dict[str, Any] = {"question": f"Step <b>{index}</b>?", "code": "x", "family": family, **more}
    return Record("mini", "1", "penguins", index, 1, verdict, "UNCATEGORIZED", "", **known)


STEPS = (
    step(1, "CORRECT", "num", 1.0),
    step(2, "WRONG_OUTPUT", "vis", 0.5),
    step(3, "CRASH", "text", 0.0),
)


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


def test_a_run_of_cibench_has_a_board_beside_published_rows_and_what_is_read_out_of_it(
    workspace: Workspace, open_tab: Open, tmp_path: Path, said: Said
) -> None:
    run = make_run(workspace, tmp_path / "run", *STEPS)
    app = open_tab("runs", "Board", run=run)
    assert named(app, "Where", "all") == {
        "Where": "all",
        "E-Tool": "100.0 (3)",
        "E-Exe": "66.7 (3)",
        "E-Num": "100.0 (1)",
        "E-Text": "0.0 (1)",
        "E-Vis": "50.0 (1)",
    }
    assert {"set mini", "module pandas"} <= {row.get("Where") for row in rows(app)}
    assert named(app, "Category", "data manipulation")["Score"] == "50.0 (3)"
    own = next(row for row in rows(app) if row.get("Source") == "this workspace")
    assert (own["Model"], own["E-Vis"], own["O-Vis"], own["Avg"]) == (r"alpha \<i\>", "50.0", "–", "–")
    published = named(app, "Model", r"gpt\-4o")
    assert (published["Source"], published["Avg"]) == ("published", "74.5")
    assert "mode end\\-to\\-end · rules sound" in said(app)
    assert named(app, "Difficulty", "medium")["visual"] == "50.0 (1)"
    assert named(app, "Rounds", "1")["numeric"] == "0.0 (1)"
    assert named(app, "Error mode", "reasoning") == {
        "Error mode": "reasoning",
        "Proposed by rules": "1 (50.0 %)",
        "Confirmed by people": "–",
    }


def test_modules_may_count_in_their_set_as_published(workspace: Workspace, open_tab: Open, tmp_path: Path) -> None:
    told = {**STEPS[0].family, "set": "template"}
    run = make_run(workspace, tmp_path / "run", replace(STEPS[0], family=told))
    app = open_tab("runs", "Board", run=run)
    assert named(app, "Where", "set template")["E-Num"] == "100.0 (1)"
    app.segmented_control(key=f"board:{run}:weights").set_value("published").run()
    assert named(app, "Where", "set template")["E-Num"] == "–"  # other modules of the published set are missing
    assert named(app, "Where", "all")["E-Num"] == "100.0 (1)"


def test_a_run_of_the_other_mode_makes_the_row_whole_and_other_rules_do_not(
    workspace: Workspace, open_tab: Open, tmp_path: Path, said: Said
) -> None:
    first = make_run(workspace, tmp_path / "first", *STEPS)
    second = make_run(workspace, tmp_path / "second", *STEPS, mode="oracle")
    third = make_run(workspace, tmp_path / "third", *STEPS, mode="oracle", rules="published")
    app = open_tab("runs", "Board", run=first)
    app.selectbox(key=f"board:{first}:other").set_value(second).run()
    own = next(row for row in rows(app) if row.get("Source") == "this workspace")
    assert (own["O-Vis"], own["Avg"]) == ("50.0", "50.0")
    assert own["Model"].endswith(f"runs {first} and {second}")
    app.selectbox(key=f"board:{first}:other").set_value(third).run()
    assert "judged by other rules" in said(app)
    assert next(row for row in rows(app) if row.get("Source") == "this workspace")["Avg"] == "–"


def test_a_run_of_the_other_mode_under_another_scoring_version_shares_no_row(
    workspace: Workspace, open_tab: Open, tmp_path: Path, said: Said
) -> None:
    first = make_run(workspace, tmp_path / "first", *STEPS)
    second = make_run(workspace, tmp_path / "second", *STEPS, mode="oracle", version="2")
    app = open_tab("runs", "Board", run=first)
    app.selectbox(key=f"board:{first}:other").set_value(second).run()
    assert "another scoring version (2, this one: 3)" in said(app)
    assert next(row for row in rows(app) if row.get("Source") == "this workspace")["Avg"] == "–"


def test_people_confirm_and_change_what_rules_propose(
    workspace: Workspace, open_tab: Open, tmp_path: Path, said: Said
) -> None:
    run = make_run(workspace, tmp_path / "run", *STEPS)
    app = open_tab("runs", "Board", run=run)
    app.session_state[f"modes:{run}"] = True
    app.run()
    app.button(key="mode:2:confirm").click().run()
    app.selectbox(key="mode:3").set_value("hallucination").run()
    assert not app.exception
    assert {key.index: each.mode for key, each in confirmed_error_modes(workspace, run).items()} == {
        2: "reasoning",
        3: "hallucination",
    }
    assert {row["Error mode"]: row["Confirmed by people"] for row in rows(app) if "Error mode" in row} == {
        "following": "0 (0.0 %)",
        "hallucination": "1 (50.0 %)",
        "reasoning": "1 (50.0 %)",
        "code": "0 (0.0 %)",
    }
    assert named(app, "Error mode", "code")["Proposed by rules"] == "1 (50.0 %)"
    assert "Step \\<b\\>2" in said(app)
    app.selectbox(key="mode:3").set_value("not confirmed").run()
    assert [key.index for key in confirmed_error_modes(workspace, run)] == [2]


def test_what_is_said_of_a_failure_that_was_judged_anew_meanwhile_is_refused(
    workspace: Workspace, open_tab: Open, tmp_path: Path
) -> None:
    run = make_run(workspace, tmp_path / "run", *STEPS)
    app = open_tab("runs", "Board", run=run)
    app.session_state[f"modes:{run}"] = True
    app.run()
    app.selectbox(key="mode:3").set_value("code").run()
    index_attempts(workspace, run, [each.to_json() for each in STEPS])
    app.selectbox(key="mode:3").set_value("not confirmed").run()
    assert "the attempt was judged anew meanwhile" in app.error[0].value


def test_a_confirmation_is_about_the_failure_it_was_given_for(workspace: Workspace, tmp_path: Path) -> None:
    run = make_run(workspace, tmp_path / "run", *STEPS)
    confirm_error_mode(workspace, find_attempt(workspace, 2), "reasoning", proposed="reasoning", by="mei")
    before = family_scores(workspace, find_run(workspace, run))
    index_attempts(workspace, run, [step(2, "WRONG_OUTPUT", "vis", 0.4, code="y").to_json()])
    after = family_scores(workspace, find_run(workspace, run))
    (said,) = confirmed_error_modes(workspace, run).values()
    assert before is not None
    assert after is not None
    assert [each.subject == said.subject for each in before.failures] == [True, False]
    assert [each.subject == said.subject for each in after.failures] == [False, False]
    assert said.key == AttemptKey("penguins", 2)


def test_only_failures_have_one_of_the_known_modes(workspace: Workspace, tmp_path: Path) -> None:
    make_run(workspace, tmp_path / "run", *STEPS)
    assert tuple(mode.value for mode in ErrorMode) == ERROR_MODES
    with pytest.raises(UsageError, match="no error mode"):
        confirm_error_mode(workspace, find_attempt(workspace, 2), "typo", by="mei")
    with pytest.raises(UsageError, match="did not fail"):
        confirm_error_mode(workspace, find_attempt(workspace, 1), "code", by="mei")


def test_an_attempt_shows_its_error_mode_where_it_failed(
    workspace: Workspace, open_page: Open, tmp_path: Path, said: Said
) -> None:
    make_run(workspace, tmp_path / "run", *STEPS)
    app = open_page("runs", attempt=3)
    assert "rules propose code" in said(app)
    app.button(key="mode:3:confirm").click().run()
    assert "confirmed by mei" in said(app)
    assert "Error mode" not in said(open_page("runs", attempt=1))


def test_a_run_of_qwen_has_its_tags_and_no_error_modes(
    workspace: Workspace, open_tab: Open, tmp_path: Path, said: Said
) -> None:
    items = [
        Record(
            "q", "1", f"q{number}", 1, 1, "CORRECT", "", "", "Why?", code="x",
            family={"family": "qwen", "tags": [tag], "scores": scores},
        )
        for number, (tag, scores) in enumerate(
            [
                ("general", {"executable": 1.0, "missing": 0.0, "failing": 0.0}),
                ("visualization-hard", {"executable": 1.0, "missing": 0.0, "failing": 0.0, "accuracy": None}),
                ("gsm8k", {"accuracy": 1.0}),
            ]
        )
    ]  # fmt: skip
    run = make_run(workspace, tmp_path / "run", *items, mode="qwen")
    app = open_tab("runs", "Board", run=run)
    assert not app.exception
    assert named(app, "Where", "general")["executable"] == "100.0 (1)"
    assert named(app, "Where", "visualization\\-hard")["accuracy"] == "withheld: 1 of 1 not graded"
    own = next(row for row in rows(app) if row.get("Source") == "this workspace")
    assert (own["math"], own["general"], own["visualization-hard"]) == ("100.0", "100.0", "–")
    assert "Error modes" not in said(app)


def test_a_run_of_another_kind_has_no_board(workspace: Workspace, open_page: Open, tmp_path: Path) -> None:
    plain = Record("b", "1", "s", 1, 1, "CORRECT", "", "", "q", code="1")
    run = make_run(workspace, tmp_path / "run", plain, mode="")
    app = open_page("runs", run=run)
    assert [tab.label for tab in app.tabs] == ["Problems", "Charts", "Problemsets"]
    assert family_scores(workspace, find_run(workspace, run)) is None


def test_two_rows_of_one_mode_are_not_put_together() -> None:
    row = {"E-Num": {"value": 0.5, "n": 2}}
    assert rows_together(row, row) is None
    assert column_of("visual", "oracle-as-run") == "O-Vis"
    assert column_of("visual", "") == "Vis"
    assert column_of("accuracy", "qwen") == "accuracy"
