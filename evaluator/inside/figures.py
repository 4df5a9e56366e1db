"""Figures that a cell left open: shown as PNG, then closed."""

import contextlib
import io
import sys
from typing import Any, Final

from evaluator.inside.capture import RecordPipe
from evaluator.inside.shell import clean_bundle

_MAX_FIGURES: Final = 20
_MAX_PIXELS: Final = 16_000_000


def show_figures(pipe: RecordPipe) -> None:
    """Display every open matplotlib figure and close all of them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    try:
        for number in pyplot.get_fignums()[:_MAX_FIGURES]:
            _show(pyplot.figure(number), pipe)
        pyplot.close("all")
    except Exception:  # noqa: BLE001  # a broken figure is not shown; nothing is judged by it
        return


def close_figures() -> None:
    """Close every open matplotlib figure without showing it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    with contextlib.suppress(Exception):  # broken figures stay as they are
        pyplot.close("all")


def _show(figure: Any, pipe: RecordPipe) -> None:
    width, height = figure.get_size_inches() * figure.dpi
    text = f"<Figure size {width:.0f}x{height:.0f} with {len(figure.axes)} Axes>"
    data: dict[str, Any] = {"text/plain": text}
    if width * height <= _MAX_PIXELS:
        png = io.BytesIO()
        figure.savefig(png, format="png", bbox_inches="tight", metadata={"Software": None})
        data["image/png"] = png.getvalue()
    pipe.display({"output_type": "display_data", "data": clean_bundle(data), "metadata": {}})
