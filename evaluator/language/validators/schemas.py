"""What validators exist, under which names they are read, and which options each takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from evaluator.language.validators.equality_lines import EQUALITY_LINES


class OptionKind(StrEnum):
    """What may stand as the value of an option."""

    FLAG = "true or false"
    NUMBER = "a number"
    NAME = "the name of a variable"
    DOTTED_NAME = "the name of a variable, maybe with attributes after dots"
    FLAG_OR_NAMES = "true, false or a list of variable names"
    CODE = "Python code"
    MATCHER = "a mapping of matcher options, Python code, or nothing"
    MATCHER_OR_FALSE = "a mapping of matcher options, Python code, false, or nothing"
    CASES = "a list of test cases"
    CHOICES = "one of the known words, or a list of them"
    NUMBERS = "a number or a list of numbers"
    TEXT = "a text or a number"
    JUDGEMENTS = "a mapping from lines of the table of equality to correct, presentation or wrong"


@dataclass(frozen=True)
class OptionSchema:
    """One option of a validator."""

    kind: OptionKind
    summary: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()  # for CHOICES
    defines: str = ""  # for CODE and MATCHER: the function that the code must define


class ValidatorShape(StrEnum):
    """What the mapping below a validator's name holds."""

    OPTIONS = "options"
    VARIABLES = "variables"  # variable name -> matcher
    VALIDATORS = "validators"  # validator name -> its mapping


@dataclass(frozen=True)
class ValidatorSchema:
    """A validator as authors write it."""

    name: str
    summary: str
    aliases: tuple[str, ...] = ()
    options: Mapping[str, OptionSchema] = field(default_factory=dict)
    shape: ValidatorShape = ValidatorShape.OPTIONS
    takes_code: bool = False  # `name: |` with code that defines compare_fn
    graded: bool = False  # gives a score beside its answer, which is yes from `pass_at` on


def _flag(summary: str, default: bool | None = False) -> OptionSchema:
    return OptionSchema(OptionKind.FLAG, summary, default)


MATCHER_OPTIONS: Mapping[str, OptionSchema] = MappingProxyType(
    {
        "ignore_order": _flag("rows or elements in any order"),
        "ignore_index": _flag("the index of a frame or series does not count; values of a mapping in order"),
        "ignore_names": _flag("labels of columns do not count; false: names of index and series count, too", None),
        "ignore_dtypes": _flag("values are cast to the expected dtypes first; false: dtypes count", None),
        "match_partial": _flag("the expected value may be a part of the found one"),
        "type_only": _flag("only the exact type counts"),
        "value_only": _flag("containers, arrays and frames compare as nested lists"),
        "strict_type": _flag("types count: of arrays, columns and single values"),
        "deep": _flag("with ignore_order: at every level, not the outermost only (sound rules)"),
        "equality": OptionSchema(
            OptionKind.JUDGEMENTS,
            "lines of the table of equality, judged otherwise (sound rules)",
            choices=tuple(name for name, line in EQUALITY_LINES.items() if not line.is_fixed),
        ),
        "atol": OptionSchema(OptionKind.NUMBER, "absolute tolerance of numbers", 1e-8),
        "rtol": OptionSchema(OptionKind.NUMBER, "relative tolerance of numbers (a fraction)", 1e-5),
        "metrictol": OptionSchema(OptionKind.NUMBER, "found must be at least expected times this"),
        "compare_fn": OptionSchema(OptionKind.MATCHER, "options, or code of a function", defines="compare_fn"),
    }
)
SOUND_OPTIONS = frozenset({"deep", "equality"})
"""Matcher options that the published rules do not know."""
TEMPLATES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "comparison": ("crash", "namespace_intact", "result"),
        "intact": ("crash", "namespace_intact"),
        "basic": ("crash",),
        "empty": (),
    }
)
DEFAULT_TEMPLATE = "comparison"
LOSSES = frozenset({"mse", "rmse"})
"""Metrics of which less is better; of all others more is."""
METRICS = ("accuracy", "precision", "recall", "f1", "roc_auc", "r2", "mse", "rmse")
_ALLOWED = "only what the reference did too, unless set"

FIGURE_FACTS = ("data", "scales", "labels")
"""What of a figure can be asked to agree, beside its likeness."""
DEFAULT_FACTS = ("data", "scales")
JUDGE_SCALES = ("ten", "right_wrong")
"""Marks from 1 to 10 (CIBench), or one of two words (the Qwen benchmark)."""
PASS_AT: Mapping[str, float] = MappingProxyType(
    {"numeric": 1.0, "text": 0.9, "visual": 0.9, "judge": 0.6, "final_answer": 1.0}
)
"""From which score on graded validators answer yes, unless a problem says otherwise."""


def _pass_at(name: str) -> OptionSchema:
    return OptionSchema(OptionKind.NUMBER, "the score from which on the answer is yes (at most 1)", PASS_AT[name])


