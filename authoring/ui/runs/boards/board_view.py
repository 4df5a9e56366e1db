"""The tab Board of a run of CIBench or the Qwen benchmark."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from authoring.store.runs import RunRow
from authoring.store.runs import select as list_runs
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.clock import at_minute
from authoring.ui.runs.boards.board_tables import (
    MAX_ROWS,
    board_rows,
    category_rows,
    own_row,
    published_table,
    scores_table,
)
from authoring.ui.runs.boards.error_mode_view import draw_error_modes
from authoring.ui.runs.boards.family_scores import FamilyScores, family_scores
from authoring.ui.wording import label
from evaluator.families.cibench.board import rows_together
from evaluator.families.published import published_boards
from evaluator.reporting.text_tables import percent

TITLES: Final = {"cibench": "CIBench", "qwen": "Qwen code-interpreter benchmark"}
COUNTED: Final = "counted"
PUBLISHED: Final = "published"
WEIGHTS: Final = {COUNTED: "by their steps", PUBLISHED: "as published"}
MAX_OTHERS: Final = 50
_ANALYSES: Final = {
    "difficulty": (
        "Difficulty",
        "Problems that a step rests on, itself included, as the longest chain: easy below 2, medium to 4, hard above.",
    ),
    "debugging": (
        "Rounds",
        "Logs cut after so many rounds: an estimate, as an agent that has fewer may work otherwise.",
    ),
    "languages": ("Language", "Steps by the language they are asked in."),
    "paired_languages": ("Language, side by side", "Steps that stand in both, as translations of each other."),
}


def draw_board(ws: Workspace, run: RunRow) -> None:
    """Draw the board of a run, the published rows, and what is read out of it."""
    weights = f"board:{run.id}:weights"
    found = family_scores(ws, run, published_weights=state.widget_value(weights) == PUBLISHED)
    if found is None:
        st.caption("Its records hold no scores of CIBench or the Qwen benchmark.")
        return
    board = found.board
    _draw_scores(board, weights)
    _draw_published(ws, run, found)
    if found.analyses:
        _draw_analyses(found.analyses)
        draw_error_modes(ws, run, found.failures)


def _draw_scores(board: Mapping[str, Any], weights: str) -> None:
    mode, rules = str(board.get("mode") or ""), str(board.get("rules") or "")
    st.header(TITLES[board["family"]], anchor=False)
    facts = [f"mode {label(mode)}" if mode else "mode not said", f"rules {label(rules)}" if rules else "rules not said"]
    if board["family"] == "cibench":
        st.segmented_control(
            "Modules count in their set", list(WEIGHTS), default=COUNTED, key=weights, format_func=WEIGHTS.__getitem__,
            required=True, help="As published, a set has no score while a module of the published set is missing.",
        )  # fmt: skip
    st.caption(f"{' · '.join(facts)}. Scores are percentages, each of so many problems.")
    rows = board_rows(board)
    if rows:
        letters = mode if board["family"] == "cibench" else ""
        st.table(scores_table(rows, "Where", mode=letters), border="horizontal")
    if len(rows) > MAX_ROWS:
        st.caption(f"The first {MAX_ROWS} of {len(rows)} rows.")
    categories = category_rows(board)
    if categories:
        st.markdown("**Categories** of the English sets")
        st.table(categories, border="horizontal", width="content")


def _draw_published(ws: Workspace, run: RunRow, found: FamilyScores) -> None:
    published = published_boards()[found.board["family"]].to_json()
    st.header("Beside published rows", anchor=False)
    own = (run.agent, own_row(found.board, published["columns"]))
    if found.board["family"] == "cibench":
        own = _with_other_mode(ws, run, found) or own
    st.table(published_table(published, [own]), border="horizontal")
    st.caption(
        f"Rows named published are from {label(published['source'])}, on that benchmark's own problems and not run "
        f"here. The row of this workspace is of {label(run.release)}. Percentages; a dash stands where nothing was "
        "counted, or not all of it could be graded."
    )


def _with_other_mode(ws: Workspace, run: RunRow, found: FamilyScores) -> tuple[str, dict[str, Any]] | None:
    """Let the agent's run of the other mode be chosen, and return name and row of both; None: of this one alone."""
    newest = [each for each in list_runs(ws, MAX_OTHERS, release=run.release) if each.id != run.id]
    others = {each.id: each for each in newest if each.agent == run.agent}
    if not others:
        st.caption("Avg needs a run of the agent in both modes, end-to-end (E) and oracle (O).")
        return None
    picked = st.selectbox(
        "Together with the run", list(others), index=None, key=f"board:{run.id}:other", placeholder="none", width=420,
        format_func=lambda each: f"{each}, {at_minute(others[each].created_at)}",
        help="E columns are of an end-to-end run, O columns of an oracle run. Avg needs both.",
    )  # fmt: skip
    if picked is None:
        return None
    other = family_scores(ws, others[picked])
    if other is None or "leaderboard" not in other.board:
        st.caption("That run has no scores of CIBench.")
        return None
    if other.board.get("rules") != found.board.get("rules"):
        st.caption("That run was judged by other rules: their scores never share a row.")
        return None
    if other.scoring_version != found.scoring_version:
        ours, theirs = (label(each.scoring_version or "not said") for each in (found, other))
        st.caption(
            f"That run was judged under another scoring version ({theirs}, this one: {ours}): their scores never share "
            "a row. *Score again* judges its submissions anew."
        )
        return None
    both = rows_together(found.board["leaderboard"], other.board["leaderboard"])
    if both is None:
        st.caption("That run has the same columns: both ran in the same mode.")
        return None
    return f"{run.agent}, runs {run.id} and {picked}", {column: score["value"] for column, score in both.items()}


def _draw_analyses(analyses: Mapping[str, Any]) -> None:
    for key, (title, about) in _ANALYSES.items():
        rows = analyses.get(key) or {}
        if rows:
            st.header(title, anchor=False)
            st.table(scores_table(rows, title), border="horizontal", width="content")
            st.caption(about)
    both = analyses.get("likeness_and_judge")
    if both:
        st.header("Likeness and judge", anchor=False)
        agreement = both["correlation"]
        st.markdown(
            f"{both['figures']} figures have both: a mean likeness of {percent(both['likeness'])}, a mean opinion of "
            f"{percent(both['opinion'])}, correlation {'-' if agreement is None else f'{agreement:.2f}'}."
        )
