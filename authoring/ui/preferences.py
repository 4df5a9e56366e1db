"""What a person prefers, kept in the workspace under the person's name."""

from typing import Final

from authoring.store.settings import get_setting, set_setting_entry
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.shell.auth import current_user
from authoring.ui.workplace import workspace

PLAIN_EDITORS: Final = "plain_editors"
NO_LETTERS: Final = "no_letter_shortcuts"
TOUR: Final = "tour"


def prefers_plain_editors() -> bool:
    """Return whether the current person wants plain text fields instead of code editors."""
    return bool(known_choice(PLAIN_EDITORS))


@writes(ANYONE)
def choose_plain_editors(key: str) -> None:
    """Keep what the switch of that key says, for the current person."""
    choose(PLAIN_EDITORS, bool(state.widget_value(key)))


def letter(key: str) -> str | None:
    """Return a single letter as a shortcut; None for a person who turned them off."""
    return None if known_choice(NO_LETTERS) else key


def uses_letters() -> bool:
    """Return whether single letters act for the current person."""
    return not known_choice(NO_LETTERS)


@writes(ANYONE)
def choose_letters(key: str) -> None:
    """Keep what the switch of that key says, for the current person."""
    choose(NO_LETTERS, not state.widget_value(key))


def own_choice(setting: str) -> object:
    """Return what the current person chose; None: nothing yet."""
    chosen = get_setting(workspace(), setting)
    return chosen.get(current_user()) if isinstance(chosen, dict) else None


def choose(setting: str, value: object) -> None:
    """Keep a choice of the current person."""
    set_setting_entry(workspace(), setting, current_user(), value)
    state.remember(_memory(setting), (current_user(), value))


def known_choice(setting: str) -> object:
    """Return the choice as this tab learned it: every page asks, and few people choose twice."""
    person, value = state.recall(_memory(setting), (None, None))
    if person != current_user():
        value = own_choice(setting)
        state.remember(_memory(setting), (current_user(), value))
    return value


def _memory(setting: str) -> str:
    return f"choice:{setting}"
