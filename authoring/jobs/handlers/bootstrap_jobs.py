"""Jobs of the outer loop: a release from seeds in one step, and the steps of a plan in rounds."""

from pathlib import Path
from typing import Any

from pydantic import Field

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import Asking, ByPerson
from authoring.languages import find_language


class AutoRelease(Asking, ByPerson):
    """A release from seeds in one step."""

    name: str
    version: str = "1.0"
    seeds: list[str] = Field(default_factory=list)  # names; none: all
    author: str = "template"
    rng_seed: int = 0
    sketches: int = 2  # of each seed
    least: int = 5  # problemsets that the release must have
    licence: str = ""
    model: str | None = None
    examples: str = "all"
    language: str = "en"
    out: str = ""  # a folder; empty: one below `releases`

    @property
    def needs_model(self) -> bool:
        """Whether a model writes the problemsets."""
        return self.author == "model"


class PlanStep(Asking):
    """A step of a plan in rounds."""

    name: str  # of the plan
    workers: int = 1  # drafts at a time


@job("bootstrap_auto", title="Bootstrap a release", lane="batch", payload=AutoRelease, asks_model=True)
def bootstrap_auto(context: JobContext, payload: AutoRelease) -> dict[str, Any]:
    """Make a release from seeds; a resumed job continues where it stopped.

    Returns the plan's summary with its release, and the release's `id`.
    """
    from authoring.drafting.sketching import find_author
    from authoring.rounds.auto import AutoOrder, release_folder
    from authoring.rounds.auto import bootstrap_auto as make

    folder = Path(payload.out) if payload.out else release_folder(context.workspace, payload.name, payload.version)
    order = AutoOrder(
        name=payload.name,
        version=payload.version,
        out=folder,
        seeds=tuple(payload.seeds),
        author=find_author(payload.author),
        rng_seed=payload.rng_seed,
        sketches=payload.sketches,
        least=payload.least,
        licence=payload.licence,
        model=payload.model,
        examples=payload.examples,
        language=find_language(payload.language),
        budget=payload.limits(),
        by=payload.person(context.job.created_by),
        sandbox=context.sandbox_choice(),
        job_id=context.job.id,
    )
    made = make(context.workspace, order, on_event=context.on_event)
    return {**made.to_json(), "id": made.release.id if made.release else None}


@job("bootstrap_step", title="Step a bootstrap plan", lane="batch", payload=PlanStep, asks_model=True)
def bootstrap_step(context: JobContext, payload: PlanStep) -> dict[str, Any]:
    """Do all of a plan in rounds that can be done without a person, and return its status."""
    from authoring.rounds.rounds import StepOrder, step_rounds

    order = StepOrder(
        budget=payload.limits(),
        sandbox=context.sandbox_choice(),
        workers=payload.workers,
        job_id=context.job.id,
    )
    return step_rounds(context.workspace, payload.name, order, on_event=context.on_event).to_json()
