"""What each validator answered about one submission."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store.dry_runs import DryRun, DryRunSample, list_dry_run_samples
from authoring.store.jobs import Job
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import actions
from authoring.ui.drawing.outputs import draw_error, draw_outputs
from authoring.ui.drawing.picture_pairs import draw_picture_pairs, pictures_of, visual_answer
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.editor.evidence import COLUMNS, Evidence, Opinion
from authoring.ui.editor.results import draw_origin, draw_warnings
from authoring.ui.jobs import draw_job
from authoring.ui.model_setup import model_in_words
from authoring.ui.widgets import chip_text, draw_code, draw_empty
from authoring.ui.wording import ago, label, nothing_chip, verdict_chip
from evaluator.language.document_cells import DocumentCell
from evaluator.reporting import ValidatorAnswer, validator_answers

MAX_ANSWERS: Final = 100


def draw_findings(validation: Mapping[str, Any] | None) -> None:
    """Draw a findings tree as a table; nothing where nothing was compared."""
    answers = validator_answers(validation)
    if answers:
        rows = [
            {"Validator": _validator(each), "Result": label(each.result), "Reason": label(each.reason, limit=600)}
            for each in answers[:MAX_ANSWERS]
        ]
        if any(each.score is not None for each in answers):
            for row, each in zip(rows, answers, strict=False):
                row["Score"] = "" if each.score is None else f"{each.score:.3f}"
        st.table(rows, border="horizontal", alt="what each validator found")


def _validator(each: ValidatorAnswer) -> str:
    about = f": :small[{label(each.about)}]" if each.about else ""
    return f"{label(each.title)}{about}"


def draw_figures_beside(
    evidence: Evidence | None, validation: Mapping[str, Any] | None, outputs: Sequence[Mapping[str, Any]], *, key: str
) -> None:
    """Draw the figures of an answer beside those of the reference, where figures were compared."""
    answer = visual_answer(validation)
    if answer is None:
        return
    if evidence is None:
        source = "The expected figure is not at hand: run this problem to see it."
    else:
        stale = ". The text has changed since" if evidence.stale else ""
        source = f"Expected is what the reference showed: {label(evidence.source)}, {ago(evidence.at)}{stale}."
    expected = pictures_of(evidence.outputs) if evidence is not None else []
    draw_picture_pairs(answer, expected, pictures_of(outputs), key=key, source=source)


MAX_SAMPLES: Final = 20


def draw_verdicts(
    ws: Workspace,
    opened: OpenDraft,
    cell: DocumentCell,
    evidence: Evidence | None,
    dry_run: DryRun | None,
    asking: Job | None,
) -> None:
    """Draw how the reference, the empty answer and the reference agent were judged, and the agent's samples.

    Args:
        ws: The workspace.
        opened: The set.
        cell: The problem.
        evidence: What is known of it.
        dry_run: The newest one of the revision.
        asking: The newest job that asks the reference agent, read before the dry run.
    """
    if evidence is None:
        draw_empty("Not judged yet", "Run this problem: the reference is judged against itself.")
    else:
        draw_origin(evidence)
        draw_warnings(evidence.warnings)
        for column in COLUMNS:
            _draw_opinion(column, evidence.opinions.get(column, Opinion()), f"{opened.row.id}:{cell.key}:{column}")
        if evidence.agent_code.strip():
            _draw_beside(opened.draft.value(cell, "code"), evidence.agent_code)
    samples = list_dry_run_samples(ws, dry_run.id) if dry_run is not None else []
    _draw_samples([sample for sample in samples if sample.index == cell.number], opened, cell)
    _draw_order(opened, asking)


def _draw_opinion(column: str, opinion: Opinion, key: str) -> None:
    chip = nothing_chip(opinion.verdict) if column == "empty" else verdict_chip(opinion.verdict)
    st.markdown(f"**{COLUMNS[column]}**  \n{chip_text(chip)}")
    if opinion.reason:
        st.caption(label(opinion.reason, limit=1000))
    if opinion.validation:
        with st.expander("Result of each validator", key=f"findings:{key}", on_change="rerun") as box:
            if box.open:
                draw_findings(opinion.validation)


def _draw_beside(reference: str, answer: str) -> None:
    ours, theirs = st.columns(2, gap="small")
    with ours:
        st.caption("Reference code")
        draw_code(reference)
    with theirs:
        st.caption("The agent's code")
        draw_code(answer)


def _draw_samples(samples: Sequence[DryRunSample], opened: OpenDraft, cell: DocumentCell) -> None:
    if not samples:
        return
    correct = sum(sample.verdict == "CORRECT" for sample in samples)
    st.markdown(f"**{len(samples)} samples of {label(samples[0].agent)}**: {correct} correct")
    for sample in samples:
        chip, key = verdict_chip(sample.verdict), f"sample:{opened.row.id}:{cell.key}:{sample.sample}"
        alike = sum(other.cluster == sample.cluster for other in samples) - 1 if sample.cluster else 0
        same = f" · comes to the same as {alike} more" if alike else ""
        title = f"{sample.sample}. {chip_text(chip)}{same}"
        with st.expander(title, key=key, on_change="rerun") as box:
            if box.open:
                _draw_sample(sample, opened.draft.value(cell, "code"), key)


def _draw_sample(sample: DryRunSample, reference: str, key: str) -> None:
    if sample.reason:
        st.caption(label(sample.reason, limit=1000))
    _draw_beside(reference, sample.code)
    if sample.error:
        draw_error(sample.error, key=f"{key}:error")
    shown = [output for output in sample.outputs if output.get("output_type") != "error"]
    draw_outputs(shown, key=f"{key}:out", empty="It shows nothing.")


def _draw_order(opened: OpenDraft, asking: Job | None) -> None:
    model = model_in_words()
    if model is None:
        st.caption("With a model configured (see Settings) a dry run can ask it several times for each problem.")
        return
    revision = opened.revision
    key = f"samples:{revision.id}"
    st.markdown("**Ask the reference agent**")
    st.caption(f"{label(model)} answers every problem of revision {revision.number}, as it is saved.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input("Answers per problem", 1, MAX_SAMPLES, 4, key=key, width=160, on_change="ignore")
        st.button(
            "Dry run with samples",
            key=f"{key}:go",
            icon=":material/groups:",
            on_click=actions.dry_run_samples,
            args=(revision.id, key),
        )
    if asking is not None and asking.state != JobState.DONE:
        draw_job(asking)
