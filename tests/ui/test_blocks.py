"""What hostile outputs become before they are drawn, and the shapes of columns."""

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
from authoring.ui.drawing.shapes import BINS, shape_of
from authoring.ui.seeds.plots import plot_of

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


def test_html_keeps_no_script_style_address_or_handler() -> None:
    words = ["script", "style", "onerror", "onload", "onclick", "href", "src", "http", "iframe", "<form", "id=", "<img"]
    for payload in PAYLOADS:
        assert [word for word in words if word in clean_html(payload).lower()] == []
    table = '<table{} class="dataframe"><thead><tr><th>a</th></tr></thead></table>'
    assert clean_html("<style scoped>th {top: 0}</style>" + table.format(' border="1"')) == table.format("")
    assert clean_html('<div class="bw-red stApp">x</div><table class="dataframe big"></table>') == (
        '<div>x</div><table class="dataframe"></table>'
    )
    deep = ["<div>" * 101, "</div>" * 500 + "<div>" * 101, "<div></b>" * 101]
    flat = ["<div><br></div>" * 500, "<table>" + "<tr><td>1" * 500 + "</table>", "<p>" * 500]
    assert [nests_deeper(html, 100) for html in [*deep, *flat]] == [True] * 3 + [False] * 3
    assert diff_html("a\n" * 100_000, "a\n" * 50_000 + "b\n" * 50_000) is not None


def test_printed_text_and_tracebacks_are_escaped_joined_and_cut() -> None:
    (block,) = render_blocks([stream("<b>&</b>")])
    assert (block.kind, block.text) == (BlockKind.TEXT, "&lt;b&gt;&amp;&lt;/b&gt;")
    blocks = render_blocks([stream("a"), stream("b"), stream("c", "stderr"), stream("d")])
    found = [(block.title, block.text) for block in blocks]
    assert found == [("printed", "ab"), ("standard error", "c"), ("printed", "d")]
    (block,) = render_blocks([stream("a" * 16_000 + "b" * 50_000 + "c" * 4_000)])
    assert "50,000 characters left out" in block.text
    assert block.text.startswith("aaa")
    assert block.text.endswith("ccc")
    assert len(block.text) < 21_000
    assert len(block.data) == 70_000
    block = error_block("KeyError", "'species'\nsecond line", "\x1b[31mKeyError\x1b[0m: <b>")
    assert (block.title, block.text) == (
        "KeyError: 'species' second line",
        '<span class="bw-red">KeyError</span>: &lt;b&gt;',
    )


def test_colour_codes_become_spans_and_every_other_sequence_goes() -> None:
    text = (
        "\x1b[31mred\x1b[0m \x1b[1;34mblue\x1b[22m\x1b[39m \x1b]8;;http://example.org\x07link\x1b]8;;\x07 \x1b[2Jclear"
    )
    assert ansi.to_html(text) == (
        '<span class="bw-red">red</span> <span class="bw-blue bw-bold">blue</span> link clear'
    )
    assert "<img" not in ansi.to_html('\x1b[31m<img src=x onerror=alert(1)>\x1b["><img src=x onerror=alert(1)>m')
    assert ansi.to_html("a\x1b[31") == "a31"  # an unfinished one
    assert ansi.plain_text("10%\r50%\r100%\ndone\n") == "100%\ndone\n"  # a progress bar shows its last state
    assert ansi.plain_text("if admin\u202e\u2066: pass\u200b") == "if admin\\u{202e}\\u{2066}: pass\\u{200b}"


def test_a_picture_is_drawn_after_a_look_at_its_header() -> None:
    def drawn(data: bytes, **more: str) -> tuple[BlockKind, str]:
        (block,) = render_blocks([shown(image_png=base64.b64encode(data).decode(), **more)])
        return block.kind, block.title if block.kind is not BlockKind.TEXT else block.text

    assert drawn(png(1, 1), text_plain="<Figure>") == (BlockKind.PICTURE, "shown: picture of 1 x 1 pixels")
    assert drawn(png(20_000, 20_000)) == (BlockKind.FILE, "shown: picture of 20000 x 20000 pixels")  # not decoded
    assert drawn(b"GIF89a", text_plain="<Figure>") == (BlockKind.TEXT, "&lt;Figure&gt;")
    app0 = b"\xff\xe0" + struct.pack(">H", 4) + b"xx"
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 11, 8, 480, 640, 1) + b"\x01\x11\x00"
    assert picture_size(b"\xff\xd8" + app0 + frame) == (640, 480)
    assert picture_size(b"\xff\xd8\xff\xe0") is None
    small, large = png(1, 1), png(30_000, 30_000)
    both = small[:33] + large[8:33] + small[33:]  # the second header is the one that some decoders believe
    assert (picture_size(small), picture_size(both)) == ((1, 1), None)


