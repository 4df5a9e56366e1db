"""What of a figure can be seen: artists that show, what covers them all, and what the entries of legends look like."""

import contextlib
import hashlib
import re
import sys
import types
from typing import Any, Final

import numpy as np

_COVERS: Final = 0.9  # of each side of a figure
_OPAQUE: Final = 0.5
_LIBRARIES: Final = ("matplotlib", "mpl_toolkits")
_DRAWING: Final = re.compile(r"draw|recache|get_(path|paths|transform|transforms|\w+_transform)|_[^_]\w*")
"""Functions that decide what an artist looks like, whatever its data say."""
_DRAWING_PARTS: Final = re.compile(r"draw|get_children")  # of figures and plots: bars of colours replace others there


class Own:
    """An artist read by the functions of a class of matplotlib, whatever the artist or its own class says."""

    def __init__(self, artist: Any, base: type) -> None:
        self._artist, self._base = artist, base

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._base, name, None)
        if found is None or not hasattr(type(found), "__get__"):
            return getattr(self._artist, name)
        return found.__get__(self._artist, self._base)


def is_of_library(kind: type) -> bool:
    """Return whether a class is one of matplotlib's own."""
    library = sys.modules.get(kind.__module__)
    return kind.__module__.partition(".")[0] in _LIBRARIES and getattr(library, kind.__name__, None) is kind


def library_class(artist: Any) -> type | None:
    """Return the nearest class of matplotlib that an artist is of; None where it is of none."""
    return next((kind for kind in type(artist).__mro__ if is_of_library(kind)), None)


def draws_itself(artist: Any, *, has_parts: bool = False) -> bool:
    """Return whether an artist, or a class of its own, replaces functions by which matplotlib would draw it.

    Args:
        artist: What is drawn.
        has_parts: Whether it is a figure or a plot, which draws others.
    """
    base = library_class(artist)
    if base is None:
        return True
    pattern = _DRAWING_PARTS if has_parts else _DRAWING
    own = [vars(artist), *(vars(kind) for kind in type(artist).__mro__[: type(artist).__mro__.index(base)])]
    names = {name for each in own for name in each if pattern.fullmatch(name)}
    return any(isinstance(getattr(base, name, None), types.FunctionType | property) for name in names)


def shows(artist: Any, axes: Any) -> bool:
    """Return whether an artist can be seen at all: it is not hidden, has a colour, and lies within its axes."""
    from matplotlib import artist as artists
    from matplotlib import collections, lines, patches

    own = Own(artist, artists.Artist)
    if not own.get_visible() or (np.isscalar(own.get_alpha()) and own.get_alpha() == 0):
        return False
    if isinstance(artist, lines.Line2D):
        own = Own(artist, lines.Line2D)
        return _line_has_ink(own) and not _is_outside(own.get_transform().transform(own.get_xydata()), axes)
    if isinstance(artist, patches.Patch):
        own = Own(artist, patches.Patch)
        if not _is_filled(own.get_facecolor()) and not (own.get_linewidth() and _is_filled(own.get_edgecolor())):
            return False
        if isinstance(artist, patches.Rectangle):
            own = Own(artist, patches.Rectangle)
            corners = own.get_transform().transform(own.get_path().vertices)
            return not _is_outside(corners, axes)
    if isinstance(artist, collections.PathCollection):
        own = Own(artist, collections.PathCollection)
        filled = _any_filled(own.get_facecolor())
        edged = np.any(np.asarray(own.get_linewidth()) > 0) and _any_filled(own.get_edgecolor())
        sizes = np.asarray(own.get_sizes())
        if not (filled or edged) or (sizes.size and not (sizes > 0).any()):
            return False
        return not _is_outside(own.get_offset_transform().transform(np.ma.filled(own.get_offsets(), np.nan)), axes)
    return True


def _line_has_ink(line: Any) -> bool:
    drawn = line.get_linestyle() not in ("None", "", " ") and line.get_linewidth() > 0 and _is_filled(line.get_color())
    marked = str(line.get_marker()) not in ("None", "", " ") and line.get_markersize() > 0
    inked = _is_filled(line.get_markerfacecolor()) or _is_filled(line.get_markeredgecolor())
    return bool(drawn or (marked and inked))


def _is_filled(color: Any) -> bool:
    from matplotlib.colors import to_rgba

    return to_rgba(color)[3] > 0


def _any_filled(colors: Any) -> bool:
    found = np.asarray(colors, dtype=np.float64).reshape(-1, 4)
    return bool((found[:, 3] > 0).any())


