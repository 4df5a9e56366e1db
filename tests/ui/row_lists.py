"""Reads the lists of rows that a page draws, and does with them what the browser does."""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from streamlit.testing.v1 import AppTest

COMPONENT = "benchwright_rows"
Element = ElementTree.Element


def row_lists(app: AppTest) -> dict[str, Element]:
    """The tables on the screen by what they are called; each is well-formed, whatever stands in it."""
    bodies = [element.proto.body for element in app.get("html")]
    tables = [ElementTree.fromstring(body) for body in bodies if body.startswith('<table class="bw-rows')]
    return {table.attrib["aria-label"]: table for table in tables}


def rows(app: AppTest, label: str) -> dict[str, Element]:
    """Key -> row of one list."""
    return {row.attrib["data-key"]: row for row in row_lists(app)[label].findall("tbody/tr")}


def names(app: AppTest) -> list[str]:
    """The words of each row's first link."""
    first = [row.find(".//a") for table in row_lists(app).values() for row in table.findall("tbody/tr")]
    return [words(link) for link in first if link is not None]


def links(app: AppTest) -> dict[str, str]:
    """Address -> words of all links in rows, without those of the heads."""
    return {link.attrib["href"]: words(link) for table in row_lists(app).values() for link in table.findall("tbody//a")}


def heads(app: AppTest, label: str) -> list[str]:
    """The words above the columns."""
    return [words(head) for head in row_lists(app)[label].findall("thead//th")]


def row_texts(app: AppTest) -> Iterator[str]:
    """All that the lists say, cell by cell."""
    for table in row_lists(app).values():
        yield from (words(cell) for cell in table.iter() if cell.tag in ("th", "td"))


def words(element: Element) -> str:
    """What a person reads: without the names of icons."""
    inside = "".join(words(each) + (each.tail or "") for each in element)
    return "" if element.get("aria-hidden") else f"{element.text or ''}{inside}"


def pick(app: AppTest, label: str, keys: Sequence[str | int]) -> AppTest:
    """Select just these rows."""
    told = json.loads(_proto(app, label).json)["told"] + 1
    return send(app, label, {"keys": [str(key) for key in keys], "told": told})


def send(app: AppTest, label: str, value: Any) -> AppTest:
    """Say what is selected, whatever that is."""
    proto, states = _proto(app, label), app._tree.get_widget_states()
    state = states.widgets.add()
    state.id = f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events"
    state.json_trigger_value = json.dumps([{"event": "picked", "value": value}])
    app._run(states)
    assert not app.exception
    return app


def _proto(app: AppTest, label: str) -> Any:
    protos = [element.proto for element in app.get("bidi_component")]
    name = row_lists(app)[label].attrib["data-list"]
    (found,) = [each for each in protos if each.component_name == COMPONENT and json.loads(each.json)["list"] == name]
    return found
