"""One attempt of a run, and the button that calls it suspect."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from authoring.store.people import Role
from authoring.store.releases import ReleasedPlace, reference_outputs
from authoring.store.reviewing.roundtable import items_about, mark_suspect, place_of
from authoring.store.run_results import AttemptMark, find_attempt, list_attempts_at, list_other_agents
from authoring.store.runs import AttemptRow, RunRow, find_several
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.blocks import error_block
from authoring.ui.drawing.differences import draw_field_difference
from authoring.ui.drawing.markup import cell_text
from authoring.ui.drawing.output_differences import draw_output_differences
from authoring.ui.drawing.outputs import draw_block, draw_error, draw_outputs
from authoring.ui.drawing.picture_pairs import visual_answer
from authoring.ui.editor.validators.verdict_list import draw_findings
from authoring.ui.runs.attempts_compared import draw_attempts_compared
from authoring.ui.runs.boards.error_mode_view import draw_error_mode_of
from authoring.ui.runs.expected_figures import draw_figures
from authoring.ui.runs.kept_details import attempt_details
from authoring.ui.runs.run_counts import asked_set
from authoring.ui.runs.run_words import run_heading
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import chip_text, draw_chip, draw_code, draw_facts
from authoring.ui.wording import Chip, ago, ending_words, has_cause, label, plural, prose, verdict_chip
from authoring.ui.workplace import shown_path, workspace
from evaluator.language import syntactic_difficulty
from evaluator.reporting.agent_faults import label_meaning
from evaluator.running import AttemptDetails
from evaluator.scoring import meaning_of

OPEN: Final = Chip("open", ":material/forum:", "blue")
MAX_SHOWN: Final = 5
MAX_LABELS: Final = 20
OWN_LABEL: Final = "a label that the agent gives its answer; what it means is told where the agent comes from"


def draw_suspicion(ws: Workspace, attempt: AttemptRow, place: ReleasedPlace) -> None:
    """Draw what the roundtable has about the problem, and the way to put this attempt there."""
    items = items_about(ws, place)
    for item in items[-MAX_SHOWN:]:
        is_open = item.resolution is None
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_chip(
                Chip("open", ":material/forum:", "blue") if is_open else Chip("settled", ":material/check:", "green")
            )
            st.caption(
                f"{label(item.reason, limit=300)} · {label(item.opened_by)}, {ago(item.created_at)}", width="content"
            )
            page_link("roundtable", "Roundtable", icon=":material/forum:", set=place.problemset_id)
    if any(item.evidence.get("attempt") == attempt.id for item in items):
        return
    key = f"suspect:{attempt.id}"
    with st.popover("Mark suspect", icon=":material/flag:", key=f"{key}:popover"):
        st.caption("The problem then waits at the Roundtable, with this submission as evidence.")
        st.text_area("What is suspect", key=f"{key}:note", max_chars=500, persist_state="session", on_change="ignore")
        st.button(
            "Send to the roundtable", key=f"{key}:send", icon=":material/forum:", on_click=mark, args=(attempt.id,)
        )


@writes(*Role)
def mark(attempt_id: int) -> None:
    """Mark an attempt as suspect."""
    note = str(state.widget_value(f"suspect:{attempt_id}:note") or "")
    item = mark_suspect(workspace(), find_attempt(workspace(), attempt_id), note=note, by=current_user())
    state.flash("success", f"the problem waits at the roundtable as item {item}")


MAX_FACT: Final = 300
MAX_QUERY: Final = 20_000
_FACTS: Final = ("environment", "sandbox", "engine", "state_after", "scoring_version")


def draw_attempt(ws: Workspace, run: RunRow, attempt: AttemptRow) -> None:
    """Draw an attempt of a run."""
    record = attempt.record
    _draw_verdict(attempt)
    _draw_marks(record)
    count = _draw_ways(ws, run, attempt)
    st.markdown("**Query**")
    draw_query(record)
    _draw_codes(run, attempt)
    draw_attempts_compared(ws, run, attempt, count)
    _draw_reasons(record, attempt.id)
    if record.get("family"):
        draw_error_mode_of(ws, attempt)
    details = attempt_details(run, attempt)
    draw_figures(ws, run, attempt, details)
    draw_shown(ws, run, attempt, details)
    draw_transcript(attempt, details)
    with st.expander("Everything recorded", icon=":material/data_object:"):
        draw_facts(attempt_facts(attempt))


def draw_query(record: Mapping[str, Any]) -> None:
    """Draw the query that an attempt answers, line by line."""
    lines = str(record.get("question") or "(the record holds none)")[:MAX_QUERY].splitlines()
    st.markdown("  \n".join(prose(line, limit=MAX_QUERY) for line in lines))


def draw_gone(ws: Workspace, attempt_id: int, run_id: int | None) -> None:
    """Say that an attempt is not recorded any more, and lead to what is.

    Args:
        ws: The workspace.
        attempt_id: As the address names it.
        run_id: The run that the address names beside it.
    """
    st.title("An attempt that is gone", anchor=False)
    st.warning(
        f"Attempt {attempt_id} is not recorded any more. Where a run's problems are judged again, new records take the "
        "place of the old ones, under new numbers; or the run was removed.",
        icon=":material/history:",
    )
    for run in find_several(ws, [] if run_id is None else [run_id], missing_ok=True):
        page_link("runs", f"Open the run: {run_heading(run)}", icon=":material/leaderboard:", run=run.id)
    page_link("runs", "All runs", icon=":material/list:")


def draw_place(ws: Workspace, attempt: AttemptRow) -> None:
    """Draw the way to the editor and to the roundtable, when the workspace holds the problem."""
    place = place_of(ws, attempt)
    if place is None:
        st.caption("This workspace does not hold the problem, so it cannot be edited here.")
        return
    page_link(
        "editor", "Open the problem in the editor", icon=":material/edit:", set=place.problemset_id,
        pid=place.problem_id,
    )  # fmt: skip
    if not place.same_query:
        st.caption("Its query has changed since: the editor opens the problem with the same number.")
    draw_suspicion(ws, attempt, place)


def attempt_facts(attempt: AttemptRow) -> dict[str, str]:
    """Return the small facts of an attempt as names and escaped values."""
    record = attempt.record
    facts = {
        "Epoch and attempt": f"{attempt.epoch}, {attempt.attempt}",
        "Time": f"{attempt.seconds:.3f} s",
        "Counts": "yes" if record.get("is_last", True) else "no: a later attempt followed",
    }
    facts |= {"Ending": ending_words(str(record["ending"]))} if record.get("ending") else {}
    facts |= {name.replace("_", " ").capitalize(): str(record[name]) for name in _FACTS if record.get(name)}
    facts |= {f"Agent: {name}": _plain(value) for name, value in _items(record.get("agent_stats"))}
    facts |= {f"Digest of {name}": _plain(value) for name, value in _items(record.get("digests"))}
    return {label(name, limit=60): label(value, limit=MAX_FACT) for name, value in facts.items()}


def _draw_verdict(attempt: AttemptRow) -> None:
    """Draw the verdict, what is behind it, and the agent's labels; what they mean comes up under the pointer."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        draw_chip(verdict_chip(attempt.verdict))
        if has_cause(attempt.subverdict):
            draw_chip(
                Chip(attempt.subverdict, ":material/subdirectory_arrow_right:", "gray", meaning_of(attempt.subverdict))
            )
        for name in _labels(attempt.record):
            draw_chip(Chip(name, ":material/sell:", "gray", label_meaning(name) or OWN_LABEL))
        when = f"epoch {attempt.epoch}, attempt {attempt.attempt} · {attempt.seconds:.2f} s"
        st.markdown(when, width="content")


