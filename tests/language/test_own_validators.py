"""`_validators.py`: read without running it, and problems checked against the signatures in it."""

from pathlib import Path

from evaluator.diagnostics import Diagnostic
from evaluator.language import (
    OwnValidators,
    Problem,
    Problemset,
    parse_problemset,
    read_benchmark,
    read_own_validators,
    render_problemset,
    resolve_validators,
    used_own_validators,
    validator_line,
    wanted_names,
)

OWN = '''
"""Validators of this benchmark."""
import os

os.makedirs("executed")  # reading must not run this


def same_total(reference, submission, column, *, tolerance=0.01, **more):
    """The totals of a column agree.

    Not more."""
    return True


def strict_total(reference, submission, column, *, tolerance=0.01):
    return True


def _total(frame):
    return frame.sum()
'''


def own(code: str = OWN) -> OwnValidators:
    return read_own_validators(code, Path("_validators.py"))


def set_text(validator: str) -> str:
    return f'# %%\n"""\nquery: ask\nvalidator:\n  template: intact\n{validator}\nid: first\n"""\ndf = 1\n'


def check(validator: str, code: str = OWN) -> tuple[Diagnostic, ...]:
    return parse_problemset(set_text(validator), name="trips", own_validators=own(code)).diagnostics


def test_functions_are_read_without_running_them(tmp_path: Path) -> None:
    read = own()
    assert not read.diagnostics
    assert list(read.validators) == ["same_total", "strict_total"]
    found = read.validators["same_total"]
    assert (found.summary, found.line) == ("The totals of a column agree.", 8)
    assert dict(found.options) == {"column": True, "tolerance": False}
    assert found.takes_any_option
    assert not list(tmp_path.iterdir())


IMPROPER = (
    ("x = (\n", 1, "do not parse"),
    ("\n\ndef total(reference):\n    return True\n", 3, "does not take a reference and a submission"),
    ("async def total(reference, submission):\n    return True\n", 1, "does not take"),
    ("def total(reference, submission, variables):\n    return True\n", 1, "has a parameter 'variables'"),
    ("def result(reference, submission):\n    return True\n", 1, "already has a meaning"),
    ("def console(reference, submission):\n    return True\n", 1, "already has a meaning"),
    ("def rtol(reference, submission):\n    return True\n", 1, "already has a meaning"),
    ("def a(r, s):\n    return True\n\n\ndef a(r, s):\n    return 1\n", 5, "defined twice, first on line 1"),
    ("%matplotlib inline\ndef a(r, s):\n    return True\n", 1, "do not parse"),
)


def test_a_file_that_defines_no_validator_properly_is_told_with_its_line() -> None:
    for code, line, what in IMPROPER:
        (diagnostic,) = own(code).diagnostics
        assert (diagnostic.path, diagnostic.line) == (Path("_validators.py"), line), code
        assert what in diagnostic.what
        assert diagnostic.fix


def test_a_problem_that_keeps_to_the_signature_is_fine() -> None:
    assert not check("  same_total: {variables: [df], column: sales, anything: 3}")
    assert not check("  or:\n    result:\n    strict_total: {column: sales}")


MISUSED = (
    ("  same_totl: {column: a}", 6, "no validator is called 'same_totl'", "use 'same_total'"),
    ("  _total: {}", 6, "no validator is called '_total'", "use 'same_total'"),
    ("  strict_total:\n    column: a\n    tolerence: 1", 8, "no option 'tolerence'", "use 'tolerance'"),
    ("  strict_total:\n    tolerance: 1", 6, "needs the option 'column'", "write 'column:'"),
    ("  strict_total: 5", 6, "must be a mapping", "write each option"),
    ("  strict_total:\n    column: a\n    variables: df", 8, "must be a list of variable names", "[first, second]"),
    ("  or:\n    strict_totl: {column: a}", 7, "no validator is called", "use 'strict_total'"),
)


def test_a_problem_that_does_not_is_told_with_its_line() -> None:
    for validator, line, what, fix in MISUSED:
        (diagnostic,) = check(validator)
        assert diagnostic.line == line, validator
        assert what in diagnostic.what
        assert fix in diagnostic.fix


def test_a_problemset_with_own_validators_survives_the_round_trip() -> None:
    text = set_text("  same_total: {variables: [df], column: sales}")
    problemset = parse_problemset(text, name="trips", own_validators=own()).problemset
    assert problemset is not None
    assert render_problemset(problemset) == text
    again = parse_problemset(render_problemset(problemset), name="trips", own_validators=own())
    assert again.problemset == problemset


def test_the_tree_carries_the_code_and_the_variables_that_it_looks_at() -> None:
    problemset = parse_problemset(
        set_text("  or:\n    same_total: {variables: [df, b], column: c}"), name="t", own_validators=own()
    ).problemset
    assert problemset is not None
    (problem,) = problemset.problems
    spec = resolve_validators(problem)
    assert wanted_names(spec) == ("df", "b")
    assert spec.to_json()["children"][2]["children"][0]["code"] == OWN
    assert used_own_validators(problemset) == own()
    assert used_own_validators(Problemset("t", (Problem("ask", "1", own_validators=own()),))) is None
    assert validator_line(problem, "same_total.column") == 7
    assert validator_line(problem, "same_total.variables") == 7
    assert validator_line(problem, "reference code") == 1


def test_a_benchmark_folder_brings_its_validators(tmp_path: Path) -> None:
    (tmp_path / "_manifest.yaml").write_text("name: b\nversion: '1'\n", encoding="utf-8")
    (tmp_path / "trips.py").write_text(set_text("  same_total: {column: sales}"), encoding="utf-8")
    (tmp_path / "_validators.py").write_text(OWN, encoding="utf-8")
    benchmark = read_benchmark(tmp_path)
    assert not benchmark.diagnostics
    assert not (tmp_path / "executed").exists()
    (tmp_path / "_validators.py").write_bytes(b"def same_total(\xff")
    diagnostics = read_benchmark(tmp_path).diagnostics
    assert [(each.path.name, each.code) for each in diagnostics] == [
        ("_validators.py", "not-utf-8"),
        ("trips.py", "unknown-validator"),
    ]
