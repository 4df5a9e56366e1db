from hypothesis import given
from hypothesis import strategies as st

from evaluator.running.execution.policies import SHOWN_CHARS, FeedbackPart, feedback_on, shown_text
from evaluator.scoring import Judged, Verdict
from evaluator.session import Ending, ErrorView, Outcome

ALL = tuple(FeedbackPart)
CRASHED = Judged(Verdict.CRASH, reason="KeyError: 'x'")


@given(st.text(alphabet=st.characters(codec=None), max_size=400), st.integers(1, 200))
def test_a_shown_text_is_short_printable_and_unicode(text: str, times: int) -> None:
    shown = shown_text(text * times)
    shown.encode("utf-8")
    assert len(shown) <= SHOWN_CHARS + len("\n[...]\n")
    assert all(character in "\t\n" or ord(character) >= 32 for character in shown)
    assert shown_text(shown) == shown or len(shown) > SHOWN_CHARS


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    shown = shown_text("first" + "x" * 200_000 + "last")
    assert shown.startswith("first")
    assert shown.endswith("last")
    assert "[...]" in shown


def test_colours_and_cursor_commands_are_cut() -> None:
    assert shown_text("\x1b[31mred\x1b[0m\x07\r\nnext\x1b[2J") == "red\nnext"


def test_streams_and_values_are_told_in_order() -> None:
    outputs = (
        {"output_type": "stream", "name": "stdout", "text": "one\n"},
        {"output_type": "execute_result", "data": {"text/plain": "2"}},
        {"output_type": "display_data", "data": {"image/png": "..."}},
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": []},
    )
    outcome = Outcome(Ending.ERROR, "x", outputs=outputs, error=ErrorView("KeyError", "'x'", "Traceback: KeyError"))
    told = feedback_on("x", outcome, CRASHED, ALL)
    assert (told.code, told.output, told.error) == ("x", "one\n2\n", "Traceback: KeyError")
    assert told.hint == "CRASH: KeyError: 'x'"


def test_code_that_did_not_end_is_told_so() -> None:
    told = feedback_on("x", Outcome(Ending.TIMED_OUT, "x"), CRASHED, (FeedbackPart.ERROR,))
    assert (told.error, told.output, told.hint) == ("the code ran out of time", None, None)


def test_code_that_ran_well_has_no_error() -> None:
    assert feedback_on("x", Outcome(Ending.OK, "x"), CRASHED, ALL).error is None