def _labels(record: Mapping[str, Any]) -> list[str]:
    """Return what the agent or its carrier says of an attempt; records of elsewhere may hold anything."""
    listed = record.get("labels")
    return [str(each) for each in listed[:MAX_LABELS]] if isinstance(listed, (list, tuple)) else []


def _draw_marks(record: Mapping[str, Any]) -> None:
    for name, words in (("marks", "Worth a look"), ("limits_hit", "Limits hit")):
        listed = record.get(name)
        if isinstance(listed, (list, tuple)) and listed:
            shown = ", ".join(label(str(each)) for each in listed[:20])
            st.warning(f"{words}: {shown}. No verdict rests on it.", icon=":material/flag:")


def _draw_ways(ws: Workspace, run: RunRow, attempt: AttemptRow) -> int:
    """Draw the ways to other attempts at the problem; tells how many its epoch has."""
    problem = (attempt.problemset, attempt.position)
    marks = list_attempts_at(ws, run.id, problem)
    own = [mark for mark in marks if mark.id != attempt.id]
    others = list_other_agents(ws, run.id, run.release, problem)
    if own:
        _draw_links("Other attempts of this run", own, lambda mark: f"epoch {mark.epoch}, attempt {mark.attempt}")
    if others:
        runs = {agent: {mark.run_id for mark in others if mark.agent == agent} for agent in {m.agent for m in others}}
        _draw_links("Other runs on this problem", others, lambda mark: _agent_words(mark, len(runs[mark.agent]) > 1))
    return sum(mark.epoch == attempt.epoch for mark in marks)


