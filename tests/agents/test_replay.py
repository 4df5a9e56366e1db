import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import NO_RECORD, ReplayAgent, SolveLimits, SolveRequest
from evaluator.errors import ContentError, ToolkitError, UsageError


def record(**changes: Any) -> dict[str, Any]:
    published = {
        "benchmark": "demo",
        "version": "1",
        "problemset": "trips",
        "index": 1,
        "attempt": 1,
        "verdict": "CORRECT",
        "subverdict": "UNCATEGORIZED",
        "extended_verdict": "",
        "question": "Count the rows.",
        "agent_exception": None,
        "validation": {"correct": "yes", "category": "and", "reason": ""},
        "code": "len(df)",
        "agent_stats": {"prompt_tokens": 12, "completion_tokens": 3},
        "a_field_of_the_future": [1, 2],
    }
    return published | changes


def replay(folder: Path, *records: dict[str, Any], allow_mismatch: bool = False) -> ReplayAgent:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return ReplayAgent.from_file(path, allow_mismatch=allow_mismatch)


def request(problemset: str = "trips", index: int = 1, query: str = "Count the rows.") -> SolveRequest:
    return SolveRequest(
        session_id=problemset,
        problemset=problemset,
        problem_id=f"p{index}",
        index=index,
        query=query,
        limits=SolveLimits(wall_s=1.0),
    )


def test_a_published_record_is_resubmitted_with_its_statistics(tmp_path: Path) -> None:
    submission = replay(tmp_path, record()).solve(request())
    assert submission.code == "len(df)"
    assert submission.usage == {"prompt_tokens": 12, "completion_tokens": 3}


def test_records_are_found_by_problemset_and_index(tmp_path: Path) -> None:
    agent = replay(tmp_path, record(code="a"), record(index=2, code="b"), record(problemset="other.py", code="c"))
    assert agent.solve(request(index=2)).code == "b"
    assert agent.solve(request(problemset="other")).code == "c"


def test_a_later_record_replaces_an_earlier_one(tmp_path: Path) -> None:
    agent = replay(tmp_path, record(code="old"), record(code="new"))
    assert agent.solve(request()).code == "new"


def test_a_missing_record_is_an_empty_submission_with_a_label(tmp_path: Path) -> None:
    submission = replay(tmp_path, record()).solve(request(index=7))
    assert submission.code == ""
    assert submission.labels == (NO_RECORD,)


def test_problems_without_a_record_are_told_of(tmp_path: Path) -> None:
    agent = replay(tmp_path, record())
    assert agent.solve(request()).code
    assert agent.describe().notes == ()
    for index in (9, 2, 3, 4, 5, 6, 2):
        agent.solve(request(index=index))
    (note,) = agent.describe().notes
    assert note.startswith("6 problems have no record in ")
    assert note.endswith("judged: trips:2, trips:3, trips:4, trips:5, trips:6, ...")


def test_a_record_without_code_is_an_empty_submission(tmp_path: Path) -> None:
    assert replay(tmp_path, record(code=None)).solve(request()).code == ""


def test_another_query_under_the_same_key_is_an_error(tmp_path: Path) -> None:
    agent = replay(tmp_path, record(question="Count the columns."))
    with pytest.raises(ContentError, match="answers another query: 'Count the columns") as caught:
        agent.solve(request())
    assert "--allow-mismatch" in caught.value.fix


def test_another_query_is_answered_when_mismatches_are_allowed(tmp_path: Path) -> None:
    agent = replay(tmp_path, record(question="Count the columns."), allow_mismatch=True)
    assert agent.solve(request()).code == "len(df)"


def test_a_query_that_differs_in_white_space_only_is_the_same(tmp_path: Path) -> None:
    agent = replay(tmp_path, record(question="Count\n the rows.\n"))
    assert agent.solve(request()).code == "len(df)"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"problemset": "trips", "ind', "Invalid"),
        ('{"problemset": "trips"}', "index"),
        ('{"problemset": "trips", "index": "one"}', "index"),
        ('{"problemset": "trips", "index": 0}', "index"),
        ("[1, 2]", "no result record"),
        ("[" * 100_000, "no result record"),
    ],
)
def test_a_broken_line_is_named_by_its_number(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(record()) + "\n\n" + line + "\n")
    with pytest.raises(ContentError) as caught:
        ReplayAgent.from_file(path)
    assert caught.value.where == f"{path}:3"
    assert said in caught.value.what


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b'{"problemset": "tr\xff"}\n')
    with pytest.raises(ContentError, match="utf-8") as caught:
        ReplayAgent.from_file(path)
    assert caught.value.where == f"{path}:1"


def test_two_files_of_other_content_are_two_versions_of_the_agent(tmp_path: Path) -> None:
    one = replay(tmp_path, record()).describe()
    other = replay(tmp_path, record(code="other")).describe()
    assert one.name == other.name == "replay"
    assert one.version != other.version


def test_a_last_line_cut_short_is_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(record()) + "\n" + json.dumps(record(index=2))[:60])
    agent = ReplayAgent.from_file(path)
    assert agent.solve(request()).code == "len(df)"
    assert agent.describe().notes == (f"the last line of {path} is cut short and left out",)
    assert agent.solve(request(index=2)).labels == (NO_RECORD,)


def test_replaced_records_are_counted_and_said(tmp_path: Path) -> None:
    agent = replay(tmp_path, record(code="old"), record(index=2), record(code="newer"), record(code="new"))
    (note,) = agent.describe().notes
    assert note.startswith("2 records are replaced by later lines of ")
    assert replay(tmp_path, record(), record(attempt=2), record(epoch=2, code="again")).describe().notes == ()


def test_a_file_that_changes_under_a_replay_is_our_failure(tmp_path: Path) -> None:
    agent = replay(tmp_path, record())
    (tmp_path / "records.jsonl").write_text("other")
    with pytest.raises(ToolkitError, match="has changed"):
        agent.solve(request())


def test_a_missing_file_and_a_folder_are_wrong_usage(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(UsageError) as caught:
            ReplayAgent.from_file(path)
        assert caught.value.where == str(path)
