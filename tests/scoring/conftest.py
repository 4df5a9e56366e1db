"""A factory of findings."""

from collections.abc import Callable
from typing import Any

import pytest

Node = dict[str, Any]


@pytest.fixture
def node() -> Callable[..., Node]:
    """Make one node of a raw findings tree; the answer of `and`, `or` and `namespace_check` follows their parts."""

    def make(validator: str, answer: str = "", cause: str | None = None, *children: Node, **more: Any) -> Node:
        answers = [child["answer"] for child in children]
        order = ["yes", "partial", "no"]
        if not answer:
            pick = min if validator == "or" else max
            answer = pick(answers, key=order.index, default="yes")
        raw = {"validator": validator, "answer": answer, "cause": cause, "loose_cause": None, "reason": "because"}
        return {**raw, "variable": None, "children": list(children), "score": None, **more}

    return make