def test_charts_and_drawings_are_drawn_where_they_name_no_address() -> None:
    specs: tuple[dict[str, Any], ...] = (
        {"data": {"url": "/secret.json"}, "mark": "bar"},
        {"mark": {"type": "image"}, "encoding": {"url": {"field": "u"}}},
        {"data": {"values": [{"u": "https://example.org/x.png"}]}, "mark": "bar"},
        {"mark": {"type": "point", "href": "x"}},
    )
    for spec in specs:
        (block,) = render_blocks([shown(**{"application_vnd.vegalite.v5+json": spec})])
        assert block.kind is BlockKind.FILE
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "usermeta": {"embedOptions": {"loader": {"baseURL": "https://example.org"}}},
        "data": {"values": [{"a": 1}]},
        "mark": "bar",
    }
    (block,) = render_blocks([shown(**{"application_vnd.vegalite.v5+json": spec})])
    assert (block.kind, block.spec) == (BlockKind.CHART, {"data": {"values": [{"a": 1}]}, "mark": "bar"})
    (block,) = render_blocks([shown(**{"image_svg+xml": "<!-- /etc/passwd --><svg width='1'></svg>"})])
    assert (block.kind, block.text) == (BlockKind.DRAWING, "<svg  width='1'></svg>")
    (block,) = render_blocks([shown(**{"image_svg+xml": "/etc/passwd"})])
    assert block.kind is BlockKind.FILE


def test_an_unknown_type_is_offered_and_a_malformed_output_is_no_error() -> None:
    (block,) = render_blocks([shown(**{"application_x-evil": "payload"})])
    found = (block.kind, block.title, block.data)
    assert found == (BlockKind.FILE, "shown: application/x-evil is not drawn", b"payload")
    malformed: list[Mapping[str, Any]] = [{}, {"output_type": "display_data"}, {"output_type": "stream"}]
    for output in [*malformed, {"output_type": 7}]:
        assert len(render_blocks([output])) == 1
    blocks = render_blocks([shown(text_plain=str(number)) for number in range(150)])
    assert len(blocks) == MAX_BLOCKS + 1
    assert (blocks[-1].kind, blocks[-1].title) == (BlockKind.FILE, "50 more outputs")
    assert safe_markdown("see ![x](http://example.org/x.png)") == r"see \![x](http://example.org/x.png)"


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


def test_columns_have_the_shape_of_their_values_and_hostile_ones_none() -> None:
    column = {"role": "number", "min": 0, "max": 100, "quantiles": {"0.25": 2.0, "0.5": 4.0, "0.95": 10.0}}
    shape = shape_of(column)
    assert len(shape) == BINS
    assert shape[0] == "█"
    assert shape[-1] == "▁"
    ties = {"role": "number", "min": 2007, "max": 2009, "quantiles": {"0.25": 2007.0, "0.5": 2008.0, "0.75": 2009.0}}
    assert shape_of(ties)[0] == shape_of(ties)[-1] == "█"
    assert shape_of({"role": "category", "top": [["a", 8], ["b", 4], ["c", 0]]}) == "█▅▁"
    assert shape_of({"role": "text"}) == ""
    assert shape_of({"role": "number", "min": 3, "max": 3, "quantiles": {}}) == ""
    assert shape_of({"role": "number", "min": "<b>", "max": 9, "quantiles": {"x": 1}}) == ""
    assert shape_of({"role": "category", "top": [["a", "<script>"], "bc", 7]}) == ""
    assert len(shape_of({"role": "number", "min": 0.0, "max": 9.0, "quantiles": {"0.5": "<i>", "nan": 3.0}})) == BINS


def test_numbers_are_plotted_from_quantiles_others_from_frequent_values() -> None:
    number = {"role": "number", "min": 0, "max": 12, "quantiles": {"0.5": 3.0}, "name": "x"}
    plot = plot_of(number, 10)
    assert plot is not None
    values = plot.spec["data"]["values"]
    assert (len(values), values[0]["from"], values[-1]["to"]) == (12, 0, 12)
    assert sum(value["share"] for value in values) == pytest.approx(1, abs=0.01)
    assert plot.words.startswith("from 0 to 12, half of them up to 3; most (17%) from ")
    plot = plot_of({"role": "category", "top": [["a", 6], ["b\u202e", 3], ["", 1]]}, 10)
    assert plot is not None
    assert plot.words.startswith("most frequent: a, b")
    assert "\u202e" not in str(plot.spec)
    assert plot.words.endswith("the first in 6 (60% of rows)")
    assert plot_of({"role": "date", "min": "2001"}, 10) is None
    columns: list[dict[str, Any]] = [
        {"role": "number", "min": "x", "max": 3},
        {"role": "number", "min": 0, "max": 1, "quantiles": ["x"]},
        {"role": "category", "top": [["a"], "b", ["c", "many"], ["https://example.org/x.png", 2]]},
    ]
    for column in columns:
        plot = plot_of(column, 0)
        assert plot is None or "url" not in str(plot.spec)
