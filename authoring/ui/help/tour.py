"""The first-run tour of a demo workspace: what to do next, and a link to where. Each person ends or repeats it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from authoring.store import jobs, problemsets, releases
from authoring.store.drafting.seeds import find_seed
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.preferences import TOUR, choose, known_choice
from authoring.ui.shell.auth import may
from authoring.ui.shell.navigation import go, is_at, page_link
from authoring.ui.shell.own_worker import is_starting
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

ENDED: Final = "ended"
DEMO_JOB: Final = "demo"
Place = Callable[[Workspace], dict[str, str | int]]  # the parameters of the page's address


NOWHERE: Final[dict[str, str | int]] = {}


@dataclass(frozen=True)
class TourStep:
    """One thing to do. Its text is read on the page that it speaks of."""

    title: str
    what: str
    page: str
    link: str  # what the button says that leads to the page and begins the step
    place: Place = lambda _ws: NOWHERE


def _waiting_set(ws: Workspace) -> dict[str, str | int]:
    from authoring.demo import WAITING

    return {"set": problemsets.find(ws, WAITING).id}


def _question(ws: Workspace) -> dict[str, str | int]:
    from authoring.demo import AMBIGUOUS

    return {**_waiting_set(ws), "pid": AMBIGUOUS}


def _accepted_seed(ws: Workspace) -> dict[str, str | int]:
    from authoring.demo import ACCEPTED

    return {"seed": find_seed(ws, ACCEPTED).id}


def _release(ws: Workspace) -> dict[str, str | int]:
    from authoring.demo import RELEASE

    return {"release": releases.find(ws, "@".join(RELEASE)).id}


STEPS: Final = (
    TourStep(
        "Find work",
        "The queue lists problemsets by status. In the demo one draft waits here, with a fault to repair and a "
        "question to answer. Later, **Next for me**, top right, claims and opens what has waited longest.",
        "queue",
        "Go to the queue",
    ),
    TourStep(
        "Look over a draft",
        "Each problem has a query, reference code and verdicts: the reference must pass its own validators, an empty "
        "answer must not. One reference of this draft crashes, and under **Comments** Ada asks about the query of "
        "another problem.",
        "problemset",
        "Open the draft that waits",
        _waiting_set,
    ),
    TourStep(
        "Repair a problem",
        "Press **Next failing**: the reference code of variance-explained names a column `average`, which is called "
        "`mean`. Correct it in the field Reference code, press **Run this** in the bar at the bottom, and read on the "
        "right what came of it. What you type is kept; **Save revision** makes it count.",
        "editor",
        "Open it in the editor",
        _waiting_set,
    ),
    TourStep(
        "Answer a comment",
        "Ada asks about the query of trailing-mean, which can be read in two ways: her question stands under "
        "**Comments**, on the right. Say in the field Query what she asks for, press **Reply** to tell her, and "
        "**Resolve** once it is settled; then **Save revision**.",
        "editor",
        "Go to Ada's question",
        _question,
    ),
    TourStep(
        "Decide",
        "Once the revision is saved and its dry run passes, **Submit** in the bar at the bottom hands it "
        "on. Whoever reviews it presses **Accept** there, or **Send back** with a reason; here that may be you.",
        "editor",
        "Go on to deciding",
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
    number = _at_step(at)
    step = STEPS[number]
    page, parameters = _place(ws, step)
    with st.container(border=True, gap="xsmall", key="tour"):
        st.caption(f":material/tour: Tour, step {number + 1} of {len(STEPS)}")
        st.markdown(f"**{step.title}.** {step.what}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if not is_at(page, parameters):  # the person has left it, or the demo is not built that far
                page_link(page, step.link, icon=":material/place:", parameters=parameters)
            last = number + 1 == len(STEPS)
            label = "End the tour" if last else STEPS[number + 1].link
            icon = None if last else ":material/arrow_forward:"
            st.button(label, key="tour:next", type="primary", icon=icon, on_click=turn, args=(number + 1,))
            if number:
                st.button(
                    "Previous step", key="tour:back", type="tertiary", icon=":material/chevron_left:",
                    on_click=turn, args=(number - 1,),
                )  # fmt: skip
            if not last:
                st.button("Skip the tour", key="tour:skip", type="tertiary", on_click=end)


def _at_step(chosen: object) -> int:
    """Return the number of the step that a person's choice stands for; 0: the first."""
    return min(chosen, len(STEPS) - 1) if isinstance(chosen, int) and chosen >= 0 else 0


def _place(ws: Workspace, step: TourStep) -> tuple[str, dict[str, str | int]]:
    """Return the page that the step speaks of, and the parameters of its address.

    While the demo is still being built, or once it was renamed, that is the queue, where its job is shown.
    """
    try:
        return step.page, step.place(ws)
    except UsageError:
        return STEPS[0].page, NOWHERE


@writes(ANYONE)
def turn(number: int) -> None:
    """Go to a step and to the page that it speaks of; behind the last step the tour ends.

    A step that speaks of what the demo has yet to make is not begun.
    """
    ws = workspace()
    if number >= len(STEPS):
        _end()
        return
    page, parameters = _place(ws, STEPS[number])
    job = jobs.find_latest(ws, DEMO_JOB)
    if page != STEPS[number].page and job is not None and job.live:
        _tell_unbuilt(ws)
        return
    choose(TOUR, number)
    if not is_at(page, parameters):
        go(page, **parameters)


def _tell_unbuilt(ws: Workspace) -> None:
    """Say what the next step waits for: a worker, or the end of the job that builds the demo."""
    if not jobs.worker_status(ws).workers and not is_starting(ws):
        start = "Press “Start a worker” in the sidebar" if may(Role.MAINTAINER) else "Ask a maintainer to start one"
        hint = f"{start}, then press this button again when the draft is there."
        state.flash("warning", "nothing builds the demo: no worker is running", hint=hint)
        return
    where = "The bar on this page" if is_at(STEPS[0].page, NOWHERE) else "The Queue"
    if problemsets.count(ws):
        what = "the next step speaks of what is still being made: it takes a minute or two"
    else:
        what = "the draft is not there yet: it takes about half a minute"
    state.flash("info", what, hint=f"{where} shows how far it is; then press this button again.")


@writes(ANYONE)
def begin() -> None:
    """Begin the tour anew, wherever the person is."""
    choose(TOUR, 0)


@writes(ANYONE)
def end() -> None:
    """End the tour for this person."""
    _end()


def _end() -> None:
    choose(TOUR, ENDED)
    state.flash("info", "the tour is ended", hint="Settings starts it again.")
