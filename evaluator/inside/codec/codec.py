"""Values as inert bytes and back: a JSON tree and raw buffers, without pickle."""

import hashlib
import json
import struct
import warnings
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from evaluator.inside.codec.decode import decode_arrow, decode_numpy, decode_pandas, decode_plain
from evaluator.inside.codec.decode import decode_numpy as decode_scipy
from evaluator.inside.codec.decode import decode_plain as decode_records
from evaluator.inside.codec.decode.decoder import BadPayload, Decoder
from evaluator.inside.codec.digests import LARGE_BYTES, LargeBuffers, bulk_digest
from evaluator.inside.codec.encode import encode_arrow, encode_numpy, encode_pandas, encode_plain
from evaluator.inside.codec.encode import encode_numpy as encode_scipy
from evaluator.inside.codec.encode import encode_plain as encode_records
from evaluator.inside.codec.encode.encoder import Encoder, Node, OverLimit, to_json
from evaluator.inside.codec.unencoded_state import PrintEncoder, digest_of_notes

MAGIC: Final = b"BWC1"
_COUNTS: Final = struct.Struct("<II")
_LENGTH: Final = struct.Struct("<Q")
_MAX_TREE: Final = 64 * 1024 * 1024
_MAX_BUFFERS: Final = 500_000
PAYLOAD_BYTES: Final = 256 * 1024 * 1024
TABLES: Final = (
    *(decode_arrow, decode_numpy, decode_pandas, decode_plain, decode_records, decode_scipy),
    *(encode_arrow, encode_numpy, encode_pandas, encode_plain, encode_records, encode_scipy),
)


class Fingerprint(NamedTuple):
    """A digest of a value's normal form."""

    digest: bytes
    is_exact: bool  # whether equal digests mean equal values; otherwise they only mean "no change seen"
    is_whole: bool = True  # false where the value went over a limit, so that the digest covers a part of it
    beyond: bytes = b""  # a digest of what the normal form leaves out; empty: of nothing
    is_complete: bool = True  # false where neither of the two digests covers all that can change


def value_node(encoder: Encoder, value: Any) -> Node:
    """Return the node of a whole value; too large or too deep: `over`, not to be written: `failed`."""
    encoder.start_value()
    kept = len(encoder.buffers)
    try:
        return encoder.node(value)
    except OverLimit:
        del encoder.buffers[kept:]
        return ["over"]
    except Exception:  # noqa: BLE001  # a library's value may be broken in any way, by the cell or by itself
        del encoder.buffers[kept:]
        return ["failed"]


def fingerprint(value: Any, large: LargeBuffers | None = None) -> Fingerprint:
    """Return SHA-256 over the normal form of a value; of a value over the limits, over what was written.

    Args:
        value: Any.
        large: Knows digests of large buffers from before.
    """
    large = large or LargeBuffers()
    encoder, is_whole = PrintEncoder(), True
    try:
        tree = encoder.node(value)
    except OverLimit as error:
        tree, encoder.is_exact, is_whole = ["over", str(error)], False, False
    except Exception as error:  # noqa: BLE001  # as above
        tree, encoder.is_exact, is_whole = ["failed", type(error).__name__], False, False
    digest = hashlib.sha256(to_json(tree).encode())
    for buffer in encoder.buffers:
        digest.update(_LENGTH.pack(len(buffer)))
        digest.update(buffer if len(buffer) < LARGE_BYTES else large.digest(buffer))
    beyond, is_complete = _beyond(encoder, value, large, is_whole)
    return Fingerprint(digest.digest(), encoder.is_exact, is_whole, beyond, is_complete)


def _beyond(encoder: PrintEncoder, value: Any, large: LargeBuffers, is_whole: bool) -> tuple[bytes, bool]:
    """Return a digest of what was not written, and whether that is all."""
    beyond, is_complete = b"", not encoder.left_out
    if encoder.notes:
        beyond, is_told = digest_of_notes(encoder.notes, large)
        is_complete = is_complete and is_told
    if is_whole:
        return beyond, is_complete
    rest = bulk_digest(value, large)
    return beyond + (rest or b""), rest is not None


def pack(tree: Node, buffers: list[Any]) -> bytes:
    """Return a tree and its buffers as one byte string."""
    header = to_json(tree).encode()
    lengths = [_LENGTH.pack(len(buffer)) for buffer in buffers]
    return b"".join([MAGIC, _COUNTS.pack(len(header), len(buffers)), *lengths, header, *map(bytes, buffers)])


def unpack(data: bytes) -> tuple[Node, list[memoryview]]:
    """Return tree and buffers of `pack`.

    Raises:
        BadPayload: If the bytes are not what `pack` makes.
    """
    if len(data) > PAYLOAD_BYTES + _MAX_TREE or data[:4] != MAGIC or len(data) < 4 + _COUNTS.size:
        raise BadPayload("no payload")
    tree_size, count = _COUNTS.unpack_from(data, 4)
    start = 4 + _COUNTS.size
    if tree_size > _MAX_TREE or count > _MAX_BUFFERS or start + count * _LENGTH.size + tree_size > len(data):
        raise BadPayload("a payload is cut short or too large")
    lengths = [_LENGTH.unpack_from(data, start + i * _LENGTH.size)[0] for i in range(count)]
    offset = start + count * _LENGTH.size
    if offset + tree_size + sum(lengths) != len(data):
        raise BadPayload("a payload's buffers do not fit")
    tree = guarded(lambda: json.loads(data[offset : offset + tree_size]))
    offset += tree_size
    view = memoryview(data)
    buffers = []
    for length in lengths:
        buffers.append(view[offset : offset + length])
        offset += length
    return tree, buffers


def guarded(read: Callable[[], Any]) -> Any:
    """Call a reader of untrusted material; whatever it raises becomes `BadPayload`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read()
    except BadPayload:
        raise
    except Exception as error:  # malformed material may break any library function, each in its own way
        raise BadPayload(f"{type(error).__name__}: {str(error)[:200]}") from error


def encode(value: Any) -> bytes:
    """Return one value as bytes; the same bytes for equal values in any process."""
    encoder = Encoder()
    return pack(value_node(encoder, value), encoder.buffers)


def decode(data: bytes) -> Any:
    """Rebuild one value.

    Raises:
        BadPayload: If the bytes are not what `encode` makes; never anything else.
    """
    tree, buffers = unpack(data)
    return guarded(lambda: Decoder(buffers).value(tree))
