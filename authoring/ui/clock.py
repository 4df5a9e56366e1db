"""Times by the clock of the reader."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def at_minute(moment: str) -> str:
    """Return a stored UTC time to the minute, by the reader's clock where the browser tells its zone.

    For options of a list, whose words must stay while one is chosen.
    """
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return moment
    then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    try:
        local = then.astimezone(ZoneInfo(st.context.timezone or ""))
    except (ValueError, ZoneInfoNotFoundError):  # no zone, or one that this machine does not know
        return f"{then.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"{local:%Y-%m-%d %H:%M}"
