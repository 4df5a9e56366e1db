"""Figures that a cell left open: drawn in a fork of its process, shown as PNG, told as facts, then closed."""

import contextlib
import hashlib
import io
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from evaluator.inside.codec.codec import encode
from evaluator.inside.codec.encode.encoder import type_path
from evaluator.inside.export.library_digest import library_digests
from evaluator.inside.export.seen_artists import (
    Own,
    draws_itself,
    is_covered,
    is_of_library,
    legend_colors,
    library_class,
    marker_color,
    patch_look,
    point_colors,
    shape_of,
    shows,
)
from evaluator.inside.isolation.run_in_fork import Prepare, Send, parts_of, run_in_fork
from evaluator.inside.runtime.capture import RecordPipe
from evaluator.inside.runtime.cell_shell import clean_bundle
from evaluator.inside.runtime.frames import FrameError, pack_parts, unpack_parts

MAX_AXES: Final = 50
MAX_ARTISTS: Final = 1000  # of one kind on one axes; more are told as `cut`
MAX_POINTS: Final = 1_000_000  # of a whole figure
_MAX_TEXT: Final = 2000

Facts = dict[str, Any]


def figure_facts(figure: Any) -> Facts:
    """Return the facts of a figure whose canvas has been drawn, so that ticks have their texts."""
    own_drawing = [type_path(type(figure))] if draws_itself(figure, has_parts=True) else []
    figure = Own(figure, library_class(figure) or object)
    collector = _Collector()
    axes = list(figure.axes)
    hidden = not figure.get_visible()
    collector.legends = list(figure.legends)
    own_drawing += [type_path(type(one)) for one in axes[:MAX_AXES] if draws_itself(one, has_parts=True)]
    return {
        "is_covered": hidden or is_covered(figure),
        "own_drawing": own_drawing,
        "size_inches": [float(side) for side in figure.get_size_inches()],
        "title": _text(figure._suptitle) if figure._suptitle is not None else "",
        "texts": [_text(text) for text in islice(figure.texts, MAX_ARTISTS)],
        "axes": [collector.axes(one) for one in axes[:MAX_AXES]],
        "cut": collector.is_cut or len(axes) > MAX_AXES,
    }


