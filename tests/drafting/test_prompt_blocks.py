"""Prompts are measured in tokens by a rule that is the same everywhere, and their blocks keep to a budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.prompting.blocks import BLOCKS, Unit, block, cut_to_tokens, shares
from authoring.prompting.prompts import PromptBook, prompt_text
from authoring.prompting.tokens import estimate_tokens
from authoring.store.drafting.guide import MAX_GUIDE_CHARS

# tokens that cl100k_base, Anthropic's published tokenizer and DeepSeek's count for these texts, in this order
COUNTED = [
    ("hello world", (2, 2, 2)),
    ("把 `inputs/trips.csv` 读入名为 `trips` 的 DataFrame，并返回其行数；缺失值不计算在内。", (35, 34, 35)),
]


@pytest.mark.parametrize(("text", "counts"), COUNTED)
def test_the_estimate_is_near_what_tokenizers_count(text: str, counts: tuple[int, ...]) -> None:
    assert 0.8 * min(counts) <= estimate_tokens(text) <= 1.25 * max(counts)


def test_numbers_punctuation_and_long_words_cost_more_than_short_words() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("one two six") == 3
    assert estimate_tokens("1234567") == 3
    assert estimate_tokens("a,b,c") == 5
    assert estimate_tokens("internationalisation") > 2


@given(st.text(max_size=300), st.text(max_size=300))
def test_a_text_costs_no_more_than_its_parts(left: str, right: str) -> None:
    assert estimate_tokens(left + right) <= estimate_tokens(left) + estimate_tokens(right) + 1


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


@pytest.mark.parametrize("name", BLOCKS)
def test_no_block_exceeds_its_budget_with_heading_and_fence(name: str) -> None:
    text = "\n\n".join(f"# %%\nsome words of line {n}" for n in range(5_000))
    made = block(name, text, title="# A heading", above="Some words above.", fence="python")
    assert made.is_cut
    assert 0.8 * BLOCKS[name].tokens - 60 <= made.tokens <= BLOCKS[name].tokens
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
    assert request.to_json() == {
        "tokens": request.tokens,
        "blocks": {each.name: each.tokens for each in request.blocks},
        "cut": [],
    }
    assert [each.name for each in request.blocks] == ["system", "instructions", "topic"]
    assert request.shown() == f"[system]\n{request.system}\n\n[user]\n{request.text}"
