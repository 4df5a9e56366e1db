"""Several agents started at once, each as a run of its own; what an agent lacks on this machine is told in the form."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from authoring.store.people import Role
from authoring.ui import state
from authoring.ui.boundary import ANYONE, show_message, writes
from authoring.ui.model_setup import IN_THE_FIELD, missing_key, missing_model, model_in_words, refuse_missing_model
from authoring.ui.runs.agent_form import ENVIRONMENT, refuse_missing_package
from authoring.ui.runs.agent_text import (
    OWN,
    REPLAY,
    AgentParts,
    agent_titles,
    asks_for_model,
    check_agent,
    names_files,
    place_in_form,
)
from authoring.ui.shell.auth import require
from authoring.ui.wording import label
from evaluator.agents.choice import CLI, COMMAND, RECORDED
from evaluator.agents.process.launching import parse_command
from evaluator.agents.process.package_command import is_package
from evaluator.errors import ContentError, ToolkitError

MOST: Final = 4  # beside the first one
FURTHER: Final = "run:further"
TITLE: Final = "Also run, each as a run of its own"
_HELP: Final = (
    "Choose some, or write them as above, such as chat:MODEL?encoding=lida. Each is a run of its own on the same "
    "release with the same options; what only one agent takes (its folder, network, limits) is at its defaults."
)
_REFUSED: Final = "run:refused"  # the agents with which the runs were not started, for want of a model
_PYTHONS: Final = ("python", "python3")  # those of an environment of ours


def draw_further(base: Path, first: str) -> None:
    """Draw the choice of further agents, and what any of them lacks.

    Args:
        base: From where paths count.
        first: The agent that is chosen above.
    """
    titles = {name: title for name, title in agent_titles().items() if name not in OWN and name != REPLAY}
    st.multiselect(
        TITLE, list(titles), format_func=lambda each: titles.get(each, each),
        key=FURTHER, help=_HELP, persist_state="session",
        placeholder="only the agent above", accept_new_options=True, max_selections=MOST,
    )  # fmt: skip
    draw_lacks(first, base)
    for text in further_agents(first):
        try:
            _checked(text, base)
        except ToolkitError as error:
            show_message(state.Notice("error", f"{text}: {error.what}", place_in_form(error, TITLE), error.fix))
            continue
        draw_lacks(text, base, is_further=True)


def are_told_at_field(base: Path, first: str) -> bool:
    """Return whether the page tells below the agents already what is wrong with one of them."""
    texts = further_agents(first)
    for text in texts:
        try:
            _checked(text, base)
        except ToolkitError:
            return True
    state.remember(_REFUSED, (first, *texts))
    return any(_has_no_model(text, base) for text in (first, *texts))


def further_agents(first: str) -> list[str]:
    """Return the further agents as texts, each once and without the first one."""
    chosen = [str(each).strip() for each in state.widget_value(FURTHER) or ()]
    return [text for text in dict.fromkeys(chosen) if text and text != first]


def further_orders(base: Path, first: str) -> list[dict[str, Any]]:
    """Return what orders of runs say of the further agents.

    Raises:
        ToolkitError: If one of them is not known, names what is not there, has no model or package, or may not be run
            by the person.
    """
    texts = further_agents(first)
    for text in texts:
        parts = _checked(text, base)
        if names_files(parts) or parts.kind == REPLAY:
            require(Role.MAINTAINER)
        if asks_for_model(parts.kind) and not parts.rest:
            refuse_missing_model(_naming(text))
    return [{"agent": text} for text in texts]


def start_words(first: str) -> str:
    """Return what the button that starts the runs says."""
    number = 1 + len(further_agents(first))
    return "Start the run" if number == 1 else f"Start {number} runs"


def draw_lacks(text: str, base: Path, *, is_further: bool = False) -> None:
    """Draw what an agent lacks on this machine; nothing where its text cannot be read, which is told elsewhere.

    A warning only: the worker that carries the run out may have been started with another environment. Without any
    model no run is ordered, and once the button was pressed this is what it says.
    """
    try:
        has_no_model = _has_no_model(text, base)
        naming = _naming(text) if is_further else IN_THE_FIELD
        found = missing_model(naming) if has_no_model else _lack(check_agent(text, base))
    except ToolkitError:
        return
    if found is None:
        return
    is_refused = has_no_model and text in state.recall(_REFUSED, ())
    show_message(state.Notice("error" if is_refused else "warning", f"{text}: {found.what}", found.where, found.fix))
    if has_no_model and is_further:
        st.button(
            f"Leave out {label(text, limit=60)}",
            key=f"run:leave_out:{text}",
            icon=":material/close:",
            on_click=leave_out,
            args=(text,),
        )


@writes(ANYONE)
def leave_out(text: str) -> None:
    """Take an agent out of the further ones."""
    state.put_widget_value(FURTHER, [each for each in state.widget_value(FURTHER) or () if each != text])


def _has_no_model(text: str, base: Path) -> bool:
    """Return whether an agent asks a model, and neither it nor the configuration names one."""
    try:
        parts = check_agent(text, base)
        return asks_for_model(parts.kind) and not parts.rest and model_in_words() is None
    except ToolkitError:
        return False


def _naming(text: str) -> str:
    return f"write it with its model, as {text.partition('?')[0]}:MODEL"


def _checked(text: str, base: Path) -> AgentParts:
    parts = check_agent(text, base)
    if is_package(parts.kind):
        refuse_missing_package(parts.kind, where="Also run")
    return parts


def _lack(parts: AgentParts) -> ContentError | None:
    if asks_for_model(parts.kind):
        return None if parts.rest.startswith(RECORDED) else missing_key(parts.rest)
    if parts.kind not in (COMMAND, CLI):
        return None
    return _missing_program(parse_command(parts.rest))


def _missing_program(words: Sequence[str]) -> ContentError | None:
    name = words[0]
    if name in _PYTHONS or state.widget_value(ENVIRONMENT):  # an environment has programs of its own
        return None
    if os.path.isfile(name) if "/" in name else shutil.which(name):
        return None
    fix = "install it, or write its whole path; the run would end as soon as it begins"
    return ContentError(f"there is no program {name!r} on this machine", fix=fix)
