"""The first-run tour of a demo workspace: what to do next, and a link to where. Each person ends or repeats it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from authoring.store import jobs, problemsets, releases
from authoring.store.drafting.seeds import find_seed
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.preferences import TOUR, choose, known_choice
from authoring.ui.shell.navigation import page_link
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

ENDED: Final = "ended"
DEMO_JOB: Final = "demo"
Place = Callable[[Workspace], dict[str, str | int]]  # the parameters of the page's address


@dataclass(frozen=True)
class TourStep:
    """One thing to do."""

    title: str
    what: str
    page: str
    link: str
    place: Place = lambda _ws: {}


def _waiting_set(ws: Workspace) -> dict[str, str | int]:
    from authoring.demo import WAITING

    return {"set": problemsets.find(ws, WAITING).id}


def _accepted_seed(ws: Workspace) -> dict[str, str | int]:
    from authoring.demo import ACCEPTED

    return {"seed": find_seed(ws, ACCEPTED).id}


def _release(ws: Workspace) -> dict[str, str | int]:
    from authoring.demo import RELEASE

    return {"release": releases.find(ws, "@".join(RELEASE)).id}


STEPS: Final = (
    TourStep(
        "Find work",
        "Start here: the queue lists problemsets by status. One draft waits there, with a fault to repair: open it by "
        "its name, or press **Next for me**, top right.",
        "queue",
        "Go to the queue",
    ),
    TourStep(
        "Look over a draft",
        "Each problem has a query, reference code and verdicts: the reference must pass its own validators, an empty "
        "answer must not. One reference of this draft crashes, and Ada asks about the query of another problem.",
        "problemset",
        "Open the draft that waits",
        _waiting_set,
    ),
    TourStep(
        "Repair a problem",
        "The reference code of variance-explained names a column that is not there. Change it on the left, press "
        "**Run this** in the bar below, and read what came of it on the right. What you type is kept; **Save "
        "revision** makes it count.",
        "editor",
        "Open it in the editor",
        _waiting_set,
    ),
    TourStep(
        "Decide",
        "When every reference passes, **Accept** stands in the editor's bar below; **Send back** asks for a reason.",
        "editor",
        "Go to the bar of the editor",
        _waiting_set,
    ),
    TourStep(
        "Make a problemset of your own",
        "A seed is data with its profile. **Sketch problems** lists what could be asked; change it, then draft it.",
        "seeds",
        "Open the seed of the penguins",
        _accepted_seed,
    ),
    TourStep(
        "Say what good problems are",
        "Authors are given the guide. Comments on drafts become amendments of it, under **Amendments**.",
        "guide",
        "Read the guide",
    ),
    TourStep(
        "Freeze what is accepted",
        "A release is what agents are scored on. Look at this one, verify it, download it as a file.",
        "releases",
        "Open the release",
        _release,
    ),
    TourStep(
        "See how agents did",
        "One agent answered with the reference code, one not at all. Open a run to see each problem's verdict.",
        "runs",
        "Go to the runs",
    ),
)


def is_demo(ws: Workspace) -> bool:
    """Return whether the workspace was made as a demo."""
    known: bool | None = state.recall(DEMO_JOB)
    if known is None:
        known = jobs.find_latest(ws, DEMO_JOB) is not None
        state.remember(DEMO_JOB, known)
    return known


def draw_tour() -> None:
    """Draw the step at which the person is, until the tour is ended."""
    ws, at = workspace(), known_choice(TOUR)
    if at == ENDED or (at is None and not is_demo(ws)):
        return
    number = min(at, len(STEPS) - 1) if isinstance(at, int) and at >= 0 else 0
    step = STEPS[number]
    with st.container(border=True, gap="xsmall", key="tour"):
        st.caption(f":material/tour: Tour, step {number + 1} of {len(STEPS)}")
        st.markdown(f"**{step.title}.** {step.what}")
        with st.container(horizontal=True, vertical_alignment="center"):
            page_link(step.page, step.link, icon=":material/arrow_forward:", parameters=_parameters(ws, step))
            if number:
                st.button("Back", key="tour:back", icon=":material/chevron_left:", on_click=turn, args=(number - 1,))
            if number + 1 < len(STEPS):
                st.button("Next step", key="tour:next", type="primary", on_click=turn, args=(number + 1,))
                st.button("Skip the tour", key="tour:skip", type="tertiary", on_click=end)
            else:
                st.button("End the tour", key="tour:end", type="primary", on_click=end)


def _parameters(ws: Workspace, step: TourStep) -> dict[str, str | int]:
    """Return where the step leads; just the page while the demo is still being built."""
    try:
        return step.place(ws)
    except UsageError:
        return {}


@writes(ANYONE)
def turn(number: int) -> None:
    """Go to a step; 0 begins anew."""
    choose(TOUR, number)


@writes(ANYONE)
def end() -> None:
    """End the tour for this person."""
    choose(TOUR, ENDED)
    state.flash("info", "the tour is ended", fix="to see it again, go to Settings, “Start the tour”")
