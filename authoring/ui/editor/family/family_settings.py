"""What the settings of a problem say under `family`, and settings that say something else there. No Streamlit here.

Only the named fields change: whatever else a family has written stays, known or not.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from authoring.ui.editor.draft_view import DraftView
from evaluator.errors import ContentError
from evaluator.families import cibench, qwen
from evaluator.families.cibench.problemset import usual_validator
from evaluator.families.qwen.problemset import GIVEN
from evaluator.families.qwen.records import QwenRecord
from evaluator.families.qwen.transcript import action_inputs, code_of
from evaluator.language import Problem, SetupCell, changed_part, changed_settings, read_yaml

CIBENCH: Final = cibench.FAMILY
QWEN: Final = qwen.FAMILY
FAMILY_TITLES: Final = {CIBENCH: "CIBench", QWEN: "Qwen code-interpreter benchmark"}
STEP_TYPES: Final = {
    "exec": "exec: it runs",
    "num": "num: it shows numbers",
    "text": "text: it shows words",
    "vis": "vis: it shows a figure",
}
_GRADED: Final = ("numeric", "text", "visual")  # what the types of steps are judged by
_FAMILY: Final = "family"
_FIELDS: Final = "fields"


def families_of(draft: DraftView) -> tuple[str, ...]:
    """Return the families that some problem of the set is of, as it stands on the screen."""
    settings = [draft.value(cell, "settings") for cell in draft.problems]
    written = [family_settings(each) for each in settings if _FAMILY in each]
    return tuple(name for name in FAMILY_TITLES if any(each is not None and name in each for each in written))


def family_settings(settings: str) -> dict[str, Any] | None:
    """Return what stands under `family`; None where the settings cannot be read, or it is no mapping."""
    document = read_yaml(settings)
    if not document.is_readable or document.faults:
        return None
    written = document.value.get(_FAMILY, {}) if isinstance(document.value, Mapping) else {}
    return {str(name): told for name, told in written.items()} if isinstance(written, Mapping) else None


def told_by(settings: str, family: str) -> dict[str, Any] | None:
    """Return what a family knows of a problem, empty where it knows nothing; None where it cannot be read."""
    told = (family_settings(settings) or {}).get(family, {})
    return dict(told) if isinstance(told, Mapping) and family_settings(settings) is not None else None


def with_field(settings: str, family: str, name: str, value: str) -> str:
    """Return settings in which one field of a family says something else; an empty value takes the field out.

    Raises:
        ContentError: If the settings cannot be read, or do not hold a mapping there.
    """
    told = told_by(settings, family)
    if told is None:
        raise ContentError("what stands under 'family' cannot be read", where="settings", fix="mend it first")
    return changed_part(settings, _FAMILY, family, _changed(told, name, value))


def _changed(told: Mapping[str, Any], name: str, value: str) -> dict[str, Any]:
    kept = {key: each for key, each in told.items() if key != name}
    return {**told, name: value} if value else kept


def with_qwen_field(settings: str, name: str, value: str) -> str:
    """Return settings in which a record's field says something else: tags, lang, or prefill.

    The problem's own tags, which are made of them, follow where they said the same before.

    Raises:
        ContentError: If the settings cannot be read, or do not hold a mapping there.
    """
    told = told_by(settings, QWEN)
    if told is None:
        raise ContentError("what stands under 'family' cannot be read", where="settings", fix="mend it first")
    if name == "prefill":
        made = with_field(settings, QWEN, name, value)
    else:
        fields = told.get(_FIELDS, {})
        if not isinstance(fields, Mapping):
            raise ContentError("what stands under 'fields' is no mapping", where="settings", fix="mend it first")
        made = changed_part(settings, _FAMILY, QWEN, {**told, _FIELDS: _changed(fields, name, value)})
    before, after = counted_tags(settings), counted_tags(made)
    written = _setting(settings, "tags")
    follows = before != after and [*before] == (written if isinstance(written, list) else [])
    return changed_settings(made, "tags", list(after) or None) if follows else made


def qwen_fields(settings: str) -> dict[str, str]:
    """Return tags, lang and given first action of a record as texts."""
    told = told_by(settings, QWEN) or {}
    fields = told.get(_FIELDS)
    found = {name: fields.get(name) for name in ("tags", "lang")} if isinstance(fields, Mapping) else {}
    found["prefill"] = told.get("prefill")
    return {name: "" if value is None else str(value) for name, value in found.items()}


def is_word_problem(settings: str) -> bool:
    """Return whether a record is a word problem, which has an answer and no tags."""
    fields = (told_by(settings, QWEN) or {}).get(_FIELDS)
    return isinstance(fields, Mapping) and "answer" in fields and "tags" not in fields


def counted_tags(settings: str) -> tuple[str, ...]:
    """Return the rows of the board under which the Qwen benchmark counts a problem."""
    fields = (told_by(settings, QWEN) or {}).get(_FIELDS)
    known = dict(fields) if isinstance(fields, Mapping) else {}
    key = "question" if is_word_problem(settings) else "query"
    return QwenRecord(1, {key: qwen_fields(settings).get("prefill", ""), **known}).task_tags


def first_action_code(prefill: str) -> str | None:
    """Return the code of a given first action; None where it holds no action."""
    given = action_inputs(prefill, first_only=True)
    return code_of(given[0]).strip() if given else None


def differs_from_setup(prefill: str, cells: Sequence[SetupCell | Problem]) -> bool:
    """Return whether the setup cell that runs the given first action does not hold its code."""
    code = first_action_code(prefill)
    held = [cell.source.strip() for cell in cells if isinstance(cell, SetupCell) and cell.title == GIVEN]
    return held != ([] if code is None else [code or "pass"])


def fitting_validator(settings: str, step_type: str) -> dict[str, Any] | None:
    """Return the validators that judge a step of a type as CIBench does; None where the settings do already.

    The graded validator of another type falls away, and everything else stays.
    """
    if step_type not in STEP_TYPES:
        return None
    written = _setting(settings, "validator")
    now = {str(name): options for name, options in written.items()} if isinstance(written, Mapping) else {}
    wanted = usual_validator(step_type)
    kept = {name: options for name, options in now.items() if name not in _GRADED or name in wanted}
    made = {**wanted, **kept}
    return None if made == now else made


def _setting(settings: str, key: str) -> Any:
    document = read_yaml(settings)
    return document.value.get(key) if document.is_readable and isinstance(document.value, Mapping) else None
