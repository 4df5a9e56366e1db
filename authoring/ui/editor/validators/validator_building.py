"""Validators put together from a form: what its fields mean, and the settings that they make. Pure: no Streamlit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from authoring.ui.editor.draft_view import DraftView, known_words
from evaluator.errors import ContentError
from evaluator.language import (
    JUDGEMENTS,
    MATCHER_OPTIONS,
    TEMPLATES,
    VALIDATOR_SCHEMAS,
    OptionKind,
    OptionSchema,
    OwnValidators,
    ValidatorShape,
    changed_part,
    names_read_and_written,
    read_yaml,
)
from evaluator.language.document_cells import DocumentCell

EVERY: Final = "every variable"
NONE: Final = "no variable"
PARTS: Final = "parts"  # the field of `or` and `and`
VARIABLES: Final = "variables"  # the field of `namespace_check`
_JOINABLE: Final = tuple(
    name
    for name, schema in VALIDATOR_SCHEMAS.items()
    if schema.shape is ValidatorShape.OPTIONS and not any(each.required for each in schema.options.values())
)
TEMPLATE_WORDS: Final = {name: ", ".join(parts) or "nothing" for name, parts in TEMPLATES.items()}


@dataclass(frozen=True)
class FormField:
    """One field of a validator's form."""

    name: str
    kind: OptionKind
    summary: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    defines: str = ""
    wanted: str = ""  # what to write, where that is a text

    @property
    def is_list(self) -> bool:
        """Whether it takes several names at once."""
        kinds = (OptionKind.FLAG_OR_NAMES, OptionKind.CHOICES, OptionKind.JUDGEMENTS)
        return self.name in (PARTS, VARIABLES) or self.kind in kinds

    @property
    def is_open(self) -> bool:
        """Whether it is neither true nor false until somebody says so."""
        return self.kind is OptionKind.FLAG and self.default is None


def validator_summaries(own: OwnValidators | None) -> dict[str, str]:
    """Return the validators that can be built, each with what it compares; the workspace's own ones first."""
    listed = own.validators.items() if own is not None else ()
    mine = {name: each.summary or "a validator of this workspace" for name, each in listed}
    return mine | {name: schema.summary for name, schema in VALIDATOR_SCHEMAS.items()}


def fields_of(name: str, own: OwnValidators | None) -> tuple[FormField, ...]:
    """Return the fields of a validator's form."""
    if own is not None and name in own.validators:
        options = own.validators[name].options.items()
        listed = "the variables whose values it gets"
        return (
            FormField(VARIABLES, OptionKind.NAME, listed),
            *(
                FormField(each, OptionKind.MATCHER, "an option of it", required=needed, wanted="a value in YAML")
                for each, needed in options
            ),
        )
    schema = VALIDATOR_SCHEMAS[name]
    if schema.shape is ValidatorShape.VALIDATORS:
        return (FormField(PARTS, OptionKind.CHOICES, "of which validators", required=True, choices=_JOINABLE),)
    if schema.shape is ValidatorShape.VARIABLES:
        names = FormField(VARIABLES, OptionKind.NAME, "which variables it compares", required=True)
        return (names, *_fields(MATCHER_OPTIONS))
    return _fields(schema.options)


def _fields(options: Mapping[str, OptionSchema]) -> tuple[FormField, ...]:
    """Return one field for each option, and one for each judgement where lines of the table are judged."""
    found: list[FormField] = []
    for name, option in options.items():
        if option.kind is OptionKind.JUDGEMENTS:
            about = "lines of the table of equality that make an answer {} (sound rules)"
            words = {"correct": "no less right", "presentation": "a presentation error", "wrong": "wrong"}
            found += [
                FormField(f"{name}: {each}", option.kind, about.format(words[each]), choices=option.choices)
                for each in JUDGEMENTS
            ]
        else:
            found.append(_field(name, option))
    return tuple(found)


def _field(name: str, schema: OptionSchema) -> FormField:
    kind = OptionKind.CODE if name == "compare_fn" else schema.kind
    default, defines = schema.default, schema.defines
    return FormField(name, kind, schema.summary, default, schema.required, schema.choices, defines, kind.value)


