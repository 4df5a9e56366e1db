"""Options and drawing that the authoring commands share."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from authoring.pipeline import PipelineEvent

MAX_RNG_SEED = 2**32 - 1

RngSeedOption = Annotated[
    int, typer.Option("--rng-seed", min=0, max=MAX_RNG_SEED, help="Another number gives another result.")
]
ModelOption = Annotated[
    str | None, typer.Option("--model", help="The model to ask; without it, what BENCHWRIGHT_MODEL names.")
]
ByOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does this.")]


@contextlib.contextmanager
def progress_bar() -> Iterator["Callable[[PipelineEvent], None]"]:
    """Yield what draws a step's progress on a terminal, and nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _event: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda event: progress.update(task, completed=event.done, total=event.total, description=event.text)
