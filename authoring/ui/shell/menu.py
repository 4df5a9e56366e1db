"""Links of the menu and of pages: to the list of the page that is open, and into a tab of their own."""

from typing import Final

from authoring.ui import state
from authoring.ui.inputs.static_script import static_component

_LINKS: Final = static_component("benchwright_menu", "menu.js", "made.attend", isolated=False)


def watch_menu() -> None:
    """Let the menu lead to the list of a page, where the address names something of it, and links into new tabs."""
    if state.names_something() or state.carried():
        _LINKS(key="menu", height=1, data={"names": list(state.IDENTITY), "carried": [state.USER_KEY]})
