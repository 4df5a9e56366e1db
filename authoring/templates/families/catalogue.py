"""All families under their names: those of this package in a fixed order, then those of plug-ins."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping
from dataclasses import replace
from threading import RLock
from types import ModuleType
from typing import Final

from authoring.templates.families import classes, functions, joining, measures, models, opening, soundness, texts
from authoring.templates.families.changing import growth, movements, panels, periods, trends
from authoring.templates.families.comparing import (
    association,
    comparison,
    contrasts,
    distribution,
    drilldown,
    inside,
    regression,
    tops,
    totals,
)
from authoring.templates.families.drawing import bars, lines, points, spreads
from authoring.templates.family import Family
from evaluator.errors import ContentError
from evaluator.plugins import load_plugins
from evaluator.registry import nearest_name

GROUP: Final = "benchwright.template_families"  # entry points of packages that bring families
SHIPPED: Final = (  # families are weighed in this order, so another order makes other drafts of the same seeds
    opening,
    joining,
    soundness,
    panels,
    measures,
    classes,
    comparison,
    contrasts,
    inside,
    drilldown,
    tops,
    growth,
    periods,
    movements,
    trends,
    distribution,
    totals,
    association,
    regression,
    texts,
    functions,
    models,
    bars,
    lines,
    spreads,
    points,
)


def declared_in(module: ModuleType) -> tuple[Family, ...]:
    """Return the families that a module declares with `@family`, in its order."""
    return tuple(one for one in vars(module).values() if isinstance(one, Family))


class Families(Mapping[str, Family]):
    """Families under their names. Plug-ins are loaded when it is first read, so that they may import this package."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._table: dict[str, Family] = {}
        self._lock = RLock()  # pages of the app read it in several threads, plug-ins while they are being loaded
        self._plugins_asked = False
        for module in modules:
            self._add(declared_in(module))

    def __getitem__(self, name: str) -> Family:
        return self._with_plugins()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._with_plugins())

    def __len__(self) -> int:
        return len(self._with_plugins())

    def items(self) -> ItemsView[str, Family]:
        """Return names and families; planning asks for them very often, and a look-up by name each takes longer."""
        return self._with_plugins().items()

    def _with_plugins(self) -> Mapping[str, Family]:
        with self._lock:
            if not self._plugins_asked:
                self._plugins_asked = True
                load_plugins(GROUP, self._add_plugin)
            return self._table

    def _add_plugin(self, loaded: object) -> None:
        """Add the families of one plug-in, all or none; without translations of their own they speak English."""
        ours = list(self._table.values())
        found = [one for one in _families_of(loaded) if not any(one is known for known in ours)]  # it may import ours
        if not found:
            raise ContentError("it holds no family", fix="declare one with @family")
        self._add(one if one.translations is not None else replace(one, translations={}) for one in found)

    def _add(self, families: Iterable[Family]) -> None:
        """Add families, all or none."""
        new: dict[str, Family] = {}
        for one in families:
            if one.name in self._table or one.name in new:
                raise ValueError(f"family {one.name!r} is registered twice")
            new[one.name] = one
        self._table.update(new)


def _families_of(loaded: object) -> tuple[Family, ...]:
    """Return the families of what a plug-in's entry point names: a module, a family or several."""
    if isinstance(loaded, ModuleType):
        return declared_in(loaded)
    several = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
    families = tuple(one for one in several if isinstance(one, Family))
    if len(families) < len(several):
        other = next(one for one in several if not isinstance(one, Family))
        raise ContentError(f"{other!r} is no family", fix="name a module, a family or an iterable of families")
    return families


FAMILIES: Final = Families(SHIPPED)


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
