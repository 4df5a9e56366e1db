"""The choice of a light or a dark theme; the browser keeps it, for all pages."""

from typing import Final

from authoring.ui.inputs.static_script import static_component

_CHOICE: Final = static_component("benchwright_theme", "theme.js", "window.benchwrightTheme.draw")


def draw_theme_choice() -> None:
    """Draw the choice; the server's document reads the same script before anything is drawn."""
    _CHOICE(key="theme")
