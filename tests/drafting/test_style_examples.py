"""The bad and good steps that a model is shown are executed: good ones pass, bad ones are told of as they say."""

from dataclasses import replace
from pathlib import Path

import pytest

from authoring.checks import style_diagnostics
from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.prompting.blocks import BLOCKS
from authoring.prompting.prompts import shipped_prompt
from authoring.prompting.style_examples import StyleExample, mending_text, style_examples, style_examples_text
from authoring.prompting.tokens import estimate_tokens
from evaluator.language import Problem, Problemset, parse_problemset
from evaluator.scoring import Verdict
from evaluator.session import Engine

ROWS = [
    ("ann", "north", "tea", 120.0), ("bob", "south", "tea", 80.0), ("ann", "north", "oil", 310.0),
    ("bob", "west", "oil", 95.5), ("cem", "west", "tea", 101.0), ("dee", "south", "oil", 100.0),
    ("eve", "west", "tea", 400.0),
]  # fmt: skip


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """The folder with the file that the examples read."""
    folder = tmp_path / "inputs"
    folder.mkdir()
    lines = ["customer,region,product,revenue", *(",".join(map(str, row)) for row in ROWS)]
    (folder / "orders.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def a_set(*problems: Problem) -> Problemset:
    return replace(whole(), cells=problems)


def whole() -> Problemset:
    parsed = parse_problemset(shipped_prompt("topic_examples").text, name="examples")
    assert parsed.diagnostics == ()
    assert parsed.problemset is not None
    return parsed.problemset


def codes(problemset: Problemset, inputs: Path, line: int) -> set[str]:
    return {one.code for one in style_diagnostics(problemset, Path("set.py"), inputs) if one.line == line}


def test_every_good_step_passes_and_nothing_is_told_of_it(engine: Engine, inputs: Path) -> None:
    goods = [example.good for example in style_examples()]
    problemset = a_set(*goods)
    for cell in execute_cells(engine, problemset, inputs).problems:
        assert cell.reference is not None
        assert cell.empty is not None
        assert cell.reference.verdict is Verdict.CORRECT, (cell.line, cell.reference.reason)
        assert cell.empty.verdict is not Verdict.CORRECT, cell.line
        assert cell.warnings == ()
    assert {one.code for one in style_diagnostics(problemset, Path("set.py"), inputs)} == {"style-steps"}
    assert [good.metadata["tags"] for good in goods] == [["good"]] * len(goods)


@pytest.mark.parametrize("example", style_examples(), ids=lambda one: one.fault)
def test_every_bad_step_is_told_of_as_it_says(example: StyleExample, engine: Engine, inputs: Path) -> None:
    goods = [one.good for one in style_examples()]
    before = goods[: goods.index(example.good)]
    problemset = a_set(*before, example.bad)
    executed = execute_cells(engine, problemset, inputs).problems[-1]
    told = {warning.code for warning in executed.warnings} | codes(problemset, inputs, example.bad.line)
    assert example.fault in told
    assert example.mending
    assert example.bad.metadata["tags"] == ["bad", example.fault]


def test_examples_are_shown_without_any_of_their_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    first = style_examples()[0]
    code = "import pandas as pd\nfrom pathlib import Path\n\nfrom_path = 1"
    shown = replace(first, bad=replace(first.bad, code=code))
    monkeypatch.setattr("authoring.prompting.style_examples.style_examples", lambda: (shown,))
    assert "```python\nfrom_path = 1\n```" in style_examples_text()


def test_the_examples_fit_into_their_block_and_one_goes_back_with_its_fault() -> None:
    assert estimate_tokens(style_examples_text()) < BLOCKS["mended steps"].tokens
    back = mending_text(["style-open", "style-open", "style-steps"])
    assert back.count("Good:") == 1
    assert "Explore the revenue" in back
    assert mending_text(["style-steps"]) == ""
