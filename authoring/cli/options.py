"""Options that several commands share: one spelling, one default, one help text."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.drafting.example_strategy import ExampleStrategy
from authoring.languages import Language
from evaluator.reporting.progress_bar import drawn_progress

if TYPE_CHECKING:
    from authoring.progress import PipelineEvent
    from evaluator.models import BudgetLimits

MAX_RNG_SEED = 2**32 - 1

RngSeedOption = Annotated[
    int, typer.Option("--rng-seed", min=0, max=MAX_RNG_SEED, help="Another number gives another result.")
]
LanguageOption = Annotated[Language, typer.Option("--language", help="What the queries are written in.")]
ModelOption = Annotated[
    str | None, typer.Option("--model", help="The model to ask; without it, what BENCHWRIGHT_MODEL names.")
]
ExamplesOption = Annotated[
    ExampleStrategy, typer.Option("--examples", help="Which accepted sets a model is shown, at most five; all: newest.")
]
BudgetTokensOption = Annotated[
    int | None, typer.Option("--budget-tokens", min=0, help="Tokens that the model may take, prompts included.")
]
BudgetCostOption = Annotated[
    float | None,
    typer.Option("--budget-cost", min=0, help="Money that the model may cost, in the currency of its price."),
]
BudgetMinutesOption = Annotated[
    float | None, typer.Option("--budget-minutes", min=0, help="Minutes after which no request to a model begins.")
]
ByOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does this.")]


@contextlib.contextmanager
def progress_bar() -> Iterator["Callable[[PipelineEvent], None]"]:
    """Yield what draws a pipeline's steps on a terminal, and nothing elsewhere."""
    with drawn_progress() as draw:
        yield lambda event: draw(event.done, event.total, event.text)


def budget_of(tokens: int | None, cost: float | None, minutes: float | None) -> "BudgetLimits | None":
    """Return the budget that three options state; None when they state none."""
    from evaluator.models import BudgetLimits

    budget = BudgetLimits(tokens=tokens, cost=cost, minutes=minutes)
    return None if budget.is_unlimited else budget


JsonOption = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on standard output.")]
WorkspaceOption = Annotated[Path, typer.Option("--workspace", help="The workspace folder; made at first use.")]
DEFAULT_WORKSPACE = Path("./workspace")
EnvironmentOption = Annotated[
    str | None,
    typer.Option("--environment", metavar="NAME", help="Run in this environment (benchwright env), or in 'default'."),
]
