"""`benchwright refine`: a model changes chosen problems and no others."""

from typing import Annotated

import typer

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
from authoring.cli.output import emit, print_diagnostics
from authoring.seeds.workspace_setup import open_workspace
from evaluator.session import SandboxChoice


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("refine", help="Let a model change chosen problems on comments and findings; the others stay.")(refine)


def refine(
    problemset: Annotated[str, typer.Argument(metavar="SET", help="Name or id of the problemset.")],
    problems: Annotated[str, typer.Option(metavar="ID,ID", help="The problems to change: ids or numbers.")],
    instruction: Annotated[str, typer.Option(help="What is wanted, in words.")] = "",
    comments: Annotated[bool, typer.Option(help="Show the model the open comments on them.")] = True,
    findings: Annotated[bool, typer.Option(help="Show the model what an execution says against them.")] = True,
    suggest: Annotated[bool, typer.Option("--suggest", help="Keep the changes as suggestions to decide on.")] = False,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    base: Annotated[int | None, typer.Option(help="Id of the revision that you saw; refuse any other head.")] = None,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Refine problems."""
    from authoring.drafting.refining.refining import RefineOptions
    from authoring.drafting.refining.refining import refine as refine_problems
    from evaluator.session import DRAWING, Engine

    options = RefineOptions(instruction, comments, findings, suggest, rng_seed, model)
    ws, chosen = open_workspace(workspace), problems.split(",")
    with Engine(sandbox=sandbox, preload=DRAWING) as engine, progress_bar() as on_event:
        made = refine_problems(
            ws,
            problemset,
            chosen,
            engine=engine,
            options=options,
            base_revision_id=base,
            created_by=by,
            on_event=on_event,
            budget=budget_of(budget_tokens, budget_cost, budget_minutes),
        )
    kept = f"revision {made.number}" if made.revision else f"suggestions {', '.join(map(str, made.suggestions))}"
    emit(made.to_json(), as_json, f"{made.name}: {', '.join(made.problems)} refined, {kept}")
    print_diagnostics(made.left_over)
    return 0
