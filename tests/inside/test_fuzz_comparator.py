"""Claims made of anything: the comparator takes none of them for the answer, and lives on."""

import contextlib
import json
import random
import resource
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest

from evaluator.inside.codec.codec import encode, pack, unpack
from evaluator.inside.codec.decode.decoded import ABSENT, NamespaceDiff
from evaluator.inside.export.payload import Exported, decode_payload, encode_payload
from evaluator.inside.runtime.frames import FrameKind, Packet, pack_parts
from evaluator.inside.validators import comparator
from tests.inside.fuzz_corpus import PAIRS

pytestmark = pytest.mark.slow

STRICT = {
    **{"strict_type": True, "ignore_names": False, "atol": 0, "rtol": 0},
    "equality": {"missing-kind": "presentation"},
}
STRANGE: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**31, 2**40, 2**63, 10**18, 1e308, "", "x", "object", ">f8", "\ud800"),
    *([], [[]], {}, ["absent"], ["over"], ["failed"], "__array_interface__", "_typ", ["I", 0]),
    ["rix", 0, 10**18, 1, ["none"]],
    ["dec", ["s", "1e999999999"]],
    ["frac", ["i", 10**300], ["i", 10**299]],
    ["record", "m.P", ["__array_interface__"], ["n", [["dict", ["n", []], ["n", []]]]]],
    ["o", "m.P", [], ["__array_interface__", "_typ"], ["n", [["dict", ["n", []], ["n", []]], ["s", "series"]]]],
)


def validators(options: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"name": "namespace_check", "options": {"ans": options}, "children": []}


def payload_of(value: Any) -> bytes:
    return encode_payload(Exported(ABSENT, None, NamespaceDiff()), {"ans": value}, lambda: None)


PAYLOADS = {name: payload_of(value) for name, (value, _) in PAIRS.items()}


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """No claim may need a GiB to be refused."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with open("/proc/self/status", encoding="ascii") as status:
        used = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData:"))
    resource.setrlimit(resource.RLIMIT_DATA, (used + 2**30, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def judged(reference: bytes, payload: bytes | None, options: dict[str, Any] | None = None) -> tuple[str, str]:
    """Return the comparator's word (yes, partial, no, bad_payload, failed) and why."""
    side = {"ending": "ok", "source": "", "streams": [], "names": ["ans"]}
    asked = {"reference": side, "submission": side, "validators": validators(options), "rules": "sound"}
    try:
        with little_memory():
            request = Packet(FrameKind.JUDGE, pack_parts(asked, reference, payload))
            kind, answer = comparator._answer(request)
    except Exception as error:  # noqa: BLE001  # as `serve` does
        return "failed", type(error).__name__
    if kind == FrameKind.BAD_PAYLOAD:
        return "bad_payload", str(answer["reason"])
    return str(answer.get("answer", answer)), json.dumps(answer)


def value_in(payload: bytes) -> Any:
    return decode_payload(payload, {"ending": "ok", "source": "", "names": ["ans"]}).variables["ans"]


def parts(table: pd.DataFrame) -> tuple[Any, ...]:
    return (table, table.columns, table.index)


def is_the_same(found: Any, expected: Any) -> bool:
    """Equal normal forms; in tables, NaN is NaN whatever its bits are, and times are no other for their frequency."""
    if isinstance(found, pd.DataFrame) and isinstance(expected, pd.DataFrame):
        return all(bool(one.equals(other)) for one, other in zip(parts(found), parts(expected), strict=True))
    if isinstance(found, pd.DatetimeIndex) and isinstance(expected, pd.DatetimeIndex):
        found, expected = (pd.DatetimeIndex(each, freq=None) for each in (found, expected))
    return encode(found) == encode(expected)


