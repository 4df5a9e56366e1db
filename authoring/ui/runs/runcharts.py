"""What a run looks like: verdicts, rates with intervals, difficulty, dependencies, and what the code calls."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from authoring.store import (
    ProblemCount,
    ProblemFilter,
    ProblemKey,
    RunRow,
    Workspace,
    count_correct,
    list_matrix,
)
from authoring.ui.runs.asked import asked_sets
from authoring.ui.runs.chartspecs import Spec, coverage_bars, dependency_graph, rate_bars, verdict_bars
from authoring.ui.runs.rates import INTERVAL_NOTE, Solved, added, interval_words, rate_words
from authoring.ui.runs.runcounts import verdicts_of_runs
from authoring.ui.wording import label, plural
from evaluator.language import Problemset, called_names, session_dependencies, syntactic_difficulty
from evaluator.reporting import DifficultyBand, difficulty_band

MAX_BARS: Final = 30


def draw_charts(ws: Workspace, run: RunRow, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Draw the charts of one run; `counts` is problemset -> verdict -> problems."""
    st.subheader("Verdicts by problemset", anchor=False)
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
    asked = asked_sets(run.out_dir)
    if asked.missing:
        st.caption(f"Reference code is not at hand: {label(asked.missing, limit=400)}")
    if not asked.sets:
        return
    solved = count_correct(ws, run.id)
    withheld = Solved.of(added(counts)).withheld
    st.subheader("Difficulty against pass rate", anchor=False)
    _draw_difficulty(asked.sets, solved, withheld)
    st.subheader("What the reference code calls", anchor=False)
    _draw_coverage(asked.sets, solved, withheld)
    st.subheader("Who rests on whom", anchor=False)
    _draw_graph(ws, run, {name: each for name, each in asked.sets.items() if name in counts})


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


def _draw_difficulty(sets: Mapping[str, Problemset], counts: Mapping[ProblemKey, ProblemCount], withheld: str) -> None:
    bands = by_difficulty(sets, counts)
    spec = None if withheld else rate_bars(((str(band), each) for band, each in bands.items()), axis="difficulty")
    if spec is None:
        st.caption(f"No rates: {withheld or 'nothing was judged'}.")
        return
    said = "; ".join(f"{band}: {each.correct} of {each.judged}" for band, each in bands.items())
    rows = [_rate_row("Difficulty", str(band), each) for band, each in bands.items()]
    _draw(spec, f"Pass rate by syntactic difficulty of the reference code. {said}", rows, name="difficulty")
    st.caption(f"Syntactic difficulty of the reference code, in bands. {INTERVAL_NOTE}")


def _draw_coverage(sets: Mapping[str, Problemset], counts: Mapping[ProblemKey, ProblemCount], withheld: str) -> None:
    uses = by_call(sets, counts)
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
