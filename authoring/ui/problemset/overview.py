"""The parts of the Problemset page: actions, the list of cells and what they rest on, the whole text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.checks import failures_of, slow_problems
from authoring.checks.standing import Standing
from authoring.store.dry_runs import DryRun, DryRunProblem
from authoring.store.jobs import Job
from authoring.store.jobs import find_latest_of_all as find_latest_jobs
from authoring.store.reviewing.reviews import Comment
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import actions
from authoring.ui.drawing.row_tables import Caption, Piece, Prose, Row, RowColumn, RowLink, Strong
from authoring.ui.editor.draft_view import WHOLE, compose, edited_words
from authoring.ui.editor.editing import OpenDraft, accept_remote, field_of
from authoring.ui.editor.evidence import changed_since, dry_run_agent_key, dry_run_key, known_of, refine_key, run_keys
from authoring.ui.editor.fields import draw_whole_text
from authoring.ui.inputs.row_list import row_link, row_list
from authoring.ui.jobs import draw_job
from authoring.ui.problemset.cell_moves import draw_reshaping
from authoring.ui.problemset.deciding import draw_decision, draw_sent_back, draw_unsaved
from authoring.ui.shell.auth import current_user
from authoring.ui.standing import UNCHANGED, ChangedSince, draw_standing
from authoring.ui.widgets import draw_diagnostics, draw_empty, verdict_chips
from authoring.ui.wording import Chip, ago, label, plural
from evaluator.language import names_read_and_written, parse_problemset, syntactic_difficulty
from evaluator.language.document_cells import DocumentCell
from evaluator.running.quality.warning import warning_title

MAX_DRAWN: Final = 60  # cells; a larger graph cannot be read
MAX_NAMES: Final = 4  # on one arrow
MAX_DOUBTS: Final = 5  # problems with warnings that are named under Checks
REASON_CHARACTERS: Final = 2000  # of why a set was sent back: all that can be typed
_PLAIN: Final = re.compile(r"[^0-9A-Za-z_]")


@dataclass(frozen=True)
class Use:
    """One cell that reads what another one wrote last."""

    writer: int  # position of the cell, from 0
    reader: int
    names: tuple[str, ...]


def uses_of(codes: Sequence[str]) -> list[Use]:
    """Return which cell reads variables of which earlier one, by the syntax of their code."""
    written: dict[str, int] = {}
    found: dict[tuple[int, int], list[str]] = {}
    for position, code in enumerate(codes):
        used = names_read_and_written(code)
        for name in sorted(used.reads):
            if name in written:
                found.setdefault((written[name], position), []).append(name)
        written |= dict.fromkeys(used.writes, position)
    return [Use(writer, reader, tuple(names)) for (writer, reader), names in sorted(found.items())]


def draw_dependences(cells: Sequence[DocumentCell], codes: Sequence[str]) -> None:
    """Draw the graph and the table."""
    uses = uses_of(codes)
    if not uses:
        draw_empty("No cell uses a variable of another one", "Each problem stands alone.")
        return
    said = [f"{cells[use.reader].label} uses {_listed(use)} of {cells[use.writer].label}" for use in uses]
    if len(cells) <= MAX_DRAWN:
        st.mermaid_chart(graph_of(cells, uses), width="content", alt=f"Who uses whose variables: {'; '.join(said)}")
    rows = [
        {"cell": cells[use.reader].label, "uses": label(", ".join(use.names)), "made by": cells[use.writer].label}
        for use in sorted(uses, key=lambda use: (use.reader, use.writer))
    ]
    st.table(rows, border="horizontal", width="content")
    st.caption("Read from the code; what changes under another name shows only when it is executed.")


def graph_of(cells: Sequence[DocumentCell], uses: Sequence[Use]) -> str:
    """Return the graph as Mermaid text; names from code come down to letters, digits and underscores."""
    shown = sorted({position for use in uses for position in (use.writer, use.reader)})
    lines = ["flowchart LR", *(f'c{position}["{_PLAIN.sub(" ", cells[position].label)}"]' for position in shown)]
    lines += [f'c{use.writer} -->|"{_listed(use)}"| c{use.reader}' for use in uses]
    return "\n".join(lines)


def _listed(use: Use) -> str:
    names = [_PLAIN.sub("", name)[:30] for name in use.names[:MAX_NAMES]]
    return ", ".join([*names, "…"] if len(use.names) > MAX_NAMES else names)


COLUMNS: Final = (RowColumn([], 6), RowColumn([], 5))
LEVELS_NOTE: Final = (
    "The level counts steps, results used and rules stated; the syntactic difficulty counts parts of the code."
)


def draw_actions(opened: OpenDraft, standing: Standing, comments: Sequence[Comment]) -> None:
    """Draw what can be done with the set as a whole, below why it was sent back."""
    row, revision = opened.row, opened.revision
    draw_sent_back(row, limit=REASON_CHARACTERS)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Open in the editor",
            key=f"set:{row.id}:edit",
            icon=":material/edit:",
            type="primary",
            on_click=actions.open_editor,
            args=(row.id,),
        )
        st.button(
            "Dry run",
            key=f"set:{row.id}:dry_run",
            icon=":material/play_arrow:",
            help="Executes every reference and judges it against itself, and against an empty answer.",
            on_click=actions.dry_run,
            args=(revision.id,),
        )
        draw_decision(opened, standing, comments, where="set")
        if opened.draft.has_edits:
            draw_unsaved(opened, where="set")


def jobs_on_set(ws: Workspace, opened: OpenDraft, cell: DocumentCell | None = None) -> dict[str, Job]:
    """Return key -> the newest job that works on the set for this person.

    A page reads them before it reads what they make: a job that ends in between is then drawn as at work and polled.
    The other way round its end would never show.
    """
    others = (dry_run_agent_key(opened.revision.id), refine_key(opened.row.id))
    return find_latest_jobs(ws, [*_keys_above(opened, cell), *others])


def _keys_above(opened: OpenDraft, cell: DocumentCell | None) -> list[str]:
    """Return the keys of the jobs that stand above everything; others stand where they were ordered."""
    return [dry_run_key(opened.revision.id), *run_keys(opened.row.id, current_user(), cell.key if cell else None)]


def is_pending(found: Mapping[str, Job], opened: OpenDraft) -> bool:
    """Return whether a dry run of the newest revision is queued or at work."""
    job = found.get(dry_run_key(opened.revision.id))
    return job is not None and job.live


def draw_set_standing(ws: Workspace, opened: OpenDraft, standing: Standing, jobs: Mapping[str, Job]) -> None:
    """Draw how the set stands; by an earlier revision's dry run it says nothing of what was changed since."""
    since = UNCHANGED
    if standing.is_earlier and standing.failing:
        known = known_of(ws, opened.draft, standing, (), None)
        since = ChangedSince(changed_since(opened.draft, standing, known), is_pending(jobs, opened))
    draw_standing(standing, opened.row.id, has_edits=opened.draft.has_edits, since=since)


