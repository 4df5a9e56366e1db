"""What a browser tab remembers and what its address says. The only module that touches Streamlit's state.

Truth is in the workspace; what stands here may be lost at any moment without losing work.
"""

import time
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import streamlit as st

from authoring.ui.shell.attention import Attention
from evaluator.errors import UsageError

_FLASH: Final = "bw:flash"
_STANDING: Final = "bw:standing"
_FIELDS: Final = "bw:fields"
_SEEN: Final = "bw:seen"
_SENT: Final = "sent_fields"
_MOST_SENT: Final = 40  # a screen may be skipped, so they go along with the next ones, too
_ADDRESS: Final = "bw:address"
_CHANGED: Final = "bw:changed:"
_ATTENTION: Final = "bw:attention"
_REFUSALS: Final = "bw:refusals"
_NO_FIELDS: Final = frozenset({"send", "save", "is", "free", "spdx", "popover", "box"})  # parts of keys in a form
_SETTLING_S: Final = 2.0
_LONGEST_NUMBER: Final = 18  # digits; more do not fit into a row
# What a page shows, by its address. Filters are bound to their widgets and do not belong here.
IDENTITY: Final = (
    *(
        "set",
        "pid",
        "a",
        "b",
        "seed",
        "sketch",
        "run",
        "runs",
        "attempt",
        "release",
        "job",
        "v",
        "plan",
        "view",
        "doc",
        "section",
        "experiment",
    ),
)
USER_KEY: Final = "user"
Kind = Literal["success", "info", "warning", "error"]


@dataclass(frozen=True)
class Link:
    """The way to a page."""

    words: str
    page: str
    parameters: Mapping[str, str | int]


@dataclass(frozen=True)
class Detail:
    """What a message says of one thing among several, and the ways there."""

    words: str
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Notice:
    """Something that a callback wants to say on the next screen."""

    kind: Kind
    what: str
    where: str = ""
    fix: str = ""
    cause: str = ""  # name of the error's class; empty: it is none
    job: str = ""  # key of the job that it announces
    meanwhile: str = ""  # what is added as long as that job is queued or at work
    hint: str = ""  # what is good to know where nothing is to be fixed
    details: tuple[Detail, ...] = ()  # each on a line below it


@dataclass(frozen=True)
class FieldState:
    """One text field of one problem as this tab knows it."""

    saved_no: int | None = None  # the autosave that this tab saw last; None: none exists
    base_revision: int = 0  # the head when the text was loaded that is typed on; 0: nothing was loaded
    base_key: str = ""  # of the field's cell in that revision
    load_no: int = 0  # rises when the server replaces the text: load, reset, take theirs
    text: str | None = None  # what the field held when this tab last drew or stored it
    last_seq: int = 0  # number of the last keystroke that arrived from a code editor
    refused: bool = False  # the text could not be stored over what another tab of the person has stored
    theirs: bool = False  # the text that was loaded last is not what this tab had typed or saved
    typed: str | None = None  # what a text area sent and the workspace did not take: a page that fails forgets it
    found: str | None = None  # text that never arrived and was found in the browser; waits for a decision


@dataclass(frozen=True)
class _Change:
    """A parameter that we changed a moment ago."""

    old: str | None
    new: str | None
    until: float  # by the monotonic clock; afterwards the old value is the reader's wish


@dataclass
class _Fields:
    known: dict[tuple[str, ...], FieldState] = field(default_factory=dict)


def param(name: str) -> str | None:
    """Return a parameter of the page's address, or None.

    A poll that the browser sent just before it learned of a changed parameter brings the old value back; for a moment
    after a change the old value therefore counts as not arrived yet.
    """
    value = st.query_params.get(name) or None
    change: _Change | None = st.session_state.get(f"{_CHANGED}{name}")
    if change is None or value != change.old or time.monotonic() > change.until:
        return value
    _write_param(name, change.new)
    return change.new


def is_row_number(text: str) -> bool:
    """Return whether a text can be the number of a row."""
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def int_param(name: str) -> int | None:
    """Return a parameter that names a row, or None when it is absent.

    Raises:
        UsageError: If it cannot be the number of a row.
    """
    value = param(name)
    if value is None:
        return None
    if not is_row_number(value):
        what = f"the address of this page names no {name}: {value[:40]!r} is not the number of one"
        raise UsageError(what, fix="choose a page in the menu, and there what you want to see")
    return int(value)


def int_list_param(name: str, *, least: int, most: int) -> tuple[int, ...] | None:
    """Return a parameter that names several rows, as `1,5,7`, each once; None when it is absent.

    Args:
        name: Of the parameter.
        least: How many rows it has to name.
        most: How many it may name.

    Raises:
        UsageError: If it does not name so many rows.
    """
    value = param(name)
    if value is None:
        return None
    parts = value.split(",")
    if not all(map(is_row_number, parts)):
        what = f"the address of this page names no {name}: {value[:40]!r} are not their numbers with commas between"
        raise UsageError(what, fix="choose a page in the menu, and there what you want to see")
    numbers = tuple(dict.fromkeys(map(int, parts)))
    if not least <= len(numbers) <= most:
        what = f"the address of this page names {len(numbers)} {name}; {least} to {most} are shown beside each other"
        raise UsageError(what, fix="select them in their list, and compare those")
    return numbers


