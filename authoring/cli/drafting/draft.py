"""`benchwright draft`: a sketch becomes a problemset with reference code."""

from typing import Annotated

import typer

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    ByOption,
    ExamplesOption,
    JsonOption,
    ModelOption,
    WorkspaceOption,
    budget_of,
    progress_bar,
)
from authoring.cli.output import emit, note, print_diagnostics
from authoring.drafting.example_strategy import ExampleStrategy
from authoring.drafting.sketching import Author
from authoring.seeds.workspace_setup import open_workspace
from evaluator.session import SandboxChoice


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("draft", help="Turn a sketch into a problemset whose reference code was executed.")(draft)


def draft(
    sketch: Annotated[str, typer.Argument(help="Name or id of the sketch.")],
    author: Annotated[Author | None, typer.Option(help="Who writes it; else who wrote the sketch.")] = None,
    rng_seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**32 - 1, help="Another number gives another draft; else the sketch's own."),
    ] = None,
    model: ModelOption = None,
    name: Annotated[str | None, typer.Option(help="What the problemset is called; else as the sketch.")] = None,
    examples: ExamplesOption = ExampleStrategy.ALL,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Draft a problemset."""
    from evaluator.session import DRAWING, Engine

    with Engine(sandbox=sandbox, preload=DRAWING) as engine, progress_bar() as on_event:
        from authoring.drafting.draft import make_draft  # meanwhile the engine warms up

        ws = open_workspace(workspace)
        made = make_draft(
            ws,
            sketch,
            engine=engine,
            author=author,
            rng_seed=rng_seed,
            model=model,
            created_by=by,
            name=name,
            examples=examples,
            on_event=on_event,
            budget=budget_of(budget_tokens, budget_cost, budget_minutes),
        )
    what = f"problemset {made.problemset}, {made.name}: {made.problems} problems, revision {made.number}"
    emit(made.to_json(), as_json, what)
    for line in made.replacements:
        note(line)
    print_diagnostics(made.left_over)
    return 0
