"""What a submission showed against its reference: tables by cell, texts by line, figures side by side, both codes."""

import base64
import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.release import create_release
from authoring.store import dry_runs
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.drawing.output_differences import CELL_LEGEND, LINE_LEGEND
from authoring.ui.drawing.table_difference import (
    MAX_DRAWN_ROWS,
    ShownTable,
    compare_tables,
    difference_html,
    left_out_words,
    read_table,
)
from evaluator.running import Record
from tests.reporting.conftest import record, write_run
from tests.session.test_picture_difference import png, square
from tests.ui.acts import ROOT, Open, boxes, said, shown_page

LEFT, RIGHT = "**The reference showed**", "**The submission showed**"
EXPECTED = ShownTable(("shop", "units"), ("0", "1", "2"), (("a", "4"), ("b", "2"), ("c", "1")))
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


def html_of(columns: list[str], *rows: list[str]) -> str:
    """A table as pandas writes it, the first cell of a row its label."""
    head = "".join(f"<th>{name}</th>" for name in ["", *columns])
    body = "".join(
        f"<tr><th>{label}</th>{''.join(f'<td>{each}</td>' for each in cells)}</tr>" for label, *cells in rows
    )
    return f'<table class="dataframe"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def shown(*html: str, text: str = "") -> list[dict[str, Any]]:
    printed = [{"output_type": "stream", "name": "stdout", "text": text}] if text else []
    return [*printed, *({"output_type": "execute_result", "data": {"text/html": each}} for each in html)]


def test_tables_are_compared_by_names_and_labels_and_differences_drawn() -> None:
    columns, labels = EXPECTED.columns, EXPECTED.labels
    more = ShownTable((*columns, "n"), (*labels, "3"), (*[("a", "4", "")] * 3, ("d", "5", "")))
    cases = [
        (EXPECTED, ""),
        (ShownTable(columns, labels, (("a", "4"), ("b", "9"), ("c", "1"))), "1 cell changed"),
        (ShownTable(("units",), labels, (("4",), ("2",), ("1",))), "missing column: shop"),
        (ShownTable(columns, ("0",), (("a", "4"),)), "missing rows: 1, 2"),
        (more, "4 cells changed · extra column: n · extra row: 3"),
        (ShownTable(("units", "shop"), labels, (("4", "a"), ("2", "b"), ("1", "c"))), "another order"),
        (ShownTable(columns, ("2", "1", "0"), EXPECTED.rows[::-1]), "another order"),
        (ShownTable(columns, ("x", "y", "z"), EXPECTED.rows), "row labels differ, so rows are compared in order"),
    ]
    for found, words in cases:
        difference = compare_tables(EXPECTED, found)
        assert (difference.in_words(), difference.is_same) == (words, not words)
    rows = tuple((str(number), "<script>x</script>") for number in range(200))
    labels = tuple(map(str, range(200)))
    expected = ShownTable(("n", "text"), labels, rows)
    found = ShownTable(("n", "te<b>"), labels, tuple((f"{number}0", "y") for number in range(200)))
    drawn = difference_html(compare_tables(expected, found))
    assert "<del>1</del> <ins>10</ins>" in drawn
    assert "<script" not in drawn
    assert "<ins>te&lt;b&gt;</ins>" in drawn
    assert drawn.count("<tr>") == 1 + MAX_DRAWN_ROWS
    assert left_out_words(compare_tables(expected, found)) == "Not shown: 150 more rows that differ."
    same = compare_tables(EXPECTED, ShownTable(EXPECTED.columns, EXPECTED.labels, (("a", "5"), *EXPECTED.rows[1:])))
    assert difference_html(same).count("<tr>") == 2


def test_tables_are_read_as_pandas_writes_them_with_levels_and_spans() -> None:
    table = read_table(
        "<table><thead><tr><th></th><th></th><th colspan=2>units</th></tr>"
        "<tr><th>region</th><th>shop</th><th>sum</th><th>mean</th></tr></thead><tbody>"
        "<tr><th rowspan=2>north</th><th>a</th><td>1</td><td>2</td></tr><tr><th>b</th><td>3</td><td>4 &lt; 5</td></tr>"
        "</tbody></table>"
    )
    assert table == ShownTable(
        ("units / sum", "units / mean"), ("north / a", "north / b"), (("1", "2"), ("3", "4 < 5"))
    )
    assert read_table("<p>no table</p>") is None
    wide = "<table>" + "<tr>" + "<td colspan=9999 rowspan=9999>x</td>" * 50 + "</tr>" + "<tr><td>y</td></tr>" * 900
    table = read_table(f"{wide}</table>")
    assert table is not None
    assert table.is_cut
    assert len(table.rows) * len(table.columns) <= 50_000


def insert(
    ws: Workspace, folder: Path, *tries: Record, kept: dict[str, Any] | None = None, release: str = "small 1",
    validation: dict[str, Any] | None = None, **manifest: Any,
) -> tuple[int, Path]:  # fmt: skip
    """A run with these attempts, and what it kept of the first one; returns its number and folder."""
    where = write_run(folder, *tries, **manifest)
    if kept is not None:
        line = json.dumps({"key": [tries[0].problemset, 1, 1, 1], **kept})
        (where / "details.jsonl").write_text(f"{line}\n", encoding="utf-8")
    run = insert_run(ws, release=release, agent="alpha", out_dir=str(where), summary={})
    judged = {} if validation is None else {"validation": validation}
    index_attempts(ws, run, [{**each.to_json(), **judged} for each in tries])
    return run, where


