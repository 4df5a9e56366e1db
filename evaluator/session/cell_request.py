"""What a worker process is told of a cell, and how: code travels as a file in memory."""

import json
import os
import select
from typing import Final

from evaluator.inside.runtime.frames import write_all
from evaluator.session.outcome import CellLimits

_DEFAULT_MEMORY_MB: Final = 4096.0


def has_ended(pidfd: int) -> bool:
    """Return whether a process has ended."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))


def code_in_memory(source: str) -> int:
    """Return a file that holds code: only the process that runs it reads it, and no other keeps remains of it."""
    return file_in_memory("code", source.encode("utf-8", "surrogatepass"))


def file_in_memory(name: str, data: bytes) -> int:
    """Return the descriptor of a file that holds data and has no place on a disk."""
    file = os.memfd_create(name, os.MFD_CLOEXEC)
    write_all(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def request_body(source: str, limits: CellLimits) -> bytes:
    """Return what a worker process is told of a cell."""
    body = {
        "source": source,
        "wall_s": limits.wall_s,
        "memory_bytes": int((limits.memory_mb or _DEFAULT_MEMORY_MB) * 1024 * 1024),
        "forbid_names": list(limits.forbid_names),
        "magics": limits.magics,
        "renders": limits.renders,
        "withheld_names": list(limits.withheld_names),
    }
    return json.dumps(body).encode()
