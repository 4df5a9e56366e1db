"""Figures that a cell left open: drawn in a fork of its process, shown as PNG, told as facts, then closed."""

import contextlib
import io
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from evaluator.inside.codec.codec import encode
from evaluator.inside.export.figure_facts import figure_facts
from evaluator.inside.isolation.run_in_fork import Prepare, Send, parts_of, run_in_fork
from evaluator.inside.runtime.capture import RecordPipe
from evaluator.inside.runtime.cell_shell import clean_bundle
from evaluator.inside.runtime.frames import FrameError, pack_parts, unpack_parts

DPI: Final = 100
MAX_FIGURES: Final = 20
MAX_PIXELS: Final = 16_000_000
DRAW_S: Final = 20.0
"""How long drawing all figures may take; those that are not done by then have neither picture nor facts."""
_MAX_ARTISTS: Final = 5_000  # of a figure that is drawn


class Drawn(NamedTuple):
    """One figure."""

    text: str  # what stands for it where pictures cannot be shown
    facts: bytes | None  # written by the codec; None: not asked for, or the figure is broken
    png: bytes | None  # None: too large to draw


def has_figures() -> bool:
    """Return whether a figure is open."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    with contextlib.suppress(Exception):  # a broken pyplot shows nothing
        return pyplot is not None and bool(pyplot.get_fignums())
    return False


def draw_figures(prepare: Prepare | None, *, with_facts: bool) -> tuple[Drawn, ...]:
    """Draw every open figure, in order, and close all of them; nothing is done where there is none.

    Args:
        prepare: Called in the fork before anything is drawn; None draws in this process.
        with_facts: Whether to tell what the figures show, too.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return ()
    drawn: tuple[Drawn, ...] = ()
    with contextlib.suppress(BaseException):  # a broken pyplot shows nothing
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()[:MAX_FIGURES]]
        if figures:
            drawn = tuple(_drawn(part) for part in _parts(figures, prepare, with_facts=with_facts))
    close_figures()
    return drawn


def show_figures(drawn: Iterable[Drawn], pipe: RecordPipe) -> None:
    """Display figures that were drawn."""
    for figure in drawn:
        data: dict[str, Any] = {"text/plain": figure.text}
        if figure.png is not None:
            data["image/png"] = figure.png
        pipe.display({"output_type": "display_data", "data": clean_bundle(data), "metadata": {}})


def close_figures() -> None:
    """Close every open matplotlib figure without showing it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    with contextlib.suppress(BaseException):  # broken figures stay as they are
        pyplot.close("all")


def _parts(figures: list[Any], prepare: Prepare | None, *, with_facts: bool) -> list[bytes]:
    def work(send: Send) -> bool:
        for figure in figures:
            with contextlib.suppress(BaseException):  # a broken figure is not shown; nothing is judged by it
                send(_draw(figure, with_facts=with_facts))
        return True

    if prepare is not None:
        return list(parts_of(run_in_fork(work, seconds=DRAW_S, prepare=prepare).data))
    parts: list[bytes] = []
    work(parts.append)
    return parts


def _draw(figure: Any, *, with_facts: bool) -> bytes:
    """Return a figure's parts; one without a picture has no facts either, as nothing has laid it out."""
    width, height = (float(side) for side in figure.get_size_inches())
    text = f"<Figure size {width * DPI:.0f}x{height * DPI:.0f} with {len(figure.axes)} Axes>"
    figure.set_dpi(DPI)
    artists = sum(len(axes.get_children()) for axes in figure.axes)
    if width * height * DPI**2 > MAX_PIXELS or artists > _MAX_ARTISTS:
        return pack_parts({"text": text}, None, None)
    figure.canvas.draw()
    facts = _guarded(lambda: encode(figure_facts(figure))) if with_facts else None
    return pack_parts({"text": text}, facts, _guarded(lambda: _png(figure)))


def _png(figure: Any) -> bytes | None:
    box = figure.get_tightbbox(figure.canvas.get_renderer())
    if box.width * box.height * DPI**2 > MAX_PIXELS:
        return None
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    return png.getvalue()


def _guarded(make: Callable[[], bytes | None]) -> bytes | None:
    try:
        return make()
    except Exception:  # noqa: BLE001  # libraries fail on odd figures in many ways
        return None


def _drawn(part: bytes) -> Drawn:
    try:
        header, (facts, png) = unpack_parts(part)
    except (FrameError, ValueError):
        return Drawn("<Figure>", None, None)
    return Drawn(str(header.get("text"))[:200], facts, png)
