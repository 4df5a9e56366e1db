"""Labels, prose, foreign Markdown, times, differences, tracebacks and grids: what pages draw, without a page."""

import io
import re
import zipfile
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from authoring.ui.clock import at_minute
from authoring.ui.drawing.blocks import error_block
from authoring.ui.drawing.cell_grid import fitting_size, grid_html
from authoring.ui.drawing.markup import diff_html, safe_markdown
from authoring.ui.drawing.tracebacks import split_traceback
from authoring.ui.releases.releasing import zip_folder
from authoring.ui.widgets import verdict_line
from authoring.ui.wording import (
    ago,
    author_words,
    label,
    nothing_chip,
    one_line,
    prose,
    size_words,
    time_since,
    verdict_chip,
)

PIECES = [":material/home:", ":material_home:", ":streamlit:", ":smile:", ":+1:", ":red[x]", ":small[]", "::", "->"]
PIECES += ["<->", "--", ">=", "<=", "~=", "\\", "`", " ", ":", "a", "1", "$", "[", "]", "{", "*", "_"]
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
def test_a_label_shows_the_very_text_whatever_it_means_elsewhere(text: str) -> None:
    texts = drawn_texts(label(text))
    assert "".join(texts) == one_line(text)
    assert not [each for each in texts for sign in REPLACED if re.search(sign, each, re.ASCII)]


def test_a_label_made_from_data_is_plain_text_of_one_line_and_capped() -> None:
    assert label("[x](javascript:1) **b** `c` :red[d] $e$") == (
        r"\[x\]\(javascript\:1\) \*\*b\*\* \`c\` \:red\[d\] \$e\$"
    )
    assert label("a\nb\u202e") == r"a b\\u\{202e\}"
    assert len(label("x" * 500)) == 200
    assert prose("Sum `a_b` of **b**:\n$x$ `c") == r"Sum `a_b` of \*\*b\*\*\: \$x\$ \`c"
    assert prose("`a` ``b``", limit=5) == "`a` …"
    assert prose("`a` and `bcd`", limit=11) == "`a` and b…"
    assert prose("![x](http://x) `<b>`") == r"\!\[x\]\(http\://x\) `<b>`"
    assert prose("Press :material/home: now") == r"Press \::small[]material/home\: now"
    assert prose("Press `:material/home:`") == r"Press \`\::small[]material/home\:\`"


def test_markdown_of_others_has_no_icons_and_keeps_its_code() -> None:
    shown = safe_markdown(r":red[a] \:red[b] \\:red[c] :smile: :material/home: 12:30 `d[1:n]` | :--: | https://x")
    assert shown == (
        r"\:red[a] \:red[b] \\\:red[c] \::small[]smile: \::small[]material/home: 12:30 `d[1:n]` | :--: | https://x"
    )
    fence = "```python\nx[a:b]\n```\n"
    assert safe_markdown(f"{fence}:red[x]") == f"{fence}\\:red[x]"
    for address in ("[t](https://e.org/a:b:c)", "<https://e.org/a:b>", "https://doi.org/urn:isbn:123"):
        assert safe_markdown(address) == address
    assert safe_markdown("https://e.org/:red[x]") == r"https://e.org/\:red[x]"
    assert ":material/" not in safe_markdown("`:material/home:`")
    assert safe_markdown("    x[a:b]\n    y") == "[\u2060]: #\n\n    x[a:b]\n    y", "code keeps its margin"


def test_markdown_is_read_as_the_browser_reads_it() -> None:
    read = {
        "- point\n\n  :red[x]\n\n      x[a:b]": "- point\n\n  \\:red[x]\n\n      x[a:b]",
        "- point\n\n    :red[x]": "- point\n\n    \\:red[x]",  # indented as the point's text is, not as code
        "a\n    :red[x]": "a\n    \\:red[x]",  # a paragraph goes on
        "costs $5 and :red[x] $6": "costs $5 and \\:red[x] $6",  # the page reads no maths here
        r"\$a:b$ and \`c:d`": r"\$a\:b$ and \`c\:d`",
        r"\![a](u) \\![a](u)": r"\![a](u) \\\![a](u)",
        "<div>\n```\n</div>\n\n:red[x]": "<div>\n```\n</div>\n\n\\:red[x]",
        "&#58;smile&#x3a; :smile\\:": "&#58;:small[]smile&#x3a;:small[] \\::small[]smile\\:",
        ">" * 60 + ":red[x]": ">" * 60 + "\\:red[x]",
        "$:material/home:$ `:material/home:`": "$:material{}/home:$ `:material\u2060/home:`",
    }
    assert {raw: safe_markdown(raw) for raw in read} == read


