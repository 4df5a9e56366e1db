"""What happens in a tab while the server does not answer: nothing that is typed is lost, and the page says so."""

import uuid
from typing import Final

from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.inputs.static_script import static_component

_WATCHER: Final = static_component("benchwright_connection", "lost_server.js", "made.watch")


def watch_connection() -> None:
    """Let the page notice when the server is away, and hand over what was typed meanwhile when it is back."""
    # Each run tells itself apart from the last one: so the page learns that the server has answered. What was sent or
    # given up it must not put back.
    data = {"run": uuid.uuid4().hex[:8], "sent": [list(each) for each in state.sent_fields()]}
    _WATCHER(key="connection", height=1, data=data, on_again_change=_take_what_came)


@writes(ANYONE)
def _take_what_came() -> None:
    """Let the page be drawn: the fields that came with this request have callbacks of their own."""
