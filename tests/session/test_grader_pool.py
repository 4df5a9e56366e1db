"""Graders in their sandbox: they answer in order, live on after hostile pictures, and are replaced when they break."""

import io
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from evaluator.session.grader_pool import Grade, GradeItem, GraderPool

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def graders() -> Iterator[GraderPool]:
    with GraderPool() as pool:
        yield pool


def picture(level: int, size: int = 40) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.full((size, size, 3), level, dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


def test_each_item_is_graded_in_order(graders: GraderPool) -> None:
    items = [
        GradeItem("visual", picture(100), picture(200), sound=False),
        GradeItem("text", b"a b d", b"a b c", sound=False),
        GradeItem("numeric", b"42", b"0.42", sound=False),
        GradeItem("numeric", b"42", b"0.42"),
        GradeItem("final_answer", b"#### 5", b"it is 5"),
        GradeItem("final_answer", b"none", b"it is 5"),
        GradeItem("numeric", None, b"5"),
        GradeItem("numeric", b"5", None),
    ]
    visual, text, *others = graders.grade(items)
    assert visual.score == pytest.approx(0.800026, abs=5e-7)
    assert text.score == pytest.approx(2 / 3)
    assert others == [
        Grade(1.0),
        Grade(0.0),
        Grade(1.0),
        Grade(None, "unreadable-expected"),
        Grade(0.0, "nothing-expected"),
        Grade(0.0, "nothing-found"),
    ]


def test_a_hostile_picture_costs_its_own_score_alone(graders: GraderPool) -> None:
    items = [
        GradeItem("visual", picture(1), picture(1)[:70]),
        GradeItem("visual", picture(1), b"\x89PNG\r\n\x1a\n" + b"\xff" * 400),
        GradeItem("visual", picture(1), picture(1)),
    ]
    assert graders.grade(items) == [Grade(0.0, "unreadable"), Grade(0.0, "unreadable"), Grade(1.0)]


def test_what_breaks_graders_is_not_graded_and_the_rest_is(graders: GraderPool) -> None:
    items = [GradeItem("text", b"a", b"a"), GradeItem("no such score", b"a", b"a"), GradeItem("text", b"a", b"b")]
    assert graders.grade(items) == [Grade(1.0), Grade(None, "broke-grader"), Grade(0.0)]


def test_many_items_travel_in_several_frames(graders: GraderPool) -> None:
    numbers = [str(number).encode() for number in range(150)]
    grades = graders.grade([GradeItem("numeric", number, b"7") for number in numbers])
    assert [number for number, grade in zip(numbers, grades, strict=True) if grade.score] == [b"7"]


def test_two_pictures_of_sixteen_megapixels_are_compared(graders: GraderPool) -> None:
    large = picture(100, size=4000)
    (grade,) = graders.grade([GradeItem("visual", large, large, sound=False)])
    assert grade.score == pytest.approx(1, abs=1e-4)
