"""The transcript: every request to a model with its answer or its failure, and never a key.

What an agent in a process of its own asks through us stands there by what it took alone.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from authoring.store.database.connections import timestamp
from authoring.store.workspace import Workspace


@dataclass(frozen=True)
class ModelCallRow:
    """One request to a model."""

    id: int
    purpose: str  # sketch | draft | dry_run | run, and others
    subject: str  # what it was about, such as "seed 3"
    digest: str  # of the request
    model: str
    host: str
    params: dict[str, Any]
    messages: list[dict[str, str]]  # role and content
    answer: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int  # of an agent's own client: those of the prompt among them
    seconds: float
    error: str  # why there is no answer; empty when there is one
    created_at: str
    job_id: int | None = None  # the job that asked
    cached_tokens: int = 0  # of the prompt, which the endpoint had read before
    cost: float | None = None  # in `currency`; None: no price is known
    currency: str = ""


def insert(
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
    job_id: int | None = None,
    cached_tokens: int = 0,
    cost: float | None = None,
    currency: str = "",
) -> int:
    """Keep one call and return its id."""
    row = {
        **{"purpose": purpose, "subject": subject, "digest": digest, "model": model, "host": host},
        **{"params": json.dumps(dict(params)), "messages": json.dumps([dict(m) for m in messages])},
        **{"answer": _storable(answer), "finish_reason": finish_reason, "error": _storable(error)},
        **{"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "seconds": seconds},
        **{"job_id": job_id, "cached_tokens": cached_tokens, "cost": cost, "currency": currency},
        "created_at": timestamp(),
    }
    with ws.write() as db:
        return int(db.table("model_call").insert(row).last_pk)


def settle(ws: Workspace, call_id: int, *, tokens: int, cost: float | None, seconds: float) -> None:
    """Say what a call took that was kept before it was sent; nobody tells how its tokens divide.

    Args:
        ws: The workspace.
        call_id: The call.
        tokens: Of prompt and answer together (count).
        cost: None: no price is known.
        seconds: From its start to its end.
    """
    sql = """UPDATE model_call SET prompt_tokens = 0, completion_tokens = ?, cost = ?, seconds = ?, error = ''
        WHERE id = ?"""
    with ws.write() as db:
        db.execute(sql, [tokens, cost, seconds, call_id])


def select(ws: Workspace, *, purpose: str | None = None, subject: str | None = None) -> list[ModelCallRow]:
    """Return the calls for a purpose and a subject, oldest first; None: whatever it is."""
    sql = """SELECT * FROM model_call WHERE (:purpose IS NULL OR purpose = :purpose)
        AND (:subject IS NULL OR subject = :subject) ORDER BY id"""
    with ws.read() as db:
        return [_row(row) for row in db.query(sql, {"purpose": purpose, "subject": subject})]


def recall(ws: Workspace, digest: str, *, host: str) -> ModelCallRow | None:
    """Return the newest finished call with this digest to that endpoint; None when there is none."""
    sql = "SELECT * FROM model_call WHERE digest = ? AND host = ? AND error = '' ORDER BY id DESC LIMIT 1"
    with ws.read() as db:
        rows = [_row(row) for row in db.query(sql, [digest, host])]
    return rows[0] if rows else None


def job_spending(ws: Workspace, job_id: int) -> tuple[int, float, float]:
    """Return what the calls of a job took, over all its starts: tokens, cost and seconds."""
    sql = """SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0), COALESCE(SUM(cost), 0.0),
        COALESCE(SUM(seconds), 0.0) FROM model_call WHERE job_id = ?"""
    with ws.read() as db:
        tokens, cost, seconds = db.execute(sql, [job_id]).fetchone()
    return int(tokens), float(cost), float(seconds)


def _row(row: Mapping[str, Any]) -> ModelCallRow:
    return ModelCallRow(**{**row, "params": json.loads(row["params"]), "messages": json.loads(row["messages"])})


def _storable(text: str) -> str:
    """Replace half characters, which SQLite cannot store."""
    return text.encode("utf-8", "replace").decode("utf-8")
