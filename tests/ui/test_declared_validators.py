"""The settings of validators are declared once: lint, completion, the form, the prompt and the docs follow."""

import re
from pathlib import Path

import pytest

from authoring.drafting.model_draft import language_block
from authoring.prompting.prompts import PromptBook
from authoring.ui.editor.draft_view import SETTING_WORDS
from authoring.ui.editor.validators.validator_building import PARTS, VARIABLES, fields_of, validator_summaries
from evaluator.language import MATCHER_OPTIONS, VALIDATOR_SCHEMAS, OptionKind, ValidatorShape, parse_problemset
from evaluator.language.validators.schemas import ValidatorSchema

SCORED = list(VALIDATOR_SCHEMAS.values())
DSEAL = Path(__file__).parents[2] / "docs" / "dseal.md"


def test_enough_is_declared() -> None:
    assert len(SCORED) >= 9
    assert len(MATCHER_OPTIONS) >= 14
    assert sum(len(schema.options) for schema in SCORED) >= 29


@pytest.mark.parametrize("schema", SCORED, ids=lambda schema: schema.name)
def test_each_setting_is_offered_completed_and_described(schema: ValidatorSchema) -> None:
    assert validator_summaries(None)[schema.name] == schema.summary
    assert schema.name in SETTING_WORDS
    shown = {field.name.partition(":")[0]: field for field in fields_of(schema.name, None)}
    declared = MATCHER_OPTIONS if schema.shape is ValidatorShape.VARIABLES else schema.options
    assert set(shown) - {PARTS, VARIABLES} == set(declared)
    for name, option in declared.items():
        assert shown[name].required == option.required
        assert option.kind is OptionKind.JUDGEMENTS or shown[name].summary == option.summary
        assert name in SETTING_WORDS
        assert re.search(rf"\b{name}\b", DSEAL.read_text(encoding="utf-8")), "the docs tell of it"
    assert f"`{schema.name}`" in DSEAL.read_text(encoding="utf-8")


@pytest.mark.parametrize("schema", SCORED, ids=lambda schema: schema.name)
def test_lint_knows_each_setting_and_no_other(schema: ValidatorSchema) -> None:
    below = "x: {nonsense: 1}" if schema.shape is ValidatorShape.VARIABLES else "nonsense: 1"
    found = parse_problemset(
        f'# %%\n"""\nquery: q\nvalidator:\n  {schema.name}: {{{below}}}\n"""\nx = 1\n', name="s"
    ).diagnostics
    assert any("nonsense" in each.what for each in found) or schema.name in ("crash", "stream")
    declared = MATCHER_OPTIONS if schema.shape is ValidatorShape.VARIABLES else schema.options
    for name in declared:
        line = f"x: {{{name}: 1}}" if schema.shape is ValidatorShape.VARIABLES else f"{name}: 1"
        text = f'# %%\n"""\nquery: q\nvalidator:\n  {schema.name}: {{{line}}}\n"""\nx = 1\n'
        assert not [each for each in parse_problemset(text, name="s").diagnostics if each.code == "unknown-option"]


def test_the_prompt_names_what_exists() -> None:
    text = language_block(PromptBook()).text
    allowed = re.search(r"Validators that may be used: (.*)\. No others", text)
    assert allowed is not None
    named = set(re.findall(r"[a-z_]+", allowed[1]))
    assert named <= set(VALIDATOR_SCHEMAS)
    assert len(named) >= 5
    options = set(re.findall(r"\{([a-z_]+): (?:true|false)\}", text))
    assert {"ignore_order", "ignore_index"} <= options <= set(MATCHER_OPTIONS)
