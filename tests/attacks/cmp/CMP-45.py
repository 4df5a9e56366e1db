"""
id: CMP-45
title: numbers that take minutes to read, past an exporter without bounds
ending: [ok]
credit: none
"""
import sys
from fractions import Fraction

writer = sys.modules["evaluator.inside.codec.encode.encode_plain"]
writer.MAX_BITS = writer.MAX_FRACTION_BITS = writer.MAX_DIGITS = writer.MAX_RANGE_BITS = 1 << 60
ans = Fraction(1, 2)
ans._numerator, ans._denominator = 3**600_000, 7**300_000
# %%
import sys
from decimal import Decimal

writer = sys.modules["evaluator.inside.codec.encode.encode_plain"]
writer.MAX_BITS = writer.MAX_FRACTION_BITS = writer.MAX_DIGITS = writer.MAX_RANGE_BITS = 1 << 60
ans = Decimal("1e999999999")
# %%
import sys

sys.modules["evaluator.inside.codec.encode.encode_pandas"].MAX_ROWS = 1 << 62
ans = pd.DataFrame(index=pd.RangeIndex(10**18))
