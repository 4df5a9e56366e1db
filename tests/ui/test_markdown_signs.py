"""Foreign Markdown: code and maths stand as written, and nothing of what Streamlit adds acts anywhere else."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.ui.drawing.markdown_signs import has_maths
from authoring.ui.drawing.markup import safe_markdown

UNSAFE = ":red[x] :smile: ![a](http://e.org/a.png) 中:文[x] :3[x]"
SAFE = r"\:red[x] \::small[]smile: \![a](http://e.org/a.png) 中\:文[x] \:3[x]"
WORDS = st.sampled_from(["x[a:b]", ":red[y]", ":smile:", "![y](u)", "a", "{k: v}", "d[:n]", "12:30", "::", "\\:z"])
LINES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


def text_block(lines: list[str]) -> str:
    return f"say {UNSAFE}"


def fenced(lines: list[str]) -> str:
    return "\n".join(["```python", *lines, "```"])


def indented(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def quoted_code(lines: list[str]) -> str:
    return "\n".join(f">     {line}" for line in lines)


def code_span(lines: list[str]) -> str:
    return f"``{' '.join(lines)}``"


def maths_block(lines: list[str]) -> str:
    return "\n".join(["$$", *lines, "$$"])


def maths(lines: list[str]) -> str:
    return f"${' '.join(lines)}$"


BLOCKS = [text_block, fenced, indented, quoted_code, code_span, maths_block, maths]


@given(st.lists(st.tuples(st.sampled_from(BLOCKS), st.lists(LINES, min_size=1, max_size=3)), max_size=6))
def test_code_and_maths_stand_as_written_and_nothing_else_acts(
    parts: list[tuple[Callable[[list[str]], str], list[str]]],
) -> None:
    blocks = [f"begin\n\n{block(lines)}" for block, lines in parts]
    raw = "\n\n".join(blocks)
    assert safe_markdown(raw) == raw.replace(text_block([]), f"say {SAFE}")


PIECES = ["`", "```\n", "~~~\n", "$", "$$", "$$\n", "\n", "\n\n", "    ", "- ", "> ", "# ", "|", "\n|-|\n", "\\", "\\:"]
PIECES += [":red[x]", ":smile:", ":material/home:", "![a](u)", "[t](u)", "&#58;", "a", " ", "<b>", "1", "{", "["]


ADDED = re.compile(r"^\[\u2060\]: #\n\n|\\(?=[:!])|:small\[\]|\{\}|\u2060")


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_signs_are_added_and_nothing_of_a_text_is_lost(text: str) -> None:
    shown = safe_markdown(text)
    assert ADDED.sub("", shown) == ADDED.sub("", text)
    assert has_maths(shown) == has_maths(text)
    assert ":material/" not in shown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("- point\n\n  :red[x]\n\n      x[a:b]", "- point\n\n  \\:red[x]\n\n      x[a:b]"),
        ("- point\n\n    :red[x]", "- point\n\n    \\:red[x]"),  # indented as the point's text is, not as code
        ("a\n    :red[x]", "a\n    \\:red[x]"),  # a paragraph goes on
        ("- `a\n- :red[x]`", "- `a\n- \\:red[x]`"),  # no code reaches from one point into the next
        ("| `a | b:c` |\n|-|-|\n| `d:e` | :red[x] |", "| `a | b\\:c` |\n|-|-|\n| `d:e` | \\:red[x] |"),
        ("costs $5 and :red[x] $6", "costs $5 and \\:red[x] $6"),  # the page reads no maths here
        ("$a:b$ costs $5:c[d]", "$a:b$ costs $5\\:c[d]"),
        (r"\$a:b$ and \`c:d`", r"\$a\:b$ and \`c\:d`"),
        (r"\![a](u) \\![a](u)", r"\![a](u) \\\![a](u)"),
        ("[^1]: a\n\n    :red[x]\n\n[^1]", "[^1]: a\n\n    \\:red[x]\n\n[^1]"),  # the text of a footnote
        ("[t](/a:b:c) <b title=':red[x]'>", "[t](/a:b:c) <b title=':red[x]'>"),
        ("t <a b=![x](//e.org/a.png)> t", "t <a b=\\![x](//e.org/a.png)> t"),  # a slash: the page reads no tag here
        ("<x-y a=![x](//e.org/a.png)>", "<x-y a=\\![x](//e.org/a.png)>"),
        ("<div a=![x](//e.org/a.png)>", "<div a=![x](//e.org/a.png)>"),  # it begins a block, well formed or not
        ("<div\u00a0![x](//e.org/a.png)", "<div\u00a0\\![x](//e.org/a.png)"),  # no space that ends a name
        ("</div\u00a0![x](//e.org/a.png)", "</div\u00a0\\![x](//e.org/a.png)"),
        ("</div ![x](//e.org/a.png)", "</div ![x](//e.org/a.png)"),
        ("<x-y a=':red[x]' b=c/>\n:red[x]", "<x-y a=':red[x]' b=c/>\n:red[x]"),
        ("<div>\n```\n</div>\n\n:red[x]", "<div>\n```\n</div>\n\n\\:red[x]"),
        ("&#58;smile&#x3a; :smile\\:", "&#58;:small[]smile&#x3a;:small[] \\::small[]smile\\:"),
        (">" * 60 + ":red[x]", ">" * 60 + "\\:red[x]"),
        ("$:material/home:$ `:material/home:`", "$:material{}/home:$ `:material\u2060/home:`"),
    ],
)
def test_markdown_is_read_as_the_browser_reads_it(raw: str, shown: str) -> None:
    assert safe_markdown(raw) == shown


def test_code_that_a_text_begins_with_keeps_its_margin() -> None:
    assert safe_markdown("    x[a:b]\n    y") == "[\u2060]: #\n\n    x[a:b]\n    y"
