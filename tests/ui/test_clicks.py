"""A page is drawn at its own place, also when the same thread has just drawn a part of it that polls."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from unittest.mock import MagicMock

import pytest
from streamlit import config
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent
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
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)  # to restore
    script = tmp_path / "page.py"
    script.write_text(PAGE)
    fast = config.get_option(FAST)
    yield LocalScriptRunner(str(script), SafeSessionState(SessionState(), lambda: None), PagesManager(str(script)))
    config.set_option(FAST, fast)


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
