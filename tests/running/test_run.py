import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError, UsageError
from evaluator.running import EventKind, RunConfig, RunEvent, RunSummary, read_records, run_benchmark
from evaluator.session import Engine

WriteBenchmark = Callable[..., Path]
WriteRecords = Callable[[Path, list[dict[str, Any]]], Path]

COUNT = '''# %%
"""
query: How many letters has `word`?
"""
len(word)
'''
CRASHES_SECOND = f'''# %%
word = "crash"

{COUNT}
# %%
"""
query: Look the letter z up.
"""
{{"a": 1}}["z"]

{COUNT}'''
CRASHES_IN_SETUP = f"""# %%
word = undefined_name

{COUNT}"""
NAMES_A_MISSING_VARIABLE = '''# %%
"""
query: Store seven as `seven`.
validator:
  namespace_check:
    eight:
"""
seven = 7
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
BROKEN_YAML = '''# %%
"""
query: [unclosed
"""
1
'''
TOO_SLOW = '''# %%
"""
query: Sleep.
execution:
  max_time: 0.2
"""
import time
time.sleep(0.5)
'''


def letters(word: str) -> str:
    return f'# %%\nword = "{word}"\n\n{COUNT}\n# %%\n"""\nquery: Turn it around.\n"""\nword[::-1]\n'


Run = Callable[..., RunSummary]


@pytest.fixture
def run(engine: Engine) -> Run:
    """Return a function that runs an agent on a benchmark with the shared engine, into a folder beside it."""

    def on_shared_engine(benchmark: Path, agent: str, out: str = "out", **settings: Any) -> RunSummary:
        return run_benchmark(RunConfig(benchmark, agent, benchmark.parent / out, **settings), engine=engine)

    return on_shared_engine


def records_of(summary: RunSummary) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (summary.out / "records.jsonl").read_text().splitlines()]


def verdicts_of(summary: RunSummary) -> dict[tuple[str, int], str]:
    return {(each["problemset"], each["index"]): each["verdict"] for each in records_of(summary)}


def manifest_of(summary: RunSummary) -> dict[str, Any]:
    content = json.loads((summary.out / "manifest.json").read_text())
    assert isinstance(content, dict)
    return content


def test_a_published_benchmark_has_its_rules_unless_the_run_says_others(
    run: Run, write_benchmark: WriteBenchmark
) -> None:
    benchmark = write_benchmark({"nan": '# %%\n"""\nquestion: Not a number.\n"""\nfloat("nan")\n'})
    published = run(benchmark, "oracle")
    assert (manifest_of(published)["rules"], published.counts) == ("published", {"WRONG_OUTPUT": 1})
    sound = run(benchmark, "oracle", out="sound", rules="sound")
    assert (manifest_of(sound)["rules"], sound.counts) == ("sound", {"CORRECT": 1})
    with pytest.raises(ContentError, match="its rules is 'sound', not 'published'"):
        run(benchmark, "oracle", out="sound")


def test_the_oracle_is_correct_everywhere(run: Run, write_benchmark: WriteBenchmark) -> None:
    summary = run(write_benchmark(), "oracle")
    assert (summary.judged, summary.pass_rate, summary.counts) == (3, 1.0, {"CORRECT": 3})
    assert verdicts_of(summary) == {("trips", 1): "CORRECT", ("trips", 2): "CORRECT", ("trips", 3): "CORRECT"}


def test_doing_nothing_is_never_correct(run: Run, write_benchmark: WriteBenchmark) -> None:
    summary = run(write_benchmark(), "empty")
    assert (summary.judged, summary.pass_rate) == (3, 0.0)


def test_a_record_says_what_was_asked_and_under_which_conditions(run: Run, write_benchmark: WriteBenchmark) -> None:
    summary = run(write_benchmark(), "oracle")
    first = records_of(summary)[0]
    assert first["benchmark"] == "trips-demo"
    assert first["question"] == "How many trips are there?"
    assert first["code"].strip() == "len(trips)"
    assert first["sandbox"] in ("bwrap", "none")
    assert first["digests"].keys() == {"problemset", "inputs"}
    manifest = manifest_of(summary)
    assert first["environment"] == manifest["environment"]
    assert manifest["policies"] == {
        "state": "reference",
        "history": "reference",
        "feedback": [],
        "between_attempts": "reset",
        "stop": "judged",
    }
    assert manifest["sets"][0]["digest"] == first["digests"]["problemset"]


def test_a_replay_of_a_run_gets_its_verdicts(
    run: Run, write_benchmark: WriteBenchmark, write_records: WriteRecords
) -> None:
    benchmark = write_benchmark()
    base = {"benchmark": "x", "version": "1", "attempt": 1, "problemset": "trips"}
    recorded = write_records(
        benchmark.parent / "published.jsonl",
        [
            base | {"index": 1, "question": "How many trips are there?", "code": "trips.shape[0]"},
            base | {"index": 2, "question": "Store the mean distance as `mean_km`.", "code": "mean_km = 5"},
            base | {"index": 3, "question": "Which city has the longest trip?", "code": "trips['nowhere']"},
        ],
    )
    first = run(benchmark, f"replay:{recorded}")
    assert verdicts_of(first) == {("trips", 1): "CORRECT", ("trips", 2): "WRONG_VARIABLES", ("trips", 3): "CRASH"}
    second = run(benchmark, f"replay:{first.out / 'records.jsonl'}", out="again")
    assert verdicts_of(second) == verdicts_of(first)


def test_a_replay_of_another_query_stops_the_run(
    run: Run, write_benchmark: WriteBenchmark, write_records: WriteRecords
) -> None:
    benchmark = write_benchmark()
    record = {"problemset": "trips", "index": 1, "attempt": 1, "question": "Something else?", "code": "1"}
    recorded = write_records(benchmark.parent / "other.jsonl", [record])
    with pytest.raises(ContentError, match="answers another query"):
        run(benchmark, f"replay:{recorded}")
    allowed = run(benchmark, f"replay:{recorded}", allow_mismatch=True, out="allowed")
    assert allowed.judged == 3


def test_one_file_is_a_benchmark_too(run: Run, write_benchmark: WriteBenchmark) -> None:
    summary = run(write_benchmark() / "trips.py", "oracle")
    assert (summary.benchmark, summary.version, summary.pass_rate) == ("trips", "0", 1.0)


def test_a_limit_asks_the_first_problems_of_all_sets_together(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark({name: letters(name) for name in ("a_word", "b_word", "c_word")})
    summary = run(benchmark, "oracle", limit=3)
    assert list(verdicts_of(summary)) == [("a_word", 1), ("a_word", 2), ("b_word", 1)]
    assert summary.total == 3


def test_only_the_named_sets_are_asked(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark({name: letters(name) for name in ("a_word", "b_word", "c_word")})
    summary = run(benchmark, "oracle", sets=("c_word", "a_word"))
    assert {name for name, _ in verdicts_of(summary)} == {"a_word", "c_word"}


def test_an_unknown_set_is_refused_with_the_nearest_name(run: Run, write_benchmark: WriteBenchmark) -> None:
    with pytest.raises(UsageError) as caught:
        run(write_benchmark(), "oracle", sets=("tripps",))
    assert caught.value.fix == "use 'trips'"


@pytest.mark.parametrize("settings", [{"workers": 0}, {"limit": 0}, {"workers": -3}, {"rng_seed": -1}])
def test_numbers_out_of_bounds_are_refused(run: Run, write_benchmark: WriteBenchmark, settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        run(write_benchmark(), "oracle", **settings)


@pytest.mark.parametrize(
    ("text", "line", "code", "judged"),
    [
        (CRASHES_SECOND, 14, "reference-raises", 1),
        (CRASHES_IN_SETUP, 1, "setup-raises", 0),
        (NAMES_A_MISSING_VARIABLE, 6, "validator-does-not-fit", 0),
        (TOO_SLOW, 7, "reference-over-time", 0),
        (TABLE.format(name="double", cases="[[1], [-2]]"), 8, "validator-does-not-fit", 0),
        (TABLE.format(name="double", cases="[['`1 / 0`']]"), 8, "validator-does-not-fit", 0),
        (TABLE.format(name="double", cases="[[1], [9]]"), 8, "validator-does-not-fit", 0),
        (TABLE.format(name="twice", cases="[[1]]"), 7, "validator-does-not-fit", 0),
        (MODEL.format(labels="z", inputs="b'ab'"), 6, "validator-does-not-fit", 0),
        (MODEL.format(labels="y", inputs="os.urandom(9)"), 6, "validator-does-not-fit", 0),
        (BROKEN_YAML, None, None, 0),
    ],
    ids=[
        *("reference", "setup", "variable", "slow", "case-refused", "case-unbuilt", "case-raises"),
        *("no-function", "no-labels", "drifts", "yaml"),
    ],
)
def test_a_set_with_its_authors_error_is_refused_and_the_others_run(
    engine: Engine, write_benchmark: WriteBenchmark, text: str, line: int | None, code: str | None, judged: int
) -> None:
    benchmark = write_benchmark({"a_good": letters("good"), "b_bad": text, "c_good": letters("fine")})
    events: list[RunEvent] = []
    summary = run_benchmark(
        RunConfig(benchmark, "oracle", benchmark.parent / "out"), engine=engine, on_event=events.append
    )
    assert summary.refused == ("b_bad",)
    assert summary.counts == {"CORRECT": 4 + judged}
    errors = [each for each in summary.diagnostics if each.severity == "error"]
    assert errors[0].path == benchmark / "b_bad.py"
    assert code in (None, errors[0].code)
    assert line in (None, errors[0].line)
    assert [event.problemset for event in events if event.kind is EventKind.REFUSED] == ["b_bad"]
    assert [entry["problemset"] for entry in manifest_of(summary)["refused"]] == ["b_bad"]


def test_the_same_run_again_judges_nothing_twice(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark()
    first = run(benchmark, "oracle")
    before = (first.out / "records.jsonl").read_bytes()
    again = run(benchmark, "oracle")
    assert (again.judged, again.resumed) == (3, 3)
    assert (first.out / "records.jsonl").read_bytes() == before


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_stopped_run_is_finished_with_the_same_verdicts(run: Run, write_benchmark: WriteBenchmark, kept: int) -> None:
    benchmark = write_benchmark({"a_word": letters("a"), "b_word": letters("bb")})
    whole = run(benchmark, "oracle")
    path = whole.out / "records.jsonl"
    expected = [_without_time(each) for each in records_of(whole)]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:kept]) + lines[kept][:50])
    resumed = run(benchmark, "oracle")
    assert (resumed.judged, resumed.resumed) == (4, kept)
    assert [_without_time(each) for each in records_of(resumed)] == expected


def test_a_changed_benchmark_does_not_resume(run: Run, write_benchmark: WriteBenchmark) -> None:
    run(write_benchmark(), "oracle")
    with pytest.raises(ContentError, match="the text of problemset 'trips' has changed"):
        run(write_benchmark({"trips": letters("other")}), "oracle")


def test_changed_inputs_do_not_resume(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark()
    run(benchmark, "oracle")
    (benchmark / "_inputs" / "trips.csv").write_text("city,km\nRome,1\n")
    with pytest.raises(ContentError, match="the inputs of problemset 'trips' have changed"):
        run(benchmark, "oracle")


def test_another_agent_does_not_resume(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark()
    run(benchmark, "oracle")
    with pytest.raises(ContentError, match="its agent is 'oracle', not 'empty'"):
        run(benchmark, "empty")


def test_the_number_of_workers_changes_no_record(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark({f"word_{i}": letters("x" * i) for i in range(1, 5)})
    alone = run(benchmark, "empty", workers=1, out="one")
    together = run(benchmark, "empty", workers=3, out="three")
    assert _sorted(records_of(alone)) == _sorted(records_of(together))
    alone_manifest, together_manifest = manifest_of(alone), manifest_of(together)
    assert alone_manifest.pop("time_scale") > 0
    assert together_manifest.pop("time_scale") > 0
    assert alone_manifest == together_manifest


def test_submissions_of_a_set_leave_no_trace_in_its_session(
    run: Run, write_benchmark: WriteBenchmark, write_records: WriteRecords
) -> None:
    benchmark = write_benchmark({"word": letters("abc")})
    records = [{"problemset": "word", "index": 1, "attempt": 1, "code": "word = 'changed'; 3"}]
    recorded = write_records(benchmark.parent / "r.jsonl", [*records, records[0] | {"index": 2, "code": "word[::-1]"}])
    assert verdicts_of(run(benchmark, f"replay:{recorded}"))["word", 2] == "CORRECT"


def test_an_event_tells_of_every_problem(engine: Engine, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark()
    events: list[RunEvent] = []
    run_benchmark(RunConfig(benchmark, "oracle", benchmark.parent / "out"), engine=engine, on_event=events.append)
    assert [(event.kind, event.done, event.total) for event in events] == [
        (EventKind.STARTED, 0, 3),
        (EventKind.JUDGED, 1, 3),
        (EventKind.JUDGED, 2, 3),
        (EventKind.JUDGED, 3, 3),
    ]


def test_a_set_without_a_problem_is_refused(run: Run, write_benchmark: WriteBenchmark) -> None:
    assert run(write_benchmark({"only_setup": "# %%\nx = 1\n"}), "oracle").refused == ("only_setup",)


def test_a_broken_manifest_is_refused_with_its_line(run: Run, write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark()
    (benchmark / "_manifest.yaml").write_text("name: [unclosed\n")
    with pytest.raises(ContentError) as caught:
        run(benchmark, "oracle")
    assert caught.value.where.startswith(f"{benchmark / '_manifest.yaml'}:")


def test_a_run_starts_an_engine_of_its_own_when_it_is_given_none(write_benchmark: WriteBenchmark) -> None:
    benchmark = write_benchmark()
    assert run_benchmark(RunConfig(benchmark, "oracle", benchmark.parent / "out")).pass_rate == 1.0


def test_records_read_back(run: Run, write_benchmark: WriteBenchmark) -> None:
    summary = run(write_benchmark(), "empty")
    assert [record.index for record in read_records(summary.out / "records.jsonl")] == [1, 2, 3]


def _without_time(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "seconds"}


def _sorted(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(map(_without_time, records), key=lambda each: (each["problemset"], each["index"]))
