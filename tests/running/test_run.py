import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluator.errors import ContentError, UsageError
from evaluator.language import read_benchmark
from evaluator.running import EventKind, RunConfig, RunEvent, RunSummary, plan_run, read_records, run_benchmark
from evaluator.running.run import refuse_bad_numbers
from evaluator.session import Engine
from tests.running.conftest import GOOD_SET, Run, WriteBenchmark, WriteRecords, written_benchmark

COUNT = '''# %%
"""
query: How many letters has `word`?
"""
len(word)
'''
TABLE = '''# %%
"""
query: Define `double`.
validator:
  template: intact
  table_test:
    function_name: {name}
    test_cases: {cases}
    input_validator: |
      def _validate(x):
          assert x > 0, "too small"
"""
def double(x):
    return 2 * x if x < 9 else x.missing
'''
MODEL = '''# %%
"""
query: Fit a model.
validator:
  template: intact
  model: {{model_name: model, inputs_name: X, labels_name: {labels}, metric_type: mse, tolerance: 0.1}}
"""
import os
X = list({inputs})
y = [1, 2]
class Model:
    def predict(self, rows):
        return [1, 2]
model = Model()
'''
BROKEN = {  # name -> text, line and code of the first error, problems that are judged before it
    "reference": (
        f'# %%\nword = "crash"\n\n{COUNT}\n# %%\n"""\nquery: Look z up.\n"""\n{{"a": 1}}["z"]\n\n{COUNT}',
        *(14, "reference-raises", 1),
    ),
    "setup": (f"# %%\nword = undefined_name\n\n{COUNT}", 1, "setup-raises", 0),
    "variable": (
        '# %%\n"""\nquery: Store seven as `seven`.\nvalidator:\n  namespace_check:\n    eight:\n"""\nseven = 7\n',
        *(6, "validator-does-not-fit", 0),
    ),
    "case-refused": (TABLE.format(name="double", cases="[[1], [-2]]"), 8, "validator-does-not-fit", 0),
    "drifts": (MODEL.format(labels="y", inputs="os.urandom(9)"), 6, "validator-does-not-fit", 0),
    "no-problem": ("# %%\nx = 1\n", 1, "no-problems", 0),
}


def letters(word: str) -> str:
    return f'# %%\nword = "{word}"\n\n{COUNT}\n# %%\n"""\nquery: Turn it around.\n"""\nword[::-1]\n'


def records_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]


def timeless(out: Path) -> list[dict[str, Any]]:
    found = [{**each, "seconds": each["seconds"] is not None} for each in records_of(out)]
    return sorted(found, key=lambda each: (each["problemset"], each["index"]))


def verdicts_of(summary: RunSummary) -> dict[tuple[str, int], str]:
    return {(each["problemset"], each["index"]): each["verdict"] for each in records_of(summary.out)}


def manifest_of(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "manifest.json").read_text()))


class Finished(NamedTuple):
    folder: Path  # with the benchmark, and `out`
    summary: RunSummary
    events: list[RunEvent]


