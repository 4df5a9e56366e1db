"""Translations of problemsets of a workspace, and of single files."""

from dataclasses import dataclass
from typing import Any

from authoring.drafting.draft import free_name
from authoring.drafting.translating.texts import is_in
from authoring.drafting.translating.translating import texts_of, translate_set
from authoring.languages import Language
from authoring.progress import OnEvent, no_progress
from authoring.store import problemsets, revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language import LoadedSet
from evaluator.language.document import Document
from evaluator.models import Budget, BudgetLimits


@dataclass(frozen=True)
class StoredTranslation:
    """A new problemset in another language."""

    name: str
    text: str
    texts: int
    revision: Revision

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; `id` is the problemset's."""
        stored = self.revision
        return {
            **{"id": stored.problemset_id, "revision": stored.id, "number": stored.number},
            **{"name": self.name, "texts": self.texts, "provenance": dict(stored.provenance)},
        }


def translate_stored(
    ws: Workspace,
    ref: str,
    language: Language,
    *,
    name: str = "",
    rng_seed: int = 0,
    model: str | None = None,
    created_by: str = "",
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> StoredTranslation:
    """Translate a problemset of the workspace and store it as a new one, on the same seed.

    Args:
        ws: The workspace.
        ref: NAME, NAME@3 or an id.
        language: To translate into.
        name: What it is called; empty: as the original, with the language.
        rng_seed: Another number asks anew.
        model: The model to ask; None: the one that the environment names.
        created_by: Who asked for it.
        on_event: Told of each request.
        budget: What the model may cost.
        job_id: The job that this is done for.

    Raises:
        UsageError: If there is no such problemset, or the name is taken or cannot be a name.
        ContentError: As `translate_set`.
        ToolkitError: If the model cannot be asked.
    """
    if name:
        problemsets.refuse_name(ws, name)  # before a model is asked
    revision = revisions.find(ws, ref)
    original = problemsets.find(ws, revision.problemset_id)
    document = Document.parse(revision.text, name=revision.problemset_name, own_validators=workspace_validators(ws))
    made = translate_set(
        ws,
        document,
        language,
        rng_seed=rng_seed,
        model=model,
        on_event=on_event,
        budget=budget,
        job_id=job_id,
    )
    title = name or free_name(ws, f"{revision.problemset_name}-{language.value}")
    stored = problemsets.create(
        ws,
        name=title,
        text=made.document.text,
        author=created_by or "model",
        origin=Origin.MODEL,
        seed_id=original.seed_id,
        message=f"{revision.problemset_name}@{revision.number}, translated",
        provenance={**made.provenance, "translation_of": f"{revision.problemset_name}@{revision.number}"},
        inputs=problemset_inputs(ws, revision.problemset_id),
    )
    return StoredTranslation(title, made.document.text, made.texts, stored)


def is_translated(document: Document, language: Language) -> bool:
    """Return whether a problemset is in a language already, or asks nothing."""
    texts = texts_of(document.require_valid())
    return all(is_in(text.source, language) for text in texts)


def document_of(loaded: LoadedSet) -> Document:
    """Return a file as a document that states its language version."""
    return Document.parse(loaded.portable_text, name=loaded.name, own_validators=loaded.own_validators)
