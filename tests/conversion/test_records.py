"""Records of completions keep their question, do not see one another, and pass their own solution."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from authoring.cli.main import run_command_line
from authoring.conversion import Converted, problemset_from_completions
from authoring.conversion.version_breaks import METHODS, version_breaks
from evaluator.language import Problem, Problemset, parse_problemset
from tests.conversion.record_material import BREAKS, FUNCTIONS, KEPT, LISTED, PROGRAMS, REFUSED, SALES, SHEETS, Record


def convert(tmp_path: Path, *records: Record) -> Converted:
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    return problemset_from_completions(path)


def parsed(made: Converted) -> Problemset:
    read = parse_problemset(made.text, name=made.name)
    assert read.problemset is not None
    assert [each for each in read.diagnostics if each.severity == "error"] == []
    return read.problemset


def converted(tmp_path: Path, record: Record) -> tuple[Problem, list[str]]:
    """Return the one problem of a record and the codes of its findings."""
    made = convert(tmp_path, record)
    (problem,) = parsed(made).problems
    return problem, [finding.code for finding in made.findings]


@pytest.mark.kernel
@pytest.mark.usefixtures("lent_engines")
@pytest.mark.parametrize(
    ("kept", "breaks"), [(KEPT[::10], BREAKS[:1]), pytest.param(KEPT, BREAKS, marks=pytest.mark.deep)]
)
def test_records_become_problems_that_their_solutions_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kept: list[Record], breaks: list[Record]
) -> None:
    source, out = tmp_path / "all.jsonl", tmp_path / "all.py"
    source.write_text("\n".join(map(json.dumps, [*kept, *breaks, *(record for _, record in REFUSED)])))
    assert run_command_line(["import", "completions", str(source), "--out", str(out), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (len(KEPT), made["problems"]) == (58, len(kept) + len(breaks))
    assert run_command_line(["check", str(out), "--run", "--no-cheat", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    at_fault = [each["line"] for each in found if each["severity"] == "error"]
    problems = parsed(Converted("all", out.read_text(), 0, ())).problems
    assert len(at_fault) == len(breaks)
    assert all(any(each.line <= line for line in at_fault) for each in problems[-len(breaks) :])
    assert min(at_fault) > problems[-len(breaks) - 1].line  # none of the others fails


def test_no_query_is_only_a_signature(tmp_path: Path) -> None:
    made = convert(tmp_path, *KEPT)
    assert [finding for finding in made.findings if finding.code == "signature-only"] == []
    for problem in parsed(made).problems:
        told = re.sub(r"Write a \w+ `[^`]*`\.|Store the .*|Change `.*", "", problem.query)
        assert len(told.split()) >= 2, problem.query


def test_a_query_that_is_only_a_signature_is_a_finding(tmp_path: Path) -> None:
    record = {"prompt": "def one():\n", "solution": "    return 1\n", "test": "assert one() == 1"}
    problem, codes = converted(tmp_path, record)
    assert (problem.query, codes) == ("Write a function `one()`.\n", ["signature-only"])


def test_what_cannot_become_a_problem_is_a_named_finding(tmp_path: Path) -> None:
    made = convert(tmp_path, KEPT[0], *(record for _, record in REFUSED))
    assert made.problems == 1
    found = [(finding.code, finding.source) for finding in made.findings]
    assert found == [(code, f"record {number}") for number, (code, _) in enumerate(REFUSED, 2)]
    said = " ".join(finding.what for finding in made.findings)
    assert all(name in said for name in ("JavaScript", "R,", "SQL", "Java,", "kotlin", "Python 2"))


def test_the_comments_of_a_program_are_its_query_and_its_data_the_setup(tmp_path: Path) -> None:
    made = convert(tmp_path, PROGRAMS[0])
    setup, problem = parsed(made).cells
    assert not isinstance(setup, Problem)
    assert setup.source == SALES.strip()
    assert isinstance(problem, Problem)
    assert problem.query == "Keep the rows in which more than 3 were sold\n\nStore the result in `busy`.\n"
    assert problem.code == "busy = df[df['sold'] > 3]"
    assert problem.validator == {"template": "intact", "namespace_check": {"busy": None}}


def test_what_a_program_begins_is_told_and_a_table_it_changes_is_judged(tmp_path: Path) -> None:
    assert "Go on from `a[1:] =`." in converted(tmp_path, PROGRAMS[4])[0].query
    assert "Go on from `per_shop = df`." in converted(tmp_path, PROGRAMS[1])[0].query
    for record in PROGRAMS[2:4]:
        problem, _ = converted(tmp_path, record)
        assert problem.validator == {"template": "intact", "namespace_check": {"df": None}}
        assert "Change `df` itself." in problem.query


def test_a_remark_on_the_given_code_stays_with_it(tmp_path: Path) -> None:
    prompt = SALES.replace("df =", "# Example table\ndf =") + "# Sort it by what was sold\nordered ="
    made = convert(tmp_path, {"prompt": prompt, "solution": " df.sort_values('sold')", "entry_point": "none"})
    setup, problem = parsed(made).cells
    assert not isinstance(setup, Problem)
    assert "# Example table" in setup.source
    assert isinstance(problem, Problem)
    assert problem.query == "Sort it by what was sold\n\nStore the result in `ordered`.\n"


def test_the_code_that_a_prompt_begins_a_function_with_keeps_its_comments(tmp_path: Path) -> None:
    prompt = "def f(x):\n    # Double x and add one\n    y = 2 * x\n    # now y is even\n"
    record = {"prompt": prompt, "solution": "    return y + 1\n", "test": "assert f(1) == 3", "entry_point": "f"}
    problem, _ = converted(tmp_path, record)
    assert problem.query == (
        "Write a function `f(x)`.\n\nDouble x and add one\n\nIt begins with:\n\n    y = 2 * x\n    # now y is even\n"
    )


def test_lines_of_a_test_that_are_no_python_are_left_out_and_counted(tmp_path: Path) -> None:
    test = "def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(1, 2}) == 3\n"
    problem, codes = converted(tmp_path, {**FUNCTIONS[0], "test": test})
    assert (cases(problem), codes) == ([[1, 2]], ["test-left-out"])


def test_hashes_are_no_part_of_a_question(tmp_path: Path) -> None:
    for hashes in ("# # Count them", "## Count them", "#: Count them", "#Count them"):
        record = {"prompt": f"x = [1]\n{hashes} please\nn =", "solution": " len(x)", "entry_point": "none"}
        assert converted(tmp_path, record)[0].query.startswith("Count them please\n")


def test_a_draw_or_what_cannot_be_compared_is_judged_by_its_test(tmp_path: Path) -> None:
    problem, codes = converted(tmp_path, PROGRAMS[9])
    assert codes == []
    assert "assert sample.shape == (20, 2)" in (problem.validator or {})["namespace_check"]["sample"]
    (record,) = [each for each in PROGRAMS if "groups =" in each["prompt"]]
    problem, codes = converted(tmp_path, record)
    assert codes == []
    assert problem.query.endswith("Store the result in `groups`.\n")
    assert problem.validator == {"template": "intact", "namespace_check": {"test_outcomes": None}}


def test_a_list_of_lines_is_one_solution_and_of_solutions_the_first(tmp_path: Path) -> None:
    problem, codes = converted(tmp_path, PROGRAMS[13])
    assert (problem.code, codes) == ("m = m * 2\ntrace = float(np.trace(m))", [])
    problem, codes = converted(tmp_path, PROGRAMS[12])
    assert (problem.code, codes) == ("unique = list(dict.fromkeys(codes))", ["several-solutions"])


def test_helpers_of_the_prompt_prepare_and_its_beginning_is_told(tmp_path: Path) -> None:
    setup, problem = parsed(convert(tmp_path, FUNCTIONS[6])).cells
    assert not isinstance(setup, Problem)
    assert setup.source == "def twice(x):\n    return 2 * x"
    assert isinstance(problem, Problem)
    assert problem.query == "Write a function `four_times(x)`.\n\nUse `twice` to return four times x.\n"
    assert "c = np.empty(a.size + b.size, dtype=a.dtype)" in converted(tmp_path, FUNCTIONS[4])[0].query


def cases(problem: Problem) -> Any:
    assert problem.validator is not None
    return problem.validator["table_test"]["test_cases"]


def test_arguments_by_name_and_made_by_the_test_become_cases(tmp_path: Path) -> None:
    assert cases(converted(tmp_path, FUNCTIONS[12])[0]) == [[2], "`{'x': 2, 'by': 5}`"]
    made, zeros = cases(converted(tmp_path, FUNCTIONS[13])[0])
    assert made.splitlines()[-2:] == ["_test_case = [v]", "```"]
    assert "v = rng.normal(size=5)" in made
    assert zeros == ["`np.zeros(2)`"]


def test_a_test_that_is_no_list_of_calls_is_replayed(tmp_path: Path) -> None:
    for record in (*(FUNCTIONS[number] for number in (7, 9, 10, 15, 20)), LISTED[2]):
        problem, codes = converted(tmp_path, record)
        assert codes == []
        assert "test_outcomes" in problem.metadata["probes"]
        assert (problem.validator or {})["namespace_check"] == {"test_outcomes": None}


def test_a_reference_that_changes_its_arguments_lets_others_leave_them(tmp_path: Path) -> None:
    changing, leaving = (converted(tmp_path, FUNCTIONS[number])[0].validator or {} for number in (5, 2))
    assert changing["table_test"]["input_checker"] is False
    assert "input_checker" not in leaving["table_test"]


def test_examples_stand_in_for_a_test_and_a_record_without_any_says_so(tmp_path: Path) -> None:
    problem, codes = converted(tmp_path, FUNCTIONS[17])
    assert (cases(problem), codes) == ([[2]], [])
    record = {"prompt": 'def f(x):\n    """Return x."""\n', "solution": "    return x\n", "entry_point": "f"}
    problem, codes = converted(tmp_path, record)
    assert codes == ["no-cases"]
    assert (problem.validator or {})["namespace_check"] == {"f_parameters": None}


def test_prose_is_the_query(tmp_path: Path) -> None:
    record = {"solution": "def back(text):\n    return text[::-1]\n", "test": "assert back('ab') == 'ba'"}
    for prompt in ("How do I reverse a text?", "Reverse", 'Please!\n\nReverse *a* text; "quoted".'):
        problem, codes = converted(tmp_path, {"prompt": prompt, **record})
        assert (problem.query, codes) == (f"Write a function `back(text)`.\n\n{prompt}\n", [])


def test_a_sheet_gives_its_question_its_data_and_its_open_variable(tmp_path: Path) -> None:
    problem, codes = converted(tmp_path, SHEETS[2])
    assert problem.query == "Apply a function of mine to each row.\n\nStore the result in `result`.\n"
    assert (problem.validator, codes) == ({"template": "intact", "namespace_check": {"result": None}}, [])
    assert "SOLUTION" not in converted(tmp_path, SHEETS[4])[0].query


def test_a_version_break_names_the_version_that_works(tmp_path: Path) -> None:
    found = [each for each in convert(tmp_path, *BREAKS).findings if each.code == "version-break"]
    assert len(found) == len(BREAKS)
    assert all("works up to" in each.what and " < " in each.fix for each in found)


GONE = {
    "import pandas as p\np.np.array([1])": "pd.np",
    "for a, b in s.iteritems(): pass": ".iteritems",
    "df['a'].fillna(0, inplace=True)": "a change of a selected part, such as df['a'].fillna(..., inplace=True)",
    "df.resample('2M').sum()": "frequencies M, Q, Y, A, BM, H, T, S",
    "df.drop('a', 1)": "drop(labels, axis) with a bare axis",
    "df.groupby('a')['b', 'c'].sum()": "groupby(...)['a', 'b']",
    "s.str.replace('[0-9]', '')": "str.replace with a pattern",
    "np.fromstring(b'a', dtype=np.int8)": "np.fromstring of bytes",
    "df.first('3D')": "first('3D') and last('3D')",
    "df = df.append(other)": "DataFrame.append",
}
STILL = ("s.str.replace('[0-9]', '', regex=True)", "pd.date_range('2024', freq='W-MON')", "df.fillna(0, inplace=True)")


def test_uses_of_what_is_gone_are_found() -> None:
    found = {code: [each.shown for each in version_breaks(code)] for code in (*GONE, *STILL)}
    assert found == {**{code: [shown] for code, shown in GONE.items()}, **{code: [] for code in STILL}}


def test_todays_pandas_lacks_what_the_table_says_it_lacks() -> None:
    major = int(pd.__version__.partition(".")[0])
    for name, found in METHODS.items():
        if found.library == "pandas" and float(found.removed_in) <= major:
            assert not hasattr(pd.DataFrame, name), name
            assert not hasattr(pd.Series, name), name


def test_records_do_not_see_what_the_one_before_made(tmp_path: Path) -> None:
    cells = parsed(convert(tmp_path, *PROGRAMS[17:20])).cells
    assert [cell.title for cell in cells if not isinstance(cell, Problem)] == ["", "forget", "", "forget", ""]
    forgets = [cell.source for cell in cells if not isinstance(cell, Problem) and cell.title == "forget"]
    assert ['["total"]' in each for each in forgets] == [True, False]
