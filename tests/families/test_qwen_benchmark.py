"""Records of the Qwen benchmark become problemsets and come back to the letter; results are scored as they stored."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ContentError, UsageError
from evaluator.families.predicted_run import import_predictions
from evaluator.families.qwen.benchmark_folder import export_file, import_file
from evaluator.families.qwen.problemset import GIVEN, problemset_of, record_of
from evaluator.families.qwen.records import QwenRecord
from evaluator.language import SetupCell, read_benchmark

GIVEN_ACTION = (
    "<|im_end|>\n<|im_start|>assistant\nThought: look\nAction: code_interpreter\nAction Input:\n```py\n"
    "df = 1\n```\nObservation: ok\nThought:"
)
RECORDS: list[dict[str, Any]] = [
    {"query": "Plot a.csv.", "tags": "all_ci,visualization", "lang": "en", "input_file_path": ["up/a.csv"]},
    {"query": "画图" + GIVEN_ACTION, "tags": "all_ci,visualization", "lang": "zh", "extra": {"k": [1, None]}},
    {"tags": "all_ci,math", "query": " What is 2 + 2? \n"},
    {"query": "Is it up?", "tags": "all_ci,general"},
    {"question": "9 eggs at $2?", "answer": "9 * 2 = 18\n#### 18"},
    {"question": "And 617 dozen?", "answer": "so\n#### 1,234"},
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(records: list[Any], name: str = "records.jsonl") -> Path:
        path = tmp_path / name
        lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in records]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    (tmp_path / "up").mkdir()
    (tmp_path / "up" / "a.csv").write_text("x\n1\n", encoding="utf-8")
    (tmp_path / "pic.png").write_bytes(b"\x89PNG")
    return written


def test_records_become_problemsets_and_come_back_to_the_letter(write: Callable[..., Path], tmp_path: Path) -> None:
    file = write([*RECORDS, '{"query" :  "spaced",   "tags":"all_ci,general"}'])
    made = import_file(file, tmp_path / "bench")
    assert made.diagnostics == ()
    assert made.tags == {"visualization-hard": 1, "visualization-easy": 1, "math": 1, "general": 2, "gsm8k": 2}
    benchmark = read_benchmark(tmp_path / "bench")
    assert [loaded.name for loaded in benchmark.sets] == [f"q{number}" for number in range(1, 8)]
    assert (tmp_path / "bench" / "_inputs" / "q1" / "a.csv").is_file()
    assert export_file(benchmark, tmp_path / "again.jsonl") == 7
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
    easy = benchmark.sets[1].problemset
    assert easy is not None
    assert [cell.source for cell in easy.cells if isinstance(cell, SetupCell) and cell.title == GIVEN] == ["df = 1"]
    assert easy.problems[0].query == "画图"


def test_an_edited_problem_comes_back_edited(write: Callable[..., Path], tmp_path: Path) -> None:
    import_file(write(RECORDS), tmp_path / "bench")
    path = tmp_path / "bench" / "q4.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Is it up?", "Is it down?").replace("max_time: 30", "max_time: 7"), encoding="utf-8")
    edited = read_benchmark(tmp_path / "bench").sets[3].problemset
    export_file(read_benchmark(tmp_path / "bench"), tmp_path / "again.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[3]["query"] == "Is it down?"
    assert lines[:3] == RECORDS[:3]
    import_file(tmp_path / "again.jsonl", tmp_path / "second")
    again = read_benchmark(tmp_path / "second").sets[3].problemset
    assert edited is not None
    assert again is not None
    assert again.cells == edited.cells


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1).filter(str.strip)
FIELDS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=6), st.none() | st.integers() | TEXTS | st.lists(st.booleans()), max_size=3
)


@given(query=TEXTS, easy=st.booleans(), tag=st.sampled_from(["visualization", "math", "general"]), more=FIELDS)
def test_a_record_comes_back_from_its_problemset(query: str, easy: bool, tag: str, more: dict[str, Any]) -> None:
    asked = query.replace("<|im_end|>", "") or "ask"
    record = QwenRecord(3, {"query": asked + (GIVEN_ACTION if easy else ""), "tags": f"all_ci,{tag}", **more})
    problemset = problemset_of(record, "q3")
    assert record_of(problemset, 3, record) is record
    built = record_of(problemset, 9)
    assert problemset_of(built, "q3").cells == problemset.cells
    assert "benchwright" not in built.fields


BAD = [
    ({"query": "q", "tags": "all_ci,poetry"}, "unknown-tag"),
    ({"query": "q"}, "unknown-tag"),
    ({"tags": "math"}, "no-query"),
    ({"query": "  ", "tags": "math"}, "no-query"),
    ({"question": "q"}, "no-answer"),
    ({"query": "q", "tags": "math", "input_file_path": ["../secret"]}, "file-outside"),
    ({"query": "q", "tags": "math", "input_file_path": ["/etc/passwd"]}, "file-outside"),
    ({"query": "q", "tags": "math", "input_file_path": "a.csv"}, "bad-record"),
    ("[1]", "bad-record"),
    ("{broken", "bad-record"),
    ('{"query": "q", "tags": "math", "benchwright": "# %%\\nnothing asked"}', "not-writable"),
    ('{"query": "q", "tags": "math", "x": ' + "[" * 900 + "]" * 900 + "}", "not-writable"),
    ({"query": "x " * 2_600_000, "tags": "math"}, "not-writable"),
]


def test_each_bad_record_is_named_and_the_others_are_imported(write: Callable[..., Path], tmp_path: Path) -> None:
    made = import_file(write([RECORDS[3], *(record for record, _ in BAD)]), tmp_path / "bench")
    told = [(each.code, each.line) for each in sorted(made.diagnostics, key=lambda each: each.line)]
    assert told == [(code, line) for line, (_, code) in enumerate(BAD, start=2)]
    assert all(each.fix for each in made.diagnostics)
    assert any("5,200,000 characters" in each.what for each in made.diagnostics)
    assert made.problemsets == 1


def test_files_without_records_and_missing_uploads_are_told(write: Callable[..., Path], tmp_path: Path) -> None:
    for content, error in ((["[1]"], ContentError), ([], ContentError)):
        with pytest.raises(error):
            import_file(write(content), tmp_path / "none")
    with pytest.raises(UsageError):
        import_file(tmp_path / "absent.jsonl", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    shutil.rmtree(tmp_path / "up")
    made = import_file(write(RECORDS[:1]), tmp_path / "bench")
    assert [each.code for each in made.diagnostics] == ["missing-data"]


def test_a_benchmark_of_longer_sets_is_no_file_of_records(tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: b\nversion: '1'\n", encoding="utf-8")
    (folder / "two.py").write_text('# %%\n"""\nquery: a\n"""\n1\n\n# %%\n"""\nquery: b\n"""\n2\n', encoding="utf-8")
    with pytest.raises(ContentError, match="one query"):
        export_file(read_benchmark(folder), tmp_path / "out.jsonl")


def scored(tmp_path: Path, file: Path, *, rules: str = "published") -> tuple[dict[str, Any], list[str]]:
    out = tmp_path / f"run-{rules}-{len(list(tmp_path.iterdir()))}"
    run = import_predictions(file, out, benchmark=tmp_path / "bench", rules=rules)
    return dict(run.board), [each.code for each in run.diagnostics]


def value(board: dict[str, Any], tag: str, metric: str) -> tuple[float | None, int]:
    return board["tags"][tag][metric]["value"], board["tags"][tag][metric]["n"]


def gen(code: str, observation: str = "ok") -> str:
    return f"\nThought: t\nAction: code_interpreter\nAction Input: {code}\nObservation: {observation}\nThought: done"


@pytest.mark.kernel
def test_executability_is_counted_over_all_items(write: Callable[..., Path], tmp_path: Path) -> None:
    asked = [{"query": f"question {number}", "tags": "all_ci,general"} for number in range(10)]
    import_file(write(asked), tmp_path / "bench")
    results = [
        {**record, "gen": gen("x") if number >= 2 else "no idea", "executable_code": number >= 4}
        for number, record in enumerate(asked)
    ]
    board, _ = scored(tmp_path, write(results, "results.jsonl"))
    found = {metric: value(board, "general", metric) for metric in board["tags"]["general"]}
    assert found == {
        "executable": (0.6, 10),
        "missing": (0.2, 10),
        "failing": (0.2, 10),
        "accuracy": (None, 0),
        "available": (0.75, 8),
    }
    assert value(board, "math", "executable") == (None, 0)


@pytest.mark.kernel
def test_results_are_scored_from_what_they_stored(write: Callable[..., Path], tmp_path: Path) -> None:
    import_file(write(RECORDS), tmp_path / "bench")
    figure = gen("plot()", "![fig-001](pic.png)")
    results = [
        {**RECORDS[0], "gen": figure, "executable_code": True, "missing_code": False, "vis_acc": True},
        {**RECORDS[1], "gen": gen("plot()", "![fig-001](absent.png)"), "executable_code": True, "vis_acc": True},
        {**RECORDS[2], "gen": gen("1 / 0", "Traceback: error")},
        {**RECORDS[4], "completion": "It is 18.", "acc": False},
        {**RECORDS[5], "completion": "It is 1,999 dollars."},
    ]
    file = write(results, "results.jsonl")
    board, codes = scored(tmp_path, file)
    assert value(board, "visualization-hard", "accuracy") == (1.0, 1)
    assert value(board, "visualization-easy", "accuracy") == (0.0, 1)  # its figure is not there
    assert value(board, "visualization-easy", "executable") == (1.0, 1)
    assert board["pooled"]["visualization"]["accuracy"] == {"value": 0.5, "n": 2}
    assert (value(board, "math", "failing"), value(board, "math", "accuracy")) == ((1.0, 1), (None, 0))
    assert value(board, "general", "executable") == (None, 0)
    assert value(board, "gsm8k", "accuracy") == (1.0, 2)  # as published 1,234 and 1,999 both read 1
    assert sorted(codes) == ["no-prediction", "no-prediction", "picture-not-read", "stored-otherwise"]
    sound, _ = scored(tmp_path, file, rules="sound")
    assert value(sound, "gsm8k", "accuracy") == (0.5, 2)


@pytest.mark.kernel
def test_what_nobody_judged_is_not_judged_and_keeps_its_denominator(write: Callable[..., Path], tmp_path: Path) -> None:
    asked = [{**RECORDS[0], "query": f"plot {number}"} for number in range(3)]
    import_file(write(asked), tmp_path / "bench")
    results = [
        {**asked[0], "gen": gen("plot()", "![fig-001](pic.png)"), "executable_code": True},  # no judgement
        {**asked[1], "gen": "\nAction Input: x = 1"},  # nobody executed it
    ]
    board, codes = scored(tmp_path, write(results, "results.jsonl"))
    shown = board["tags"]["visualization-hard"]
    assert shown["accuracy"] == {"value": None, "n": 3, "not_graded": 1}
    assert shown["executable"] == {"value": None, "n": 3, "not_graded": 1}
    assert shown["missing"] == {"value": pytest.approx(1 / 3), "n": 3}
    assert {"execution-unknown", "no-judgement", "no-prediction"} <= set(codes)


@pytest.mark.kernel
def test_results_of_other_records_are_told(write: Callable[..., Path], tmp_path: Path) -> None:
    import_file(write(RECORDS[2:4]), tmp_path / "bench")
    results = [{**RECORDS[2], "gen": gen("4"), "executable_code": True}, {**RECORDS[0], "gen": "x"}]
    _, codes = scored(tmp_path, write(results, "results.jsonl"))
    assert codes.count("prediction-of-no-record") == 1
    twice = write([*results[:1], *results[:1], results[1]], "twice.jsonl")
    run = import_predictions(twice, tmp_path / "run", benchmark=tmp_path / "bench")
    told = [each for each in run.diagnostics if each.code == "prediction-of-no-record"]
    assert [each.what.partition(":")[0] for each in told] == [
        "this query has a result already",
        "the benchmark asks no such query",
    ]
    assert [each.line for each in told] == [2, 3]


def test_a_benchmark_of_another_family_is_refused(write: Callable[..., Path], tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: b\nversion: '1'\n", encoding="utf-8")
    (folder / "one.py").write_text('# %%\n"""\nquery: a\n"""\n1\n', encoding="utf-8")
    with pytest.raises(ContentError, match="not made of Qwen records"):
        scored(tmp_path, write([{**RECORDS[2], "gen": "x"}], "results.jsonl"))


def test_files_behind_links_and_names_too_long_are_not_opened(write: Callable[..., Path], tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("1", encoding="utf-8")
    (tmp_path / "lnk").symlink_to(outside)
    records = [{"query": "q", "tags": "math", "input_file_path": [name]} for name in ("lnk/secret.csv", "x" * 6000)]
    made = import_file(write(records), tmp_path / "bench")
    assert [each.code for each in made.diagnostics] == ["missing-data"] * 2
    assert not list((tmp_path / "bench").rglob("secret.csv"))


def test_results_of_another_shape_are_told_and_keep_their_denominator(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    import_file(write(RECORDS), tmp_path / "bench")
    word = next(each for each in RECORDS if "question" in each)
    asked = next(each for each in RECORDS if "math" in each.get("tags", ""))
    lines = [{**word, "completion": None}, {**asked, "gen": 5, "executable_code": "yes", "missing_code": None}]
    file = tmp_path / "results.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    run = import_predictions(file, tmp_path / "run", benchmark=tmp_path / "bench")
    told = [each.what.split(" is ")[0] for each in run.diagnostics if each.code == "bad-result"]
    assert told == ["'completion'", "'gen'", "'executable_code'"]
    words = sum("question" in each for each in RECORDS)
    maths = sum("math" in each.get("tags", "") for each in RECORDS)
    assert run.board["tags"]["gsm8k"]["accuracy"] == {"value": 0.0, "n": words}
    assert run.board["tags"]["math"]["executable"] == {"value": 0.0, "n": maths}
