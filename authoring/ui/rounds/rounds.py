"""Plans of the outer loop on the screen: make one, see what waits for whom, take a step."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from authoring.store import problemsets
from authoring.store.drafting.bootstrap import Bootstrap, BootstrapItem
from authoring.store.drafting.seeds import Seed, list_seeds
from authoring.store.jobs import Job
from authoring.store.people import Role
from authoring.store.reviewing.suggestions import find_suggestion
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed_text import sent, typed_line
from authoring.ui.jobs import draw_job, order
from authoring.ui.model_setup import AUTHORS, author_help, refuse_missing_model
from authoring.ui.seeds.author_options import (
    EXAMPLES,
    author_options_of,
    draw_author_options,
    draw_language,
    language_of,
)
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import go, page_link
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_empty, draw_pager
from authoring.ui.wording import ago, label, plural, status_chip
from authoring.ui.workplace import workspace

if TYPE_CHECKING:
    from authoring.rounds.plan_progress import RoundsStatus

FORM: Final = "plan:new"
MAX_LISTED: Final = 20
ROUNDS: Final = 3  # what the form begins with


def draw_plan_form(seeds: Sequence[Seed]) -> None:
    """Draw the settings of a new plan; they are fixed once it is stored."""
    name, author = st.columns(2)
    with name:
        typed_line("Name", f"{FORM}:name", placeholder="letters, digits, - _ .")
    author.selectbox(
        "Author", AUTHORS, key=f"{FORM}:author", help=author_help(), persist_state="session", on_change="ignore"
    )
    st.multiselect(
        "Seeds",
        [seed.name for seed in seeds],
        key=f"{FORM}:seeds",
        placeholder="all of them",
        help="One problemset is drafted on each.",
        persist_state="session",
        on_change="ignore",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Rounds", 1, 20, ROUNDS, key=f"{FORM}:rounds", width=140, persist_state="session", on_change="ignore",
            help="How often drafts are made, the first time included.",
        )  # fmt: skip
        st.number_input(
            "Sets to revise in a round", 1, 100, key=f"{FORM}:revise", width=200, persist_state="session",
            help="So many must be revised and accepted by people before the next round begins.", on_change="ignore",
        )  # fmt: skip
        st.selectbox(
            "Accepted sets a model is shown", EXAMPLES, list(EXAMPLES).index("nearest"), width=240,
            format_func=EXAMPLES.__getitem__, key=f"{FORM}:examples", persist_state="session", on_change="ignore",
        )  # fmt: skip
        draw_language(FORM)
        st.number_input(
            "Random seed", 0, 2**31 - 1, key=f"{FORM}:rng_seed", width=140, persist_state="session", on_change="ignore"
        )
        st.text_input(
            "Model", key=f"{FORM}:model", placeholder="as configured", width=180, persist_state="session",
            on_change="ignore",
        )  # fmt: skip
    st.button("Store the plan", key=f"{FORM}:send", type="primary", icon=":material/add:", on_click=plan)


@writes(Role.MAINTAINER)
def plan() -> None:
    """Store a plan with the drafts of its first round; nothing is drafted yet."""
    from authoring.drafting.sketching import Author
    from authoring.languages import Language
    from authoring.rounds.rounds import RoundsOrder, plan_rounds

    values = {name: state.widget_value(f"{FORM}:{name}") for name in ("name", "author", "seeds", "rounds", "revise")}
    author = str(values["author"] or AUTHORS[0])
    if author == "model":
        refuse_missing_model()
    stored = plan_rounds(
        workspace(),
        RoundsOrder(
            name=str(values["name"] or "").strip(),
            seeds=tuple(values["seeds"] or ()),
            rounds=int(values["rounds"] or ROUNDS),
            revise=int(values["revise"] or 1),
            author=Author(author),
            rng_seed=int(state.widget_value(f"{FORM}:rng_seed") or 0),
            examples=str(state.widget_value(f"{FORM}:examples") or "nearest"),
            language=Language(language_of(FORM)),
            model=str(state.widget_value(f"{FORM}:model") or "").strip() or None,
            by=current_user(),
        ),
    )
    sent(f"{FORM}:name")
    go("bootstrap", plan=stored.id)


def draw_plans(plans: Sequence[Bootstrap]) -> None:
    """Draw one line per plan, newest first."""
    for each in reversed(plans):
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            page_link("bootstrap", f"**{label(each.name)}**", icon=":material/autorenew:", plan=each.id)
            st.caption(f"{_plan_facts(each)} · {ago(each.created_at)}", width="content")


def _plan_facts(each: Bootstrap) -> str:
    seeds = plural(len(each.plan.get("seeds") or ()), "seed")
    if each.plan.get("kind") == "rounds":
        return f"{seeds}, {plural(int(each.plan['rounds']), 'round')}, {label(str(each.plan['author']))} author"
    return f"{seeds}, in one step, {label(str(each.plan.get('author', '')))} author"


def draw_status(ws: Workspace, each: Bootstrap, status: "RoundsStatus", job: Job | None) -> None:
    """Draw what is to be done now and by whom, and the rounds in figures; `job` is the newest that makes a step."""
    if status.finished:
        st.success("Done: every seed has an accepted set, or gives none.", icon=":material/check_circle:")
        page_link("releases", "Go to Releases", icon=":material/inventory_2:")
    elif job is None or not job.live:
        _draw_waiting(ws, status)
    _draw_step(each, status, job)
    if job is not None and job.state not in (JobState.DONE, JobState.CANCELLED) and not job.dismissed_by:
        with st.container(border=True):
            draw_job(job, log=True)
    st.header("Rounds", anchor=False)
    st.table([_round_row(one) for one in status.to_json()["rounds"]], border="horizontal", alt="rounds of the plan")


def _draw_waiting(ws: Workspace, status: "RoundsStatus") -> None:
    if status.can_step:
        st.info("The machine's turn: nobody has to do anything before the next step.", icon=":material/smart_toy:")
        return
    with st.container(border=True):
        st.markdown("**Waits for people**")
        if status.missing:
            st.markdown(f"Revise and accept {plural(status.missing, 'more set')} of these:")
            for name in status.revise[:MAX_LISTED]:
                row = problemsets.find(ws, name)
                page_link("problemset", label(name), icon=":material/menu_book:", set=row.id)
        if status.suggestions:
            names = sorted({find_suggestion(ws, one).problemset_name for one in status.suggestions})
            listed = ", ".join(label(name) for name in names[:MAX_LISTED])
            st.markdown(f"{plural(len(status.suggestions), 'suggestion')} to take or refuse on the way: {listed}.")
        if status.amendments:
            st.markdown(f"{plural(len(status.amendments), 'proposed amendment')} of the guide to decide:")
            page_link("guide", "Go to the guide", icon=":material/rule:")


def _draw_step(each: Bootstrap, status: "RoundsStatus", job: Job | None) -> None:
    key = f"plan:{each.id}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Take the next step",
            key=f"{key}:step",
            type="primary",
            icon=":material/play_arrow:",
            disabled=not status.can_step or (job is not None and job.live),
            help="Sketches, drafts and dry-runs all that nobody has to do; a step twice does nothing twice.",
            on_click=step,
            args=(each.id, each.name),
        )
        st.number_input("Drafts at a time", 1, 8, key=f"{key}:workers", width=150, on_change="ignore")
        if each.plan.get("author") == "model":
            draw_author_options(key, examples=False, model=False)


@writes(Role.MAINTAINER)
def step(plan_id: int, name: str) -> None:
    """Order a step of a plan."""
    wishes = author_options_of(f"plan:{plan_id}")
    wishes.pop("examples")  # the plan says which
    workers = int(state.widget_value(f"plan:{plan_id}:workers") or 1)
    order("bootstrap_step", {"name": name, "workers": workers, **wishes}, key=f"bootstrap_step:{plan_id}")


def job_key(each: Bootstrap) -> str:
    """Return the key under which steps of a plan are ordered."""
    return f"bootstrap_step:{each.id}"


def draw_items(ws: Workspace, items: Sequence[BootstrapItem]) -> None:
    """Draw the drafts of a plan by round, each with where it stands."""
    if not items:
        draw_empty("The plan has no drafts", "Store it again with seeds.")
        return
    seeds = {seed.id: seed.name for seed in list_seeds(ws)}
    st.header("Drafts", anchor=False)
    slot = st.container()
    offset = draw_pager(len(items), key=f"plan:{items[0].bootstrap_id}:page")
    shown = items[offset : offset + PAGE_SIZE]
    names = problemsets.names(ws, [item.problemset_id for item in shown if item.problemset_id is not None])
    for item in shown:
        with slot, st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"round {item.round}", width=90)
            st.markdown(chip_text(status_chip(item.state)), width="content")
            if item.problemset_id is not None:
                name = label(names.get(item.problemset_id, "a problemset"))
                page_link("problemset", f"**{name}**", icon=":material/menu_book:", set=item.problemset_id)
            else:
                st.markdown(f"on {label(seeds.get(item.seed_id, 'a seed'))}", width="content")
            if item.reason:
                st.caption(label(item.reason, limit=300), width="content")


def _round_row(one: Mapping[str, object]) -> dict[str, str]:
    rate, edits = one["acceptance"], one["edits_per_problem"]
    dropped, guides = one["dropped"], one["guide"]
    return {
        "Round": str(one["round"]),
        "Drafted": f"{one['drafted']} of {one['planned']}",
        "Accepted": f"{one['accepted']}{f' ({rate:.0%})' if isinstance(rate, float | int) else ''}",
        "Drafted anew": str(one["redrafted"]),
        "Dropped": str(len(dropped)) if isinstance(dropped, list) else "–",
        "Guide": ", ".join(map(str, guides)) if isinstance(guides, list) and guides else "–",
        "Edits per problem": f"{edits:.2f}" if isinstance(edits, float | int) else "–",
    }
