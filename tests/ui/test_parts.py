"""Labels, differences, sketches, downloads: the small parts that pages rest on."""

import io
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import authoring.ui
from authoring.store.drafting.sketches import SketchItem
from authoring.store.runs import AttemptRow
from authoring.ui.clock import at_minute
from authoring.ui.drawing.markup import diff_html, safe_markdown
from authoring.ui.releases.releasing import zip_folder
from authoring.ui.runs.attempt import attempt_facts
from authoring.ui.seeds.sketches import Row, changed_rows, items_of_rows, row_of
from authoring.ui.widgets import verdict_line
from authoring.ui.wording import (
    ago,
    author_words,
    ending_words,
    label,
    nothing_chip,
    one_line,
    prose,
    size_words,
    time_since,
    verdict_chip,
)
from evaluator.errors import ContentError
from evaluator.running.execution.policies import error_as_told
from evaluator.scoring.decisions import decide_without_report, has_report
from evaluator.session import ENDING_WORDS, Ending

UI = Path(authoring.ui.__file__).parent


def test_a_label_made_from_data_is_plain_text() -> None:
    assert label("[x](javascript:1) **b** `c` :red[d] $e$") == (
        r"\[x\]\(javascript\:1\) \*\*b\*\* \`c\` \:red\[d\] \$e\$"
    )


PIECES = [
    ":material/home:",
    ":material_home:",
    ":streamlit:",
    ":smile:",
    ":+1:",
    ":red[x]",
    ":small[]",
    "::",
    "->",
    "<->",
]
PIECES += ["--", ">=", "<=", "~=", "\\", "`", " ", ":", "a", "1", "$", "[", "]", "{", "*", "_"]
REPLACED = [r":material_(\w+):", r":streamlit:", r":\+1:|:-1:|:[\w-]+:"]  # in a text, as Streamlit looks for them
REPLACED += [rf"(^|\s){sign}(\s|$)" for sign in ("<->", "->", "<-", "--", ">=", "<=", "~=")]


def drawn_texts(markdown: str) -> list[str]:
    """The runs of text that Streamlit sees in a label, when Markdown has taken the backslashes away."""
    texts, rest = [""], markdown.replace(":material/", ":material_")
    while rest:
        if rest.startswith(":small[]"):
            texts, rest = [*texts, ""], rest[len(":small[]") :]
            continue
        is_escaped = rest[0] == "\\" and len(rest) > 1 and not rest[1].isalnum() and rest[1] != " "
        assert is_escaped or rest[0] not in "\\`*_{}[]()#+-.!~|<>$:&", markdown
        texts[-1] += rest[1] if is_escaped else rest[0]
        rest = rest[2:] if is_escaped else rest[1:]
    return texts


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_a_label_shows_the_very_text_whatever_streamlit_makes_of_it_elsewhere(text: str) -> None:
    texts = drawn_texts(label(text))
    assert "".join(texts) == one_line(text)
    assert not [each for each in texts for sign in REPLACED if re.search(sign, each, re.ASCII)]


def test_an_icon_in_a_query_is_text_also_where_it_stands_in_backticks() -> None:
    assert prose("Press :material/home: now") == r"Press \::small[]material/home\: now"
    assert prose("Press `:material/home:`") == r"Press \`\::small[]material/home\:\`"


def test_markdown_of_others_has_no_colours_icons_and_emoji_and_keeps_its_code() -> None:
    shown = safe_markdown(r":red[a] \:red[b] \\:red[c] :smile: :material/home: 12:30 `d[1:n]` | :--: | https://x")
    assert shown == (
        r"\:red[a] \:red[b] \\\:red[c] \::small[]smile: \::small[]material/home: 12:30 `d[1:n]` | :--: | https://x"
    )
    fence = "```python\nx[a:b]\n```\n"
    assert safe_markdown(f"{fence}:red[x]") == f"{fence}\\:red[x]"
    assert safe_markdown("`\n\n:red[x]\n\n`") == "`\n\n\\:red[x]\n\n`"
    for address in ("[t](https://e.org/a:b:c)", "<https://e.org/a:b>", "https://doi.org/urn:isbn:123"):
        assert safe_markdown(address) == address
    assert safe_markdown("https://e.org/:red[x]") == r"https://e.org/\:red[x]"
    assert ":material/" not in safe_markdown("`:material/home:`")


def test_a_label_is_one_line_and_capped() -> None:
    assert label("a\nb\u202e") == r"a b\\u\{202e\}"
    assert len(label("x" * 500)) == 200


def test_a_query_shows_as_code_what_stands_in_backticks_and_nothing_else() -> None:
    assert prose("Sum `a_b` of **b**:\n$x$ `c") == r"Sum `a_b` of \*\*b\*\*\: \$x\$ \`c"
    assert prose("`a` ``b``", limit=5) == "`a` …"
    assert prose("`a` and `bcd`", limit=11) == "`a` and b…"
    assert prose("![x](http://x) `<b>`") == r"\!\[x\]\(http\://x\) `<b>`"


def test_a_problem_that_no_agent_tried_says_nothing_of_agents() -> None:
    verdicts = {"reference": "CORRECT", "empty": "WRONG_OUTPUT"}
    assert "agent" not in verdict_line(verdicts)
    assert "agent" not in verdict_line({**verdicts, "agent": "none"})
    assert "agent CORRECT" in verdict_line({**verdicts, "agent": "CORRECT"})


def test_a_time_in_a_list_names_its_zone_where_the_browser_names_none() -> None:
    assert at_minute("2026-01-01T11:59:55+00:00") == "2026-01-01 11:59 UTC"
    assert at_minute("never") == "never"