def draw_live_jobs(found: Mapping[str, Job], opened: OpenDraft, cell: DocumentCell | None = None) -> None:
    """Draw the jobs that work on the set for this person, and what went wrong with the last ones."""
    jobs = [found[key] for key in _keys_above(opened, cell) if key in found and found[key].state != JobState.DONE]
    newest = max((job.id for job in jobs), default=0)
    for job in jobs:
        if job.live or (job.id == newest and job.state != JobState.CANCELLED):
            draw_job(job, subject=opened.row.name)


def draw_cells(opened: OpenDraft, dry_run: DryRun | None) -> None:
    """Draw one line per cell: query, difficulty, how reference and empty answer were judged; and what rests on what."""
    if not opened.draft.cells:
        draw_empty("No cells can be shown", "Repair the text under Whole text: what is wrong stands above.")
        return
    judged = {problem.index: problem for problem in dry_run.problems} if dry_run else {}
    summary = dry_run.summary if dry_run else {}
    doubted, levels = summary.get("warnings", {}), summary.get("levels", {})
    rows = [
        Row(
            cell.key,
            [
                [_link_to(opened, cell)],
                _findings(opened, cell, judged.get(cell.number), levels, doubted) if cell.is_problem else [],
            ],
        )
        for cell in opened.draft.cells
    ]
    row_list("Cells", COLUMNS, rows, key=f"cells:{opened.row.id}")
    if levels:
        st.caption(LEVELS_NOTE)
    draw_reshaping(opened)
    box = st.expander(
        "Who uses whose variables", icon=":material/account_tree:", key=f"uses:{opened.row.id}", on_change="rerun"
    )
    if box.open:
        with box:
            draw_dependences(opened.draft.cells, [opened.draft.value(cell, "code") for cell in opened.draft.cells])


def _link_to(opened: OpenDraft, cell: DocumentCell) -> RowLink:
    text = opened.draft.value(cell, "query") if cell.is_problem else cell.title or "setup code"
    icon = ":material/edit_note:" if opened.draft.is_edited(cell) else ""
    pieces: list[str | Chip | Strong | Prose] = [Strong(cell.label), "·", Prose(text, 200)]
    return row_link(pieces, "editor", {"set": opened.row.id, "pid": cell.key}, icon=icon)


