"""Charts of experiments as Vega-Lite specifications. Nothing is drawn here, and no address is in any.

Names come from strangers; here they are only ever values of data, which the browser draws as text.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from authoring.ui.runs.charts import shown

POINT: Final = "#027c81"
_ROW_PX: Final = 30
_SHARE: Final = {"axis": {"format": ".0%", "title": None}, "scale": {"domain": [0, 1]}}

Spec = dict[str, Any]


def rate_points(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> Spec | None:
    """Return a point with its interval for each run, and a diamond where a rate is published; None: there is no rate.

    Args:
        runs: Name -> run, as `ExperimentReport.to_json` has it.
    """
    rows: list[dict[str, Any]] = []
    for name, run in runs:
        low, high = run.get("interval") or (None, None)
        if run.get("pass_rate") is not None:
            rows.append(
                {"run": shown(name), "from": "this workspace", "rate": run["pass_rate"], "low": low, "high": high}
            )
        if run.get("published") is not None:
            rows.append({"run": shown(name), "from": "published", "rate": run["published"]})
    if not any(row["from"] == "this workspace" for row in rows):
        return None
    names = list(dict.fromkeys(row["run"] for row in rows))
    y = {
        "field": "run", "type": "nominal", "sort": names, "title": None,
        "axis": {"labelLimit": 260, "labelFlush": False, "labelBound": False},
    }  # fmt: skip
    percent = [{"field": field, "type": "quantitative", "format": ".1%"} for field in ("rate", "low", "high")]
    kinds = [each for each in ("this workspace", "published") if any(row["from"] == each for row in rows)]
    marks = {"domain": kinds, "range": ["circle", "diamond"][: len(kinds)]}
    colours = {"domain": kinds, "range": [POINT, "#a95b06"][: len(kinds)]}
    legend = {"title": None, "orient": "bottom"} if len(kinds) > 1 else None
    return {
        "data": {"values": rows},
        "height": {"step": _ROW_PX},
        "encoding": {"y": y, "tooltip": [{"field": "run"}, {"field": "from"}, *percent]},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": "#7d8a8a"},
                "encoding": {"x": {"field": "low", "type": "quantitative", **_SHARE}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {
                    "x": {"field": "rate", "type": "quantitative", **_SHARE},
                    "shape": {"field": "from", "type": "nominal", "scale": marks, "legend": legend},
                    "color": {"field": "from", "type": "nominal", "scale": colours, "legend": legend},
                },
            },
        ],
    }


def curve_lines(curves: Sequence[tuple[str, Sequence[Sequence[float]]]], *, over: str) -> Spec | None:
    """Return a line for each curve: the pass rate over attempts, or over tokens; None: there is no point.

    Args:
        curves: Name -> points (attempts or tokens a problem, rate as a fraction), in order.
        over: What the first number of a point is, as the axis says it.
    """
    rows = [{"run": shown(name), "at": at, "rate": rate} for name, points in curves for at, rate in points]
    if not rows:
        return None
    axis = {"title": over, "tickMinStep": 1} if over == "attempts" else {"title": over}
    return {
        "data": {"values": rows},
        "height": 300,
        "mark": {"type": "line", "point": True, "interpolate": "step-after" if over != "attempts" else "linear"},
        "encoding": {
            "x": {"field": "at", "type": "quantitative", "axis": axis, "scale": {"zero": False}},
            "y": {"field": "rate", "type": "quantitative", **_SHARE},
            "color": {
                "field": "run", "type": "nominal",
                "legend": {"title": None, "orient": "bottom", "columns": 2, "labelLimit": 260},
            },
            "tooltip": [
                {"field": "run"}, {"field": "at", "title": over},
                {"field": "rate", "type": "quantitative", "format": ".1%"},
            ],
        },
    }  # fmt: skip
