"""Pages of rows: read a block at a time, chosen by one column, cells as the file writes them."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from authoring.seeds import add_seed
from authoring.seeds.profile_cell import rows as cell
from authoring.seeds.seed_rows import Condition, RowFilter, RowPage, read_rows
from authoring.store.drafting.seeds import find_seed
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.session import Engine
from tests.seeds.read_here import HERE, files_read_here

FRAME = pd.DataFrame(
    {
        "shop": [f"shop {i % 7}" for i in range(250)],
        "price": [i * 1.5 for i in range(250)],
        "day": [f"{i % 28 + 1:02}.03.2024" for i in range(250)],
        "note": [None if i % 2 else "x=" for i in range(250)],
    }
)


@pytest.fixture(scope="module")
def read(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., RowPage]:
    """Read two rows of a seed that has the same rows in files of several kinds."""
    folder = tmp_path_factory.mktemp("rows")
    FRAME.to_csv(folder / "a.csv", index=False, sep=";", decimal=",")
    FRAME.to_json(folder / "b.jsonl", orient="records", lines=True)
    FRAME.to_parquet(folder / "c.parquet")
    FRAME.to_excel(folder / "d.xlsx", index=False)
    FRAME.to_json(folder / "e.json", orient="records")
    ws = Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("read") / "ws"))
    with files_read_here():
        seed = find_seed(ws, add_seed(ws, sorted(folder.iterdir()), name="shops", engine=HERE))
    return partial(read_rows, ws, seed, count=2)


WANTED = (
    (RowFilter(), 3, 250, (4, 5)),
    (RowFilter(condition=Condition.CONTAINS, column="shop", text="P 3"), 1, 36, (11, 18)),
    (RowFilter(condition=Condition.EQUALS, column="shop", text="shop 3"), 35, 36, (249,)),
    (RowFilter(condition=Condition.RANGE, column="price", low="3.0", high="6"), 0, 3, (3, 4)),
    (RowFilter(condition=Condition.RANGE, column="day", high="2024-03-02"), 0, 18, (1, 2)),
    (RowFilter(condition=Condition.RANGE, column="shop", low="shop 6"), 0, 35, (7, 14)),
    (RowFilter(condition=Condition.EMPTY, column="note"), 0, 125, (2, 4)),
    (RowFilter(condition=Condition.CONTAINS, column="shop", text="(.*"), 0, 0, ()),
)


def test_rows_of_every_kind_of_file_are_paged_and_filtered_alike(read: Callable[..., RowPage]) -> None:
    for place in range(5):
        for chosen, offset, total, numbers in WANTED:
            page = read(place, engine=HERE, chosen=chosen, offset=offset)
            assert (page.total, page.numbers) == (total, numbers), (place, chosen)
            for number, row in zip(page.numbers, page.rows, strict=True):
                assert row[0] == FRAME["shop"][number - 1]
                assert (row[3] or None) == (None if number % 2 == 0 else "x=")


def test_a_session_reads_the_rows_that_this_process_reads(read: Callable[..., RowPage], engine: Engine) -> None:
    for place, (chosen, offset, *_) in ((0, WANTED[3]), (2, WANTED[1])):
        with files_read_here():
            here = read(place, engine=HERE, chosen=chosen, offset=offset)
        assert read(place, engine=engine, chosen=chosen, offset=offset) == here


def test_what_does_not_fit_the_column_is_refused(read: Callable[..., RowPage]) -> None:
    for chosen, what in (
        (RowFilter(condition=Condition.RANGE, column="price", low="many"), "is no number"),
        (RowFilter(condition=Condition.RANGE, column="price", low="nan"), "is no number"),
        (RowFilter(condition=Condition.RANGE, column="price", high="inf"), "is no number"),
        (RowFilter(condition=Condition.RANGE, column="day", low="02.03.2024"), "is no date"),
        (RowFilter(condition=Condition.RANGE, column="day"), "no limit"),
        (RowFilter(condition=Condition.CONTAINS, column="shop"), "no text"),
        (RowFilter(condition=Condition.EMPTY, column="gone"), "no column"),
    ):
        with pytest.raises(UsageError, match=what):
            read(0, engine=HERE, chosen=chosen, offset=0)
    with pytest.raises(UsageError, match="no table 9"):
        read(8, engine=HERE, chosen=RowFilter(), offset=0)


def test_a_page_of_a_large_file_is_read_without_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inputs").mkdir()
    lines = ["a,b", *(f"{i},{'x' * 600}" for i in range(500)), 'the rest,"is not closed']
    (tmp_path / "inputs" / "t.csv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cell, "BLOCK_ROWS", 100)
    table = {"file": "t.csv", "reader": "read_csv", "options": {}, "reset_index": ""}
    asked = {"table": table, "columns": ["a", "b"], "rows": 501, "offset": 150, "count": 40, "form": "", "column": ""}
    page = cell.page_of(asked)
    assert (page["total"], page["numbers"][0], len(page["rows"])) == (501, 151, 40)
    assert page["rows"][0][0] == "150"
    assert len(page["rows"][0][1] or "") == page["cell_chars"] + 1, "a longer cell can be told"
    assert len(json.dumps(page)) < 200_000
