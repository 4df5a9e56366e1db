"""Answers that a person tries on a problem, and those that the problem keeps as examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import streamlit as st

from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.people import Role
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.outputs import draw_error, draw_outputs
from authoring.ui.editor.draft_view import digests, known_words, problem_on
from authoring.ui.editor.editing import OpenDraft, answer_field, change_settings, draft_on_screen, sound_text
from authoring.ui.editor.evidence import Evidence
from authoring.ui.editor.fields import draw_field
from authoring.ui.editor.validators.verdict_list import draw_figures_beside, draw_findings
from authoring.ui.jobs import draw_job, order
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import chip_text, draw_code
from authoring.ui.wording import Chip, ago, label, verdict_chip
from evaluator.errors import ContentError
from evaluator.language import ExampleAnswer, example_answers
from evaluator.language.document_cells import DocumentCell

SIDES: Final = {"accept": "accepted", "reject": "rejected"}


def try_key(problemset_id: int, person: str, cell_key: str) -> str:
    """Return the key of the jobs in which a person tries answers to a problem."""
    return f"try:{problemset_id}:{person}:{cell_key}"


def draw_tries(
    ws: Workspace, opened: OpenDraft, cell: DocumentCell, now: Mapping[str, str], evidence: Evidence | None
) -> None:
    """Draw the box for an answer, what became of the last ones, and the examples that the problem keeps."""
    st.caption("Write code as an agent would. It runs on what the earlier problems leave, and the settings judge it.")
    row, person = opened.row, current_user()
    run = partial(_try_by_key, row.id, cell.key)
    field = answer_field(opened, cell.key)
    draw_field(opened, field, "Answer to try", words=known_words(opened.draft, cell)["code"], run=run)
    st.button(
        "Try",
        key=f"try:{row.id}:{cell.key}:go",
        icon=":material/science:",
        help="Judges it with your unsaved changes. Ctrl+Enter in the box does the same.",
        on_click=try_code,
        args=(row.id, cell.key),
    )
    tries = jobs.select_results(ws, try_key(row.id, person, cell.key))
    with st.container():
        if tries and tries[0][0].state != JobState.DONE:
            draw_job(tries[0][0])
    done = [(job, result) for job, result in tries if job.state == JobState.DONE and result is not None]
    for number, (job, result) in enumerate(done):
        stale = job.payload.get("digest") != now.get(cell.key)
        _draw_try(opened, cell, job, result, stale=stale, newest=number == 0, evidence=evidence)
    _draw_kept(opened, cell, _latest_verdicts(done, evidence, now.get(cell.key, "")))


@writes(Role.ANNOTATOR, Role.REVIEWER)
def try_code(problemset_id: int, cell_key: str) -> None:
    """Order the judging of the answer in the box."""
    opened = draft_on_screen(problemset_id)
    cell = opened.draft.find(cell_key)
    saved = opened.autosave(answer_field(opened, cell_key).cell_key, "code")
    if cell is None or saved is None or not saved.text.strip():
        raise ContentError("there is no answer to try", fix="write code into the box, then press Try")
    payload = {
        **{"problemset_id": problemset_id, "text": sound_text(opened), "problem": cell.number, "code": saved.text},
        "digest": digests(opened.draft)[cell_key],
    }
    order("try", payload, key=try_key(problemset_id, current_user(), cell_key))


def _try_by_key(problemset_id: int, cell_key: str, scope: str) -> None:
    del scope  # there is nothing after an answer to run on to
    try_code(problemset_id, cell_key)


@writes(Role.ANNOTATOR)
def keep(problemset_id: int, cell_key: str, code: str, side: str, verdict: str) -> None:
    """Write an answer into the `examples` of a problem's settings, as an unsaved change."""
    from authoring.revising.validators.answer_trials import Kept, with_example  # heavy, and needed only here

    fits = verdict not in ("CORRECT", "NOT_JUDGED") and side == "reject"
    kept = Kept(SIDES[side])
    change_settings(
        problemset_id, cell_key, lambda settings: with_example(settings, code, kept, verdict=verdict if fits else "")
    )
    state.flash("success", f"kept as an {kept} example: every dry run judges it from the next revision on")


@writes(Role.ANNOTATOR)
def drop(problemset_id: int, cell_key: str, side: str, position: int) -> None:
    """Take an answer out of the `examples`, as an unsaved change."""
    from authoring.revising.validators.answer_trials import without_example  # heavy, and needed only here

    change_settings(problemset_id, cell_key, lambda settings: without_example(settings, side, position))


@dataclass(frozen=True)
class _Verdict:
    verdict: str
    reason: str
    holds: bool
    stale: bool


