"""What each revision of the guide came to, as a table and small charts; and the pool of examples."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from authoring.store.drafting.examples import ExampleRow, mark_example
from authoring.store.people import Role
from authoring.store.reviewing.reviews import COMMENT_KINDS
from authoring.ui.boundary import writes
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import ago, label
from authoring.ui.workplace import workspace

if TYPE_CHECKING:
    from authoring.drafting.guide.guide_effects import GuideEffect

CHART_HEIGHT: Final = 170
COLOURS: Final = ("#027c81", "#a95b06", "#7d5bc6", "#cf2a29", "#1174b4", "#737373")  # 3:1 on light and on dark
CHARTS: Final = {
    "acceptance_rate": "Accepted, share of drafts",
    "edits_per_problem": "Edits per accepted problem",
    "minutes_per_problem": "Minutes per accepted problem",
}


def draw_effects(effects: Sequence["GuideEffect"]) -> None:
    """Draw one row for each guide revision that drafts were made with, and charts when there are several."""
    if not effects:
        draw_empty(
            "No draft was made with the guide yet",
            "Sketch and draft under Seeds & ideas; what becomes of it shows here.",
        )
        return
    st.caption("Of drafts by a model or the template author. Edits and minutes are those of people before acceptance.")
    st.table([_row(effect) for effect in effects], border="horizontal", alt="effects of each guide revision")
    for column, (field, title) in zip(st.columns(len(CHARTS)), CHARTS.items(), strict=True):
        points = [{"guide": _name(one), "value": getattr(one, field)} for one in effects]
        with column:
            _draw_chart(title, [point for point in points if point["value"] is not None])
    kinds = [
        {"guide": _name(one), "kind": kind.replace("_", " "), "value": count}
        for one in effects
        for kind, count in one.comments.items()
        if count
    ]
    _draw_chart("Comments by kind", kinds, colour="kind")


def _row(effect: "GuideEffect") -> dict[str, str]:
    comments = [f"{count} {kind.replace('_', ' ')}" for kind, count in effect.comments.items() if count]
    return {
        "Guide": _name(effect),
        "Drafts": str(effect.drafts),
        "Accepted": f"{effect.accepted} ({_share(effect.acceptance_rate)})",
        "Problems changed": _share(effect.revision_rate),
        "Edits per problem": _figure(effect.edits_per_problem),
        "Minutes per problem": _figure(effect.minutes_per_problem),
        "Comments": ", ".join(comments) or "–",
        "Repairs": str(effect.repairs),
        "Tokens": f"{effect.tokens:,}",
    }


def _draw_chart(title: str, points: Sequence[Mapping[str, Any]], *, colour: str = "") -> None:
    st.markdown(f"**{title}**")
    if not points:
        st.caption("Nothing measured yet.")
        return
    encoding: dict[str, Any] = {
        "x": {"field": "guide", "type": "nominal", "title": None, "sort": None, "axis": {"labelAngle": 0}},
        "y": {"field": "value", "type": "quantitative", "title": None},
        "tooltip": [{"field": name} for name in ("guide", colour, "value") if name],
    }
    if colour:
        kinds = [kind.replace("_", " ") for kind in COMMENT_KINDS]
        scale = {"domain": kinds, "range": list(COLOURS)}
        encoding["color"] = {"field": colour, "type": "nominal", "title": None, "scale": scale}
    mark = {"type": "bar", "width": {"band": 0.4}, "color": COLOURS[0]}
    spec = {"data": {"values": list(points)}, "mark": mark, "encoding": encoding, "height": CHART_HEIGHT}
    said = ", ".join(" ".join(str(value) for value in point.values()) for point in points)
    st.vega_lite_chart(spec=spec, width="stretch", alt=f"{title}: {said}")


def _name(effect: "GuideEffect") -> str:
    return "no guide" if effect.guide_number is None else f"revision {effect.guide_number}"


def _share(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.0%}"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def draw_examples(rows: Sequence[ExampleRow]) -> None:
    """Draw the accepted problemsets, and whether authors are shown each of them."""
    if not rows:
        draw_empty(
            "No problemset is accepted yet", "Accepted sets are what a model is shown as examples, at most five."
        )
        return
    st.caption("A model is shown at most five of these: chosen when a sketch or a draft is ordered.")
    slot = st.container()
    offset = draw_pager(len(rows), key="guide:examples:page")
    for row in rows[offset : offset + PAGE_SIZE]:
        with slot, st.container(border=True, horizontal=True, vertical_alignment="center"):
            page_link("problemset", f"**{label(row.name)}**", icon=":material/menu_book:", set=row.problemset_id)
            by = f" · {label(row.by)}, {ago(row.created_at)}" if row.by else ""
            state = (
                ":orange[:material/visibility_off:] taken out"
                if row.excluded
                else ":green[:material/check:] in the pool"
            )
            st.markdown(state, width="content")
            st.caption(f"revision {row.number}{by}", width="content")
            st.button(
                "Put back" if row.excluded else "Take out",
                key=f"example:{row.problemset_id}",
                icon=":material/undo:" if row.excluded else ":material/visibility_off:",
                on_click=mark,
                args=(row.problemset_id, not row.excluded),
            )


@writes(Role.MAINTAINER)
def mark(problemset_id: int, excluded: bool) -> None:
    """Take a problemset out of the pool of examples, or put it back."""
    mark_example(workspace(), problemset_id, excluded=excluded, by=current_user())
