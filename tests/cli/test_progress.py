"""The progress bar of commands."""

import io
import sys

import pytest

from evaluator.reporting.progress_bar import drawn_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_far_a_command_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with drawn_progress() as draw:
        draw(3, 7, "trips [bold]CORRECT")
    assert "3/7" in screen.getvalue()
    assert "trips [bold]CORRECT" in screen.getvalue(), "text of problems is no markup"


def test_a_log_gets_a_line_now_and_then_without_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with drawn_progress(log_every_s=60) as draw:
        draw(3, 7, "trips")
    assert log.getvalue() == ""
    with drawn_progress(log_every_s=0) as draw:
        draw(3, 7, "trips \x1b[31mjudged")
    assert log.getvalue() == "3/7 after 0 s trips [31mjudged\n"


def test_what_is_no_terminal_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with drawn_progress() as draw:
        draw(3, 7, "trips")
    assert log.getvalue() == ""
