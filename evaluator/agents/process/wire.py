"""What crosses the lines to an agent's process, as JSON values: requests and outcomes out, cards and submissions in."""

import base64
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evaluator.agents.protocol import (
    AgentCard,
    AgentFailure,
    Execution,
    FailureKind,
    HistoryCell,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Submits,
    Variable,
)
from evaluator.errors import UsageError, error_from_os
from evaluator.models.metering import ProxyLimits
from evaluator.session import BRIEF, parse_encoding

PROTOCOL: Final = 1
MAX_CODE_CHARS: Final = 1_000_000
MAX_TEXT_CHARS: Final = 200_000
MAX_TRACE_TURNS: Final = 500
MAX_TRACE_CHARS: Final = 2_000_000
MAX_LABELS: Final = 20
MAX_SECONDS: Final = 1e6  # of one execution: more than any problem allows
_SHOWN_HALF: Final = 5_000
_NAME: Final = re.compile(r"[^\x21-\x7e]+")
COUNTS: Final = ("prompt_tokens", "completion_tokens", "cached_tokens", "calls")
_PICTURES: Final = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg"}


class UnreadableError(Exception):
    """What a process returned is not what was asked for; the text says what."""


def request_json(request: SolveRequest, exchange: Path, of_model: ProxyLimits | None = None) -> dict[str, Any]:
    """Return the parameters of `solve` and `retry`.

    Args:
        request: What is asked.
        exchange: A folder into which pictures of the history are written.
        of_model: What the agent may ask of the model that it is granted, at one problem; None: it is granted none.
    """
    feedback = request.feedback
    told: dict[str, Any] = {
        "session_id": request.session_id,
        "problem_id": request.problem_id,
        "index": request.index,
        "attempt": request.attempt,
        "epoch": request.epoch,
        "query": request.query,
        "history": [_cell(number, cell, exchange) for number, cell in enumerate(request.history, 1)],
        "variables": [variable_json(variable) for variable in request.variables],
        "files": [{"path": f"inputs/{name}", "size_bytes": request.sizes.get(name)} for name in request.files],
        "limits": {
            "wall_s": request.limits.wall_s,
            "executions": request.limits.executions,
            "model_calls": of_model.calls if of_model is not None else None,
            "tokens": of_model.tokens if of_model is not None else None,
        },
    }
    if feedback is not None:
        told["feedback"] = {"error": feedback.error, "output_text": feedback.output, "hint": feedback.hint}
        told["code"] = feedback.code
        told["state"] = "reset" if request.starts_anew else "kept"
    return told


def variable_json(variable: Variable) -> dict[str, str]:
    """Return a variable as the process sees it."""
    return {"name": variable.name, "type": variable.type, "text": variable.text}


def execution_json(execution: Execution, exchange: Path) -> dict[str, Any]:
    """Return what came of an execution; pictures are written below `exchange`."""
    error = execution.error
    told = None if error is None else {"ename": error.name, "evalue": error.message, "traceback": error.traceback}
    return {
        "number": execution.number,
        "status": execution.status.value,
        "outputs": _outputs(execution.outputs, exchange)[0],
        "error": told,
        "seconds": execution.seconds,
        "truncated": execution.truncated,
    }


def _cell(number: int, cell: HistoryCell, exchange: Path) -> dict[str, Any]:
    outputs, is_cut = _outputs(cell.outputs, exchange)
    return {
        "id": f"cell-{number}",
        "kind": cell.kind.value,
        "problem_id": cell.problem_id,
        "query": cell.query,
        "source": cell.source,
        "origin": cell.origin,
        "status": cell.status,
        "outputs": outputs,
        "truncated": is_cut,
    }


def _outputs(outputs: Sequence[Mapping[str, Any]], exchange: Path) -> tuple[list[dict[str, Any]], bool]:
    """Return outputs shaped as in nbformat, and whether something was cut."""
    shown, is_cut = [], False
    for output in outputs:
        made = dict(output)
        for name in ("text", "evalue"):
            if isinstance(made.get(name), str):
                made[name], cut = _cut(made[name])
                is_cut = is_cut or cut
        if isinstance(made.get("data"), Mapping):
            made["data"], cut = _data(made["data"], exchange)
            is_cut = is_cut or cut
        shown.append(made)
    return shown, is_cut


