"""Whatever the text, the language answers with objects and diagnostics, never with an exception."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ContentError
from evaluator.language import (
    parse_problemset,
    problem_from_parts,
    problem_settings_yaml,
    render_problemset,
    resolve_validators,
)

FRAGMENTS = [
    "# %%", "# %% Title", '"""', 'r"""', "'''", "query: ask", "question: |", "query:", "validator:", "  result:",
    "  namespace_check:", "    df:", "      rtol: 1e-3", "  or:", "  template: empty",
    "  table_test: {test_cases: [//]}",
    "execution: {max_time: 1}", "  - a", "x = 1", "x = (", "%magic", "!ls", "df?", "def f():", "  return x", "", "   ",
    "\t", "&a", "*a", "[", "{", "}", ": :", "!!set", "é\u2028", "\ufeff", "\x0c", "\r", "---", "...",
    "id: 1", "data: {a: b}",
]  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=14).map("\n".join)


@given(texts, st.sampled_from([1, 2]))
def test_any_text_is_parsed_checked_and_rendered(text: str, language_version: int) -> None:
    problemset, diagnostics = parse_problemset(text, name="any", language_version=language_version)
    last = text.count("\n") + text.count("\r") + 1
    assert all(1 <= diagnostic.line <= last + 1 for diagnostic in diagnostics)
    assert problemset is not None or diagnostics
    if problemset is None:
        return
    if problemset.cells and language_version == 2:
        assert render_problemset(problemset) == text
    for problem in problemset.problems:
        problem_settings_yaml(problem)
        with contextlib.suppress(ContentError):
            resolve_validators(problem)


@given(texts, texts, texts)
def test_any_parts_give_a_problem_or_say_why_not(query: str, settings_yaml: str, code: str) -> None:
    problem, diagnostics = problem_from_parts(query, settings_yaml, code)
    assert problem is not None or diagnostics
    assert {str(diagnostic.path) for diagnostic in diagnostics} <= {"query", "settings", "code"}
