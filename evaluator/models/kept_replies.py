"""Replies of a model that are kept beside a run, so that the same is never asked twice."""

import json
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.models.client import ModelClient
from evaluator.models.exchange import Message, ModelRequest

MAX_BYTES: Final = 20_000_000  # of a file of replies that are read
_log = logging.getLogger(__name__)


class KeptReplies:
    """Asks a model, and writes down what it said; used from several threads."""

    def __init__(self, client: ModelClient, kept: Path | None) -> None:
        """Prepare.

        Args:
            client: Asks.
            kept: A file of replies, read now and written at the end of each; None: they are kept as long as this.
        """
        self._client = client
        self._kept = kept
        self._lock = threading.Lock()
        self._replies = _read(kept) if kept is not None else {}

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
        """
        digest = ModelRequest(list(messages), max_tokens, 0.0, repeat).digest(self.model)
        with self._lock:
            if digest in self._replies:
                return self._replies[digest]
        answer = self._client.complete(list(messages), max_tokens=max_tokens, repeat=repeat).text
        with self._lock:
            self._replies[digest] = answer
            if self._kept is not None:
                _keep(self._kept, digest, answer)
        return answer


def _read(path: Path) -> dict[str, str]:
    """Return the replies of a file; a line that is none, as a kill leaves it, is asked again."""
    found: dict[str, str] = {}
    if not path.is_file():
        return found
    if path.stat().st_size > MAX_BYTES:
        _log.warning("event=replies_not_read path=%s", path)
        return found
    for line in path.read_bytes().split(b"\n"):
        try:
            entry = json.loads(line)
            found[str(entry["digest"])] = str(entry["reply"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


def _keep(path: Path, digest: str, reply: str) -> None:
    if path.exists() and not path.is_file():
        _log.warning("event=reply_not_kept cause=no_plain_file path=%s", path)
        return
    try:
        with path.open("ab") as file:
            file.write(b"\n" + json.dumps({"digest": digest, "reply": reply}).encode())
    except OSError as error:  # it is asked again another time
        _log.warning("event=reply_not_kept cause=%s", error)
