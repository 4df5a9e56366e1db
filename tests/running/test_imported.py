import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError, UsageError
from evaluator.reporting import summarise_run
from evaluator.running import (
    AttemptKey,
    BadRecordsError,
    DetailsReader,
    OutputsKept,
    import_results,
    last_records,
    parse_identity,
    read_records,
)
from tests.running.conftest import Run, WriteBenchmark, WriteRecords

PROBLEM = '# %%\n"""\nquestion: How many rows?\n"""\n3\n'


def published(index: int = 1, verdict: str = "CORRECT", **changes: Any) -> dict[str, Any]:
    record = {"benchmark": "trips-demo", "version": 1, "problemset": "trips", "index": index, "attempt": 1}
    told = {"verdict": verdict, "subverdict": None, "extended_verdict": None, "question": "How many rows?\n"}
    rest = {"agent_exception": "", "validation": {"correct": "yes"}, "code": "3", "agent_stats": {"prompt_tokens": 7}}
    return record | told | rest | changes


def test_a_published_file_becomes_a_run_folder(tmp_path: Path, write_records: WriteRecords) -> None:
    records = [published(1), published(2, "CRASH", note="ours"), published(1, "TIMEOUT", problemset="zoo")]
    file = write_records(tmp_path / "model-a.jsonl", records)
    imported = import_results(file, tmp_path / "out")
    assert (imported.benchmark, imported.version, imported.records, imported.replaced) == ("trips-demo", "1", 3, 0)
    lines = [json.loads(line) for line in (imported.out / "records.jsonl").read_text().splitlines()]
    assert [each["verdict"] for each in lines] == ["CORRECT", "CRASH", "TIMEOUT"]
    assert {(each["subverdict"], each["version"]) for each in lines} == {("UNCATEGORIZED", "1")}
    assert lines[1]["note"] == "ours"
    report = summarise_run(last_records(read_records(imported.out / "records.jsonl")).values())
    assert (report.total.records, report.total.rates.pass_rate) == (3, 1 / 3)


def test_the_manifest_says_that_the_run_is_imported(tmp_path: Path, write_records: WriteRecords) -> None:
    file = write_records(tmp_path / "model-a.jsonl", [published(2), published(1, problemset="zoo", attempt=3)])
    out = import_results(file, tmp_path / "out").out
    told = json.loads((out / "manifest.json").read_text())["imported"]
    assert (told["file"], told["records"], len(told["sha256"])) == ("model-a.jsonl", 2, 64)
    one = parse_identity(out / "manifest.json")
    assert (one.agent, one.rules, one.sandbox, one.max_attempts) == ("model-a", "published", "unknown", 3)
    assert [(each.name, each.problems) for each in one.sets] == [("trips", 2), ("zoo", 1)]
    ours = published(environment="e1", sandbox="bwrap", scoring_version="3")
    out = import_results(write_records(tmp_path / "ours.jsonl", [ours]), tmp_path / "ours").out
    one = parse_identity(out / "manifest.json")  # no guess at the rules
    assert (one.rules, one.environment, one.sandbox, one.scoring_version) == ("unknown", "e1", "bwrap", "3")


def test_later_lines_replace_earlier_ones_and_none_is_lost(tmp_path: Path, write_records: WriteRecords) -> None:
    file = write_records(tmp_path / "file.jsonl", [published(1, "CRASH"), published(2), published(1, "CORRECT")])
    imported = import_results(file, tmp_path / "out")
    assert (imported.records, imported.replaced) == (3, 1)
    kept = list(read_records(imported.out / "records.jsonl"))
    assert [record.verdict for record in kept] == ["CRASH", "CORRECT", "CORRECT"]


def test_every_bad_line_is_named_and_nothing_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    good = json.dumps(published())
    file.write_text(f'{good}\nnonsense\n\n{good}\n{{"problemset": "trips", "index": 0}}\n')
    with pytest.raises(BadRecordsError, match="2 lines are no records") as caught:
        import_results(file, tmp_path / "out")
    told = [(each.line, each.path, each.code) for each in caught.value.diagnostics]
    assert told == [(2, file, "bad-record"), (5, file, "bad-record")]
    assert not (tmp_path / "out").exists()
    file.write_text(json.dumps(published()) + "\n" + json.dumps(published(2))[:50])
    imported = import_results(file, tmp_path / "out")
    assert (imported.records, imported.cut) == (1, True)