def test_a_difference_shows_removed_and_added_lines_escaped() -> None:
    shown = diff_html("same\n<old>\n", "same\n<new>\n")
    assert shown is not None
    assert '<tr class="bw-del"><td class="bw-no">2</td><td class="bw-sign">−</td><td>&lt;old&gt;</td></tr>' in shown
    assert '<tr class="bw-add"><td class="bw-no">2</td><td class="bw-sign">+</td><td>&lt;new&gt;</td></tr>' in shown
    assert diff_html("a", "a") is None


def test_texts_that_are_too_long_are_not_compared() -> None:
    shown = diff_html("a\n" * 400_000, "b\n" * 400_000)
    assert shown is not None
    assert "too long" in shown


def test_correct_is_bad_news_for_the_empty_answer() -> None:
    assert (verdict_chip("CORRECT").colour, nothing_chip("CORRECT").colour) == ("green", "red")
    assert nothing_chip("WRONG_OUTPUT").word == "fails"
    assert verdict_chip("none").word == "not run"


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-01-01T11:59:55+00:00", "just now"),
        ("2026-01-01T11:59:00+00:00", "1 minute ago"),
        ("2026-01-01T09:00:00+00:00", "3 hours ago"),
        ("2025-12-30T12:00:00", "2 days ago"),
        (None, "–"),
        ("never", "never"),
    ],
)
def test_times_are_said_as_how_long_ago(moment: str | None, words: str) -> None:
    assert time_since(moment, now=datetime(2026, 1, 1, 12, tzinfo=UTC)) == words


def test_the_exact_time_stands_unseen_behind_its_words() -> None:
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    told = '3 hours ago:color[1767258000]{foreground="transparent"}'
    assert ago("2026-01-01T09:00:00+00:00", now=now) == ago("2026-01-01T09:00:00", now=now) == told
    assert (ago(None), ago("ne*ver")) == ("–", r"ne\*ver")


def test_the_exact_time_is_given_wherever_how_long_ago_is_said() -> None:
    bare = {
        path.name
        for path in UI.rglob("*.py")
        if "time_since(" in path.read_text() and "at_minute(" not in path.read_text()
    }
    assert bare == {"wording.py"}


def test_every_ending_has_words_and_an_unknown_one_stays_as_it_is() -> None:
    assert ENDING_WORDS.keys() == set(Ending)
    assert ending_words("timed_out") == "The code ran out of time"
    assert ending_words("of_elsewhere") == "Of_elsewhere"


def test_verdicts_agents_and_screens_say_the_same_of_an_ending() -> None:
    ended = [each for each in Ending if not has_report(each)]
    assert [decide_without_report(each).reason for each in ended] == [ENDING_WORDS[each] for each in ended]
    told = [error_as_told(None, each) for each in ended if each is not Ending.ENGINE_ERROR]
    assert told == [ENDING_WORDS[each] for each in ended if each is not Ending.ENGINE_ERROR]
    facts = attempt_facts(AttemptRow(1, 1, "a", "s", 1, 1, 1, "TIMEOUT", "", 0.5, "", {"ending": "timed_out"}))
    assert facts["Ending"] == "The code ran out of time"


def test_sizes_are_said_in_the_unit_that_fits() -> None:
    assert [size_words(size) for size in (7, 1_500, 250_000, 12_000_000, 3_000_000_000)] == [
        "7 B",
        "1.5 kB",
        "250 kB",
        "12.0 MB",
        "3.0 GB",
    ]


def items(*depends: tuple[int, ...]) -> list[SketchItem]:
    return [SketchItem(number, f"idea {number}", (), needs) for number, needs in enumerate(depends, 1)]


def edited(before: list[SketchItem], changes: dict[int, Row]) -> list[SketchItem]:
    return items_of_rows(before, changed_rows([row_of(item) for item in before], changes, []))


def test_a_dropped_sketch_item_takes_its_dependencies_along() -> None:
    kept = edited(items((), (1,), (1, 2)), {1: {"keep": False}})
    assert [(item.number, item.query_idea, item.depends_on) for item in kept] == [
        (1, "idea 1", ()),
        (2, "idea 3", (1,)),
    ]


def test_sketch_items_follow_their_new_numbers() -> None:
    kept = edited(items((), (), ()), {2: {"number": 0, "query_idea": "first"}})
    assert [(item.number, item.query_idea) for item in kept] == [(1, "first"), (2, "idea 1"), (3, "idea 2")]


def test_a_sketch_keeps_at_least_one_item() -> None:
    with pytest.raises(ContentError, match="at least one item"):
        edited(items(()), {0: {"keep": False}})


def test_a_downloaded_release_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    folder = tmp_path / "shop-1.0"
    (folder / "_inputs").mkdir(parents=True)
    (folder / "shop.py").write_text("# %%\n")
    (folder / "_inputs" / "a.csv").write_text("a\n1\n")
    first = zip_folder(folder)
    (folder / "shop.py").touch()
    assert zip_folder(folder) == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.namelist() == ["shop-1.0/_inputs/a.csv", "shop-1.0/shop.py"]


@pytest.mark.parametrize(
    ("author", "origin", "words"),
    [
        ("mei", "person", "mei"),
        ("mei", "template", "the template author, for mei"),
        ("template", "template", "the template author"),
        ("", "model", "a model"),
    ],
)
def test_who_wrote_a_revision_is_told_once(author: str, origin: str, words: str) -> None:
    assert author_words(author, origin) == words
