import string
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ContentError
from evaluator.language import (
    ExecutionLimits,
    Problem,
    Problemset,
    SetupCell,
    parse_problemset,
    problem_from_parts,
    problem_settings_yaml,
    render_problemset,
)

pytestmark = pytest.mark.slow

FOREIGN = (
    "'''\nA description.\n'''\n\n# %%\n\nimport pandas as pd\n\n# %%\n\n# %%   Titled  \nr\"\"\"\n"
    "# why\nquestion: |\n  first \\d\nvalidator:   # base\n    result: {ignore_order: true}  # any order\n"
    '# about limits\nexecution: {max_time: 3}\n"""\n\n\nx = 1\n\n\n\n# %%\n'
    '"""\nquery: second\n"""\nx'
)

names = st.text(string.ascii_lowercase, min_size=1, max_size=8)
texts = st.text(min_size=1, max_size=60).filter(lambda text: "\0" not in text)
LINES = (
    "x = 1",
    "if x:",
    "    y = '''",
    "# a remark",
    "",
    "print('\\n')",
    '"""doc"""',
    "s = '# %% no'",
    "é = 'ü'",
    "\tz",
)
lines_of_code = st.lists(st.sampled_from(LINES), min_size=1, max_size=6)
codes = lines_of_code.map(lambda lines: "\n".join(lines).strip()).filter(bool)
titles = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=12).map(str.strip)
scalars: st.SearchStrategy[Any] = st.one_of(
    st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts, st.none()
)
trees: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
limits = st.builds(
    ExecutionLimits,
    max_time_s=st.one_of(st.integers(1, 100).map(float), st.floats(0.01, 1e4)),
    max_memory_mb=st.one_of(st.none(), st.floats(1, 1e6)),
    forbid_names=st.lists(names.filter(str.isidentifier), max_size=3).map(tuple),
)
metadata = st.fixed_dictionaries(
    {}, optional={"id": names, "tags": st.lists(texts, max_size=3), "notes": trees.filter(lambda t: t is not None)}
)
problems = st.builds(
    Problem,
    query=texts,
    code=codes,
    title=titles,
    validator=st.one_of(st.none(), st.dictionaries(names, trees, max_size=3)),
    execution=limits,
    data=st.dictionaries(names, names.map(lambda name: f"https://example.org/{name}"), max_size=2),
    metadata=metadata,
)
setup_cells = st.builds(SetupCell, source=codes.filter(lambda code: not code.startswith('"""')), title=titles)
preambles = st.one_of(st.just(""), texts.map(lambda text: text.replace("#", "") + "\n"))
problemsets = st.builds(
    Problemset,
    name=st.just("set"),
    cells=st.lists(st.one_of(problems, setup_cells), max_size=4).map(tuple),
    preamble=preambles,
)


def reread(text: str) -> Problemset:
    problemset = parse_problemset(text, name="set").problemset
    assert problemset is not None
    return problemset


@given(problemsets)
def test_parsing_a_rendered_problemset_gives_it_back(problemset: Problemset) -> None:
    text = render_problemset(problemset)
    found = reread(text)
    assert render_problemset(found) == text
    assert found.cells == problemset.cells
    if "\r" not in problemset.preamble or not problemset.cells:
        assert found.preamble == problemset.preamble


@pytest.mark.parametrize("text", [FOREIGN, FOREIGN + "\n", FOREIGN.replace("\n", "\r\n"), "\ufeff" + FOREIGN[30:]])
def test_a_foreign_file_renders_byte_for_byte(text: str) -> None:
    assert render_problemset(reread(text)) == text


def test_an_edited_cell_of_a_foreign_file_is_the_only_one_that_changes() -> None:
    read = reread(FOREIGN)
    edited = replace(read.problems[-1], code="x + 1")
    text = render_problemset(replace(read, cells=(*read.cells[:-1], edited)))
    kept = FOREIGN[: FOREIGN.rindex("# %%")]
    assert text == kept + '# %%\n"""\nquery: second\n"""\n\nx + 1\n'
    longer = replace(read, cells=(*read.cells, Problem(query="third", code="x + 2")))  # it has no line end at its end
    assert reread(render_problemset(longer)) == longer


def test_edited_cells_take_the_line_ends_of_their_file() -> None:
    read = reread(FOREIGN.replace("\n", "\r\n"))
    text = render_problemset(replace(read, cells=(SetupCell("import math"), *read.cells[1:])))
    assert text.count("\n") == text.count("\r\n")


def test_a_cell_that_no_file_can_hold_is_refused() -> None:
    for cell, reason in (
        (Problem(query="ask", code="x = 1\n# %% next\ny = 2"), "starts with '# %%'"),
        (SetupCell("x = 1\n# %%"), "starts with '# %%'"),
        (SetupCell('"""\nquery: ask\n"""\nx = 1'), "read back as something else"),
        (Problem(query="ask", code="x", title="two\nlines"), "more than one line"),
        (Problem(query="ask", code="x", metadata={"tgas": ["a"]}), "no key is called 'tgas'"),
    ):
        with pytest.raises(ContentError, match=reason):
            render_problemset(Problemset("set", (cell,)))


def test_settings_in_the_editor_keep_comments_and_order() -> None:
    problem = reread(FOREIGN).problems[0]
    assert problem_settings_yaml(problem) == (
        "# why\nvalidator:   # base\n    result: {ignore_order: true}  # any order\n"
        "# about limits\nexecution: {max_time: 3}\n"
    )


@given(problems)
def test_taking_a_problem_apart_and_together_gives_it_back(problem: Problem) -> None:
    built, _ = problem_from_parts(problem.query, problem_settings_yaml(problem), problem.code, title=problem.title)
    assert built is not None
    assert replace(built, query=problem.query, title=problem.title) == problem
    assert built.query == problem.query.replace("\r\n", "\n").replace("\r", "\n")


def test_a_problem_built_from_parts_keeps_its_comments() -> None:
    built, diagnostics = problem_from_parts("ask\nagain", "# why\ntags: [a]", "x = 1\n", title="T")
    assert diagnostics == ()
    assert built is not None
    text = render_problemset(Problemset("set", (built,)))
    assert text == '# %% T\n"""\nquery: |-\n  ask\n  again\n# why\ntags: [a]\n"""\n\nx = 1\n'


PARTS = (
    ("tags: [a\n", "x", ("settings", 1, "yaml-syntax")),
    ("tags: [a]\nvalidator:\n  reslt:\n", "x", ("settings", 3, "unknown-validator")),
    ("query: no", "x", ("settings", 1, "query-twice")),
    ("notes: |\n  x\n# %%", "x", ("settings", 3, "marker-in-cell")),
    *(('notes: \'"""\'', "x", ("settings", 1, "quotes-in-settings")), ("- a", "x", ("settings", 1, "wrong-type"))),
    *(("", "\n\nx = 1\ny = (", ("code", 4, "python-syntax")), ("", "x\n# %% y", ("code", 2, "marker-in-cell"))),
    ("", " \n", ("code", 1, "query-without-code")),
)


def test_diagnostics_of_parts_name_the_part_and_its_line() -> None:
    for settings_yaml, code, expected in PARTS:
        _, diagnostics = problem_from_parts("ask", settings_yaml, code)
        assert [(str(d.path), d.line, d.code) for d in diagnostics] == [expected], (settings_yaml, code)
    _, diagnostics = problem_from_parts(" ", "", "x")
    assert [(str(d.path), d.line, d.code) for d in diagnostics] == [("query", 1, "empty-query")]
