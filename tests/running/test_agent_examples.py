"""The examples that `chat` shows are true: executed, each leaves and does what it says."""

import pytest

from evaluator.agents.model_agents.shots import Repair, Shot, load_repairs, load_shots
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, parse_encoding

LIMITS = CellLimits(wall_s=60)


@pytest.mark.deep
def test_our_examples_are_true(engine: Engine) -> None:
    examples: list[Shot | Repair] = [*load_shots("shipped"), *load_repairs()]
    assert len(examples) == 11
    for number, example in enumerate(examples):
        session = engine.open(key=f"example {number}", inputs=None)
        try:
            for cell in example.cells:
                assert session.execute(cell, limits=LIMITS).ending is Ending.OK
            seen = session.attempt("", capture=CaptureSpec(encoding=parse_encoding("coml")), limits=LIMITS)
            assert {each.name: each.text for each in seen.variables} == dict(example.variables), example.query
            for code in filter(None, right_codes(example)):
                outcome = session.attempt(code, limits=LIMITS)
                assert outcome.ending is Ending.OK, (example.query, outcome.error)
            if isinstance(example, Repair):
                first = session.attempt(example.code, limits=LIMITS)
                assert (first.ending is Ending.ERROR) == (example.rounds[0].error is not None), example.query
        finally:
            session.close()


def right_codes(example: Shot | Repair) -> list[str]:
    if isinstance(example, Repair):
        return [each.code for each in example.rounds]
    return [example.code, example.code_without_rule]
