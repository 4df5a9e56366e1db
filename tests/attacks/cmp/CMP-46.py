"""
id: CMP-46
title: many numbers, each of them dear
ending: [ok]
credit: none
"""
import random
from fractions import Fraction

dear = Fraction(1, 2)
dear._numerator, dear._denominator = random.getrandbits(130_000), random.getrandbits(130_000)
ans = [dear] * 950
# %%
import random
from decimal import Decimal

ans = [Decimal("1e19000")] * 50_000
