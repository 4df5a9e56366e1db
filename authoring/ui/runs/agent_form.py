"""The agent of a run as fields and as text, `chat:MODEL?encoding=lida`: each follows the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from authoring.store.people import Role
from authoring.store.runs import find as find_run
from authoring.store.runs import select as list_runs
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, show_message, writes
from authoring.ui.model_setup import IN_THE_FIELD, model_in_words, refuse_missing_model
from authoring.ui.runs.agent_text import (
    FUNCTION,
    OWN,
    OWN_FIELDS,
    REPLAY,
    AgentParts,
    OptionField,
    agent_titles,
    asks_for_model,
    check_agent,
    names_files,
    option_fields,
    place_in_form,
    read_agent,
    written_agent,
)
from authoring.ui.shell.auth import may, require
from authoring.ui.workplace import workspace
from evaluator.agents import AGENT_TIMEOUT_S
from evaluator.agents.process.package_command import is_package
from evaluator.environments import list_environments
from evaluator.errors import ToolkitError, UsageError
from evaluator.running import EXECUTIONS, MAX_AGENT_TIMEOUT_S, RECORDS
from evaluator.session import AgentNetwork

TEXT: Final = "run:agent_text"
FILLED: Final = "run:agent_filled"
ENVIRONMENT: Final = "run:agent_environment"
MAX_REPLAYS: Final = 50
MAX_TEXT: Final = 4_000
AGENT_HELP: Final = (
    "The oracle must be CORRECT everywhere, the empty agent nowhere. What cheat passes can be guessed, and Releases "
    "warns of it. Programs of your own run in a sandbox; Help, Agents of your own, says how they are written."
)
TEXT_TITLE: Final = "Agent, written out"
TEXT_HELP: Final = (
    "The agent above in one line, as commands of the terminal take it: its name, a colon and its model, then options, "
    "such as chat:MODEL?encoding=lida. Nothing has to be written: change it here or above, each follows the other."
)
NETWORKS: Final = {
    AgentNetwork.NONE.value: "none",
    AgentNetwork.MODEL.value: "one model, through us",
    AgentNetwork.FULL.value: "full: all that this machine reaches",
}


def draw_agent(ws: Workspace) -> None:
    """Draw which agent runs and what names it further: a model, a command, an earlier run."""
    state.start_widget_value(TEXT, "oracle")
    titles = agent_titles()
    picked = st.selectbox(
        "Agent", list(titles), format_func=titles.__getitem__, key="run:agent", help=AGENT_HELP, width=330,
        on_change=fields_changed, persist_state="session",
    )  # fmt: skip
    if picked == REPLAY:
        runs = {run.id: f"{run.id} · {run.agent} on {run.release}" for run in list_runs(ws, MAX_REPLAYS)}
        st.selectbox(
            "Submissions of", list(runs), format_func=lambda each: runs[each], key="run:replay", width=330,
            on_change=fields_changed, persist_state="session",
        )  # fmt: skip
    if picked is not None and asks_for_model(picked):
        st.text_input(
            "Model", key="run:model", placeholder=_configured(), width=240, on_change=fields_changed,
            persist_state="session",
        )  # fmt: skip
    if picked in OWN:
        title, example, about = OWN_FIELDS[picked]
        st.text_input(
            title, key=f"run:own:{picked}", placeholder=example, help=about, width=330, on_change=fields_changed,
            persist_state="session",
        )  # fmt: skip
    if picked is not None:
        _draw_options(picked)
    _follow_fields()


def draw_agent_text(ws: Workspace) -> None:
    """Draw the agent as text, which can be written by hand, and beside it what is wrong with it."""
    st.text_input(
        TEXT_TITLE, key=TEXT, max_chars=MAX_TEXT, on_change=text_changed, persist_state="session", help=TEXT_HELP
    )
    if _is_unwritten(current_text()):
        return
    try:
        parts = _checked(ws)
    except UsageError as error:
        show_message(state.Notice("error", error.what, place_in_form(error, TEXT_TITLE), error.fix))
        return
    if names_files(parts) and parts.kind != REPLAY and not may():
        st.caption(":material/lock: Code and files of this machine are run by maintainers.")
    elif parts.kind == FUNCTION:
        st.caption(
            ":material/gpp_maybe: A function runs in a process without a sandbox: take only code that you know. "
            "A program as *cmd:* runs in one."
        )


def is_told_at_field(ws: Workspace) -> bool:
    """Return whether the page tells beside the written agent already what is wrong with it."""
    if _is_unwritten(current_text()):
        return False
    try:
        _checked(ws)
    except UsageError:
        return True
    return False


def _is_unwritten(text: str) -> bool:
    """Return whether the agent waits for its command, function or run: that is nothing wrong yet."""
    return (text == REPLAY and state.widget_value("run:replay") is None) or _empty_field(text) is not None


def _empty_field(text: str) -> str | None:
    """Return which kind of agent of one's own is chosen and not named yet; None: none is."""
    kind = str(state.widget_value("run:agent") or "")
    is_empty = kind in OWN and not str(state.widget_value(f"run:own:{kind}") or "").strip()
    return kind if is_empty and text in ("", kind) else None


