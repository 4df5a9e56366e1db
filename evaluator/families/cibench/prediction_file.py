"""A run as a CIBench prediction file: the rounds of every step, read again by `predictions`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.families.cibench.benchmark_folder import described_sets, recorded_notebook
from evaluator.families.cibench.predictions import INTERPRETER
from evaluator.families.written_attempts import WrittenAttempt, WrittenRun
from evaluator.language import Benchmark
from evaluator.scoring.execution_log import NO_OUTPUT

_FINISHED, _CLOSING = 1, "FinishAction"  # a closing answer, as the harness names it
_OPEN, _NO_ERROR, _API_ERROR = 0, 0, -1002  # of the harness's states


def prediction_file(run: WrittenRun, benchmark: Benchmark) -> Iterator[bytes]:
    """Yield a prediction file: a JSON object by notebook index with gold, prediction, origin_prompt and steps.

    Args:
        run: What its agent did at each problem; one that was not asked has no rounds.
        benchmark: That was run; its notebooks' stored texts are the gold, an empty one where they lie no longer there.
    """
    places = described_sets(benchmark)
    indices = {places[loaded.name].position: loaded for loaded in benchmark.sets if loaded.problemset is not None}
    entries = {}
    for index, loaded in sorted(indices.items()):
        assert loaded.problemset is not None
        count = len(loaded.problemset.problems)
        tried = [run.attempts(loaded.name, number) for number in range(1, count + 1)]
        if not any(tried):
            continue
        notebook = recorded_notebook(benchmark, loaded.name)
        stored = [step.expected.text or "" for step in notebook.steps] if notebook is not None else []
        entries[str(index)] = {
            "gold": (stored + [""] * count)[:count],
            "prediction": [attempts[-1].closing or attempts[-1].reply if attempts else "" for attempts in tried],
            "origin_prompt": [attempts[0].query if attempts else "" for attempts in tried],
            "steps": [[part for each in attempts for part in _rounds(each)] for attempts in tried],
        }
    yield json.dumps(entries, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"


def _rounds(attempt: WrittenAttempt) -> Iterator[Mapping[str, Any]]:
    """Yield the rounds of an attempt as the harness writes them: an execution, a closing answer, or both."""
    if attempt.ran:
        yield _execution(attempt)
    if not attempt.ran or attempt.closing:
        answer = {"text": attempt.closing}
        yield {
            "type": _CLOSING,
            "args": answer,
            "result": {**answer, "image_path": ""},
            "thought": "",
            "state": _NO_ERROR,
            "errmsg": None,
            "valid": _FINISHED,
        }


def _execution(attempt: WrittenAttempt) -> Mapping[str, Any]:
    """Return an executed action; a failed one has no result."""
    result = {"text": attempt.text or NO_OUTPUT, "image_path": _links(attempt.pictures)} if attempt.succeeded else None
    return {
        "type": INTERPRETER,
        "args": {"text": attempt.code, "extract_code": attempt.code},
        "result": result,
        "thought": attempt.thought,
        "state": _NO_ERROR if attempt.succeeded else _API_ERROR,
        "errmsg": None if attempt.succeeded else attempt.error,
        "valid": _OPEN,
    }


def _links(pictures: Sequence[str]) -> str:
    return "\n".join(f"![fig-{number:03d}]({path})" for number, path in enumerate(pictures, start=1))