def test_verdicts_sizes_writers_and_times_are_said_in_words() -> None:
    assert (verdict_chip("CORRECT").colour, nothing_chip("CORRECT").colour) == ("green", "red")
    assert nothing_chip("WRONG_OUTPUT").word == "fails"
    assert verdict_chip("none").word == "not run"
    verdicts = {"reference": "CORRECT", "empty": "WRONG_OUTPUT"}
    assert "agent" not in verdict_line(verdicts)
    assert "agent" not in verdict_line({**verdicts, "agent": "none"})
    assert "agent CORRECT" in verdict_line({**verdicts, "agent": "CORRECT"})
    sizes = (7, 1_500, 250_000, 12_000_000, 3_000_000_000)
    assert [size_words(size) for size in sizes] == ["7 B", "1.5 kB", "250 kB", "12.0 MB", "3.0 GB"]
    assert author_words("mei", "person") == "mei"
    assert author_words("mei", "template") == "the template author, for mei"
    assert author_words("template", "template") == "the template author"
    assert author_words("", "model") == "a model"
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    told = {
        "2026-01-01T11:59:55+00:00": "just now",
        "2026-01-01T11:59:00+00:00": "1 minute ago",
        "2026-01-01T09:00:00+00:00": "3 hours ago",
        "2025-12-30T12:00:00": "2 days ago",
        None: "–",
        "never": "never",
    }
    assert {moment: time_since(moment, now=now) for moment in told} == told
    whole = '3 hours ago:color[1767258000]{foreground="transparent"}'
    assert ago("2026-01-01T09:00:00+00:00", now=now) == ago("2026-01-01T09:00:00", now=now) == whole
    assert (ago(None), ago("ne*ver")) == ("–", r"ne\*ver")
    assert at_minute("2026-01-01T11:59:55+00:00") == "2026-01-01 11:59 UTC", "where the browser names no zone"
    assert at_minute("never") == "never"


def test_differences_and_grids_show_changes_and_escape_all_else() -> None:
    shown = diff_html("same\n<old>\n", "same\n<new>\n")
    assert shown is not None
    assert '<tr class="bw-del"><td class="bw-no">2</td><td class="bw-sign">−</td><td>&lt;old&gt;</td></tr>' in shown
    assert '<tr class="bw-add"><td class="bw-no">2</td><td class="bw-sign">+</td><td>&lt;new&gt;</td></tr>' in shown
    assert diff_html("a", "a") is None
    assert "too long" in str(diff_html("a\n" * 400_000, "b\n" * 400_000))
    grid = grid_html(["<i>"], ["1", "2"], [["a" * 9], [None]], cell_chars=5, marked={(0, 0)})
    assert "<i>" not in grid
    assert '<td class="bw-changed"><ins>aaaa…</ins></td>' in grid
    assert '<td class="bw-missing">missing</td>' in grid
    rows = [['"' * 121] * 30] * 50
    marked: dict[tuple[int, int], str | None] = {(row, column): "'" * 121 for row in range(50) for column in range(30)}
    size = fitting_size((*chain.from_iterable(rows), *marked.values()), 120)
    assert len(grid_html(["a"] * 30, ["1"] * 50, rows, cell_chars=size, marked=marked)) < 200_000
    assert fitting_size(["plain"] * 1500, 120) == 120


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


STORED = """Traceback (most recent call last):
  File "pandas/core/indexes/base.py", line 3812, in get_loc
    return self._engine.get_loc(casted_key)
KeyError: 'units'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  Cell In[8], line 3, in <module>
    total(sales)
  Cell In[2], line 2, in total
    return table['units']
           ~~~~~^^^^^^^^^
  File "pandas/core/frame.py", line 4107, in __getitem__
    indexer = self.columns.get_loc(key)
KeyError: 'units'
in two lines"""
OWN = """  Problem 7, line 3, in <module>
    total(sales)
  Cell In[2], line 2, in total
    return table['units']
           ~~~~~^^^^^^^^^
KeyError: 'units'
in two lines"""


def test_frames_of_cells_stay_and_those_of_libraries_are_folded() -> None:
    found = split_traceback(STORED, "Problem 7")
    assert (found.own, found.folded, found.whole) == (OWN, 2, STORED.replace("Cell In[8]", "Problem 7"))
    for text in ("KeyError: 'units'", "", STORED.partition("The above")[0], "Cell In[1], line 1\nKeyError"):
        assert split_traceback(text) == (text, 0, text), "without frames of libraries or of cells it is shown whole"
    block = error_block("KeyError", "<b>", STORED.replace("'units'\nin two", "<b>\nin two"), cell="Problem 7")
    assert block.folded == 2
    assert "KeyError: &lt;b&gt;" in block.text
    assert "<b>" not in block.text + block.whole
