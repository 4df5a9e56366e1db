"""Profiles of small invented tables, read in this process: the data are our own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from authoring.seeds.meanings import infer_semantics
from authoring.seeds.profile import Profile
from authoring.seeds.profiling import build_profile
from authoring.seeds.semantics import ColumnMeaning, TableMeaning
from tests.seeds.read_here import HERE, files_read_here


def profile_of(folder: Path, **tables: Mapping[str, Any] | pd.DataFrame) -> Profile:
    """Write tables as CSV files, and describe them."""
    paths = [folder / f"{name}.csv" for name in tables]
    for path, columns in zip(paths, tables.values(), strict=True):
        pd.DataFrame(columns).to_csv(path, index=False)
    with files_read_here():
        return build_profile(HERE, paths)


def meaning_of(folder: Path, name: str, columns: Mapping[str, Any] | pd.DataFrame, **about: str) -> TableMeaning:
    """Return what the rules make of one table."""
    return infer_semantics(profile_of(folder, **{name: columns}), **about).tables[0]  # pyrefly: ignore[bad-argument-type]  # texts


def column(table: TableMeaning, name: str) -> ColumnMeaning:
    """Return the meaning of a column that must be there."""
    found = table.column(name)
    assert found is not None, name
    return found