def _latest_verdicts(
    tries: Sequence[tuple[Job, Mapping[str, Any]]], evidence: Evidence | None, digest: str
) -> dict[tuple[str, str], _Verdict]:
    """Return (side, code) of an example -> how it was judged last, current verdicts before stale ones."""
    judged = [(job.payload.get("digest") != digest, result.get("examples") or ()) for job, result in tries]
    if evidence is not None:
        judged.append((evidence.stale, evidence.examples))
    found: dict[tuple[str, str], _Verdict] = {}
    for stale, examples in sorted(judged, key=lambda each: each[0]):
        for kept in examples:
            verdict = _Verdict(str(kept.get("verdict")), str(kept.get("reason") or ""), bool(kept.get("holds")), stale)
            found.setdefault((str(kept.get("side")), str(kept.get("code")).strip()), verdict)
    for job, result in tries:  # the answer that was kept a moment ago
        word, reason = str(result.get("verdict")), str(result.get("reason") or "")
        code, stale = str(job.payload.get("code")).strip(), job.payload.get("digest") != digest
        for side, holds in (("accept", word == "CORRECT"), ("reject", word != "CORRECT")):
            found.setdefault((side, code), _Verdict(word, reason, holds, stale))
    return found


def _draw_kept(opened: OpenDraft, cell: DocumentCell, verdicts: Mapping[tuple[str, str], _Verdict]) -> None:
    problem = problem_on(opened.draft, cell)
    kept = example_answers(problem) if problem is not None else ()
    st.markdown("**Kept examples**")
    if not kept:
        st.caption("None yet. What you keep is judged by every dry run, so validators that break it are noticed.")
    for example in kept:
        _draw_example(opened.row.id, cell.key, example, verdicts.get((example.side, example.code.strip())))


def _draw_example(problemset_id: int, cell_key: str, example: ExampleAnswer, judged: _Verdict | None) -> None:
    with st.container(border=True, gap="xsmall"):
        wanted = f"must be {SIDES[example.side]}" + (f" as {example.verdict}" if example.verdict else "")
        if example.side == "reject" and not example.verdict:
            wanted = "must be rejected"
        chips = [chip_text(Chip(wanted, ":material/rule:", "gray")), chip_text(_standing(judged))]
        st.markdown(" ".join(chips))
        if judged is not None and not judged.holds and judged.reason:
            st.caption(label(judged.reason, limit=400))
        draw_code(example.code)
        st.button(
            "Remove from settings",
            key=f"example:{problemset_id}:{cell_key}:{example.where}",
            icon=":material/delete:",
            on_click=drop,
            args=(problemset_id, cell_key, example.side, example.position),
        )


def _standing(judged: _Verdict | None) -> Chip:
    if judged is None:
        return Chip("not judged yet", ":material/hourglass_empty:", "gray")
    when = ", before the text changed" if judged.stale else ""
    if judged.verdict == "NOT_JUDGED":
        return Chip(f"NOT_JUDGED{when}", ":material/help:", "orange")
    if judged.holds:
        return Chip(f"is {judged.verdict}{when}", ":material/check:", "green")
    return Chip(f"but is {judged.verdict}{when}", ":material/close:", "red")


def _draw_try(
    opened: OpenDraft,
    cell: DocumentCell,
    job: Job,
    result: Mapping[str, Any],
    *,
    stale: bool,
    newest: bool,
    evidence: Evidence | None,
) -> None:
    verdict, key = str(result.get("verdict")), f"try:{job.id}"
    chip = verdict_chip(verdict)
    title = f"{chip_text(chip)} {ago(job.finished_at)}{' · stale' if stale else ''}"
    with st.expander(title, newest, key=f"{key}:open", on_change="rerun") as box:
        if not box.open:
            return
        if stale:
            st.caption("The text has changed since.")
        draw_code(str(job.payload.get("code")))
        if result.get("reason"):
            st.caption(label(str(result["reason"]), limit=1000))
        draw_findings(result.get("validation"))
        draw_figures_beside(evidence, result.get("validation"), result.get("outputs") or (), key=f"{key}:figures")
        if result.get("error"):
            draw_error(result["error"], key=f"{key}:error")
        shown = [each for each in result.get("outputs") or () if each.get("output_type") != "error"]
        draw_outputs(shown, key=key, empty="It shows nothing.")
        _draw_keeping(opened.row.id, cell.key, str(job.payload.get("code")), verdict, key)


def _draw_keeping(problemset_id: int, cell_key: str, code: str, verdict: str, key: str) -> None:
    fits = "accept" if verdict == "CORRECT" else "reject"
    with st.container(horizontal=True):
        for side, word in SIDES.items():
            other = f"It is judged {verdict} now: mend the validators, the dry run fails until they agree."
            st.button(
                f"Keep as {word} example",
                key=f"{key}:{side}",
                icon=":material/bookmark_add:",
                type="secondary" if side == fits else "tertiary",
                help=None if side == fits else other,
                on_click=keep,
                args=(problemset_id, cell_key, code, side, verdict),
            )
