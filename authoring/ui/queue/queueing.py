"""The parts of the Queue: filters that stand in the address, progress, hits of a search, the list of problemsets."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from authoring.checks.standing import Standing
from authoring.store import jobs, problemsets
from authoring.store.people import Role
from authoring.store.problemsets import STATUSES, ProblemsetRow
from authoring.store.reviewing.leases import lease_problemset
from authoring.store.reviewing.queue import (
    QueueFacets,
    QueueFilter,
    QueueSort,
    TextHit,
    count_queue,
    list_queue,
    measure_progress,
    next_for,
)
from authoring.store.statuses import JobState, ProblemsetStatus
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.clock import at_minute
from authoring.ui.drawing.row_tables import Caption, Piece, Row, RowColumn, Strong
from authoring.ui.help.tour import DEMO_JOB, is_demo
from authoring.ui.inputs.row_list import row_link, row_list
from authoring.ui.jobs import draw_job, order
from authoring.ui.queue.bulk import ROWS
from authoring.ui.queue.leasing import holder_chip
from authoring.ui.shell.auth import current_roles, current_user, may
from authoring.ui.shell.navigation import go, page_link
from authoring.ui.shell.own_worker import is_starting, start_if_none
from authoring.ui.standing import standing_chip
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import Chip, label, plural, status_chip, time_since
from authoring.ui.workplace import workspace
from evaluator.reporting import csv_table

COLUMNS: Final = (
    RowColumn(["Problemset"], 8),
    RowColumn(["Status"], 4),
    RowColumn(["Last dry run"], 6),
    RowColumn(["Who works on it, and its last change"], 10),
)


def draw_demo_job(ws: Workspace) -> bool:
    """Draw the job that fills a new demo workspace, until it is done; tells whether it is still at work."""
    job = jobs.find_latest(ws, DEMO_JOB) if is_demo(ws) else None
    if job is not None and job.state not in (JobState.DONE, JobState.CANCELLED) and not job.dismissed_by:
        with st.container(border=True):
            draw_job(job, each_step=True)
    return job is not None and job.live


def draw_no_set(ws: Workspace, *, builds_demo: bool) -> None:
    """Draw what leads on where the workspace holds no problemset yet."""
    if builds_demo and not state.recall("workers") and not is_starting(ws):
        start = "Start one" if may(Role.MAINTAINER) else "Ask a maintainer to start one"
        draw_empty(
            "The demo waits for a worker", f"{start}: the first draft appears here about half a minute after that."
        )
        return
    if builds_demo:
        draw_empty(
            "The first draft of the demo is being made",
            "It appears here after about half a minute, and you can begin with it while the rest is built.",
        )
        return
    draw_empty(
        "There is no problemset yet",
        "Choose a dataset under Seeds & ideas, sketch problems on it and draft them. The draft then waits here.",
    )
    with st.container(horizontal=True):
        draw_demo_offer()
        page_link("seeds", "Go to Seeds & ideas", icon=":material/database:")


def draw_demo_offer() -> None:
    """Draw the button that fills an empty workspace with something to look at, for those who may."""
    if may(Role.MAINTAINER):
        st.button(
            "Build the demo",
            key="queue:demo",
            type="primary",
            icon=":material/construction:",
            help="A draft with a fault to repair and a question to answer, an accepted problemset, a release and two "
            "scored runs, made from shipped data without a model. The draft is there after about half a minute, "
            "the rest in a minute or two. Where no worker runs, it starts one.",
            on_click=build_demo,
        )


@writes(Role.MAINTAINER)
def build_demo() -> None:
    """Order the demo, and start a worker for it where none runs."""
    state.remember(DEMO_JOB, True)
    order("demo", {}, key=DEMO_JOB)
    start_if_none(workspace())


def draw_problemset_rows(rows: Sequence[ProblemsetRow], standings: Mapping[int, Standing]) -> None:
    """Draw one line per problemset: name with tags, status, last dry run, who works on it."""
    row_list(
        "Problemsets", COLUMNS, [_line(row, standings[row.head_revision_id]) for row in rows], key=ROWS, selectable=True
    )


def _line(row: ProblemsetRow, standing: Standing) -> Row:
    name = row_link([Strong(row.name)], "problemset", {"set": row.id}, icon=":material/menu_book:")
    tags = [Chip(tag, ":material/sell:", "gray") for tag in row.tags]
    holder = [chip] if (chip := holder_chip(row)) else []
    people: list[Piece] = [*holder, Caption(_facts(row), at_minute(_changed_at(row)))]
    return Row(
        str(row.id), [[name, *tags], [status_chip(row.status)], [standing_chip(standing)], people], f"Select {row.name}"
    )  # fmt: skip


def _facts(row: ProblemsetRow) -> str:
    facts = [f"{plural(row.problem_count, 'problem')}, revision {row.head_number}"]
    if row.open_comments:
        facts.append(plural(row.open_comments, "open comment"))
    facts.append(time_since(_changed_at(row)))
    return " · ".join(facts)


def _changed_at(row: ProblemsetRow) -> str:
    return row.updated_at or row.created_at


ME: Final = "me"
NOBODY: Final = "nobody"
ORIGINS: Final = {"model": "a model", "template": "templates", "person": "people", "import": "import"}
SORTS: Final = {
    QueueSort.CHANGED: "last change",
    QueueSort.NAME: "name",
    QueueSort.STATUS: "status",
    QueueSort.FAILING: "failing checks",
    QueueSort.PRIORITY: "priority",
    QueueSort.PERSON: "person",
}
PAGE: Final = "q_page"
FILTERS: Final = ("q_status", "q_owner", "q_family", "q_tag")
HITS: Final = 10  # of a search; the list of problemsets follows
HEADER: Final = (
    *("name", "status", "revision", "problems", "open comments"),
    *("held by", "held until (UTC)", "changed (UTC)", "created (UTC)", "tags"),
)


def draw_filters(facets: QueueFacets) -> tuple[QueueFilter, QueueSort]:
    """Draw the filters and the order, and return what they say.

    They stand in the address, so a link shows the same list.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        status = st.segmented_control(
            "Status", STATUSES, format_func=lambda name: status_chip(name).word, key="q_status", bind="query-params",
            on_change=first_page, help="Show only problemsets of one status.",
        )  # fmt: skip
        others = [name for name in facets.holders if name not in (ME, NOBODY)]
        holder = st.selectbox(
            "Held by", [ME, NOBODY, *others], index=None, placeholder="anybody", key="q_owner", bind="query-params",
            width=180, on_change=first_page,
        )  # fmt: skip
        origin = st.selectbox(
            "Made by", list(ORIGINS), index=None, placeholder="anything", format_func=ORIGINS.__getitem__,
            key="q_family", bind="query-params", width=160, on_change=first_page,
        )  # fmt: skip
        tag = st.selectbox(
            "Tag", list(facets.tags), index=None, placeholder="any", key="q_tag", bind="query-params", width=160,
            on_change=first_page,
        )  # fmt: skip
        text = st.text_input(
            "Search", key="q_text", bind="query-params", width=260, placeholder="names, queries, comments",
            on_change=first_page,
        )  # fmt: skip
        sort = st.selectbox(
            "Sort by", list(SORTS), format_func=SORTS.__getitem__, key="q_sort", bind="query-params", width=160,
            on_change=first_page,
            help="Failing checks: most first. Priority: as *Next for me* picks, submitted sets first, then drafts and "
            "what was sent back, the longest waiting first. Person: who holds the set.",
        )  # fmt: skip
        suspect = st.checkbox(
            "Suspects", key="q_suspect", bind="query-params", on_change=first_page,
            help=f"Agents agree with each other and not with the reference, or somebody doubts it: "
            f"{plural(facets.suspects, 'problemset')}.",
        )  # fmt: skip
    who = {ME: current_user(), NOBODY: ""}.get(holder or "", holder)
    return QueueFilter(status, who, origin, text or None, bool(suspect), tag), sort or QueueSort.CHANGED