def set_param(name: str, value: str | int | None) -> None:
    """Change one parameter of the address; None removes it. Call it from a callback."""
    old, new = st.query_params.get(name) or None, None if value is None else str(value)
    if old == new:
        return
    st.session_state[f"{_CHANGED}{name}"] = _Change(old, new, time.monotonic() + _SETTLING_S)
    _write_param(name, new)
    page, _ = st.session_state.get(_ADDRESS, ("", {}))
    st.session_state[_ADDRESS] = (page, _identity_params())


def keep_address(page: str) -> None:
    """Bring the browser's address in line with a link to the page that the tab was on already.

    Streamlit runs the page with the link's parameters but leaves the old ones in the address, from which a reload, a
    bookmark and the next rerun would read them.
    """
    here = (page, _identity_params())
    before = st.session_state.get(_ADDRESS)
    if before != here:
        note_action()  # the time before it belongs to what was on the screen then
    if before is not None and before[0] != page:
        st.session_state.pop(_REFUSALS, None)
    if before is not None and before != here and before[0] == page:
        st.query_params.update()  # changes nothing, and sends the address to the browser
    st.session_state[_ADDRESS] = here


def _write_param(name: str, value: str | None) -> None:
    if value is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = value


def names_something() -> bool:
    """Return whether the page's address names what it shows."""
    return bool(_identity_params())


def shows(page: str, parameters: Mapping[str, str | int]) -> bool:
    """Return whether the tab's address is that of a page (empty: the first one) and has these parameters."""
    here, _ = st.session_state.get(_ADDRESS, (None, {}))
    return here == page and all(st.query_params.get(name) == str(value) for name, value in parameters.items())


def _identity_params() -> dict[str, str]:
    return {name: st.query_params[name] for name in IDENTITY if name in st.query_params}


def copy_to_param(key: str, name: str) -> None:
    """Put what a widget holds into the address; a callback."""
    set_param(name, widget_value(key))


def widget_value(key: str, default: Any = None) -> Any:
    """Return what a widget holds now; inside a callback this is newer than the widget's return value."""
    return st.session_state.get(key, default)


def is_on_screen(key: str) -> bool:
    """Return whether the tab's last screen held the widget of that key."""
    return key in st.session_state


def put_widget_value(key: str, value: object) -> None:
    """Set what a widget will show. Only before the widget exists in this run, that is from a callback."""
    st.session_state[key] = value


def replace_text(key: str, text: str) -> None:
    """Put a text in place of what was typed into a field, and was sent or given up; only from a callback."""
    put_widget_value(key, text)
    note_sent(key)


def note_sent(*keys: str) -> None:
    """Note that what was typed into fields was sent or given up: the browser puts no copy of it back into them."""
    noted = [(uuid.uuid4().hex[:12], key) for key in keys]
    remember(_SENT, [*recall(_SENT, []), *noted][-_MOST_SENT:])


def sent_fields() -> list[tuple[str, str]]:
    """Return the last notes of `note_sent`, each with a name of its own and the key of its field."""
    return list(recall(_SENT, []))


def close_box(key: str) -> None:
    """Close the box of a form, so that what it ordered can be seen; only from a callback."""
    put_widget_value(box_key(key), False)


def box_key(key: str) -> str:
    """Return the key of the box around the form of that key."""
    return f"{key}:popover"


def start_widget_value(key: str, value: object) -> None:
    """Set what a widget shows when it is first drawn."""
    st.session_state.setdefault(key, value)


def remember(key: str, value: object) -> None:
    """Keep a value for this tab under a key of ours."""
    st.session_state[f"bw:{key}"] = value


def recall(key: str, default: Any = None) -> Any:
    """Return a value that this tab keeps."""
    return st.session_state.get(f"bw:{key}", default)


def keep_refusal(form: str, notice: Notice | None) -> None:
    """Keep why a form was refused, with what it holds; None: it is not refused any more."""
    st.session_state.setdefault(_REFUSALS, {})[form] = notice and (notice, _values_of(form))


def refusal_of(form: str) -> Notice | None:
    """Return why a form was refused; what it holds must not have changed since, and its page not have been left."""
    kept: tuple[Notice, Mapping[str, object]] | None = st.session_state.get(_REFUSALS, {}).get(form)
    if kept is None or kept[1] == _values_of(form):
        return kept and kept[0]
    keep_refusal(form, None)
    return None


