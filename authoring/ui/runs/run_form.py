"""What a person may ask of a run: agent, problems, mode or policies, how it is judged."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import streamlit as st

from authoring.conversion.family_imports import find_imported, imported_benchmarks
from authoring.store import jobs
from authoring.store.jobs import Job, job_result
from authoring.store.people import Role
from authoring.store.releases import Release, release_names
from authoring.store.releases import select as list_releases
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.markup import cell_text
from authoring.ui.jobs import draw_job, order
from authoring.ui.runs.agent_form import agent_order, current_text, draw_agent, draw_agent_text, is_told_at_field
from authoring.ui.runs.further_agents import are_told_at_field, draw_further, further_orders, start_words
from authoring.ui.seeds.author_options import budget_of, draw_budget
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty, draw_facts
from authoring.ui.wording import ago, label
from authoring.ui.workplace import workspace
from evaluator.environments import list_environments
from evaluator.errors import ContentError
from evaluator.families.live_run import modes_in
from evaluator.language import Rules
from evaluator.running import (
    ROUNDS,
    BetweenAttempts,
    FeedbackPart,
    HistoryPolicy,
    Mode,
    OutputsKept,
    StatePolicy,
    StopPolicy,
)
from evaluator.session import EngineChoice

STATES: Final = {
    StatePolicy.REFERENCE: "the reference's",
    StatePolicy.OWN: "the agent's own",
    StatePolicy.CORRECTED_ON_FAILURE: "own, failures corrected",
    StatePolicy.CORRECTED_ALWAYS: "own, always corrected",
}
STATE_HELP: Final = (
    "What the code before left: the reference code, or the agent's own. Corrected: the reference code runs instead of "
    "what failed, or on top of everything."
)
MODES: Final = {
    Mode.END_TO_END.value: "end-to-end: on its own code",
    Mode.ORACLE.value: "oracle: failures corrected",
    Mode.ORACLE_AS_RUN.value: "oracle-as-run: always corrected",
    Mode.ORACLE_FROM_TRUTH.value: "oracle-from-truth: on the reference",
    Mode.QWEN.value: "qwen: until code fails",
}
MODE_HELP: Final = (
    "As CIBench or the Qwen benchmark run agents; meant for react-cibench and react-qwen. CIBench's oracle mode has "
    "three readings: as published in words, as its program runs, and on what the reference code left."
)
STOPS: Final = {
    StopPolicy.JUDGED.value: "a correct answer",
    StopPolicy.VISIBLE.value: "code that runs",
    StopPolicy.FAILURE.value: "code that fails",
}
JUDGE_HELP: Final = (
    "A vision model, by its name, for problems with the validator judge. Where its opinion counts and nobody is "
    "named, the problem is NOT_JUDGED. The budget is for agent and judge together."
)
MAX_COUNT: Final = 100
DEFAULT: Final = "as the release says"


def draw_options(target: int | str, names: Sequence[str], modes: Sequence[str]) -> None:
    """Draw everything else that can be asked; what is left alone is the default of the command line.

    Args:
        target: A release, by its id, or an imported benchmark, by its name.
        names: Of its problemsets.
        modes: In which it can be run.
    """
    with st.popover("More options", icon=":material/tune:", width="content"):
        asked, policies, judged = st.columns(3)
        with asked:
            _draw_asked(target, names)
        with policies:
            _draw_policies(modes)
        with judged:
            _draw_judged()


def _draw_asked(target: int | str, names: Sequence[str]) -> None:
    st.markdown("**What is asked**")
    st.multiselect(
        "Problemsets", names, key=_sets_key(target), placeholder="all", on_change="ignore", format_func=cell_text,
        persist_state="session",
    )  # fmt: skip
    _count("Problems at most", "run:limit", None, "In all problemsets together.", most=1_000_000)
    _count("Epochs", "run:epochs", 1, "Independent passes, each with random states of its own.")
    st.markdown("**What a model may take**")
    draw_budget("run")


def _sets_key(target: int | str) -> str:
    """Return the key of the chosen sets; a benchmark may be named as a release is numbered."""
    return f"run:sets:{'release' if isinstance(target, int) else 'benchmark'}:{target}"


def _draw_policies(modes: Sequence[str]) -> None:
    st.markdown("**What the agent meets**")
    titles = {"": "chosen below"} | {mode: MODES[mode] for mode in modes}
    if state.widget_value("run:mode") not in titles:  # it was chosen for another benchmark
        state.put_widget_value("run:mode", "")
    st.selectbox(
        "Mode",
        list(titles),
        format_func=lambda each: titles[each],
        key="run:mode",
        help=MODE_HELP,
        persist_state="session",
    )
    if state.widget_value("run:mode"):
        _count("Rounds at a problem", "run:rounds", ROUNDS, "Executions of the agent's code; the last one counts.")
        st.caption("The mode says what state, history, feedback and the end of attempts are.")
        return
    _choice("State before problems", "run:state", {each.value: text for each, text in STATES.items()}, STATE_HELP)
    history = {"reference": "the reference code", "own": "the agent's own"}
    _choice("Code it is shown", "run:history", history, "Of the problems before.")
    _count("Attempts at a problem", "run:max_attempts", 1, "The last one counts.")
    st.multiselect(
        "Feedback between attempts",
        [part.value for part in FeedbackPart],
        key="run:feedback",
        persist_state="session",
        placeholder="none",
        help="A hint may name expected values.",
        on_change="ignore",
    )
    between = {"reset": "as the first one", "kept": "after the last one"}
    _choice(
        "Later attempts start", "run:between_attempts", between, "Where the first one did, or where the last ended."
    )
    _choice("Attempts end with", "run:stop", STOPS, "Before the last one that is allowed.")


def _draw_judged() -> None:
    st.markdown("**How it is run and judged**")
    _count("Problemsets at once", "run:workers", 1, "More of them need more memory and processors.", most=16)
    known = [each.name for each in list_environments()]
    _choice("Environment", "run:environment", {name: name for name in ("", "default", *known)} | {"": DEFAULT})
    _choice("Rules", "run:rules", {"": DEFAULT} | {rules.value: rules.value for rules in Rules})
    st.text_input(
        "Judge of figures", key="run:judge", placeholder="nobody", help=JUDGE_HELP, on_change="ignore",
        persist_state="session",
    )  # fmt: skip
    engines = {each.value: each.value for each in EngineChoice} | {"auto": "as each set needs"}
    _choice("Kept apart by", "run:engine", engines)
    kept = {
        "shown": "all, last values too",
        "printed": "what is printed or raised",
        "none": "nothing",
    }
    _choice("Outputs to keep", "run:outputs", kept)
    st.number_input("Random seed", 0, 2**32 - 1, key="run:rng_seed", on_change="ignore", persist_state="session")
    st.checkbox(
        "Any query", key="run:allow_mismatch", on_change="ignore", persist_state="session",
        help="A replay also answers problems whose query has changed since the recording.",
    )  # fmt: skip


def _count(title: str, key: str, default: int | None, about: str, *, most: int = MAX_COUNT) -> None:
    if default is not None:  # given as the field's own: one in a closed box takes no value through the state
        st.number_input(title, 1, most, default, key=key, help=about, on_change="ignore", persist_state="session")
        return
    st.number_input(
        title, 1, most, value=None, key=key, help=about, placeholder="all", on_change="ignore", persist_state="session"
    )


def _choice(title: str, key: str, options: dict[str, str], about: str | None = None) -> None:
    st.selectbox(
        title, list(options), format_func=lambda each: options[each], key=key, help=about, on_change="ignore",
        persist_state="session",
    )  # fmt: skip


def run_order(ws: Workspace, target: int | str, agent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload of the run that the widgets ask for.

    Args:
        ws: The workspace.
        target: A release, by its id, or an imported benchmark, by its name.
        agent: What says which agent runs, and what it may do.

    Raises:
        ContentError: If something is missing.
    """
    value = state.widget_value
    order: dict[str, Any] = {
        **({"release": target} if isinstance(target, int) else {"benchmark": str(find_imported(ws, target))}),
        **agent,
        "sets": list(value(_sets_key(target)) or []),
        "limit": value("run:limit"),
        "allow_mismatch": bool(value("run:allow_mismatch")),
        "environment": value("run:environment") or None,
        "rules": value("run:rules") or None,
        "engine": str(value("run:engine") or EngineChoice.AUTO),
        "outputs": str(value("run:outputs") or OutputsKept.SHOWN),
        "rng_seed": int(value("run:rng_seed") or 0),
        **_policies(),
    }
    for name in ("epochs", "workers"):
        order[name] = int(value(f"run:{name}") or 1)
    judge = str(value("run:judge") or "").strip()
    order |= {"judge": judge} if judge else {}
    budget = budget_of("run")
    return order | ({"budget": budget} if budget else {})


