"""The right side of the editor: which tab is open, and what is drawn in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from authoring.store.dry_runs import DryRun
from authoring.store.jobs import Job
from authoring.store.reviewing.reviews import Comment, list_decisions
from authoring.store.revisions import select as list_revisions
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.comments import line_comments as commenting
from authoring.ui.comments.comments_tab import comments_label
from authoring.ui.editor import (
    results,
    trying,
    variable_tables,
)
from authoring.ui.editor.draft_view import Composed
from authoring.ui.editor.edit_impact import draw_approvals
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.editor.evidence import Evidence, dry_run_agent_key
from authoring.ui.editor.validators import validator_tab as validating
from authoring.ui.editor.validators import verdict_list as judgements
from evaluator.language.document_cells import DocumentCell

OF_PROBLEMS: Final = frozenset({"Verdicts", "Try", "Validators"})  # setup cells have no such tab
WITH_FORMS: Final = ("Try", "Validators")

OF_OUTCOME: Final = frozenset({"Outputs", "Verdicts", "Variables"})  # grey while a newer outcome is on its way


def at_work_words(jobs: Iterable[Job]) -> str:
    """Return whether a newer result is on its way, and how far it is; empty: none is."""
    states = {job.state for job in jobs if job.live}
    if not states:
        return ""
    if JobState.RUNNING in states:
        begin = ":material/progress_activity: Running"
    else:
        begin = f":material/schedule: Queued{'' if state.recall('workers') else ', and no worker is running'}"
    return f"{begin}; the result below is the previous one."


@dataclass(frozen=True)
class RightSide:
    """What the tabs of one cell draw."""

    ws: Workspace
    opened: OpenDraft
    cell: DocumentCell
    composed: Composed
    evidence: Evidence | None
    dry_run: DryRun | None
    now: Mapping[str, str]  # cell key -> digest of what is on the screen
    comments: Sequence[Comment]
    places: commenting.Places
    jobs: Mapping[str, Job]  # by key, read before what they make

    def draw(self) -> None:
        """Draw the headline and the tabs, of which the open one executes."""
        with st.container(key="outcome_news"):  # always there; while it says something, what stands below is grey
            if words := at_work_words(self.jobs.values()):
                st.caption(words)
        with st.container(key="outcome_headline"):
            results.draw_headline(self.evidence)
        key = commenting.tabs_key(self.opened.row.id, is_problem=self.cell.is_problem)
        said = [comment for comment in self.comments if comment.problem == self.cell.key]
        draws = {
            "Outputs": self._outputs,
            "Verdicts": self._verdicts,
            "Try": self._try,
            "Validators": self._validators,
            "Variables": self._variables,
            "Changes": self._changes,
            comments_label(said, key, forms=WITH_FORMS, about=self.cell.key): self._comments,
            "History": self._history,
        }
        names = [name for name in draws if self.cell.is_problem or name not in OF_PROBLEMS]
        for name, tab in zip(names, st.tabs(names, key=key, on_change="rerun"), strict=True):
            if tab.open:
                with tab, st.container(key="outcome_shown" if name in OF_OUTCOME else "outcome_other"):
                    draws[name]()

    def _outputs(self) -> None:
        results.draw_outcome(self.evidence, key=f"out:{self.opened.row.id}:{self.cell.key}", cell=self.cell.label)

    def _verdicts(self) -> None:
        asking = self.jobs.get(dry_run_agent_key(self.opened.revision.id))
        judgements.draw_verdicts(self.ws, self.opened, self.cell, self.evidence, self.dry_run, asking)

    def _try(self) -> None:
        trying.draw_tries(self.ws, self.opened, self.cell, self.now, self.evidence)

    def _validators(self) -> None:
        validating.draw_validators(self.ws, self.opened, self.cell, self.now)

    def _variables(self) -> None:
        results.draw_variables(self.evidence)
        variable_tables.draw_tables(self.ws, self.opened, self.cell, self.now, self.evidence)

    def _changes(self) -> None:
        results.draw_changes(self.opened, self.cell, self.composed.faults.get(self.cell.key, ()))

    def _comments(self) -> None:
        commenting.draw_cell_comments(self.opened, self.cell, self.comments, self.places)

    def _history(self) -> None:
        revisions, decisions = list_revisions(self.ws, self.opened.row.id), list_decisions(self.ws, self.opened.row.id)
        draw_approvals(self.ws, self.opened.revision, decisions)
        results.draw_history(revisions, decisions, problem=self.cell.key, problemset=self.opened.row.id)
