"""Second part of the profile cell: reads the files under `inputs/` into frames or refuses them in plain words."""

import csv
import io
import itertools
import json
import re
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:  # in the session these names stand already: the parts run one after the other
    from authoring.seeds.profile_cell.signatures import disguise, encoding_of, has_utf8_mark, unreadable  # noqa: TC004

HEAD_CHARACTERS = 200_000
MAX_COLUMNS = 500
MAX_NAME = 500  # characters of a column's name
MAX_LINES = 6  # of rows that are too long, named in a refusal
MAX_PIXELS = 100_000_000
PICTURES = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}


class RefusedError(Exception):
    """A file that cannot become a table: what is wrong and what its owner can do."""

    def __init__(self, file: str, what: str, fix: str) -> None:
        super().__init__(what)
        self.file, self.what, self.fix = file, what, fix


@dataclass
class Table:
    """One frame with the pandas call that reads it."""

    file: str
    frame: pd.DataFrame
    reader: str
    options: dict[str, Any] = field(default_factory=dict)
    sheet: str = ""
    reset_index: str = ""  # keep: the reader's own index becomes columns; drop: it goes
    string_columns: bool = False
    short_rows: int = 0  # that a reader filled up with missing values


def short(error: BaseException) -> str:
    """Return the first line of an exception's message, cut to a readable length."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def check_form(path: Path) -> None:
    """Refuse a file that is something else than the end of its name says."""
    form = disguise(path)
    if form is not None:
        raise RefusedError(path.name, f"is {form.name}", form.fix)


def check_text(path: Path) -> str:
    """Return the encoding that a text file states by its mark, empty for UTF-8; refuse one in another."""
    encoding = encoding_of(path)
    fault = unreadable(path, encoding)
    if fault is not None:
        raise RefusedError(path.name, fault.what, fault.fix)
    return encoding


def head_rows(path: Path, delimiter: str, encoding: str) -> list[list[str]]:
    """Return the first rows that are not blank, as the csv module splits them at `delimiter`."""
    with path.open(encoding=encoding or "utf-8-sig", newline="") as stream:
        head = stream.read(HEAD_CHARACTERS)
    csv.field_size_limit(10_000_000)
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    try:
        rows = [row for row in itertools.islice(reader, 200) if any(cell.strip() for cell in row) or len(row) > 1]
    except csv.Error:
        return []
    return rows[:-1] if len(head) == HEAD_CHARACTERS and len(rows) > 2 else rows


def sniff_delimiter(path: Path, encoding: str) -> str:
    """Return the delimiter under which the first rows have the steadiest number of fields."""
    default = "\t" if path.suffix.lower() in {".tsv", ".tab"} else ","
    best, best_score = default, (0.0, 0)
    for delimiter in sorted(DELIMITERS, key=lambda one: one != default):
        widths = [len(row) for row in head_rows(path, delimiter, encoding)]
        if not widths or widths[0] < 2:
            continue
        share = Counter(widths)[widths[0]] / len(widths)
        if (round(share, 2), widths[0]) > best_score:
            best, best_score = delimiter, (round(share, 2), widths[0])
    return best


def check_header(file: str, names: list[str]) -> None:
    """Refuse a header without names or with a name used twice."""
    if not any(name.strip() for name in names):
        fix = "write one name per column in the first line"
        raise RefusedError(file, "has an empty header line", fix)
    repeated = sorted(name for name, times in Counter(names).items() if times > 1 and name.strip())
    if repeated:
        shown = ", ".join(repr(name) for name in repeated[:5])
        raise RefusedError(file, f"uses column names more than once: {shown}", "give every column its own name")


def uses_decimal_comma(rows: list[list[str]], delimiter: str) -> bool:
    """Return whether a column separated by something else than a comma writes its decimals with one."""
    if delimiter == ",":
        return False
    columns = itertools.zip_longest(*rows[1:], fillvalue="")
    for cells in columns:
        filled = [cell.strip() for cell in cells if cell.strip()]
        numbers = [cell for cell in filled if re.fullmatch(r"-?\d+(,\d+)?", cell)]
        if numbers and len(numbers) == len(filled) and any(re.fullmatch(r"-?\d+,(\d{1,2}|\d{4,})", c) for c in filled):
            return True
    return False


def read_delimited(path: Path) -> list[Table]:
    """Read a CSV or TSV file with the options that it needs."""
    encoding = check_text(path)
    delimiter = sniff_delimiter(path, encoding)
    rows = head_rows(path, delimiter, encoding)
    if not rows:
        raise RefusedError(path.name, "holds no table", "give a file with a header line and at least one row")
    check_header(path.name, rows[0])
    options: dict[str, Any] = {"encoding": encoding} if encoding else {}
    if delimiter != ",":
        options["sep"] = delimiter
    if uses_decimal_comma(rows, delimiter):
        options["decimal"] = ","
    frame = read_csv(path, options)
    wider = len(rows) > 1 and min(map(len, rows[1:])) > len(rows[0])  # pandas would take the first field as an index
    if wider or not frame.index.equals(pd.RangeIndex(len(frame))):
        what = f"has rows with more fields than its header names ({len(rows[0])})"
        raise RefusedError(path.name, what, "make every row as long as the header line")
    short = short_rows(path, delimiter, encoding) if len(frame) and frame.iloc[:, -1].isna().any() else 0
    return [Table(path.name, frame, "read_csv", options, short_rows=short)]


def read_csv(path: Path, options: dict[str, Any]) -> pd.DataFrame:
    """Return what pandas reads; `options` take in what it needs for types that are the same each time."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            frame = pd.read_csv(path, **options)
    except pd.errors.ParserError as error:
        raise ragged(path, error, options) from None
    if any(issubclass(one.category, pd.errors.DtypeWarning) for one in caught):
        options["low_memory"] = False
        frame = pd.read_csv(path, **options)
    return frame


