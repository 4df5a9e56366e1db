"""An exception that left a cell, as text: its own frames and libraries' frames, never ours."""

import re
import traceback
from types import TracebackType
from typing import Final

from evaluator.inside.codec.decode.decoded import ErrorFacts

_MAX_TEXT: Final = 32 * 1024
_MAX_MESSAGE: Final = 8 * 1024
_CELL_FILE: Final = re.compile(r'File "<ipython-input-(\d+)-[0-9a-f]+>"')
_LIBRARY: Final = re.compile(r'File "[^"\n]*/site-packages/')


def describe_error(error: BaseException | None) -> ErrorFacts | None:
    """Return name, base names, message and traceback of an error; None for none."""
    if error is None:
        return None
    kind = type(error)
    return ErrorFacts(
        name=kind.__name__,
        bases=tuple(base.__name__ for base in kind.__mro__ if base is not object),
        message=_shorten(_message(error), _MAX_MESSAGE),
        traceback=_shorten(_traceback(error), _MAX_TEXT),
    )


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # noqa: BLE001  # the exception class is the cell's own
        return "<exception str() failed>"


def _traceback(error: BaseException) -> str:
    try:
        tb = (
            None
            if isinstance(error, SyntaxError) and error.text is not None and _is_ours_only(error)
            else _cell_part(error.__traceback__)
        )
        lines = traceback.format_exception(type(error), error, tb)
    except BaseException:  # noqa: BLE001  # the exception class is the cell's own
        return f"{type(error).__name__}: <no traceback>"
    text = _CELL_FILE.sub(r"Cell In[\1]", "".join(lines))
    return _LIBRARY.sub('File "', text).rstrip("\n")


def _is_ours_only(error: BaseException) -> bool:
    return _cell_part(error.__traceback__) is error.__traceback__


def _cell_part(tb: TracebackType | None) -> TracebackType | None:
    """Skip the frames of IPython and ours above the cell's first one."""
    part = tb
    while part is not None:
        if part.tb_frame.f_code.co_filename.startswith("<ipython-input-"):
            return part
        part = part.tb_next
    return tb


def _shorten(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}\n... {len(text) - limit} characters left out ...\n{text[-(limit // 2) :]}"
