"""Two runs side by side: who solved what, how sure the difference is, and both submissions to each problem."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

import streamlit as st

from authoring.store.run_results import (
    ComparedAttempts,
    PairCount,
    PairGroup,
    find_attempt,
    list_pairs,
    queries_of,
)
from authoring.store.runs import RunRow
from authoring.store.workspace import Workspace
from authoring.ui.drawing.markup import cell_text
from authoring.ui.runs.attempt import draw_place, draw_query
from authoring.ui.runs.comparing.selected_runs import LETTERS
from authoring.ui.runs.exporting import draw_comparison_export
from authoring.ui.runs.rates import INTERVAL_NOTE, Solved, rate_words
from authoring.ui.runs.run_counts import pairs_of_runs
from authoring.ui.runs.run_words import draw_releases_differ, manifest_at, run_words
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_code, draw_empty, draw_pager
from authoring.ui.wording import label, plural, prose, verdict_chip
from evaluator.reporting import (
    PairedCounts,
    PairedResult,
    differing_facts,
    statistics_words,
    why_no_statistics,
)

FACTS: Final = {
    "scoring_version": "scoring version",
    "rules": "rules of judging",
    "max_attempts": "attempts at a problem, at most",
    "policies": "state and history",
}


def draw_versus(ws: Workspace, before: RunRow, after: RunRow, totals: Mapping[int, Mapping[str, int]]) -> None:
    """Draw one run beside another; `totals` is run -> verdict -> problems."""
    other_release = before.release != after.release
    pairs = pairs_of_runs(ws, (before, after), same_query=other_release)
    differing = _differing(before, after)
    counts = PairedCounts.of((one, other, number) for _, one, other, number in pairs)
    found = sum(pair.problems for pair in pairs)
    result = PairedResult(counts, why_no_statistics(found - counts.total, differing))
    _draw_facts(before, after, differing)
    rows = [_rate_row(letter, run, totals[run.id]) for letter, run in zip(LETTERS, (before, after), strict=False)]
    st.table(rows, border="horizontal", width="content")
    _draw_left_out(before, after, totals, found)
    st.table([agreement(counts)], border="horizontal", width="content")
    if result.withheld:
        st.warning(f"No statistics: {label(result.withheld, limit=400)}.", icon=":material/hourglass_empty:")
    else:
        st.markdown(f"{label(statistics_words(result, difference_of='B minus A'), limit=400)}.")
        st.caption(f"{INTERVAL_NOTE} A p below 0.05 is seldom chance alone, if one comparison was planned.")
    _draw_sets(pairs, result.withheld)
    _draw_problems(ws, before, after, pairs)


def _differing(before: RunRow, after: RunRow) -> dict[str, tuple[str, str]]:
    return differing_facts(manifest_at(before.out_dir), manifest_at(after.out_dir))


def _draw_facts(before: RunRow, after: RunRow, differing: Mapping[str, tuple[str, str]]) -> None:
    if before.release != after.release:
        draw_releases_differ()
    for name, values in differing.items():
        first, second = (label(value, limit=200) for value in values)
        st.caption(f":material/info: {label(FACTS.get(name, name.replace('_', ' ')))}: A {first} · B {second}")


def _draw_left_out(before: RunRow, after: RunRow, totals: Mapping[int, Mapping[str, int]], common: int) -> None:
    alone = [sum(totals[run.id].values()) - common for run in (before, after)]
    if any(alone):
        first, second = (plural(number, "problem") for number in alone)
        st.caption(f"Not compared: {first} of A, {second} of B.")


def agreement(counts: PairedCounts) -> dict[str, str]:
    """Return who solved the problems that both runs were judged on."""
    names = ("Solved by both", "Only A solved", "Only B solved", "Solved by none")
    return {name: f"{number:,}" for name, number in zip(names, counts, strict=True)}


def _rate_row(letter: str, run: RunRow, verdicts: Mapping[str, int]) -> dict[str, str]:
    return {
        "Run": f"**{letter}** · run {run.id} · {run_words(run)}",
        "Pass rate": Solved.of(verdicts).in_words(),
    }


def _draw_sets(pairs: Sequence[PairCount], withheld: str) -> None:
    box = st.expander("By problemset", icon=":material/table_rows:", key="versus:sets", on_change="rerun")
    if not box.open:
        return
    with box:
        by_set = {name: [*group] for name, group in groupby(pairs, key=lambda pair: pair.problemset)}
        names = list(by_set)
        offset = draw_pager(len(names), key="versus:sets:page")
        rows = [_set_row(name, by_set[name], withheld) for name in names[offset : offset + PAGE_SIZE]]
        st.table(rows, border="horizontal", width="content")


def _set_row(name: str, pairs: Sequence[PairCount], withheld: str) -> dict[str, str]:
    result = PairedResult(PairedCounts.of((one, other, number) for _, one, other, number in pairs), withheld)
    rates, difference = result.rates or (None, None), result.difference
    return {
        "Problemset": label(name),
        **agreement(result.counts),
        "A": "withheld" if withheld else rate_words(rates[0]),
        "B": "withheld" if withheld else rate_words(rates[1]),
        "B minus A": "–" if difference is None else f"{100 * difference.value:+.1f} points",
    }


def _draw_problems(ws: Workspace, before: RunRow, after: RunRow, pairs: Sequence[PairCount]) -> None:
    st.header("Problems", anchor=False)
    numbers = {group: sum(pair.problems for pair in pairs if _is_in(pair, group)) for group in PairGroup}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Show", [group.value for group in PairGroup], key="r_pairs", bind="query-params", width=240
        )
        draw_comparison_export(ws, before, after)
    group = PairGroup(picked)
    st.caption(" · ".join(f"{name.value}: {number:,}" for name, number in numbers.items()))
    if not numbers[group]:
        draw_empty("No problem is like that", "Choose another group.")
        return
    slot = st.container(gap="xsmall")
    offset = draw_pager(numbers[group], key=f"versus:{before.id}:{after.id}:{group}")
    same_query = before.release != after.release
    with slot:
        rows = list_pairs(ws, before.id, after.id, group, PAGE_SIZE, offset, same_query=same_query)
        queries = queries_of(ws, [row.before_id for row in rows])
        for row in rows:
            _draw_problem(ws, row, (before, after), queries.get(row.before_id, ""))


def _is_in(pair: PairCount, group: PairGroup) -> bool:
    one, other = pair.before, pair.after
    if group in (PairGroup.ALL, PairGroup.CHANGED):
        return group is PairGroup.ALL or one != other
    counts = PairedCounts.of([(one, other, 1)])
    return (
        dict(zip((PairGroup.BOTH, PairGroup.FIRST, PairGroup.SECOND, PairGroup.NEITHER), counts, strict=True))[group]
        > 0
    )


def _draw_problem(ws: Workspace, row: ComparedAttempts, runs: tuple[RunRow, RunRow], query: str) -> None:
    epoch = f", epoch {row.epoch}" if row.epoch > 1 else ""
    chips = f"{chip_text(verdict_chip(row.before))} → {chip_text(verdict_chip(row.after))}"
    title = f"**{label(row.problemset, limit=80)} {row.position}**{epoch} {chips} {prose(query, limit=90)}"
    box = st.expander(title, key=f"versus:{row.before_id}:{row.after_id}", on_change="rerun")
    if not box.open:
        return
    with box:
        attempts = [find_attempt(ws, each) for each in (row.before_id, row.after_id)]
        draw_query(attempts[0].record)
        for side, letter, run, attempt in zip(st.columns(2), LETTERS[:2], runs, attempts, strict=True):
            with side:
                st.markdown(f"**{letter}** · {label(run.agent)} {chip_text(verdict_chip(attempt.verdict))}")
                draw_code(str(attempt.record.get("code") or "# nothing was submitted"))
                st.text(cell_text(str(attempt.record.get("extended_verdict") or "")))
                page_link("runs", "The whole attempt", icon=":material/notes:", run=run.id, attempt=attempt.id)
        draw_place(ws, attempts[1])