def ragged(path: Path, error: Exception, options: dict[str, Any]) -> RefusedError:
    """Return the refusal of a file that pandas cannot split into columns."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
    if found is not None:
        fix = "put quotation marks around fields that hold the separator, and make every row as long as the header line"
        lines = long_rows(path, options, int(found[1])) or [int(found[2])]
        what = f"has {found[3]} fields on line {lines[0]}, where its header has {found[1]}"
        if len(lines) > 1:
            named = ", ".join(map(str, lines[1:MAX_LINES])) + (", ..." if len(lines) > MAX_LINES else "")
            rows = (
                "1 other row is too long: line" if len(lines) == 2 else f"{len(lines) - 1:,} others are too long: lines"
            )
            what += f"; {rows} {named}"
        return RefusedError(path.name, what, fix)
    if "EOF inside string" in str(error):
        return RefusedError(path.name, f"opens a quotation mark and does not close it: {short(error)}", "close it")
    return RefusedError(path.name, f"cannot be split into columns: {short(error)}", "save it once more as CSV")


def long_rows(path: Path, options: dict[str, Any], width: int) -> list[int]:
    """Return the lines, as an editor counts them, on which rows begin that have more fields than the header."""
    found, before = [], 0
    with path.open(encoding=options.get("encoding") or "utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, delimiter=options.get("sep", ","))
        try:
            for row in reader:
                if len(row) > width:
                    found.append(before + 1)
                before = reader.line_num
        except csv.Error:  # pandas reads what this reader does not
            return found
    return found


def short_rows(path: Path, delimiter: str, encoding: str) -> int:
    """Count the rows with fewer fields than the header, which pandas fills with missing values."""
    with path.open(encoding=encoding or "utf-8-sig", newline="") as stream:
        widths = (len(row) for row in csv.reader(stream, delimiter=delimiter) if row)
        try:
            header = next(widths, 0)
            return sum(width < header for width in widths)
        except csv.Error:  # pandas reads what this reader does not
            return 0


def read_json(path: Path) -> list[Table]:
    """Read a list of records, a mapping of columns, or JSON Lines."""
    encoding = check_text(path) or ("utf-8-sig" if has_utf8_mark(path) else "")  # without it pandas reads no JSON
    fix = 'write it as a list of records, [{"a": 1}, {"a": 2}], or one record a line (.jsonl)'
    text = path.read_text(encoding=encoding or "utf-8")
    lines = path.suffix.lower() in {".jsonl", ".ndjson"}
    if not lines:
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            if "Extra data" not in error.msg:
                raise RefusedError(path.name, f"is not valid JSON: {short(error)}", fix) from None
            lines = True
        else:
            records = isinstance(value, list) and all(isinstance(one, dict) for one in value)
            columns = isinstance(value, dict) and all(isinstance(one, (dict, list)) for one in value.values())
            if not (records or columns) or (isinstance(value, dict) and len({len(v) for v in value.values()}) > 1):
                raise RefusedError(path.name, "holds JSON that is no table", fix)
    options: dict[str, Any] = {"lines": True} if lines else {}
    options |= {"encoding": encoding} if encoding else {}
    return [Table(path.name, pd.read_json(path, **options), "read_json", options)]


def read_excel(path: Path) -> list[Table]:
    """Read every sheet that is not empty."""
    tables = []
    with pd.ExcelFile(path) as book:
        for number, sheet in enumerate(book.sheet_names):
            head = book.parse(sheet, header=None, nrows=1)
            if head.empty:
                continue
            check_header(path.name, ["" if pd.isna(cell) else str(cell) for cell in head.iloc[0]])
            options: dict[str, Any] = {"sheet_name": sheet} if number else {}
            frame = book.parse(sheet)
            if len(frame):
                tables.append(Table(path.name, frame, "read_excel", options, sheet=str(sheet)))
    if not tables:
        raise RefusedError(path.name, "holds no sheet with rows", "fill one sheet with a header line and rows")
    return tables


def read_parquet(path: Path) -> list[Table]:
    """Read one Parquet file."""
    return [Table(path.name, pd.read_parquet(path), "read_parquet")]


READERS = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".txt": read_delimited,
    ".json": read_json,
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".xlsx": read_excel,
    ".parquet": read_parquet,
}


def settle(table: Table) -> Table:
    """Give the frame a plain index and plain text column names, and refuse what is no table."""
    frame = table.frame
    if not isinstance(frame, pd.DataFrame) or isinstance(frame.columns, pd.MultiIndex):
        raise RefusedError(table.file, "has more than one header line", "keep one name per column")
    if not len(frame):
        raise RefusedError(table.file, "has 0 rows", "give a file with at least one row of data below the header")
    if not frame.notna().to_numpy().any():
        what = f"holds no value: all of its {len(frame):,} rows are missing values"
        raise RefusedError(table.file, what, "give a file with data below the header")
    if not frame.index.equals(pd.RangeIndex(len(frame))):
        named = all(name is not None for name in frame.index.names)
        frame, table.reset_index = frame.reset_index(drop=not named), "keep" if named else "drop"
    if not all(isinstance(name, str) for name in frame.columns):
        table.string_columns = True
        frame = frame.set_axis([str(name) for name in frame.columns], axis="columns")
    repeated = sorted(frame.columns[frame.columns.duplicated()])
    if repeated:
        raise RefusedError(table.file, f"uses column names more than once: {repeated[0]!r}", "name every column once")
    if max(map(len, frame.columns)) > MAX_NAME:
        raise RefusedError(table.file, f"has a column name of more than {MAX_NAME} characters", "shorten the name")
    if frame.shape[1] > MAX_COLUMNS:
        what = f"has {frame.shape[1]:,} columns; at most {MAX_COLUMNS} are read"
        raise RefusedError(table.file, what, "keep the columns that matter")
    table.frame = frame
    return table


def read_pictures(files: list[str]) -> list[dict[str, Any]]:
    """Return size and mode of the pictures; one that cannot be decoded refuses them all."""
    found = []
    for file in files:
        kind = PICTURES.get(Path(file).suffix.lower())
        if kind is None:
            continue
        from PIL import Image

        fix = "open it in the program that wrote it and save it again"
        check_form(Path("inputs") / file)
        try:
            with Image.open(Path("inputs") / file, formats=[kind]) as picture:
                if picture.width * picture.height > MAX_PIXELS:
                    raise RefusedError(file, f"has more than {MAX_PIXELS:,} pixels", "make it smaller")
                picture.load()
                found.append({"file": file, "width": picture.width, "height": picture.height, "mode": picture.mode})
        except RefusedError:
            raise
        except Exception as error:  # noqa: BLE001  whatever a decoder raises on a stranger's file is a refusal
            raise RefusedError(file, f"cannot be read as {kind}: {short(error)}", fix) from None
    return found


def read_tables(files: list[str]) -> list[Table]:
    """Read all files; the first one that is no table refuses them all."""
    tables: list[Table] = []
    for file in files:
        path = Path("inputs") / file
        if path.suffix.lower() in PICTURES:
            continue
        try:
            check_form(path)
            tables += [settle(table) for table in READERS[path.suffix.lower()](path)]
        except (RefusedError, MemoryError):
            raise
        except pd.errors.EmptyDataError:
            fix = "give a file with a header line and rows"
            raise RefusedError(file, "holds no table", fix) from None
        except Exception as error:  # noqa: BLE001  whatever a reader raises on a stranger's file is a refusal
            what = f"cannot be read as {path.suffix.lower().lstrip('.')}: {short(error)}"
            raise RefusedError(file, what, "open it in the program that wrote it and save it again") from None
    return tables
