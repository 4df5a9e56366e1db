"""The job that draws a synthetic seed."""

from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import Asking, ByPerson
from evaluator.errors import UsageError


class MadeSeed(Asking, ByPerson):
    """Tables to draw, as people or a model state them."""

    name: str
    statement: str = ""  # of the fields, YAML
    topic: str = ""  # in the place of a statement: what a model states fields about
    rng_seed: int = 0  # 0: as the statement says
    model: str | None = None

    @property
    def needs_model(self) -> bool:
        """Whether a model states the fields."""
        return not self.statement


@job("seed_make", title="Make synthetic data", lane="batch", payload=MadeSeed, asks_model=True)
def seed_make(context: JobContext, payload: MadeSeed) -> dict[str, Any]:
    """Draw the stated tables and add them as a seed that is marked synthetic.

    Returns the seed's `id` and `name`, and the `statement` that its tables were drawn from.
    """
    from authoring.drafting.made_tables import state_tables
    from authoring.seeds.adding import refuse_name
    from authoring.seeds.made.made_seed import make_seed
    from authoring.seeds.made.statement import parse_statement

    if bool(payload.statement.strip()) == bool(payload.topic.strip()):
        what = "the fields are stated either by a statement, or by a model that is given a topic"
        raise UsageError(what, where="payload", fix="give one of statement and topic")
    refuse_name(context.workspace, payload.name)  # before a model is asked
    if payload.statement.strip():
        data = parse_statement(payload.statement, where="Fields")
        data = data.model_copy(update={"rng_seed": payload.rng_seed}) if payload.rng_seed else data
    else:
        data = state_tables(
            context.workspace,
            payload.topic,
            rng_seed=payload.rng_seed,
            model=payload.model,
            on_event=context.on_event,
            budget=payload.limits(),
            job_id=context.job.id,
        ).data
    context.progress(0, 1, "drawing the tables and reading them in the sandbox")
    seed = make_seed(
        context.workspace,
        data,
        name=payload.name,
        engine=context.engine(),
        created_by=payload.person(context.job.created_by),
    )
    context.report(1, 1, f"seed {seed.name}")
    return {"id": seed.id, "name": seed.name, "statement": seed.statement}
