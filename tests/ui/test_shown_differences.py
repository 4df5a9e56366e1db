"""What a submission showed against its reference: tables by cell, texts by line, pictures, and both codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.release import create_release
from authoring.store import dry_runs
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.drawing.output_differences import CELL_LEGEND, LINE_LEGEND, sort_outputs
from authoring.ui.drawing.table_difference import (
    MAX_DRAWN_ROWS,
    ShownTable,
    compare_tables,
    difference_html,
    left_out_words,
    read_table,
)
from evaluator.running.execution.policies import output_as_told
from tests.reporting.conftest import record, write_run
from tests.session.test_picture_difference import png, square
from tests.ui.test_figures_compared import figure

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
LEFT, RIGHT = "**The reference showed**", "**The submission showed**"
EXPECTED = ShownTable(("shop", "units"), ("0", "1", "2"), (("a", "4"), ("b", "2"), ("c", "1")))


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


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (EXPECTED, ""),
        (ShownTable(("shop", "units"), ("0", "1", "2"), (("a", "4"), ("b", "9"), ("c", "1"))), "1 cell changed"),
        (ShownTable(("units",), ("0", "1", "2"), (("4",), ("2",), ("1",))), "missing column: shop"),
        (ShownTable(("shop", "units"), ("0",), (("a", "4"),)), "missing rows: 1, 2"),
        (
            ShownTable(("shop", "units", "n"), ("0", "1", "2", "3"), (*[("a", "4", "")] * 3, ("d", "5", ""))),
            "4 cells changed · extra column: n · extra row: 3",
        ),
        (ShownTable(("units", "shop"), ("0", "1", "2"), (("4", "a"), ("2", "b"), ("1", "c"))), "another order"),
        (ShownTable(("shop", "units"), ("2", "1", "0"), EXPECTED.rows[::-1]), "another order"),
        (
            ShownTable(("shop", "units"), ("x", "y", "z"), EXPECTED.rows),
            "row labels differ, so rows are compared in order",
        ),
        (ShownTable(("shop", "units"), (), ()), "missing rows: 0, 1, 2"),
    ],
)
def test_a_table_is_compared_by_names_and_labels(found: ShownTable, words: str) -> None:
    difference = compare_tables(EXPECTED, found)
    assert difference.in_words() == words
    assert difference.is_same == (not words)


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


def test_only_rows_that_differ_are_drawn_with_marks_and_hostile_cells_are_escaped() -> None:
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


def test_a_table_that_would_fill_the_memory_is_cut() -> None:
    wide = "<table>" + "<tr>" + "<td colspan=9999 rowspan=9999>x</td>" * 50 + "</tr>" + "<tr><td>y</td></tr>" * 900
    table = read_table(f"{wide}</table>")
    assert table is not None
    assert table.is_cut
    assert len(table.rows) * len(table.columns) <= 50_000


def test_tables_beyond_those_that_are_compared_count_as_their_text() -> None:
    one = {
        "output_type": "execute_result",
        "data": {"text/html": "<table><tr><td>1</td></tr></table>", "text/plain": "1"},
    }
    sorted_ = sort_outputs([one, one])
    assert (len(sorted_.tables), sorted_.text(beyond=1), sorted_.text(beyond=2)) == (2, "1", "")
    assert "900 lines left out" in sort_outputs(shown(text="x\n" * 1_300)).text()


def test_an_attempt_shows_what_differs_from_the_reference_and_both_codes_as_a_difference(
    open_page: Open, draft: Revision, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    picture = figure(png(square()))
    outputs = [*shown(html_of(["shop", "units"], ["0", "a", "4"], ["1", "b", "2"]), text="all\nshops\n"), picture]
    problem = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=outputs)
    dry_runs.save(workspace, revision_id=draft.id, environment="e", sandbox="bwrap", problems=[problem], summary={})
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="Ann")
    create_release(workspace, "shop", "1", out=tmp_path / "release", created_by="Ann")
    one = record(1, "WRONG_OUTPUT", code="1 + 2", problemset="shop-sales")
    folder = write_run(tmp_path, one)
    (folder.parent / "bench" / "sums.py").rename(folder.parent / "bench" / "shop-sales.py")
    found = [*shown(html_of(["shop", "n"], ["0", "<b>z", "4"], ["5", "b", "2"]), text="all\n<i>stores</i>\n"), picture]
    kept = {"key": [one.problemset, 1, 1, 1], "outputs": found}
    (folder / "details.jsonl").write_text(json.dumps(kept) + "\n", encoding="utf-8")
    run = insert_run(workspace, release="shop 1", agent="alpha", out_dir=str(folder), summary={})
    index_attempts(workspace, run, [one.to_json()])

    app = open_page("runs", run=run, attempt=1)
    text = said(app)
    assert "**What differs**" in text
    assert "1 cell changed · missing column\\: units · extra column\\: n · missing row\\: 1 · extra row\\: 5" in text
    drawn = "\n".join(each.proto.body for each in app.get("html"))
    assert "<del>a</del> <ins>z</ins>" in drawn
    assert "&lt;i&gt;stores" in drawn
    assert "expected, 1 found" not in text  # the pictures are the same
    assert [code.value for code in app.main.code] == ["1 + 1", "1 + 2"]  # the reference stands on the left everywhere
    order = [each.value for each in app.main.markdown if each.value in (LEFT, RIGHT)]
    assert order == [LEFT, RIGHT]
    captions = [each.value for each in app.main.caption]
    assert [caption for caption in captions if caption in (CELL_LEGEND, LINE_LEGEND)] == [CELL_LEGEND, LINE_LEGEND]
    app.segmented_control(key="attempt:codes").set_value("Difference").run()
    assert not app.exception
    assert app.main.code == []
    drawn = "\n".join(each.proto.body for each in app.get("html"))
    assert '<tr class="bw-add"><td class="bw-no">1</td><td class="bw-sign">+</td><td>1 + 2</td></tr>' in drawn


def test_the_attempts_of_an_epoch_are_compared_with_each_other_with_what_was_fed_back_between(
    open_page: Open, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    codes = ("1 + n", "1 + 3", "1 + 1")
    tries = [
        record(1, verdict, code=code, attempt=number, extended_verdict=f"reason {number}")
        for number, (code, verdict) in enumerate(zip(codes, ("CRASH", "WRONG_OUTPUT", "CORRECT"), strict=True), 1)
    ]
    folder = write_run(tmp_path, *tries, policies={"feedback": ["error", "hint"]})
    error = {"name": "NameError", "message": "n", "traceback": "NameError: <b>n"}
    kept = {"key": ["sums", 1, 1, 1], "outputs": [], "error": error}
    (folder / "details.jsonl").write_text(json.dumps(kept) + "\n", encoding="utf-8")
    run = insert_run(workspace, release="small 1", agent="alpha", out_dir=str(folder), summary={})
    index_attempts(workspace, run, [each.to_json() for each in tries])
    app = open_page("runs", run=run, attempt=3)
    assert "From attempt to attempt: 3 in epoch 1" in [each.label for each in app.main.expander]
    app.session_state["attempt:3:compared"] = True
    app.run()
    assert not app.exception
    text = said(app)
    told = [code.value for code in app.main.code]
    assert [each for each in told if each in ("NameError: <b>n", "CRASH: reason 1", "WRONG_OUTPUT: reason 2")] == [
        "NameError: <b>n",
        "CRASH: reason 1",
        "WRONG_OUTPUT: reason 2",
    ]
    assert "Fed back: the error. The run did not keep it." in text
    drawn = "\n".join(each.proto.body for each in app.get("html"))
    assert drawn.count('class="bw-add"') == 2
    assert "1 + n" in drawn


def compared_attempts(
    open_page: Open, ws: Workspace, folder: Path, kept: dict[str, Any] | None, ending: str, **manifest: Any
) -> AppTest:
    """The comparison of the attempts of an epoch: as many as the agent made, each with this ending."""
    made = [
        record(1, "TIMEOUT", code=f"{number}", attempt=number, ending=ending)
        for number in range(1, manifest.pop("count", 2) + 1)
    ]
    where = write_run(folder, *made, **manifest)
    if kept is not None:
        line = json.dumps({"key": ["sums", 1, 1, 1], **kept})
        (where / "details.jsonl").write_text(f"{line}\n", encoding="utf-8")
    run = insert_run(ws, release="small 1", agent="alpha", out_dir=str(where), summary={})
    index_attempts(ws, run, [each.to_json() for each in made])
    app = open_page("runs", run=run, attempt=1)
    app.session_state["attempt:1:compared"] = True
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("kept", [{"outputs": [], "error": None}, None])
def test_code_that_did_not_end_is_shown_with_the_words_that_the_agent_was_told(
    open_page: Open, workspace: Workspace, tmp_path: Path, said: Said, kept: dict[str, Any] | None
) -> None:
    policies = {"feedback": ["error"]}
    app = compared_attempts(open_page, workspace, tmp_path, kept, "timed_out", policies=policies, max_attempts=2)
    assert "the code ran out of time" in [code.value for code in app.main.code]
    assert "There was none" not in said(app)


def test_the_outputs_that_were_fed_back_are_the_text_that_the_agent_got(
    open_page: Open, workspace: Workspace, tmp_path: Path
) -> None:
    outputs = [{"output_type": "stream", "name": "stdout", "text": "line of it\n" * 1_500}]
    kept = {"outputs": outputs, "error": None}
    policies = {"feedback": ["output"]}
    app = compared_attempts(open_page, workspace, tmp_path, kept, "ok", policies=policies, max_attempts=2)
    (told,) = [code.value for code in app.main.code if "line of it" in code.value and "[...]" in code.value]
    assert told.strip() == output_as_told(outputs).strip()


@pytest.mark.parametrize(
    ("most", "words"),
    [(2, "The run fed nothing back between them."), (1, "in the session that it submits"), (None, "fed nothing back")],
)
def test_what_an_agent_executes_in_the_session_that_it_submits_was_shown_to_it(
    open_page: Open, workspace: Workspace, tmp_path: Path, said: Said, most: int | None, words: str
) -> None:
    manifest: dict[str, Any] = {"policies": {"feedback": []}, "max_attempts": most}
    assert words in said(compared_attempts(open_page, workspace, tmp_path, None, "ok", **manifest))


def test_of_very_many_attempts_the_comparison_says_how_many_it_shows(
    open_page: Open, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    app = compared_attempts(open_page, workspace, tmp_path, None, "ok", policies={"feedback": []}, count=22)
    assert "The first 20 of 22." in said(app)
