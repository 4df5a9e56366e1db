"""Profiles of small invented tables, made by the text that runs in the sandbox, executed here: the data are our own."""

import json
import sys
import types
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from authoring.seeds.meanings import infer_semantics
from authoring.seeds.profile import Profile, parse_profile
from authoring.seeds.profiling import PROFILE_PARTS, cell_source
from authoring.seeds.semantics import ColumnMeaning, TableMeaning


@cache
def _cell() -> types.ModuleType:
    module = types.ModuleType("profile_cell_under_test")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    source = "\n".join(cell_source(part) for part in PROFILE_PARTS)
    exec(compile(source, module.__name__, "exec"), module.__dict__)
    return module


def profile_of(folder: Path, **tables: Mapping[str, Any] | pd.DataFrame) -> Profile:
    """Write tables as CSV files, read them as the sandbox does, and describe them."""
    cell, found = _cell(), []
    for name, columns in tables.items():
        path = folder / f"{name}.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        found += cell.read_delimited(path)
    described = [cell.describe_table(table) for table in found]
    keys = cell.foreign_keys(found, described)
    return parse_profile(json.dumps({"tables": described, "foreign_keys": keys, "images": [], "version": 2}))


def meaning_of(folder: Path, name: str, columns: Mapping[str, Any] | pd.DataFrame, **about: str) -> TableMeaning:
    """Return what the rules make of one table."""
    return infer_semantics(profile_of(folder, **{name: columns}), **about).tables[0]  # type: ignore[arg-type]  # texts


def column(table: TableMeaning, name: str) -> ColumnMeaning:
    """Return the meaning of a column that must be there."""
    found = table.column(name)
    assert found is not None, name
    return found
