"""Tasks that bring a file into the session."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnProfile, TableProfile
from authoring.templates.board import Board, Frame, Slots
from authoring.templates.family import Task, count_slot, family, text_slot
from authoring.templates.names_in_words import code, free_name, is_quotable, literal, names, slug
from authoring.templates.phrasebook import (
    DECIMAL_COMMA,
    DEFAULT_SETTINGS,
    INDEX_DROPPED,
    INDEX_KEPT,
    LEAVE_OUT,
    OTHER_SEPARATOR,
    READ_SHEET,
    RECORD_PER_LINE,
    SEPARATED_BY,
    SEPARATORS,
    TEXT_COLUMN_NAMES,
    WHOLE_FILE_TYPES,
)
from authoring.templates.phrases import Said
from evaluator.errors import ContentError

BYTES_PER_SECOND: Final = {"read_csv": 15e6, "read_json": 5e6, "read_parquet": 20e6, "read_excel": 0.15e6}
STARTUP_S: Final = {"read_excel": 1.5, "read_parquet": 0.5}  # the reader imports a library first
COMPARABLE: Final = {"str", "int", "float", "bool"}  # kinds of values that a mixed column may hold


def is_comparable(column: ColumnProfile) -> bool:
    """Return whether the values of a column can be compared; others are left out at loading."""
    return not column.nested and set(column.kinds) <= COMPARABLE and not _exotic(column)


def _exotic(column: ColumnProfile) -> bool:
    return column.dtype.startswith(("timedelta", "period", "interval", "complex", "decimal"))


def main_table(board: Board) -> int:
    """Return the position of the table that most questions are about: one that points to others, else the largest."""
    tables = board.profile.tables
    pointing = {key.table for key in board.profile.foreign_keys}

    def weight(position: int) -> tuple[bool, int, int]:
        table = tables[position]
        usable = sum(is_quotable(c.name) and is_comparable(c) and c.distinct > 1 for c in table.columns)
        return (position in pointing, min(table.rows, 1000) * usable, -position)

    return max(range(len(tables)), key=weight)


def table_title(table: TableProfile) -> str:
    """Return what the table is called: its sheet, else its file without suffix."""
    return table.sheet if table.sheet and "sheet_name" in table.options else Path(table.file).stem


def read_call(table: TableProfile) -> str:
    """Return the pandas call that reads the table."""
    arguments = [literal(f"inputs/{table.file}")]
    arguments += [f"{key}={literal(value)}" for key, value in table.options.items()]
    call = f"pd.{table.reader}({', '.join(arguments)})"
    if table.reset_index:
        call += ".reset_index(drop=True)" if table.reset_index == "drop" else ".reset_index()"
    if table.string_columns:
        call += ".rename(columns=str)"
    left_out = [column.name for column in table.columns if not is_comparable(column)]
    return call + (f".drop(columns={literal(left_out)})" if left_out else "")


def how_to_read(table: TableProfile) -> list[Said]:
    """Return the sentences about how a file is read."""
    options: dict[str, Any] = dict(table.options)
    said: list[Said] = []
    if "sep" in options:
        said.append(SEPARATED_BY(separator=SEPARATORS.get(str(options["sep"]), OTHER_SEPARATOR())))
    if "decimal" in options:
        said.append(DECIMAL_COMMA())
    if "lines" in options:
        said.append(RECORD_PER_LINE())
    if "sheet_name" in options:
        said.append(READ_SHEET(sheet=code(str(options["sheet_name"]))))
    if "low_memory" in options:
        said.append(WHOLE_FILE_TYPES())
    if table.reset_index:
        said.append(INDEX_DROPPED() if table.reset_index == "drop" else INDEX_KEPT())
    if table.string_columns:
        said.append(TEXT_COLUMN_NAMES())
    left_out = [column.name for column in table.columns if not is_comparable(column)]
    if left_out:
        said.append(LEAVE_OUT(columns=names(left_out)))
    return said or [DEFAULT_SETTINGS()]


def propose_load(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Load the main table first; another one only when a foreign key of the main one points to it."""
    if not board.loaded:
        table = main_table(board)
        title = slug(table_title(board.profile.tables[table]))
        own = {column.name for column in board.profile.tables[table].columns}
        for base in rng.sample(["df", title or "data", title or "table"], 3):
            yield {"table": table, "var": free_name("data" if base in own else base, own)}
        return
    for key in board.profile.foreign_keys:
        if key.table in board.loaded and key.to_table not in board.loaded:
            title = slug(table_title(board.profile.tables[key.to_table])) or "other"
            yield {"table": key.to_table, "var": board.free(title)}


@family(
    theme="loading",
    knowledge_points=("reading files",),
    idea="Load {file} into {frame}",
    wordings=(
        "Load {file} into a DataFrame called {frame} with {reader} and return its shape, a tuple (rows, columns).",
        "Read the file {file} with {reader}, store the resulting DataFrame as {frame}, and return its shape.",
        "Our data is in {file}. Read the file with {reader} into a DataFrame named {frame} and show me its shape, "
        "that is, the tuple of the number of rows and the number of columns.",
    ),
    propose=propose_load,
    limit=3,
)
def load_table(board: Board, slots: Slots) -> Task:
    """Read one table into a variable and show its shape."""
    position = count_slot(slots, "table")
    if position >= len(board.profile.tables):
        raise ContentError(f"slot 'table' is {position}", fix=f"write 0 to {len(board.profile.tables) - 1}")
    table, var = board.profile.tables[position], text_slot(slots, "var")
    if not var.isidentifier() or board.free(var) != var:
        raise ContentError(f"slot 'var' is {var!r}", fix=f"write a free variable name, such as {board.free('data')!r}")
    columns = tuple(column for column in table.columns if is_comparable(column))
    frame = Frame(var, columns, table.rows, position, board.step, duplicates=table.duplicate_rows)
    after = board.with_frame(frame, main=not board.main)
    return Task(
        words={"file": code(f"inputs/{table.file}"), "frame": code(var), "reader": code(f"pandas.{table.reader}")},
        notes=tuple(how_to_read(table)),
        body=f"{var} = {read_call(table)}",
        result=f"{var}.shape",
        stores=() if frame.is_big else (var,),
        cost=table.size_bytes / BYTES_PER_SECOND[table.reader] * 200_000 / max(table.rows, 1),
        startup_s=STARTUP_S.get(table.reader, 0.0),
        board=replace(after, loaded=(*board.loaded, position)),
    )
