"""Environments with other packages on the Settings page: listed, built as a job, removed."""

from typing import TYPE_CHECKING, Final

import streamlit as st

from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed_text import keep, sent, typed, typed_area, typed_line
from authoring.ui.jobs import order
from authoring.ui.seeds.order_results import draw_made_job
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label, plural, size_words
from evaluator.errors import ContentError

if TYPE_CHECKING:
    from evaluator.environments import EnvironmentRecord

FORM: Final = "environment"  # and the key of its job
MAX_PACKAGES: Final = 400


def draw_environments(ws: Workspace) -> None:
    """Draw the environments of whom the app runs as, and a form for another."""
    from evaluator.environments import environments_folder, list_environments

    records = list_environments()
    folder = environments_folder()
    st.caption(
        "Problem code runs in Benchwright's own Python, or in one of these: under Runs choose it at *Environment* in "
        "the form of a new run. A benchmark whose manifest names one runs in it without that. They are stored in "
        f"{label(str(folder), limit=300)}."
    )
    for record in records:
        _draw_record(record)
    if not records:
        draw_empty("There is no environment yet", "Name one and its packages below; building it takes minutes.")
    with st.expander("Build an environment", icon=":material/add:"):
        _draw_form()
    draw_made_job(ws, FORM)


def _draw_record(record: "EnvironmentRecord") -> None:
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{label(record.name)}**", width="content")
            pandas = f" · pandas {label(record.packages['pandas'])}" if "pandas" in record.packages else ""
            size = f"{plural(len(record.packages), 'package')} · {size_words(record.size_bytes)}"
            st.caption(f"Python {label(record.python)}{pandas} · {size}", width="content")
            with st.popover("Packages", icon=":material/list:"):
                pins = [f"{name}=={version}" for name, version in sorted(record.packages.items())]
                st.code("\n".join(pins[:MAX_PACKAGES]), language=None, height=320)
            with st.popover("Remove", icon=":material/delete:"):
                st.markdown(f"Remove **{label(record.name)}**? Runs that name it cannot be repeated until it is back.")
                st.button(
                    "Remove the environment", key=f"{FORM}:{record.name}:remove", on_click=remove, args=(record.name,)
                )
        st.caption(f"digest {label(record.digest)} · built {label(record.created)} with {label(record.installer)}")
        bad = [f"{module}: {outcome}" for module, outcome in record.fork_check.items() if outcome != "ok"]
        if bad:
            st.caption(f":orange[:material/warning:] not imported before sessions start: {label('; '.join(bad))}")


def _draw_form() -> None:
    from evaluator.agents.process.package_command import AGENT_PACKAGES

    st.selectbox(
        "Packages of an agent", list(AGENT_PACKAGES), index=None, key=f"{FORM}:agent", on_change=fill_in,
        placeholder="fills in what such an agent needs",
        help="An agent that is a package runs in the environment of its name.",
    )  # fmt: skip
    name, python = st.columns(2)
    with name:
        typed_line("Name", f"{FORM}:name", placeholder="lower-case letters, digits, dots, dashes")
    with python:
        typed_line("Python", f"{FORM}:python", placeholder="Benchwright's own; or a version such as 3.11")
    typed_area(
        "Requirements", f"{FORM}:requirements", height=160, placeholder="pandas==2.2.*\nscikit-learn",
        help="One package a line, as in a requirements file.",
    )  # fmt: skip
    st.button("Build it", key=f"{FORM}:send", type="primary", icon=":material/build:", on_click=build)


@writes(Role.MAINTAINER)
def fill_in() -> None:
    """Fill in the name and the requirements of the environment that an agent runs in; what was typed is replaced."""
    from evaluator.agents.process.package_command import requirements_of

    if agent := state.widget_value(f"{FORM}:agent"):
        needs = {"name": agent, "requirements": requirements_of(agent).read_text(encoding="utf-8").strip()}
        for field, text in needs.items():
            state.replace_text(f"{FORM}:{field}", text)
            keep(f"{FORM}:{field}", text)


@writes(Role.MAINTAINER)
def build() -> None:
    """Order an environment; its packages are fetched, so this takes minutes."""
    name, requirements = typed(f"{FORM}:name").strip(), typed(f"{FORM}:requirements").strip()
    if not name or not requirements:
        missing = "name" if not name else "requirements"
        raise ContentError(f"the environment has no {missing}", where="Build an environment", fix=f"type its {missing}")
    order(
        "environment",
        {"name": name, "requirements": requirements, "python": typed(f"{FORM}:python").strip() or None},
        key=FORM,
    )
    sent(*(f"{FORM}:{field}" for field in ("name", "python", "requirements")))


@writes(Role.MAINTAINER)
def remove(name: str) -> None:
    """Remove an environment that no run is using."""
    from evaluator.environments import remove_environment

    remove_environment(name)
    state.flash("success", f"removed the environment {name}")
