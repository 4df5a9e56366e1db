"""`probes:` of a problem: what is read, and what is told to the author."""

from pathlib import Path
from typing import Any

from evaluator.language import DeclaredProbe, declared_probes, parse_problemset, render_problemset

GOOD = """
slope: model.coef_[0]
total: {eval: "sum(values)"}
first: {take: stream.lines, count: 5}
guessed: {predict: model, inputs: X}
scaled: {transform: scaler.inner, inputs: X}
"""


def problem_text(probes: str, *, compared: str = "slope", code: str = "model = X = 1") -> str:
    lines = "\n".join(f"  {line}" for line in probes.strip().splitlines())
    names = "".join(f"    {name}:\n" for name in compared.split())
    head = f"query: q\nprobes:\n{lines}\nvalidator:\n  namespace_check:\n{names}"
    return f'# %%\n"""\n{head}"""\n\n{code}\n'


def codes(text: str) -> list[tuple[str, int]]:
    found = parse_problemset(text, name="set", path=Path("set.py")).diagnostics
    return [(one.code, one.line) for one in found if one.code != "name-not-made"]


def test_every_kind_of_probe_is_read() -> None:
    text = problem_text(GOOD, compared="slope total first guessed scaled")
    parsed = parse_problemset(text, name="set", path=Path("set.py"))
    assert parsed.problemset is not None
    assert codes(text) == []
    assert declared_probes(parsed.problemset.problems[0]) == (
        DeclaredProbe("slope", "eval", "model.coef_[0]"),
        DeclaredProbe("total", "eval", "sum(values)"),
        DeclaredProbe("first", "take", "stream.lines", count=5),
        DeclaredProbe("guessed", "predict", "model", inputs="X"),
        DeclaredProbe("scaled", "transform", "scaler.inner", inputs="X"),
    )
    assert render_problemset(parsed.problemset) == text


BAD = (
    *("a: x =", "a: 3", "a: {take: x}", "a: {take: x, count: 0}", "a: {take: x, count: true}"),
    *("a: {take: x y, count: 3}", "a: {predict: m}", "a: {predict: m, inputs: a.b}"),
    *("a: {predict: m, transform: m, inputs: X}", "a: {eval: x, count: 3}", "a: {call: x}", "not a name: x"),
)


def test_a_probe_of_another_form_is_an_error_at_its_line() -> None:
    for probe in BAD:
        assert ("wrong-type", 5) in codes(problem_text(probe)), probe
    assert codes('# %%\n"""\nquery: q\nprobes: [a]\n"""\n\n1\n') == [("wrong-type", 4)]


def test_probes_that_nothing_compares_or_that_hide_a_variable_are_named() -> None:
    assert codes(problem_text("slope: model", compared="other", code="other = 1")) == [("probe-not-compared", 5)]
    assert codes(problem_text("slope: model", code="slope = 1")) == [("probe-hides-variable", 5)]


def test_names_with_dots_are_functions_under_test_and_no_variables() -> None:
    def text(name: Any) -> str:
        table = f"{{table_test: {{function_name: {name}, test_cases: [[1]]}}}}"
        return f'# %%\n"""\nquery: q\nvalidator: {table}\n"""\n\nclass Shape: pass\n'

    assert codes(text("Shape.area")) == []
    assert codes(text("Shape..area")) == [("wrong-type", 4)]
