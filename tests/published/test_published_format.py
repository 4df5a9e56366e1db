"""A benchmark in DSEval's own spelling, with texts of ours, loads unchanged and replays to the recorded verdicts."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.diagnostics import Severity
from evaluator.language import read_benchmark
from evaluator.running import RunConfig, import_results, read_records, run_benchmark
from evaluator.running.checking.self_check import self_check
from evaluator.session import Engine

HERE = Path(__file__).parent
BENCHMARK = HERE / "problemsets"
RESULTS = HERE / "results.jsonl"


def recorded() -> dict[tuple[str, int, int], dict[str, Any]]:
    lines = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    return {(each["problemset"], each["index"], each["attempt"]): each for each in lines}


def test_it_loads_without_a_finding_and_is_judged_by_published_rules() -> None:
    benchmark = read_benchmark(BENCHMARK)
    assert (benchmark.name, benchmark.version, benchmark.rules) == ("Ferries", "1", "published")
    found = list(benchmark.diagnostics)
    assert sorted((each.code, each.severity) for each in found) == [
        ("guessable-type-only", "warning"),
        ("labels-in-inputs", "warning"),
    ]
    assert [len(loaded.problemset.problems) for loaded in benchmark.sets if loaded.problemset] == [1, 14, 1]


def test_a_configuration_is_read_raw() -> None:
    (_, crossings, _) = read_benchmark(BENCHMARK).sets
    assert crossings.problemset is not None
    assert "The pattern is \\d, the line end \\n." in crossings.problemset.problems[10].query


def test_recorded_submissions_get_the_recorded_verdicts(engine: Engine, tmp_path: Path) -> None:
    summary = run_benchmark(RunConfig(BENCHMARK, f"replay:{RESULTS}", tmp_path / "out"), engine=engine)
    assert summary.refused == ()
    wanted = {key: (each["verdict"], each["subverdict"] or "UNCATEGORIZED") for key, each in recorded().items()}
    got = {
        (record.problemset, record.index, record.attempt): (record.verdict, record.subverdict)
        for record in read_records(tmp_path / "out" / "records.jsonl")
    }
    assert got == {key: wanted[key] for key in got}
    assert len(got) == 16


def test_the_file_imports_and_names_no_record_without_a_problem(tmp_path: Path) -> None:
    imported = import_results(RESULTS, tmp_path / "out", benchmark=BENCHMARK)
    assert (imported.benchmark, imported.version, imported.diagnostics) == ("Ferries", "1", ())
    assert imported.records == len(recorded()) + imported.replaced


@pytest.mark.deep
@pytest.mark.kernel
def test_only_the_scalar_that_is_not_a_number_fails_its_own_validators() -> None:
    benchmark = read_benchmark(BENCHMARK)
    rules = {loaded.path: benchmark.rules for loaded in benchmark.sets}
    found = self_check(benchmark.sets, rules=rules)
    told = [(each.code, each.path.name, each.severity) for each in found.diagnostics]
    assert told == [
        ("reference-fails", "crossings.py", Severity.ERROR),
        ("not-exercised", "crossings.py", Severity.WARNING),
    ]
    assert found.not_judged == ()
