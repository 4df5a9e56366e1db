"""Somebody at the screen who knows nothing but what is written on it: clicks only what has a visible label."""

import re
from re import Pattern

from playwright.sync_api import Locator, Page, expect


class Person:
    """Finds everything by its role and the beginning of its label, as it is read on the screen."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, name: str, *, whole: bool = False) -> None:
        """Press a button; `whole`: the one whose label says nothing else."""
        whole_name = self.page.get_by_role("button", name=name, exact=True).filter(visible=True).last
        self._click(whole_name if whole else self.button(name), name)

    def follow(self, name: str) -> None:
        """Follow a link of the page or of the menu at its side."""
        self._click(self._find("link", name), name)

    def turn_to(self, name: str) -> None:
        """Open a tab of the page."""
        self._click(self._find("tab", name), name)

    def write(self, name: str, text: str) -> None:
        """Put a text into a field, in the place of what it holds."""
        self.field(name).fill(text)

    def choose(self, box: str, option: str) -> None:
        """Choose an option of a box."""
        self._find("combobox", box).click()
        self._click(self._find("option", option), option)

    def read(self, text: str | Pattern[str]) -> None:
        """Wait until a text can be read on the page."""
        expect(self.page.get_by_text(text).filter(visible=True).first).to_be_visible()

    def read_heading(self, text: str) -> None:
        """Wait until a heading can be read that begins with a text."""
        expect(self._find("heading", text)).to_be_visible()

    def button(self, name: str) -> Locator:
        """Return the button whose label begins with a text."""
        return self._find("button", name)

    def field(self, name: str) -> Locator:
        """Return the text field whose label begins with a text."""
        return self._find("textbox", name)

    def _find(self, role: str, name: str) -> Locator:
        starts = re.compile(rf"^(?:\w+ icon |\W)*{re.escape(name)}")  # a sign in a label is read as an icon
        return self.page.get_by_role(role, name=starts).filter(visible=True).first  # type: ignore[arg-type]

    def _click(self, target: Locator, name: str) -> None:
        expect(target).to_contain_text(name)  # a sign without a word says nothing to a newcomer
        expect(target).to_be_enabled()
        target.click()
