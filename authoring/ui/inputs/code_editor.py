"""The code editor and the comparison of two texts: CodeMirror in components of our own, served from `static/`.

Foreign text travels as data and is never part of a component's HTML or script. The editor's text belongs to the person
at the screen: it is replaced only when `load_no` rises.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import streamlit as st
from streamlit.components.v2 import component

from evaluator.diagnostics import Diagnostic
from evaluator.installation import HOME

BUNDLE: Final = HOME / "static" / "cm6.js"
EVENTS: Final = ("text", "save", "run", "found", "comment")
MAX_COMPARED_CHARS: Final = 1_000_000  # both texts together; more would keep the browser busy for seconds

Language = Literal["markdown", "python", "yaml"]

# The address is that of a file of ours: a bundle inside the page would be sent again at every run.
_LOADER: Final = """
const bundle = import(new URL("app/static/cm6.js?v=%(version)s", document.baseURI).href);
const missing = (place) => {
  place.textContent = "The editor could not be loaded. Switch on plain editors under Settings.";
};
export default function (component) {
  const drawn = bundle.then((made) => made.%(draw)s(component), () => missing(component.parentElement));
  return () => drawn.then((leave) => leave?.());
}
"""


def _component(name: str, draw: str) -> Callable[..., Any]:
    version = hashlib.sha256(BUNDLE.read_bytes()).hexdigest()[:16] if BUNDLE.is_file() else "missing"
    return component(name, js=_LOADER % {"version": version, "draw": draw})


_EDITOR: Final = _component("benchwright_editor", "drawEditor")
_COMPARISON: Final = _component("benchwright_comparison", "drawComparison")


@dataclass(frozen=True, kw_only=True)
class Editing:
    """What an editor shows and how it behaves."""

    value: str  # what the workspace holds
    label: str
    language: Language
    session: str  # of this tab; another one means that the server forgot the tab
    load_no: int = 0  # when it rises, `value` replaces the text in the editor
    last_seq: int = 0  # number of the last keystroke that reached the server
    theirs: bool = False  # the text that `load_no` brought is somebody else's: typed text must not go over it
    offered: bool = False  # text that was found in the browser waits for the person's decision
    mirror_key: str = ""  # where the browser keeps text until it is stored
    spoken: str = ""  # what a screen reader calls it; empty: the label
    read_only: bool = False
    wrap: bool = False  # long lines
    prose: bool = False  # words, not code
    min_height: int = 96  # pixels
    max_height: int = 620  # pixels; then it scrolls
    words: Sequence[str] = ()  # offered as completions
    diagnostics: Sequence[Diagnostic] = ()
    notes: Mapping[int, str] = field(default_factory=dict)  # line -> what people say about it
    can_comment: bool = False  # line numbers and Alt+M ask for a comment on a line
    shown: "LineShown | None" = None  # a line to scroll to


@dataclass(frozen=True)
class LineShown:
    """A line that somebody asked to see; each wish has a number of its own in the tab, from 1."""

    number: int
    line: int  # from 1


@dataclass(frozen=True)
class EditorMessage:
    """A text that an editor sent."""

    text: str
    number: int  # of its last keystroke: rises over the life of a page
    session: str
    load_no: int
    scope: str = ""  # of a wish to run: `this` problem, or from here `on`
    line: int = 0  # of a wish to comment, from 1; 0: it is none


def code_editor(shown: Editing, *, key: str, on: Mapping[str, Callable[[], None]]) -> None:
    """Draw an editor.

    Args:
        shown: The text and how to show it.
        key: Names the editor in the state of the tab; holds the identity of what it edits.
        on: What to call for each of `EVENTS`: `text` after a pause in typing, `save` and `run` when their keys are
            pressed, `found` when the browser holds text that never arrived, `comment` for one on a line.
            `received` gives the callback the text.
    """
    data = {
        **{name: getattr(shown, name) for name in ("value", "label", "language", "session", "load_no", "last_seq")},
        **{name: getattr(shown, name) for name in ("theirs", "offered", "mirror_key", "read_only", "wrap", "prose")},
        **{name: getattr(shown, name) for name in ("min_height", "max_height", "spoken", "can_comment")},
        "shown": {"number": shown.shown.number, "line": shown.shown.line} if shown.shown else {"number": 0},
        "words": list(shown.words),
        "diagnostics": [
            *(_mark(diagnostic) for diagnostic in shown.diagnostics),
            *({"line": line, "severity": "info", "text": text} for line, text in sorted(shown.notes.items())),
        ],
    }
    callbacks = {f"on_{event}_change": on.get(event, _nothing) for event in EVENTS}
    _EDITOR(key=key, data=data, **callbacks)


def diff_view(
    before: str,
    after: str,
    *,
    key: str,
    label: str,
    language: Language,
    titles: tuple[str, str] = ("Before", "After"),
) -> None:
    """Draw two texts side by side with their differences; in one column where there is little room."""
    if before == after:
        st.caption("Both texts are the same.")
    elif len(before) + len(after) > MAX_COMPARED_CHARS:
        st.caption("The texts differ and are too long to compare here.")
    else:
        data = {
            "before": before,
            "after": after,
            "label": label,
            "language": language,
            "before_label": titles[0],
            "after_label": titles[1],
        }
        _COMPARISON(key=component_key("diff", key), data=data)


def component_key(kind: str, *identity: str) -> str:
    """Return a key for a component; Streamlit refuses keys with two underscores in a row, which names may hold."""
    return f"{kind}:{hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:24]}"


def received(state: object, event: str) -> EditorMessage | None:
    """Return the text that an editor sent with an event; None when it sent none, or nothing that we could have sent.

    Args:
        state: What the tab's state holds under the editor's key.
        event: One of `EVENTS`.
    """
    sent = state.get(event) if isinstance(state, Mapping) else None
    if not isinstance(sent, Mapping) or not isinstance(sent.get("text"), str):
        return None
    number, load_no, line = (sent.get(name, 0) for name in ("number", "load_no", "line"))
    if not isinstance(number, int) or not isinstance(load_no, int) or not isinstance(line, int):
        return None
    return EditorMessage(sent["text"], number, str(sent.get("session", "")), load_no, str(sent.get("scope", "")), line)


def _mark(diagnostic: Diagnostic) -> dict[str, Any]:
    fix = f"\nTo fix it: {diagnostic.fix}" if diagnostic.fix else ""
    return {"line": diagnostic.line, "severity": str(diagnostic.severity), "text": f"{diagnostic.what}{fix}"}


def _nothing() -> None:
    """Stand in for a callback: without one, Streamlit drops the event."""