def _policies() -> dict[str, Any]:
    """Return the mode, or else what it would say."""
    value = state.widget_value
    mode = str(value("run:mode") or "")
    if mode:
        return {"mode": mode, "max_attempts": int(value("run:rounds") or ROUNDS)}
    return {
        "feedback": list(value("run:feedback") or []),
        "state": str(value("run:state") or StatePolicy.REFERENCE),
        "history": str(value("run:history") or HistoryPolicy.REFERENCE),
        "between_attempts": str(value("run:between_attempts") or BetweenAttempts.RESET),
        "stop": str(value("run:stop") or StopPolicy.JUDGED),
        "max_attempts": int(value("run:max_attempts") or 1),
    }


MAX_UNDER_WAY: Final = 5
START: Final = "run:start"


def draw_run_form(ws: Workspace) -> None:
    """Draw what is needed to run an agent on a release, and the runs that are under way."""
    targets = _targets(ws)
    if not targets:
        draw_empty("There is no release to run on", "Accept a problemset, then create a release.")
        page_link("releases", "Go to Releases", icon=":material/inventory_2:")
        return
    _choose_what_a_link_names(targets)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Release", list(targets), format_func=lambda each: targets[each].title, key="run:release", width=280,
            persist_state="session",
        )  # fmt: skip
        draw_agent(ws)
        draw_options(picked, targets[picked].names(), modes_in(targets[picked].folder))
        first = current_text()
        st.button(start_words(first), key=START, type="primary", icon=":material/play_arrow:", on_click=start)
    draw_agent_text(ws)
    draw_further(ws.root, first)
    _draw_under_way(ws)


