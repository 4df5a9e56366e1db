"""A run as result lines of the Qwen benchmark: each record with what its agent did, read again by `records`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.families.qwen.benchmark_folder import records_of
from evaluator.families.qwen.board import ACCURACY, EXECUTABLE, MISSING
from evaluator.families.qwen.records import QwenRecord
from evaluator.families.written_attempts import WrittenAttempt, WrittenRun
from evaluator.language import Benchmark
from evaluator.scoring.execution_log import NO_OUTPUT

_TOOL = "code_interpreter"


def result_lines(run: WrittenRun, benchmark: Benchmark) -> Iterator[bytes]:
    """Yield a line for each record that was tried: its own fields, then `gen`, `code` and what came of it.

    Args:
        run: What its agent did at each problem.
        benchmark: That was run.

    Raises:
        ContentError: If a problemset has errors, or not exactly one problem.
    """
    for name, record in records_of(benchmark).items():
        attempts = run.attempts(name, 1)
        if attempts:
            fields = {**record.fields, **_result(record, attempts)}
            yield json.dumps(fields, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _result(record: QwenRecord, attempts: Sequence[WrittenAttempt]) -> Mapping[str, Any]:
    scores, text = attempts[-1].scores, transcript(attempts)
    if record.is_word_problem:
        answer = text if any(each.reply or each.closing for each in attempts) else attempts[-1].text
        return {"completion": answer, "acc": bool(scores.get(ACCURACY))}
    ran = [each for each in attempts if each.ran]
    counted = ran if record.counts_all_actions else ran[:1]
    result: dict[str, Any] = {
        "gen": text,
        "code": "".join(f"# concat\n{each.code}\n" for each in counted),
        "executable_code": bool(scores.get(EXECUTABLE)),
        "missing_code": bool(scores.get(MISSING)),
        "code_error_info": next((each.error for each in counted if not each.succeeded), ""),
    }
    judged = scores.get(ACCURACY)
    return result if judged is None else {**result, "vis_acc": bool(judged)}


def transcript(attempts: Sequence[WrittenAttempt]) -> str:
    """Return what an agent wrote and was told, as lines that begin with `Thought:`, `Action:` and the like."""
    parts = []
    for attempt in attempts:
        if not attempt.ran:
            parts.append(attempt.closing)
            continue
        shown = attempt.text if attempt.succeeded else f"error:\n\n```\n{attempt.error}\n```"
        links = [f"![fig-{number:03d}]({path})" for number, path in enumerate(attempt.pictures, start=1)]
        told = "\n\n".join([shown, *links] if shown else links) or NO_OUTPUT
        written = attempt.reply.rstrip() or _made_up(attempt)
        parts.append(f"{written}\nObservation: {told}\nThought:{attempt.closing}")
    return "".join(parts).removesuffix("\nThought:")


def _made_up(attempt: WrittenAttempt) -> str:
    """Return an action in the layout of the benchmark, for an agent that writes none."""
    return f" I run this code.\nAction: {_TOOL}\nAction Input:\n```py\n{attempt.code}\n```"
