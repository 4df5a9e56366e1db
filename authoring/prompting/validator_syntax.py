"""The syntax of every validator and option, as a model is told it: from the schemas, with an example each.

The examples are a problemset of their own, `prompt_files/validators.md`. A problem's `tags` name what it shows: a
validator (`stream`), or an option of one (`result.rtol`); its `notes` say when that is the thing to write.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from authoring.prompting.prompts import shipped_prompt
from evaluator.language import (
    EQUALITY_LINES,
    MATCHER_OPTIONS,
    TEMPLATES,
    VALIDATOR_SCHEMAS,
    OptionKind,
    OptionSchema,
    Problem,
    ValidatorSchema,
    ValidatorShape,
    changed_settings,
    parse_problemset,
    problem_settings_yaml,
)

EXAMPLES: Final = "validators"  # the prompt file with the examples
_JUDGED: Final = {"correct": "correct", "presentation": "nearly right", "wrong": "wrong"}


@dataclass(frozen=True)
class SyntaxExample:
    """Settings of a problem that show one or several options."""

    subjects: tuple[str, ...]  # "stream", "result.rtol"
    settings: str  # YAML
    when: str  # to write it


@cache
def syntax_examples() -> Mapping[str, SyntaxExample]:
    """Return the examples by what they show."""
    parsed = parse_problemset(shipped_prompt(EXAMPLES).text, name=EXAMPLES).problemset
    assert parsed is not None, "a shipped file that tests parse"
    examples = [_example(problem) for problem in parsed.problems]
    return {subject: example for example in examples for subject in example.subjects}


def syntax_text() -> str:
    """Return the part of the format's description that tells which validators and options there are."""
    parts = [f"{', '.join(sorted(VALIDATOR_SCHEMAS))}. No others.", _templates_text()]
    printed: set[SyntaxExample] = set()
    parts += [_schema_text(schema, printed) for schema in VALIDATOR_SCHEMAS.values()]
    return "\n\n".join([*parts, _equality_text()])


def _example(problem: Problem) -> SyntaxExample:
    settings = problem_settings_yaml(problem)
    for key in {*problem.metadata, "execution"}:
        settings = changed_settings(settings, key, None)
    return SyntaxExample(tuple(problem.metadata["tags"]), settings.strip(), str(problem.metadata["notes"]))


def _templates_text() -> str:
    listed = "; ".join(f"{name} = {' + '.join(parts) or 'nothing'}" for name, parts in TEMPLATES.items())
    return (
        f"A mapping of validators is merged over a `template`: {listed}. Unless a problem says otherwise it is"
        " comparison. So where the answer is a variable or a function, write `template: intact` beside its validator:"
        " then the last expression does not count."
    )


def _schema_text(schema: ValidatorSchema, printed: set[SyntaxExample]) -> str:
    """Return a validator with its options, below each the example that shows it; `printed` are not shown again."""
    lines = [f"`{schema.name}`: {schema.summary}{_below(schema)}", *_example_lines(schema.name, printed)]
    for name, option in schema.options.items():
        lines += [f"- `{name}` ({_kind(option)}): {option.summary}", *_example_lines(f"{schema.name}.{name}", printed)]
    return "\n".join(lines)


def _example_lines(subject: str, printed: set[SyntaxExample]) -> list[str]:
    example = syntax_examples().get(subject)
    if example is None or example in printed:
        return []
    printed.add(example)
    shown = example.settings.replace("\n", "\n  ")
    return [f"  ({example.when})\n  {shown}"]


def _below(schema: ValidatorSchema) -> str:
    if schema.shape is ValidatorShape.VARIABLES:
        return f"; below it stand names, each with nothing or with options of `result`: {', '.join(MATCHER_OPTIONS)}"
    return "; below it stand validators" if schema.shape is ValidatorShape.VALIDATORS else ""


def _kind(option: OptionSchema) -> str:
    kind = option.kind.value
    if option.kind is OptionKind.CHOICES:
        kind = f"{kind}: {', '.join(option.choices)}"
    if option.required:
        return f"{kind}; needed"
    default = ", ".join(option.default) if isinstance(option.default, tuple) else str(option.default).lower()
    return kind if option.default is None else f"{kind}; {default} unless written"


def _equality_text() -> str:
    return "\n".join(["Lines of the table of equality, and what each difference is judged as:", *_equality_lines()])


def _equality_lines() -> Iterator[str]:
    for name, line in EQUALITY_LINES.items():
        yield f"- `{name}`: {line.what} ({_JUDGED[line.judged]})"