def drawn(app: AppTest) -> str:
    return "\n".join(str(each.proto.body) for each in app.get("html"))


def test_an_attempt_shows_what_differs_from_the_reference_and_both_codes(
    open_page: Open, draft: Revision, ws: Workspace, tmp_path: Path
) -> None:
    picture = figure(png(square()))
    outputs = [*shown(html_of(["shop", "units"], ["0", "a", "4"], ["1", "b", "2"]), text="all\nshops\n"), picture]
    problem = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=outputs)
    dry_runs.save(ws, revision_id=draft.id, environment="e", sandbox="bwrap", problems=[problem], summary={})
    record_decision(ws, revision_id=draft.id, decision="accepted", by="Ann")
    create_release(ws, "shop", "1", out=tmp_path / "release", created_by="Ann")
    found = [*shown(html_of(["shop", "n"], ["0", "<b>z", "4"], ["5", "b", "2"]), text="all\n<i>stores</i>\n"), picture]
    one = record(1, "WRONG_OUTPUT", code="1 + 2", problemset="shop-sales")
    run, folder = insert(ws, tmp_path, one, kept={"outputs": found}, release="shop 1")
    (folder.parent / "bench" / "sums.py").rename(folder.parent / "bench" / "shop-sales.py")

    app = open_page("runs", run=run, attempt=1)
    assert "**What differs**" in said(app)
    told = "1 cell changed · missing column: units · extra column: n · missing row: 1 · extra row: 5"
    assert told in said(app)
    assert "<del>a</del> <ins>z</ins>" in drawn(app)
    assert "&lt;i&gt;stores" in drawn(app)
    assert "expected, 1 found" not in said(app)  # the pictures are the same
    assert "Figures compared" not in said(app)  # no validator of figures judged it
    assert [code.value for code in app.main.code] == ["1 + 1", "1 + 2"]  # the reference stands on the left everywhere
    assert [each.value for each in app.main.markdown if each.value in (LEFT, RIGHT)] == [LEFT, RIGHT]
    captions = [each.value for each in app.main.caption]
    assert [caption for caption in captions if caption in (CELL_LEGEND, LINE_LEGEND)] == [CELL_LEGEND, LINE_LEGEND]
    app.segmented_control(key="attempt:codes").set_value("Difference").run()
    assert not app.exception
    assert app.main.code == []
    assert '<tr class="bw-add"><td class="bw-no">1</td><td class="bw-sign">+</td><td>1 + 2</td></tr>' in drawn(app)


def open_compared(open_page: Open, attempt: int) -> AppTest:
    """An attempt with the comparison of its epoch's attempts unfolded."""
    del open_page  # the pages of the same workspace
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[f"attempt:{attempt}:compared"] = True
    return shown_page(app, "runs", {"run": 1, "attempt": attempt})


def test_attempts_of_an_epoch_are_compared_with_their_feedback(open_page: Open, ws: Workspace, tmp_path: Path) -> None:
    made = [("1 + n", "CRASH"), ("1 + 3", "WRONG_OUTPUT"), ("1 + 1", "CORRECT")]
    attempts = [
        record(1, verdict, code=code, attempt=number, extended_verdict=f"reason {number}")
        for number, (code, verdict) in enumerate(made, 1)
    ]
    error = {"name": "NameError", "message": "n", "traceback": "NameError: <b>n"}
    policies = {"feedback": ["error", "hint"]}
    insert(ws, tmp_path, *attempts, kept={"outputs": [], "error": error}, policies=policies)
    app = open_compared(open_page, 3)
    assert "From attempt to attempt: 3 in epoch 1" in boxes(app)
    told = [code.value for code in app.main.code]
    wanted = ["NameError: <b>n", "CRASH: reason 1", "WRONG_OUTPUT: reason 2"]
    assert [each for each in told if each in wanted] == wanted
    assert "Fed back: the error. The run did not keep it." in said(app)
    assert drawn(app).count('class="bw-add"') == 2
    assert "1 + n" in drawn(app)


def test_a_missing_figure_is_told_and_a_bad_picture_harmless(open_page: Open, ws: Workspace, tmp_path: Path) -> None:
    one = record(1, "WRONG_OUTPUT", code="plot()")
    outputs = [figure(b"\x89PNG\r\n\x1a\n" + bytes(50)), figure(png(square()))]
    insert(ws, tmp_path, one, kept={"outputs": outputs}, validation=VALIDATION)
    app = open_page("runs", attempt=1)
    assert "Figures compared" in said(app)
    assert "The expected figure is not at hand" in said(app)
    assert "was not kept" not in said(app)
    captions = {each.value for each in app.caption}
    assert {"Found 1", "Found 2", "This picture is damaged.", "Nothing to compare."} <= captions
    assert "0 figures expected, 2 found" in said(app)
