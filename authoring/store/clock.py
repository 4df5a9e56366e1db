"""The one form in which times are stored: UTC, ISO 8601, milliseconds, so that text order is time order."""

from datetime import UTC, datetime, timedelta


def timestamp(*, shift_s: float = 0.0) -> str:
    """Return the present moment, shifted by `shift_s` seconds (negative: the past)."""
    return (datetime.now(UTC) + timedelta(seconds=shift_s)).isoformat(timespec="milliseconds")


def age_s(stamp: str) -> float:
    """Return how many seconds ago `stamp` was."""
    return (datetime.now(UTC) - datetime.fromisoformat(stamp)).total_seconds()
