"""Where two pictures differ, drawn as a third: for people to look at. No score and no verdict rests on it.

Pictures are hostile. They are decoded in this process, so within limits far below those of a grader process.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from evaluator.inside.grading.pictures import BadPictureError, check_png, on_white, read_png

MAX_DIFFERENCE_PIXELS: Final = 2_000_000
MAX_DIFFERENCE_BYTES: Final = 5_000_000
_FAINT: Final = 0.25  # how dark the expected picture shows through
_LEAST: Final = 70  # how strongly a pixel is marked that hardly differs, of 255


@dataclass(frozen=True)
class PictureDifference:
    """A picture of what differs: red where it does, the stronger the more; the expected one shows through faintly."""

    picture: bytes | None = field(default=None, repr=False)  # a PNG of the expected one's size
    share: float = 0.0  # of the pixels that differ, in 0..1
    is_resized: bool = False  # the found one had another size
    why: str = ""  # why there is none, for people


def difference_picture(expected: bytes, found: bytes) -> PictureDifference:
    """Return where a found PNG differs from the expected one, pixel by pixel, both as on a white page."""
    sides = []
    for name, data in (("expected", expected), ("found", found)):
        try:
            sides.append(_levels(data))
        except BadPictureError as error:
            why = "is too large to be compared here" if str(error) == "too-large" else "cannot be read"
            return PictureDifference(why=f"the {name} picture {why}")
    target, picture = sides
    is_resized = picture.shape != target.shape
    if is_resized:
        picture = _resized(picture, target.shape)
    apart = np.abs(picture.astype(np.int16) - target.astype(np.int16)).max(axis=-1)
    differs = apart > 0
    paper = 255 - _FAINT * (255 - target.mean(axis=-1))
    drawn = np.repeat(paper[..., None], 3, axis=-1)
    strength = _LEAST + (255 - _LEAST) * apart[differs] / 255
    drawn[differs] = np.stack([np.full_like(strength, 255.0), 255 - strength, 255 - strength], axis=-1)
    return PictureDifference(_png(np.rint(drawn).astype(np.uint8)), float(differs.mean()), is_resized)


def _levels(data: bytes) -> Any:
    """Return a picture as a reader sees it on a white page, as levels of 8 bits (height, width, 3).

    Raises:
        BadPictureError: If it cannot be read, or is too large.
    """
    width, height = check_png(data)
    if width * height > MAX_DIFFERENCE_PIXELS or len(data) > MAX_DIFFERENCE_BYTES:
        raise BadPictureError("too-large")
    picture = read_png(data)
    if picture.shape[:2] != (height, width):
        raise BadPictureError("unreadable")
    return on_white(picture)


def _resized(picture: Any, shape: tuple[int, ...]) -> Any:
    """Return a picture of another size, each pixel the nearest one of the old."""
    rows, columns = (
        np.arange(wanted) * had // wanted for wanted, had in zip(shape[:2], picture.shape[:2], strict=True)
    )
    return picture[rows[:, None], columns]


def _png(levels: Any) -> bytes:
    from imageio.v3 import imwrite  # late, with what it brings: only pictures need it

    return bytes(imwrite("<bytes>", levels, extension=".png"))
