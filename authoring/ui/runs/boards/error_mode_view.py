"""Error modes of failures: what rules propose, and what people confirm or change."""

import json
from collections.abc import Mapping
from typing import Final

import streamlit as st

from authoring.store.people import Role
from authoring.store.reviewing.error_modes import (
    ERROR_MODES,
    ConfirmedMode,
    confirm_error_mode,
    confirmed_error_modes,
    failure_digest,
    withdraw_error_mode,
)
from authoring.store.run_results import find_attempt
from authoring.store.runs import AttemptRow, RunRow
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.runs.boards.board_tables import error_mode_table
from authoring.ui.runs.boards.family_scores import Failure
from authoring.ui.shell.auth import current_user, may
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_pager
from authoring.ui.wording import ago, label, prose, verdict_chip
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError
from evaluator.families.cibench.analyses import propose_error_mode
from evaluator.records import AttemptKey, parse_record

MODE_WORDS: Final = {
    "following": "following: the instruction was ignored",
    "hallucination": "hallucination: names that nothing defines",
    "reasoning": "reasoning: it runs and does the wrong thing",
    "code": "code: basic coding",
}
NOT_CONFIRMED: Final = "not confirmed"
MAY_CONFIRM: Final = (Role.EVALUATOR, Role.REVIEWER)


def holding(
    confirmed: Mapping[AttemptKey, ConfirmedMode], failures: tuple[Failure, ...]
) -> dict[AttemptKey, ConfirmedMode]:
    """Return the confirmations that are still about the failures of the run."""
    subjects = {failure.key: failure.subject for failure in failures}
    return {key: each for key, each in confirmed.items() if subjects.get(key) == each.subject}


def mode_counts(
    failures: tuple[Failure, ...], confirmed: Mapping[AttemptKey, ConfirmedMode]
) -> dict[str, tuple[int, int]]:
    """Return error mode -> how often rules propose it, and how often people confirmed it (counts)."""
    proposed = [failure.proposed for failure in failures]
    said = [each.mode for each in confirmed.values()]
    return {mode: (proposed.count(mode), said.count(mode)) for mode in ERROR_MODES}


def draw_error_modes(ws: Workspace, run: RunRow, failures: tuple[Failure, ...]) -> None:
    """Draw how often each mode is proposed and confirmed, and the failures with what people may say of them."""
    st.header("Error modes", anchor=False)
    if not failures:
        st.caption("No step failed.")
        return
    confirmed = holding(confirmed_error_modes(ws, run.id), failures)
    st.table(error_mode_table(mode_counts(failures, confirmed)), border="horizontal", width="content")
    st.caption(
        f"Shares are of all {len(failures)} failures, and of the {len(confirmed)} that people have confirmed. "
        "Rules see verdicts and exceptions, not what was meant."
    )
    with st.expander("Confirm or change them", icon=":material/rule:", key=f"modes:{run.id}", on_change="rerun") as box:
        if box.open:
            slot = st.container(gap="xsmall")
            offset = draw_pager(len(failures), key=f"modes:{run.id}:page")
            with slot:
                for failure in failures[offset : offset + PAGE_SIZE]:
                    _draw_failure(run, failure, confirmed.get(failure.key))


def _draw_failure(run: RunRow, failure: Failure, said: ConfirmedMode | None) -> None:
    where, query, choice = st.columns((3, 5, 4), vertical_alignment="center")
    with where:
        name = f"{label(failure.key.problemset, limit=40)} {failure.key.index}"
        chip = verdict_chip(failure.verdict)
        about = label(chip.about, limit=400)
        page_link("runs", f"{name} {chip_text(chip)}", help=about, run=run.id, attempt=failure.attempt_id)
    query.caption(prose(failure.query, limit=160))
    with choice:
        _draw_choice(failure.attempt_id, failure.proposed, said)


def draw_error_mode_of(ws: Workspace, attempt: AttemptRow) -> None:
    """Draw the error mode of a failed attempt of a CIBench run that counts, and what people may say of it."""
    try:
        record = parse_record(json.dumps(attempt.record).encode())
    except ValueError:  # of another program, or damaged
        return
    if record.family.get("family") != "cibench" or not record.is_last:
        return
    mode = propose_error_mode(record)
    if mode is None:
        return
    subject = _subject(attempt)
    found = confirmed_error_modes(ws, attempt.run_id).get(record.key)
    with st.container(width=420):
        st.markdown("**Error mode**")
        _draw_choice(attempt.id, mode.value, found if found is not None and found.subject == subject else None)


def _draw_choice(attempt_id: int, proposed: str, said: ConfirmedMode | None) -> None:
    """Draw the modes to choose from, and beside it what rules propose and who confirmed what."""
    told = f"rules propose {proposed}"
    if said is not None:
        word = "confirmed" if said.mode == proposed else "changed"
        told = f"{word} by {label(said.by, limit=40)}, {ago(said.at)}; {told}"
    if not may(*MAY_CONFIRM):
        st.caption(told if said is None else f"{said.mode}, {told}")
        return
    key = f"mode:{attempt_id}"
    now = said.mode if said is not None else NOT_CONFIRMED
    state.put_widget_value(key, now)
    st.selectbox(
        f"Error mode of attempt {attempt_id}", [NOT_CONFIRMED, *ERROR_MODES], key=key,
        format_func=lambda each: MODE_WORDS.get(each, each), label_visibility="collapsed",
        on_change=choose_mode, args=(attempt_id, proposed),
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(told, width="content")
        if said is None:
            st.button(
                "Confirm", key=f"{key}:confirm", icon=":material/check:", type="tertiary", on_click=confirm_mode,
                args=(attempt_id, proposed, proposed),
            )  # fmt: skip


@writes(*MAY_CONFIRM)
def choose_mode(attempt_id: int, proposed: str) -> None:
    """Keep the mode that was chosen, or forget what was said before."""
    chosen = str(state.widget_value(f"mode:{attempt_id}") or NOT_CONFIRMED)
    if chosen == NOT_CONFIRMED:
        withdraw_error_mode(workspace(), _attempt(attempt_id))
    else:
        _confirm(attempt_id, chosen, proposed)


@writes(*MAY_CONFIRM)
def confirm_mode(attempt_id: int, mode: str, proposed: str) -> None:
    """Keep the mode that the rules propose."""
    _confirm(attempt_id, mode, proposed)


def _confirm(attempt_id: int, mode: str, proposed: str) -> None:
    confirm_error_mode(workspace(), _attempt(attempt_id), mode, proposed=proposed, by=current_user())


def _attempt(attempt_id: int) -> AttemptRow:
    try:
        return find_attempt(workspace(), attempt_id)
    except UsageError as error:  # judged anew since the page was drawn: the record came again under another id
        what = "the attempt was judged anew meanwhile"
        raise UsageError(what, fix="look at it again, then say it once more") from error


def _subject(attempt: AttemptRow) -> str:
    return failure_digest(attempt.verdict, str(attempt.record.get("code") or ""))
