"""Expected and found figures side by side, in the editor and of an attempt of a run."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.store import dry_runs
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from tests.reporting.conftest import record, write_run
from tests.session.test_picture_difference import png, square
from tests.ui.test_trying import area, finish, show

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
VALIDATION = {
    "correct": "no",
    "category": "and",
    "reason": [
        {"category": "crash", "correct": "yes", "reason": ""},
        {"category": "visual", "correct": "no", "score": 0.4321, "reason": "the bars differ: <b>3</b> is not 4"},
    ],
}


def figure(data: bytes) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {"image/png": base64.b64encode(data).decode()}}


def test_a_tried_figure_stands_beside_the_references_with_likeness_difference_and_what_differs(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    dry_runs.save(
        workspace,
        revision_id=draft.id,
        environment="e",
        sandbox="bwrap",
        problems=[DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=[figure(png(square()))])],
        summary={},
    )
    app = show(open_page("editor", set=draft.problemset_id, pid="p1"), "Try", draft.problemset_id)
    area(app, "Answer to try").set_value("plot()")
    app.button(key=f"try:{draft.problemset_id}:p1:go").click().run()
    result = {"verdict": "WRONG_OUTPUT", "reason": "", "error": None, "validation": VALIDATION}
    finish(workspace, "try", {**result, "outputs": [figure(png(square(end=12)))]})
    app.run()
    assert not app.exception
    text = said(app)
    assert "Likeness (SSIM): **0.432**" in text
    assert r"\<b\>3\</b\> is not 4" in text
    assert "Expected is what the reference showed" in text
    assert "6.0% of the pixels differ" in text
    assert {"Expected", "Found", "Difference"} <= {each.value for each in app.caption}
    scores = [row.get("Score") for table in app.table for row in table.value.to_dict("records")]
    assert "0.432" in scores


def run_of(workspace: Workspace, tmp_path: Path, outputs: list[dict[str, Any]]) -> None:
    one = record(1, "WRONG_OUTPUT", code="plot()")
    folder = write_run(tmp_path, one)
    details = {
        "key": [one.problemset, 1, 1, 1],
        "outputs": outputs,
    }
    (folder / "details.jsonl").write_text(json.dumps(details) + "\n", encoding="utf-8")
    run = insert_run(workspace, release="small 1", agent="alpha", out_dir=str(folder), summary={})
    index_attempts(workspace, run, [{**one.to_json(), "validation": VALIDATION}])


def test_an_attempt_says_that_the_expected_figure_is_not_at_hand_and_a_hostile_picture_does_no_harm(
    open_page: Open, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    run_of(workspace, tmp_path, [figure(b"\x89PNG\r\n\x1a\n" + bytes(50)), figure(png(square()))])
    app = open_page("runs", attempt=1)
    text = said(app)
    assert "Figures compared" in text
    assert "The expected figure is not at hand" in text
    assert "was not kept" not in text
    assert {"Found 1", "Found 2", "This picture is damaged.", "Nothing to compare."} <= {
        each.value for each in app.caption
    }
    assert "0 figures expected, 2 found" in text


def test_an_attempt_without_a_validator_of_figures_shows_none_of_it(
    open_page: Open, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    one = record(1, code="1")
    run = insert_run(workspace, release="small 1", agent="alpha", out_dir=str(write_run(tmp_path, one)), summary={})
    index_attempts(workspace, run, [one.to_json()])
    assert "Figures compared" not in said(open_page("runs", attempt=1))
