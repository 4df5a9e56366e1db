"""What can be compared of a function or class that comes without a test: that it is there, and what it takes."""

from collections.abc import Iterable
from typing import Any, Final

_PARAMETERS: Final = "list(__import__('inspect').signature({name}).parameters)"


def signature_probes(names: Iterable[str]) -> dict[str, str]:
    """Return probes that give the parameters of functions and classes, by their own names."""
    return {f"{name}_parameters": _PARAMETERS.format(name=name) for name in names}


def judged_by_signature(probes: dict[str, str]) -> dict[str, Any]:
    """Return validators that compare such probes."""
    return {"template": "intact", "namespace_check": dict.fromkeys(probes)}
