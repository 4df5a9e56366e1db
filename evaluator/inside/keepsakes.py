"""Small copies of variables, as bytes: the default matcher says whether an object changed (dseal.md, section 8)."""

from typing import Any, Final

from evaluator.inside.codec import decode, pack, value_node
from evaluator.inside.decoder import BadClaim
from evaluator.inside.encoder import Encoder, Limits
from evaluator.inside.matchers import compare
from evaluator.inside.matchers_model import Answer, MatchOptions

_STRICTLY: Final = MatchOptions(ignore_names=False, ignore_dtypes=False)  # other names and dtypes are a change, too
_LIMITS: Final = Limits(nodes=5_000, size_bytes=64 * 1024)
"""Of a copy that is kept: larger objects count as changed by every change of a byte."""


def keep(value: Any) -> bytes | None:
    """Return a small copy of a value; None of one that is large or that the codec has no exact form for."""
    encoder = Encoder(_LIMITS)
    node = value_node(encoder, value)
    if not encoder.is_exact or node in (["over"], ["failed"]):
        return None
    return pack(node, encoder.buffers)


def is_same(before: bytes, after: bytes) -> bool:
    """Tell whether the default matcher sees no change: within the tolerance, or from None to NaN."""
    try:
        return compare(decode(before), decode(after), _STRICTLY).answer is Answer.YES
    except BadClaim:
        return False