class _Collector:
    """Reads the axes of one figure and counts what it has read."""

    def __init__(self) -> None:
        from matplotlib import collections, image, lines, patches, text

        self.is_cut = False
        self.legends: list[Any] = []  # of the figure as a whole
        self._points = 0
        self._kinds: dict[type, tuple[str, Callable[[Any], Facts]]] = {
            lines.Line2D: ("lines", self._line),
            patches.Rectangle: ("rectangles", self._rectangle),
            patches.Wedge: ("wedges", self._wedge),
            patches.Polygon: ("polygons", self._polygon),
            patches.StepPatch: ("stairs", self._stairs),
            collections.PathCollection: ("points", self._scatter),
            collections.LineCollection: ("segments", self._segments),
            collections.QuadMesh: ("meshes", self._image),
            image.AxesImage: ("images", self._image),
            text.Text: ("texts", self._placed_text),
        }

    def axes(self, axes: Any) -> Facts:
        """Return what one axes shows."""
        kind, axes = type_path(type(axes)), Own(axes, library_class(axes) or object)
        facts: Facts = {
            "kind": kind,
            "titles": [_text(title) for title in (axes._left_title, axes.title, axes._right_title)],
            "position": [float(side) for side in axes.get_position().bounds],
            "is_visible": bool(axes.get_visible()),
            "legend": self._legend(axes.get_legend() or next(iter(self.legends), None)),
        }
        for name in ("x", "y", *(("z",) if hasattr(axes, "get_zlim") else ())):
            facts[name] = self._axis(axes, name)
        artists, others = self._artists(axes)
        return {**facts, **artists, "bars": self._bars(axes), "others": others}

    def _axis(self, axes: Any, name: str) -> Facts:
        ticks, axis = getattr(axes, f"get_{name}ticklabels")(), getattr(axes, f"{name}axis")
        is_drawn = bool(axes.axison and axis.get_visible())  # else nothing beside it is: neither label nor ticks
        return {
            "label": _text(axis.label) if is_drawn else "",
            "scale": str(getattr(axes, f"get_{name}scale")()),
            "limits": [float(limit) for limit in getattr(axes, f"get_{name}lim")()],
            "ticks": [_text(tick) if is_drawn else "" for tick in self._some(ticks)],
            "places": self._numbers(list(getattr(axes, f"get_{name}ticks")())),
        }

    def _legend(self, legend: Any) -> Facts | None:
        if legend is None:
            return None
        return {
            "title": _text(legend.get_title()),
            "texts": [_text(one) for one in self._some(legend.get_texts())],
            "handles": [legend_colors(one) for one in self._some(legend.legend_handles)],
        }

    def _artists(self, axes: Any) -> tuple[Facts, dict[str, int]]:
        """Return the known artists that the cell put on an axes, and how many others there are."""
        found: Facts = {name: [] for name, _ in self._kinds.values()}
        others: dict[str, int] = {}
        for artist in (*axes.lines, *axes.patches, *axes.collections, *axes.images, *axes.texts):
            if not shows(artist, axes):
                continue
            base = self._base(artist)
            known = self._kinds.get(base) if base else None
            if known is None or base is None:
                name = type_path(type(artist))
                others[name] = others.get(name, 0) + 1
            elif len(found[known[0]]) >= MAX_ARTISTS:
                self.is_cut = True
            else:
                found[known[0]].append(known[1](Own(artist, base)))
        return found, dict(islice(sorted(others.items()), MAX_ARTISTS))

    def _base(self, artist: Any) -> type | None:
        """Return the class by which an artist is read; libraries' own subclasses are kinds of their own."""
        kind = type(artist)
        if draws_itself(artist):
            return None
        if kind in self._kinds or is_of_library(kind):
            return kind
        return next((base for base in self._kinds if issubclass(kind, base)), None)

    def _bars(self, axes: Any) -> list[Facts]:
        from matplotlib.container import BarContainer
        from matplotlib.patches import Rectangle

        rectangles = [patch for patch in axes.patches if isinstance(patch, Rectangle) and not draws_itself(patch)]
        there = {id(patch) for patch in rectangles if shows(patch, axes)}
        groups = [group for group in axes.containers if type(group) is BarContainer]
        return [
            {
                "label": str(group.get_label())[:_MAX_TEXT],
                "orientation": str(group.orientation),
                "bars": [self._rectangle(Own(bar, Rectangle)) for bar in self._some(group.patches) if id(bar) in there],
            }
            for group in self._some(groups)
        ]

    def _line(self, line: Any) -> Facts:
        return {
            "label": str(line.get_label())[:_MAX_TEXT],
            "x": self._numbers(line.get_xdata(orig=False)),
            "y": self._numbers(line.get_ydata(orig=False)),
            "color": _color(line.get_color()),
            "style": str(line.get_linestyle()),
            "marker": str(line.get_marker())[:20],
            "width": float(line.get_linewidth()),
            "marker_color": marker_color(line),
            "is_rule": _is_rule(line),
        }

    def _rectangle(self, bar: Any) -> Facts:
        return {
            "x": float(bar.get_x()),
            "y": float(bar.get_y()),
            "width": float(bar.get_width()),
            "height": float(bar.get_height()),
            **patch_look(bar),
        }

    def _wedge(self, wedge: Any) -> Facts:
        return {
            "label": str(wedge.get_label())[:_MAX_TEXT],
            "center": [float(place) for place in wedge.center],
            "radius": float(wedge.r),
            "angles": [float(wedge.theta1), float(wedge.theta2)],
            "color": _color(wedge.get_facecolor()),
        }

    def _polygon(self, polygon: Any) -> Facts:
        places = self._numbers(polygon.get_xy())
        places = places.reshape(-1, 2)
        return {
            "label": str(polygon.get_label())[:_MAX_TEXT],
            "x": places[:, 0],
            "y": places[:, 1],
            **patch_look(polygon),
        }

    def _stairs(self, stairs: Any) -> Facts:
        values, edges, baseline = stairs.get_data()
        return {
            "label": str(stairs.get_label())[:_MAX_TEXT],
            "values": self._numbers(values),
            "edges": self._numbers(edges),
            "baseline": self._numbers(np.zeros(0) if baseline is None else np.atleast_1d(baseline)),
            "orientation": str(stairs.orientation),
            **patch_look(stairs),
        }

    def _scatter(self, points: Any) -> Facts:
        return {
            "label": str(points.get_label())[:_MAX_TEXT],
            "offsets": self._numbers(points.get_offsets()),
            "sizes": self._numbers(points.get_sizes()),
            "colors": self._numbers(point_colors(points)),
            "shape": shape_of(points),
        }

    def _segments(self, lines: Any) -> Facts:
        segments = list(islice(lines.get_segments(), MAX_SEGMENTS + 1))
        self.is_cut = self.is_cut or len(segments) > MAX_SEGMENTS
        ends = [np.asarray(one, dtype=np.float64)[[0, -1]].ravel() for one in segments[:MAX_SEGMENTS] if len(one)]
        return {"label": str(lines.get_label())[:_MAX_TEXT], "ends": self._numbers(np.array(ends))}

    def _image(self, image: Any) -> Facts:
        values = image.get_array()
        plain = np.ascontiguousarray(np.ma.filled(np.ma.asarray(values), 0))
        return {
            "thumbnail": self._numbers(_thumbnail(plain)),
            "shape": list(plain.shape),
            "sha256": hashlib.sha256(f"{plain.dtype.str}{plain.shape}".encode() + plain.tobytes()).hexdigest(),
            "colors": str(image.get_cmap().name),
            "limits": [None if limit is None else float(limit) for limit in image.get_clim()],
        }

    def _placed_text(self, text: Any) -> Facts:
        return {"text": _text(text), "position": [float(place) for place in text.get_position()]}

    def _numbers(self, values: Any) -> "np.ndarray[Any, Any]":
        numbers = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
        self._points += numbers.size
        if self._points > MAX_POINTS:
            self.is_cut = True
            return np.zeros(0)
        return np.array(numbers)

    def _some(self, items: Iterable[Any]) -> list[Any]:
        some = list(islice(items, MAX_ARTISTS + 1))
        self.is_cut = self.is_cut or len(some) > MAX_ARTISTS
        return some[:MAX_ARTISTS]


