"""The progress bar of commands: on a terminal only, on stderr, gone at the end."""

import contextlib
import sys
from collections.abc import Callable, Iterator

Draw = Callable[[int, int, str], None]  # done, total, what happens now


@contextlib.contextmanager
def drawn_progress() -> Iterator[Draw]:
    """Yield what draws how far a command is; where stderr is no terminal, it draws nothing."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _total, _text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda done, total, text: progress.update(task, completed=done, total=total, description=text)
