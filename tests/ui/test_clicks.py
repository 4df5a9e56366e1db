"""A page that polls is drawn at its own place, a click on it is heard once, and active minutes are counted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import MagicMock

import pytest
from streamlit import config
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from authoring.ui.shell.attention import Attention
from authoring.ui.shell.clicks import keep_clicks

PAGE = """
import streamlit as st

@st.fragment
def part():
    st.write("a part")

st.write("above")
with st.container():
    part()
st.write("below")
"""
PATIENCE_S = 30
FAST = "runner.fastReruns"


@pytest.fixture(autouse=True)
def clicks_are_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep clicks, and restore afterwards what that replaces."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    monkeypatch.setattr(ScriptRequests, "_request_rerun_locked", ScriptRequests._request_rerun_locked)
    fast = config.get_option(FAST)
    keep_clicks()
    yield
    config.set_option(FAST, fast)


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalScriptRunner:
    monkeypatch.setattr(Runtime, "_instance", MagicMock())  # as Streamlit's own AppTest does
    script = tmp_path / "page.py"
    script.write_text(PAGE)
    return LocalScriptRunner(str(script), SafeSessionState(SessionState(), lambda: None), PagesManager(str(script)))


@pytest.fixture
def requests() -> ScriptRequests:
    return ScriptRequests()


def test_a_page_that_is_asked_for_while_a_part_ends_is_drawn_where_it_was(runner: LocalScriptRunner) -> None:
    runs: list[list[tuple[int, ...]]] = []

    def follow(_sender: ScriptRunner | None, event: ScriptRunnerEvent, **told: Any) -> None:
        message = told.get("forward_msg")
        if event == ScriptRunnerEvent.SCRIPT_STARTED:
            runs.append([])
        elif message is not None and message.HasField("delta"):
            runs[-1].append(tuple(message.metadata.delta_path))
        elif event == ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS:  # the moment when the next request is too late
            runner.request_rerun(RerunData(widget_states=WidgetStates()))  # to interrupt
        elif event == ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS and len(runs) == 1:
            (part,) = cast("MemoryFragmentStorage", runner._fragment_storage)._fragments
            runner.request_rerun(RerunData(widget_states=WidgetStates(), fragment_id=part))

    runner.on_event.connect(follow)
    runner.start()
    thread = runner._script_thread
    assert thread is not None
    thread.join(PATIENCE_S)

    whole, part, again = runs
    assert part
    assert set(part) < set(whole)
    assert again == whole


CLICK = WidgetState(id="button", trigger_value=True)
ROW = WidgetState(id="row", string_value="1")


def poll(part: str, *widgets: WidgetState) -> RerunData:
    return RerunData(widget_states=WidgetStates(widgets=widgets), fragment_id=part, is_auto_rerun=True)


def test_a_poll_brings_no_click_and_takes_no_widget_back(requests: ScriptRequests) -> None:
    requests.request_rerun(poll("part", CLICK, ROW))
    assert told(requests) == (["part"], [])


def test_a_poll_adds_nothing_to_a_page_that_is_to_be_drawn(requests: ScriptRequests) -> None:
    chosen = WidgetState(id="row", string_value="2")
    requests.request_rerun(RerunData(widget_states=WidgetStates(widgets=[CLICK, chosen]), page_script_hash="new"))
    requests.request_rerun(poll("part", ROW))
    assert told(requests) == ([], [CLICK, chosen])
    assert requests._rerun_data.page_script_hash == "new"


def test_a_poll_of_a_page_that_was_left_is_dropped() -> None:
    for page, parts in (("new", []), ("old", ["part"]), ("", ["part"])):
        requests = ScriptRequests()
        requests.request_rerun(RerunData(widget_states=WidgetStates(widgets=[ROW]), page_script_hash=page))
        assert requests.on_scriptrunner_ready().type == ScriptRequestType.RERUN  # it is being drawn
        requests.request_rerun(replace(poll("part"), page_script_hash="old"))
        assert requests._state == (ScriptRequestType.RERUN if parts else ScriptRequestType.CONTINUE)
        assert requests._rerun_data.fragment_id_queue == parts


def test_a_poll_joins_a_click_on_another_part(requests: ScriptRequests) -> None:
    requests.request_rerun(RerunData(widget_states=WidgetStates(widgets=[CLICK]), fragment_id="clicked"))
    requests.request_rerun(poll("part", ROW))
    assert told(requests) == (["clicked", "part"], [CLICK])


def told(requests: ScriptRequests) -> tuple[list[str], list[WidgetState]]:
    pending = requests._rerun_data
    assert pending.widget_states is not None
    return pending.fragment_id_queue, list(pending.widget_states.widgets)


def test_gaps_are_added_up_and_a_long_one_counts_as_a_minute() -> None:
    attention = Attention()
    for now in (0.0, 20.0, 50.0, 5000.0):
        attention.note("set 1", now)
    assert attention.minutes("set 1") == round((20 + 30 + 60) / 60, 2)


def test_time_belongs_to_what_was_on_the_screen() -> None:
    attention = Attention()
    attention.note(None, 0.0)
    attention.note("set 1", 30.0)
    attention.note(None, 45.0)
    attention.note("set 2", 60.0)
    assert (attention.minutes("set 1"), attention.minutes("set 2")) == (0.5, 0.25)
    assert attention.minutes("set 1", "set 2", "set 1") == 0.75


def test_stored_minutes_and_a_clock_that_jumps_back_add_nothing() -> None:
    attention = Attention()
    attention.note("set 1", 100.0)
    attention.note("set 1", 40.0)
    assert attention.minutes("set 1") == 0.0
    attention.note("set 1", 100.0)
    attention.forget("set 1")
    assert attention.minutes("set 1") == 0.0
