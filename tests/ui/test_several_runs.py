"""Runs told apart in their list, selected there, and up to five of them compared problem by problem."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store.runs import RunRow, index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.runs.run_words import policy_words
from tests.ui import row_lists
from tests.ui.test_results import MOST_STATEMENTS, links
from tests.ui.test_results import statements as statements

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def several(workspace: Workspace, tmp_path: Path) -> list[int]:
    """Six runs of one agent on two problems, in two modes; who solved the first problem is every second one."""
    ids = []
    for number in range(6):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        mode = "oracle" if number % 2 else "end-to-end"
        (folder / "manifest.json").write_text(json.dumps({"format": 1, "mode": mode, "epochs": number + 1}))
        run = insert_run(workspace, release="small 1", agent="alpha_1", out_dir=str(folder), summary={})
        verdicts = ("CORRECT" if number % 2 else "CRASH", "TIMEOUT")
        rows = [
            {"problemset": "trips", "index": n, "verdict": verdict, "question": f"What\n*is* {n}?"}
            for n, verdict in enumerate(verdicts, 1)
        ]
        index_attempts(workspace, run, rows)
        ids.append(run)
    return ids


def test_runs_are_selected_in_their_list_and_compared_problem_by_problem(
    open_page: Open, several: list[int], said: Said, statements: list[str]
) -> None:
    app = open_page("runs")
    assert "run 1 · mode end\\-to\\-end" in said(app)
    assert "run 2 · mode oracle, 2 epochs" in said(app)
    assert "Select 2 to 5 runs" in said(app)
    for run in several:
        app.checkbox(key=f"runs:select:{run}").check().run()
    assert "6 runs are selected, and 5 at most are compared." in said(app)
    for run in several[3:]:
        app.checkbox(key=f"runs:select:{run}").uncheck().run()
    (link,) = [each.proto for each in app.get("page_link") if each.proto.label == "Compare 3 runs"]
    assert link.query_string == "runs=1%2C2%2C3"
    app.button(key="runs:select:clear").click().run()
    assert not any(app.checkbox(key=f"runs:select:{run}").value for run in several)

    statements.clear()
    app = open_page("runs", runs="2,1,3")
    statements.clear()
    app.run()
    assert len(statements) <= MOST_STATEMENTS, statements
    assert app.title[0].value == "Compare 3 runs"
    (table,) = [each.value for each in app.table]
    assert table["Run"][0] == "**A** · alpha\\_1 on small 1 · mode oracle, 2 epochs"
    assert table["Pass rate"].tolist()[0].startswith("50.0% of 2 problems (95% CI 9.5% to 90.5%)")
    assert table["Only this one solved"].tolist() == ["1", "0", "0"]
    assert "verdicts differ: 1 · solved by some: 1 · solved by all: 0 · solved by none: 1 · all: 2" in said(app)
    assert row_lists.heads(app, "Verdicts by problem") == ["Problem", "A", "B", "C"]
    assert row_lists.links(app) == {
        "runs?run=2&attempt=3": "CORRECT", "runs?run=1&attempt=1": "CRASH", "runs?run=3&attempt=5": "CRASH",
    }  # fmt: skip
    statistics = {
        name: link.proto.query_string for link in app.get("page_link") if "Stat" in (name := link.proto.label)
    }
    assert statistics == {"Statistics: A and B": "a=2&b=1", "Statistics: A and C": "a=2&b=3"}
    assert "trips 1 · What *is* 1?" in " ".join(row_lists.row_texts(app))
    app.selectbox(key="r_several").select("solved by all").run()
    assert "No problem is like that" in said(app)


def test_an_attempt_tells_the_other_runs_of_one_agent_apart(open_page: Open, several: list[int]) -> None:
    app = open_page("runs", run=several[0], attempt=1)
    named = [each for each in links(app) if ", run " in each]
    assert [each.partition(" :")[0] for each in named] == [f"alpha\\_1, run {run}" for run in reversed(several[1:])]


@pytest.mark.parametrize("named", ["1", "1,2,3,4,5,6", "1,x"])
def test_an_address_that_names_too_few_or_too_many_runs_says_so(
    open_page: Open, several: list[int], said: Said, named: str
) -> None:
    assert "the address of this page names" in said(open_page("runs", runs=named))


def test_a_run_whose_folder_is_gone_is_told_by_what_the_workspace_keeps(workspace: Workspace) -> None:
    del workspace
    asked = {"state": "own", "history": "reference", "max_attempts": 3, "judge": "a*b"}
    run = RunRow(1, "small 1", "alpha", "/gone", {"asked": asked}, "2026-01-01T00:00:00")
    assert policy_words(run) == "own state, reference history, 3 attempts, judge a\\*b"
