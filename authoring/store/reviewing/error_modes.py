"""Error modes of failures that people confirmed or changed: rules only propose them."""

import hashlib
import json
from dataclasses import dataclass
from typing import Final

from authoring.store.database.connections import timestamp
from authoring.store.runs import AttemptRow
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.records import AttemptKey

ERROR_MODES: Final = ("following", "hallucination", "reasoning", "code")
"""How failures come about (arXiv:2407.10499, section 4)."""


@dataclass(frozen=True)
class ConfirmedMode:
    """What a person says of how a failure came about."""

    key: AttemptKey
    mode: str  # one of ERROR_MODES
    proposed: str  # what the rules took for it then; empty: nothing
    subject: str  # digest of the failure, from `failure_digest`
    by: str
    at: str  # UTC time


def failure_digest(verdict: str, code: str) -> str:
    """Return what a confirmation is about: another submission or verdict in its place is another failure."""
    return hashlib.sha256(json.dumps([verdict, code]).encode()).hexdigest()[:32]


def confirm_error_mode(ws: Workspace, attempt: AttemptRow, mode: str, *, proposed: str = "", by: str) -> None:
    """Keep the error mode of an attempt; a later word takes the place of an earlier one.

    Raises:
        UsageError: If there is no such mode, or the attempt did not fail.
    """
    if mode not in ERROR_MODES:
        raise UsageError(f"no error mode is called {mode!r}", fix=f"use one of {', '.join(ERROR_MODES)}")
    if attempt.verdict in ("CORRECT", "NOT_JUDGED"):
        raise UsageError("the attempt did not fail, so it has no error mode", fix="choose one that failed")
    row = {
        **{"run_id": attempt.run_id, "problemset": attempt.problemset, "position": attempt.position},
        **{"epoch": attempt.epoch, "attempt": attempt.attempt, "mode": mode, "proposed": proposed},
        "subject": failure_digest(attempt.verdict, str(attempt.record.get("code") or "")),
        **{"by": by, "created_at": timestamp()},
    }
    with ws.write() as db:
        db.table("error_mode").insert(row, replace=True)


def withdraw_error_mode(ws: Workspace, attempt: AttemptRow) -> None:
    """Forget what was said of an attempt: the proposal of the rules stands again."""
    key = [attempt.run_id, attempt.problemset, attempt.position, attempt.epoch, attempt.attempt]
    with ws.write() as db:
        db.execute(
            "DELETE FROM error_mode WHERE run_id = ? AND problemset = ? AND position = ? AND epoch = ? AND attempt = ?",
            key,
        )


def confirmed_error_modes(ws: Workspace, run_id: int) -> dict[AttemptKey, ConfirmedMode]:
    """Return what people said of a run's failures. It holds where `subject` is still that of the failure."""
    sql = """SELECT problemset, position, attempt, epoch, mode, proposed, subject, by, created_at FROM error_mode
        WHERE run_id = ? ORDER BY problemset, position, epoch, attempt"""
    with ws.read() as db:
        rows = db.execute(sql, [run_id]).fetchall()
    return {AttemptKey(*row[:4]): ConfirmedMode(AttemptKey(*row[:4]), *row[4:]) for row in rows}
