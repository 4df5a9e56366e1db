"""Charts of runs as Vega-Lite specifications with their data inside, drawn here. No address is in any of them.

Names come from strangers; here they are only ever values of data, which the browser draws as text.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from authoring.store.run_results import ProblemCount, ProblemFilter, ProblemKey, count_correct, list_matrix
from authoring.store.runs import RunRow
from authoring.store.workspace import Workspace
from authoring.ui.drawing import ansi
from authoring.ui.runs.rates import INTERVAL_NOTE, Solved, added, interval_words, rate_words
from authoring.ui.runs.run_counts import (
    KEPT,
    RunMark,
    asked_digest,
    asked_sets,
    causes_of_runs,
    mark_of_run,
    verdicts_of_runs,
)
from authoring.ui.wording import cause_words, label, plural
from evaluator.language import Problemset, called_names, longest_chain, session_dependencies, syntactic_difficulty
from evaluator.reporting import DifficultyBand, difficulty_band
from evaluator.reporting.verdict_marks import VERDICTS, mark_of, rank_of

SOLVED: Final = {
    "solved": "#1174b4",
    "not solved": "#a95b06",
}  # blue and orange: told apart by who sees no red or green
POINT: Final = "#027c81"
_SHAPES: Final = ("square", "diamond", "triangle-up")  # of what is not CORRECT; a number fits into each
_LEAST_SIGNED: Final = 0.04  # share of a bar, as a fraction, that has room for its sign
MAX_NAME: Final = 60
_ROW_PX: Final = 26
_NAMES: Final = {"labelLimit": 260, "labelFlush": False, "labelBound": False}
_SHARE: Final = {"axis": {"format": ".0%", "title": None}, "scale": {"domain": [0, 1]}}

Spec = dict[str, Any]


def verdict_bars(groups: Mapping[str, Mapping[str, int]]) -> Spec:
    """Return one bar per group, split by the shares of its verdicts, each with the sign of its verdict."""
    rows = [
        {"group": shown(name), "verdict": shown(verdict), "problems": number, "rank": rank_of(verdict)}
        | {"sign": mark_of(verdict).sign if number >= _LEAST_SIGNED * sum(counts.values()) else ""}
        for name, counts in groups.items()
        for verdict, number in sorted(counts.items(), key=lambda entry: rank_of(entry[0]))
    ]
    verdicts = list(dict.fromkeys(str(row["verdict"]) for row in sorted(rows, key=lambda row: int(str(row["rank"])))))
    signed = {name: f"{mark_of(name).sign} {name}" for name in VERDICTS}
    y = {"field": "group", "type": "nominal", "sort": [shown(name) for name in groups], "title": None, "axis": _NAMES}
    x: dict[str, Any] = {"field": "problems", "type": "quantitative", "stack": "normalize"}
    x["axis"] = {"format": ".0%", "title": "share of problems"}
    colour = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": verdicts, "range": [mark_of(verdict).colour for verdict in verdicts]},
        "legend": {
            **{"title": None, "orient": "bottom", "columns": 4},
            "labelExpr": f"{json.dumps(signed)}[datum.label] || datum.label",
        },
    }
    return {
        "data": {"values": rows},
        "height": {"step": _ROW_PX},
        "encoding": {
            "y": y,
            "x": x,
            "order": {"field": "rank", "type": "quantitative"},
            "tooltip": [{"field": "group"}, {"field": "verdict"}, {"field": "problems"}],
        },
        "layer": [
            {"mark": "bar", "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "color": "white", "fontWeight": "bold"},
                "encoding": {
                    "text": {"field": "sign"},
                    "x": {**x, "bandPosition": 0.5},
                    "detail": {"field": "verdict"},
                },
            },
        ],
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
        "mark": "bar" if split else {"type": "bar", "color": mark_of("TIMEOUT").colour},
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
    """Return the problems of a set as dots, each above those it rests on, with a shape and a colour for each verdict.

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
    found = sorted({str(node["verdict"]) for node in nodes}, key=rank_of)
    x: Spec = {
        "field": "problem",
        "type": "quantitative",
        "axis": {"title": "problem", "tickMinStep": 1, "grid": False},
    }
    y: Spec = {"field": "depth", "type": "quantitative", "axis": {"title": "steps of the chain", "tickMinStep": 1}}
    x["scale"] = {"domain": [0.5, len(nodes) + 0.5], "nice": False}
    y["scale"] = {"domain": [0.5, max([*depth, 2]) + 0.5], "nice": False}
    colours = {"domain": found, "range": [mark_of(name).colour for name in found]}
    shapes = {"domain": found, "range": [_shape_of(name) for name in found]}
    legend = {"title": None, "orient": "bottom", "symbolOpacity": 1}
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
                "mark": {"type": "point", "filled": True, "size": 460, "opacity": 1},
                "encoding": {
                    "color": {"field": "verdict", "type": "nominal", "scale": colours, "legend": legend},
                    "shape": {"field": "verdict", "type": "nominal", "scale": shapes, "legend": legend},
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


def _shape_of(verdict: str) -> str:
    return "circle" if verdict == VERDICTS[0] else _SHAPES[rank_of(verdict) % len(_SHAPES)]


def _up_to(dependencies: Sequence[frozenset[int]], number: int) -> Sequence[frozenset[int]]:
    """Return the dependencies of a problem and of all it rests on; the others as if they rested on nothing."""
    needed, pending = {number}, [number]
    while pending:
        fresh = dependencies[pending.pop() - 1] - needed
        needed |= fresh
        pending += fresh
    return [each if place in needed else frozenset[int]() for place, each in enumerate(dependencies, start=1)]


MAX_BARS: Final = 30


def draw_charts(ws: Workspace, run: RunRow, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Draw the charts of one run; `counts` is problemset -> verdict -> problems."""
    st.header("Verdicts by problemset", anchor=False)
    groups = {"all": added(counts), **dict(list(counts.items())[:MAX_BARS])}
    rows = [
        {"Problemset": name, **{verdict: f"{number:,}" for verdict, number in added({name: each}).items()}}
        for name, each in groups.items()
    ]
    columns = dict.fromkeys(name for row in rows for name in row)
    filled = [{name: row.get(name, "0") for name in columns} for row in rows]
    _draw(verdict_bars(groups), "Shares of the verdicts, in all and by problemset.", filled, name="verdicts")
    if len(counts) > MAX_BARS:
        st.caption(f"The first {MAX_BARS} of {plural(len(counts), 'problemset')}.")
    _draw_causes(causes_of_runs(ws, [run.id]))
    asked = asked_sets(run.out_dir)
    if asked.missing:
        st.caption(f"Reference code is not at hand: {label(asked.missing, limit=400)}")
    if not asked.sets:
        return
    by_band, by_name = _charted(ws.root, mark_of_run(run), run.out_dir, asked_digest(run.out_dir))
    withheld = Solved.of(added(counts)).withheld
    st.header("Difficulty against pass rate", anchor=False)
    _draw_difficulty(by_band, withheld)
    st.header("What the reference code calls", anchor=False)
    _draw_coverage(by_name, withheld)
    st.header("Who rests on whom", anchor=False)
    _draw_graph(ws, run, {name: each for name, each in asked.sets.items() if name in counts})


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _charted(
    root: Path, mark: RunMark, out_dir: str, digest: str | None
) -> tuple[Mapping[DifficultyBand, Solved], Sequence[tuple[str, Solved]]]:
    """Return what was solved by difficulty and by called name: 10,000 problems are parsed in most of a second."""
    del digest  # a part of what it is kept under
    sets, solved = asked_sets(out_dir).sets, count_correct(Workspace(root), mark[0])
    return by_difficulty(sets, solved), by_call(sets, solved)


def _draw_causes(causes: Sequence[tuple[str, str, int]]) -> None:
    rows = [
        {"Verdict": label(verdict), "Subverdict": cause_words(cause) or "–", "Problems": f"{number:,}"}
        for verdict, cause, number in causes
        if verdict != "CORRECT"
    ]
    if rows:
        st.header("Why problems were not solved", anchor=False)
        st.table(rows, border="horizontal", width="content")


def draw_rates(ws: Workspace, runs: Sequence[RunRow]) -> None:
    """Draw the pass rates of several runs with their intervals; a rate that is withheld is said."""
    counts = verdicts_of_runs(ws, [run.id for run in runs])
    solved = {run.agent: Solved.of(counts[run.id]) for run in runs}
    spec = rate_bars(solved.items(), axis="")
    if spec is not None:
        said = "; ".join(f"{name}: {each.in_words()}" for name, each in solved.items())
        rows = [_rate_row("Agent", name, each) for name, each in solved.items()]
        _draw(spec, f"Pass rates with intervals. {said}", rows, name="rates")
        st.caption(INTERVAL_NOTE)
    for name, each in solved.items():
        if each.withheld:
            st.warning(f"{label(name)}: {each.withheld}.", icon=":material/hourglass_empty:")


def by_difficulty(
    sets: Mapping[str, Problemset], counts: Mapping[ProblemKey, ProblemCount]
) -> dict[DifficultyBand, Solved]:
    """Return what was solved of each band of difficulty, easiest first."""
    bands: dict[DifficultyBand, list[ProblemCount]] = defaultdict(list)
    for (name, number), count in counts.items():
        if name in sets and number <= len(sets[name].problems):
            bands[difficulty_band(syntactic_difficulty(sets[name].problems[number - 1].code))].append(count)
    return {band: _total(bands[band]) for band in sorted(bands)}


def by_call(sets: Mapping[str, Problemset], counts: Mapping[ProblemKey, ProblemCount]) -> list[tuple[str, Solved]]:
    """Return what was solved of the problems whose reference code calls a name, most used first."""
    uses: dict[str, list[ProblemCount]] = defaultdict(list)
    for name, problemset in sets.items():
        for number, called in enumerate(called_names(problemset), start=1):
            for each in called if (name, number) in counts else ():
                uses[each].append(counts[name, number])
    return sorted(((name, _total(found)) for name, found in uses.items()), key=lambda use: (-use[1].judged, use[0]))


def _total(counts: Sequence[ProblemCount]) -> Solved:
    return Solved(sum(each.correct for each in counts), sum(each.judged for each in counts))


def _draw_difficulty(bands: Mapping[DifficultyBand, Solved], withheld: str) -> None:
    spec = None if withheld else rate_bars(((str(band), each) for band, each in bands.items()), axis="difficulty")
    if spec is None:
        st.caption(f"No rates: {withheld or 'nothing was judged'}.")
        return
    said = "; ".join(f"{band}: {each.correct} of {each.judged}" for band, each in bands.items())
    rows = [_rate_row("Difficulty", str(band), each) for band, each in bands.items()]
    _draw(spec, f"Pass rate by syntactic difficulty of the reference code. {said}", rows, name="difficulty")
    st.caption(f"Syntactic difficulty of the reference code, in bands. {INTERVAL_NOTE}")


def _draw_coverage(uses: Sequence[tuple[str, Solved]], withheld: str) -> None:
    if not uses:
        st.caption("The reference code calls nothing that it imports.")
        return
    rows = [
        {"Name": name, "Problems": f"{each.judged:,}", "Solved": "withheld" if withheld else f"{each.correct:,}"}
        for name, each in uses[:MAX_BARS]
    ]
    alt = "Functions that the reference code calls, by problems."
    _draw(coverage_bars(uses[:MAX_BARS], split=not withheld), alt, rows, name="coverage")
    rest = f" The {MAX_BARS} most used of {len(uses)} names." if len(uses) > MAX_BARS else ""
    st.caption(f"Read from the text of the code: `.name` is a method of some value. Epochs count apart.{rest}")


def _draw_graph(ws: Workspace, run: RunRow, sets: Mapping[str, Problemset]) -> None:
    if not sets:
        st.caption("None of the run's problemsets is at hand.")
        return
    name = str(st.selectbox("Problemset of the graph", list(sets), key="r_graph", bind="query-params", width=320))
    dependencies = session_dependencies(sets[name])
    rows = list_matrix(ws, [run.id], ProblemFilter(problemset=name), limit=max(1, len(dependencies)))
    verdicts = {row.position: row.cells[run.id].verdict for row in rows if run.id in row.cells}
    edges = [
        f"{number} on {', '.join(map(str, sorted(each)))}" for number, each in enumerate(dependencies, start=1) if each
    ]
    rests = [
        {
            "Problem": f"{number}",
            "Rests on": ", ".join(map(str, sorted(each))) or "–",
            "Verdict": verdicts.get(number, "–"),
        }
        for number, each in enumerate(dependencies, start=1)
    ]
    alt = f"Problems that rest on earlier ones: {'; '.join(edges) or 'none'}"
    _draw(dependency_graph(dependencies, verdicts), alt, rests, name="dependencies")
    st.caption(f"Problems that rest on earlier ones: {'; '.join(edges) or 'none'}.")


def _draw(spec: Spec, alt: str, rows: Sequence[Mapping[str, str]], *, name: str) -> None:
    """Draw a chart, its numbers as a table when they are asked for, and both in words for who sees neither."""
    st.vega_lite_chart(spec=spec, width="stretch", alt=alt)
    box = st.expander("The same as a table", icon=":material/table:", key=f"numbers:{name}", on_change="rerun")
    if box.open:
        box.table(
            [{title: label(cell) for title, cell in row.items()} for row in rows], border="horizontal", width="content"
        )


def _rate_row(title: str, name: str, each: Solved) -> dict[str, str]:
    rate = "–" if each.rate is None else f"{rate_words(each.rate)}{interval_words(each.interval)}"
    return {title: name, "Solved": f"{each.correct} of {each.judged}", "Rate": rate}
