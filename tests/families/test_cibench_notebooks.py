"""CIBench notebooks: what is read of them, what is refused, and the round trips."""

import copy
import tempfile
import zlib
from pathlib import Path
from typing import Any

from hypothesis import given

from evaluator.families.cibench.notebook import CibenchNotebook, Tag, asked_query, picture_fault, read_cibench_notebook
from evaluator.families.cibench.problemset import notebook_of, problemset_of
from evaluator.scoring.grading import Expected
from tests.families.notebooks import answer, ask, book, books, png, printed, shown, value, write


def read(content: dict[str, Any]) -> CibenchNotebook:
    with tempfile.TemporaryDirectory() as folder:
        return read_cibench_notebook(write(Path(folder) / "1.ipynb", content))


def codes(content: dict[str, Any]) -> list[str]:
    return [each.code for each in read(content).diagnostics]


def test_the_last_text_or_the_first_figure_is_expected() -> None:
    for outputs, expected, tag in (
        ([], Expected(), Tag.EXEC),
        ([printed("careful", "stderr")], Expected(), Tag.EXEC),
        ([printed("1\n")], Expected("1\n", kind="stdout"), Tag.GENERAL),
        ([value("2"), printed("1\n")], Expected("1\n", kind="stdout"), Tag.GENERAL),
        ([printed("1\n"), value("2")], Expected("2", kind="execute_result"), Tag.GENERAL),
        ([printed("1\n"), shown(png())], Expected(picture=png()), Tag.VIS),
        ([value("2") | {"data": {"text/plain": "2", "image/png": "x"}}], Expected("2", kind="execute_result"),
         Tag.GENERAL),
    ):  # fmt: skip
        (step,) = read(book(ask("Count"), answer("1", *outputs))).steps
        assert (step.expected, step.tag) == (expected, tag)


def test_thought_modules_and_type_are_read() -> None:
    found = read(
        book(
            *[ask("Load it\n\nThought: a table\n"), answer("1"), ask("Mean"), answer("2", value("2"))],
            modules=["pandas & numpy", "scipy"],
            step_types=["exec", "num"],
        )
    )
    first, second = found.steps
    assert (first.query, first.thought) == ("Load it", "a table")
    assert (first.modules, first.step_type) == ("pandas & numpy", "exec")
    assert (second.thought, second.tag) == (" ", Tag.NUM)
    assert found.diagnostics == ()


def test_a_query_is_asked_with_its_modules() -> None:
    assert asked_query("Load.", "pandas & numpy", is_chinese=False) == "Load.Please use pandas and numpy modules.\n"
    assert asked_query("读.", "pandas&numpy", is_chinese=True) == "读.请用 pandas 和 numpy 模块.\n"
    assert asked_query("Load.", "pandas", is_chinese=False, sound=True) == "Load.\nPlease use pandas modules.\n"
    assert asked_query("Load. ", "", is_chinese=False) == "Load.\n"


LONG = "x" * 1006
STEP = [ask("Count"), answer("1", value("1"))]


def test_each_fault_has_its_diagnostic() -> None:
    for content, code in (
        (book(ask("a"), ask("b"), answer("1")), "unpaired-cells"),
        (book(answer("1"), ask("b")), "unpaired-cells"),
        (book(*STEP, ask("b")), "unpaired-cells"),
        (book(), "no-steps"),
        (book(ask("a"), answer("1", shown(png()), shown(png()))), "two-figures"),
        (book(*STEP, modules=["pandas", "scipy"], step_types=["num"]), "modules-length"),
        (book(*STEP, modules=["pandas"], step_types=["num", "num"]), "modules-length"),
        (book(*STEP, modules=["pandas"]), "modules-length"),
        (book(*STEP, step_types="num"), "modules-length"),
        (book(*STEP, step_types=["number"]), "unknown-step-type"),
        (book(ask("a\n\nThought: b\n\nThought: c"), answer("1")), "thought-twice"),
        (book(ask("a"), answer("1"), step_types=["num"]), "step-type-without-output"),
        (book(ask("a"), answer("1", shown(png())), step_types=["num"]), "figure-typed-as-text"),
        (book(*STEP, step_types=["vis"]), "text-typed-as-figure"),
        (book(ask("a"), answer("1", printed(LONG))), "expected-too-long"),
        (book(ask("a"), answer("1", value("x" * 998))), "expected-too-long"),
        (book(ask("a"), answer("x = '**split**'")), "split-marker"),
        (book(ask("a"), answer("df.to_csv('out.csv')")), "writes-a-file"),
        (book(ask("a"), answer("open('out.txt', 'w')")), "writes-a-file"),
        (book(ask("a"), answer("1", shown(png()[:60]))), "bad-picture"),
        (book(ask("a"), answer("1", shown(b"GIF89a"))), "bad-picture"),
        ({"worksheets": [], "metadata": {}}, "old-notebook"),
        ({"metadata": {}}, "not-a-notebook"),
    ):
        assert codes(content) == [code]


def test_a_picture_of_thirty_megapixels_is_told_without_decoding_it() -> None:
    huge = bytearray(png())
    huge[16:24] = (6000).to_bytes(4, "big") + (5000).to_bytes(4, "big")
    huge[29:33] = zlib.crc32(bytes(huge[12:29])).to_bytes(4, "big")
    assert picture_fault(bytes(huge)) == "has 30 megapixels; at most 16 are compared"


def test_a_file_that_is_no_notebook_is_told(tmp_path: Path) -> None:
    path = tmp_path / "1.ipynb"
    assert [each.code for each in read_cibench_notebook(path).diagnostics] == ["unreadable-file"]
    path.write_bytes(b"\xff\xfe not json")
    assert [each.code for each in read_cibench_notebook(path).diagnostics] == ["not-a-notebook"]
    path.write_text("[" * 100_000)
    assert [each.code for each in read_cibench_notebook(path).diagnostics] == ["not-a-notebook"]


def test_a_step_is_judged_by_its_tag() -> None:
    content = book(
        *[ask("a"), answer("1"), ask("b"), answer("2", value("2")), ask("c"), answer("3", shown(png()))],
        *[ask("d"), answer("4", value("t"))],
        step_types=["exec", "num", "vis", "text"],
    )
    problems = problemset_of(read(content), "n").problems
    assert [dict(problem.validator or {}) for problem in problems] == [
        {"template": "basic"},
        {"template": "basic", "numeric": None},
        {"template": "basic", "visual": None},
        {"template": "basic", "text": None},
    ]


@given(books())
def test_a_notebook_comes_back_as_it_was(content: dict[str, Any]) -> None:
    found = read(copy.deepcopy(content))
    if found.steps:
        assert notebook_of(problemset_of(found, "n"), found.raw) == content
