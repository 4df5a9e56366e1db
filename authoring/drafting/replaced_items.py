"""What the template author could not ask as a sketch says, as the provenance of a draft keeps it."""

from collections.abc import Mapping
from typing import Any


def replaced_items(provenance: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which items of the sketch a draft does not ask as they are, why, and what it asks instead.

    Args:
        provenance: Of the draft's first revision; what is not written by the template author gives nothing.
    """
    report = provenance.get("report")
    rows = report.get("replaced") if isinstance(report, Mapping) else None
    return tuple(
        f"item {row.get('item')} ({row.get('family')}) is {_instead(row.get('instead'))}: {row.get('reason')}"
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, Mapping)
    )


def _instead(family: object) -> str:
    return f"replaced by {family}" if family else "left out"
