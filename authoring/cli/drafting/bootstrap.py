"""`benchwright bootstrap`: from seeds to a benchmark, at once or in rounds with people."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.cluster_options import SchedulerOption, executor_option
from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    ByOption,
    ExamplesOption,
    JsonOption,
    LanguageOption,
    ModelOption,
    RngSeedOption,
    WorkspaceOption,
    budget_of,
    progress_bar,
)
from authoring.cli.output import emit, note
from authoring.drafting.example_strategy import ExampleStrategy
from authoring.drafting.sketching import Author
from authoring.languages import Language
from authoring.seeds.workspace_setup import open_workspace
from evaluator.running import Executor
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.progress import PipelineEvent

SeedsOption = Annotated[
    str, typer.Option("--seeds", metavar="NAME,...", help="Only these seeds; shipped ones are added when missing.")
]
PlanArgument = Annotated[str, typer.Argument(help="Name of the plan.")]
AuthorOption = Annotated[Author, typer.Option("--author", help="Who sketches and drafts.")]


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="From seeds to a benchmark, at once or in rounds with people.", no_args_is_help=True)
    commands.command("auto", help="Sketch, draft, check and release with nobody in between.")(auto)
    commands.command("plan", help="Plan rounds: draft all, people revise a few, draft the rest anew.")(plan)
    commands.command("step", help="Do all of a plan that can be done without a person.")(step)
    commands.command("status", help="Show the rounds of a plan and what waits for whom.")(status)
    app.add_typer(commands, name="bootstrap")


def auto(
    name: Annotated[str, typer.Option(help="What the plan and the release are called.")],
    out: Annotated[Path, typer.Option(help="The folder to make; it may exist when it is empty.")],
    version: Annotated[str, typer.Option(help="Of the release.")] = "1.0",
    seeds: SeedsOption = "",
    sketches: Annotated[int, typer.Option(min=1, max=50, help="Sketches of each seed.")] = 2,
    least: Annotated[int, typer.Option("--min-problems", min=1, help="A set with fewer is dropped.")] = 5,
    licence: Annotated[str, typer.Option(help="Of queries and code, such as CC-BY-4.0.")] = "",
    author: AuthorOption = Author.TEMPLATE,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    examples: ExamplesOption = ExampleStrategy.ALL,
    language: LanguageOption = Language.ENGLISH,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    executor: Annotated[Executor, executor_option("Where drafts are written and checked")] = Executor.LOCAL,
    scheduler: SchedulerOption = "",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Seeds that are worked on at a time.  [default: 2]")
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Bootstrap a release; 0: it was written, 1: nothing passed every check. Repeated, it resumes where it stopped."""
    from authoring.rounds.auto import AutoOrder, bootstrap_auto

    ws = open_workspace(workspace)
    budget = budget_of(budget_tokens, budget_cost, budget_minutes)
    order = AutoOrder(name=name, out=out, version=version, seeds=_names(seeds), sketches=sketches, least=least,
        licence=licence, author=author, rng_seed=rng_seed, model=model, examples=examples, language=language, by=by,
        sandbox=sandbox, budget=budget, workers=workers, executor=executor, scheduler=scheduler)  # fmt: skip
    with _told_progress() as on_event:
        made = bootstrap_auto(ws, order, on_event=on_event)
    emit(made.to_json(), as_json, made.to_text())
    return 0


def plan(
    name: PlanArgument,
    seeds: SeedsOption = "",
    rounds: Annotated[int, typer.Option(min=1, help="How often drafts are made, the first time included.")] = 3,
    revise: Annotated[int, typer.Option(min=1, help="Sets that people revise before the next round.")] = 1,
    author: AuthorOption = Author.TEMPLATE,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    examples: ExamplesOption = ExampleStrategy.NEAREST,
    language: LanguageOption = Language.ENGLISH,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Store a plan; nothing is drafted yet."""
    from authoring.rounds.plan_progress import rounds_status
    from authoring.rounds.rounds import RoundsOrder, plan_rounds

    ws = open_workspace(workspace)
    order = RoundsOrder(name=name, seeds=_names(seeds), rounds=rounds, revise=revise, author=author, rng_seed=rng_seed,
        model=model, examples=examples, language=language, by=by)  # fmt: skip
    found = rounds_status(ws, plan_rounds(ws, order))
    emit(found.to_json(), as_json, found.to_text())
    return 0


def step(
    name: PlanArgument,
    workers: Annotated[int, typer.Option(min=1, max=8, help="Drafts that are written at a time.")] = 1,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Step a plan as far as it goes; again, nothing is done twice. 1: the budget ended."""
    from authoring.rounds.rounds import StepOrder, step_rounds

    ws = open_workspace(workspace)
    budget = budget_of(budget_tokens, budget_cost, budget_minutes)
    order = StepOrder(budget=budget, sandbox=sandbox, workers=workers)
    with _told_progress() as on_event:
        found = step_rounds(ws, name, order, on_event=on_event)
    emit(found.to_json(), as_json, found.to_text())
    return 0


def status(name: PlanArgument, workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Show how far a plan is."""
    from authoring.rounds.plan_progress import rounds_status
    from authoring.rounds.rounds import find_rounds

    ws = open_workspace(workspace)
    found = rounds_status(ws, find_rounds(ws, name))
    emit(found.to_json(), as_json, found.to_text())
    return 0


def _names(listed: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in listed.split(",") if part.strip())


@contextlib.contextmanager
def _told_progress() -> Iterator[Callable[["PipelineEvent"], None]]:
    """Draw a bar on a terminal; elsewhere write one line on stderr for each set that is finished."""
    with progress_bar() as draw:
        if sys.stderr is not None and sys.stderr.isatty():
            yield draw
            return
        told = [-1]

        def tell(event: "PipelineEvent") -> None:
            if event.done != told[0]:
                told[0] = event.done
                note(f"[{event.done}/{event.total}] {event.text}")

        yield tell
