"""Last part of a cell that prints one page of the rows of a table: read in blocks, those that fit a filter counted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

BLOCK_ROWS = 20_000
MOST_COLUMNS = 100
PAGE_CHARS = 120_000  # of all cells of a page
MOST_CELL_CHARS = 500
LEAST_CELL_CHARS = 40


def blocks_of(table: dict[str, Any]) -> Iterator[pd.DataFrame]:
    """Yield a table in blocks of rows; cells of text files as text, as the file writes them."""
    path = Path("inputs") / table["file"]
    options = dict(table["options"])
    if table["reader"] == "read_csv":
        chosen = {name: options[name] for name in ("sep", "encoding") if name in options}
        yield from pd.read_csv(path, dtype=str, keep_default_na=False, chunksize=BLOCK_ROWS, **chosen)
    elif table["reader"] == "read_json" and options.get("lines"):
        yield from pd.read_json(path, dtype=False, convert_dates=False, chunksize=BLOCK_ROWS, **options)
    elif table["reader"] == "read_json":
        yield settled(pd.read_json(path, dtype=False, convert_dates=False, **options), table)
    elif table["reader"] == "read_excel":
        yield settled(pd.read_excel(path, dtype=object, **options), table)
    else:
        yield from parquet_blocks(path, table)


def parquet_blocks(path: Path, table: dict[str, Any]) -> Iterator[pd.DataFrame]:
    """Yield a Parquet file in blocks; whole where its index becomes columns, which only the whole file tells."""
    if table["reset_index"] == "keep":
        yield settled(pd.read_parquet(path), table)
        return
    from pyarrow.parquet import ParquetFile

    for batch in ParquetFile(path).iter_batches(batch_size=BLOCK_ROWS):
        yield batch.to_pandas(ignore_metadata=True)


def settled(frame: pd.DataFrame, table: dict[str, Any]) -> pd.DataFrame:
    """Return a frame with the plain index that the profile of the table speaks of."""
    return frame.reset_index(drop=table["reset_index"] != "keep")


def texts_of(values: pd.Series) -> pd.Series:
    """Return cells as text, missing ones as empty text."""
    return values.map(lambda value: "" if is_missing(value) else str(value)).astype(object)


def is_missing(value: Any) -> bool:
    """Return whether a cell holds nothing."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def fits(frame: pd.DataFrame, asked: dict[str, Any]) -> pd.Series:
    """Return which rows fit the filter; one of the forms contains, equals, empty, numbers, dates, texts."""
    form, low, high = asked["form"], asked["low"], asked["high"]
    texts = texts_of(frame[asked["column"]])
    if form == "contains":
        return texts.str.casefold().str.contains(low.casefold(), regex=False)
    if form == "equals":
        return texts.str.strip() == low.strip()
    if form == "empty":
        return texts.str.strip() == ""
    values, ends = texts, [low, high]
    if form == "numbers":
        if asked["decimal"] == ",":
            texts = texts.str.replace(",", ".", regex=False)
        values, ends = pd.to_numeric(texts, errors="coerce"), [float(end) if end else None for end in ends]
    elif form == "dates":
        values = pd.to_datetime(texts, format=asked["date_format"] or "ISO8601", errors="coerce", utc=True)
        ends = [pd.Timestamp(end, tz="UTC") if end else None for end in ends]
        if high and len(high) == len("2024-01-31"):  # a day that is the last one counts to its end
            ends[1] += pd.Timedelta(days=1) - pd.Timedelta(1, "us")
    chosen = values.notna() & (texts != "")
    if low:
        chosen &= values >= ends[0]
    if high:
        chosen &= values <= ends[1]
    return chosen


def page_of(asked: dict[str, Any]) -> dict[str, Any]:
    """Return one page of rows: their numbers in the table, their cells, and how many rows there are in all."""
    offset, count, names = asked["offset"], asked["count"], asked["columns"][:MOST_COLUMNS]
    numbers: list[int] = []
    kept: list[pd.DataFrame] = []
    seen = found = 0
    for block in blocks_of(asked["table"]):
        frame = block.set_axis([str(name) for name in block.columns], axis="columns").reset_index(drop=True)
        chosen = frame.assign(**{asked["column"]: None}) if asked["column"] not in frame else frame
        places = frame.index[fits(chosen, asked)] if asked["form"] else frame.index
        wanted = places[max(offset - found, 0) : max(offset + count - found, 0)]
        if len(wanted):
            numbers += [seen + int(place) + 1 for place in wanted]
            kept.append(frame.loc[wanted].reindex(columns=names))
        seen, found = seen + len(frame), found + len(places)
        if not asked["form"] and found >= offset + count:
            found = max(found, asked["rows"])
            break
    size = max(min(PAGE_CHARS // max(len(numbers) * len(names), 1), MOST_CELL_CHARS), LEAST_CELL_CHARS)
    rows = [[shown(value, size) for value in row] for frame in kept for row in frame.itertuples(index=False, name=None)]
    return {"total": found, "numbers": numbers, "rows": rows, "cell_chars": size}


def shown(value: Any, size: int) -> str | None:
    """Return a cell as text, a long one cut; None where nothing is."""
    return None if is_missing(value) else str(value)[: size + 1].encode("utf-8", "replace").decode("utf-8")


def show_rows(asked: dict[str, Any]) -> None:
    """Print the page as one line of ASCII JSON."""
    print(json.dumps(page_of(asked), ensure_ascii=True))
