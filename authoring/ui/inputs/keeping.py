"""A small component that hands typed text over while it is typed; text areas alone report only when left."""

from pathlib import Path
from typing import Final

import streamlit as st

_SCRIPT: Final = (Path(__file__).parent / "keep_typed.js").read_text(encoding="utf-8")  # ours, nothing from outside
_KEEPER: Final = st.components.v2.component("benchwright_keep_typed", html="<span></span>", js=_SCRIPT)


def keep_typed_text() -> None:
    """Hand over what is typed into any text area of this page after each pause, and before each shortcut."""
    _KEEPER(key="keep_typed", height=1)