def _data(data: Mapping[str, Any], exchange: Path) -> tuple[dict[str, Any], bool]:
    made: dict[str, Any] = {}
    is_cut = False
    for kind, value in data.items():
        if kind in _PICTURES and isinstance(value, str):
            made[kind] = {"path": str(_written(kind, value, exchange)), "mime": kind}
        elif isinstance(value, str):
            made[kind], cut = _cut(value)
            is_cut = is_cut or cut
        else:
            made[kind] = value
    return made, is_cut


def _written(kind: str, value: str, exchange: Path) -> Path:
    try:
        content = value.encode() if kind == "image/svg+xml" else base64.b64decode(value, validate=False)
    except ValueError:  # code may show anything as a picture
        content = value.encode("utf-8", "replace")
    path = exchange / f"{hashlib.sha256(content).hexdigest()[:24]}.{_PICTURES[kind]}"
    if path.is_file() and not path.is_symlink():
        return path
    try:  # whole or not at all, and never through a link: without a sandbox the agent may have put one there
        descriptor, part = tempfile.mkstemp(dir=exchange)
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError as error:
        raise error_from_os(error) from error
    return path


def _cut(text: str) -> tuple[str, bool]:
    if len(text) <= 2 * _SHOWN_HALF:
        return text, False
    return f"{text[:_SHOWN_HALF]}\n[...]\n{text[-_SHOWN_HALF:]}", True


def read_card(answer: Any) -> AgentCard:
    """Return the card in the answer to `initialize`.

    Raises:
        UnreadableError: If there is none that we can use.
    """
    if not isinstance(answer, dict):
        raise UnreadableError("its answer to `initialize` is no object")
    spoken = answer.get("protocol")
    if spoken != PROTOCOL:
        raise UnreadableError(f"it speaks version {str(spoken)[:40]!r} of the protocol, we speak {PROTOCOL}")
    card = answer.get("agent")
    if not isinstance(card, dict) or not isinstance(card.get("name"), str) or not card["name"].strip():
        raise UnreadableError("its answer to `initialize` holds no `agent` with a `name`")
    submits = card.get("submits", Submits.CODE.value)
    if submits not in [each.value for each in Submits]:
        raise UnreadableError(f"it submits {str(submits)[:40]!r}, which is none of {', '.join(Submits)}")
    variables = card.get("variables")
    return AgentCard(
        name=_NAME.sub("-", card["name"])[:80],
        version=_NAME.sub("-", str(card.get("version", "1")))[:40],
        submits=Submits(submits),
        variables=bool(variables) and variables != "none",
        encoding=_encoding(variables),
        history=card.get("history", "code") not in ("none", None, False),
        files=card.get("files") is True,
        retry=card.get("retry", True) is not False,
        max_sessions=_count(card.get("max_sessions"), least=1) or 1,
    )


def _encoding(variables: Any) -> str:
    if not isinstance(variables, str) or variables in ("", "none", BRIEF):
        return BRIEF
    try:
        parse_encoding(variables)
    except UsageError as error:
        raise UnreadableError(f"`variables` of its card: {error}") from error
    return variables


def read_seconds(value: Any) -> float | None:
    """Return the seconds that an execution may take; None: what the problem allows.

    Raises:
        UnreadableError: If they are no time.
    """
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_SECONDS:  # NaN is not
        return value
    raise UnreadableError(f"`timeout_s` must be a number from 0 to {MAX_SECONDS:g}, or null")


