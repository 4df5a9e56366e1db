"""`benchwright seed make`: tables drawn from stated fields and distributions become a seed."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.drafting.seed_summaries import seed_summary
from authoring.cli.new_files import refuse_existing, write_new
from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    ByOption,
    JsonOption,
    ModelOption,
    RngSeedOption,
    WorkspaceOption,
    budget_of,
    progress_bar,
)
from authoring.cli.output import emit
from authoring.seeds.workspace_setup import open_workspace
from evaluator.errors import UsageError
from evaluator.session import SandboxChoice


def make(
    name: Annotated[str, typer.Argument(help="What the seed is called.")],
    topic: Annotated[str, typer.Option(help="What the tables are about; a model states their fields.")] = "",
    fields: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A statement of the fields, YAML; no model is asked.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write the statement, to edit it.")] = None,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Make a synthetic seed."""
    from authoring.drafting.made_tables import state_tables
    from authoring.seeds.adding import refuse_name
    from authoring.seeds.made.made_seed import make_seed
    from authoring.seeds.made.statement import read_statement_file, summary_lines, write_statement
    from evaluator.session import Engine

    if bool(topic) == (fields is not None):
        raise UsageError("state the fields in a file, or a topic for a model", fix="--fields FILE, or --topic TEXT")
    refuse_existing(out)
    ws = open_workspace(workspace)
    refuse_name(ws, name)
    with Engine(sandbox=sandbox) as engine, progress_bar() as on_event:
        if fields is not None:
            data = read_statement_file(fields)
            data = data.model_copy(update={"rng_seed": rng_seed}) if rng_seed else data
        else:
            budget = budget_of(budget_tokens, budget_cost, budget_minutes)
            data = state_tables(ws, topic, rng_seed=rng_seed, model=model, on_event=on_event, budget=budget).data
        if out is not None:
            write_new(out, write_statement(data))
        seed = make_seed(ws, data, name=name, engine=engine, created_by=by)
    what = f"seed {seed.id}, {seed.name}: synthetic, drawn with rng_seed {data.rng_seed}"
    result = {**seed_summary(seed), "statement": seed.statement}
    emit(result, as_json, "\n".join([*(f"  {line}" for line in summary_lines(data)), what]))
    return 0
