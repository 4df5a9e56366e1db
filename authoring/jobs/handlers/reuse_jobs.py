"""Jobs that make another problemset out of one: in another language, or on other data."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import ByModel, ByPerson, Payload, Ref, StoredFile
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from authoring.generalising.instantiating import Instance
    from authoring.generalising.template import SetTemplate


class TranslationOrder(ByModel, ByPerson):
    """A problemset to translate."""

    problemset: Ref  # a revision's id, NAME or NAME@3
    language: str  # zh | en
    name: str | None = None  # None: as the original, with the language


class TemplateOrder(Payload):
    """A problemset to make a template of."""

    problemset: Ref  # a revision's id, NAME or NAME@3
    about: Ref | None = None  # the seed that it is about; None: its own


class InstanceOrder(ByPerson):
    """A template to put on a seed."""

    seed: Ref  # to put it on
    template: StoredFile | None = None  # None: the template of a problemset
    problemset: Ref | None = None
    about: Ref | None = None  # the seed that the problemset is about; None: its own
    columns: dict[str, str] = Field(default_factory=dict)  # of the template -> of the seed
    name: str | None = None  # None: after template and seed


@job("translate", title="Translate", lane="batch", payload=TranslationOrder, asks_model=True)
def translate(context: JobContext, payload: TranslationOrder) -> dict[str, Any]:
    """Let a model translate the queries of a problemset into a new one, on the same seed.

    Returns `id`, the new problemset's, `revision`, `number`, `name`, `texts` and `provenance`.
    """
    from authoring.drafting.translating.stored_pairs import translate_stored
    from authoring.languages import find_language

    made = translate_stored(
        context.workspace,
        str(payload.problemset),
        find_language(payload.language),
        name=payload.name or "",
        rng_seed=payload.rng_seed,
        model=payload.model,
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    return made.to_json()


@job("generalise", title="Make a template", lane="batch", payload=TemplateOrder)
def generalise(context: JobContext, payload: TemplateOrder) -> dict[str, Any]:
    """Make a template of a problemset; nothing is executed.

    Returns `name`, `problems`, `columns` (placeholder -> name and meaning), `values` (placeholder -> what it was, and
    the rule that finds one in other data), and `text`, the template's file.
    """
    from authoring.generalising.template import write_template

    context.progress(0, 1, "reading the problemset")
    made = _template_of(context, payload.problemset, payload.about)
    context.report(1, 1, f"template {made.name}")
    return {
        **{"name": made.name, "problems": made.problems},
        "columns": {key: {"name": place.name, "meaning": place.meaning.value} for key, place in made.columns.items()},
        "values": {key: place.model_dump() for key, place in made.values.items()},
        "text": write_template(made),
    }


@job("instantiate", title="Put on other data", lane="batch", payload=InstanceOrder)
def instantiate(context: JobContext, payload: InstanceOrder) -> dict[str, Any]:
    """Put a template, or a problemset by way of its template, on a seed; what makes no sense there is left out.

    Returns `id`, the new problemset's, `revision`, `number`, `name`, `problems`, `columns`, `values`, `left_out`,
    `notes`, and `findings`: what is left out and what a person should look at.
    """
    from authoring.generalising import instantiating

    found = _wanted_template(context, payload)
    made = instantiating.instantiate(
        context.workspace,
        found,
        payload.seed,
        engine=context.engine(),
        chosen=payload.columns,
        name=payload.name or "",
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
    )
    return {**made.to_json(), "findings": _findings(made)}


def _template_of(context: JobContext, problemset: Ref, about: Ref | None) -> "SetTemplate":
    from authoring.generalising.instantiating import template_of

    return template_of(context.workspace, str(problemset), seed_ref="" if about is None else str(about))


def _wanted_template(context: JobContext, payload: InstanceOrder) -> "SetTemplate":
    from authoring.generalising.template import MAX_FILE_CHARS, parse_template
    from evaluator.language import text_of_file

    if payload.template is not None:
        stored = context.workspace.blob_path(payload.template.digest)
        text = text_of_file(stored, most_bytes=4 * MAX_FILE_CHARS)
        return parse_template(text, where=Path(payload.template.name).name)
    if payload.problemset is None:
        raise UsageError("the job has neither a template nor a problemset", where="payload", fix="give one of them")
    return _template_of(context, payload.problemset, payload.about)


def _findings(made: "Instance") -> list[dict[str, str]]:
    """Return what is left out, and what a person should look at, as jobs tell it."""
    gone = [
        {
            **{"source": "left out", "problem": problem, "what": why},
            "fix": "choose other columns for it, or do without",
        }
        for problem, why in made.left_out
    ]
    notes = [note.partition(": ") for note in made.notes]
    fix = "reword the query where that is not said of these data"
    return [*gone, *({"source": "words", "problem": problem, "what": what, "fix": fix} for problem, _, what in notes)]
