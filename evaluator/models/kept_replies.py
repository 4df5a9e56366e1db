"""Replies of a model that are kept beside a run, so that the same is never asked twice."""

import json
import logging
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evaluator.errors import RecordingError
from evaluator.models.client import ModelClient
from evaluator.models.exchange import Message, ModelRequest

MAX_BYTES: Final = 20_000_000  # of a file of replies that are read
_log = logging.getLogger(__name__)


class ReplyFile:
    """A file of what models replied, by the digests of requests; used from several threads. The first reply counts."""

    def __init__(self, path: Path | None, *, most_bytes: int = MAX_BYTES, is_needed: bool = False) -> None:
        """Read what is there.

        Args:
            path: A file with an entry a line; it need not be there. None: entries live as long as this.
            most_bytes: A larger file is not read.
            is_needed: An entry that cannot be written is an error, not a remark.
        """
        self._is_needed = is_needed
        self._path = path
        self._lock = threading.Lock()
        self._entries = _read(path, most_bytes) if path is not None else {}

    def find(self, digest: str) -> dict[str, Any] | None:
        """Return the entry of a request; None: there is none."""
        with self._lock:
            return self._entries.get(digest)

    def keep(self, digest: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Add the entry of a request and return the one that counts; what cannot be written lives as long as this.

        Raises:
            RecordingError: If it is needed, and cannot be written.
        """
        with self._lock:
            if digest not in self._entries:
                added = {"digest": digest, **entry}
                if self._path is not None and (fault := _keep(self._path, added)) and self._is_needed:
                    fix = "make room or mend the folder, and repeat the command: what is recorded is not asked again"
                    raise RecordingError(f"a reply cannot be recorded: {fault}", where=str(self._path), fix=fix)
                self._entries[digest] = added
            return self._entries[digest]


class KeptReplies:
    """Asks a model, and writes down what it said; used from several threads."""

    def __init__(self, client: ModelClient, kept: Path | None) -> None:
        """Prepare.

        Args:
            client: Asks.
            kept: A file of replies, read now and written at the end of each; None: they are kept as long as this.
        """
        self._client = client
        self._replies = ReplyFile(kept)

    @property
    def model(self) -> str:
        """The model's name."""
        return self._client.settings.model

    def ask(self, messages: Sequence[Message], *, max_tokens: int, repeat: int = 0) -> str:
        """Return what the model says, from the file where it was asked the same before.

        Args:
            messages: The request.
            max_tokens: Of the reply.
            repeat: How often the same was asked before (count): each time is kept by itself.

        Raises:
            ToolkitError: If the endpoint gives no answer, or a budget is spent.
            RecordingError: If the client records, and cannot write the reply down.
        """
        digest = ModelRequest(list(messages), max_tokens, 0.0, repeat).digest(self.model)
        entry = self._replies.find(digest)
        if entry is not None and isinstance(entry.get("reply"), str):
            return str(entry["reply"])
        answer = self._client.complete(list(messages), max_tokens=max_tokens, repeat=repeat).text
        self._replies.keep(digest, {"reply": answer})
        return answer


def _read(path: Path, most_bytes: int) -> dict[str, dict[str, Any]]:
    """Return the entries of a file; a line that is none, as a kill leaves it, is asked again."""
    found: dict[str, dict[str, Any]] = {}
    if not path.is_file():
        return found
    if path.stat().st_size > most_bytes:
        _log.warning("event=replies_not_read path=%s", path)
        return found
    with path.open("rb") as file:
        for line in file:
            try:
                entry = json.loads(line)
                found.setdefault(str(entry["digest"]), entry)
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
    return found


def _keep(path: Path, entry: Mapping[str, Any]) -> str:
    """Write an entry down and return why it could not be; empty: it is written."""
    fault = ""
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            fault = "it is no plain file"
        else:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW  # a link may have come meanwhile
            with open(os.open(path, flags, 0o666), "ab") as file:
                file.write(b"\n" + json.dumps(entry).encode())
    except OSError as error:  # it is asked again another time
        fault = error.strerror or str(error)
    if fault:
        _log.warning("event=reply_not_kept cause=%r path=%s", fault, path)
    return fault