def _choose_what_a_link_names(targets: Mapping[int | str, "_Target"]) -> None:
    """Choose what the link here was about, once: what is chosen by hand afterwards stays."""
    named = state.param("on")
    if named == state.recall("run:on") and state.is_on_screen(START):  # its form was not left: the link is no new one
        return
    state.remember("run:on", named)
    names = {f"{'release' if isinstance(each, int) else 'benchmark'}:{each}": each for each in targets}
    target = names.get(named or "")
    if target is not None:
        state.put_widget_value("run:release", target)


class _Target(NamedTuple):
    """What an agent can run on."""

    title: str
    names: Callable[[], Sequence[str]]  # of its problemsets
    folder: Path  # that was written; it may be gone


def _targets(ws: Workspace) -> dict[int | str, _Target]:
    """Return releases by their ids, then imported benchmarks by their names."""

    def of_release(release: Release) -> Sequence[str]:
        return [name for _, name in release.items]

    def of_folder(folder: Path) -> Sequence[str]:
        return sorted(path.stem for path in folder.glob("*.py") if not path.name.startswith("_"))

    found: dict[int | str, _Target] = {
        each.id: _Target(f"{each.name} {each.version}", partial(of_release, each), Path(each.path))
        for each in list_releases(ws)
    }
    imported = imported_benchmarks(ws).items()
    return found | {name: _Target(f"{name} (imported)", partial(of_folder, path), path) for name, path in imported}