def draw_progress(ws: Workspace, counts: Mapping[str, int]) -> None:
    """Draw how far everybody's and one's own work is."""
    progress = measure_progress(ws, current_user())
    others = (status for status in STATUSES if status != ProblemsetStatus.ACCEPTED)
    states = " · ".join(f"{counts[status]:,} {status_chip(status).word}" for status in others)
    share = progress.accepted / progress.total if progress.total else 0.0
    st.progress(share, text=f"{progress.accepted:,} of {plural(progress.total, 'problemset')} accepted · {states}")
    st.caption(
        f"You: {progress.held:,} claimed · {plural(progress.touched, 'set')} revised, "
        f"{progress.touched_accepted:,} of them accepted · {plural(progress.decided, 'set')} decided"
    )


def draw_hits(hits: list[TextHit], text: str) -> None:
    """Draw the problems that a search found, each a link to its place."""
    if not hits:
        return
    box = st.expander(
        f"Problems with “{label(text, limit=60)}”, best first", key="queue:hits", expanded=True, on_change="rerun"
    )
    if box.open:
        with box:
            for hit in hits:
                where = f"**{label(hit.problemset_name)}**{f', {label(hit.problem)}' if hit.problem else ''}"
                icon = ":material/comment:" if hit.is_comment else ":material/help_outline:"
                page = "editor" if hit.problem else "problemset"
                text_ = f"{where} · {label(hit.text, limit=160)}"
                page_link(page, text_, icon=icon, width="stretch", set=hit.problemset_id, pid=hit.problem)


