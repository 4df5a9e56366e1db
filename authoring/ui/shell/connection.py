"""What happens in a tab while the server does not answer: nothing that is typed is lost, and the page says so."""

import hashlib
import uuid
from typing import Final

import streamlit as st

from authoring.ui.boundary import ANYONE, writes
from evaluator.installation import HOME

SCRIPT: Final = HOME / "static" / "lost_server.js"

# The address is that of a file of ours: a script inside the page would be sent again at every run.
_LOADER: Final = """
const script = import(new URL("app/static/lost_server.js?v=%s", document.baseURI).href);
export default (component) => void script.then((made) => made.watch(component));
"""
_VERSION: Final = hashlib.sha256(SCRIPT.read_bytes()).hexdigest()[:16]
_WATCHER: Final = st.components.v2.component("benchwright_connection", js=_LOADER % _VERSION)


def watch_connection() -> None:
    """Let the page notice when the server is away, and hand over what was typed meanwhile when it is back."""
    # Each run tells itself apart from the last one: so the page learns that the server has answered.
    _WATCHER(key="connection", height=1, data={"run": uuid.uuid4().hex[:8]}, on_again_change=_take_what_came)


@writes(ANYONE)
def _take_what_came() -> None:
    """Let the page be drawn: the fields that came with this request have callbacks of their own."""
