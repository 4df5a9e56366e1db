"""What exercises start from: data in their text or above their answer, hidden answers, starters, and lectures."""

from pathlib import Path

from authoring.conversion.exercise_books.given_data import split_given
from evaluator.language import Problem, SetupCell
from tests.conversion.book_material import Cell, md, py
from tests.conversion.test_exercise_books import codes, convert, parsed


def cells(tmp_path: Path, *given: Cell, solutions: tuple[Cell, ...] = ()) -> list[tuple[str, str]]:
    """Return each cell as its query, empty for one that prepares, and its code."""
    made = parsed(convert(tmp_path, *given, solutions=solutions))
    return [
        (cell.query, cell.code) if isinstance(cell, Problem) else ("", cell.source)
        for cell in made.cells
        if isinstance(cell, Problem | SetupCell)
    ]


def test_data_in_the_code_of_a_question_is_run_before_it(tmp_path: Path) -> None:
    asked = "Consider these:\n\n``` python\ndata = {'a': [1, 2]}\n```\n\n**4.** Create a DataFrame `df` from `data`."
    made = cells(tmp_path, md(asked), py("df = pd.DataFrame(data)"))
    assert [code for query, code in made if not query] == ["data = {'a': [1, 2]}", "import pandas as pd"]
    assert made[-1][1] == "df = pd.DataFrame(data)"
    assert "data = {'a': [1, 2]}" in made[-1][0]

    hint = md("Double `x`, as in\n```python\nx = x + x\n```\nbut by a product.")  # it is not run
    made = cells(tmp_path, md("Make `x` from 1 to 3."), py("x = [1, 2, 3]"), hint, py("x = 2 * x"))
    assert made[1][1] == "x = 2 * x"


NOT_GIVEN = {
    "Create a DataFrame of the data.": "raw = {'a': [1]}\ndf = pd.DataFrame(raw)",
    "Create an array x of ten zeros and add 1.": "x = np.zeros(10)\nx + 1",
    "Create an array of numbers from 1 to 3.": "numbers = np.arange(1, 4)\nnumbers.sum()",
    "Load the prices and give the mean.": "p = pd.read_csv('p.csv')\np.mean()",
    "What is the largest of `x`?": "x = other + 1\nx.max()",
    "What is the total price of 12 items at 30 euros?": "total = 12 * 30\nprint(total)",
    "What are the squares of 0 to 9?": "squares = [i**2 for i in range(10)]\nprint(squares)",
    "Draw 5 numbers named `draws` and sum them.": "draws = np.random.rand(5)\ndraws.sum()",
}


def test_values_above_an_answer_are_given_unless_asked_for_or_worked_out() -> None:
    given = split_given("Calculate the determinant of x.", "x = np.eye(2)\nnp.linalg.det(x)")
    assert given == ("x = np.eye(2)", "np.linalg.det(x)", ["x"])
    for query, code in NOT_GIVEN.items():
        assert split_given(query, code) == ("", code, [])


def test_what_is_given_stands_in_the_query_but_not_the_answer(tmp_path: Path) -> None:
    answer = "x = np.eye(2)\nout = np.linalg.det(x)\nother = 1.0\nassert np.allclose(out, other)\nprint(out)"
    first, second = md("Q11. Calculate the determinant of x."), md("Q12. Calculate the determinant of x.")
    *before, (query, code) = cells(tmp_path, first, py("import numpy as np"), second, py(answer))
    assert before[-1] == ("", "x = np.eye(2)")
    assert query == "Calculate the determinant of x.\n\nGiven:\n```python\nx = np.eye(2)\n```"
    assert code.endswith("out")
    assert "x = np.eye(2)" not in code


def test_a_question_about_the_code_below_shows_it(tmp_path: Path) -> None:
    asked, below = md("Q1. Predict the results of the following code."), py("x = [1, 2]\nprint(x[1])")
    ((query, code),) = cells(tmp_path, asked, below)
    assert query.endswith("```python\nx = [1, 2]\nprint(x[1])\n```")
    assert code == "x = [1, 2]\nprint(x[1])"


def test_several_printed_values_are_compared_together(tmp_path: Path) -> None:
    answer = py("v = max(3, 5)\nprint('largest', v)\nprint(min(3, 5))")
    ((_, code),) = cells(tmp_path, md("What are the largest and the smallest of 3, 5?"), answer)
    assert code.endswith("(v, min(3, 5))")


def test_a_comment_that_asks_below_its_data_is_the_question(tmp_path: Path) -> None:
    asked = "# 3. Consider the following text:\n\ntext = 'no 12'\n\n# extract the number 12 from it\n\nint(text[3:])"
    *_, (query, code) = cells(tmp_path, md("## Part 1: Basics"), py("# 1. How many are 1 and 1?\n1 + 1"), py(asked))
    assert query == "Consider the following text:\n```python\ntext = 'no 12'\n```\nextract the number 12 from it"
    assert code == "int(text[3:])"


def test_parts_between_answers_stay_in_the_question(tmp_path: Path) -> None:
    asked = "# 5.1 Compute y, the square of 3:\ny = 9\n\n# 5.2 Compute z, the double of y:\nz = 2 * y"
    query = cells(tmp_path, py(asked))[-1][0]
    assert "5.2 Compute z, the double of y" in query


