"""Exercise notebooks keep the whole of each question, and their answers pass."""

import json
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from authoring.conversion import Converted, problemset_from_exercises, read_notebook_file
from authoring.conversion.exercise_books.answer_code import clean_code, is_stub
from authoring.conversion.exercise_books.files_in_code import files_read
from authoring.conversion.exercise_books.question_markdown import plain_markdown
from authoring.conversion.exercise_books.questions import query_of, tells
from authoring.conversion.unseeded import unseeded_draws
from evaluator.language import Problem, Problemset, parse_problemset
from tests.conversion.book_material import BOOKS, GROUPING, QUESTIONS, Cell, md, notebook, py, write_books


def convert(tmp_path: Path, *cells: Cell, solutions: tuple[Cell, ...] = ()) -> Converted:
    (tmp_path / "book.ipynb").write_bytes(notebook(*cells))
    (tmp_path / "solved.ipynb").write_bytes(notebook(*solutions))
    solved = read_notebook_file(tmp_path / "solved.ipynb") if solutions else None
    return problemset_from_exercises(read_notebook_file(tmp_path / "book.ipynb"), solutions=solved)


def parsed(made: Converted) -> Problemset:
    read = parse_problemset(made.text, name=made.name)
    assert read.problemset is not None
    assert [each for each in read.diagnostics if each.severity == "error"] == []
    return read.problemset


def problems(tmp_path: Path, *cells: Cell) -> tuple[Problem, ...]:
    return parsed(convert(tmp_path, *cells)).problems


def codes(made: Converted) -> list[str]:
    return [finding.code for finding in made.findings]


@pytest.mark.kernel
@pytest.mark.usefixtures("lent_engines")
@pytest.mark.parametrize("names", [("series",), pytest.param(tuple(BOOKS), marks=pytest.mark.deep)])
def test_books_become_problems_that_their_answers_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: tuple[str, ...]
) -> None:
    made: dict[str, Any] = {}
    paths = write_books(tmp_path)
    outs = [str(tmp_path / f"{name}.py") for name in names]
    for name, out in zip(names, outs, strict=True):
        assert run_command_line(["import", "notebook", str(paths[name]), "--out", out, "--json"]) == 0
        made[name] = json.loads(capsys.readouterr().out)["problems"]
    assert made == {name: {"knowing": 9, "grouping": 7, "plots": 5, "series": 5}[name] for name in names}
    assert run_command_line(["check", *outs, "--run", "--no-cheat", "--json"]) == 0
    told = {(one["severity"], one["code"]) for one in json.loads(capsys.readouterr().out)["diagnostics"]}
    # exercises ask simple things, and some data never show them
    assert told <= {("warning", code) for code in ("low-information", "not-exercised", "ties")}


def test_what_is_left_to_a_person_is_named(tmp_path: Path) -> None:
    paths = write_books(tmp_path)
    found = {name: codes(problemset_from_exercises(read_notebook_file(path))) for name, path in paths.items()}
    assert {name: " ".join(sorted(set(each))) for name, each in found.items()} == {
        "knowing": "download magic validator",
        "grouping": "file",
        "plots": "cell-magic file markup no-answer package picture plot random raw-cell widget",
        "series": "comment-question file hidden-solution no-answer",
    }


def test_every_question_is_kept_whole(tmp_path: Path) -> None:
    first, *_, museum, _, _, _, _ = problems(tmp_path, *BOOKS["knowing"])
    assert first.time_limit_s == 5.0
    assert first.query.strip() == (
        "Import the dataset from this address (https://example.org/data/visits.tsv).\n"
        "Assign it to a variable called visits.\n\nThe file is `inputs/visits.tsv`."
    )
    assert museum.query.strip() == (
        "Which museum had the most visitors?\nCount all of its visits:\n\n- add up `visitors`\n    - over all days\n"
        "    - not only of `2024`\n- the answer is one letter"
    )
    first = problems(tmp_path, *GROUPING)[0]
    assert "Split-Apply-Combine" not in first.query  # a title: it becomes a note
    assert "Split-Apply-Combine" in first.metadata["notes"]
    assert first.metadata["notes"].startswith("From the notebook:\nStaff\n")
    assert "`day` is its date" in problems(tmp_path, *BOOKS["series"])[0].query  # a description of the data stays