def _checked(ws: Workspace) -> AgentParts:
    parts = check_agent(current_text(), ws.root)
    if is_package(parts.kind):
        refuse_missing_package(parts.kind, environment=state.widget_value(ENVIRONMENT))
    return parts


def _draw_options(kind: str) -> None:
    fields = option_fields(kind)
    if not fields and kind not in OWN:
        return
    title = "What it may do" if kind in OWN else "Options of the agent"
    with st.popover(title, icon=":material/smart_toy:", width="content"):
        cells = _rows_of_three()
        for field in fields:
            with next(cells):
                _draw_option(kind, field)
        if kind in OWN:
            _draw_own(kind, st.columns(3))
        elif is_package(kind):
            _draw_package(kind, st.columns(3))
        elif kind in ("tools", "plan"):
            with next(cells):
                _draw_executions()


def _rows_of_three() -> Iterator[DeltaGenerator]:
    """Yield cells row by row: on a narrow screen, where they stand in one column, what belongs together stays so."""
    while True:
        yield from st.columns(3)


def _draw_option(kind: str, field: OptionField) -> None:
    """Draw one option. It begins with what the text says: a field in a closed box takes nothing that is set later."""
    key, begin = _option_key(kind, field.name), _filled(kind, field)
    title = field.name.replace("_", " ").capitalize()
    if field.words:
        st.selectbox(
            title, field.words, index=field.words.index(begin), key=key, help=field.about, on_change=fields_changed,
            persist_state="session",
        )  # fmt: skip
        return
    usual = field.default_words
    if field.least is None:
        st.text_input(
            title, begin, key=key, help=field.about, placeholder=usual, on_change=fields_changed,
            persist_state="session",
        )  # fmt: skip
    elif field.is_whole:
        st.number_input(
            title, int(field.least), None if field.most is None else int(field.most), value=begin, key=key,
            help=field.about, placeholder=usual, on_change=fields_changed, persist_state="session",
        )  # fmt: skip
    else:
        st.number_input(
            title, float(field.least), None if field.most is None else float(field.most), value=begin, key=key,
            help=field.about, placeholder=usual, step=0.1, on_change=fields_changed,
            persist_state="session",
        )  # fmt: skip


def _option_key(kind: str, name: str) -> str:
    """Return the key of an option's field: another one each time that a text fills the fields."""
    return f"run:option:{state.recall(FILLED, (0, None))[0]}:{kind}:{name}"


def _filled(kind: str, field: OptionField) -> Any:
    """Return what the text that was written last says of an option, as its field shows it."""
    parts: AgentParts | None = state.recall(FILLED, (0, None))[1]
    return _value(field, parts.options.get(field.name, "") if parts is not None and parts.kind == kind else "")


def _draw_package(kind: str, columns: Any) -> None:
    """Draw where an agent's package is installed, and what it may take; it reaches its model through us."""
    place, takes, limits = columns
    with place:
        _draw_environment(f"that of its name, {kind}")
    with takes:
        _draw_timeout()
        _draw_executions()
    with limits:
        _draw_model_limits()


def _draw_environment(otherwise: str) -> None:
    known = ["", *(each.name for each in list_environments())]
    st.selectbox(
        "Its environment", known, key=ENVIRONMENT, on_change="ignore", persist_state="session",
        format_func=lambda each: each or otherwise, help="Whose Python it runs on; benchwright env create makes one.",
    )  # fmt: skip


def _draw_model_limits() -> None:
    for name, title in (("calls", "Calls at one problem"), ("tokens", "Tokens at one problem")):
        st.number_input(
            title, 1, None, value=None, key=f"run:agent_{name}", placeholder="no limit", on_change="ignore",
            persist_state="session",
        )  # fmt: skip


def _draw_timeout() -> None:
    st.number_input(
        "Seconds for one answer", 1.0, MAX_AGENT_TIMEOUT_S, value=None, key="run:agent_timeout_s",
        placeholder=f"{AGENT_TIMEOUT_S:g}", on_change="ignore", persist_state="session",
        help="Then it is cancelled, and killed 5 s later; executions by us stop this clock.",
    )  # fmt: skip


