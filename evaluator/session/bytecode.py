"""Compiles what runs inside sandboxes beforehand, since a sandbox cannot keep what it compiles."""

import compileall
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

from evaluator.session.interpreter import Interpreter

_LIMIT_S: Final = 120.0
_LOCK: Final = threading.Lock()
_done: set[tuple[Path, str]] = set()


def compile_inside(folder: Path, interpreter: Interpreter) -> None:
    """Compile the modules of a folder for an interpreter; where that is not possible, sandboxes only start slower.

    Only the compiler of another Python runs, without the packages of its environment: they may hold anything.
    """
    tag = interpreter.bytecode_tag
    with _LOCK:
        if sys.dont_write_bytecode or (folder, tag) in _done:
            return
        _done.add((folder, tag))
        if tag == sys.implementation.cache_tag:
            compileall.compile_dir(folder, maxlevels=0, quiet=2)
        elif os.access(folder, os.W_OK) and not all(_is_compiled(source, tag) for source in folder.glob("*.py")):
            _compile_with(folder, interpreter)


def _compile_with(folder: Path, interpreter: Interpreter) -> None:
    command = [interpreter.executable, "-I", "-S", "-m", "compileall", "-qq", "-l", str(folder)]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return


def _is_compiled(source: Path, tag: str) -> bool:
    """Tell whether there is bytecode of this very source: its header holds the source's time and size."""
    try:
        facts = source.stat()
        with (source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc").open("rb") as file:
            header = file.read(16)
    except OSError:
        return False
    wanted = [int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF]
    return header[8:] == b"".join(number.to_bytes(4, "little") for number in wanted)
