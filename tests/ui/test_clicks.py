"""A page that polls is drawn at its own place, and a click on it is heard once."""

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


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalScriptRunner]:
    monkeypatch.setattr(Runtime, "_instance", MagicMock())  # as Streamlit's own AppTest does
    remember(monkeypatch)
    script = tmp_path / "page.py"
    script.write_text(PAGE)
    fast = config.get_option(FAST)
    yield LocalScriptRunner(str(script), SafeSessionState(SessionState(), lambda: None), PagesManager(str(script)))
    config.set_option(FAST, fast)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptRequests]:
    remember(monkeypatch)
    fast = config.get_option(FAST)
    keep_clicks()
    yield ScriptRequests()
    config.set_option(FAST, fast)


def remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore afterwards what `keep_clicks` replaces."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    monkeypatch.setattr(ScriptRequests, "_request_rerun_locked", ScriptRequests._request_rerun_locked)


def test_a_page_that_is_asked_for_while_a_part_ends_is_drawn_where_it_was(runner: LocalScriptRunner) -> None:
    keep_clicks()
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


@pytest.mark.parametrize(("page", "parts"), [("new", []), ("old", ["part"]), ("", ["part"])])
def test_a_poll_of_a_page_that_was_left_is_dropped(requests: ScriptRequests, page: str, parts: list[str]) -> None:
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