def _is_outside(places: Any, axes: Any) -> bool:
    """Return whether all places, in pixels, lie on one side of the axes; what has no place at all is left as it is."""
    places = np.asarray(places, dtype=np.float64).reshape(-1, 2)
    places = places[np.isfinite(places).all(axis=1)]
    if not len(places):
        return False
    box, (left, bottom), (right, top) = axes.bbox, places.min(axis=0), places.max(axis=0)
    edge = 1.0
    return bool(left > box.x1 + edge or right < box.x0 - edge or bottom > box.y1 + edge or top < box.y0 - edge)


def is_covered(figure: Any) -> bool:
    """Return whether something opaque of the figure itself, and of no axes, lies over all that it shows."""
    from matplotlib.image import FigureImage
    from matplotlib.patches import Patch

    lowest = min((axes.get_zorder() for axes in figure.axes), default=0)
    artists: tuple[Any, ...] = (*figure.patches, *figure.artists, *figure.images)
    for artist in artists:
        if not artist.get_visible() or artist.get_zorder() < lowest:
            continue
        if isinstance(artist, FigureImage):
            left, right, bottom, top = artist.get_extent()
        elif isinstance(artist, Patch) and Own(artist, Patch).get_facecolor()[3] >= _OPAQUE:
            left, bottom, right, top = artist.get_window_extent(figure.canvas.get_renderer()).extents
        else:
            continue
        width, height = min(right, figure.bbox.x1) - max(left, 0), min(top, figure.bbox.y1) - max(bottom, 0)
        if width > _COVERS * figure.bbox.width and height > _COVERS * figure.bbox.height:
            return True
    return False


def patch_look(patch: Any) -> dict[str, Any]:
    """Return what a bar or another filled form looks like: one that is not filled has the colour of its edge."""
    from matplotlib.colors import to_rgba

    face, edge = patch.get_facecolor(), patch.get_edgecolor()
    color = face if _is_filled(face) else edge
    return {
        "color": [float(part) for part in to_rgba(color)],
        "edge": [float(part) for part in to_rgba(edge)],
        "hatch": str(patch.get_hatch() or "")[:20],
    }


def marker_color(line: Any) -> list[float]:
    """Return the colour of the markers of a line; those that are not filled have the colour of their edges."""
    from matplotlib.colors import to_rgba

    face = line.get_markerfacecolor()
    return [float(part) for part in to_rgba(face if _is_filled(face) else line.get_markeredgecolor())]


def point_colors(points: Any) -> Any:
    """Return the colours of the points of a collection: those that are not filled have the colours of their edges."""
    faces, edges = (np.asarray(each, dtype=np.float64).reshape(-1, 4) for each in _colors_of(points))
    if not len(faces) or not len(edges):
        return faces if len(faces) else edges
    places = np.arange(max(len(faces), len(edges)))
    faces, edges = faces[places % len(faces)], edges[places % len(edges)]
    return np.where(faces[:, 3:] > 0, faces, edges)


def _colors_of(collection: Any) -> tuple[Any, Any]:
    return collection.get_facecolors(), collection.get_edgecolors()


def shape_of(points: Any) -> str:
    """Return a digest of the form of the markers of a collection."""
    paths = points.get_paths()
    vertices = np.round(np.asarray(paths[0].vertices, dtype=np.float64), 6) if len(paths) else np.zeros(0)
    return hashlib.blake2b(vertices.tobytes(), digest_size=8).hexdigest()


def legend_colors(handle: Any) -> dict[str, Any]:
    """Return what an entry of a legend looks like, as far as that can be told."""
    from matplotlib import collections, lines, patches
    from matplotlib.colors import to_rgba

    look: dict[str, Any] = {"colors": [], "style": "", "marker": "", "edge": [], "hatch": "", "shape": ""}
    with contextlib.suppress(ValueError, TypeError, IndexError):  # handles may be anything
        told: list[Any] = []
        if isinstance(handle, lines.Line2D):
            own = Own(handle, lines.Line2D)
            look["style"], look["marker"] = str(own.get_linestyle()), str(own.get_marker())[:20]
            told = [own.get_color(), marker_color(own)]
            if look["style"] in ("None", "", " "):
                told = told[::-1]
            told = [color for color in told if _is_filled(color)]
        elif isinstance(handle, patches.Patch):
            look |= patch_look(Own(handle, patches.Patch))
            told = [look.pop("color")]
        elif isinstance(handle, collections.PathCollection):
            own = Own(handle, collections.PathCollection)
            look["shape"] = shape_of(own)
            told = list(point_colors(own)[:1])
        elif isinstance(handle, collections.Collection):
            told = [*handle.get_facecolor()[:1], *handle.get_edgecolor()[:1]]
        look["colors"] = [[float(part) for part in to_rgba(color)] for color in told]
    return look