def read_submission(answer: Any, session_id: str | None = None, submits: Submits = Submits.CODE) -> Submission:
    """Return the submission in the answer to `solve` or `retry`; what we do not know in it is passed over.

    Args:
        answer: A JSON value.
        session_id: Of the call; an answer need not name it, but must not name another one.
        submits: What the agent says it submits: of one that submits text, none is a text, too, and an empty one.

    Raises:
        UnreadableError: If it is none.
    """
    if not isinstance(answer, dict):
        raise UnreadableError(f"its answer is no submission, but {type(answer).__name__}")
    if session_id is not None and answer.get("session_id", session_id) != session_id:
        raise UnreadableError(f"its answer is one for another session: {str(answer['session_id'])[:40]!r}")
    code, text = answer.get("code"), answer.get("text")
    if code is not None and not isinstance(code, str):
        raise UnreadableError(f"`code` of its submission is no text, but {type(code).__name__}")
    if code is not None and len(code) > MAX_CODE_CHARS:
        raise UnreadableError(f"`code` of its submission has {len(code)} characters, more than {MAX_CODE_CHARS}")
    try:
        status = SubmissionStatus(answer.get("status", "ok"))
    except ValueError:
        raise UnreadableError(f"`status` of its submission is {str(answer.get('status'))[:40]!r}") from None
    return Submission(
        code=(code or "") if status is SubmissionStatus.OK else "",
        status=status,
        usage=read_usage(answer.get("usage")),
        labels=(*_labels(answer.get("labels")), *usage_labels(answer.get("usage"))),
        error=_failure(answer.get("error"), status),
        trace=_trace(answer.get("trace")),
        answer=_answer(text, status, submits),
    )


def _answer(text: Any, status: SubmissionStatus, submits: Submits) -> str | None:
    """Return what a submission closes with in prose; what comes with an error or a refusal is no answer."""
    if isinstance(text, str) and status in (SubmissionStatus.OK, SubmissionStatus.GAVE_UP):
        return text[:MAX_TEXT_CHARS]
    return "" if submits is Submits.TEXT else None


def read_usage(usage: Any) -> dict[str, Any]:
    """Return what of a usage can be one: counts from 0 on, a cost; what is not told is left out, and never 0."""
    if not isinstance(usage, dict):
        return {}
    read: dict[str, Any] = {name: usage[name] for name in COUNTS if _count(usage.get(name)) is not None}
    cost = usage.get("cost")
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 1e9:
        read["cost"] = cost
    return {**read, "usage_source": "reported"} if read else {}


def usage_labels(usage: Any) -> tuple[str, ...]:
    """Return the labels of a usage: whether it claims what cannot be one; null is no claim."""
    if usage is None:
        return ()
    read = read_usage(usage)
    claimed = [name for name in (*COUNTS, "cost") if usage.get(name) is not None] if isinstance(usage, dict) else [""]
    return ("usage-unreadable",) if any(name not in read for name in claimed) else ()


def _count(value: Any, *, least: int = 0) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and least <= value < 1e12
    return value if is_count else None


def _labels(labels: Any) -> tuple[str, ...]:
    if not isinstance(labels, list):
        return ()
    return tuple(_NAME.sub("-", label)[:40] for label in labels[:MAX_LABELS] if isinstance(label, str))


def _failure(error: Any, status: SubmissionStatus) -> AgentFailure | None:
    if not isinstance(error, dict):
        if status is SubmissionStatus.ERROR:
            return AgentFailure(FailureKind.AGENT, "the agent reports an error without saying which")
        return None
    try:
        kind = FailureKind(error.get("kind", "agent"))
    except ValueError:
        kind = FailureKind.AGENT
    return AgentFailure(kind, str(error.get("message", ""))[:2_000])


def _trace(trace: Any) -> tuple[Mapping[str, Any], ...]:
    """Return the turns of a conversation that are some; the last ones where it is too long."""
    if not isinstance(trace, list):
        return ()
    turns = [turn for turn in trace[-MAX_TRACE_TURNS:] if isinstance(turn, dict) and isinstance(turn.get("role"), str)]
    kept: list[Mapping[str, Any]] = []
    room = MAX_TRACE_CHARS
    for turn in reversed(turns):
        room -= len(json.dumps(turn))
        if room < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))
