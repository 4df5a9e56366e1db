"""What a person can ask of an author beyond the button: difficulties, examples, a budget."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from authoring.languages import Language
from authoring.store.jobs import Job
from authoring.ui import state
from authoring.ui.model_setup import AUTHORS
from evaluator.models import BudgetLimits

EXAMPLES: Final = {
    "all": "the newest",
    "nearest": "those nearest to the data",
    "random": "a random few",
    "none": "none",
}
LANGUAGES: Final = {Language.ENGLISH.value: "English", Language.CHINESE.value: "Chinese (中文)"}
LEVELS: Final = {"easy": 3, "medium": 6, "hard": 4}
MAX_PER_LEVEL: Final = 40
BUDGET: Final = {
    "tokens": ("Tokens at most", "Prompts and answers together."),
    "cost": ("Money at most", "In the currency of the model's price."),
    "minutes": ("Minutes at most", "After them no request begins."),
}


def draw_author_options(key: str, *, mix: bool = False, examples: bool = True, model: bool = True) -> None:
    """Draw the wishes for an author; they reach a model, the template author needs none of them."""
    key, earlier = _place(key), _earlier(key)
    with _box(earlier):
        if mix:
            st.caption("How many problems of each difficulty")
            with st.container(horizontal=True):
                for level, count in _mix(earlier).items():
                    st.number_input(  # a field in a closed box takes no value through the state
                        level.capitalize(), 0, MAX_PER_LEVEL, count, key=f"{key}:{level}", width=110, on_change="ignore"
                    )
        if examples:
            st.selectbox(
                "Accepted sets it is shown",
                list(EXAMPLES),
                index=_index(EXAMPLES, earlier.get("examples")),
                format_func=lambda name: EXAMPLES[name],
                key=f"{key}:examples",
                help="At most five, out of the pool on the Guide page.",
                on_change="ignore",
            )
        if model:
            st.text_input(
                "Model", str(earlier.get("model") or ""), key=f"{key}:model", placeholder="as configured",
                on_change="ignore", help="Another model of the same endpoint, by its name there.",
            )  # fmt: skip
        draw_budget(key, BudgetLimits.from_json(earlier.get("budget")))


def fill_author(job: Job) -> None:
    """Fill author, name and wishes of the form whose key a job has; only from a callback."""
    key = str(job.key)
    state.put_widget_value(f"{key}:author", job.payload.get("author") or AUTHORS[0])
    state.replace_text(f"{key}:name", str(job.payload.get("name") or ""))
    _fill_wishes(key, job.id, job.payload if job.payload.get("author") == "model" else {})


def _fill_wishes(key: str, job_id: int, ordered: Mapping[str, Any]) -> None:
    """Let the wishes of a form begin with those that a job was ordered with.

    The fields get other keys, so that they begin anew, and stand open: a field in a closed box takes no value through
    the state.
    """
    state.remember(f"{key}:options", (job_id, dict(ordered)))


def _box(earlier: Mapping[str, Any]) -> DeltaGenerator:
    """Return where the wishes stand: in a box to open, or open where they begin with those of an earlier order."""
    return st.container(border=True, width=480) if earlier else st.popover("For a model", icon=":material/tune:")


def _place(key: str) -> str:
    """Return what the keys of a form's wishes begin with."""
    job_id, _ = state.recall(f"{key}:options", (None, {}))
    return key if job_id is None else f"{key}:again:{job_id}"


def _earlier(key: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = state.recall(f"{key}:options", (None, {}))[1]
    return found


def _mix(earlier: Mapping[str, Any]) -> dict[str, int]:
    """Return how many problems of each difficulty a form begins with."""
    given = dict(part.split("=", 1) for part in str(earlier.get("mix") or "").split(",") if "=" in part)
    return {level: _whole(given.get(level), 0 if given else count) for level, count in LEVELS.items()}


def _whole(text: str | None, otherwise: int) -> int:
    return min(int(text), MAX_PER_LEVEL) if text and text.isascii() and text.isdigit() else otherwise


def _index(options: Mapping[str, Any], wanted: object) -> int:
    return list(options).index(str(wanted)) if wanted in options else 0


def draw_language(key: str) -> None:
    """Draw the choice of the language that queries are written in."""
    st.selectbox(
        "Language of the queries",
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key=f"{key}:language",
        width=180,
        help="Names of columns and variables, values and code stay as they are.",
        persist_state="session",
        on_change="ignore",
    )


def language_of(key: str) -> str:
    """Return the chosen language's code."""
    return str(state.widget_value(f"{key}:language") or Language.ENGLISH.value)


def draw_name(key: str, otherwise: str) -> None:
    """Draw the field for the name of what is made."""
    st.text_input("Name", key=f"{key}:name", placeholder=otherwise, width=200, on_change="ignore")


def name_of(key: str) -> str | None:
    """Return the name that was typed; None: none."""
    return str(state.widget_value(f"{key}:name") or "").strip() or None


def draw_budget(key: str, earlier: BudgetLimits | None = None) -> None:
    """Draw the limits of what a job may ask of a model.

    Args:
        key: Begins the fields' keys.
        earlier: What the fields show first; None: no limit.
    """
    begin = earlier.to_json() if earlier is not None else {}
    for name, (title, about) in BUDGET.items():
        if begin.get(name) is not None:
            number = int if name == "tokens" else float
            state.start_widget_value(f"{key}:budget:{name}", number(begin[name]))
        st.number_input(
            title,
            min_value=0 if name == "tokens" else 0.0,
            value=None,
            key=f"{key}:budget:{name}",
            placeholder="no limit",
            help=about,
            on_change="ignore",
            persist_state="session",
        )


def budget_of(key: str) -> dict[str, Any] | None:
    """Return the limits that were set; None: no limit at all."""
    limits = {name: state.widget_value(f"{key}:budget:{name}") for name in BUDGET}
    return limits if any(limit is not None for limit in limits.values()) else None


def author_options_of(key: str, *, mix: bool = False) -> dict[str, Any]:
    """Return the wishes as fields of a job's payload.

    Raises:
        UsageError: If the mix asks for nothing, or for too much.
    """
    key, begin = _place(key), _mix(_earlier(key))
    wanted: dict[str, Any] = {"examples": str(state.widget_value(f"{key}:examples") or "all")}
    budget, model = budget_of(key), str(state.widget_value(f"{key}:model") or "").strip()
    if budget is not None:
        wanted["budget"] = budget
    if model:
        wanted["model"] = model
    if mix:
        counts = {level: int(state.widget_value(f"{key}:{level}", count) or 0) for level, count in begin.items()}
        wanted["mix"] = ",".join(f"{level}={count}" for level, count in counts.items())
        _check_mix(wanted["mix"])
    return wanted


def _check_mix(mix: str) -> None:
    from authoring.drafting.sketching import read_mix  # heavy, and needed only here

    read_mix(mix)
