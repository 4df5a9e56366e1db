"""Which model is configured and whether it answers. Keys are never shown, stored or sent to the browser."""

from typing import Final

import streamlit as st

from authoring.store import jobs
from authoring.store.people import Role
from authoring.store.settings import get_setting
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui.boundary import writes
from authoring.ui.help.tour import begin
from authoring.ui.jobs import draw_job, order
from authoring.ui.preferences import choose_letters, choose_plain_editors, prefers_plain_editors, uses_letters
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_facts
from authoring.ui.wording import ago, label


def draw_choices() -> None:
    """Draw the switches of the current person."""
    st.toggle(
        "Plain editors",
        value=prefers_plain_editors(),
        key="settings:plain",
        help="Plain text fields instead of code editors with colours, completion and diagnostics beside the line.",
        on_change=choose_plain_editors,
        args=("settings:plain",),
    )
    st.caption(
        "Code editors keep what you type in this browser until it is stored, 7 days at most: "
        "on a shared computer others could read it there."
    )
    st.toggle(
        "Single letters are shortcuts",
        value=uses_letters(),
        key="settings:letters",
        help="J, K, N and H act on the page while no field has focus. Combinations with Ctrl or Alt act either way.",
        on_change=choose_letters,
        args=("settings:letters",),
    )
    st.caption("Light or dark: choose under *Theme* at the foot of the sidebar. This browser keeps it, for all pages.")
    st.button("Start the tour", key="settings:tour", icon=":material/tour:", on_click=begin)


CHECK: Final = "model_check"  # the kind of job, and its key
MODEL_SEEN: Final = "model_seen"


def draw_model(ws: Workspace) -> None:
    """Draw which model is configured, whether a worker got an answer of it, its limits and its price."""
    from evaluator.models import configured_model, price_of
    from evaluator.models.interfaces import INTERFACES, OPENAI

    settings = configured_model()
    if settings is None:
        st.markdown("None. Everything works without one; drafts then come from the template author.")
        st.caption(
            "To use one, set the variable BENCHWRIGHT_MODEL to its name, and the variables of the key and, if it is "
            "another than the provider's, of the address; then start the app again, with its workers."
        )
        names = {"`NAME`" if each is OPENAI else f"`{each.provider}:NAME`": each for each in INTERFACES.values()}
        draw_facts({name: f"{each.key_variable}; {each.url_variable}" for name, each in names.items()})
        page_link(
            "help", "Models of Anthropic and Google", icon=":material/help:", doc="evaluators",
            section="models-of-anthropic-and-google",
        )  # fmt: skip
        return
    job = jobs.find_latest(ws, CHECK)  # before what it leaves
    price = price_of(settings.model)
    facts = {
        "Model": f"{label(settings.model)} at {label(settings.host)}",
        "Last look": _seen_in_words(get_setting(ws, MODEL_SEEN), settings.model, settings.host),
        "Limits": f"{settings.timeout_s:g} s for a request, {settings.max_retries} retries",
        "Price": "not known: money cannot be budgeted"
        if price is None
        else f"{price.input:g} for prompts, {price.output:g} for answers, in {price.currency} a million tokens "
        f"(noted on {price.noted_on})",
    }
    draw_facts(facts)
    st.button("Ask it now", key="settings:model", icon=":material/network_check:", on_click=ask_endpoint)
    if job is not None and job.state not in (JobState.DONE, JobState.CANCELLED):
        draw_job(job)


@writes(Role.MAINTAINER)
def ask_endpoint() -> None:
    """Let a worker, which holds the key, ask the endpoint one short question."""
    order(CHECK, {}, key=CHECK)


def _seen_in_words(seen: object, model: str, host: str) -> str:
    if not isinstance(seen, dict) or (seen.get("model"), seen.get("host")) != (model, host):
        return ":gray[:material/help:] no worker has asked it yet"
    when = ago(str(seen.get("at")))
    took = f", in {float(seen.get('seconds') or 0):.1f} s"
    if seen.get("reachable"):
        return f":green[:material/check_circle:] it answered a worker {when}{took}"
    said = label(str(seen.get("what") or ""), limit=300)
    fix = label(str(seen.get("fix") or ""), limit=300)
    return f":red[:material/error:] no answer {when}: {said}. To fix it: {fix}"