def test_every_value_is_taken_for_itself_and_for_no_other() -> None:
    assert len(PAIRS) >= 40
    for name, (value, wrong) in PAIRS.items():
        for options in (None, {"ignore_order": True}, {"value_only": True}, {"ignore_dtypes": True}):
            assert judged(PAYLOADS[name], PAYLOADS[name], options)[0] == "yes", (name, options)
        for other in (*wrong, *([ABSENT] if name != "none" else [])):
            for strict in (None, STRICT):
                assert judged(PAYLOADS[name], payload_of(other), strict)[0] in ("no", "partial"), (name, other)
        assert encode(value_in(PAYLOADS[name])) == encode(value), name


def test_an_empty_claim_one_sent_twice_or_with_another_is_refused() -> None:
    for name, payload in PAYLOADS.items():
        tree, buffers = unpack(payload)
        twice = {**tree, "variables": tree["variables"] * 2}
        other = {**tree, "variables": [*tree["variables"], ["other", ["i", 42]]]}
        doubled = [payload * 2, payload + PAYLOADS["int"], payload + b"\x00"]
        length = len(payload) // 3
        empty = [
            b"",
            b"BWC1",
            payload[:length],
            payload[:-1],
            payload[: 2 * length],
            pack({}, []),
            pack([], []),
            pack(None, []),
            b"\x00" * 100,
            b"{}",
        ]
        for claim in (*empty, *doubled, pack(twice, list(buffers)), pack(other, list(buffers))):
            word, why = judged(payload, claim)
            assert word == "bad_payload", (name, claim)
            assert why


def require_harmless(name: str, payload: bytes) -> None:
    """A changed claim is correct only if it still says the same."""
    word, why = judged(PAYLOADS[name], payload, STRICT)
    assert word in ("yes", "partial", "no", "bad_payload"), (name, word, why)
    if word == "yes":
        assert is_the_same(value_in(payload), PAIRS[name][0]), (name, why)


def change_bytes(payload: bytes, draw: random.Random) -> bytes:
    data = bytearray(payload)
    for _ in range(draw.choice((1, 1, 1, 2, 8))):
        place = draw.randrange(len(data))
        match draw.randrange(4):
            case 0:
                data[place] ^= 1 << draw.randrange(8)
            case 1:
                data[place] = draw.randrange(256)
            case 2:
                data[place:place] = draw.randbytes(draw.randrange(1, 9))
            case _:
                del data[place : place + draw.randrange(1, 9)]
    return bytes(data)


def change_structure(payload: bytes, draw: random.Random) -> bytes:
    tree, buffers = unpack(payload)
    parts = [bytes(buffer) for buffer in buffers]
    for _ in range(draw.choice((1, 1, 2))):
        if parts and draw.random() < 0.3:
            place = draw.randrange(len(parts))
            parts[place] = draw.choice((b"", parts[place][:-1], parts[place] + b"\0", draw.choice(parts)))
        else:
            tree = change_node(tree, draw)
    return pack(tree, parts)


def change_node(node: Any, draw: random.Random) -> Any:
    """Return a tree with one part replaced, dropped, doubled or swapped, at any depth."""
    if isinstance(node, dict) and node and draw.random() < 0.95:
        key = "variables" if "variables" in node and draw.random() < 0.8 else draw.choice(list(node))
        return {**node, key: change_node(node[key], draw)}
    if isinstance(node, list) and node:
        place = draw.randrange(len(node))
        action = draw.random()
        if action < 0.7:
            return [*node[:place], change_node(node[place], draw), *node[place + 1 :]]
        if action < 0.8:
            return [*node[:place], *node[place + 1 :]]
        if action < 0.9:
            return [*node, node[place]]
        return [*node[::-1]]
    return draw.choice(STRANGE)


def require_all_harmless(times: int) -> None:
    for name, payload in PAYLOADS.items():
        for change in CHANGES:
            draw = random.Random(f"{name}:{change.__name__}")
            for _ in range(times):
                require_harmless(name, change(payload, draw))


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (change_bytes, change_structure)


def test_a_changed_claim_is_correct_only_if_it_says_the_same() -> None:
    require_all_harmless(6)


@pytest.mark.deep
def test_a_claim_changed_in_many_ways_is_correct_only_if_it_says_the_same() -> None:
    require_all_harmless(60)
