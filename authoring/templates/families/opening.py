"""Families that bring the files into the session, all in one step."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnProfile, ColumnRole, TableProfile, is_quotable
from authoring.seeds.semantics import ColumnMeaning, Meaning
from authoring.templates.board import Board, Column, Focus, Frame, Slots
from authoring.templates.family import Form, Mistake, Task, at, count_slot, family, text_slot
from authoring.templates.names_in_words import code, free_name, literal, names, shown, slug
from authoring.templates.phrasebook import (
    ALSO_READ,
    DATES_PARSED,
    DATES_WRITTEN,
    DECIMAL_COMMA,
    ENCODED,
    INDEX_DROPPED,
    INDEX_KEPT,
    LEAVE_OUT,
    OTHER_SEPARATOR,
    PERIODS,
    READ_SHEET,
    RECORD_PER_LINE,
    SEPARATED_BY,
    SEPARATORS,
    TEXT_COLUMN_NAMES,
    WHOLE_FILE_TYPES,
)
from authoring.templates.phrases import Said, Sentences
from evaluator.errors import ContentError

BYTES_PER_SECOND: Final = {"read_csv": 15e6, "read_json": 5e6, "read_parquet": 20e6, "read_excel": 0.15e6}
STARTUP_S: Final = {"read_excel": 1.5, "read_parquet": 0.5}  # the reader imports a library first
COMPARABLE: Final = {"str", "int", "float", "bool"}  # kinds of values that a mixed column may hold
MAX_TABLES: Final = 3
DAYS: Final = {"hour": 0, "day": 1, "week": 7, "month": 28, "quarter": 90, "year": 365}


def is_comparable(column: ColumnProfile) -> bool:
    """Return whether the values of a column can be compared; others are left out at loading."""
    exotic = column.dtype.startswith(("timedelta", "period", "interval", "complex", "decimal"))
    return not column.nested and set(column.kinds) <= COMPARABLE and not exotic


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
    """Return the sentences about how a file is read; none where pandas' defaults do."""
    options: dict[str, Any] = dict(table.options)
    said: list[Said] = []
    if "encoding" in options:
        said.append(ENCODED(encoding=code(str(options["encoding"]))))
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
    return said


def written_dates(board: Board, position: int) -> list[ColumnProfile]:
    """Return the columns of a table that hold dates as text or digits whose form is clear."""
    meaning = board.semantics.tables[position]
    found = []
    for column in board.profile.tables[position].columns:
        means = meaning.column(column.name)
        is_time = means is not None and means.meaning is Meaning.TIME and not means.is_part
        if column.date_format and is_time and column.role is ColumnRole.DATE and is_quotable(column.name):
            found.append(column)
    return found


def frame_of(board: Board, position: int, var: str) -> Frame:
    """Return the frame that a table becomes when it is loaded, dates parsed."""
    table, meaning = board.profile.tables[position], board.semantics.tables[position]
    parsed = {column.name for column in written_dates(board, position)}
    columns = []
    for about in table.columns:
        if is_comparable(about):
            means = meaning.column(about.name) or ColumnMeaning(name=about.name, meaning=Meaning.OTHER)
            about = replace(about, date_format="") if about.name in parsed else about
            parts = next((one.parts for one in table.sums if one.total == about.name), ())
            columns.append(Column(about=about, means=means, made_by=board.step, sources=parts))
    kept = {column.name for column in columns}
    return Frame(
        var=var,
        columns=tuple(columns),
        rows=table.rows,
        table=position,
        made_by=board.step,
        noun=meaning.rows,
        order=tuple(name for name in meaning.order if name in kept),
        entity=tuple(name for name in meaning.entity if name in kept),
        likes=tuple(name for name in meaning.groups if name in kept),
        duplicates=table.duplicate_rows if meaning.repeats_are_errors else 0,
        decided=frozenset(table.decided_by),
        links={frozenset((link.first, link.second)): link for link in table.links},
    )


def linked_tables(board: Board, position: int) -> list[int]:
    """Return the other tables that the main one points to, nearest first."""
    keys = [key for key in board.profile.foreign_keys if key.table == position]
    return list(dict.fromkeys(key.to_table for key in keys if key.to_table != position))


