"""The gate before a release on the screen: what goes in, what blocks it, what is left out, and on which evidence."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import streamlit as st

from authoring.checks import MACHINES
from authoring.release import (
    GateCheck,
    GateFinding,
    GateRow,
    GateStanding,
    SignedWaiver,
    preview_card,
    unanswered,
    waivers_of,
)
from authoring.store.releases import head_texts
from authoring.store.statuses import ProblemsetStatus
from authoring.store.workspace import Workspace
from authoring.ui.advice import in_app
from authoring.ui.drawing.markup import safe_markdown
from authoring.ui.shell.navigation import page_link
from authoring.ui.standing import evidence_line
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_empty, draw_pager
from authoring.ui.wording import Chip, ago, label, plural

CHIPS: Final[Mapping[GateStanding, Chip]] = {
    GateStanding.READY: Chip("ready", ":material/check:", "green"),
    GateStanding.BLOCKS: Chip("blocks the release", ":material/block:", "red"),
    GateStanding.LEFT_OUT: Chip("left out", ":material/remove:", "gray"),
}
WORDS: Final[Mapping[GateStanding, str]] = {
    GateStanding.READY: "ready",
    GateStanding.BLOCKS: "blocking",
    GateStanding.LEFT_OUT: "left out, because they are not accepted",
}
OF_ONE: Final = "left out, because it is not accepted"
ALL: Final = "all"
MAX_FINDINGS: Final = 20


def draw_gate(ws: Workspace, rows: Sequence[GateRow], picked_sets: Collection[str] = ()) -> None:
    """Draw every problemset before the gate, fifty a page.

    Args:
        ws: The workspace.
        rows: All problemsets.
        picked_sets: What of them the next release shall hold, as NAME@REVISION; none: all that are accepted.
    """
    counts = Counter(row.standing.value for row in rows)
    picked = st.segmented_control(
        "Show",
        [ALL, *GateStanding],
        format_func=lambda each: str(each),
        default=ALL,
        key="g_standing",
        bind="query-params",
    )
    chosen = [row for row in rows if picked in (None, ALL) or row.standing.value == picked]
    held = sum(row.standing is not GateStanding.LEFT_OUT and is_held(row, picked_sets) for row in rows)
    said = [group_words(each, counts[each]) for each in GateStanding]
    st.caption(" · ".join([*said, *([f"{held} chosen for the next release"] if picked_sets else [])]))
    if not chosen:
        draw_empty("No problemset is like that", "Choose another group.")
        return
    slot = st.container(border=True, gap="small")
    offset = draw_pager(len(chosen), key=f"gate:{picked}")
    page = chosen[offset : offset + PAGE_SIZE]
    texts = head_texts(ws, [row.evidence.revision_id for row in page])
    with slot:
        for row in page:
            waivers = waivers_of(texts.get(row.evidence.revision_id, ""), row.evidence.name)
            _draw_row(row, waivers, is_held=is_held(row, picked_sets))


def is_held(row: GateRow, picked_sets: Collection[str]) -> bool:
    """Return whether a set is among those that were picked; of none picked all are."""
    return not picked_sets or f"{row.evidence.name}@{row.evidence.number}" in picked_sets


def gate_chip(standing: GateStanding, findings: int, comments: int = 0, *, is_held: bool = True) -> Chip:
    """Return what becomes of a problemset; one that is ready with findings or comments open is not plainly green."""
    if standing is not GateStanding.READY or (is_held and not findings and not comments):
        return CHIPS[standing]
    words = [CHIPS[standing].word, *([plural(findings, "warning")] if findings else [])]
    words += [plural(comments, "open comment")] if comments else []
    if not is_held:
        return Chip(", ".join([*words, "not chosen"]), ":material/remove:", "gray")
    return Chip(", ".join(words), ":material/warning:", "orange")


def group_words(standing: GateStanding, count: int) -> str:
    """Return `3 ready`, `1 left out, because it is not accepted`."""
    return f"{count} {OF_ONE if standing is GateStanding.LEFT_OUT and count == 1 else WORDS[standing]}"


def draw_preview(ws: Workspace, name: str, version: str, licence: str, *, chosen: Sequence[str]) -> None:
    """Draw the card of the next release, read from what is accepted now, when it is asked for."""
    box = st.expander("Card of the next release", icon=":material/description:", key="gate:card", on_change="rerun")
    if box.open:
        with box:
            st.markdown(
                safe_markdown(preview_card(ws, name or "(name)", version or "(version)", licence, chosen=chosen))
            )


def _draw_row(row: GateRow, waivers: Sequence[SignedWaiver], *, is_held: bool) -> None:
    evidence = row.evidence
    name, standing, proof = st.columns((4, 2, 5), vertical_alignment="center")
    with name:
        page_link("problemset", f"**{label(evidence.name)}**", icon=":material/menu_book:", set=evidence.problemset_id)
    findings = unanswered(row, waivers)
    standing.markdown(chip_text(gate_chip(row.standing, len(findings), evidence.open_comments, is_held=is_held)))
    proof.caption(evidence_words(row))
    most = 1 if row.standing is GateStanding.LEFT_OUT else MAX_FINDINGS  # what is left out blocks nothing
    for finding in findings[:most]:
        _draw_finding(finding, evidence.problemset_id)
    if len(findings) > most:
        st.caption(f"and {plural(len(findings) - most, 'more finding')} on its page")
    for waiver in waivers:
        st.markdown(
            f":material/signature: **waived: {label(waiver.check)}** for {label(waiver.problem)} by "
            f"{label(waiver.by)}: {label(waiver.reason, limit=400)}"
        )


def evidence_words(row: GateRow) -> str:
    """Return on what a problemset's standing rests."""
    evidence = row.evidence
    parts = [f"revision {evidence.number}"]
    if evidence.status == ProblemsetStatus.ACCEPTED:
        by_rule = evidence.decided_by in MACHINES  # as the release's card says it
        parts.append(f"accepted by {'rule' if by_rule else label(evidence.decided_by or 'somebody')}")
    if evidence.dry_run is not None:
        parts.append(f"{evidence_line(row.judged)}, {ago(evidence.dry_run.created_at)}")
    return " · ".join(parts)


def _draw_finding(finding: GateFinding, set_id: int) -> None:
    icon = ":red[:material/error:]" if finding.refuses else ":orange[:material/warning:]"
    fix = label(in_app(finding.fix)[0], limit=300)
    st.markdown(f"{icon} **{finding.check.value}**: {label(finding.what, limit=400)}  \n:gray[{fix}]")
    with st.container(horizontal=True):
        if finding.check is GateCheck.ROUNDTABLE:
            page_link("roundtable", "Go to Roundtable", icon=":material/forum:", set=set_id)
        if finding.attempt_id is not None:
            page_link("runs", "The attempt that shows it", icon=":material/visibility:", attempt=finding.attempt_id)
        if finding.problem:
            page_link(
                "editor", "Open the problem in the editor", icon=":material/edit:", set=set_id, pid=finding.problem
            )
