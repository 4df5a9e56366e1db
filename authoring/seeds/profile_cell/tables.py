"""Last part of the profile cell: describes tables and their relations and prints one JSON object."""

import json
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:  # in the session these names stand already: the parts run one after the other
    from authoring.seeds.profile_cell.columns import describe_column  # noqa: TC004
    from authoring.seeds.profile_cell.personal import personal_forms  # noqa: TC004
    from authoring.seeds.profile_cell.reading import RefusedError, Table, read_pictures, read_tables  # noqa: TC004
    from authoring.seeds.profile_cell.relations import describe_relations  # noqa: TC004

KEY_ROLES = {"id", "category", "text", "number"}
MIN_COVERAGE = 0.9
SAMPLE_COLUMNS = 40  # the first ones; of very wide tables a row says little
SAMPLE_CHARS = 40  # of one cell


def duplicate_rows(frame: pd.DataFrame, columns: list[dict[str, Any]]) -> int:
    """Count the rows that repeat an earlier row; nested columns cannot be compared and are left out."""
    flat = [column["name"] for column in columns if not column.get("nested")]
    return int(frame[flat].duplicated().sum()) if flat else 0


def sample_rows(frame: pd.DataFrame) -> list[list[str | None]]:
    """Return the first three rows, one from the middle and the last, cells as text, None where one is missing."""
    count = len(frame)
    places = sorted({0, 1, 2, count // 2, count - 1} & set(range(count)))
    shown = frame.iloc[places, :SAMPLE_COLUMNS]
    return [[sample_cell(shown.iat[row, column]) for column in range(shown.shape[1])] for row in range(len(places))]


def sample_cell(value: Any) -> str | None:
    """Return a cell as text, a long one clipped; None where it is missing."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    text = str(value)
    return text if len(text) <= SAMPLE_CHARS else f"{text[: SAMPLE_CHARS - 3]}..."


def describe_table(table: "Table") -> dict[str, Any]:
    """Return the description of one table."""
    frame = table.frame
    columns = [describe_column(name, frame[name]) for name in frame.columns]
    for column in columns:
        full = column["missing"] == 0 and column["distinct"] == len(frame)
        whole = column["role"] != "number" or column.get("integer", False)
        column["candidate_key"] = bool(full and whole and column["role"] in KEY_ROLES)
        column["personal"] = personal_forms(column["name"], frame[column["name"]])
    return {
        "file": table.file,
        "sheet": table.sheet,
        "reader": table.reader,
        "options": table.options,
        "reset_index": table.reset_index,
        "string_columns": table.string_columns,
        "rows": len(frame),
        "columns": columns,
        "duplicate_rows": duplicate_rows(frame, columns),
        "sample_rows": sample_rows(frame),
        **describe_relations(frame, columns),
        "short_rows": table.short_rows,
    }


def kind_of(column: pd.Series) -> str:
    """Return the kind of values a key holds; only equal kinds can join."""
    return "number" if pd.api.types.is_numeric_dtype(column.dtype) else "text"


def alike(name: str, key: str, table: str) -> bool:
    """Return whether a column's name suggests that it points to `key` of `table`."""
    name, key, stem = (one.strip().lower().replace(" ", "_") for one in (name, key, table.rsplit(".", 1)[0]))
    return name == key or name in {f"{stem}_{key}", f"{stem.rstrip('s')}_{key}", f"{stem}_id", f"{stem.rstrip('s')}_id"}


def foreign_keys(tables: "list[Table]", described: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the columns whose values are found among a key column of another table."""
    found = []
    for target, about in zip(tables, described, strict=True):
        for key in [column for column in about["columns"] if column["candidate_key"]][:20]:
            values = target.frame[key["name"]]
            known = set(values)
            for source, whence in zip(tables, described, strict=True):
                if source is target:
                    continue
                for column in whence["columns"]:
                    if column["role"] not in KEY_ROLES or column["distinct"] < 2:
                        continue
                    own = source.frame[column["name"]].dropna()
                    if not alike(column["name"], key["name"], target.file) or kind_of(own) != kind_of(values):
                        continue
                    coverage = float(own.isin(known).mean())
                    if coverage >= MIN_COVERAGE or (coverage >= 0.5 and column["name"] == key["name"]):
                        found.append(
                            {
                                "table": described.index(whence),
                                "column": column["name"],
                                "to_table": described.index(about),
                                "to_column": key["name"],
                                "coverage": round(coverage, 6),
                            }
                        )
    return found


def describe_files(files: list[str]) -> dict[str, Any]:
    """Return the whole profile, or the refusal of one file."""
    try:
        tables, images = read_tables(files), read_pictures(files)
    except RefusedError as error:
        return {"refused": {"file": error.file, "what": error.what, "fix": error.fix}}
    described = [describe_table(table) for table in tables]
    return {"tables": described, "foreign_keys": foreign_keys(tables, described), "images": images}


def show_profile(files: list[str]) -> None:
    """Print the profile as one line of ASCII JSON."""
    print(json.dumps(describe_files(files), ensure_ascii=True, allow_nan=False))
