"""Names by which libraries ask a foreign object for its memory or its kind: no rebuilt value answers them.

NumPy takes an `__array_interface__` for an address and reads there, pandas takes a `_typ` for the class of a table. All
such names begin with an underscore, so rebuilt objects serve no name that does, whatever a later version looks up.
"""

from collections.abc import Mapping
from typing import Any, Final

_ADDRESS_FOR_C: Final = "_as_parameter_"  # what ctypes takes for an argument


def is_special(name: str) -> bool:
    """Return whether a name has the form `__x__`, which Python and its libraries keep for protocols."""
    return name.startswith("__") and name.endswith("__")


def is_private(name: str) -> bool:
    """Return whether a name is a protocol's or may be one: it begins with an underscore."""
    return name.startswith("_")


def served(parts: Mapping[str, Any], name: str, owner: str) -> Any:
    """Return the part that stands for an attribute of a rebuilt object.

    Raises:
        AttributeError: If there is none, or its name is private.
    """
    if not is_private(name) and name in parts:
        return parts[name]
    raise AttributeError(f"{owner} has no attribute {name!r}")


def keep_labels_from_protocols() -> None:
    """Let pandas' tables not serve their labels under names of protocols; for processes that are ours alone.

    pandas serves a row of a Series and a column of a frame as attributes. A row named `__array_interface__` would be
    taken for the address of the Series' memory by every function of NumPy.
    """
    from pandas.core.generic import NDFrame  # where it needs no pandas, this module does without

    serve = NDFrame.__getattr__
    if getattr(serve, "keeps_protocols", False):
        return

    def serve_plain_names(self: Any, name: str) -> Any:
        if is_special(name) or name == _ADDRESS_FOR_C:
            raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}")
        return serve(self, name)

    serve_plain_names.keeps_protocols = True  # pyrefly: ignore[missing-attribute]  # read above
    NDFrame.__getattr__ = serve_plain_names
