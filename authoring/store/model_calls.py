"""The transcript: every request to a model with its answer or its failure, and never a key."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from authoring.store.clock import timestamp
from authoring.store.workspace import Workspace


@dataclass(frozen=True)
class ModelCallRow:
    """One request to a model."""

    id: int
    purpose: str  # sketch | draft | dry_run
    subject: str  # what it was about, such as "seed 3"
    digest: str  # of the request
    model: str
    host: str
    params: dict[str, Any]
    messages: list[dict[str, str]]  # role and content
    answer: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    error: str  # why there is no answer; empty when there is one
    created_at: str


def insert_model_call(
    ws: Workspace,
    *,
    purpose: str,
    subject: str,
    digest: str,
    model: str,
    host: str,
    params: Mapping[str, Any],
    messages: Sequence[Mapping[str, str]],
    answer: str = "",
    finish_reason: str = "",
    prompt_tokens: int = 0,
    completion_tokens: int = 0,
    seconds: float = 0.0,
    error: str = "",
) -> int:
    """Keep one call and return its id."""
    row = {
        **{"purpose": purpose, "subject": subject, "digest": digest, "model": model, "host": host},
        **{"params": json.dumps(dict(params)), "messages": json.dumps([dict(m) for m in messages])},
        **{"answer": _storable(answer), "finish_reason": finish_reason, "error": _storable(error)},
        **{"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "seconds": seconds},
        "created_at": timestamp(),
    }
    with ws.write() as db:
        return int(db.table("model_call").insert(row).last_pk)


def list_model_calls(ws: Workspace, *, purpose: str | None = None, subject: str | None = None) -> list[ModelCallRow]:
    """Return the calls for a purpose and a subject, oldest first; None: whatever it is."""
    sql = """SELECT * FROM model_call WHERE (:purpose IS NULL OR purpose = :purpose)
        AND (:subject IS NULL OR subject = :subject) ORDER BY id"""
    with ws.read() as db:
        rows = list(db.query(sql, {"purpose": purpose, "subject": subject}))
    return [
        ModelCallRow(**{**row, "params": json.loads(row["params"]), "messages": json.loads(row["messages"])})
        for row in rows
    ]


def _storable(text: str) -> str:
    """Replace half characters, which SQLite cannot store."""
    return text.encode("utf-8", "replace").decode("utf-8")
