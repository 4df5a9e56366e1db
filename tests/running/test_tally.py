import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ContentError
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.running.run_folder import RecordsFile
from evaluator.running.tally import ProblemKey, Tally, lines_without, read_answers, read_tally

VERDICTS = ("CORRECT", "CRASH", "NOT_JUDGED")
keys = st.builds(ProblemKey, st.sampled_from("ab"), st.integers(1, 9), st.integers(1, 3))


@given(st.lists(st.tuples(keys, st.sampled_from([*VERDICTS, ""]))))
def test_a_tally_says_what_a_table_of_all_verdicts_says(events: list[tuple[ProblemKey, str]]) -> None:
    tally, table = Tally(), dict[ProblemKey, str]()
    for key, verdict in events:
        if verdict:
            tally.add(key, verdict)
            table[key] = verdict
        else:
            tally.remove(key)
            table.pop(key, None)
    assert tally.total == len(table)
    assert tally.counts == {name: n for name in VERDICTS if (n := list(table.values()).count(name))}
    for name in "ab":
        for epoch in (1, 2, 3):
            open_ones = [index for index in range(1, 10) if ProblemKey(name, index, epoch) not in table]
            assert tally.missing(name, epoch, 9) == open_ones


def line(index: int, verdict: str = "CORRECT", **more: Any) -> dict[str, Any]:
    return {"problemset": "trips", "index": index, "attempt": 1, "verdict": verdict, "code": "1"} | more


def written(tmp_path: Path, *lines: dict[str, Any] | str) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in lines))
    return path


def test_a_problem_cut_off_between_two_attempts_is_open_and_its_lines_are_of_no_use(tmp_path: Path) -> None:
    first, whole = line(1, "CRASH", is_last=False), line(2, "CRASH", is_last=False)
    path = written(tmp_path, whole, line(2, attempt=2), first)
    tally, useless = read_tally(path)
    assert tally.missing("trips", 1, 3) == [1, 3]
    assert useless == {ProblemKey("trips", 1, 1)}
    assert [json.loads(each)["index"] for each in lines_without(path, useless)] == [2, 2]


def test_lines_of_an_older_run_have_one_attempt_and_epoch(tmp_path: Path) -> None:
    path = written(tmp_path, {"problemset": "trips", "index": 2, "verdict": "CRASH"})
    tally, useless = read_tally(path)
    assert (tally.missing("trips", 1, 2), tally.counts, useless) == ([1], {"CRASH": 1}, frozenset())


def test_a_last_line_without_an_end_is_not_counted_even_if_it_reads(tmp_path: Path) -> None:
    path = written(tmp_path, line(1), json.dumps(line(2)))
    assert read_tally(path)[0].missing("trips", 1, 2) == [2]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{\n", "line is no result record"),
        ("[]\n", "no object"),
        ('{"problemset": "trips", "index": 0, "verdict": "CRASH"}\n', "index: not a number from 1"),
        ('{"problemset": "trips", "index": true, "verdict": "CRASH"}\n', "index: not a number from 1"),
        ('{"problemset": "trips", "index": 1, "attempt": "1", "verdict": "CRASH"}\n', "attempt: not a number"),
        ('{"problemset": 7, "index": 1, "verdict": "CRASH"}\n', "problemset: not a text"),
        ('{"problemset": "trips", "index": 1}\n', "verdict: not a text"),
    ],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, bad: str, said: str) -> None:
    path = written(tmp_path, line(1), bad, line(3))
    with pytest.raises(ContentError, match=said) as caught:
        read_tally(path)
    assert caught.value.where == f"{path}:2"


def test_answers_are_read_by_problemset_and_epoch_with_all_their_attempts(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        line(1, "CRASH", code="a", is_last=False),
        line(1, attempt=2, code="b", state_after="kept"),
        line(1, epoch=2, code="other epoch"),
        line(2, problemset="trips more", code="other set"),
        line(3, "TIMEOUT", code=None, state_after="rolled-back"),
    )
    assert read_answers(path, "trips", 1) == {
        1: PriorAnswer(("a", "b"), "CORRECT", "kept"),
        3: PriorAnswer(("",), "TIMEOUT", "rolled-back"),
    }


@given(st.binary(max_size=300), st.integers(0, 3))
def test_opening_keeps_whole_lines_only(data: bytes, long_lines: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        content = b"x" * 70_000 * long_lines + data
        path.write_bytes(content)
        RecordsFile.open(path).close()
        assert path.read_bytes() == content[: content.rfind(b"\n") + 1]
