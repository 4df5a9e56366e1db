"""
id: HAR-28
title: other tables of the codec
ending: [ok]
credit: honest
right: INTACT_VIOLATION
"""
from evaluator.inside.codec.encode import encoder

old, real = prev.copy(), encoder.WRITERS[pd.DataFrame]
encoder.WRITERS[pd.DataFrame] = lambda e, value: real(e, old)
prev["k"] = 0
# %%
from evaluator.inside.codec.encode import encoder

encoder.FINDERS.insert(0, lambda kind: None)
prev["k"] = 0
# %%
from evaluator.inside.codec.encode.encoder import Encoder

real = Encoder.array
Encoder.array = lambda self, values: real(self, values * 0)
prev["k"] = 0
# %%
from evaluator.inside.codec.encode import encoder

object.__setattr__(encoder.FINGERPRINT_LIMITS, "nodes", 0)
prev["k"] = 0
# %%
from evaluator.inside.codec import codec
from evaluator.inside.runtime import namespace

namespace.fingerprint = lambda *a: codec.Fingerprint(b"", True)
prev["k"] = 0
# %%
from evaluator.inside.codec import codec

real = codec.to_json.__self__
real.default = lambda value: None
prev["k"] = 0
