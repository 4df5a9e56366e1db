"""Jobs about the rows of a seed: to read them, to say what they mean."""

from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import SET_WORKERS, job
from authoring.jobs.payloads import ByModel, ByPerson, Payload, Ref
from evaluator.errors import UsageError


class SemanticsOrder(ByModel, ByPerson):
    """A proposal by a model."""

    seed: Ref


@job("propose_semantics", title="Propose meanings", lane="batch", payload=SemanticsOrder, asks_model=True)
def propose(context: JobContext, payload: SemanticsOrder) -> dict[str, Any]:
    """Ask a model what a seed's columns mean, and keep its proposal until a person accepts it.

    Returns the `id` of the seed, and in `columns` how many the proposal would change.
    """
    from authoring.drafting.proposing import propose_semantics
    from authoring.store.drafting.seeds import find_seed

    seed = find_seed(context.workspace, payload.seed)
    columns = propose_semantics(
        context.workspace,
        seed,
        rng_seed=payload.rng_seed,
        model=payload.model,
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    return {"id": seed.id, "columns": columns}


class RowsOrder(Payload):
    """One page of the rows of a seed's table."""

    seed: Ref
    table: int = 0  # its place in the profile
    condition: str = "all rows"
    column: str = ""
    text: str = ""
    low: str = ""
    high: str = ""
    offset: int = 0
    count: int = 50


@job("seed_rows", title="Show rows", lane="interactive", payload=RowsOrder, roles=SET_WORKERS)
def seed_rows(context: JobContext, payload: RowsOrder) -> dict[str, Any]:
    """Read one page of rows; return `columns`, `columns_left`, `total`, `numbers`, `rows` and `cell_chars`."""
    from authoring.seeds.seed_rows import Condition, RowFilter, read_rows
    from authoring.store.drafting.seeds import find_seed

    if payload.condition not in list(Condition):
        what, known = f"there is no condition {payload.condition!r}", ", ".join(Condition)
        raise UsageError(what, where="condition", fix=f"use one of {known}")
    chosen = RowFilter(
        condition=Condition(payload.condition),
        column=payload.column,
        text=payload.text,
        low=payload.low,
        high=payload.high,
    )
    seed = find_seed(context.workspace, payload.seed)
    return read_rows(
        context.workspace,
        seed,
        payload.table,
        engine=context.engine(),
        chosen=chosen,
        offset=payload.offset,
        count=payload.count,
    ).to_json()
