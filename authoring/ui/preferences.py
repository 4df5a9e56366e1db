"""What a person prefers, kept in the workspace under the person's name."""

from typing import Final

from authoring.store import get_setting, set_setting
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.workplace import workspace

PLAIN_EDITORS: Final = "plain_editors"


def prefers_plain_editors() -> bool:
    """Tell whether the current person wants plain text fields instead of code editors."""
    chosen = get_setting(workspace(), PLAIN_EDITORS)
    return isinstance(chosen, dict) and bool(chosen.get(current_user()))


@writes(ANYONE)
def choose_plain_editors(key: str) -> None:
    """Keep what the switch of that key says, for the current person."""
    chosen = get_setting(workspace(), PLAIN_EDITORS)
    kept = chosen if isinstance(chosen, dict) else {}
    set_setting(workspace(), PLAIN_EDITORS, {**kept, current_user(): bool(state.widget_value(key))})