def test_an_answer_hidden_in_the_next_text_answers_the_question_above(tmp_path: Path) -> None:
    hidden = (
        "<details><summary>Click here for the solution</summary>\n\n```python\nd.values()\n```\n\n</details>\n\n"
        "<h2>The last exercise!</h2>\nGet the tool."
    )
    made = convert(
        tmp_path, md("Make `d`, a dictionary of 1 to 2."), py("d = {1: 2}"),
        md("b) Find the values of `d`."), py("# Write your code below"), md(hidden),
    )  # fmt: skip
    assert [problem.code for problem in parsed(made).problems] == ["d = {1: 2}", "d.values()"]
    assert codes(made) == ["hidden-solution", "markup", "text-left-out"]


def test_a_solution_goes_on_where_the_exercise_begins(tmp_path: Path) -> None:
    question = md("Q1. Sort x along the second axis.")
    begun, whole = "x = np.array([[1, 4], [3, 1]])", "x = np.array([[1, 4], [3, 1]])\nprint(np.sort(x, axis=1))"
    imports = (md("# Sorting"), py("import numpy as np"))
    made = cells(tmp_path, question, py(begun), solutions=(*imports, question, py(whole)))
    assert made[0] == ("", "import numpy as np")
    assert made[-1][1] == "np.sort(x, axis=1)"
    made = cells(tmp_path, question, py(begun), solutions=(*imports, question, py("np.sort(x, axis=1)")))
    assert made[-1][1] == "np.sort(x, axis=1)"
    assert ("", begun) in made


def test_a_lecture_prepares_and_its_code_is_no_answer(tmp_path: Path) -> None:
    lecture = (md("The keys can be strings:"), py("d = {'a': 1}"))
    made = convert(tmp_path, *lecture, md("What is the value of 'a'?"), py("d['a']"))
    assert [problem.query for problem in parsed(made).problems] == ["What is the value of 'a'?"]
    assert codes(made) == ["no-question"]


def test_code_that_only_repeats_the_question_answers_nothing(tmp_path: Path) -> None:
    again = (md("How long is it?\n```python\nx = [1]\n```"), py("x = [1]"))
    made = convert(tmp_path, md("How many are there?"), py("1"), *again)
    assert (made.problems, codes(made)) == (1, ["no-answer"])


def test_an_indented_answer_and_announcements_without_an_end_are_read(tmp_path: Path) -> None:
    indented = py('# Write your code below\n "1992", "1977"')
    made = convert(tmp_path, md("a) What are the years?"), indented, md("Create the following matrix:"), py("[[1]]"))
    first, second = parsed(made).problems
    assert (first.query, first.code.split("\n")[-1]) == ("What are the years?", '"1992", "1977"')
    assert second.query == "Create the following matrix:"
    assert codes(made) == ["cut-query"]


def test_data_called_given_are_shown_although_something_is_made_of_them(tmp_path: Path) -> None:
    answer = "data = [1, 2, 3]\ntemps = pd.Series(data)"
    made = cells(tmp_path, md("Given the list below, create a Series `temps`."), py(answer))
    assert made[0] == ("", "data = [1, 2, 3]")
    assert "data = [1, 2, 3]" in made[-1][0]
    assert made[-1][1] == "temps = pd.Series(data)"


def test_hints_and_what_stands_below_an_answer_are_no_answer_to_it(tmp_path: Path) -> None:
    hint = md("<details><summary>Hint</summary>\n\n```python\nhelp(sum)\n```\n</details>\n\nWhat is 2 and 2?")
    made = convert(tmp_path, md("What is 1 and 1?"), py(), hint, py("2 + 2"))
    assert [problem.code for problem in parsed(made).problems] == ["2 + 2"]
    assert "no-answer" in codes(made)


def test_a_place_for_an_answer_below_given_values_is_no_answer(tmp_path: Path) -> None:
    started = py("data = [1, 2]\n# your code here")
    made = convert(tmp_path, md("Make a list `more` of the data and 3."), started, md("What is 1 and 1?"), py("1 + 1"))
    assert codes(made) == ["no-answer"]
    assert [problem.code for problem in parsed(made).problems] == ["1 + 1"]


def test_a_function_is_judged_by_the_calls_below_it(tmp_path: Path) -> None:
    code = "def tip(x):\n    return round(x / 10, 2)\n\ntip(24.53)\nprint(tip(100))"
    made = convert(tmp_path, md("Write a function `tip(x)` that gives a tenth, rounded to cents."), py(code))
    (problem,) = parsed(made).problems
    assert problem.code == "def tip(x):\n    return round(x / 10, 2)"
    calls = {"function_name": "tip", "test_cases": [[24.53], [100]]}
    assert problem.validator == {"template": "intact", "table_test": calls}
    assert codes(made) == ["validator"]
    code = "def twice(n):\n    return 2 * n\nn = 4\ntwice(n)"
    other = convert(tmp_path, md("Write a function that doubles `n`."), py(code))
    assert "table_test" not in (parsed(other).problems[0].validator or {})
