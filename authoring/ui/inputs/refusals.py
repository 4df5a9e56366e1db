"""Why a form was refused: told at the form, until what it holds changes, it is sent again or its page is left."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from authoring.ui import state
from authoring.ui.boundary import show_message
from evaluator.errors import ToolkitError


@contextmanager
def told_at(form: str, *, so: str = "") -> Iterator[None]:
    """Keep what refuses a form, to be told there; only in the callback that sends it.

    Args:
        form: What the keys of its fields begin with.
        so: What did not happen, before the reason.
    """
    state.keep_refusal(form, None)
    try:
        yield
    except ToolkitError as error:
        what = f"{so}: {error.what}" if so else error.what
        state.keep_refusal(form, state.Notice("error", what, error.where, error.fix))


def draw_refusal(form: str) -> None:
    """Draw why the form was refused, if it was and still holds what it held then."""
    with st.container():  # always there: what comes and goes must not move what stands below it
        if (refused := state.refusal_of(form)) is not None:
            show_message(refused)
