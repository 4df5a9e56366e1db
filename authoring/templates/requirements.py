"""What tables must hold to be asked about, and the refusal that says which kind of column is missing."""

from collections import Counter
from typing import Final

from authoring.seeds import is_quotable
from authoring.templates.board import MIN_VALUES, Board
from authoring.templates.families.opening import frame_of, main_table
from authoring.templates.planning import MIN_PROBLEMS
from evaluator.errors import ContentError, InputError

MIN_ROWS: Final = 8
NUMBERS: Final = f"a column of numbers that measures something and has at least {MIN_VALUES} different values"
GROUPS: Final = "a column of few values that divides its rows into groups"
SAY_NUMBER: Final = "that a column of numbers is a measure, a count, money or a rate"
SAY_GROUP: Final = "that a column of few values is a category, a flag or an ordinal"


def check_profile(board: Board) -> None:
    """Refuse tables of which no problem with one clear answer can be made.

    Raises:
        InputError: If there is none with enough rows and columns.
    """
    if not board.profile.tables:
        raise InputError("the seed has no table", fix="add a data file")
    table = board.profile.tables[main_table(board)]
    if table.rows < MIN_ROWS:
        rows = "1 row" if table.rows == 1 else f"{table.rows} rows"
        what = f"{table.file!r} has {rows}: too few for problems whose answers cannot be guessed"
        raise InputError(what, where=table.file, fix=f"use a table with at least {MIN_ROWS} rows, better 50 or more")
    if len(table.columns) < 2:
        what = f"{table.file!r} has one column: nothing can be compared with anything, so it carries no analysis"
        raise InputError(what, where=table.file, fix="use a table with a measure and something to compare it by")


def no_thread(board: Board, count: int, *, avoided: bool = False) -> ContentError:
    """Return the refusal of tables that carry no thread: what they lack, and what to do about it on the seed's page.

    Args:
        board: The state before anything is loaded.
        count: Problems that could be made.
        avoided: Whether problems that other sketches hold were left out.
    """
    table = board.profile.tables[main_table(board)]
    if avoided:
        what = f"only {count} problems can be made of {table.file!r} that other sketches of it do not hold"
        return ContentError(what, where=table.file, fix="use another seed, or let some problems repeat")
    what = f"{table.file!r} carries a thread of only {count} problems, {MIN_PROBLEMS} are needed: "
    lacking = missing_columns(board)
    unnamed = sum(not is_quotable(column.name) for column in table.columns)
    if unnamed:
        what += f"{_found(board)}; {unnamed} of them cannot be named in a query"
        return ContentError(what, where=table.file, fix="rename these columns: `benchwright seed show` lists them")
    if lacking:
        what += f"it lacks {', and '.join(lacking)}"
        wishes = " or ".join(SAY_NUMBER if one == NUMBERS else SAY_GROUP for one in lacking)
        fix = f"add such a column, or say under Meaning, on the seed's page, {wishes}"
        return ContentError(what, where=table.file, fix=fix)
    fix = (
        "add rows or more varied values, or say under Meaning, on the seed's page, what its columns mean: a thread "
        "needs a measure and groups or moments to compare it by"
    )
    return ContentError(what + _found(board), where=table.file, fix=fix)


def missing_columns(board: Board) -> list[str]:
    """Return the kinds of column that the main table lacks, of those that most questions need, in words."""
    frame = frame_of(board, main_table(board), "table")
    lacking = [] if frame.numbers() else [NUMBERS]
    if not frame.groups() and not frame.entities() and not frame.order:
        lacking.append(GROUPS)
    return lacking


def _found(board: Board) -> str:
    """Return what the columns of the main table mean, counted."""
    position = main_table(board)
    kinds = Counter(str(column.meaning) for column in board.semantics.tables[position].columns)
    found = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "nothing"
    return f"its {board.profile.tables[position].rows:,} rows have columns that mean {found}"