def next_help(*, waits: bool) -> str:
    """Return what *Next for me* does, or why it is off."""
    if waits:
        return "Claims and opens what has waited longest: first what others submitted for review, then drafts."
    kinds = ["no set that somebody else submitted"] * may(Role.REVIEWER)
    kinds += ["no draft and none that was sent back"] * may(Role.ANNOTATOR)
    if not kinds:
        return "Off: it is for annotators and reviewers, and your roles include neither."
    return f"Off: nothing waits for you. There is {', '.join(kinds)}, or others have claimed them."


def draw_download(ws: Workspace, chosen: QueueFilter, sort: QueueSort) -> None:
    """Draw the button that downloads all matching rows."""
    st.download_button(
        "Download as CSV",
        data=lambda: queue_table(ws, chosen, sort),
        file_name="queue.csv",
        mime="application/octet-stream",
        key="queue:csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def queue_table(ws: Workspace, chosen: QueueFilter, sort: QueueSort = QueueSort.CHANGED) -> bytes:
    """Return all matching rows as CSV."""
    rows = list_queue(ws, chosen, sort=sort, limit=count_queue(ws, chosen))
    return csv_table(
        HEADER,
        (
            (
                *(row.name, row.status, row.head_number, row.problem_count, row.open_comments),
                *(row.holder, row.held_until, row.updated_at, row.created_at, ", ".join(row.tags)),
            )
            for row in rows
        ),
    )


def draw_nothing_found() -> None:
    """Say that no problemset is as the filters want it, and offer to clear them."""
    draw_empty("No problemset matches the filters", "Clear them, or choose others above.")
    st.button("Clear the filters", key="queue:clear", icon=":material/filter_alt_off:", on_click=clear_filters)


@writes(ANYONE)
def clear_filters() -> None:
    """Show all problemsets again."""
    for key in FILTERS:
        state.put_widget_value(key, None)
    state.replace_text("q_text", "")
    state.put_widget_value("q_suspect", False)


@writes(ANYONE)
def first_page() -> None:
    """Begin again at the first page when a filter changes."""
    if state.is_on_screen(PAGE):
        state.put_widget_value(PAGE, 1)


@writes(Role.ANNOTATOR, Role.REVIEWER)
def lease_next() -> None:
    """Take what waits longest for this person, and open it."""
    ws = workspace()
    found = next_for(ws, current_user(), current_roles())
    if found is None:
        state.flash("info", "nothing waits for you: everything is accepted, submitted or held by somebody")
        return
    lease_problemset(ws, found, holder=current_user())
    go("problemset" if problemsets.find(ws, found).status == ProblemsetStatus.SUBMITTED else "editor", set=found)
