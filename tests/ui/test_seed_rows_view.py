"""The rows of a seed on its page: ordered by a button, shown as text, turned page by page, kept for the person."""

from collections.abc import Callable
from itertools import chain

from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.workspace import Workspace
from authoring.ui.drawing.cell_grid import fitting_size, grid_html


def finish(ws: Workspace, **page: object) -> None:
    claimed = jobs.claim(ws, owner="w", kinds=("seed_rows",))
    assert claimed is not None
    result = {"columns": ["shop"], "columns_left": 0, "total": 120, "numbers": [1], "rows": [["a"]], "cell_chars": 9}
    jobs.finish(ws, claimed.id, "w", result={**result, **page})


def test_rows_are_ordered_shown_and_turned(
    open_tab: Callable[..., AppTest], workspace: Workspace, seed: int, said: Callable[[AppTest], str]
) -> None:
    key = f"rows:{seed}:0"
    app = open_tab("seeds", "Rows", seed=seed)
    app.selectbox(key=f"{key}:condition").select("contains").run()
    app.text_input(key=f"{key}:text").set_value("A")
    app.button(key=f"{key}:show").click().run()
    (job,) = jobs.select(workspace)
    assert {**job.payload, "seed": 0} == {
        **{"seed": 0, "table": 0, "condition": "contains", "column": "shop", "text": "A", "offset": 0, "count": 50}
    }
    assert app.button(key=f"{key}:show").disabled
    finish(workspace, rows=[["<b>bold</b>"]])
    app.run()
    assert "1 to 1 of 120 rows where **shop** contains “A”" in said(app)
    assert any("&lt;b&gt;bold" in each.proto.body for each in app.get("html"))
    app.pagination(key=f"rows:page:{job.id}").set_value(3).run()
    turned = jobs.select(workspace)[0]
    assert turned.payload == {**job.payload, "offset": 100}
    finish(workspace, numbers=[101])
    app.run()
    assert "101 to 101 of 120 rows" in said(app)
    assert app.pagination(key=f"rows:page:{turned.id}").value == 3
    app.button(key=f"{key}:show").click().run()
    assert jobs.select(workspace)[0].payload == job.payload, "a new order begins at the first page"
    finish(workspace, total=0, numbers=[], rows=[])
    app.run()
    assert "No row fits" in said(app)


def test_a_grid_shows_text_missing_values_and_changes() -> None:
    grid = grid_html(["<i>"], ["1", "2"], [["a" * 9], [None]], cell_chars=5, marked={(0, 0)})
    assert "<i>" not in grid
    assert '<td class="bw-changed"><ins>aaaa…</ins></td>' in grid
    assert '<td class="bw-missing">missing</td>' in grid


def test_a_page_of_cells_full_of_quotes_is_cut_until_it_is_few_bytes() -> None:
    rows = [['"' * 121] * 30] * 50
    marked: dict[tuple[int, int], str | None] = {(row, column): "'" * 121 for row in range(50) for column in range(30)}
    size = fitting_size((*chain.from_iterable(rows), *marked.values()), 120)
    assert len(grid_html(["a"] * 30, ["1"] * 50, rows, cell_chars=size, marked=marked)) < 200_000
    assert fitting_size(["plain"] * 1500, 120) == 120
