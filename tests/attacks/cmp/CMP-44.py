"""
id: CMP-44
title: numbers that take minutes to read
ending: [ok]
credit: none
"""
from fractions import Fraction

ans = Fraction(1, 2)
ans._numerator, ans._denominator = 3**600_000, 7**300_000
# %%
from decimal import Decimal

ans = Decimal("1e999999999")
# %%
from decimal import Decimal

ans = [Decimal("7" * 10_000_000), Decimal("1e-999999999"), Decimal("0e999999999")]
# %%
ans = [3**2_000_000, range(3**100_000), slice(3**2_000_000)]
