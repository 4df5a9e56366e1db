"""Plug-ins: objects that installed packages offer under entry points, found by the name of a group."""

import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

AGENTS: Final = "benchwright.agents"
"""Names of agents that `--agent` and `evaluate` take."""
TEMPLATE_FAMILIES: Final = "benchwright.template_families"
"""Kinds of tasks that the template author writes."""


class PluginWarning(UserWarning):
    """A plug-in cannot be used; everything else works."""


@cache
def plugin_entries(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, without loading any; of two packages the first in order counts."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda each: (each.name, package_of(each))):
        if entry.name in found:
            warn_of(entry, f"another package, {package_of(found[entry.name])}, has one of this name")
        else:
            found[entry.name] = entry
    return found


@cache
def load_plugins(group: str) -> Mapping[str, object]:
    """Return what the plug-ins of a group are, by name; one that fails to load is left out, with one warning."""
    return dict(_loaded(group))


def _loaded(group: str) -> Iterator[tuple[str, object]]:
    for name, entry in plugin_entries(group).items():
        try:
            yield name, entry.load()
        except Exception as error:  # noqa: BLE001 - a stranger's package is a boundary: its faults are told
            warn_of(entry, f"{type(error).__name__}: {error}")


def warn_of(entry: EntryPoint, reason: str) -> None:
    """Warn that a plug-in is not used."""
    what = f"the plug-in {entry.name!r} of package {package_of(entry)!r} cannot be used: {reason}"
    warnings.warn(what, PluginWarning, stacklevel=2)


def package_of(entry: EntryPoint) -> str:
    """Return the name of the package that offers an entry point."""
    return entry.dist.name if entry.dist is not None else entry.value
