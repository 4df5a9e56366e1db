"""Replays: the records of a run, or of a published one, as an agent."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import NO_RECORD, ReplayAgent, SolveLimits, SolveRequest, parse_agent
from evaluator.errors import ContentError, ToolkitError, UsageError


def request(problemset: str = "trips", index: int = 1, query: str = "Count the rows.") -> SolveRequest:
    return SolveRequest(problemset, problemset, f"p{index}", index, query, SolveLimits(wall_s=1.0))


def record(**changes: Any) -> dict[str, Any]:
    published = {
        "benchmark": "demo", "version": "1", "problemset": "trips", "index": 1, "attempt": 1, "verdict": "CORRECT",
        "subverdict": "UNCATEGORIZED", "extended_verdict": "", "question": "Count the rows.", "agent_exception": None,
        "validation": {"correct": "yes", "category": "and", "reason": ""}, "code": "len(df)",
        "agent_stats": {"prompt_tokens": 12, "completion_tokens": 3}, "a_field_of_the_future": [1, 2],
    }  # fmt: skip
    return published | changes


def replay(folder: Path, *records: dict[str, Any], allow_mismatch: bool = False) -> ReplayAgent:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return ReplayAgent.from_file(path, allow_mismatch=allow_mismatch)


def test_records_are_found_by_problemset_and_index_the_last_one_first(tmp_path: Path) -> None:
    later = (record(problemset="other.py", code="c"), record(index=3, code=None), record(code="new"))
    agent = replay(tmp_path, record(code="old"), record(index=2, code="b"), *later)
    submission = agent.solve(request())
    assert (submission.code, submission.usage) == ("new", {"prompt_tokens": 12, "completion_tokens": 3})
    assert agent.solve(request(index=2)).code == "b"
    assert agent.solve(request(index=3)).code == ""
    assert agent.solve(request(problemset="other")).code == "c"


def test_problems_without_a_record_are_labelled_and_told_of(tmp_path: Path) -> None:
    agent = replay(tmp_path, record())
    assert agent.solve(request()).code
    assert agent.describe().notes == ()
    for index in (9, 2, 3, 4, 5, 6, 2):
        submission = agent.solve(request(index=index))
        assert (submission.code, submission.labels) == ("", (NO_RECORD,))
    (note,) = agent.describe().notes
    assert note.startswith("6 problems have no record in ")
    assert note.endswith("judged: trips:2, trips:3, trips:4, trips:5, trips:6, ...")


def test_another_query_under_the_same_key_is_an_error_unless_allowed(tmp_path: Path) -> None:
    other = record(question="Count the columns.")
    with pytest.raises(ContentError, match="answers another query: 'Count the columns") as caught:
        replay(tmp_path, other).solve(request())
    assert "--allow-mismatch" in caught.value.fix
    assert replay(tmp_path, other, allow_mismatch=True).solve(request()).code == "len(df)"
    assert replay(tmp_path, record(question="Count\n the rows.\n")).solve(request()).code == "len(df)"


def test_a_broken_line_is_named_by_its_number_and_a_cut_last_one_left_out(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    for line, said in {b'{"problemset": "trips"}': "index", b"[" * 100_000: "no result record"}.items():
        path.write_bytes(json.dumps(record()).encode() + b"\n\n" + line + b"\n")
        with pytest.raises(ContentError) as caught:
            ReplayAgent.from_file(path)
        assert caught.value.where == f"{path}:3"
        assert said in caught.value.what
    path.write_text(json.dumps(record()) + "\n" + json.dumps(record(index=2))[:60])
    agent = ReplayAgent.from_file(path)
    assert agent.solve(request()).code == "len(df)"
    assert agent.describe().notes == (f"the last line of {path} is cut short and left out",)
    assert agent.solve(request(index=2)).labels == (NO_RECORD,)


def test_two_files_of_other_content_are_two_versions_of_the_agent(tmp_path: Path) -> None:
    one, other = replay(tmp_path, record()).describe(), replay(tmp_path, record(code="other")).describe()
    assert one.name == other.name == "replay"
    assert one.version != other.version


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


def test_a_replay_needs_a_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(UsageError) as caught:
            parse_agent(f"replay:{path}")
        assert caught.value.where == str(path)
    with pytest.raises(UsageError, match="a folder, not a records file"):
        parse_agent(f"replay:{tmp_path}")
    for text in ("replay", "replay:"):
        with pytest.raises(UsageError) as caught:
            parse_agent(text)
        assert caught.value.fix == "use replay:FILE"