_SCHEMAS = (
    ValidatorSchema("crash", "the cell must not raise", aliases=("error",)),
    ValidatorSchema(
        "result",
        "the value of the cell's last expression",
        aliases=("execute_result",),
        options=MATCHER_OPTIONS,
        takes_code=True,
    ),
    ValidatorSchema("namespace_check", "variables after the cell", shape=ValidatorShape.VARIABLES),
    ValidatorSchema(
        "namespace_intact",
        "nothing but what the reference touches may change",
        options=MappingProxyType(
            {
                "addition": OptionSchema(OptionKind.FLAG_OR_NAMES, "variables that may be added", True),
                "update": OptionSchema(OptionKind.FLAG_OR_NAMES, f"variables that may be updated: {_ALLOWED}"),
                "replacement": OptionSchema(OptionKind.FLAG_OR_NAMES, f"variables that may be replaced: {_ALLOWED}"),
                "deletion": OptionSchema(OptionKind.FLAG_OR_NAMES, f"variables that may be deleted: {_ALLOWED}"),
                "treat_replacement_as_update": _flag("replaced counts as updated, unless `replacement` is set", None),
            }
        ),
    ),
    ValidatorSchema(
        "table_test",
        "unit tests of a function",
        options=MappingProxyType(
            {
                "function_name": OptionSchema(OptionKind.DOTTED_NAME, "the function or method", required=True),
                "test_cases": OptionSchema(OptionKind.CASES, "arguments of each case", required=True),
                "input_validator": OptionSchema(OptionKind.CODE, "accepts every case", defines="_validate"),
                "input_checker": OptionSchema(
                    OptionKind.MATCHER_OR_FALSE, "compares the arguments after the call", defines="compare_fn"
                ),
                "output_checker": OptionSchema(OptionKind.MATCHER, "compares the outputs", defines="compare_fn"),
            }
        ),
    ),
    ValidatorSchema(
        "model",
        "a fitted model predicts as well as the reference's",
        options=MappingProxyType(
            {
                "model_name": OptionSchema(OptionKind.NAME, "the variable that holds the model", required=True),
                "inputs_name": OptionSchema(OptionKind.NAME, "the variable to predict on", required=True),
                "labels_name": OptionSchema(OptionKind.NAME, "the variable with the true labels", required=True),
                "metric_type": OptionSchema(OptionKind.CHOICES, "metrics", required=True, choices=METRICS),
                "tolerance": OptionSchema(OptionKind.NUMBERS, "fraction by which a metric may differ", 0.0),
            }
        ),
    ),
    ValidatorSchema("stream", "text written to stdout and stderr", aliases=("stream_output", "output", "console")),
    ValidatorSchema("or", "the best answer of several validators", shape=ValidatorShape.VALIDATORS),
    ValidatorSchema("and", "the worst answer of several validators", shape=ValidatorShape.VALIDATORS),
    ValidatorSchema(
        "numeric",
        "the numbers that the cell shows, in order",
        graded=True,
    ),
    ValidatorSchema(
        "text",
        "likeness of the text that the cell shows (ROUGE-1)",
        options=MappingProxyType({"pass_at": _pass_at("text")}),
        graded=True,
    ),
    ValidatorSchema(
        "visual",
        "likeness of the figure (structural similarity), and what it shows",
        options=MappingProxyType(
            {
                "pass_at": _pass_at("visual"),
                "facts": OptionSchema(
                    OptionKind.CHOICES, "what of the figure must agree", DEFAULT_FACTS, choices=FIGURE_FACTS
                ),
            }
        ),
        graded=True,
    ),
    ValidatorSchema(
        "judge",
        "a vision model looks at the figures and the query (only where a run names one)",
        options=MappingProxyType(
            {
                "pass_at": _pass_at("judge"),
                "scale": OptionSchema(OptionKind.CHOICES, "what it answers", "ten", choices=JUDGE_SCALES),
                "counts": _flag("its opinion decides; else it is told beside the verdict"),
            }
        ),
        graded=True,
    ),
    ValidatorSchema(
        "final_answer",
        "the number that the closing answer gives",
        options=MappingProxyType(
            {"expected": OptionSchema(OptionKind.TEXT, "the answer; unless given, what the reference shows")}
        ),
        graded=True,
    ),
)
VALIDATOR_SCHEMAS: Mapping[str, ValidatorSchema] = MappingProxyType({schema.name: schema for schema in _SCHEMAS})
_CANONICAL = {name: schema.name for schema in _SCHEMAS for name in (schema.name, *schema.aliases)}


def canonical_validator(name: str) -> str | None:
    """Return the one name of a validator that may be written in several ways, or None if it is unknown."""
    return _CANONICAL.get(name)


def known_validator_names() -> tuple[str, ...]:
    """Return every name that may be written, aliases included."""
    return tuple(sorted(_CANONICAL))
