"""What a claim may hold is bounded before anything is built from it, and what is written can be read."""

import decimal
import fractions
import time
from typing import Any

import pandas as pd
import pytest

from evaluator.inside.codec.codec import decode, encode, pack
from evaluator.inside.codec.decode.decoded import OVER_LIMIT
from evaluator.inside.codec.decode.decoder import BadPayload, Decoder
from evaluator.inside.codec.encode.encode_plain import MAX_BITS, MAX_DIGITS, MAX_FRACTION_BITS, MAX_RANGE_BITS

LONG = f"0x{'7' * 300_000}".encode()
EXPENSIVE: dict[str, tuple[Any, bytes]] = {
    "an integer of too many digits": (["I", 0], LONG),
    "a fraction of large integers, which has to be reduced": (["frac", ["I", 0], ["I", 0]], LONG[: 2 + 250_000]),
    "a fraction without a denominator": (["frac", ["i", 1], ["i", 0]], b""),
    "a decimal of a billion zeros": (["dec", ["s", "1e999999999"]], b""),
    "a decimal of many digits": (["dec", ["S", 0]], b"7" * (MAX_DIGITS + 1)),
    "a range of large integers": (["range", ["I", 0], ["i", 5], ["i", 1]], LONG[:5000]),
    "a pattern of many characters": (["re", ["S", 0], 0], b"a" * 2000),
    "a path of many parts": (["path", False, ["S", 0]], b"/" * 1_000_000),
    "an index of 10**18 rows": (["rix", 0, 10**18, 1, ["none"]], b""),
    "a frame of 10**18 rows": (
        ["frame", ["ix", ["none"], ["npx", ["ndo", [0], ["n", []]]], None], ["rix", 0, 10**18, 1, ["none"]], []],
        b"",
    ),
    "an array without elements that spans 2**40 cells": (["nd", "<f8", [1 << 40, 0], 0], b""),
    "strings that are not there": (["str", "python", "NA", None, 1 << 40, 0, 0], b""),
    "a sparse column of 2**31 cells": (
        ["sparr", ["nd", "<f8", [0], 0], ["nd", "<i4", [0], 0], 1 << 31, ["dtype", "<f8"], ["f", "0x0p0"]],
        b"",
    ),
    "a sparse matrix of 2**60 cells": (["sparse", "csr_matrix", [1 << 30, 1 << 30], [], ["nd", "<f8", [0], 0]], b""),
    "records that are nearly all padding": (
        ["ndr", ["rec", ["a"], ["|u1"], [0], 1 << 24], [100], [["nd", "|u1", [100], 0]]],
        b"\0" * 100,
    ),
    "a scalar of several elements": (["np", ["sub", "<U1", [2]], "ff" * 8], b""),
}


def test_it_is_refused_before_it_is_built() -> None:
    for what, (node, data) in EXPENSIVE.items():
        started = time.process_time()
        with pytest.raises(BadPayload):
            decode(pack(node, [data]))
        assert time.process_time() - started < 5, what  # to build it would take minutes, or a machine's memory


def test_a_value_over_a_bound_is_marked_so() -> None:
    for value in (
        *(2**MAX_BITS, -(2**MAX_BITS), range(2**MAX_RANGE_BITS), pd.RangeIndex(10**10)),
        *(fractions.Fraction(2**MAX_FRACTION_BITS + 1, 2), fractions.Fraction(1, 2**MAX_FRACTION_BITS)),
        *(decimal.Decimal(10) ** 30_000, decimal.Decimal("1e-30000"), decimal.Decimal("7" * (MAX_DIGITS + 1))),
    ):
        assert decode(encode(value)) is OVER_LIMIT


def test_numbers_within_the_bounds_come_back() -> None:
    for value in (
        *(2**MAX_BITS - 1, fractions.Fraction(2 ** (MAX_FRACTION_BITS - 1) + 1, 2), decimal.Decimal(10) ** 15_000),
        *(decimal.Decimal("-Infinity"), decimal.Decimal("7" * 15_000), range(-(10**30), 10**30, 7)),
    ):
        assert decode(encode(value)) == value


def test_a_buffer_that_stands_in_many_values_counts_in_each() -> None:
    data = memoryview(bytes(60 * 1024 * 1024))
    decoder = Decoder([data])

    def read(times: int) -> None:
        for _ in range(times):
            decoder.start_value()
            assert len(decoder.value(["y", 0])) == len(data)

    read(8)
    with pytest.raises(BadPayload, match="too many bytes"):
        read(8)