def _findings(
    opened: OpenDraft,
    cell: DocumentCell,
    judged: DryRunProblem | None,
    levels: Mapping[str, object],
    doubted: Mapping[str, Sequence[str]],
) -> list[Piece]:
    """Return how a problem was judged, how difficult it is and what is doubtful about it."""
    number = str(cell.number)
    level = f"{levels[number]} · " if number in levels else ""
    found: list[Piece] = []
    if judged is not None:
        opinions = {"reference": judged.reference_verdict, "empty": judged.empty_verdict, "agent": judged.agent_verdict}
        found += verdict_chips(opinions)
    found.append(Caption(f"{level}syntactic difficulty {syntactic_difficulty(opened.draft.value(cell, 'code'))}"))
    if codes := doubted.get(number):
        found.append(Chip("; ".join(map(warning_title, codes)), ":material/warning:", "orange"))
    return found


def draw_source(opened: OpenDraft) -> None:
    """Draw the text of the whole file, editable when no single problem has unsaved changes."""
    row = opened.row
    if opened.draft.has_edits and WHOLE not in opened.draft.edits:
        named = edited_words(opened.draft)
        st.info(f"There are unsaved changes in {named}. Save them above, or drop them in the editor, to edit the text.")
        composed = compose(opened.draft)
        st.code(composed.text or opened.revision.text, language="python", wrap_lines=True)
        return
    whole = field_of(opened, *WHOLE, opened.revision.text)
    draw_whole_text(opened, whole, compose(opened.draft))
    with st.container(horizontal=True):
        st.button(
            "Save revision",
            key=f"set:{row.id}:save",
            type="primary",
            icon=":material/save:",
            disabled=not opened.draft.has_edits,
            on_click=actions.save,
            args=(row.id,),
        )
        st.button(
            "Drop my changes",
            key=f"set:{row.id}:drop",
            icon=":material/undo:",
            disabled=not opened.draft.has_edits,
            on_click=accept_remote,
            args=(whole,),
        )
        st.download_button(
            "Download .py",
            data=opened.revision.text.encode(),
            file_name=f"{row.name}.py",
            mime="application/octet-stream",
            key=f"set:{row.id}:download",
            icon=":material/download:",
            on_click="ignore",
        )


def draw_checks(opened: OpenDraft, dry_run: DryRun | None) -> None:
    """Draw the check of the text, and what the last dry run proves."""
    revision, name = opened.revision, opened.row.name
    path = Path(f"{name}.py")
    own = opened.draft.document.own_validators
    _, found = parse_problemset(revision.text, name=name, path=path, own_validators=own)
    st.markdown("**The text**")
    st.caption(f"Checked just now, revision {revision.number}, without executing it.")
    draw_diagnostics(found, empty=":material/check: It can be read: format, settings and validators have no errors.")
    st.markdown("**The dry run**")
    if dry_run is None:
        st.caption("There is none of this revision yet: order one above.")
        return
    st.caption(
        f"Dry run {dry_run.id} of revision {revision.number}, {ago(dry_run.created_at)}, in the sandbox "
        f"{label(dry_run.sandbox)}, environment {label(dry_run.environment[:12])}."
    )
    failures = failures_of(dry_run)
    for failure in failures:
        fix = f"  \nTo fix it: {label(failure.fix, limit=400)}"
        st.error(f"**{label(str(failure), limit=600)}**{fix}", icon=":material/error:")
    slow = slow_problems(dry_run)
    if slow:
        numbers = ", ".join(str(number) for number in slow)
        st.warning(f"{plural(len(slow), 'reference')} near the time limit: problem {numbers}.", icon=":material/timer:")
    _draw_doubts(dry_run)
    if not failures:
        st.markdown(":green[:material/check:] Every reference passes, and no empty answer does.")


def _draw_doubts(dry_run: DryRun) -> None:
    """Say which problems are doubtful, and where that is explained."""
    doubted: Mapping[str, Sequence[str]] = dry_run.summary.get("warnings", {})
    if not doubted:
        return
    titles = {number: "; ".join(label(warning_title(code)) for code in codes) for number, codes in doubted.items()}
    named = [f"problem {number} ({words})" for number, words in titles.items()]
    more = f" and {len(named) - MAX_DOUBTS} more" if len(named) > MAX_DOUBTS else ""
    st.warning(
        f"{plural(len(named), 'problem')} with warnings: {'; '.join(named[:MAX_DOUBTS])}{more}. The tab Problems marks "
        "them; Verdicts in the editor says what to do.",
        icon=":material/warning:",
    )
