"""Active minutes: gaps between actions, each counted up to a minute, on what was on the screen."""

from authoring.ui.shell.attention import Attention


def test_gaps_are_added_up_and_a_long_one_counts_as_a_minute() -> None:
    attention = Attention()
    for now in (0.0, 20.0, 50.0, 5000.0):
        attention.note("set 1", now)
    assert attention.minutes("set 1") == round((20 + 30 + 60) / 60, 2)


def test_time_belongs_to_what_was_on_the_screen_and_to_nothing_where_nothing_was() -> None:
    attention = Attention()
    attention.note(None, 0.0)
    attention.note("set 1", 30.0)
    attention.note(None, 45.0)
    attention.note("set 2", 60.0)
    assert (attention.minutes("set 1"), attention.minutes("set 2")) == (0.5, 0.25)
    assert attention.minutes("set 1", "set 2", "set 1") == 0.75


def test_stored_minutes_are_not_counted_again_and_a_clock_that_jumps_back_adds_nothing() -> None:
    attention = Attention()
    attention.note("set 1", 100.0)
    attention.note("set 1", 40.0)
    assert attention.minutes("set 1") == 0.0
    attention.note("set 1", 100.0)
    attention.forget("set 1")
    assert attention.minutes("set 1") == 0.0
