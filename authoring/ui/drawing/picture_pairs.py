"""Expected and found pictures side by side: how alike they are, what is said of them, and where they differ."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

import streamlit as st

from authoring.ui.drawing.blocks import picture_block
from authoring.ui.drawing.outputs import draw_block
from authoring.ui.wording import label, plural
from evaluator.reporting import ValidatorAnswer, validator_answers
from evaluator.scoring.grading import MAX_FIGURES, displayed_pictures
from evaluator.session.picture_difference import PictureDifference, difference_picture

VISUAL: Final = "visual"
_LIKENESS_HELP: Final = (
    "Structural similarity, from -1 to 1, after the found picture was brought to the expected one's size; of several "
    "figures the mean over the pairing that is best; 0 where pictures cannot be compared. Where it is known what both "
    "figures show, that must agree, too."
)


def visual_answer(validation: Any) -> ValidatorAnswer | None:
    """Return what the validator of figures answered; None where there is none."""
    return next((each for each in validator_answers(validation) if each.name == VISUAL), None)


def pictures_of(outputs: Sequence[Any]) -> list[bytes]:
    """Return the pictures that outputs display, as many as are compared."""
    return displayed_pictures([each for each in outputs if isinstance(each, Mapping)])[:MAX_FIGURES]


def draw_picture_pairs(
    answer: ValidatorAnswer, expected: Sequence[bytes], found: Sequence[bytes], *, key: str, source: str
) -> None:
    """Draw the figures that were compared.

    Args:
        answer: Of the validator of figures.
        expected: PNGs, hostile.
        found: PNGs, hostile.
        key: Names what they belong to.
        source: Where the expected ones come from, a sentence for people.
    """
    st.markdown("**Figures compared**")
    if answer.score is not None:
        st.markdown(f"Likeness (SSIM): **{answer.score:.3f}**", help=_LIKENESS_HELP)
    if answer.reason:
        st.caption(label(answer.reason, limit=600))
    st.caption(source)
    draw_pairs(expected, found, key=key)
    if max(len(expected), len(found)) > 1:
        counts = f"{plural(len(expected), 'figure')} expected, {len(found)} found"
        st.caption(f"{counts}, shown in order. The likeness pairs those that are most alike.")


def draw_pairs(expected: Sequence[bytes], found: Sequence[bytes], *, key: str, most: int | None = None) -> None:
    """Draw pictures in the order in which they were shown, each expected one beside a found one; `most` pairs."""
    pairs = list(zip_longest(expected, found))
    for number, (one, other) in enumerate(pairs[:most]):
        _draw_pair(one, other, f"{key}:{number}", f" {number + 1}" if len(pairs) > 1 else "")


def _draw_pair(expected: bytes | None, found: bytes | None, key: str, number: str) -> None:
    """Draw an expected picture, a found one and where they differ; `number` follows their titles: ` 2`, or nothing."""
    sides = st.columns(3, gap="small")
    for column, title, data in zip(sides, ("Expected", "Found"), (expected, found), strict=False):
        with column:
            st.caption(f"{title}{number}")
            _draw_picture(data, f"{title.lower()} figure{number}", f"{key}:{title}")
    with sides[2]:
        st.caption(f"Difference{number}")
        if expected is None or found is None:
            st.caption("Nothing to compare.")
        else:
            _draw_difference(_difference(expected, found), number, key)


def _draw_picture(data: bytes | None, title: str, key: str) -> None:
    block = None if data is None else picture_block(data, title)
    if data is None:
        st.caption("No figure.")
    elif block is None:
        st.caption("This picture is damaged.")
    else:
        draw_block(block, key=key)


def _draw_difference(difference: PictureDifference, number: str, key: str) -> None:
    if difference.picture is None:
        st.caption(f"No difference is drawn: {label(difference.why)}.")
        return
    if not difference.share:
        st.caption("Every pixel is the same.")
        return
    _draw_picture(difference.picture, f"difference{number}", f"{key}:difference")
    resized = " The found one was brought to the expected size." if difference.is_resized else ""
    st.caption(f"{_share(difference.share)} of the pixels differ: red, the stronger the more.{resized}")


def _share(share: float) -> str:
    return "less than 0.1%" if share < 0.001 else f"{share:.1%}"


@st.cache_data(max_entries=32, show_spinner=False)
def _difference(expected: bytes, found: bytes) -> PictureDifference:
    return difference_picture(expected, found)
