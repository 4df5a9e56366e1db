"""A model is told the syntax of every validator and option; each example is a real problem that is executed."""

import pytest

from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.prompting.blocks import BLOCKS
from authoring.prompting.prompts import shipped_prompt
from authoring.prompting.tokens import estimate_tokens
from authoring.prompting.validator_syntax import syntax_examples, syntax_text
from evaluator.language import (
    EQUALITY_LINES,
    MATCHER_OPTIONS,
    TEMPLATES,
    VALIDATOR_SCHEMAS,
    Problem,
    Problemset,
    parse_problemset,
)
from evaluator.running.plan import modules_to_preload
from evaluator.scoring import Verdict
from evaluator.session import Engine, own_environment

SCORED = list(VALIDATOR_SCHEMAS.values())
SUBJECTS = [schema.name for schema in SCORED]
SUBJECTS += [f"{schema.name}.{option}" for schema in SCORED for option in schema.options]
WARNED = {"guessable-type-only"}  # `type_only` is warned of wherever it stands


def examples() -> Problemset:
    parsed = parse_problemset(shipped_prompt("validators").text, name="validators")
    assert {found.code for found in parsed.diagnostics} == WARNED
    assert parsed.problemset is not None
    return parsed.problemset


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_validator_and_every_option_has_an_example_that_shows_it(subject: str) -> None:
    example = syntax_examples()[subject]
    validator, _, option = subject.partition(".")
    assert f"{validator}:" in example.settings
    assert f"{option or validator}:" in example.settings
    assert example.when


def test_examples_are_about_nothing_else_and_each_matcher_option_has_its_own() -> None:
    assert set(syntax_examples()) == set(SUBJECTS)
    own = [syntax_examples()[f"result.{option}"] for option in MATCHER_OPTIONS]
    assert len(set(own)) == len(MATCHER_OPTIONS)
    assert all(example.subjects == (f"result.{option}",) for option, example in zip(MATCHER_OPTIONS, own, strict=True))


def test_the_text_names_every_validator_option_template_and_line_with_kind_and_example_once() -> None:
    text = syntax_text()
    for schema in SCORED:
        assert f"`{schema.name}`: {schema.summary}" in text
        for name, option in schema.options.items():
            assert f"- `{name}` ({option.kind.value}" in text
            assert option.summary in text
    for example in set(syntax_examples().values()):
        assert text.count(example.settings.replace("\n", "\n  ")) == 1
    assert all(f"{name} = " in text for name in TEMPLATES)
    assert all(f"- `{name}`: {line.what}" in text for name, line in EQUALITY_LINES.items())


def test_the_format_leaves_room_in_its_budget() -> None:
    assert estimate_tokens(syntax_text()) < 0.8 * BLOCKS["format"].tokens


def test_every_example_passes_its_own_validators_and_an_empty_answer_fails() -> None:
    problemset = examples()
    preload = (*modules_to_preload((problemset,), own_environment()), "matplotlib.pyplot", "seaborn")
    with Engine(trusted=True, preload=preload) as engine:  # no time limit pays for an import on a busy machine
        executed = execute_cells(engine, problemset, None)
    assert len(executed.problems) == sum(isinstance(cell, Problem) for cell in problemset.cells) == 28
    for cell in executed.problems:
        assert cell.reference is not None
        assert cell.empty is not None
        assert cell.reference.verdict is Verdict.CORRECT, (cell.line, cell.reference.reason)
        assert cell.empty.verdict is not Verdict.CORRECT, cell.line