def test_a_file_that_is_missing_empty_or_about_two_benchmarks_is_refused(
    tmp_path: Path, write_records: WriteRecords
) -> None:
    file, out = tmp_path / "file.jsonl", tmp_path / "out"
    with pytest.raises(UsageError, match="no such records file"):
        import_results(file, out)
    for text in ("", "\n\n"):
        file.write_text(text)
        with pytest.raises(ContentError, match="holds no record"):
            import_results(file, out)
    write_records(file, [published(), published(benchmark="other")])
    with pytest.raises(ContentError, match="several benchmarks: other, trips-demo"):
        import_results(file, out)


def test_a_folder_that_holds_a_run_is_left_alone(tmp_path: Path, write_records: WriteRecords) -> None:
    file = write_records(tmp_path / "file.jsonl", [published()])
    import_results(file, tmp_path / "out")
    before = (tmp_path / "out" / "records.jsonl").read_bytes()
    with pytest.raises(ContentError, match="holds a run already"):
        import_results(write_records(tmp_path / "other.jsonl", [published(2)]), tmp_path / "out")
    assert (tmp_path / "out" / "records.jsonl").read_bytes() == before


def test_records_are_compared_with_the_benchmark(
    tmp_path: Path, write_records: WriteRecords, write_benchmark: WriteBenchmark
) -> None:
    benchmark = write_benchmark({"trips": PROBLEM})
    others = [published(2), published(1, problemset="zoo"), published(1, attempt=2, question="How many columns?")]
    file = write_records(tmp_path / "file.jsonl", [published(1), *others])
    imported = import_results(file, tmp_path / "out", benchmark=benchmark)
    assert [(each.line, each.code) for each in imported.diagnostics] == [
        (line, "record-without-problem") for line in (2, 3, 4)
    ]
    (trips, zoo) = parse_identity(imported.out / "manifest.json").sets
    assert (trips.problems, len(trips.digest), zoo.digest) == (1, 64, "")
    other = write_benchmark({"trips": PROBLEM}, version="2")
    write_records(file, [published()])
    (warning,) = import_results(file, tmp_path / "second", benchmark=other).diagnostics
    assert warning.what == "the records are of version '1', the benchmark is version '2'"


def test_the_folder_of_a_run_is_imported_with_what_it_says_and_shows(
    tmp_path: Path, write_benchmark: WriteBenchmark, run: Run
) -> None:
    benchmark = write_benchmark()
    theirs = run(benchmark, "oracle", out="theirs", outputs=OutputsKept.SHOWN).out
    made = import_results(theirs, tmp_path / "out")
    assert (made.agent, made.benchmark, made.records, made.diagnostics) == ("oracle", "trips-demo", 3, ())
    assert parse_identity(made.out / "manifest.json") == parse_identity(theirs / "manifest.json")
    assert list(read_records(made.out / "records.jsonl")) == list(read_records(theirs / "records.jsonl"))
    key = AttemptKey("trips", 1)
    shown = DetailsReader(made.out / "details.jsonl").find(key)
    assert shown is not None
    assert shown == DetailsReader(theirs / "details.jsonl").find(key)
    told = json.loads((made.out / "manifest.json").read_text())
    assert (told["source"], told["copied"]["records"]) == ("trips-demo 1", 3)  # no path of their machine
    checked = import_results(theirs, tmp_path / "checked", benchmark=benchmark)
    assert json.loads((checked.out / "manifest.json").read_text())["source"] == str(benchmark)


def test_a_folder_without_a_run_is_refused_by_what_it_lacks(tmp_path: Path, write_records: WriteRecords) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    with pytest.raises(UsageError, match=r"there is no records\.jsonl"):
        import_results(folder, tmp_path / "out")
    write_records(folder / "records.jsonl", [published()])
    with pytest.raises(UsageError, match=r"there is no manifest\.json"):
        import_results(folder, tmp_path / "out")
    (folder / "manifest.json").write_text("[]")
    with pytest.raises(ContentError, match="no manifest of a run"):
        import_results(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