@pytest.fixture(scope="module")
def finished(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder, events = tmp_path_factory.mktemp("finished"), list[RunEvent]()
    config = RunConfig(written_benchmark(folder / "benchmark"), "oracle", folder / "out")
    return Finished(folder, run_benchmark(config, engine=engine, on_event=events.append), events)


def test_the_oracle_is_correct_and_an_event_tells_of_each_problem(finished: Finished) -> None:
    summary = finished.summary
    assert (summary.judged, summary.pass_rate, summary.counts) == (3, 1.0, {"CORRECT": 3})
    assert verdicts_of(summary) == {("trips", 1): "CORRECT", ("trips", 2): "CORRECT", ("trips", 3): "CORRECT"}
    assert [record.index for record in read_records(summary.out / "records.jsonl")] == [1, 2, 3]
    assert [(event.kind, event.done, event.total) for event in finished.events] == [
        (EventKind.STARTED, 0, 3),
        (EventKind.JUDGED, 1, 3),
        (EventKind.JUDGED, 2, 3),
        (EventKind.JUDGED, 3, 3),
    ]


def test_a_record_says_what_was_asked_and_under_which_conditions(finished: Finished) -> None:
    first, manifest = records_of(finished.summary.out)[0], manifest_of(finished.summary.out)
    assert (first["benchmark"], first["question"]) == ("trips-demo", "How many trips are there?")
    assert first["code"].strip() == "len(trips)"
    assert first["sandbox"] in ("bwrap", "none")
    assert first["digests"].keys() == {"problemset", "inputs"}
    assert (first["engine"], first["ending"], first["epoch"], first["is_last"]) == ("fork", "ok", 1, True)
    assert first["environment"] == manifest["environment"]
    assert manifest["policies"] == {
        **{"state": "reference", "history": "reference", "feedback": []},
        **{"between_attempts": "reset", "stop": "judged"},
    }
    assert manifest["sets"][0]["digest"] == first["digests"]["problemset"]
    assert manifest["time_scale"] > 0


def test_a_run_again_judges_only_what_lacks_with_the_same_records(run: Run, finished: Finished, tmp_path: Path) -> None:
    folder = shutil.copytree(finished.folder, tmp_path / "copy")
    path = folder / "out" / "records.jsonl"
    before = path.read_bytes()
    again = run(folder / "benchmark", "oracle")
    assert (again.judged, again.resumed, again.counts, path.read_bytes()) == (3, 3, {"CORRECT": 3}, before)
    first, second, _ = before.splitlines(keepends=True)
    path.write_bytes(first + second[:50])
    resumed = run(folder / "benchmark", "oracle")
    assert (resumed.judged, resumed.resumed) == (3, 1)
    assert path.read_bytes().startswith(first)
    assert timeless(folder / "out") == timeless(finished.summary.out)


def test_another_text_other_inputs_or_another_agent_do_not_resume(run: Run, finished: Finished, tmp_path: Path) -> None:
    benchmark = shutil.copytree(finished.folder, tmp_path / "copy") / "benchmark"
    with pytest.raises(ContentError, match="its agent is 'oracle', not 'empty'"):
        run(benchmark, "empty")
    with pytest.raises(ContentError, match="its rules is 'sound', not 'published'"):
        run(benchmark, "oracle", rules="published")
    (benchmark / "_inputs" / "trips.csv").write_text("city,km\nRome,1\n")
    with pytest.raises(ContentError, match="the inputs of problemset 'trips' have changed"):
        run(benchmark, "oracle")
    (benchmark / "trips.py").write_text(letters("other"))
    with pytest.raises(ContentError, match="the text of problemset 'trips' has changed"):
        run(benchmark, "oracle")


def test_a_published_benchmark_has_its_rules_unless_the_run_says_others(
    run: Run, write_benchmark: WriteBenchmark
) -> None:
    benchmark = write_benchmark({"nan": '# %%\n"""\nquestion: Not a number.\n"""\nfloat("nan")\n'})
    published = run(benchmark, "oracle")
    assert (manifest_of(published.out)["rules"], published.counts) == ("published", {"WRONG_OUTPUT": 1})
    sound = run(benchmark, "oracle", out="sound", rules="sound")
    assert (manifest_of(sound.out)["rules"], sound.counts) == ("sound", {"CORRECT": 1})


def test_a_replay_of_a_run_gets_its_verdicts_and_of_another_query_none(
    run: Run, write_benchmark: WriteBenchmark, write_records: WriteRecords
) -> None:
    benchmark = write_benchmark()
    base = {"benchmark": "x", "version": "1", "attempt": 1, "problemset": "trips"}
    asked = [
        base | {"index": 1, "question": "How many trips are there?", "code": "trips = [1]; 3"},
        base | {"index": 2, "question": "Store the mean distance as `mean_km`.", "code": "mean_km = 5"},
        base | {"index": 3, "question": "Which city has the longest trip?", "code": "trips['nowhere']"},
    ]
    first = run(benchmark, f"replay:{write_records(benchmark.parent / 'published.jsonl', asked)}")
    assert list(verdicts_of(first).values()) == ["INTACT_VIOLATION", "WRONG_VARIABLES", "CRASH"]
    assert (records_of(first.out)[2]["subverdict"], first.pass_rate) == ("KEY_ERROR", 0.0)  # no trace of the first
    second = run(benchmark, f"replay:{first.out / 'records.jsonl'}", out="again")
    assert verdicts_of(second) == verdicts_of(first)
    other = write_records(benchmark.parent / "other.jsonl", [asked[0] | {"question": "Something else?"}])
    with pytest.raises(ContentError, match="answers another query"):
        run(benchmark, f"replay:{other}", out="other", limit=1)
    assert run(benchmark, f"replay:{other}", allow_mismatch=True, out="allowed", limit=1).judged == 1


def test_a_run_asks_the_first_problems_of_the_named_sets_together(run: Run, write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark({name: letters(name) for name in ("a_word", "b_word", "c_word")})
    summary = run(root, "oracle", sets=("c_word", "a_word"), limit=3)
    assert list(verdicts_of(summary)) == [("a_word", 1), ("a_word", 2), ("c_word", 1)]
    assert summary.total == 3
    benchmark = read_benchmark(root)
    planned = {names: [each.problems for each in plan_run(benchmark, names=names).sets] for names in ((), ("b_word",))}
    assert planned == {(): [2, 2, 2], ("b_word",): [2]}
    assert [each.problems for each in plan_run(benchmark, limit=4).sets] == [2, 2]
    assert (
        plan_run(read_benchmark(root / "a_word.py")).sets[0].problems,
        run(root / "a_word.py", "oracle", out="file").version,
    ) == (2, "0")
    with pytest.raises(UsageError, match="no problemset 'b_wort'") as caught:
        plan_run(benchmark, names=("a_word", "b_wort"))
    assert caught.value.fix == "use 'b_word'"


def test_numbers_out_of_bounds_are_refused(tmp_path: Path) -> None:
    usual = RunConfig(tmp_path, "oracle", tmp_path)
    edges: list[dict[str, Any]] = [{"executions": 0}, {"rng_seed": 2**32 - 1}, {"limit": 1}, {"concurrency": 64}]
    for good in edges:
        refuse_bad_numbers(RunConfig(tmp_path, "oracle", tmp_path, **good))
    refused: list[Mapping[str, Any]] = [
        {name: value} for name in ("workers", "concurrency", "limit", "max_attempts", "epochs") for value in (0, -3)
    ]
    refused += [{"executions": -1}, {"rng_seed": -1}, {"rng_seed": 2**32}, {"concurrency": 10**9}]
    times: list[Mapping[str, Any]] = [{"agent_timeout_s": each} for each in (0, float("inf"), float("nan"))]
    for bad in (*refused, *times):
        (name,) = bad
        with pytest.raises(UsageError, match=f"^--{name.replace('_', '-').removesuffix('-s')}: "):
            refuse_bad_numbers(RunConfig(usual.benchmark, "oracle", usual.out, **bad))


def test_a_set_with_its_authors_error_is_refused_and_the_others_run(
    engine: Engine, write_benchmark: WriteBenchmark
) -> None:
    bad = {f"b_{name}": text for name, (text, *_) in BROKEN.items()}
    benchmark = write_benchmark({"a_good": letters("good"), **bad})
    events: list[RunEvent] = []
    config = RunConfig(benchmark, "oracle", benchmark.parent / "out", workers=2)
    summary = run_benchmark(config, engine=engine, on_event=events.append)
    assert sorted(summary.refused) == sorted(bad)
    assert summary.counts == {"CORRECT": 2 + sum(judged for *_, judged in BROKEN.values())}
    told: dict[str, tuple[int, str]] = {}
    for each in summary.diagnostics:
        if each.severity == "error":
            told.setdefault(each.path.stem.removeprefix("b_"), (each.line, each.code))
    assert told == {name: (line, code) for name, (_, line, code, _) in BROKEN.items()}
    assert sorted(event.problemset for event in events if event.kind is EventKind.REFUSED) == sorted(bad)
    assert sorted(entry["problemset"] for entry in manifest_of(summary.out)["refused"]) == sorted(bad)


def test_the_number_of_workers_changes_no_record(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark({f"word_{i}": letters("x" * i) for i in (1, 2)})
    alone = run(benchmark, "empty", workers=1, out="one")
    together = run(benchmark, "empty", workers=2, out="two")
    assert (alone.judged, alone.pass_rate) == (4, 0.0)  # doing nothing is never correct
    assert timeless(alone.out) == timeless(together.out)
    one, two = ({**manifest_of(each.out), "time_scale": None} for each in (alone, together))
    assert one == two


def test_a_broken_manifest_is_refused_with_its_line(write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark({"trips": GOOD_SET})
    (root / "_manifest.yaml").write_text("name: [unclosed\n")
    with pytest.raises(ContentError) as caught:
        plan_run(read_benchmark(root))
    assert caught.value.where.startswith(f"{root / '_manifest.yaml'}:")
