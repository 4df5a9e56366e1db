"""Factories for the tests of the language."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.diagnostics import Diagnostic
from evaluator.language import parse_problemset

Lint = Callable[..., tuple[Diagnostic, ...]]
WriteBenchmark = Callable[..., Path]


@pytest.fixture
def lint() -> Lint:
    """Return the diagnostics of a text; `problem=` wraps settings into a problem whose code is `x = 1`."""

    def diagnose(text: str = "", *, problem: str = "") -> tuple[Diagnostic, ...]:
        if problem:
            text = f'# %%\n"""\nquery: ask\n{problem}\n"""\nx = 1\n'
        return parse_problemset(text, name="trips").diagnostics

    return diagnose


@pytest.fixture
def write_benchmark(tmp_path: Path) -> WriteBenchmark:
    def write(*, manifest: str = "name: Trips\nversion: '1'\n", **files: str) -> Path:
        root = tmp_path / "trips-benchmark"
        root.mkdir()
        (root / "_manifest.yaml").write_text(manifest)
        for name, text in files.items():
            (root / f"{name}.py").write_text(text, newline="")
        return root

    return write
