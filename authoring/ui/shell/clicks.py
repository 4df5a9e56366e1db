"""Lets what a click orders come to its end, whatever is clicked while it is at work.

Streamlit 1.67 stops a run of the script as soon as another request arrives: `runner.fastReruns` ends its thread, and
any access to the session's state raises in it. That holds for callbacks, too, and for the moment before they are
called, so that of two quick clicks the first one may be forgotten without a word. Here a run hears of the next request
once its callbacks have returned; drawing the page is interrupted as before.

With `runner.fastReruns` off, one thread draws a part that polls and the whole page after it, and Streamlit 1.67 then
draws the page into the container of that part: the place to draw at is a variable of the thread that a finished part
leaves behind. It is put back before each run.

A part that polls sends all that the page's widgets hold, from a browser that is not asked whether it has drawn yet what
the last request changed, nor whether a click is on its way: Streamlit 1.67 forgets a click only in the turn of the
browser's event loop after the one in which it was heard. So a poll may bring a click that comes again by itself, or
take a widget back. Here a poll says nothing about widgets, and nothing at all where the whole page is to be drawn, or
where its page was left.
"""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from streamlit import config
from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.state import SafeSessionState

_call_callbacks = SafeSessionState.on_script_will_rerun
_add_request = ScriptRequests._request_rerun_locked


def keep_clicks() -> None:
    """Let callbacks run once and to their end, and each run draw at its own place; more calls do no harm."""
    config.set_option("runner.fastReruns", False)  # one thread for a session: requests wait in a queue and are joined
    SafeSessionState.on_script_will_rerun = _begin_run  # pyrefly: ignore[method-assign]
    ScriptRequests._request_rerun_locked = _take_request  # pyrefly: ignore[bad-assignment, method-assign]


@functools.wraps(_call_callbacks)
def _begin_run(state: SafeSessionState, *args: Any, **kwargs: Any) -> None:
    context_dg_stack.set(get_default_dg_stack_value())
    runner = _runner_of(state)
    if runner is None or not runner._execing:  # Streamlit has no other switch
        _call_callbacks(state, *args, **kwargs)
        return
    runner._execing = False  # no request is looked at while this is false
    try:
        _call_callbacks(state, *args, **kwargs)
    finally:
        runner._execing = True


def _runner_of(state: SafeSessionState) -> ScriptRunner | None:
    """Return whose requests interrupt a session's state; None: nobody's, as in tests without a browser."""
    interrupt: Callable[[], None] = state._yield_callback
    runner = getattr(interrupt, "__self__", None)
    return runner if isinstance(runner, ScriptRunner) else None


@functools.wraps(_add_request)
def _take_request(requests: ScriptRequests, asked: RerunData) -> bool:
    if not asked.is_auto_rerun:
        return _add_request(requests, asked)
    page = requests._rerun_data.page_script_hash  # of what is pending or at work; empty: the first one
    if page not in ("", asked.page_script_hash):
        return True  # without widgets, a request of another page would be taken for one that has none
    pending = requests._rerun_data if requests._state == ScriptRequestType.RERUN else None
    if pending is not None and not pending.fragment_id_queue:
        return True  # the whole page, the part with it
    held = WidgetStates() if pending is None else pending.widget_states
    return _add_request(requests, replace(asked, widget_states=held))
