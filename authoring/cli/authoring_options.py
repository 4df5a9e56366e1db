"""Options and drawing that the authoring commands share."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.progress import drawn_progress

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
    """Yield what draws a pipeline's steps on a terminal, and nothing elsewhere."""
    with drawn_progress() as draw:
        yield lambda event: draw(event.done, event.total, event.text)
