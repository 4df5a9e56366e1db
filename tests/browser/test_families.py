"""The families in the real app: fields of a step in the editor, figures side by side, a board and its error modes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from authoring.store import autosaves, dry_runs, jobs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.error_modes import confirmed_error_modes
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language import read_yaml
from tests.browser.conftest import Served
from tests.session.test_picture_difference import png, square
from tests.ui.test_boards import STEPS, make_run
from tests.ui.test_figures_compared import VALIDATION, figure

pytestmark = [pytest.mark.browser, pytest.mark.deep, pytest.mark.parametrize("served", ["--no-worker"], indirect=True)]

SETS = Path(__file__).parents[2] / "problemsets"
Visit = Callable[[Page, str], None]
Settled = Callable[[Page], None]
OpenTab = Callable[..., Page]
OpenBox = Callable[[Page, str, Locator], None]
Choose = Callable[[Page, str, str], None]


def stored(ws: Workspace, name: str, file: str) -> Revision:
    text = (SETS / file).read_text(encoding="utf-8")
    return problemsets.create(ws, name=name, text=text, author="import", origin=Origin.IMPORT)


def family_of(ws: Workspace, problemset_id: int, family: str) -> dict[str, Any]:
    settings = [each.text for each in autosaves.select(ws, "mei", problemset_id) if each.field == "settings"]
    found: dict[str, Any] = read_yaml(settings[0]).value["family"][family] if settings else {}
    return found


def test_a_thought_that_is_typed_and_left_at_once_stands_in_the_settings_and_a_new_type_offers_its_validators(
    served: Served, open_tab: OpenTab, visit: Visit, settled: Settled, open_box: OpenBox, choose: Choose
) -> None:
    revision = stored(served.workspace, "penguins", "cibench-mini/pandas_penguins.py")
    page = open_tab(1360, 1700)
    visit(page, f"/editor?set={revision.problemset_id}")
    thought = page.get_by_role("textbox", name="Thought")
    open_box(page, "CIBench", thought)
    expect(thought).to_have_value("I read the file with pandas and print both parts of its shape.")
    thought.fill("I look at <b>the shape</b>.")
    page.get_by_role("link", name="Releases", exact=True).click()  # at once
    expect(page.get_by_role("heading", name="Releases")).to_be_visible()
    visit(page, f"/editor?set={revision.problemset_id}")
    open_box(page, "CIBench", thought)
    expect(page.get_by_role("textbox", name="Thought")).to_have_value("I look at <b>the shape</b>.")
    assert family_of(served.workspace, revision.problemset_id, "cibench")["thought"] == "I look at <b>the shape</b>."
    choose(page, "Step type", "vis: it shows a figure")
    expect(page.get_by_text("CIBench judges steps of type vis")).to_be_visible()
    page.get_by_role("button", name="Use them in the settings").click()
    expect(page.get_by_text("CIBench judges steps of type vis")).to_be_hidden()
    settled(page)
    known = family_of(served.workspace, revision.problemset_id, "cibench")
    assert (known["step"], known["step_type"], known["modules"]) == (1, "vis", "pandas")
    expect(page.locator(".cm-content").nth(2)).to_contain_text("visual:")


def test_a_record_of_qwen_shows_its_given_first_action(
    served: Served, open_tab: OpenTab, visit: Visit, open_box: OpenBox
) -> None:
    revision = stored(served.workspace, "q12", "qwen-mini/q12.py")
    page = open_tab(1360, 1700)
    visit(page, f"/editor?set={revision.problemset_id}")
    open_box(page, "Qwen code-interpreter benchmark", page.get_by_text("It counts under visualization-easy."))
    action = page.get_by_role("textbox", name="Given first action")
    action.fill(action.input_value().replace("flights.csv", "trips.csv"))
    expect(page.get_by_text("must hold this code")).to_be_visible()
    assert "trips.csv" in family_of(served.workspace, revision.problemset_id, "qwen")["prefill"]


def test_figures_stand_side_by_side_with_likeness_and_difference(
    served: Served, open_tab: OpenTab, visit: Visit
) -> None:
    revision = stored(served.workspace, "penguins", "cibench-mini/pandas_penguins.py")
    place = (revision.problemset_id, "p1")
    key = problemsets.find(served.workspace, place[0])
    dry_runs.save(
        served.workspace,
        revision_id=revision.id,
        environment="e",
        sandbox="bwrap",
        problems=[DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=[figure(png(square(200)))])],
        summary={},
    )
    result = {"verdict": "WRONG_OUTPUT", "reason": "", "error": None, "validation": VALIDATION}
    payload = {"problemset_id": key.id, "problem": 1, "text": "", "code": "plot()", "digest": ""}
    jobs.enqueue(served.workspace, kind="try", key=f"try:{key.id}:mei:p1", payload=payload, created_by="mei")
    claimed = jobs.claim(served.workspace, owner="w", kinds=["try"])
    assert claimed is not None
    outputs = [figure(png(square(200, end=80)))]
    assert jobs.finish(served.workspace, claimed.id, "w", result={**result, "outputs": outputs})
    page = open_tab(1360, 1700)
    visit(page, f"/editor?set={key.id}&pid=p1")
    page.get_by_role("tab", name="Try").click()
    expect(page.get_by_text("Likeness (SSIM): 0.432")).to_be_visible()
    for name in ("expected figure", "found figure", "difference"):
        expect(page.get_by_alt_text(name)).to_be_visible()


def test_a_board_shows_published_rows_apart_and_people_confirm_error_modes(
    served: Served, open_tab: OpenTab, visit: Visit, tmp_path: Path, open_box: OpenBox, choose: Choose
) -> None:
    run = make_run(served.workspace, tmp_path / "run", *STEPS)
    page = open_tab(1360, 1700)
    visit(page, f"/runs?run={run}&r_tab=Board")
    expect(page.get_by_role("heading", name="Beside published rows")).to_be_visible()
    expect(page.get_by_role("cell", name="published", exact=True)).to_have_count(24)
    confirm = page.get_by_role("button", name="Confirm").first
    open_box(page, "Confirm or change them", confirm)
    confirm.click()
    expect(page.get_by_role("cell", name="1 (100.0 %)")).to_be_visible()
    assert [each.mode for each in confirmed_error_modes(served.workspace, run).values()] == ["reasoning"]
    choose(page, "Error mode of attempt 3", "hallucination: names that nothing defines")
    expect(page.get_by_text("changed by mei")).to_be_visible()
    assert len(confirmed_error_modes(served.workspace, run)) == 2
