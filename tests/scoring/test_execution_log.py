"""What scores read of an agent's executions: the published program's own readings, and sound ones."""

from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluator.inside.grading.texts import numeric_as_published
from evaluator.scoring.execution_log import (
    NO_OUTPUT,
    TRIM,
    Execution,
    ExecutionLog,
    execution_text,
    picture_links,
)


def stdout(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def value(text: str, kind: str = "execute_result") -> dict[str, Any]:
    return {"output_type": kind, "data": {"text/plain": text}}


CAREFUL = stdout("careful") | {"name": "stderr"}
displayed = partial(value, kind="display_data")


def figure() -> dict[str, Any]:
    return {"output_type": "display_data", "data": {"image/png": "...", "text/plain": "<Figure>"}}


def ran(*outputs: dict[str, Any]) -> Execution:
    return Execution(True, execution_text(outputs) or NO_OUTPUT)


FAILED = Execution(False)


def log(*executions: Execution) -> ExecutionLog:
    return ExecutionLog(executions)


def numeric(expected: str, *executions: Execution) -> float:
    found = log(*executions).value_text(sound=False)
    return 0.0 if found is None else numeric_as_published(expected, found)


def test_a_published_text_names_and_fences_each_output() -> None:
    outputs = [stdout("1\n"), stdout("2\n"), CAREFUL, figure(), value("[3]")]
    assert execution_text(outputs) == (
        "stdout:\n\n```\n1\n2\n\n```\n\nstderr:\n\n```\ncareful\n```\n\nexecute_result:\n\n```\n[3]\n```"
    )
    error = {"output_type": "error", "traceback": ["\x1b[0;31mKeyError\x1b[0m", "  'a'"]}
    assert execution_text([error]) == "error:\n\n```\nKeyError\n  'a'\n```"  # without colours


def test_a_text_of_more_than_1005_characters_is_cut_in_its_middle() -> None:
    whole = execution_text([stdout("x" * 1005)])
    assert len(whole) == 1022
    assert "......" not in whole
    cut = execution_text([stdout("x" * 1006)])
    assert len(cut) == 1022
    assert "x......x" in cut


@given(st.text(alphabet="ab\n", max_size=3000))
def test_no_text_is_longer_than_the_limit(text: str) -> None:
    assert len(execution_text([stdout(text)])) <= TRIM
    assert execution_text([stdout(text)], limit=None).count(text) >= 1


def test_the_last_execution_decides_whether_a_step_is_executable() -> None:
    steps = (((), False, False), ((ran(),), True, True), ((FAILED, ran()), True, True), ((ran(), FAILED), True, False))
    for executions, used_tool, executable in steps:
        assert log(*executions).used_tool is used_tool
        assert log(*executions).is_executable is executable


def test_the_published_reading_takes_the_first_value_of_the_last_success() -> None:
    for expected, executions, score in (
        *(("42", [ran(value("42"))], 1), ("42", [ran(value("0.42"))], 1), ("5", [ran(value("0.25"))], 1)),
        *(("42.00", [ran(value("42.0"))], 0), ("42", [ran(stdout("42"), value("7"))], 0), ("", [ran(value("x"))], 1)),
        *(
            ("2", [ran(stdout("1"), CAREFUL, stdout("2"))], 0),
            ("42", [ran()], 0),
            ("42", [ran(value("42")), FAILED], 1),
        ),
        *(("42", [ran(value("42")), ran()], 1), ("42", [ran(value("42")), ran(value("7"))], 0)),
    ):
        assert numeric(expected, *executions) == score, (expected, executions)


def test_the_sound_reading_takes_the_last_value_and_all_that_was_printed() -> None:
    assert log(ran(stdout("1"), CAREFUL, stdout("2"))).value_text(sound=True) == "1\n2"
    assert log(ran(value("1"), value("2"))).value_text(sound=True) == "2"
    assert log(ran(displayed("1"), figure(), displayed("2"))).value_text(sound=True) == "1\n2"
    assert log(ran(displayed("1"), stdout("2"))).value_text(sound=True) == "2"
    assert log(ran(displayed("1"), value("2"))).value_text(sound=True) == "2"
    assert log(ran(displayed("42"))).value_text(sound=False) is None
    assert log(ran(figure())).value_text(sound=True) is None
    assert log(ran(value("42")), ran()).value_text(sound=True) is None
    assert log(ran(value("42")), FAILED).value_text(sound=True) == "42"
    assert log(FAILED).value_text(sound=True) is None


def test_the_published_likeness_reads_warnings_and_the_sound_one_does_not() -> None:
    step = log(ran(CAREFUL, stdout("mean 3")))
    assert step.shown_text(sound=False) == "careful"
    assert step.shown_text(sound=True) == "mean 3"
    assert log(ran(CAREFUL)).shown_text(sound=True) is None


def test_the_figures_of_the_last_success_count_alone() -> None:
    first, second = Execution(True, "", ("a.png", "b.png")), Execution(True, "")
    assert log(first).figures() == ("a.png", "b.png")
    assert log(first, FAILED).figures() == ("a.png", "b.png")
    assert log(first, second).figures() == ()


def test_figure_links_are_found_in_order() -> None:
    text = "![fig-001](a.png)\n\nstdout:\n\n```\n![fig](no)\n```\n\n![fig-002](b c.png)"
    assert picture_links(text) == ("a.png", "b c.png")


def test_a_fence_that_is_printed_ends_no_output_before_its_own() -> None:
    outputs = [stdout("a\n```\nb"), value("3")]
    assert [block.kind for block in ran(*outputs).blocks] == ["stdout", "execute_result"]
