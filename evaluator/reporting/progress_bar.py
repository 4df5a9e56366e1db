"""Progress on stderr: a bar on a terminal, gone at the end; in a notebook below the cell; in logs lines at times."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

Draw = Callable[[int, int, str], None]  # done, total, what happens now
_WIDTH: Final = 30  # characters of the bar in a notebook
_PAUSE_S: Final = 0.2  # between two drawings in a notebook


@contextlib.contextmanager
def drawn_progress(*, is_wanted: bool = True, log_every_s: float | None = None) -> Iterator[Draw]:
    """Yield what draws how far something is; where nobody looks, it draws nothing.

    Args:
        is_wanted: Whether anything is drawn.
        log_every_s: Seconds between two lines on a stderr that is no terminal; None: there are none.
    """
    if is_wanted and (show := _notebook_display()) is not None:
        yield _drawn_in_notebook(show)
        return
    if not is_wanted or sys.stderr is None or not sys.stderr.isatty():
        is_logged = is_wanted and sys.stderr is not None and log_every_s is not None
        yield _logged(log_every_s) if is_logged and log_every_s is not None else _drawn_nowhere
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda done, total, text: progress.update(task, completed=done, total=total, description=text)


def _drawn_nowhere(_done: int, _total: int, _text: str) -> None:
    """Draw nothing."""


def _logged(every_s: float) -> Draw:
    begun = last = time.monotonic()

    def draw(done: int, total: int, text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < every_s:
            return
        last = now
        said = "".join(sign for sign in text if sign.isprintable())
        with contextlib.suppress(OSError):  # nobody reads it any more
            print(f"{done}/{total} after {now - begun:.0f} s {said}".rstrip(), file=sys.stderr, flush=True)

    return draw


def _notebook_display() -> Callable[..., Any] | None:
    """Return IPython's `display` where this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")  # a kernel has it imported
    shell = ipython.get_ipython() if ipython is not None else None
    if ipython is None or shell is None or not hasattr(shell, "kernel"):
        return None
    show: Callable[..., Any] = ipython.display.display
    return show


def _drawn_in_notebook(show: Callable[..., Any]) -> Draw:
    handle = show({"text/plain": ""}, raw=True, display_id=True)
    last = 0.0

    def draw(done: int, total: int, text: str) -> None:
        nonlocal last
        if done < total and time.monotonic() - last < _PAUSE_S:
            return
        last = time.monotonic()
        full = _WIDTH * done // total if total else 0
        bar = f"{'█' * full}{'░' * (_WIDTH - full)} {done}/{total} {text}".rstrip()
        handle.update({"text/plain": bar}, raw=True)

    return draw