def _is_rule(line: Any) -> bool:
    """Return whether a line runs through the whole plot at one value, as `axhline` and `axvline` draw it."""
    axes = line.axes
    return axes is not None and any(
        line.get_transform() is transform
        for transform in (axes.get_xaxis_transform(which="grid"), axes.get_yaxis_transform(which="grid"))
    )


def _thumbnail(image: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return what an image shows at 16 by 16 fields, each channel in [0, 1], whatever numbers stand for it."""
    values = image.astype(np.float64)
    if values.ndim == 2:
        low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
        values = (values - low) / (high - low) if high > low else np.zeros(values.shape)
    elif image.dtype.kind in "iu":
        values = values / 255
    if values.ndim not in (2, 3) or 0 in values.shape:
        return np.zeros(0)
    fields = [[part.mean(axis=(0, 1)) for part in np.array_split(row, min(_FIELDS, row.shape[1]), axis=1)]
              for row in np.array_split(values, min(_FIELDS, values.shape[0]), axis=0)]  # fmt: skip
    return np.nan_to_num(np.array(fields)).ravel()


_FIELDS: Final = 16
MAX_SEGMENTS: Final = 20_000  # of one line collection


def _text(text: Any) -> str:
    from matplotlib.text import Text

    return str(Own(text, Text).get_text())[:_MAX_TEXT]


def _color(color: Any) -> list[float]:
    from matplotlib.colors import to_rgba

    return [float(part) for part in to_rgba(color)]


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


def show_figures(drawn: Iterable[Drawn], pipe: RecordPipe, *, before_value: bool = False) -> None:
    """Display figures that were drawn; `before_value`: the cell showed them before its last value."""
    for figure in drawn:
        data: dict[str, Any] = {"text/plain": figure.text}
        if figure.png is not None:
            data["image/png"] = figure.png
        bundle: dict[str, Any] = {"output_type": "display_data", "data": clean_bundle(data), "metadata": {}}
        pipe.display({**bundle, "before_value": True} if before_value else bundle)


def close_figures() -> None:
    """Close every open matplotlib figure without showing it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    with contextlib.suppress(BaseException):  # broken figures stay as they are
        pyplot.close("all")


def _parts(figures: list[Any], prepare: Prepare | None, *, with_facts: bool) -> list[bytes]:
    def work(send: Send) -> bool:
        library = _library() if with_facts else None
        for figure in figures:
            with contextlib.suppress(BaseException):  # a broken figure is not shown; nothing is judged by it
                send(_draw(figure, library))
        return True

    if prepare is not None:
        return list(parts_of(run_in_fork(work, seconds=DRAW_S, prepare=prepare).data))
    parts: list[bytes] = []
    work(parts.append)
    return parts


def _draw(figure: Any, library: Mapping[str, str] | None) -> bytes:
    """Return a figure's parts; one without a picture has no facts either, as nothing has laid it out.

    Args:
        figure: The figure.
        library: Digests of matplotlib before anything was drawn; None where no facts are asked for.
    """
    width, height = (float(side) for side in figure.get_size_inches())
    text = f"<Figure size {width * DPI:.0f}x{height * DPI:.0f} with {len(figure.axes)} Axes>"
    figure.set_dpi(DPI)
    artists = sum(len(axes.get_children()) for axes in figure.axes)
    if width * height * DPI**2 > MAX_PIXELS or artists > _MAX_ARTISTS:
        return pack_parts({"text": text}, None, None)
    figure.canvas.draw()
    facts = None if library is None else _guarded(lambda: encode(_told(figure, library)))
    return pack_parts({"text": text}, facts, _guarded(lambda: _png(figure)))


def _library() -> dict[str, str]:
    """Return digests of matplotlib; none where it is broken, and then no figure has facts."""
    with contextlib.suppress(Exception):
        return library_digests()
    return {}


def _told(figure: Any, library: Mapping[str, str]) -> Facts:
    """Return the facts of a figure, and the digests of matplotlib before and after it was drawn and read."""
    facts = figure_facts(figure)
    return {**facts, "library": {name: [library[name], digest] for name, digest in library_digests().items()}}


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
