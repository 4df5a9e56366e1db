"""What people and models spent, on the Guide page: minutes by set, person or guide, and the saving over handwork."""

from typing import TYPE_CHECKING, Final

import streamlit as st

from authoring.store.effort import record_baseline, save_person
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed_text import sent, typed, typed_line
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_facts, draw_pager
from authoring.ui.wording import label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

if TYPE_CHECKING:
    from authoring.effort import EffortGroup, EffortReport

GROUPINGS: Final = {"set": "problemset", "person": "person", "guide": "guide revision"}
KEY: Final = "effort"


def draw_effort(ws: Workspace) -> None:
    """Draw the minutes that were measured, what models cost, and forms for what the app cannot measure."""
    from authoring.effort import Grouping, effort_report

    by = st.segmented_control(
        "Minutes by", list(GROUPINGS), format_func=GROUPINGS.__getitem__, key=f"{KEY}:by", default="set"
    )
    report = effort_report(ws, Grouping(by or "set"))
    if report.groups:
        offset = draw_pager(len(report.groups), key=f"{KEY}:{by}:page")
        rows = [_row(group) for group in report.groups[offset : offset + PAGE_SIZE]]
        st.table(rows, border="horizontal", alt="minutes that were measured")
    else:
        draw_empty("No minutes are measured yet", "They come with revisions, reviews, sketches and edits of the guide.")
    draw_facts(_facts(report))
    _draw_forms()


def _row(group: "EffortGroup") -> dict[str, str]:
    parts = [f"{activity} {minutes:.1f}" for activity, minutes in group.by_activity.items()]
    said = f" ({label(group.experience, limit=80)})" if group.experience else ""
    return {
        "Of": f"{label(group.name, limit=80)}{said}",
        "Minutes": f"{group.minutes:.1f}",
        "For": label(", ".join(parts)),
        "Minutes per accepted problem": _figure(group.minutes_per_problem),
    }


def _facts(report: "EffortReport") -> dict[str, str]:
    cost = "not known" if report.cost is None else f"{report.cost:.4f} {label(report.currency)}"
    unpriced = f", {report.unpriced_calls} calls without a known price" if report.unpriced_calls else ""
    hand = _figure(report.baseline_minutes_per_problem)
    return {
        "All minutes": f"{report.minutes:.1f}, per measured revision {_figure(report.minutes_per_revision)}",
        "Per accepted problem": f"{_figure(report.minutes_per_problem)} minutes, measured for "
        f"{report.measured_problems} of {report.accepted_problems} problems",
        "Models": f"{report.tokens:,} tokens, cost {cost}{unpriced}",
        "By hand": "no baseline was measured, so no saving is stated" if hand == "–" else f"{hand} minutes per problem",
        "Saving": "–" if report.reduction is None else f"{report.reduction:.1f} times fewer minutes than by hand",
    }


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _draw_forms() -> None:
    with st.expander("Record what was measured elsewhere", icon=":material/timer:"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            typed_line("Made by hand", f"{KEY}:subject", placeholder="what it was", width=260)
            st.number_input("Minutes", 0.0, key=f"{KEY}:minutes", width=140, on_change="ignore")
            st.number_input("Problems", 1, key=f"{KEY}:problems", width=140, on_change="ignore")
            st.button("Record the baseline", key=f"{KEY}:baseline", on_click=keep_baseline)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            typed_line("Your experience", f"{KEY}:experience", placeholder="such as 5 years of pandas", width=420)
            st.button("Keep it", key=f"{KEY}:person", on_click=keep_experience)


@writes(Role.MAINTAINER)
def keep_baseline() -> None:
    """Keep what making problems by hand took."""
    subject = typed(f"{KEY}:subject").strip()
    if not subject:
        raise ContentError("the baseline has no subject", where="Made by hand", fix="say what was made by hand")
    record_baseline(
        workspace(),
        subject,
        person=current_user(),
        minutes=float(state.widget_value(f"{KEY}:minutes") or 0),
        problems=int(state.widget_value(f"{KEY}:problems") or 1),
    )
    sent(f"{KEY}:subject")
    state.flash("success", "recorded the baseline")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def keep_experience() -> None:
    """Keep how experienced the person is, in their own words."""
    save_person(workspace(), current_user(), experience=typed(f"{KEY}:experience").strip())
    sent(f"{KEY}:experience")
    state.flash("success", "kept: it stands beside your minutes")
