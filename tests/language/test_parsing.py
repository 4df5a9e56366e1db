import textwrap

from evaluator.diagnostics import has_errors
from evaluator.language import ExecutionLimits, Problem, Problemset, SetupCell, parse_problemset, problem_id

TRIPS = textwrap.dedent(
    '''\
    """Notes of the author."""

    # %%
    import pandas as pd

    # %% Load the trips
    """
    query: |
      Load `inputs/trips.csv` into `trips`.
    id: load
    validator:
      namespace_check:
        trips:
    execution:
      max_time: 2
      forbid_names: [answer]
    data:
      trips.csv: https://example.org/trips.csv
    tags: [reading]
    """

    trips = pd.read_csv("inputs/trips.csv")

    # %%

    # %%
    """
    question: How many trips are there?
    """
    len(trips)
    '''
)


def test_a_file_becomes_its_cells_in_order() -> None:
    parsed = parse_problemset(TRIPS, name="trips")
    assert not has_errors(parsed.diagnostics)
    assert parsed.problemset == Problemset(
        "trips",
        (
            SetupCell("import pandas as pd"),
            Problem(
                query="Load `inputs/trips.csv` into `trips`.\n",
                code='trips = pd.read_csv("inputs/trips.csv")',
                title="Load the trips",
                validator={"namespace_check": {"trips": None}},
                execution=ExecutionLimits(2.0, None, ("answer",)),
                data={"trips.csv": "https://example.org/trips.csv"},
                metadata={"id": "load", "tags": ["reading"]},
            ),
            Problem(query="How many trips are there?", code="len(trips)"),
        ),
        preamble='"""Notes of the author."""\n\n',
    )


def test_cells_know_their_lines_and_ids_and_keep_dates_as_text() -> None:
    problemset = Problemset.parse(TRIPS, name="trips")
    first, second = problemset.problems
    lines = TRIPS.split("\n")
    assert lines[first.line - 1] == "# %% Load the trips"
    assert lines[first.code_line - 1].startswith("trips = ")
    assert lines[second.code_line - 1] == "len(trips)"
    assert [problem_id(problemset, 1), problem_id(problemset, 2)] == ["load", "p2"]
    dated = Problemset.parse('# %%\n"""\nquery: ask\nnotes: 2024-01-31\n"""\n1\n', name="x")
    assert dated.problems[0].metadata == {"notes": "2024-01-31"}  # dates stay text


def test_every_line_end_reads_the_same() -> None:
    expected = Problemset.parse(TRIPS, name="trips")
    for line_end in ("\r\n", "\r"):
        found = Problemset.parse(TRIPS.replace("\n", line_end), name="trips")
        assert found.cells == expected.cells
        assert [cell.line for cell in found.cells] == [cell.line for cell in expected.cells]


def test_a_byte_order_mark_does_not_hide_the_first_cell() -> None:
    parsed = parse_problemset('\ufeff# %%\n"""\nquery: ask\n"""\n1 + 1\n', name="x")
    assert parsed.problemset is not None
    assert [problem.query for problem in parsed.problemset.problems] == ["ask"]


def test_published_files_split_at_bare_markers_only() -> None:
    text = '# %%\n"""\nquestion: ask\n"""\nx = 1\n# %% not a cell\ny = 2\n'
    old = parse_problemset(text, name="x", language_version=1).problemset
    new = parse_problemset(text, name="x").problemset
    assert old is not None
    assert new is not None
    assert [problem.code for problem in old.problems] == ["x = 1\n# %% not a cell\ny = 2"]
    assert [cell.title for cell in new.cells] == ["", "not a cell"]


def test_a_cell_whose_mapping_has_no_query_is_a_setup_cell() -> None:
    text = '# %%\n"""\nNote: a remark\n"""\nx = 1\n# %%\n"""\nquery: ask\n"""\nx\n'
    problemset, diagnostics = parse_problemset(text, name="x")
    assert problemset is not None
    assert problemset.cells[0] == SetupCell('"""\nNote: a remark\n"""\nx = 1')
    assert diagnostics == ()


def test_test_cases_keep_nested_lists_comments_and_repetitions() -> None:
    text = textwrap.dedent(
        '''\
        # %%
        """
        question: Write a function `total(values)`.
        validator:
          table_test:
            function_name: total
            test_cases:
            - # one list
              - [1, 2, [3]]
            - values: [4]
            - "`(pd.Series([1, 2]),)`"
            - |
              ```
              def _generate():
                return [1],
              ```
            # repeat
            - //
            - //
        """
        def total(values):
            return sum(values)
        '''
    )
    problemset, diagnostics = parse_problemset(text, name="x")
    assert diagnostics == ()
    assert problemset is not None
    validator = problemset.problems[0].validator
    assert validator is not None
    assert validator["table_test"]["test_cases"] == [
        [[1, 2, [3]]],
        {"values": [4]},
        "`(pd.Series([1, 2]),)`",
        "```\ndef _generate():\n  return [1],\n```\n",
        "//",
        "//",
    ]
