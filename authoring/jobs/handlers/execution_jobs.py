"""Jobs that execute or check one text, saved or not: the Run and Check buttons of the editor."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import SET_WORKERS, job
from authoring.jobs.payloads import Payload, Text
from authoring.store import problemsets, revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.revisions import text_digest
from authoring.store.settings import workspace_validators
from evaluator.language import OwnValidators, parse_problemset
from evaluator.language.document import Document

MAX_OUTPUT_CHARS: Final = 5_000_000
MAX_RESULT_CHARS: Final = 40_000_000  # of all outputs of a job together


class OfText(Payload):
    """A text of a problemset, saved or not."""

    problemset_id: int
    text: Text | None = None  # the whole set as it stands in the editor
    revision_id: int | None = None  # where there is no text; None: the head


class ExecuteOrder(OfText):
    """Cells to execute."""

    upto: int | None = None  # number of the last problem, from 1; None: every cell
    first: int | None = None  # of the problems that are judged; None: 1
    digests: dict[str, str] = Field(default_factory=dict)  # of each cell, for the screen that ordered it


@job("execute", title="Run cells", lane="interactive", payload=ExecuteOrder, roles=SET_WORKERS)
def execute(context: JobContext, payload: ExecuteOrder) -> dict[str, Any]:
    """Execute the cells of a problemset up to a problem and judge each reference against itself.

    Returns:
        `cells` (position, line, problem, problem_id, outcome, reference, empty), `digest` of the text, `diagnostics`,
        `sandbox` and `environment`.
    """
    from authoring.checks.dry_run.checked_execution import execute_problemset
    from authoring.seeds import materialise_inputs
    from evaluator.session import scratch_folder

    row = problemsets.find(context.workspace, payload.problemset_id)
    text = text_of(context, payload, row.head_revision_id)
    digest = text_digest(text)
    own = workspace_validators(context.workspace)
    Document.parse(text, name=row.name, own_validators=own).require_valid()
    engine = context.engine()
    with scratch_folder() as folder:
        digests = problemset_inputs(context.workspace, row.id)
        inputs = materialise_inputs(context.workspace, digests, folder / "inputs")
        executed = execute_problemset(
            engine,
            text,
            row.name,
            inputs,
            own_validators=own,
            first=1 if payload.first is None else payload.first,
            place=context.place(row.id, digests, payload.upto or payload.first),
            upto=payload.upto,
            on_event=context.on_event,
        )
    return {
        **cap_outputs(executed.to_json()),
        "digest": digest,
        "diagnostics": _diagnostics(text, row.name, own),
        "sandbox": engine.sandbox_name,
        "environment": engine.environment_id,
    }


@job("check", title="Check", lane="interactive", payload=ExecuteOrder, roles=SET_WORKERS)
def check(context: JobContext, payload: ExecuteOrder) -> dict[str, Any]:
    """Check a text without executing it; return `diagnostics`."""
    row = problemsets.find(context.workspace, payload.problemset_id)
    text = text_of(context, payload, row.head_revision_id)
    return {"diagnostics": _diagnostics(text, row.name, workspace_validators(context.workspace))}


def text_of(context: JobContext, payload: OfText, head_revision_id: int) -> str:
    """Return the text that a job is about: as it stands in the editor, or a stored revision."""
    if payload.text is not None:
        return payload.text
    revision_id = head_revision_id if payload.revision_id is None else payload.revision_id
    return revisions.find(context.workspace, revision_id).text


def _diagnostics(text: str, name: str, own: OwnValidators | None) -> list[dict[str, Any]]:
    path = Path(f"{name}.py")
    _, diagnostics = parse_problemset(text, name=name, path=path, own_validators=own)
    return [diagnostic.to_json() for diagnostic in diagnostics]


def cap_outputs(executed: dict[str, Any]) -> dict[str, Any]:
    """Put a sentence in the place of outputs that are too large to keep; changes `executed` and returns it."""
    left = MAX_RESULT_CHARS
    for cell in executed["cells"]:
        outcome = cell["outcome"]
        kept = []
        for output in outcome["outputs"]:
            size = _size(output)
            fits = size <= min(MAX_OUTPUT_CHARS, left)
            left -= size if fits else 0
            kept.append(output if fits else _left_out(size))
        outcome["outputs"] = kept
    return executed


def _size(output: Any) -> int:
    """Return about how many characters an output has."""
    if isinstance(output, Mapping):
        return sum(_size(value) for value in output.values())
    if isinstance(output, (list, tuple)):
        return sum(_size(value) for value in output)
    return len(output) if isinstance(output, str | bytes) else 8


def _left_out(size: int) -> dict[str, Any]:
    text = f"(an output of {size / 1e6:.1f} MB is too large to keep; show a part of it, such as the first rows)\n"
    return {"output_type": "stream", "name": "stderr", "text": text}
