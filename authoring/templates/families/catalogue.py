"""All families under their names."""

from collections.abc import Mapping
from typing import Final

from authoring.templates.families import (
    cleaning_catalogue,
    comparing_catalogue,
    date_steps_catalogue,
    dates_catalogue,
    deriving,
    faults,
    filtering_catalogue,
    functions,
    grouping_catalogue,
    joining,
    linking,
    loading,
    mending,
    ranking_catalogue,
    relations_catalogue,
    reshaping,
    sampling,
    sequences,
    splitting,
    statistics,
    strings,
    summaries,
    tabulating,
    tested,
    texts,
    windows,
)
from authoring.templates.family import Family
from evaluator.errors import ContentError
from evaluator.registry import nearest_name

_THEMES: Final = (
    loading.FAMILIES,
    cleaning_catalogue.FAMILIES,
    filtering_catalogue.FAMILIES,
    grouping_catalogue.FAMILIES,
    deriving.FAMILIES,
    dates_catalogue.FAMILIES,
    strings.FAMILIES,
    windows.FAMILIES,
    statistics.FAMILIES,
    sampling.FAMILIES,
    functions.FAMILIES,
    reshaping.FAMILIES,
    joining.FAMILIES,
    summaries.FAMILIES,
    comparing_catalogue.FAMILIES,
    date_steps_catalogue.FAMILIES,
    faults.FAMILIES,
    linking.FAMILIES,
    mending.FAMILIES,
    ranking_catalogue.FAMILIES,
    relations_catalogue.FAMILIES,
    sequences.FAMILIES,
    splitting.FAMILIES,
    tabulating.FAMILIES,
    tested.FAMILIES,
    texts.FAMILIES,
)


def _by_name() -> Mapping[str, Family]:
    table: dict[str, Family] = {}
    for family in (one for theme in _THEMES for one in theme):
        if family.name in table:
            raise ValueError(f"family {family.name!r} is registered twice")
        table[family.name] = family
    return table


FAMILIES: Final = _by_name()


def find_family(name: str) -> Family:
    """Return the family called `name`.

    Raises:
        ContentError: If there is none; the fix names the nearest.
    """
    if name in FAMILIES:
        return FAMILIES[name]
    near = nearest_name(name, list(FAMILIES))
    if not name:
        raise ContentError("an item names no task family", fix="name one, or draft with --author model")
    fix = f"use {near!r}" if near else f"use one of {', '.join(FAMILIES)}"
    raise ContentError(f"no task family is called {name!r}", fix=fix)
