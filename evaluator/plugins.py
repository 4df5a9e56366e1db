"""What other installed packages add: objects that they register as entry points of a group."""

import logging
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

AGENTS: Final = "benchwright.agents"
"""Names of agents that `--agent` and `evaluate` take."""

_log = logging.getLogger(__name__)


def plugin_entries(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, without loading any; of one name the first package's counts."""
    found: dict[str, EntryPoint] = {}
    for entry in _in_order(group, tuple(sys.path)):
        if entry.name in found:
            warn_of_plugin(group, package_of(entry), entry.name, f"another package registers {entry.name!r} too")
        else:
            found[entry.name] = entry
    return found


def load_plugins(group: str, use: Callable[[object], object] | None = None) -> Mapping[str, object]:
    """Load the plug-ins of a group, ordered by the names of their packages, then by their own.

    One that fails is left out, and a warning names its package, once in this process.

    Args:
        group: Of entry points, such as `benchwright.template_families`.
        use: Makes what is wanted of what was loaded; whatever it raises is a failure of that plug-in.

    Returns:
        What was loaded, or what `use` made of it, under the name of the entry point.
    """
    found: dict[str, object] = {}
    for name, entry in plugin_entries(group).items():
        try:
            loaded = entry.load()
            found[name] = use(loaded) if use else loaded
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code may fail in any way
            warn_of_plugin(group, package_of(entry), name, f"{type(error).__name__}: {error}")
    return found


def package_of(entry: EntryPoint) -> str:
    """Return the name of the package that registers an entry point."""
    return entry.dist.name if entry.dist is not None else "(unknown package)"


@cache
def _in_order(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return what the packages on a search path register: pages ask often, and to look through them all takes 0.1 s."""
    del path  # a folder that joins it is looked into
    return tuple(sorted(entry_points(group=group), key=lambda each: (package_of(each), each.name)))


@cache
def warn_of_plugin(group: str, package: str, name: str, reason: str) -> None:
    """Warn of a plug-in that failed; `cache` keeps it to once."""
    _log.warning("plug-in left out: package=%s group=%s name=%s error=%s", package, group, name, reason)
