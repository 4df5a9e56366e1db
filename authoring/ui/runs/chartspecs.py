"""Charts of runs as Vega-Lite specifications with their data inside. Pure: no Streamlit, and no address in any of them.

Names come from strangers; here they are only ever values of data, which the browser draws as text.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from authoring.ui.drawing import ansi
from authoring.ui.runs.rates import Solved
from evaluator.language import longest_chain

COLOURS: Final[Mapping[str, str]] = {  # told apart on white and on black
    "CORRECT": "#2e8b57",
    "INTACT_VIOLATION": "#8aa82f",
    "PRESENTATION_ERROR": "#c79a00",
    "WRONG_OUTPUT": "#d9534f",
    "WRONG_VARIABLES": "#c76b98",
    "UNIT_TEST_FAILURE": "#c8741a",
    "BAD_MODEL": "#9379b8",
    "TIMEOUT": "#5b8fb9",
    "CRASH": "#a8453f",
    "SYNTAX_ERROR": "#7d7d7d",
    "UNKNOWN": "#949494",
    "NOT_JUDGED": "#b0a58f",
}
SOLVED: Final = {"solved": COLOURS["CORRECT"], "not solved": COLOURS["WRONG_OUTPUT"]}
POINT: Final = "#2b8f88"
MAX_NAME: Final = 60
_ROW_PX: Final = 26
_NAMES: Final = {"labelLimit": 260, "labelFlush": False, "labelBound": False}
_SHARE: Final = {"axis": {"format": ".0%", "title": None}, "scale": {"domain": [0, 1]}}

Spec = dict[str, Any]


def verdict_bars(groups: Mapping[str, Mapping[str, int]]) -> Spec:
    """Return one bar per group, split by the shares of its verdicts."""
    order = [shown(name) for name in groups]
    rows = [
        {"group": shown(name), "verdict": shown(verdict), "problems": number, "rank": _rank(verdict)}
        for name, counts in groups.items()
        for verdict, number in sorted(counts.items(), key=lambda entry: _rank(entry[0]))
    ]
    verdicts = list(dict.fromkeys(str(row["verdict"]) for row in sorted(rows, key=lambda row: int(str(row["rank"])))))
    colours = [COLOURS.get(verdict, COLOURS["UNKNOWN"]) for verdict in verdicts]
    return {
        "data": {"values": rows},
        "height": {"step": _ROW_PX},
        "mark": "bar",
        "encoding": {
            "y": {"field": "group", "type": "nominal", "sort": order, "title": None, "axis": _NAMES},
            "x": {
                "field": "problems",
                "type": "quantitative",
                "stack": "normalize",
                "axis": {"format": ".0%", "title": "share of problems"},
            },
            "color": {
                "field": "verdict",
                "type": "nominal",
                "scale": {"domain": verdicts, "range": colours},
                "legend": {"title": None, "orient": "bottom", "columns": 4},
            },
            "order": {"field": "rank", "type": "quantitative"},
            "tooltip": [{"field": "group"}, {"field": "verdict"}, {"field": "problems"}],
        },
    }


def rate_bars(solved: Iterable[tuple[str, Solved]], *, axis: str) -> Spec | None:
    """Return one point with its interval per name, in the given order; None when no rate may be shown."""
    rows = [
        {"name": shown(name), "rate": each.rate, "low": each.interval.low, "high": each.interval.high}
        | {"solved": f"{each.correct} of {each.judged}"}
        for name, each in solved
        if each.interval is not None
    ]
    if not rows:
        return None
    names = [row["name"] for row in rows]
    y = {"field": "name", "type": "nominal", "sort": names, "title": axis, "axis": _NAMES}
    tooltip = [{"field": "name"}, {"field": "solved"}] + [
        {"field": field, "type": "quantitative", "format": ".1%"} for field in ("rate", "low", "high")
    ]
    return {
        "data": {"values": rows},
        "height": {"step": _ROW_PX},
        "encoding": {"y": y, "tooltip": tooltip},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": "#7d8a8a"},
                "encoding": {"x": {"field": "low", "type": "quantitative", **_SHARE}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 80, "color": POINT, "opacity": 1},
                "encoding": {"x": {"field": "rate", "type": "quantitative", **_SHARE}},
            },
        ],
    }


def coverage_bars(uses: Sequence[tuple[str, Solved]], *, split: bool) -> Spec:
    """Return one bar per called name: the problems that call it, split by solved or not unless rates are withheld."""
    rows = []
    for name, each in uses:
        parts = {"solved": each.correct, "not solved": each.judged - each.correct} if split else {"": each.judged}
        rows += [{"name": shown(name), "is": part, "problems": number} for part, number in parts.items()]
    spec: Spec = {
        "data": {"values": rows},
        "height": {"step": 20},
        "mark": "bar" if split else {"type": "bar", "color": COLOURS["TIMEOUT"]},
        "encoding": {
            "y": {
                "field": "name",
                "type": "nominal",
                "sort": [shown(name) for name, _ in uses],
                "title": None,
                "axis": _NAMES,
            },
            "x": {"field": "problems", "type": "quantitative", "axis": {"tickMinStep": 1, "title": "problems"}},
            "tooltip": [{"field": "name"}, {"field": "is"}, {"field": "problems"}],
        },
    }
    if split:
        spec["encoding"]["color"] = {
            "field": "is",
            "type": "nominal",
            "scale": {"domain": list(SOLVED), "range": list(SOLVED.values())},
            "legend": {"title": None, "orient": "bottom"},
        }
    return spec


def dependency_graph(dependencies: Sequence[frozenset[int]], verdicts: Mapping[int, str]) -> Spec:
    """Return the problems of a set as dots, each above those it rests on, coloured by verdict.

    Args:
        dependencies: Per problem the numbers, from 1, of the earlier problems that it rests on.
        verdicts: Number of a problem -> verdict; one that is absent was not asked.
    """
    depth = [longest_chain(_up_to(dependencies, number)) for number in range(1, len(dependencies) + 1)]
    nodes = [
        {"problem": number, "depth": level, "verdict": shown(verdicts.get(number, "not asked"))}
        for number, level in enumerate(depth, start=1)
    ]
    edges = [
        {"problem": earlier, "depth": depth[earlier - 1], "to": number, "to_depth": depth[number - 1]}
        for number, needed in enumerate(dependencies, start=1)
        for earlier in sorted(needed)
    ]
    found = sorted({str(node["verdict"]) for node in nodes}, key=_rank)
    x = {"field": "problem", "type": "quantitative", "axis": {"title": "problem", "tickMinStep": 1, "grid": False}}
    y = {"field": "depth", "type": "quantitative", "axis": {"title": "steps of the chain", "tickMinStep": 1}}
    x["scale"] = {"domain": [0.5, len(nodes) + 0.5], "nice": False}
    y["scale"] = {"domain": [0.5, max([*depth, 2]) + 0.5], "nice": False}
    colours = {"domain": found, "range": [COLOURS.get(name, COLOURS["UNKNOWN"]) for name in found]}
    return {
        "height": 60 + 44 * max([*depth, 2]),
        "encoding": {"x": x, "y": y},
        "layer": [
            {
                "data": {"values": edges},
                "mark": {"type": "rule", "color": "#7d8a8a", "strokeWidth": 1.5},
                "encoding": {"x2": {"field": "to"}, "y2": {"field": "to_depth"}},
            },
            {
                "data": {"values": nodes},
                "mark": {"type": "circle", "size": 420, "opacity": 1},
                "encoding": {
                    "color": {
                        "field": "verdict",
                        "type": "nominal",
                        "scale": colours,
                        "legend": {"title": None, "orient": "bottom", "symbolOpacity": 1},
                    },
                    "tooltip": [{"field": "problem"}, {"field": "verdict"}],
                },
            },
            {
                "data": {"values": nodes},
                "mark": {"type": "text", "fontSize": 11, "fontWeight": "bold", "color": "white"},
                "encoding": {"text": {"field": "problem", "type": "quantitative"}},
            },
        ],
    }


def shown(name: str) -> str:
    """Return a name of strangers for a chart: one line, invisible characters shown, cut."""
    flat = " ".join(ansi.plain_text(name).split())
    return flat if len(flat) <= MAX_NAME else f"{flat[: MAX_NAME - 1]}…"


def _rank(verdict: str) -> int:
    return [*COLOURS, verdict].index(verdict)


def _up_to(dependencies: Sequence[frozenset[int]], number: int) -> Sequence[frozenset[int]]:
    """Return the dependencies of a problem and of all it rests on; the others as if they rested on nothing."""
    needed, pending = {number}, [number]
    while pending:
        fresh = dependencies[pending.pop() - 1] - needed
        needed |= fresh
        pending += fresh
    return [each if place in needed else frozenset[int]() for place, each in enumerate(dependencies, start=1)]