def _draw_under_way(ws: Workspace) -> None:
    newest = jobs.select(ws, MAX_UNDER_WAY, kinds=("run",))
    for job in newest:
        if job.state not in (JobState.DONE, JobState.CANCELLED) and not job.dismissed_by:
            with st.container(border=True, gap="xsmall"):
                st.caption(asked_words(ws, job.payload))
                draw_job(job, subject="")  # the line above says more
                page_link("runs", "Log and details", icon=":material/notes:", job=job.id)
    if newest and newest[0].state == JobState.DONE:
        found = (job_result(ws, newest[0].id) or {}).get("id")
        if isinstance(found, int):
            page_link("runs", "Open the newest run", icon=":material/arrow_forward:", run=found)


def asked_words(ws: Workspace, payload: Mapping[str, Any]) -> str:
    """Return what a run's job was asked, in a line of Markdown."""
    if payload.get("again") is not None:
        return f"the problems of run {label(str(payload['again']))} that are not judged"
    if payload.get("rescore") is not None:
        return f"the stored submissions of run {label(str(payload['rescore']))}, judged anew"
    release = payload.get("release")
    names = release_names(ws, [release]) if isinstance(release, int) else {}
    folder = Path(str(payload.get("benchmark") or "")).name
    where = names.get(release or 0) or folder or release
    parts = [f"{payload.get('called') or payload.get('agent', 'oracle')} on {where}"]
    parts += [f"{name.replace('_', ' ')} {_plain(payload[name])}" for name in _TOLD if _is_told(payload, name)]
    return label(" · ".join(parts), limit=400)


_TOLD: Final[Mapping[str, Any]] = {
    **{"sets": [], "limit": None, "epochs": 1, "state": "reference", "history": "reference", "max_attempts": 1},
    **{"feedback": [], "environment": None, "rules": None, "engine": "auto"},
    **{"mode": None, "stop": "judged", "judge": ""},
}  # what is told of a run when it is not the default


def _is_told(payload: Mapping[str, Any], name: str) -> bool:
    return payload.get(name) is not None and payload[name] != _TOLD[name]


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@writes(Role.EVALUATOR)
def start() -> None:
    """Order a run of each agent that is chosen."""
    target = state.widget_value("run:release")
    if target is None:
        raise ContentError("no release was chosen", fix="choose a release")
    ws, first = workspace(), current_text()
    if is_told_at_field(ws) or are_told_at_field(ws.root, first):
        return  # the form says what is wrong, at the field where it is
    agents = [agent_order(ws), *further_orders(ws.root, first)]  # all are looked at before the first is ordered
    payloads = [run_order(ws, target, agent) for agent in agents]
    for payload in payloads:
        key = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()[:16]
        order("run", payload, key=f"run:{key}")  # the same order twice while the first is live is one run
    if len(payloads) > 1:
        names = ", ".join(str(payload.get("called") or payload["agent"]) for payload in payloads)
        state.flash("success", f"{len(payloads)} runs are ordered, one for each agent: {names}")


@writes(Role.EVALUATOR)
def run_again(run_id: int) -> None:
    """Order what a run has not judged once more."""
    order("run", {"again": run_id, "budget": budget_of(f"again:{run_id}")}, key=f"run:again:{run_id}")


def draw_made_run(job: Job, title: str = "Open the run") -> None:
    """Lead from a finished job to the run that it made."""
    made = (job_result(workspace(), job.id) or {}).get("id") if job.kind in ("run", "import_results") else None
    if isinstance(made, int):
        page_link("runs", title, icon=":material/leaderboard:", run=made)


def draw_job_facts(job: Job) -> None:
    """Draw when a job ran and what it was asked."""
    draw_facts(
        {
            "Kind": label(job.kind),
            "Ordered": f"{ago(job.created_at)} by {label(job.created_by)}",
            "Started": ago(job.started_at),
            "Ended": ago(job.finished_at),
            "Attempts": str(job.attempts),
        }
    )
    with st.expander("What it was asked"):
        st.code(cell_text(json.dumps(job.payload, indent=2, ensure_ascii=False)), language="json", wrap_lines=True)
