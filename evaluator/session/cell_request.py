"""What a worker process is told of a cell, and how: code travels as a file in memory."""

import json
import os
import select
from typing import Final

from evaluator.session.outcome import CellLimits

_DEFAULT_MEMORY_MB: Final = 4096.0


def has_ended(pidfd: int) -> bool:
    """Return whether a process has ended."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))


def code_in_memory(source: str) -> int:
    """Return a file that holds code: only the process that runs it reads it, and no other keeps remains of it."""
    file = os.memfd_create("code", os.MFD_CLOEXEC)
    with open(file, "wb", closefd=False) as out:
        out.write(source.encode("utf-8", "surrogatepass"))
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