def _draw_own(kind: str, columns: Any) -> None:
    """Draw what an agent of one's own may see, reach and take."""
    sees, reaches, takes = columns
    with takes:
        _draw_timeout()
        _draw_executions()
    if kind == FUNCTION:
        return
    with sees:
        _draw_environment("the Python of the app")
        st.text_input(
            "Its folder", key="run:agent_folder", placeholder="that of its file", on_change="ignore",
            persist_state="session",
            help="What it sees of this machine's files, read-only.",
        )  # fmt: skip
        st.text_input(
            "Variables that it is given", key="run:agent_variables", placeholder="none", on_change="ignore",
            persist_state="session",
            help="Names of variables in the environment of the app's worker, with commas between them.",
        )  # fmt: skip
    with reaches:
        st.selectbox(
            "Network", list(NETWORKS), format_func=NETWORKS.__getitem__, key="run:agent_network",
            persist_state="session",
        )  # fmt: skip
        if state.widget_value("run:agent_network") == AgentNetwork.MODEL.value:
            st.text_input(
                "Its model", key="run:agent_model", placeholder=_configured(), on_change="ignore",
                persist_state="session",
            )  # fmt: skip
            _draw_model_limits()


def _draw_executions() -> None:
    st.number_input(
        "Executions at one problem", 0, 1_000_000, value=None, key="run:executions", placeholder=str(EXECUTIONS),
        on_change="ignore", persist_state="session",
        help="That it may ask for before it submits, all attempts together.",
    )  # fmt: skip


def _configured() -> str:
    try:
        return model_in_words() or "name a model"
    except ToolkitError:
        return "name a model"


@writes(ANYONE)
def fields_changed() -> None:
    """Write the agent that the fields say."""
    state.replace_text(TEXT, written_agent(_parts_of_fields()))
    _note()


@writes(ANYONE)
def text_changed() -> None:
    """Let the fields say what was written by hand; what cannot be read is left, and told beside it."""
    try:
        parts = read_agent(str(state.widget_value(TEXT) or ""))
    except ToolkitError:
        return
    _fill_fields(parts)  # noted once they are drawn: a file that no run left stands in none of them


def current_text() -> str:
    """Return the agent that is asked for: as the fields say where they changed last, else as it is written.

    A click may arrive together with what was typed just before, and ahead of it.
    """
    text = str(state.widget_value(TEXT) or "").strip()
    noted, fields = state.recall(TEXT, (None, None))
    if text == noted and _parts_of_fields() != fields:
        return written_agent(_parts_of_fields())
    return text


def _follow_fields() -> None:
    """Note text and fields as they are drawn, after the text has followed a field that shows something else by itself.

    A field does so when what was chosen in it is offered no more, as a run that was removed.
    """
    noted, fields = state.recall(TEXT, (None, None))
    if noted == str(state.widget_value(TEXT) or "").strip() and fields != _parts_of_fields():
        state.put_widget_value(TEXT, written_agent(_parts_of_fields()))
    _note()


def _note() -> None:
    """Note that text and fields say the same now."""
    state.remember(TEXT, (str(state.widget_value(TEXT) or "").strip(), _parts_of_fields()))


def _parts_of_fields() -> AgentParts:
    value = state.widget_value
    kind = str(value("run:agent") or "oracle")
    if kind == REPLAY:
        run_id = value("run:replay")
        run = None if run_id is None else find_run(workspace(), int(run_id))
        return AgentParts(REPLAY, "" if run is None else str(Path(run.out_dir) / RECORDS))
    if kind in OWN:
        return AgentParts(kind, str(value(f"run:own:{kind}") or "").strip())
    if not asks_for_model(kind):
        return AgentParts(kind)
    words = {
        field.name: _word(value(_option_key(kind, field.name), _filled(kind, field))) for field in option_fields(kind)
    }
    return AgentParts(kind, str(value("run:model") or "").strip(), {name: word for name, word in words.items() if word})


def _word(value: object) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value).strip()


def _fill_fields(parts: AgentParts) -> None:
    """Put what a text says into the fields; a run that it replays is found by its folder."""
    state.put_widget_value("run:agent", parts.kind)
    if parts.kind == REPLAY:
        runs = list_runs(workspace(), MAX_REPLAYS)
        found = next((run.id for run in runs if str(Path(run.out_dir) / RECORDS) == parts.rest), None)
        if found is not None:
            state.put_widget_value("run:replay", found)
    elif parts.kind in OWN:
        state.replace_text(f"run:own:{parts.kind}", parts.rest)
    elif asks_for_model(parts.kind):
        state.replace_text("run:model", parts.rest)
        state.remember(FILLED, (state.recall(FILLED, (0, None))[0] + 1, parts))


