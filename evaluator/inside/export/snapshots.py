"""Small copies of variables, as bytes: the default matcher says whether an object changed (dseal.md, section 8)."""

from typing import Any, Final, NamedTuple

import pandas as pd

from evaluator.inside.codec.codec import decode, pack, value_node
from evaluator.inside.codec.decode.decoder import BadPayload
from evaluator.inside.codec.encode.encoder import Encoder, Limits
from evaluator.inside.compare.match_model import Answer, MatchOptions, Rules
from evaluator.inside.compare.matchers import compare

_OPTIONS: Final = {
    Rules.SOUND: MatchOptions(ignore_names=False, ignore_dtypes=False),  # other names and dtypes are a change, too
    Rules.PUBLISHED: MatchOptions(rules=Rules.PUBLISHED),
}
_LIMITS: Final = Limits(nodes=5_000, size_bytes=64 * 1024)
"""Of a copy that is kept: larger objects count as changed by every change of a byte."""


class Copy(NamedTuple):
    """A small copy of a value."""

    data: bytes
    shape: tuple[Any, ...] | None = None  # of a table: its type and its lengths

    def differs_in_shape(self, value: Any) -> bool:
        """Return whether both are tables of one type, but not of one shape: to no rule set are they equal then."""
        now = _shape(value)
        return self.shape is not None and now is not None and self.shape[0] is now[0] and self.shape != now


def keep(value: Any) -> Copy | None:
    """Return a small copy of a value; None of one that is large or that the codec has no exact form for."""
    encoder = Encoder(_LIMITS)
    node = value_node(encoder, value)
    if not encoder.is_exact or node in (["over"], ["failed"]):
        return None
    return Copy(pack(node, encoder.buffers), _shape(value))


def _shape(value: Any) -> tuple[Any, ...] | None:
    kind = type(value)
    return (kind, *value.shape) if kind is pd.DataFrame or kind is pd.Series else None


def same_by(before: bytes, after: bytes) -> frozenset[Rules]:
    """Return the rule sets whose default matcher sees no change, such as one within the tolerance."""
    try:
        old, new = decode(before), decode(after)
    except BadPayload:
        return frozenset()
    same = {rules for rules, options in _OPTIONS.items() if compare(old, new, options).answer is Answer.YES}
    return frozenset(same if _dtypes(old) == _dtypes(new) else same - {Rules.SOUND})


def _dtypes(value: Any) -> list[Any]:
    """Return the dtypes of a table, its categories and their order among them: what later cells do depends on them."""
    if isinstance(value, pd.DataFrame):
        return [*value.dtypes, *_dtypes(value.index), *_dtypes(value.columns)]
    if isinstance(value, pd.MultiIndex):
        return list(value.dtypes)
    if isinstance(value, pd.Series):
        return [value.dtype, *_dtypes(value.index)]
    return [value.dtype] if isinstance(value, (pd.Index, pd.api.extensions.ExtensionArray)) else []
