"""Columns that a problem makes, as far as anything is known of them before it runs."""

from collections.abc import Iterable
from typing import Any

from authoring.seeds import ColumnProfile, ColumnRole
from authoring.seeds.semantics import ColumnMeaning, Meaning
from authoring.templates.board import Board, Column


def made_number(
    board: Board,
    name: str,
    meaning: Meaning = Meaning.MEASURE,
    *,
    unit: str = "",
    missing: int = 0,
    distinct: int = 1000,
    low: float | None = None,
    typical: float | None = None,
    of: Iterable[Column] = (),
) -> Column:
    """Return a column of numbers that this problem makes; little is known of its values."""
    about = ColumnProfile(
        name=name,
        dtype="float64",
        role=ColumnRole.NUMBER,
        missing=missing,
        distinct=distinct,
        min=low,
        mean=typical,
    )
    means = ColumnMeaning(name=name, meaning=meaning, unit=unit)
    return Column(about=about, means=means, made_by=board.step, sources=_sources(of))


def _sources(columns: Iterable[Column]) -> tuple[str, ...]:
    return tuple(sorted({name for column in columns for name in (column.name, *column.sources)}))


def made_category(
    board: Board, name: str, labels: Iterable[Any], *, rows: int, missing: int = 0, ordered: bool = False, of: Column
) -> Column:
    """Return a column of few values that this problem makes, in groups of about one size."""
    values = tuple(labels)
    share = max((rows - missing) // max(len(values), 1), 1)
    texts = [value for value in values if isinstance(value, str)]
    about = ColumnProfile(
        name=name,
        dtype="str" if texts else "int64",
        role=ColumnRole.CATEGORY if texts else ColumnRole.NUMBER,
        missing=missing,
        distinct=len(values),
        top=tuple((value, share) for value in values),
        integer=not texts,
        max_length=max(map(len, texts), default=0),
    )
    meaning = Meaning.ORDINAL if ordered else Meaning.CATEGORY
    means = ColumnMeaning(name=name, meaning=meaning, levels=values if ordered else ())
    return Column(about=about, means=means, made_by=board.step, sources=_sources([of]))