QUERIES = {
    "**Exercise 1.2** Find it": "Find it",
    "Q7: What is it?": "What is it?",
    "(5) Sort it": "Sort it",
    "#### Step 8.b. Change it": "Change it",
    "3 most expensive items?": "3 most expensive items?",
    "1.5 is the limit. Which are above?": "1.5 is the limit. Which are above?",
    "> quoted *words* and `code_with_*stars*`": "quoted words and `code_with_*stars*`",
    "a < b &amp; c > d": "a < b & c > d",
    "###No space here": "No space here",
}
ASKING = ("What is it?", "For each museum, compute the mean", "请计算平均值")
TELLING = ("This time we pull data from the internet.", "Filtering and sorting")


def test_numbers_and_marks_are_taken_off_and_a_text_that_asks_is_told() -> None:
    assert {markdown: query_of(markdown) for markdown in QUERIES} == QUERIES
    assert [tells(text) for text in (*ASKING, *TELLING)] == [True] * len(ASKING) + [False] * len(TELLING)


def test_the_parts_of_markdown() -> None:
    plain = plain_markdown(
        "Title\n=====\n\n## Part\n- a\n  - b\n\n```python\n# no heading\nx = [1](2)\n```\n"
        "![alt](a.png)<table><tr><td>1</td><td>2</td></tr></table>"
        "<details><summary>Answer</summary>\n\n```python\ny = 1\n```\n</details>"
    )
    assert [(each.level, each.heading) for each in plain.sections] == [(1, "Title"), (2, "Part")]
    body = plain.sections[1].body
    assert body.startswith("- a\n  - b\n\n```python\n# no heading\nx = [1](2)\n```")
    assert body.endswith("1 | 2")
    assert (plain.pictures, plain.solutions, plain.has_markup) == (1, ("y = 1\n",), True)


def judged(tmp_path: Path, query: str, code: str) -> tuple[str, Any]:
    """Return code and validators of the problem that a question and its answer become."""
    (problem,) = problems(tmp_path, md(query), py(code))
    return problem.code, problem.validator


def test_a_last_line_that_only_shows_what_is_asked_for_is_dropped(tmp_path: Path) -> None:
    wanted = {"template": "intact", "namespace_check": {"young": None}}
    answer = "young = people[people.age < 30]"
    for shown in ("young", "young.head()", "print(young)", "display(young.tail(2))"):
        made = judged(tmp_path, "Create a table called young of all below 30.", f"{answer}\n{shown}")
        assert made == (answer, wanted)
    assert judged(tmp_path, "Show the first 5 rows of the table.", "df.head()") == ("df.head()", None)
    code, validator = judged(tmp_path, "Load it into `df` and show the first 3 rows.", "df = load()\ndf.head(3)")
    assert code == "df = load()\ndf.head(3)"
    assert validator == {"template": "comparison", "namespace_check": {"df": None}}


def test_a_table_that_is_changed_is_judged_and_not_the_look_at_it(tmp_path: Path) -> None:
    wanted = {"template": "intact", "namespace_check": {"df": None}}
    for shown in ("df.head()", "df"):
        made = judged(tmp_path, "Is the year right? Correct it.", f"df['year'] = df.year - 100\n{shown}")
        assert made == ("df['year'] = df.year - 100", wanted)
    kept = "df.sort_values('price', inplace=True)\ndf.head(1)"
    assert judged(tmp_path, "Which item is the cheapest?", kept)[0] == kept
    made_for_it = "c = df.groupby('a').sum()\nc"
    assert judged(tmp_path, "What is the sum of each group?", made_for_it) == (made_for_it, None)


def test_pictures_drawn_step_by_step_only_prepare(tmp_path: Path) -> None:
    made = convert(
        tmp_path,
        md("How many are there?"), py("1 + 1"),
        md("Draw the totals"), py("t = df.total.hist()\nt.set(xlabel='x')"),
        md("Draw it again"), py("fig, ax = plt.subplots()\nax.plot([1])\nplt.despine()"),
    )  # fmt: skip
    assert (made.problems, codes(made)) == (1, ["plot", "import-added", "plot"])


def test_a_text_in_a_code_cell_becomes_a_note(tmp_path: Path) -> None:
    about = "# Wind\n\n### Introduction:\n\nUsing pandas should make this easier.\n\n1. The data has this format:"
    made = convert(
        tmp_path,
        md(about), py('"""\nYr Mo Dy RPT\n61 1 1 15.04\n"""'),
        md("### Step 1. How many rows are there?"), py("len(data)"),
    )  # fmt: skip
    (problem,) = parsed(made).problems
    assert problem.query == "How many rows are there?"
    assert "make this easier" in problem.metadata["notes"]
    assert "61 1 1 15.04" in problem.metadata["notes"]
    assert codes(made) == []


