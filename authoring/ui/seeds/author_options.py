"""What a person can ask of an author beyond the button: difficulties, examples, a budget."""

from typing import Any, Final

import streamlit as st

from authoring.languages import Language
from authoring.ui import state
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
    with st.popover("For a model", icon=":material/tune:"):
        if mix:
            st.caption("How many problems of each difficulty")
            with st.container(horizontal=True):
                for level, count in LEVELS.items():
                    st.number_input(  # a field in a closed box takes no value through the state
                        level.capitalize(), 0, MAX_PER_LEVEL, count, key=f"{key}:{level}", width=110, on_change="ignore"
                    )
        if examples:
            st.selectbox(
                "Accepted sets it is shown",
                list(EXAMPLES),
                format_func=lambda name: EXAMPLES[name],
                key=f"{key}:examples",
                help="At most five, out of the pool on the Guide page.",
                on_change="ignore",
            )
        if model:
            st.text_input(
                "Model", key=f"{key}:model", placeholder="as configured", on_change="ignore",
                help="Another model of the same endpoint, by its name there.",
            )  # fmt: skip
        draw_budget(key)


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
    wanted: dict[str, Any] = {"examples": str(state.widget_value(f"{key}:examples") or "all")}
    budget, model = budget_of(key), str(state.widget_value(f"{key}:model") or "").strip()
    if budget is not None:
        wanted["budget"] = budget
    if model:
        wanted["model"] = model
    if mix:
        counts = {level: int(state.widget_value(f"{key}:{level}", count) or 0) for level, count in LEVELS.items()}
        wanted["mix"] = ",".join(f"{level}={count}" for level, count in counts.items())
        _check_mix(wanted["mix"])
    return wanted


def _check_mix(mix: str) -> None:
    from authoring.drafting.sketching import read_mix  # heavy, and needed only here

    read_mix(mix)
