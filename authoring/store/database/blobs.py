"""Files stored by the sha256 of their bytes: written once, atomically, and never changed."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 20


def copy_in(source: Path, blobs: Path) -> str:
    """Copy `source` below `blobs` and return its sha256; the bytes are read once, hashed as they are copied."""

    def copy(target: BinaryIO) -> str:
        digest = hashlib.sha256()
        with source.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                target.write(chunk)
        return digest.hexdigest()

    return _store(copy, blobs)


def write_in(data: bytes, blobs: Path) -> str:
    """Write `data` below `blobs` and return its sha256."""

    def write(target: BinaryIO) -> str:
        target.write(data)
        return hashlib.sha256(data).hexdigest()

    digest = hashlib.sha256(data).hexdigest()
    return digest if (blobs / digest[:2] / digest).exists() else _store(write, blobs)


def _store(write: Callable[[BinaryIO], str], blobs: Path) -> str:
    """Let `write` fill a temporary file, flush it to the disk, and only then give it its name."""
    blobs.mkdir(exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".part-", dir=blobs)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as target:
            digest = write(target)
            target.flush()
            os.fsync(target.fileno())
        part.chmod(0o444)
        home = blobs / digest[:2]
        home.mkdir(exist_ok=True)
        os.replace(part, home / digest)
        _sync_folder(home)
    finally:
        part.unlink(missing_ok=True)
    return digest


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
