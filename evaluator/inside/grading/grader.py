"""The grader process: `python -m evaluator.inside.grading.grader` answers GRADE frames with scores.

It runs on the toolkit's own interpreter, whatever environment problem code runs in, and reads texts and pictures only.
"""

import sys
from collections.abc import Mapping
from typing import Any, Final

from evaluator.inside.grading import texts
from evaluator.inside.grading.pictures import likeness
from evaluator.inside.runtime.answering import answer_frames, limit_processor_time
from evaluator.inside.runtime.frames import FrameKind, Packet, unpack_parts

MAX_TEXT: Final = 1024 * 1024
"""Of one side of a comparison (characters); more is cut."""


def grade(item: Mapping[str, Any], expected: bytes | None, found: bytes | None) -> dict[str, Any]:
    """Return `score` (a fraction, or None where the expected side cannot be compared) and `why` (empty, or one word).

    Args:
        item: `metric` (numeric | text | visual | final_answer) and `sound` (whether the sound reading is wanted).
        expected: The target: text in UTF-8, or a PNG; None where there is none, which nothing is like.
        found: What is compared; None where there is none.
    """
    metric, sound = item["metric"], bool(item["sound"])
    if expected is None:
        return {"score": 0.0, "why": "nothing-expected"}
    if found is None:
        return {"score": 0.0, "why": "nothing-found"}
    if metric == "visual":
        alike = likeness(expected, found, sound=sound)
        return {"score": alike.score, "why": alike.why}
    one, other = (each.decode("utf-8", "replace")[:MAX_TEXT] for each in (expected, found))
    if metric == "numeric":
        numeric = texts.numeric_soundly if sound else texts.numeric_as_published
        return {"score": numeric(one, other), "why": ""}
    if metric == "text":
        return {"score": texts.rouge_1(one, other, sound=sound), "why": ""}
    if metric == "final_answer":
        score = texts.final_answer(one, other, sound=sound)
        return {"score": score, "why": "" if score is not None else "unreadable-expected"}
    raise ValueError(f"no score is called {metric!r}")


def main() -> int:
    """Answer requests until the host closes its end; print nothing else."""
    return answer_frames(_answer, verb="grading")


def _answer(frame: Packet) -> tuple[FrameKind, dict[str, Any]]:
    if frame.kind != FrameKind.GRADE:
        raise ValueError(f"a grader does not answer frames of kind {frame.kind}")
    header, parts = unpack_parts(frame.body)
    limit_processor_time(float(header["limit_s"]))
    sides = zip(header["items"], parts[::2], parts[1::2], strict=True)
    return FrameKind.FINDINGS, {"grades": [grade(item, expected, found) for item, expected, found in sides]}


if __name__ == "__main__":
    sys.exit(main())
