"""The comparator process: `python -m evaluator.inside.comparator` answers JUDGE frames.

It decodes claims and compares data. It never executes a submission's code, never unpickles, and lives on after any
request. An author's own comparisons run in forks of it.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evaluator.inside.claim import BadClaim, decode_claim
from evaluator.inside.decoded import DecodedOutcome
from evaluator.inside.frames import Frame, FrameError, Kind, read_frame, unpack_parts, write_frame
from evaluator.inside.inspection import inspect
from evaluator.inside.judging import judge
from evaluator.inside.probe_reports import read_reports, with_declared_values


def main(arguments: Sequence[str] = ()) -> int:
    """Answer requests until the host closes its end; print nothing else.

    Args:
        arguments: The number of the descriptor to talk over; without one, stdin and stdout.
    """
    requests, answers = (int(arguments[0]), int(arguments[0])) if arguments else (os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)  # whatever a library prints must not mix with frames
    return serve(requests, answers)


def serve(requests: int, answers: int) -> int:
    """Answer the frames that arrive on one descriptor on another one; 0 at the end of the stream."""
    while True:
        try:
            frame = read_frame(requests)
        except FrameError:
            return 1  # the host is confused or gone: it starts another comparator
        if frame is None:
            return 0
        try:
            kind, answer = _answer(frame)
        except Exception as error:  # noqa: BLE001  nothing in a request may end the process
            kind, answer = Kind.FAILED, {"reason": f"{type(error).__name__} while judging"}
        write_frame(answers, kind, json.dumps(answer, allow_nan=False).encode())


def _answer(frame: Frame) -> tuple[Kind, dict[str, Any]]:
    if frame.kind != Kind.JUDGE:
        return Kind.FAILED, {"reason": f"a comparator does not answer frames of kind {frame.kind}"}
    header, claims = unpack_parts(frame.body)
    first = 2 + len(header["reference"].get("probes", ()))
    answers = {"reference": claims[2:first], "submission": claims[first:]}
    outcomes: list[DecodedOutcome] = []
    for side, claim in zip(("reference", "submission"), claims[:2], strict=True):
        try:
            outcome = decode_claim(claim, header[side])
            outcome = replace(outcome, reports=read_reports(answers[side], header[side]))
            outcomes.append(with_declared_values(outcome, header[side]))
        except BadClaim as error:
            return Kind.BAD_CLAIM, {"side": side, "reason": str(error)[:500]}
    if header.get("inspect") is True:
        return Kind.FINDINGS, {"opaque": inspect(outcomes[0], header["validators"])}
    return Kind.FINDINGS, judge(outcomes[0], outcomes[1], header["validators"], rules=str(header["rules"]))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