def test_scratch_variables_are_not_asked_for(tmp_path: Path) -> None:
    code = "mask = df.age > 3\nn = mask.sum()\nn / len(df)"
    assert judged(tmp_path, "Which share is older than 3?", code) == (code, None)
    assert judged(tmp_path, "Store the share in `share`.", "n = df.age.sum()\nshare = n / len(df)")[1] == {
        "template": "intact", "namespace_check": {"share": None},
    }  # fmt: skip


def test_a_value_that_is_only_printed_becomes_the_result(tmp_path: Path) -> None:
    printed = {
        "print('Sum: ' + str(round(total, 2)))": "round(total, 2)",
        **dict.fromkeys(("print('{} in all'.format(total))", "print('in all', total)"), "total"),
        "print('%.2f in all' % total)": "total",
    }
    for code, value in printed.items():
        assert judged(tmp_path, "How much is it in all?", f"a = 1\n{code}") == (f"a = 1\n{value}", None)


def test_a_print_that_is_asked_for_or_is_on_the_way_is_judged_by_its_text(tmp_path: Path) -> None:
    by_text = {"template": "intact", "stream": None}
    assert judged(tmp_path, "Print the columns.", "print(df.columns)") == ("print(df.columns)", by_text)
    for code in ("for n in df:\n    print(n)", "df.info()"):
        assert judged(tmp_path, "Tell about the columns.", code)[1] == by_text


def test_what_cannot_be_compared_is_not(tmp_path: Path) -> None:
    made = convert(
        tmp_path,
        md("Create a lambda and change the type of `df.fee`"),
        py("to_float = lambda x: float(x)\ndf.fee = df.fee.apply(to_float)"),
        md("Fit a model"), py("model = LinearRegression()\nmodel.fit(X, y)"),
    )  # fmt: skip
    assert codes(made) == ["not-compared"]
    assert parsed(made).problems[0].validator == {"template": "intact", "namespace_check": {"df": None}}
    assert "LinearRegression" in made.text  # kept for what follows


def test_files_are_found_by_any_name() -> None:
    known = {"url": "https://example.org/x.csv"}
    code = (
        "import pandas as pd\na = pd.read_csv('../data/a.csv')\nb = pd.read_table('users')\n"
        "c = pd.read_csv(url)\nd = pd.read_json(filepath_or_buffer='C:\\\\d\\\\d.json')\n"
        "with open('log') as f:\n    pass\nopen('out.txt2', 'w')\na.to_csv('made.csv')\n"
        "e = pd.read_csv('inputs/e.csv')\n"
        "g = pd.read_csv(f'{base}/g.csv')"
    )
    names = {"../data/a.csv": "a.csv", "users": "users", known["url"]: "x.csv", "C:\\d\\d.json": "d.json", "log": "log"}
    assert [(each.written, each.name) for each in files_read(code, known)] == [*names.items()]


def test_an_address_is_kept_for_fetching(tmp_path: Path) -> None:
    address = "https://example.org/a%20b.csv"
    (problem,) = problems(tmp_path, md(f"Load {address} into `t`."), py(f"t = read_csv('{address}')"))
    assert problem.data == {"a b.csv": address}
    assert problem.code == "t = read_csv('inputs/a b.csv')"


DRAWS = {
    "np.random.rand(3)": ["np.random.rand"],
    "df.sample(3)": ["df.sample"],
    "df.sample(3, random_state=1)": [],
    "train_test_split(X, y)": ["train_test_split"],
    "rng = np.random.default_rng()\nrng.normal()": ["np.random.default_rng"],
    "random.choice(x)": ["random.choice"],
    "KMeans(3, random_state=None)": ["KMeans"],
}
CLEAN = {  # source -> code that is left, language
    **{f"{magic}\nx = 1": ("x = 1", "") for magic in ("%matplotlib inline", "%%time", "!pip install a", "df.head?")},
    "files = !ls\nx = 1": ("x = 1", ""),
    "%%bash\nls": ("", "bash"),
    "t = '''\n%not a magic\n'''": ("t = '''\n%not a magic\n'''", ""),
}
STUBS = ("# your code here", "raise NotImplementedError()", "x = None\ny = ...", "____")


def test_draws_magics_and_places_for_an_answer_are_found_in_code() -> None:
    assert {code: unseeded_draws(code) for code in DRAWS} == DRAWS
    assert {source: (clean_code(source).code, clean_code(source).language) for source in CLEAN} == CLEAN
    assert [is_stub(code) for code in (*STUBS, "x = 1")] == [True] * len(STUBS) + [False]


