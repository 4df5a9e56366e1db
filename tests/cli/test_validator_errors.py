"""What an author does wrong in a validator stops that set with file, line, problem and remedy; the others go on."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.kernel, pytest.mark.slow]
Command = Callable[..., Any]

FORGOTTEN = "# %%\nfor _ in ('m', 'n', 'X', 'y', 'z', 'double', 'twice', 'total'):\n    globals().pop(_, None)\n\n"
PROBLEM = '# %%\n"""\nquery: Answer {0}.\nid: {0}\nvalidator:\n{1}"""\n{2}\n'
TABLE = "  template: intact\n  table_test:\n    function_name: double\n    test_cases: [[1], [2]]\n"
MODEL = "  template: intact\n  model:\n    model_name: m\n    inputs_name: X\n    labels_name: y\n    metric_type: {}\n"
DOUBLE = "def double(x):\n    return 2 * x\n"
FITTED = "X, y = [[1], [2]], [1, 2]\nclass M:\n    def predict(self, rows):\n        return [1, 2]\nm = M()\n"
RAISES = "  result: |\n    def compare_fn(expected, found):\n        return expected.total == found\n"
REFUSED = TABLE + '    input_validator: |\n      def _validate(x):\n          assert x > 1, "too small"\n'

# Validators and code of a problem; then a line (validators begin on 13), words of the diagnostic, and words of its
# remedy. The static ones are found without running anything.
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
    "labels_missing": (MODEL.format("f1"), FITTED.replace("X, y", "X, z"), 17, "leaves no labels 'y'", "name an array"),
    "metric_unfit": (MODEL.format("roc_auc"), FITTED.replace("[1, 2]\nc", "[1, 1]\nc"), 14, "roc_auc", "use a metric"),
    "code_raises": (RAISES, "5\n", 13, "compare_fn raised AttributeError", "repair the code"),
    "own_raises": ("  same_total: {variables: [start]}\n", "5\n", 13, "same_total raised TypeError", "repair the code"),
}
GOOD = '# %%\n"""\nquery: Make a start.\n"""\nstart = 1\nstart\n\n# %%\n"""\nquery: Answer.\nid: answer\n"""\n5\n\n'
OWN = "def same_total(reference, submission, *, column=0):\n    return sum(submission.variables['start']) == column\n"


def set_of(cases: dict[str, tuple[str, str, int, str, str]]) -> str:
    cells = (FORGOTTEN + PROBLEM.format(name, settings, code) for name, (settings, code, *_) in cases.items())
    return GOOD + "".join(cells)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A benchmark with a good set before and after those with an author's errors."""
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: bench\nversion: '1'\nlanguage_version: 3\n", encoding="utf-8")
    (folder / "_validators.py").write_text(OWN, encoding="utf-8")
    sets = {"a_good": GOOD, "static": set_of(STATIC), "executed": set_of(EXECUTED), "z_good": GOOD}
    for name, text in sets.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def assert_told(text: str, of: str, cases: dict[str, tuple[str, str, int, str, str]]) -> None:
    lines = set_of(cases).splitlines()
    for name, (_, _, line, what, fix) in cases.items():
        told = re.search(rf"{of}\.py:(\d+): error\[[\w-]+\] (.*problem \d+ \({name}\b.*)\n +fix: (.*)", text)
        assert told, (name, text)
        begin = lines.index(f"id: {name}") + 2  # of `validator:`
        assert (int(told[1]) - begin, name) == (line - 12, name)
        assert what in told[2], (name, told[2])
        assert fix in told[3], (name, told[3])


def test_every_error_is_told_without_running_what_needs_no_run(benchwright: Command, bench: Path) -> None:
    checked = benchwright("check", bench)
    assert checked.code == 1
    assert_told(checked.stderr, "static", STATIC)
    assert "good.py" not in checked.stderr
    assert "executed.py" not in checked.stderr
    executed = benchwright("check", bench, "--run", "--no-cheat")
    assert executed.code == 1
    assert_told(executed.stderr, "executed", EXECUTED)
    assert "good.py" not in executed.stderr


def test_a_run_stops_the_sets_with_an_authors_error_and_judges_the_others(benchwright: Command, bench: Path) -> None:
    run = benchwright("run", bench, "--agent", "oracle", "--out", "out", "--workers", "2", "--json")
    assert (run.code, sorted(run.json["refused"])) == (1, ["executed", "static"])
    assert run.json["verdicts"] == {"CORRECT": 6}  # of a set that stops, too, what came before counts
    assert_told(run.stderr, "static", STATIC)
    assert re.search(r"executed\.py:\d+: error.* problem 3 \(variable_missing: .*leaves no variable 'totl'", run.stderr)


def test_validators_that_do_not_parse_stop_the_sets_that_use_them(benchwright: Command, bench: Path) -> None:
    (bench / "_validators.py").write_text(OWN + "def broken(:\n", encoding="utf-8")
    (bench / "static.py").unlink()
    (bench / "executed.py").write_text(set_of({"own_raises": EXECUTED["own_raises"]}), encoding="utf-8")
    checked = benchwright("check", bench)
    assert checked.code == 1
    assert re.search(r"_validators\.py:3: error\[python-syntax\] .*do not parse", checked.stderr)
    run = benchwright("run", bench, "--agent", "oracle", "--out", "out", "--json")
    assert (run.code, run.json["refused"], run.json["verdicts"]) == (1, ["executed"], {"CORRECT": 4})
    assert "_validators.py, line 3" in run.stderr