def _agent_words(mark: AttemptMark, has_several: bool) -> str:
    """Return the agent of an attempt, and where it `has_several` runs, which of them."""
    run = f", run {mark.run_id}" if has_several else ""
    return f"{label(mark.agent, limit=40)}{run}{f', epoch {mark.epoch}' if mark.epoch > 1 else ''}"


def _draw_links(title: str, marks: Sequence[AttemptMark], name: Callable[[AttemptMark], str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(title, width="content")
        for mark in marks[:20]:
            words = f"{name(mark)} {chip_text(verdict_chip(mark.verdict))}"
            page_link("runs", words, help=meaning_of(mark.verdict), run=mark.run_id, attempt=mark.id)


PRINTED_NOTHING: Final = (
    "It printed nothing. Where a run keeps only what is printed, a value in the last line is judged without being kept."
)
CODE_VIEWS: Final = ("Side by side", "Difference")


def _draw_codes(run: RunRow, attempt: AttemptRow) -> None:
    asked = asked_set(run.out_dir, attempt.problemset)
    problem = asked.problems.get((attempt.problemset, attempt.position))
    submitted = str(attempt.record.get("code") or "")
    if problem is not None and submitted and _wants_difference():
        difficulty = f"Syntactic difficulty of the reference code: {syntactic_difficulty(problem.code)}."
        st.caption(f"{difficulty} Red: only the reference code has it. Green: only the submission has.")
        draw_field_difference(
            cell_text(problem.code).strip("\n"), cell_text(submitted).strip("\n"), "code",
            key=f"attempt:{attempt.id}:code",
            titles=("Reference code", "Submission"), label="Reference code and submission",
        )  # fmt: skip
        return
    reference, submission = st.columns(2)
    with reference:
        if problem is None:
            st.markdown("**Reference code**")
            st.caption(f"Not at hand: {label(asked.missing or 'the benchmark has no such problem', limit=400)}")
        else:
            st.markdown(f"**Reference code** · syntactic difficulty {syntactic_difficulty(problem.code)}")
            draw_code(problem.code)
    with submission:
        st.markdown("**Submission**")
        draw_code(submitted or "# nothing was submitted")


def _wants_difference() -> bool:
    picked = st.segmented_control(
        "Code", CODE_VIEWS, default=CODE_VIEWS[0], key="attempt:codes", required=True, persist_state="session",
        label_visibility="collapsed",
    )  # fmt: skip
    return picked == CODE_VIEWS[1]


def _draw_reasons(record: Mapping[str, Any], attempt_id: int) -> None:
    reason = str(record.get("extended_verdict") or "")
    if reason:
        st.markdown("**Why**")
        st.text(cell_text(reason))
    failure = record.get("agent_exception")
    if failure:
        draw_block(error_block("The agent failed", "", str(failure)), key=f"attempt:{attempt_id}:error")
    if record.get("validation"):
        st.markdown("**Result of each validator**")
        draw_findings(record["validation"])


def _items(value: object) -> list[tuple[str, Any]]:
    return [(str(name), each) for name, each in value.items()][:40] if isinstance(value, dict) else []


def _plain(value: object) -> str:
    return str(value)[: 2 * MAX_FACT]


MISSING: Final = (
    "Not kept: the run is older than this, came from elsewhere, was told to keep none, or was too large. A run keeps "
    "them with *Outputs to keep* under *More options*."
)
FOLDER_GONE: Final = (
    "Not at hand: the run's folder {} is gone, and with it what submissions showed and the transcript. Put it back, or "
    "run the agent once more."
)
ROLES: Final = {
    "system": ":material/settings:",
    "user": ":material/person:",
    "assistant": ":material/smart_toy:",
}


def draw_shown(ws: Workspace, run: RunRow, attempt: AttemptRow, details: AttemptDetails | None) -> None:
    """Draw what differs between the outputs of a submission and of its reference, then both beside each other."""
    reference = reference_outputs(ws, run.release, attempt.problemset, attempt.position)
    if reference and details is not None and details.outputs:
        is_drawn = visual_answer(attempt.record.get("validation")) is not None  # by `draw_figures`
        with st.container(border=True):
            draw_output_differences(
                reference, details.outputs, key=f"attempt:{attempt.id}:differences", pictures=not is_drawn
            )
    theirs, mine = st.container(border=True).columns(2)
    with theirs:
        st.markdown("**The reference showed**")
        if reference is None:
            st.caption("This workspace holds no dry run of the released revision.")
        else:
            st.caption("From the newest dry run of the released revision.")
            draw_outputs(reference, key=f"attempt:{attempt.id}:reference", empty="It shows nothing.")
    with mine:
        st.markdown("**The submission showed**")
        if details is None:
            _draw_missing(run)
        else:
            _draw_submission(details, f"attempt:{attempt.id}:submission")


def _draw_missing(run: RunRow) -> None:
    """Say why nothing is there to show, and lead to where a run is started that keeps it."""
    is_there = has_folder(run.out_dir)
    st.caption(MISSING if is_there else FOLDER_GONE.format(label(shown_path(run.out_dir), limit=300)))
    page_link("runs", "Start a run that keeps them", icon=":material/play_arrow:")


def has_folder(out_dir: str) -> bool:
    """Return whether a run's folder is there."""
    try:
        return Path(out_dir).is_dir()
    except (OSError, ValueError):  # no path at all
        return False


def _draw_submission(details: AttemptDetails, key: str) -> None:
    if details.is_shortened:
        st.caption("Long texts are shortened; outputs that are too large are only named.")
    draw_outputs(details.outputs, key=key, empty=PRINTED_NOTHING)
    has_error = any(output.get("output_type") == "error" for output in details.outputs)
    if details.error is not None and not has_error:
        draw_error(details.error, key=f"{key}:error")


def draw_transcript(attempt: AttemptRow, details: AttemptDetails | None) -> None:
    """Draw what the agent and its model said to each other."""
    if details is None or not details.transcript:
        return
    box = st.expander(
        f"Transcript: {plural(len(details.transcript), 'message')}", icon=":material/forum:", on_change="rerun",
        key=f"attempt:{attempt.id}:transcript",
    )  # fmt: skip
    if not box.open:
        return
    with box:
        for message in details.transcript:
            _draw_message(message)


def _draw_message(message: Mapping[str, Any]) -> None:
    role = str(message.get("role") or "message")
    facts = [f"{name} {message[name]}" for name in ("tokens", "seconds", "cost") if message.get(name) is not None]
    st.markdown(f"{ROLES.get(role, ':material/chat:')} **{label(role)}** {label(' · '.join(facts))}")
    st.code(cell_text(str(message.get("content") or "(empty)")), language=None, wrap_lines=True)