def options_from(name: str, filled: Mapping[str, Any], own: OwnValidators | None) -> Any:
    """Return what the settings hold below a validator's name; None: nothing but the name.

    Args:
        name: The validator.
        filled: What the form's fields hold, by name.
        own: The workspace's validators.

    Raises:
        ContentError: If a field that must be filled is empty, or its text cannot be read.
    """
    values: dict[str, Any] = {}
    for field in fields_of(name, own):
        value = _value(field, filled.get(field.name))
        if value is None and field.required:
            raise ContentError(f"{field.name} is needed", where=name, fix=f"give {field.summary}")
        if value is not None and value != field.default:
            values[field.name] = value
    values = _with_judgements(values)
    mine = own is not None and name in own.validators
    shape = VALIDATOR_SCHEMAS[name].shape if not mine else ValidatorShape.OPTIONS
    if shape is ValidatorShape.VALIDATORS:
        parts = values[PARTS]
        return dict.fromkeys([parts] if isinstance(parts, str) else parts)
    if shape is ValidatorShape.VARIABLES:
        variables = values.pop(VARIABLES)
        return {variable: dict(values) or None for variable in variables}
    return values or None


def _with_judgements(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with the lines of all judgements below one option."""
    joined: dict[str, Any] = {}
    for name, value in values.items():
        option, _, judgement = name.partition(": ")
        if not judgement:
            joined[name] = value
            continue
        lines = joined.setdefault(option, {})
        twice = next((line for line in value if line in lines), None)
        if twice is not None:
            what = f"the line {twice} is judged both {lines[twice]} and {judgement}"
            raise ContentError(what, where=option, fix="leave it in one of the two fields")
        lines.update(dict.fromkeys(value, judgement))
    return joined


def _value(field: FormField, raw: Any) -> Any:
    if field.name == VARIABLES:
        return [str(name) for name in raw or ()] or None
    match field.kind:
        case OptionKind.FLAG:
            return bool(raw) if raw is not None and (raw or field.is_open) else None
        case OptionKind.NUMBER:
            return None if raw is None else (int(raw) if float(raw).is_integer() else float(raw))
        case OptionKind.FLAG_OR_NAMES:
            return _flag_or_names(list(raw or ()))
        case OptionKind.JUDGEMENTS:
            return [str(each) for each in raw or ()] or None
        case OptionKind.CHOICES:
            chosen = [str(each) for each in raw or ()]
            return (chosen[0] if len(chosen) == 1 else chosen) or None
        case OptionKind.NAME | OptionKind.DOTTED_NAME:
            return str(raw).strip() or None if raw else None
        case OptionKind.CODE:
            return f"{str(raw).strip()}\n" if str(raw or "").strip() else None
        case _:
            return _written(field, str(raw or "").strip())


def _flag_or_names(chosen: Sequence[str]) -> Any:
    if not chosen:
        return None
    if EVERY in chosen or NONE in chosen:
        return EVERY in chosen
    return [str(each) for each in chosen]


def _written(field: FormField, text: str) -> Any:
    """Read a value that people write as YAML, or as code where the option takes code."""
    if not text:
        return None
    if field.defines and f"def {field.defines}" in text:
        return f"{text}\n"
    indented = "\n".join(f"  {line}" for line in text.split("\n"))
    document = read_yaml(f"value:\n{indented}\n")
    if not document.is_readable or document.faults or not isinstance(document.value, Mapping):
        what = document.faults[0].what if document.faults else "it is no YAML"
        raise ContentError(f"{field.name} cannot be read: {what}", where=field.name, fix=f"write {field.wanted}")
    return document.value["value"]


def with_validator(settings: str, name: str, options: Any) -> str:
    """Return settings with a validator added; one of that name is replaced.

    Raises:
        ContentError: If the settings cannot be read.
    """
    return changed_part(settings, "validator", name, options)


def without_validator(settings: str, name: str) -> str:
    """Return settings without a validator.

    Raises:
        ContentError: If the settings cannot be read.
    """
    return changed_part(settings, "validator", name, None, drop=True)


def written_validators(settings: str) -> dict[str, Any]:
    """Return the validators that settings name, `template` included; nothing where they cannot be read."""
    value = read_yaml(settings).value
    written = value.get("validator") if isinstance(value, Mapping) else None
    return {str(name): each for name, each in written.items()} if isinstance(written, Mapping) else {}


def names_on(draft: DraftView, cell: DocumentCell) -> list[str]:
    """Return the variables that a validator may name: those that the cell makes, then those of earlier cells."""
    made = [name for name in names_read_and_written(draft.value(cell, "code")).writes if not name.startswith("_")]
    return list(dict.fromkeys([*sorted(made), *known_words(draft, cell)["code"]]))
