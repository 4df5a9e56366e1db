"""What an author does wrong in a validator stops that set with file, line, problem and remedy; the others go on."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.kernel, pytest.mark.slow]
Command = Callable[..., Any]

HEAD = '# %%\n"""\nquery: Make a start.\n"""\nstart = 1\nstart\n\n# %%\n"""\nquery: Answer.\nid: answer\nvalidator:\n'
TABLE = "  template: intact\n  table_test:\n    function_name: double\n    test_cases: [[1], [2]]\n"
MODEL = "  template: intact\n  model:\n    model_name: m\n    inputs_name: X\n    labels_name: y\n    metric_type: {}\n"
DOUBLE = "def double(x):\n    return 2 * x\n"
FITTED = "X, y = [[1], [2]], [1, 2]\nclass M:\n    def predict(self, rows):\n        return [1, 2]\nm = M()\n"
RAISES = "  result: |\n    def compare_fn(expected, found):\n        return expected.total == found\n"
REFUSED = TABLE + '    input_validator: |\n      def _validate(x):\n          assert x > 1, "too small"\n'

# What the second problem (its settings begin on line 10, its validators on 13) asks for and answers; then the line,
# words of the diagnostic, and words of its remedy. The static ones are found without running anything.
STATIC: dict[str, tuple[str, str, int, str, str]] = {
    "metric_unknown": (MODEL.format("acuracy"), FITTED, 18, "knows no 'acuracy'", "use 'accuracy'"),
    "option_unknown": (
        "  result:\n    ignore_ordr: true\n",
        "5\n",
        14,
        "no option 'ignore_ordr'",
        "use 'ignore_order'",
    ),
    "option_wrong": ("  result:\n    rtol: much\n", "5\n", 14, "must be a finite number", "write a number"),
    "own_unknown": ("  same_totl:\n", "5\n", 13, "no validator is called 'same_totl'", "use 'same_total'"),
    "own_option": ("  same_total:\n    colum: a\n", "5\n", 14, "no option 'colum'", "use 'column'"),
    "code_broken": (
        "  result: |\n    def compare_fn(a, b) return 1\n",
        "5\n",
        14,
        "does not parse",
        "correct the code",
    ),
}
EXECUTED: dict[str, tuple[str, str, int, str, str]] = {
    "variable_missing": ("  namespace_check:\n    totl:\n", "total = 5\n", 14, "leaves no variable 'totl'", "makes"),
    "case_refused": (
        REFUSED,
        DOUBLE,
        16,
        "case 1 is refused by the input_validator: AssertionError: too small",
        "case",
    ),
    "function_missing": (TABLE, "def twice(x):\n    return 2 * x\n", 15, "defines no function 'double'", "define it"),
    "function_raises": (
        TABLE,
        "def double(x):\n    return x / 0\n",
        16,
        "raises ZeroDivisionError in case 1",
        "correct",
    ),
    "function_hangs": (TABLE, "def double(x):\n    while True: pass\n", 14, "take too long", "fewer cases"),
    "model_missing": (MODEL.format("f1"), FITTED.replace("m =", "n ="), 15, "leaves no model 'm'", "correct the names"),
    "labels_missing": (MODEL.format("f1"), FITTED.replace("X, y", "X, z"), 17, "leaves no labels 'y'", "name an array"),
    "metric_unfit": (MODEL.format("roc_auc"), FITTED.replace("[1, 2]\nc", "[1, 1]\nc"), 14, "roc_auc", "use a metric"),
    "code_raises": (RAISES, "5\n", 13, "compare_fn raised AttributeError", "repair the code"),
    "own_raises": ("  same_total: {variables: [start]}\n", "5\n", 13, "same_total raised TypeError", "repair the code"),
    "reference_crashes": ("  result:\n", "[1][5]\n", 15, "raises IndexError", "repair the code"),
    "reference_slow": (
        "  result:\nexecution:\n  max_time: 0.2\n",
        "import time; time.sleep(1)\n",
        17,
        "0.2 s",
        "faster",
    ),
}
GOOD = HEAD.replace("validator:\n", "") + '"""\n5\n'
OWN = "def same_total(reference, submission, *, column=0):\n    return sum(submission.variables['start']) == column\n"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark with a good set before and after all those with an author's error."""
    monkeypatch.setattr("evaluator.session.probes.TABLE_S", 1.0)
    monkeypatch.setattr("evaluator.running.execution.reference_session.REFERENCE_GRACE_S", 0.5)
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: bench\nversion: '1'\nlanguage_version: 3\n", encoding="utf-8")
    (folder / "_validators.py").write_text(OWN, encoding="utf-8")
    for name, (settings, code, *_) in {**STATIC, **EXECUTED}.items():
        (folder / f"{name}.py").write_text(f'{HEAD}{settings}"""\n{code}', encoding="utf-8")
    for name in ("a_good", "z_good"):
        (folder / f"{name}.py").write_text(GOOD, encoding="utf-8")
    return folder


def assert_told(text: str, name: str, line: int, what: str, fix: str) -> None:
    told = re.search(rf"{name}\.py:(\d+): error\[[\w-]+\] (.*)\n +fix: (.*)", text)
    assert told, (name, text)
    assert (int(told[1]), name) == (line, name)
    assert what in told[2], (name, told[2])
    assert fix in told[3], (name, told[3])
    assert ("problem 2 (answer: 'Answer.')" if name in EXECUTED else "problem 2 (answer): ") in told[2]


def test_a_check_tells_every_error_without_running_what_needs_no_run(benchwright: Command, bench: Path) -> None:
    checked = benchwright("check", bench)
    assert checked.code == 1
    for name, (_, _, line, what, fix) in STATIC.items():
        assert_told(checked.stderr, name, line, what, fix)
    assert "a_good.py" not in checked.stderr


def test_a_run_stops_the_sets_with_an_authors_error_and_judges_the_others(benchwright: Command, bench: Path) -> None:
    run = benchwright("run", bench, "--agent", "oracle", "--out", "out", "--workers", "2", "--json")
    assert run.code == 1
    assert sorted(run.json["refused"]) == sorted([*STATIC, *EXECUTED])
    assert run.json["verdicts"] == {"CORRECT": 4 + len(EXECUTED)}  # of a set that stops, too, what came before counts
    for name, (_, _, line, what, fix) in {**STATIC, **EXECUTED}.items():
        assert_told(run.stderr, name, line, what, fix)


def test_validators_that_do_not_parse_stop_the_sets_that_use_them(benchwright: Command, bench: Path) -> None:
    (bench / "_validators.py").write_text(OWN + "def broken(:\n", encoding="utf-8")
    for name in (*STATIC, *EXECUTED):
        if name != "own_raises":
            (bench / f"{name}.py").unlink()
    checked = benchwright("check", bench)
    assert checked.code == 1
    assert re.search(r"_validators\.py:3: error\[python-syntax\] .*do not parse", checked.stderr)
    run = benchwright("run", bench, "--agent", "oracle", "--out", "out", "--json")
    assert (run.code, run.json["refused"]) == (1, ["own_raises"])
    assert run.json["verdicts"] == {"CORRECT": 4}
    assert "_validators.py, line 3" in run.stderr