def test_a_comment_at_the_top_of_a_cell_can_be_the_question(tmp_path: Path) -> None:
    made = convert(
        tmp_path,
        py("import pandas as pd"),
        py("# Exercise 1: how many rows has `df`?\n# Count the empty ones, too.\nlen(df)"),
        py("# only a remark\nhelper = 1"),
        md("## Next\nSort `df`"), py("# by age\ndf = df.sort_values('age')"),
    )  # fmt: skip
    queries = ["how many rows has `df`?\nCount the empty ones, too.", "Next\nSort `df`"]
    assert [problem.query for problem in parsed(made).problems] == queries
    assert codes(made) == ["comment-question", "no-question"]


def test_answers_of_another_notebook_are_put_in_by_text_and_by_place(tmp_path: Path) -> None:
    paired = convert(tmp_path, *QUESTIONS, solutions=GROUPING)
    whole = convert(tmp_path, *GROUPING)
    assert paired.text == whole.text
    only_code = tuple(cell for cell in GROUPING if cell[0] == "code")
    assert convert(tmp_path, *QUESTIONS, solutions=only_code).text == whole.text
    spaced = tuple(part for cell in only_code for part in (md("Solution"), cell))
    assert convert(tmp_path, *QUESTIONS, solutions=spaced).text == whole.text


def test_code_of_the_solutions_that_answers_nothing_is_named(tmp_path: Path) -> None:
    made = convert(
        tmp_path,
        md("How many rows has `df`?"), py(""), md("How many columns has `df`?"), py(""),
        solutions=(md("How many columns has `df`?"), py("df.shape[1]"), md("What else is there?"), py("df.info()")),
    )  # fmt: skip
    assert [problem.query for problem in parsed(made).problems] == ["How many columns has `df`?"]
    assert codes(made) == ["solution-left-out", "no-answer"]


def test_a_cell_that_only_checks_is_no_part_of_the_answer(tmp_path: Path) -> None:
    answer = py("### BEGIN SOLUTION\nx = 1\n### END SOLUTION")
    made = convert(tmp_path, md("Store 1 in `x`."), answer, py("assert x == 1"))
    assert (parsed(made).problems[0].code, codes(made)) == ("x = 1", ["test-cell"])


def test_a_module_that_is_missing_spoils_only_what_uses_it(tmp_path: Path) -> None:
    made = convert(
        tmp_path,
        py("import pandas as pd\nimport no_such_plots as nsp"),
        md("How many are 1 and 1?"), py("1 + 1"),
        md("Draw them"), py("nsp.lineplot([1])"),
        md("What does it say?"), py("nsp.words()"),
    )  # fmt: skip
    setup, _, words = parsed(made).cells
    assert not isinstance(setup, Problem)
    assert setup.source == "import pandas as pd"
    assert isinstance(words, Problem)
    assert words.code == "import no_such_plots as nsp\nnsp.words()"
    assert codes(made) == ["package", "plot"]


def test_a_question_that_no_code_answers_is_not_put_before_the_next(tmp_path: Path) -> None:
    asked = ("### Step 1. Why is that? Explain.", "Because.", "### Step 2. Load the file from there.")
    made = convert(tmp_path, *map(md, asked), md("### Step 3. Store it in `x`."), py("x = 1"))
    assert [problem.query for problem in parsed(made).problems] == ["Load the file from there.\nStore it in `x`."]
    (found,) = made.findings
    assert (found.code, found.what) == (
        "no-answer", "no code answers this text: 'Why is that? Explain. Because.'",
    )  # fmt: skip


def test_a_function_is_judged_at_least_by_what_it_takes(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, md("Write a function that doubles."), py("def twice(x):\n    return 2 * x"))
    assert problem.validator == {"template": "intact", "namespace_check": {"twice_parameters": None}}
    assert list(problem.metadata["probes"]) == ["twice_parameters"]


def test_code_that_nests_too_deeply_is_a_finding(tmp_path: Path) -> None:
    made = convert(tmp_path, md("How many are there?"), py("1"), md("How much is it?"), py("x = " + "-" * 1_100 + "1"))
    assert (made.problems, codes(made)) == (1, ["unreadable-answer"])


def test_old_python_is_named(tmp_path: Path) -> None:
    made = convert(
        tmp_path, md("How many are there?"), py("1"),
        md("How many more?"), py("print 3"), md("How many fail?"), py("raise ValueError, 'few'"),
    )  # fmt: skip
    found = [(each.code, "Python 2" in each.what) for each in made.findings if each.code != "validator"]
    assert found == [("python-2", True), ("unreadable-answer", False)]
    assert parsed(made).problems[1].code == "print(3)"
