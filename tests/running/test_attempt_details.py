from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.agents import Submission
from evaluator.records import AttemptKey, read_records
from evaluator.running import (
    DETAILS,
    AttemptDetails,
    AttemptResult,
    DetailsReader,
    OutputsKept,
)
from evaluator.running.attempt_details import MAX_OTHER, MAX_OUTPUTS, MAX_TEXT, DetailsFile, details_of
from evaluator.scoring import Judged, Verdict
from evaluator.session import Ending, ErrorView, Outcome
from tests.running.conftest import Run, WriteBenchmark, WriteRecords

NOISY = 'print("looked at", 3)\n{"a": 1}["b"]'


def attempted(*outputs: Mapping[str, Any], trace: tuple[Mapping[str, Any], ...] = (), error: str = "") -> AttemptResult:
    view = ErrorView("KeyError", error, error) if error else None
    outcome = Outcome(Ending.OK, "x", outputs=outputs, error=view)
    return AttemptResult("a", Submission("x", trace=trace), outcome, Judged(Verdict.CORRECT))


def printed(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": text}


NESTED = """
from IPython.display import JSON, display
for depth in (90, 520, 960, 5000):
    nested = 1
    for _ in range(depth):
        nested = {"a": nested}
    try:
        display(JSON(nested))
    except RecursionError:
        pass
"Rome"
"""


def test_a_run_keeps_what_submissions_printed_beside_its_records(
    write_benchmark: WriteBenchmark, write_records: WriteRecords, tmp_path: Path, run: Run
) -> None:
    codes = ("len(trips)", NOISY, NESTED)
    answers = [{"problemset": "trips", "index": index, "code": code} for index, code in enumerate(codes, start=1)]
    file, benchmark = write_records(tmp_path / "recorded.jsonl", answers), write_benchmark()
    found: dict[str, list[AttemptDetails]] = {}
    for kept in OutputsKept:
        out = run(benchmark, f"replay:{file}", out=kept.value, outputs=kept).out
        records = list(read_records(out / "records.jsonl"))
        assert [each.verdict for each in records] == ["CORRECT", "CRASH", "CORRECT"]
        assert "displays" in records[2].limits_hit  # a display that is nested without end stops no run
        told = [DetailsReader(out / DETAILS).find(each.key) for each in records]
        found[kept] = [each for each in told if each is not None]
    assert [len(found[kept]) for kept in OutputsKept] == [0 if kept is OutputsKept.NONE else 3 for kept in OutputsKept]
    silent, crashed, drawn = found[OutputsKept.PRINTED]
    assert (silent.outputs, crashed.outputs[0]) == ((), printed("looked at 3\n"))
    assert crashed.error is not None
    assert crashed.error["name"] == "KeyError"
    assert [output["data"]["text/plain"] for output in found[OutputsKept.SHOWN][0].outputs] == ["3"]
    assert [sorted(output["data"]) for output in drawn.outputs] == [["application/json", "text/plain"], ["text/plain"]]


def test_long_texts_keep_head_and_tail_and_large_pictures_are_only_named() -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "A" * (MAX_OTHER + 1)}, "metadata": {}}
    found = details_of(
        attempted(printed("a" * MAX_TEXT + "middle" + "b" * MAX_TEXT), picture, error="e" * (3 * MAX_TEXT))
    )
    text = found.outputs[0]["text"]
    assert text.startswith("aaa")
    assert text.endswith("bbb")
    assert "middle" not in text
    assert "20,006 characters are left out" in text
    assert found.outputs[1]["data"] == {"image/png": f"(image/png of {MAX_OTHER + 1:,} characters was not kept)"}
    assert found.error is not None
    assert len(found.error["traceback"]) < MAX_TEXT + 100
    assert found.is_shortened


def test_an_attempt_keeps_a_bounded_number_of_outputs_and_messages() -> None:
    trace = tuple({"role": "user", "content": str(number)} for number in range(500))
    found = details_of(attempted(*[printed("x")] * 1_000, trace=trace))
    assert len(found.outputs) == MAX_OUTPUTS
    assert [found.transcript[0]["content"], found.transcript[-1]["content"]] == ["0", "499"]
    assert found.is_shortened
    assert not details_of(attempted(printed("x"), trace=trace[:2])).is_shortened


def test_what_a_kill_cut_is_dropped_and_the_later_of_two_lines_counts(tmp_path: Path) -> None:
    path, key = tmp_path / DETAILS, AttemptKey("söt \ud800", 3, attempt=2, epoch=4)
    file = DetailsFile.open(path)
    file.append([(key, details_of(attempted(printed("first"))))])
    file.close()
    with path.open("ab") as cut:
        cut.write(b'no line of ours\n{"key": ["s", 1')
    file = DetailsFile.open(path)
    file.append([(key, details_of(attempted(printed("second")))), (AttemptKey("s", 1), details_of(attempted()))])
    file.close()
    reader = DetailsReader(path)
    found = reader.find(key)
    assert found is not None
    assert [output["text"] for output in found.outputs] == ["second"]
    assert reader.find(AttemptKey("s", 1)) is not None
    assert reader.find(AttemptKey("s", 2)) is None
    assert DetailsReader(tmp_path / "nowhere").find(key) is None