def _values_of(form: str) -> Mapping[str, object]:
    """Return what the fields hold whose keys begin with that of a form, and which files are kept for it."""
    found: dict[str, object] = {}
    for key in map(str, st.session_state):
        is_field = key == form or (key.startswith(f"{form}:") and not _NO_FIELDS & {*key.split(":")})
        if is_field or (key.startswith(f"bw:{form}:") and key.endswith(":kept")):
            value = st.session_state[key]
            found[key] = [_identity_of(each) for each in value] if isinstance(value, list) else _identity_of(value)
    return found


def _identity_of(value: object) -> object:
    return getattr(value, "file_id", value)  # of an upload, whose bytes nobody compares


def flash(
    kind: Kind,
    what: str,
    *,
    where: str = "",
    fix: str = "",
    cause: str = "",
    hint: str = "",
    details: tuple[Detail, ...] = (),
) -> None:
    """Say something on the next screen: at its top, in the editor above its buttons."""
    _flash(Notice(kind, what, where, fix, cause, hint=hint, details=details))


def flash_ordered(what: str, meanwhile: str, *, job: str) -> None:
    """Say what was done, and add `meanwhile` as long as the job of that key, which it ordered, is not at its end."""
    _flash(Notice("success", what, job=job, meanwhile=meanwhile))


def _flash(notice: Notice) -> None:
    st.session_state.setdefault(_FLASH, []).append(notice)


def take_flashes() -> list[Notice]:
    """Return what callbacks wanted to say, once."""
    messages: list[Notice] = st.session_state.pop(_FLASH, [])
    return messages


def standing_notices(
    place: tuple[str | int, ...], *, jobs: Collection[str] = (), is_over: Callable[[Notice], bool] = lambda _: False
) -> list[Notice]:
    """Return the last messages of callbacks at a place.

    They stay until others come, something else is done, the place changes or their cause ends.

    Args:
        place: What is on the screen.
        jobs: Keys of the jobs that are queued or at work.
        is_over: Whether the cause of a message is gone.
    """
    fresh = take_flashes()
    kept, at = st.session_state.get(_STANDING, ([], ()))
    if fresh or at != place:
        kept = fresh
    kept = [notice if notice.job in jobs else replace(notice, meanwhile="") for notice in kept]
    kept = [notice for notice in kept if not is_over(notice)]
    st.session_state[_STANDING] = (kept, place)
    return list(kept)


def drop_notices(*kinds: Kind) -> None:
    """Forget the standing messages, all or those of some kinds: what is done now overtakes what they speak of."""
    kept, at = st.session_state.get(_STANDING, ([], ()))
    st.session_state[_STANDING] = ([notice for notice in kept if kinds and notice.kind not in kinds], at)


def carried() -> Mapping[str, str]:
    """Return what of the address every link has to carry on: who writes in this tab, where that was chosen."""
    return {USER_KEY: st.query_params[USER_KEY]} if USER_KEY in st.query_params else {}


def tab_id() -> str:
    """Return a name for this tab, as the writer of its autosaves."""
    return str(st.session_state.setdefault("bw:tab", uuid.uuid4().hex))


def field_state(identity: tuple[str, ...]) -> FieldState:
    """Return what this tab knows of a text field."""
    fields: _Fields = st.session_state.setdefault(_FIELDS, _Fields())
    return fields.known.get(identity, FieldState())


def set_field_state(identity: tuple[str, ...], value: FieldState) -> None:
    """Keep what this tab knows of a text field."""
    fields: _Fields = st.session_state.setdefault(_FIELDS, _Fields())
    fields.known[identity] = value


def saw_job_end(job_id: int, finished_at: str | None) -> bool:
    """Return whether this tab has already reacted to this end of a job, and note that it has now."""
    seen: set[tuple[int, str | None]] = st.session_state.setdefault(_SEEN, set())
    if (job_id, finished_at) in seen:
        return True
    seen.add((job_id, finished_at))
    return False


def note_action() -> None:
    """Count the time since this tab's last action as active minutes on what its screen shows."""
    page, shown = st.session_state.get(_ADDRESS, ("", {}))
    kind = next((name for name in ("set", "sketch") if name in shown), page)
    _attention().note((_person(), kind, shown.get(kind, "")), time.monotonic())


def active_minutes(kind: str, *names: str | int) -> float:
    """Return the person's minutes on a page, or on the problemset or sketch that addresses name so."""
    return _attention().minutes(*_subjects(kind, names))


def forget_minutes(kind: str, *names: str | int) -> None:
    """Begin at zero: the minutes are stored."""
    _attention().forget(*_subjects(kind, names))


def _subjects(kind: str, names: tuple[str | int, ...]) -> list[tuple[str, str, str]]:
    return [(_person(), kind, str(name)) for name in names or ("",)]


def _person() -> str:
    return str(st.session_state.get(USER_KEY) or "")


def _attention() -> Attention:
    found: Attention = st.session_state.setdefault(_ATTENTION, Attention())
    return found


def address(**parameters: str | int | None) -> Mapping[str, str]:
    """Return query parameters for a link, without the absent ones."""
    return {name: str(value) for name, value in parameters.items() if value is not None}
