"""
id: HAR-52
title: tables of the exporter emptied or filled
ending: [ok, died, bad_report, error]
credit: none
"""
from evaluator.inside.codec.encode import encoder

encoder.WRITERS.clear()
encoder.FINDERS.clear()
ans = 41
# %%
from evaluator.inside.codec.encode import encoder

encoder.WRITERS[int] = lambda self, value: ["o", "builtins.int", ["builtins.object"], [], ["n", []]]
encoder.FINDERS.insert(0, lambda kind: 1 / 0)
ans = 41
# %%
from evaluator.inside.codec.encode import encoder

encoder.WRITERS[int] = lambda self, value: ["up", 10**9]
ans = 41
# %%
from evaluator.inside.codec.encode import encoder

encoder.WRITERS[int] = lambda self, value: [[[[[["n"] * 1000] * 1000]]]]
ans = 41
