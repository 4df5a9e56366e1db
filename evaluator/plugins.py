"""Plug-ins: what installed packages add under an entry point group, such as `benchwright.agents`."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plugin:
    """One entry of a package's metadata. Nothing of the package was imported to find it."""

    name: str
    target: str  # "package.module:attribute"
    package: str  # the distribution that brings it
    version: str  # of the distribution


def find_plugins(group: str) -> Mapping[str, Plugin]:
    """Return the plug-ins of a group by name, in order of name; of two with one name the one of the first package."""
    return {name: _described(entry) for name, entry in _entries(group).items()}


def load_plugins(group: str) -> Mapping[str, object]:
    """Import the plug-ins of a group and return what they stand for, by name.

    One that fails to load is left out, with one warning that names its package.
    """
    loaded: dict[str, object] = {}
    for name, entry in _entries(group).items():
        try:
            loaded[name] = entry.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a package of others is a boundary
            warn_of(_described(entry), group, f"{type(error).__name__}: {error}")
    return loaded


def warn_of(plugin: Plugin, group: str, cause: str) -> None:
    """Say that a plug-in is left out, and why."""
    _log.warning(
        "event=plugin_left_out package=%s version=%s group=%s name=%s cause=%s",
        *(plugin.package, plugin.version, group, plugin.name, cause),
    )


def _entries(group: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda each: (each.name, _described(each).package)):
        earlier = found.setdefault(entry.name, entry)
        if _described(earlier) != _described(entry):  # a folder that stands twice on the path lists the same twice
            warn_of(_described(entry), group, f"{_described(earlier).package} has a plug-in of this name, too")
    return found


def _described(entry: EntryPoint) -> Plugin:
    package = entry.dist
    name, version = ("", "") if package is None else (str(package.name), str(package.version))
    return Plugin(entry.name, entry.value, name or "an unnamed package", version)
