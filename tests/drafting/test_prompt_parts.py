"""Parts of prompts: files with versions, blocks with budgets, what is known of a seed, examples that are executed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.checks import style_diagnostics
from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.drafting.seed_knowledge import data_blocks, profile_text
from authoring.drafting.sketching import make_sketch
from authoring.prompting.blocks import BLOCKS, Block, Unit, block, cut_to_tokens, shares
from authoring.prompting.prompts import FOLDER, PromptBook, digest_of, prompt_text, shipped_prompt
from authoring.prompting.style_examples import mending_text, style_examples, style_examples_text
from authoring.prompting.tokens import estimate_tokens
from authoring.prompting.validator_syntax import syntax_examples, syntax_text
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Semantics, TableMeaning
from authoring.store.drafting.guide import MAX_GUIDE_CHARS
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language import (
    EQUALITY_LINES,
    MATCHER_OPTIONS,
    TEMPLATES,
    VALIDATOR_SCHEMAS,
    Problemset,
    SetupCell,
    parse_problemset,
)
from evaluator.scoring import Verdict
from evaluator.session import Engine
from tests.drafting.conftest import PROFILE, Serve, column
from tests.scripted_model import Say

REPAIR = "Wrong: ${complaint} It costs $$5."


def own(ws: Workspace, name: str, text: str) -> Path:
    path = ws.root / "prompts" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_shipped_prompt_begins_with_its_version() -> None:
    for path in FOLDER.glob("*.md"):
        assert path.read_text(encoding="utf-8").startswith("version: "), path
        assert not shipped_prompt(path.stem).text.startswith("version"), path


def test_a_workspace_overrides_a_prompt_with_a_file_of_its_own(ws: Workspace, serve: Serve) -> None:
    own(ws, "repair", f"version: 7-ours\n\n{REPAIR}")
    own(ws, "system", "Be brief.")
    with serve([Say("no"), Say('[{"query_idea": "Load it."}]')]) as model:
        found = find_sketch(ws, make_sketch(ws, "trips", author="model")).provenance["prompts"]
    assert model.prompts[1].startswith("Wrong: there is no JSON list")
    assert model.prompts[1].endswith("It costs $5.")
    assert model.requests[0]["messages"][0]["content"] == "Be brief."
    assert (found["repair"]["version"], found["repair"]["own"]) == ("7-ours", True)
    assert (found["system"]["version"], found["system"]["own"]) == ("own", True)
    shipped = shipped_prompt("sketch")
    assert found["sketch"] == {"version": shipped.version, "digest": digest_of(shipped.text), "own": False}
    assert found.keys() == {"sketch", "system", "repair"}


def test_a_prompt_that_cannot_be_filled_is_refused_by_name(ws: Workspace) -> None:
    for text, says in (
        ("nothing to fill", r"lacks the places \$\{complaint\}"),
        ("${complaint} ${answer}", r"nothing fills: \$\{answer\}"),
        ("${complaint} costs $ 5", "opens no place"),
        ("${complaint}" + "x" * 200_001, "longer than 200,000 bytes"),
    ):
        path = own(ws, "repair", text)
        with pytest.raises(ContentError, match=says) as caught:
            PromptBook(ws.root).fill("repair", complaint="no")
        assert caught.value.where == str(path)
    path.write_bytes("Grüße".encode("utf-16"))
    with pytest.raises(ContentError, match="not UTF-8"):
        PromptBook(ws.root).fill("repair", complaint="no")


# blocks keep to a budget in tokens


def test_the_estimate_is_near_what_tokenizers_count() -> None:
    """Here cl100k_base, that of DeepSeek and the published one of Anthropic count 34 or 35."""
    chinese = "把 `inputs/trips.csv` 读入名为 `trips` 的 DataFrame，并返回其行数；缺失值不计算在内。"
    assert 28 <= estimate_tokens(chinese) <= 43
    assert estimate_tokens("") == 0
    assert estimate_tokens("one two six") == 3
    assert estimate_tokens("1234567") == 3
    assert estimate_tokens("a,b,c") == 5
    assert estimate_tokens("internationalisation") > 2


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=2_000),
    st.integers(30, 200),
    st.sampled_from(Unit),
)
def test_what_is_cut_fits_and_is_a_beginning(text: str, tokens: int, unit: Unit) -> None:
    shown = cut_to_tokens(text, tokens, unit)
    if estimate_tokens(text) <= tokens:
        assert shown == text
        return
    assert estimate_tokens(shown) <= tokens
    assert text.startswith(shown.splitlines()[0][:5]) or not shown.splitlines()[0]


def test_lines_paragraphs_and_cells_are_cut_between_and_counted() -> None:
    lines = "".join(f"- column number {n}\n" for n in range(100))
    assert cut_to_tokens(lines, 60, Unit.LINES).endswith(
        "- column number 4\n(95 more lines left out to keep this short)"
    )
    cells = "".join(f"# %%\nvalue_{n} = {n}\n\n" for n in range(100))
    shown = cut_to_tokens(cells, 60, Unit.CELLS)
    assert shown.startswith("# %%\nvalue_0 = 0\n\n# %%\nvalue_1 = 1\n")
    assert shown.splitlines()[-1] == "# (97 more cells left out to keep this short)"
    assert cut_to_tokens("x " * 900, 60, Unit.LINES).endswith("(the rest is left out to keep this short)")


def test_short_texts_are_whole_and_long_ones_share_what_is_left() -> None:
    assert shares(["a b c", "word " * 500, "word " * 300], 403) == (3, 200, 200)
    assert shares(["word " * 9, "word " * 8], 100) == (9, 8)
    assert shares([], 100) == ()


def test_no_block_exceeds_its_budget_with_heading_and_fence() -> None:
    for name, budget in BLOCKS.items():
        text = "\n\n".join(f"# %%\nsome words of line {n}" for n in range(budget.tokens // 5))
        made = block(name, text, title="# A heading", above="Some words above.", fence="python")
        assert made.is_cut, name
        assert 0.8 * budget.tokens - 60 <= made.tokens <= budget.tokens, name
        assert made.text.rstrip().endswith("```")
        assert not block(name, "short", title="# A heading").is_cut
        assert block(name, " \n", title="# A heading").text == ""


def test_the_longest_guide_that_can_be_saved_is_shown_whole() -> None:
    words = prompt_text("guide")
    longest = (words * (MAX_GUIDE_CHARS // len(words) + 1))[:MAX_GUIDE_CHARS]
    assert not block("guide", longest).is_cut


def test_a_request_is_the_sum_of_its_blocks() -> None:
    known = [block("topic", "Sorting\nMasks", title="# Topics that exist already")]
    request = PromptBook().request("topics", {"taken": known}, modules="numpy", count="5")
    whole = estimate_tokens(request.system) + estimate_tokens(request.text)
    assert abs(request.tokens - whole) <= len(request.blocks)
    blocks = {each.name: each.tokens for each in request.blocks}
    assert request.to_json() == {"tokens": request.tokens, "blocks": blocks, "cut": []}
    assert [each.name for each in request.blocks] == ["system", "instructions", "topic"]
    assert request.shown() == f"[system]\n{request.system}\n\n[user]\n{request.text}"


# what is told of a seed


TABLE: dict[str, Any] = {
    **{"file": "trips.csv", "reader": "read_csv", "rows": 60},
    "sample_rows": [["1", None, "work"], ["2", "3.0", " visit"], ["60", "90.0", "a, b"]],
    "columns": [
        column("Trip id", "id", "int64", 60),
        {
            **column("Länge km", "number", "float64", 52),
            **{"min": 1.5, "max": 90.0, "mean": 45.75, "missing": 8, "samples": [1.5, 3.0]},
            "quantiles": {"0.05": 3.0, "0.25": 23.0, "0.5": 45.0, "0.75": 68.0},
        },
        {**column("Purpose", "category", "str", 14), "top": [["work", 30], ["leisure", 20]]},
        {**column("note", "text", "str", 60), "samples": ["late", "rain"], "stray_spaces": 3},
    ],
}


def seed_with(ws: Workspace, *tables: dict[str, Any]) -> Seed:
    return replace(find_seed(ws, "trips"), profile={**PROFILE, "tables": list(tables)})


def named(blocks: tuple[Block, ...]) -> dict[str, Block]:
    return {each.name: each for each in blocks}


def test_meanings_say_what_adds_up_what_a_row_is_and_its_order(ws: Workspace) -> None:
    km = ColumnMeaning(name="Länge km", meaning=Meaning.MEASURE, unit="km", adds_up=AddsUp.YES)
    level = ColumnMeaning(name="comfort", meaning=Meaning.ORDINAL, levels=("low", "high"))
    rate = ColumnMeaning(name="load", meaning=Meaning.RATE, unit="%", weighted_by="seats")
    month = ColumnMeaning(name="month", meaning=Meaning.TIME, granularity="month", is_part=True)
    key = ColumnMeaning(name="city", meaning=Meaning.KEY, refers_to="cities.csv:id")
    trips = TableMeaning(
        file="trips.csv", row="trip", order=("day",), entity=("car",), groups=("Purpose",), columns=(km, level, rate)
    )
    months = TableMeaning(file="months.csv", repeats_are_errors=True, columns=(month, key))
    shown = named(data_blocks(seed_with(ws, TABLE), Semantics(tables=(trips, months))))["meanings"]
    assert shown.text.startswith("\n\n## What rows and columns mean\nOne row of `trips.csv` is one trip")
    assert "have an order within each `car`: by `day`." in shown.text
    assert "- `Länge km`: measure, in km, adds up\n- `comfort`: ordinal, levels low < high\n" in shown.text
    assert "Two equal rows of `months.csv` are a mistake." in shown.text


def test_of_a_very_wide_table_only_the_first_columns_are_told(ws: Workspace) -> None:
    wide = {**TABLE, "file": "wide.csv", "columns": [column(f"c{n}", "number", "float64", 9) for n in range(3_000)]}
    wide["sample_rows"] = [["123456.78"] * 40] * 5
    of_no_rows = named(data_blocks(find_seed(ws, "trips")))
    assert (of_no_rows["samples"].text, of_no_rows["meanings"].text) == ("", "")
    found = named(data_blocks(seed_with(ws, wide, TABLE)))
    assert found["data"].is_cut
    assert all(each.tokens <= BLOCKS[name].tokens for name, each in found.items())
    assert "- `c0`" in found["data"].text
    assert "more lines left out" in found["data"].text
    assert "- `note`: str, text" in found["data"].text
    assert "60,90.0," in found["samples"].text
    told = profile_text(seed_with(ws, TABLE))  # to people
    assert told.startswith("Trips Trips of one month.\n\nFile `inputs/trips.csv`")
    assert "Traps:\n- trips.csv: the name 'Trip id' holds spaces" in told


# the syntax of validators: each example is a real problem


SCORED = list(VALIDATOR_SCHEMAS.values())
SUBJECTS = [schema.name for schema in SCORED]
SUBJECTS += [f"{schema.name}.{option}" for schema in SCORED for option in schema.options]
WARNED = {"guessable-type-only"}  # `type_only` is warned of wherever it stands


def examples() -> Problemset:
    parsed = parse_problemset(shipped_prompt("validators").text, name="validators")
    assert {found.code for found in parsed.diagnostics} == WARNED
    assert parsed.problemset is not None
    return parsed.problemset


def test_every_validator_and_every_option_has_an_example_that_shows_it() -> None:
    assert set(syntax_examples()) == set(SUBJECTS)
    for subject, example in syntax_examples().items():
        validator, _, option = subject.partition(".")
        assert f"{validator}:" in example.settings
        assert f"{option or validator}:" in example.settings
        assert example.when
    own = [syntax_examples()[f"result.{option}"] for option in MATCHER_OPTIONS]
    assert len(set(own)) == len(MATCHER_OPTIONS)
    assert all(example.subjects == (f"result.{option}",) for option, example in zip(MATCHER_OPTIONS, own, strict=True))


def test_the_text_names_every_validator_option_template_and_line() -> None:
    text = syntax_text()
    assert estimate_tokens(text) < 0.8 * BLOCKS["format"].tokens
    for schema in SCORED:
        assert f"`{schema.name}`: {schema.summary}" in text
        for name, option in schema.options.items():
            assert f"- `{name}` ({option.kind.value}" in text
            assert option.summary in text
    for example in set(syntax_examples().values()):
        assert text.count(example.settings.replace("\n", "\n  ")) == 1
    assert all(f"{name} = " in text for name in TEMPLATES)
    assert all(f"- `{name}`: {line.what}" in text for name, line in EQUALITY_LINES.items())


def refuse_unsound(engine: Engine, problemset: Problemset, inputs: Path | None) -> None:
    for cell in execute_cells(engine, problemset, inputs).problems:
        assert cell.reference is not None
        assert cell.empty is not None
        assert cell.reference.verdict is Verdict.CORRECT, (cell.line, cell.reference.reason)
        assert cell.empty.verdict is not Verdict.CORRECT, cell.line


@pytest.mark.usefixtures("no_trials")
@pytest.mark.parametrize("count", [5, pytest.param(28, marks=pytest.mark.deep)])
def test_examples_pass_their_own_validators_and_an_empty_answer_fails(engine: Engine, count: int) -> None:
    setup, *problems = examples().cells
    assert len(problems) == 28
    refuse_unsound(engine, replace(examples(), cells=(setup, *problems[:count])), None)


# bad and good steps


ROWS = [
    ("ann", "north", "tea", 120.0), ("bob", "south", "tea", 80.0), ("ann", "north", "oil", 310.0),
    ("bob", "west", "oil", 95.5), ("cem", "west", "tea", 101.0), ("dee", "south", "oil", 100.0),
    ("eve", "west", "tea", 400.0),
]  # fmt: skip


def whole() -> Problemset:
    parsed = parse_problemset(shipped_prompt("topic_examples").text, name="examples")
    assert parsed.diagnostics == ()
    assert parsed.problemset is not None
    return parsed.problemset


def codes(problemset: Problemset, inputs: Path, line: int) -> set[str]:
    return {one.code for one in style_diagnostics(problemset, Path("set.py"), inputs) if one.line == line}


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """The folder with the file that the examples read."""
    lines = ["customer,region,product,revenue", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "orders.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("executes_all", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_bad_steps_are_told_of_as_they_say(engine: Engine, inputs: Path, executes_all: bool) -> None:
    """Each is executed before the good one that mends it, but for those that are told from their text."""
    every = replace(whole(), cells=tuple(step for one in style_examples() for step in (one.bad, one.good)))
    told_by_text = [one for one in style_examples() if one.fault in codes(every, inputs, one.bad.line)]
    steps = [one for one in style_examples() if executes_all or one not in told_by_text]
    assert len(style_examples()) >= 5
    parts = [(one.bad, one.good) if one in steps else (SetupCell(one.good.code),) for one in style_examples()]
    problemset = replace(whole(), cells=tuple(cell for part in parts for cell in part))
    cells = execute_cells(engine, problemset, inputs).problems
    assert len(cells) == 2 * len(steps) >= 2
    for example, bad, good in zip(steps, cells[::2], cells[1::2], strict=True):
        told = {warning.code for warning in bad.warnings} | codes(problemset, inputs, example.bad.line)
        assert example.fault in told
        assert example.mending
        assert [one.metadata["tags"] for one in (example.bad, example.good)] == [["bad", example.fault], ["good"]]
        assert good.reference is not None
        assert (good.reference.verdict, good.warnings) == (Verdict.CORRECT, ())


def test_of_good_steps_nothing_is_told(inputs: Path) -> None:
    goods = replace(whole(), cells=tuple(one.good for one in style_examples()))
    assert {one.code for one in style_diagnostics(goods, Path("set.py"), inputs)} == {"style-steps"}


@pytest.mark.deep
def test_an_empty_answer_to_a_good_step_fails(engine: Engine, inputs: Path) -> None:
    refuse_unsound(engine, replace(whole(), cells=tuple(one.good for one in style_examples())), inputs)


def test_examples_are_shown_without_any_of_their_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    first = style_examples()[0]
    code = "import pandas as pd\nfrom pathlib import Path\n\nfrom_path = 1"
    shown = replace(first, bad=replace(first.bad, code=code))
    monkeypatch.setattr("authoring.prompting.style_examples.style_examples", lambda: (shown,))
    assert "```python\nfrom_path = 1\n```" in style_examples_text()


def test_examples_fit_into_their_block_and_go_back_with_their_fault() -> None:
    assert estimate_tokens(style_examples_text()) < BLOCKS["mended steps"].tokens
    back = mending_text(["style-open", "style-open", "style-steps"])
    assert back.count("Good:") == 1
    assert "Explore the revenue" in back
    assert mending_text(["style-steps"]) == ""
