"""Columns of strings: the short way through Arrow's buffers gives the bytes of the long way."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.inside.codec.codec import fingerprint
from evaluator.inside.codec.encode import encode_pandas

TEXTS = st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=8)), max_size=20)


@settings(max_examples=60)
@given(TEXTS, st.integers(0, 5), st.integers(0, 20))
def test_arrow_strings_have_the_same_fingerprint_whichever_way_they_are_packed(
    texts: list[str | None], start: int, stop: int
) -> None:
    column = pd.Series(texts, dtype=pd.StringDtype("pyarrow", na_value=float("nan")))[start:stop]
    packed = fingerprint(column)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode_pandas, "_arrow_strings", lambda *_: None)
        assert fingerprint(column) == packed
