"""The input files of a problemset, as a session is given them: by descriptor, never by path."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evaluator.errors import UsageError
from evaluator.inside.runtime.channel import MAX_DESCRIPTORS
from evaluator.language import refused_links

_MAX_INPUT_BYTES: Final = 2 * 1024 * 1024 * 1024


def input_files(inputs: Path | None) -> Iterator[str]:
    """Yield the files of an inputs folder, by relative name; folders below it included.

    Raises:
        UsageError: If there is no such folder, a link in it is refused, or it holds too much.
    """
    if inputs is None:
        return
    if not inputs.is_dir():
        raise UsageError("the inputs folder does not exist", where=str(inputs), fix="check its path")
    for link in refused_links(inputs):
        raise UsageError(f"an input file is a link that {link.what}", where=str(link.path), fix="copy the file there")
    total = 0
    for path in sorted(inputs.rglob("*")):
        if not path.is_file():
            continue
        total += path.stat().st_size
        if total > _MAX_INPUT_BYTES:
            raise UsageError("the input files are larger than 2 GiB together", where=str(inputs), fix="use a sample")
        yield str(path.relative_to(inputs))


def batches(names: list[str]) -> Iterator[list[str]]:
    """Yield as many names at a time as one message can carry files."""
    for start in range(0, len(names), MAX_DESCRIPTORS):
        yield names[start : start + MAX_DESCRIPTORS]


def open_input(path: Path) -> int:
    """Return a descriptor of a file.

    Raises:
        UsageError: If it cannot be read.
    """
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"an input file cannot be read: {error.strerror}", where=str(path)) from error
