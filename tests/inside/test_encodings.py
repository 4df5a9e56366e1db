"""How agents are shown variables: the forms of CoML and LIDA, to the letter, their quirks included."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.describing.encodings import Form, encode_variables
from evaluator.session import parse_encoding

TABLE = pd.DataFrame(
    {
        "city": pd.Series(["Rome", "Oslo", "Rome", "Rome", "Oslo"], dtype=object),
        "price": [1.5, 2.0, 2.5, 3.0, 8.0],
        "rooms": [1, 2, 3, 4, 9],
        "sold": [True, False, True, True, False],
        "on": pd.Series(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", "2024-01-05"], dtype=object),
    }
)


def encoded(value: Any, name: str = "coml") -> str:
    form = Form(**parse_encoding(name).to_json())
    (found,) = encode_variables({"x": value}, form, None)
    return found["text"]


def test_values_are_written_as_coml_writes_them() -> None:
    for value, text in (
        *((np.zeros((2, 3)), "numpy.ndarray(shape=(2, 3), dtype=float64)"), ((1, 2), "(1, 2)"), ([], "[]")),
        *((pd.Series([1, 2], name="a"), "pandas.Series(shape=(2,))"), (np.float64(1.5), "1.5"), (math.nan, "nan")),
        ([1, "a", None, True, 2.5], '[1, "a", None, True, 2.5]'),
        (list(range(31)), f"[{', '.join(map(str, range(30)))}, ...]"),
        *(({"a": [1], 2: "b"}, '{a: [1], 2: "b"}'), ("x" * 500, f'"{"x" * 500}"'), ("a\nb", '"a\nb"')),
        (set(range(200)), f"{str(set(range(200)))[:300]}..."),
        ([[np.ones(2)]], "[[numpy.ndarray(shape=(2,), dtype=float64)]]"),
    ):
        assert encoded(value) == text


def test_a_table_is_written_with_its_shape_columns_and_an_indented_extract() -> None:
    table = pd.DataFrame({"a": [1, 2], "b": ["a text of more than twenty characters", "y"]})
    assert encoded(table) == (
        'pandas.DataFrame(shape=(2, 2), columns=["a", "b"])\n'
        "       a                    b\n"
        "    0  1  a text of more t...\n"
        "    1  2                    y"
    )


def test_long_and_wide_tables_are_cut_in_their_middle() -> None:
    table = pd.DataFrame(np.arange(480).reshape(12, 40), columns=[f"c{n}" for n in range(40)])
    lines = encoded(table).splitlines()
    assert lines[0].startswith('pandas.DataFrame(shape=(12, 40), columns=["c0", "c1",')
    assert lines[0].endswith('"c29", ...])')
    assert lines[1].split() == ["c0", "c1", "c2", "c3", "c4", "...", "c35", "c36", "c37", "c38", "c39"]
    assert len(lines) == 2 + 11  # ten rows and the gap
    concise = encoded(table, "coml-concise").splitlines()
    assert concise[1].split() == ["c0", "...", "c39"]
    assert concise[2:5] == ["    0     0  ...   39", "    ..  ...  ...  ...", "    11  440  ...  479"]
    assert len(encoded(table, "coml-verbose").splitlines()[1].split()) == 31


def columns_of(text: str) -> list[dict[str, Any]]:
    from pandas import Timestamp

    start = text.index("columns=") + len("columns=")
    found = eval(text[start:-1], {"Timestamp": Timestamp, "nan": math.nan})
    assert isinstance(found, list)
    return found


def test_lida_tells_each_column_with_its_quirks() -> None:
    text = encoded(TABLE, "lida")
    assert text.startswith(
        "pandas.DataFrame(shape=(5, 5), columns=[{'column': 'city', 'properties': {'dtype': 'category', "
    )
    city, price, rooms, sold, on = (each["properties"] for each in columns_of(text))
    assert sorted(city["samples"]) == ["Oslo", "Rome"]
    assert (price["dtype"], price["min"], price["max"]) == ("number", 1.5, 8.0)
    assert price["std"] == pytest.approx(TABLE["price"].std())
    assert len(price["samples"]) == 2  # the first column has two values, so that all others show two
    assert (rooms["std"], rooms["num_unique_values"]) == (3, 5)  # 3.11, cut to a whole number
    assert sold["dtype"] == "boolean"
    assert (on["dtype"], on["min"], on["max"]) == ("date", "2024-01-01", "2024-01-05")


def test_lida_without_its_quirks() -> None:
    _, price, rooms, _, _ = (each["properties"] for each in columns_of(encoded(TABLE, "lida-sound")))
    assert len(price["samples"]) == 5
    assert rooms["std"] == pytest.approx(TABLE["rooms"].std())


def test_what_is_no_data_of_the_user_is_left_out() -> None:
    class Own:
        def __call__(self) -> None: ...

    def function() -> None: ...

    values = {
        "pd": pd,
        "function": function,
        "len": len,
        "Own": Own,
        "own": Own(),
        "_x": 1,
        "__y": 1,
        "_i7": "",
        "In": [],
    }
    found = encode_variables({**values, "_ihx": 1, "_": 1, "exit": 1}, Form("names"), None)
    assert [each["name"] for each in found] == ["Own", "own", "_x", "_ihx"]
    assert {each["text"] for each in found} == {""}
    assert encode_variables({"a": 1, "b": 2}, Form("coml"), ["b", "c"]) == [{"name": "b", "type": "int", "text": "2"}]


def test_values_whose_methods_fail_or_never_end_their_text_spoil_nothing() -> None:
    class Broken:
        def __str__(self) -> str:
            raise ValueError("no")

    class Long:
        def __str__(self) -> str:
            return "x" * 10**6

        __repr__ = __str__

    assert encoded(Broken()) == "(Broken; describing it raised ValueError)"
    assert encoded(Long()) == "x" * 300 + "..."
    assert encoded(Long(), "repr") == "x" * 1000 + "..."
    assert len(encoded("y" * 10**6)) == 200_000
