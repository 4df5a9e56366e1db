"""The lists of rows: what stands in them is text, and what the browser says of them is looked at."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import problemsets
from authoring.store.reviewing.tags import add_tag
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.drawing.row_tables import Caption, Piece, Prose, Row, RowColumn, RowLink, Strong, bars_html, rows_html
from authoring.ui.wording import Chip
from tests.ui.acts import Open, press, said
from tests.ui.row_lists import names, pick, row_texts, rows, send, words

HOSTILE = "</td><script>alert(1)</script>\"'&amp; :red[x] ![i](http://x) `y` \x1b[31m"


def table(pieces: Sequence[Piece], *, selectable: bool = True) -> ElementTree.Element:
    row = Row(HOSTILE.split("\x1b", maxsplit=1)[0], [pieces], HOSTILE)
    return ElementTree.fromstring(rows_html("<Sets>", [RowColumn([], 1)], [row], key="<k>", selectable=selectable))


def test_whatever_stands_in_a_row_is_text() -> None:
    pieces: list[Piece] = [
        HOSTILE,
        Chip(HOSTILE, ":material/close:", "red"),
        Caption(HOSTILE),
        Strong(HOSTILE),
        Prose(HOSTILE, 400),
        RowLink([HOSTILE], "editor", {"set": HOSTILE}),
    ]
    for piece in pieces:
        made = table([piece])
        assert "<script>alert(1)</script>\"'&amp;" in words(made)
        allowed = {"table", "colgroup", "col", "tbody", "tr", "td", "input", "span", "strong", "code", "a"}
        assert {element.tag for element in made.iter()} <= allowed
        assert not [name for element in made.iter() for name in element.attrib if name.startswith("on")]


def test_what_stands_in_backticks_is_code_and_a_long_text_is_cut() -> None:
    made = table([Prose(f"take `frame` {'x' * 300}", 40)])
    assert [element.text for element in made.iter("code")] == ["frame"]
    assert len(words(made)) == 38
    assert words(made).endswith("…")


def test_an_address_names_its_page_and_what_it_shows() -> None:
    assert RowLink(["x"], "editor", {"set": 3, "pid": "a b&c"}).href == "editor?set=3&pid=a+b%26c"
    assert RowLink(["x"], "help").href == "help"


def test_bars_tell_their_numbers_in_words() -> None:
    counts = {"wrong <answer>": {"blocking": 1, "open": 3}, "other": {"open": 2}}
    made = ElementTree.fromstring(bars_html("Comments", counts, {"blocking": "#000", "open": "#111"}))
    assert [words(cell) for cell in made.iter("td")][1::2] == ["1 blocking, 3 open", "2 open"]
    assert [words(head) for head in made.iter("th")] == ["wrong <answer>", "other"]
    widths = [span.attrib["style"].split(";")[0] for span in made.iter("span")]
    assert widths == ["width: 25.0%", "width: 75.0%", "width: 50.0%"]


@pytest.fixture
def three(workspace: Workspace) -> list[str]:
    sets = [
        problemsets.create(workspace, name=name, text="# %%\n1\n", author="lee", origin=Origin.PERSON)
        for name in ("one", "two", "three")
    ]
    return [str(each.problemset_id) for each in sets]


def told(app: AppTest) -> Mapping[str, Any]:
    """What the browser is told of the selection."""
    protos = [element.proto for element in app.get("bidi_component")]
    (found,) = [each for each in protos if each.component_name == "benchwright_rows"]
    data: dict[str, Any] = json.loads(found.json)
    return data


def test_what_is_selected_is_what_the_browser_last_said_of_shown_rows(
    open_page: Open, three: list[str], workspace: Workspace
) -> None:
    add_tag(workspace, [int(three[0])], "<b>*week*</b>", by="lee")
    app = open_page()
    assert set(names(app)) == {"one", "two", "three"}
    assert "one <b>*week*</b>" in list(row_texts(app))
    nonsense: list[Any] = [None, 3, [], {"keys": 3, "told": 1}, {"keys": ["1"]}, {"told": "x", "keys": ["1"]}]
    for sent in nonsense:
        send(app, "Problemsets", sent)
        assert "0 of 3 selected" in said(app), sent
    pick(app, "Problemsets", [*three[:2], "999", "<b>"])
    assert "2 of 3 selected" in said(app)
    assert told(app)["picked"] == sorted(three[:2])
    app.text_input(key="q_text").set_value("three").run()
    assert list(rows(app, "Problemsets")) == three[2:]
    assert "0 of 1 selected" in said(app)  # what one does not see is not meant
    app.text_input(key="q_text").set_value("").run()
    assert "0 of 3 selected" in said(app)
    before = told(app)["told"]
    press(app, "queue:bulk:all")
    assert (told(app)["picked"], told(app)["told"]) == (sorted(three), before)


def test_a_button_pressed_right_after_a_tick_means_what_is_ticked_then(open_page: Open, three: list[str]) -> None:
    app = open_page()
    app.button(key="queue:bulk:all").click()
    send(app, "Problemsets", {"keys": three[:1], "told": 1})  # both in one request, the button's callback first
    assert "3 of 3 selected" in said(app)
    press(app, "queue:bulk:all")
    pick(app, "Problemsets", three[:2])
    app.button(key="queue:bulk:accept").click()
    send(app, "Problemsets", {"keys": three[1:2], "told": 3})
    assert "two" in app.warning[0].value
    assert "one" not in app.warning[0].value