def propose_load(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """The main table and those it points to, in one step."""
    if board.loaded:
        return
    table = main_table(board)
    title = slug(table_title(board.profile.tables[table]))
    taken = {column.name for one in board.profile.tables for column in one.columns}
    var = free_name(f"{title}_data" if title in taken else title or "data", taken)
    linked = linked_tables(board, table)
    others = rng.sample(linked, min(len(linked), MAX_TABLES - 1))
    named: dict[str, str] = {}
    for other in sorted(others):
        base = slug(table_title(board.profile.tables[other])) or "other"
        named[str(other)] = free_name(base, {*taken, var, *named.values()})
    yield {"table": table, "var": var, "others": named}


@family(
    theme="opening",
    knowledge_points=("reading files",),
    idea="Load {file} into {frame}",
    wordings=(
        "Load {file} into a DataFrame {frame}.{notes} How many rows and columns does {frame} have?",
        "Our data are in {file}. Read the file into a DataFrame called {frame}.{notes} Then tell me the shape of "
        "{frame}.",
    ),
    propose=propose_load,
    about=(),
)
def load_tables(board: Board, slots: Slots) -> Task:
    """Read the main table and those it points to, and show the shape of the main one."""
    position, var = _table_slot(board, slots), text_slot(slots, "var")
    if not var.isidentifier() or board.free(var) != var:
        raise ContentError(f"slot 'var' is {var!r}", fix=f"write a free variable name, such as {board.free('data')!r}")
    table = board.profile.tables[position]
    frame = frame_of(board, position, var)
    after = replace(board.with_frame(frame, main=True), loaded=(position,), focus=_focus(slots))
    after = _as_periods(after, frame)
    lines, notes, plain = [f"{var} = {read_call(table)}"], how_to_read(table), list[str]()
    stores = {var: frame}
    for key, other_var in _mapping_slot(slots, "others").items():
        if not str(key).isdecimal() or not str(other_var).isidentifier():
            what = f"slot 'others' is {slots['others']!r}"
            raise ContentError(what, fix="write numbers of tables, each with the name of a variable")
        other = _position(board, int(key))
        stores[str(other_var)] = frame_of(board, other, str(other_var))
        after = after.with_frame(stores[str(other_var)])
        after = replace(after, loaded=(*after.loaded, other))
        about = board.profile.tables[other]
        lines.append(f"{other_var} = {read_call(about)}")
        notes += [ALSO_READ(file=code(f"inputs/{about.file}"), frame=code(str(other_var))), *how_to_read(about)]
    plain = list(lines)
    for name, made in stores.items():
        dates = written_dates(board, made.table)
        if dates:
            notes.append(DATES_PARSED(columns=names(c.name for c in dates)))
        for column in dates:
            lines.append(f"{at(name, column.name)} = {_parsed(name, column)}")
            if column.date_unclear or "%Y" not in column.date_format[:2]:
                example = code(shown(column.samples[0]).strip('"')) if column.samples else ""
                notes.append(DATES_WRITTEN(column=code(column.name), example=example, format=column.date_format))
    unparsed = Mistake("\n".join([*plain, f"{var}.shape"]), "the dates are left as text")
    return Task(
        words={"file": code(f"inputs/{table.file}"), "frame": code(var), "notes": Sentences(tuple(notes))},
        body="\n".join(lines),
        result=f"{var}.shape",
        form=Form.VALUE,
        stores=tuple(stores),
        makes={name: tuple(c.name for c in made.columns) for name, made in stores.items() if made.is_big},
        mistakes=(unparsed,) if len(lines) > len(plain) else (),
        cost=table.size_bytes / BYTES_PER_SECOND[table.reader] * 200_000 / max(table.rows, 1),
        startup_s=STARTUP_S.get(table.reader, 0.0),
        board=after,
    )


def _table_slot(board: Board, slots: Slots) -> int:
    return _position(board, count_slot(slots, "table"))


def _position(board: Board, position: int) -> int:
    if position >= len(board.profile.tables):
        raise ContentError(f"slot 'table' is {position}", fix=f"write 0 to {len(board.profile.tables) - 1}")
    return position


def _as_periods(board: Board, frame: Frame) -> Board:
    """Return the board with a series as a table of periods, which it is already: one row each, in order of time."""
    times = [c for c in frame.times() if c.name in frame.order and c.about.sorted and not c.missing]
    numbers = [c for c in frame.numbers() if not c.missing]
    grain = times[0].means.granularity if times else ""
    if not (frame.is_series and len(frame.order) == len(times) == 1 and numbers and grain in PERIODS):
        return board
    number = next((c for c in numbers if c.name == board.focus.measure), numbers[0])
    return board.with_result(
        frame.var,
        "period table",
        frame=frame.var,
        number=number.name,
        period=grain,
        column=times[0].name,
        value=number.name,
        typical=number.about.mean,
        count=frame.rows,
        low=number.about.min,
        dated=False,
    )


def _focus(slots: Slots) -> Focus:
    told = _mapping_slot(slots, "focus")
    return Focus(**{key: str(value) for key, value in told.items() if key in vars(Focus())})


def _mapping_slot(slots: Slots, key: str) -> Mapping[str, Any]:
    value = slots.get(key) or {}
    if not isinstance(value, Mapping):
        raise ContentError(f"slot {key!r} is {value!r}", fix="write names with values, or leave it out")
    return value


def _parsed(var: str, column: ColumnProfile) -> str:
    text = at(var, column.name)
    text = f"{text}.astype(str)" if not column.max_length else text
    return f"pd.to_datetime({text}, format={literal(column.date_format)})"