def _value(field: OptionField, word: str) -> Any:
    """Return what a field shows for a written word."""
    if field.words:
        return word or field.words[0]
    if field.least is None:
        return word
    return None if not word else int(word) if field.is_whole else float(word)


def agent_order(ws: Workspace) -> dict[str, Any]:
    """Return the fields of the order of a run that say which agent runs, and what it may do.

    Raises:
        ToolkitError: If something of it is missing or not known, a file that it names is not there, or the person may
            not run code or read files of this machine.
    """
    text = current_text()
    empty = _empty_field(text)
    if empty is not None:
        title, example, _ = OWN_FIELDS[empty]
        raise UsageError(f"the field {title} is empty", fix=f"write there which {title.lower()} runs, as {example}")
    parts = check_agent(text, ws.root)
    if parts.kind == REPLAY:
        return _replay_order(ws, text)
    if names_files(parts):
        require(Role.MAINTAINER)
    if asks_for_model(parts.kind):
        if not parts.rest:
            refuse_missing_model(IN_THE_FIELD)
        if is_package(parts.kind):
            return {"agent": text, **_package_order(parts.kind)}
        tools = _executions() if parts.kind in ("tools", "plan") else {}
        return {"agent": text, **tools}
    return {"agent": text, **(_own_order(parts) if parts.kind in OWN else {})}


def _replay_order(ws: Workspace, text: str) -> dict[str, Any]:
    """Return what replays a run, under the name of its agent; other files of this machine are for maintainers."""
    path, picked = text.partition(":")[2], state.widget_value("run:replay")
    same = [run for run in list_runs(ws, MAX_REPLAYS) if str(Path(run.out_dir) / RECORDS) == path]
    run = next((run for run in same if run.id == picked), same[0] if same else None)
    if run is None:
        require(Role.MAINTAINER)
        return {"agent": text}
    return {"agent": text, "called": f"replay of run {run.id}, {run.agent}"}


def _executions() -> dict[str, Any]:
    asked = state.widget_value("run:executions")
    return {"executions": int(asked)} if asked is not None and int(asked) != EXECUTIONS else {}


def _package_order(kind: str) -> dict[str, Any]:
    """Return what an agent that is a package may take, and where it is installed.

    Raises:
        UsageError: If there is no such environment.
    """
    environment = state.widget_value(ENVIRONMENT) or None
    refuse_missing_package(kind, environment=environment)
    return {"agent_environment": environment, **_timeout(), **_executions(), **_model_limits()}


def refuse_missing_package(kind: str, *, where: str = "Agent", environment: str | None = None) -> None:
    """Refuse an agent whose package is installed nowhere.

    Args:
        kind: The agent, and the environment of its name.
        where: The field that names it.
        environment: The one that was chosen for it; None: that of its name.

    Raises:
        UsageError: If so; the fix is where it is installed.
    """
    if not environment and kind not in {each.name for each in list_environments()}:
        what = f"the package of this agent is not installed: there is no environment {kind!r}"
        fix = f"build it: benchwright env create {kind} --for-agent {kind}"
        raise UsageError(what, where=where, fix=fix)


def _timeout() -> dict[str, Any]:
    asked = state.widget_value("run:agent_timeout_s")
    return {} if asked is None else {"agent_timeout_s": float(asked)}


def _model_limits() -> dict[str, Any]:
    return {f"agent_{name}": state.widget_value(f"run:agent_{name}") for name in ("calls", "tokens")}


def _own_order(parts: AgentParts) -> dict[str, Any]:
    value = state.widget_value
    order: dict[str, Any] = {**_timeout(), **_executions()}
    if parts.kind == FUNCTION:
        return order
    network = str(value("run:agent_network") or AgentNetwork.NONE.value)
    names = [name.strip() for name in str(value("run:agent_variables") or "").split(",") if name.strip()]
    order |= {
        "agent_environment": value(ENVIRONMENT) or None,
        "agent_network": network,
        "agent_folder": str(value("run:agent_folder") or "").strip() or None,
        "agent_variables": names,
    }
    if network == AgentNetwork.MODEL.value:
        model = str(value("run:agent_model") or "").strip()
        if not model:
            refuse_missing_model()
        order |= {"agent_model": model, **_model_limits()}
    return order
