"""What hostile outputs become before they are drawn."""

import base64
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

from authoring.ui.drawing import ansi
from authoring.ui.drawing.blocks import MAX_BLOCKS, BlockKind, error_block, picture_size, render_blocks
from authoring.ui.drawing.markup import clean_html, columns_cut, diff_html, nests_deeper, safe_markdown

PAYLOADS = (
    "<script>parent.document.body.dataset.probe = 1</script>",
    "<img src=x onerror=alert(1)>",
    '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
    "<a href='javascript:alert(1)'>click</a>",
    "<style>* { display: none }</style>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    '<table style="position:fixed;inset:0"><tr><td onclick=alert(1)>cell</td></tr></table>',
    '<div class="stApp" id="root">text</div>',
    '<form action="http://example.org"><input name=password></form>',
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    '<object data="http://example.org"></object><embed src="http://example.org">',
    '<td background="http://example.org/x.png">cell</td>',
)


def png(width: int, height: int) -> bytes:
    """A PNG whose header claims a size; the rest holds one grey pixel."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\x00\x80")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def shown(**data: Any) -> Mapping[str, Any]:
    """A display output with one MIME type per argument; `image_png` stands for image/png."""
    return {"output_type": "display_data", "data": {name.replace("_", "/", 1): value for name, value in data.items()}}


def stream(text: str, name: str = "stdout") -> Mapping[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


@pytest.mark.parametrize("payload", PAYLOADS)
def test_html_keeps_no_script_style_address_or_handler(payload: str) -> None:
    cleaned = clean_html(payload).lower()
    for word in (
        "script",
        "style",
        "onerror",
        "onload",
        "onclick",
        "href",
        "src",
        "http",
        "iframe",
        "<form",
        "id=",
        "<img",
    ):
        assert word not in cleaned


def test_html_of_a_frame_keeps_its_table() -> None:
    table = '<table{} class="dataframe"><thead><tr><th>a</th></tr></thead></table>'
    assert clean_html("<style scoped>th {top: 0}</style>" + table.format(' border="1"')) == table.format("")


def test_html_keeps_no_class_but_that_of_a_frame() -> None:
    assert clean_html('<div class="bw-red stApp">x</div><table class="dataframe big"></table>') == (
        '<div>x</div><table class="dataframe"></table>'
    )


def test_printed_text_is_escaped() -> None:
    (block,) = render_blocks([stream("<b>&</b>")])
    assert (block.kind, block.text) == (BlockKind.TEXT, "&lt;b&gt;&amp;&lt;/b&gt;")


def test_pieces_of_one_stream_are_one_block() -> None:
    blocks = render_blocks([stream("a"), stream("b"), stream("c", "stderr"), stream("d")])
    assert [(block.title, block.text) for block in blocks] == [
        ("printed", "ab"),
        ("standard error", "c"),
        ("printed", "d"),
    ]


def test_colour_codes_become_spans_and_every_other_sequence_goes() -> None:
    text = (
        "\x1b[31mred\x1b[0m \x1b[1;34mblue\x1b[22m\x1b[39m \x1b]8;;http://example.org\x07link\x1b]8;;\x07 \x1b[2Jclear"
    )
    assert ansi.to_html(text) == (
        '<span class="bw-red">red</span> <span class="bw-blue bw-bold">blue</span> link clear'
    )


def test_a_colour_code_cannot_carry_markup() -> None:
    assert "<img" not in ansi.to_html('\x1b[31m<img src=x onerror=alert(1)>\x1b["><img src=x onerror=alert(1)>m')


def test_an_unfinished_sequence_hides_nothing_but_itself() -> None:
    assert ansi.to_html("a\x1b[31") == "a31"


def test_a_progress_bar_shows_its_last_state() -> None:
    assert ansi.plain_text("10%\r50%\r100%\ndone\n") == "100%\ndone\n"


def test_characters_that_reorder_or_hide_text_are_shown_as_escapes() -> None:
    assert ansi.plain_text("if admin\u202e\u2066: pass\u200b") == "if admin\\u{202e}\\u{2066}: pass\\u{200b}"


def test_long_text_keeps_its_head_and_tail_and_offers_the_whole() -> None:
    (block,) = render_blocks([stream("a" * 16_000 + "b" * 50_000 + "c" * 4_000)])
    assert "50,000 characters left out" in block.text
    assert block.text.startswith("aaa")
    assert block.text.endswith("ccc")
    assert len(block.text) < 21_000
    assert len(block.data) == 70_000


def test_a_picture_is_drawn_after_a_look_at_its_header() -> None:
    (block,) = render_blocks([shown(image_png=base64.b64encode(png(1, 1)).decode(), text_plain="<Figure>")])
    assert (block.kind, block.title) == (BlockKind.PICTURE, "shown: picture of 1 x 1 pixels")


def test_a_picture_of_too_many_pixels_is_offered_not_decoded() -> None:
    (block,) = render_blocks([shown(image_png=base64.b64encode(png(20_000, 20_000)).decode())])
    assert (block.kind, block.title) == (BlockKind.FILE, "shown: picture of 20000 x 20000 pixels")


def test_bytes_that_are_no_picture_fall_back_to_the_text() -> None:
    (block,) = render_blocks([shown(image_png=base64.b64encode(b"GIF89a").decode(), text_plain="<Figure>")])
    assert (block.kind, block.text) == (BlockKind.TEXT, "&lt;Figure&gt;")


def test_the_size_of_a_jpeg_is_read_from_its_frame() -> None:
    app0 = b"\xff\xe0" + struct.pack(">H", 4) + b"xx"
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 11, 8, 480, 640, 1) + b"\x01\x11\x00"
    assert picture_size(b"\xff\xd8" + app0 + frame) == (640, 480)
    assert picture_size(b"\xff\xd8\xff\xe0") is None


def test_a_drawing_always_begins_as_one() -> None:
    (block,) = render_blocks([shown(**{"image_svg+xml": "<!-- /etc/passwd --><svg width='1'></svg>"})])
    assert (block.kind, block.text) == (BlockKind.DRAWING, "<svg  width='1'></svg>")


def test_text_that_only_claims_to_be_a_drawing_is_not_drawn() -> None:
    (block,) = render_blocks([shown(**{"image_svg+xml": "/etc/passwd"})])
    assert block.kind is BlockKind.FILE


def test_a_chart_that_names_an_address_is_not_drawn() -> None:
    specs: tuple[dict[str, Any], ...] = (
        {"data": {"url": "/secret.json"}, "mark": "bar"},
        {"mark": {"type": "image"}, "encoding": {"url": {"field": "u"}}},
        {"data": {"values": [{"u": "https://example.org/x.png"}]}, "mark": "bar"},
        {"mark": {"type": "point", "href": "x"}},
    )
    for spec in specs:
        (block,) = render_blocks([shown(**{"application_vnd.vegalite.v5+json": spec})])
        assert block.kind is BlockKind.FILE


def test_a_chart_of_plain_values_is_drawn_without_its_embedding_options() -> None:
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "usermeta": {"embedOptions": {"loader": {"baseURL": "https://example.org"}}},
        "data": {"values": [{"a": 1}]},
        "mark": "bar",
    }
    (block,) = render_blocks([shown(**{"application_vnd.vegalite.v5+json": spec})])
    assert (block.kind, block.spec) == (BlockKind.CHART, {"data": {"values": [{"a": 1}]}, "mark": "bar"})


def test_markdown_shows_no_image() -> None:
    assert safe_markdown("see ![x](http://example.org/x.png)") == r"see \![x](http://example.org/x.png)"


def test_an_unknown_type_is_named_and_offered() -> None:
    (block,) = render_blocks([shown(**{"application_x-evil": "payload"})])
    assert (block.kind, block.title, block.data) == (
        BlockKind.FILE,
        "shown: application/x-evil is not drawn",
        b"payload",
    )


def test_a_hundred_outputs_are_drawn_and_the_rest_is_offered() -> None:
    blocks = render_blocks([shown(text_plain=str(number)) for number in range(150)])
    assert len(blocks) == MAX_BLOCKS + 1
    assert (blocks[-1].kind, blocks[-1].title) == (BlockKind.FILE, "50 more outputs")


def test_a_traceback_is_coloured_and_its_title_is_one_line() -> None:
    block = error_block("KeyError", "'species'\nsecond line", "\x1b[31mKeyError\x1b[0m: <b>")
    assert (block.title, block.text) == (
        "KeyError: 'species' second line",
        '<span class="bw-red">KeyError</span>: &lt;b&gt;',
    )


@pytest.mark.parametrize("output", [{}, {"output_type": "display_data"}, {"output_type": "stream"}, {"output_type": 7}])
def test_a_malformed_output_is_no_error(output: Mapping[str, Any]) -> None:
    assert len(render_blocks([output])) == 1


@pytest.mark.parametrize(
    ("html", "deep"),
    [
        ("<div>" * 101, True),
        ("</div>" * 500 + "<div>" * 101, True),
        ("<div></b>" * 101, True),
        ("<div><br></div>" * 500, False),
        ("<table>" + "<tr><td>1" * 500 + "</table>", False),
        ("<p>" * 500, False),
    ],
)
def test_elements_in_elements_are_counted_before_they_are_cleaned(html: str, deep: bool) -> None:
    assert nests_deeper(html, 100) is deep


def test_texts_of_equal_lines_by_the_thousand_are_compared_at_once() -> None:
    assert diff_html("a\n" * 100_000, "a\n" * 50_000 + "b\n" * 50_000) is not None


def test_a_picture_that_states_two_sizes_is_not_decoded() -> None:
    small, large = png(1, 1), png(30_000, 30_000)
    both = small[:33] + large[8:33] + small[33:]  # the second header is the one that some decoders believe
    assert picture_size(small) == (1, 1)
    assert picture_size(both) is None


def test_a_wide_table_says_how_many_of_its_columns_it_shows() -> None:
    frame = pd.DataFrame([range(40)] * 3, columns=[f"c{number}" for number in range(40)])
    with pd.option_context("display.max_columns", 12):
        wide = clean_html(frame._repr_html_())
        assert columns_cut(wide) == (12, 40)
        named = clean_html(frame.set_index(["c0", "c1"])._repr_html_())
        assert columns_cut(named) == (12, 38)
        assert columns_cut(clean_html(frame.iloc[:, :12]._repr_html_())) is None
        assert columns_cut(clean_html(frame.iloc[:, :12].head(1)._repr_html_())) is None
    assert columns_cut("<table><thead><tr><th>...</th></tr></thead></table><p>3 rows × 40 columns</p>") is None
