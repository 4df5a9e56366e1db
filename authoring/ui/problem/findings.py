"""What each validator answered about one submission."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from authoring.ui.wording import label
from evaluator.reporting import validator_answers

MAX_ANSWERS: Final = 100


def draw_findings(validation: Mapping[str, Any] | None) -> None:
    """Draw a findings tree as a table; nothing where nothing was compared."""
    answers = validator_answers(validation)
    if answers:
        rows = [
            {"Validator": label(each.name), "Answer": label(each.answer), "Reason": label(each.reason, limit=600)}
            for each in answers[:MAX_ANSWERS]
        ]
        st.table(rows, border="horizontal")
