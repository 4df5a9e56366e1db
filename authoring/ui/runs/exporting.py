"""Downloads of results: tables as CSV for spreadsheets, the report of a run as JSON or as one HTML page."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from authoring.store.run_results import PairGroup, ProblemFilter, list_matrix, list_pairs
from authoring.store.runs import RunRow, list_attempts
from authoring.store.workspace import Workspace
from evaluator.reporting import csv_text, read_run, run_details, solved_by
from evaluator.reporting.html_report import html_report

PAGE: Final = 1_000
MAX_ROWS: Final = 200_000
ATTEMPTS: Final = (
    *("problemset", "problem", "epoch", "attempt", "counts", "verdict", "subverdict", "seconds"),
    *("reason", "query", "code"),
)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def file_name(*parts: object, ending: str) -> str:
    """Return a name for a download out of what it holds."""
    words = [_UNSAFE.sub("-", str(part)).strip("-.")[:60] for part in parts]
    return f"{'-'.join(word for word in words if word) or 'results'}.{ending}"


def draw_run_exports(ws: Workspace, run: RunRow) -> None:
    """Draw the downloads of one run; each is made when it is asked for."""
    with st.popover("Download", icon=":material/download:", key=f"run:{run.id}:downloads"):
        name = (run.release, run.agent, run.id)
        _download("Attempts (.csv)", lambda: _attempts(ws, run), file_name(*name, ending="csv"), "text/csv")
        if (Path(run.out_dir) / "records.jsonl").is_file():
            _download("Report (.json)", lambda: _report_json(run), file_name(*name, ending="json"), "application/json")
            _download("Report (.html)", lambda: _report_html(run), file_name(*name, ending="html"), "text/html")
        else:
            st.caption("The run's folder is gone: its reports cannot be made.")


def draw_matrix_export(ws: Workspace, runs: Sequence[RunRow], chosen: ProblemFilter) -> None:
    """Draw the download of the matrix as it is filtered, all pages of it."""
    name = file_name(runs[0].release, "matrix", ending="csv")
    _download("Matrix (.csv)", lambda: _matrix(ws, runs, chosen), name, "text/csv")


def draw_comparison_export(ws: Workspace, before: RunRow, after: RunRow) -> None:
    """Draw the download of every problem that two runs came to."""
    name = file_name("compare", before.id, after.id, ending="csv")
    _download("All problems (.csv)", lambda: _comparison(ws, before, after), name, "text/csv")


def _download(title: str, make: Callable[[], str], name: str, mime: str) -> None:
    st.download_button(
        title,
        data=lambda: make().encode("utf-8", "backslashreplace"),
        file_name=name,
        mime=mime,
        key=f"download:{name}",
        icon=":material/download:",
        on_click="ignore",
    )


def _attempts(ws: Workspace, run: RunRow) -> str:
    return csv_text(ATTEMPTS, _attempt_rows(ws, run))


def _attempt_rows(ws: Workspace, run: RunRow) -> Iterator[Sequence[Any]]:
    for offset in range(0, MAX_ROWS, PAGE):
        page = list_attempts(ws, run.id, limit=PAGE, offset=offset)
        for each in page:
            told = each.record
            yield (
                *(
                    each.problemset,
                    each.position,
                    each.epoch,
                    each.attempt,
                    "yes" if told.get("is_last", True) else "no",
                ),
                *(each.verdict, each.subverdict, each.seconds),
                *(told.get("extended_verdict"), told.get("question"), told.get("code")),
            )
        if len(page) < PAGE:
            return


def _matrix(ws: Workspace, runs: Sequence[RunRow], chosen: ProblemFilter) -> str:
    headers = ["problemset", "problem", "query", *(f"{run.agent} (run {run.id})" for run in runs)]
    return csv_text(headers, _matrix_rows(ws, [run.id for run in runs], chosen))


def _matrix_rows(ws: Workspace, run_ids: Sequence[int], chosen: ProblemFilter) -> Iterator[Sequence[Any]]:
    for offset in range(0, MAX_ROWS, PAGE):
        page = list_matrix(ws, run_ids, chosen, PAGE, offset)
        for row in page:
            cells = [row.cells.get(run_id) for run_id in run_ids]
            words = ["" if c is None else c.verdict if c.epochs == 1 else f"{c.correct} of {c.epochs}" for c in cells]
            yield (row.problemset, row.position, row.query, *words)
        if len(page) < PAGE:
            return


def _comparison(ws: Workspace, before: RunRow, after: RunRow) -> str:
    same_query = before.release != after.release
    pairs = list_pairs(ws, before.id, after.id, PairGroup.ALL, MAX_ROWS, same_query=same_query)
    first, second = (f"{run.agent} (run {run.id})" for run in (before, after))
    rows = [(p.problemset, p.position, p.epoch, p.before, p.after, solved_by(p.before, p.after)) for p in pairs]
    return csv_text(["problemset", "problem", "epoch", first, second, "solved by"], rows)


def _report_json(run: RunRow) -> str:
    details = run_details(read_run(Path(run.out_dir)).attempts)
    return json.dumps(details.to_json(), indent=2, ensure_ascii=False)


def _report_html(run: RunRow) -> str:
    return html_report(read_run(Path(run.out_dir)))
