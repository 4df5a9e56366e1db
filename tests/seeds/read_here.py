"""Runs the cells that read data files in this process: the same source text, without the session around it."""

import contextlib
import io
import os
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from authoring.seeds import profiling, seed_rows

HERE: Any = None  # instead of an engine, which nothing asks


@cache
def _defined(definitions: str) -> dict[str, Any]:
    """Return what the definitions of a cell leave, executed once: that takes as long as reading most of the files."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(definitions, "<cell>", "exec"), names)
    return names


def printed_here(engine: Any, source: str, folder: Path, *, limit_s: float, about: str) -> str:
    """Return what a cell prints that finds the files of `folder`; arguments as of `profiling.printed_by`."""
    said = io.StringIO()
    definitions, _, call = source.rstrip("\n").rpartition("\n")
    with TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.symlink(folder, Path(place) / "inputs")
        with contextlib.chdir(place), contextlib.redirect_stdout(said):
            exec(compile(call, "<cell>", "exec"), dict(_defined(definitions)))
    return said.getvalue()


@contextlib.contextmanager
def files_read_here() -> Iterator[None]:
    """Let seeds be profiled, and their rows read, without sessions: for tables of many cases."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (profiling, seed_rows):
            patch.setattr(module, "printed_by", printed_here)
        yield
