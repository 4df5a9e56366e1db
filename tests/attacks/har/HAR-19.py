"""
id: HAR-19
title: replaced modules and code of ours
ending: [ok, error, bad_report, died, timed_out]
credit: none
limit_s: 1
"""
class Fake:
    __getattr__ = lambda s, name: lambda *a, **k: None


for n in list(sys.modules):
    sys.modules[n] = Fake()
ans = 41
# %%
from evaluator.inside.export import payload as payload
from evaluator.inside.codec.encode import encoder

encoder.Encoder.node.__code__ = (lambda self, value: ["int", "40"]).__code__
ans = 41
# %%
from evaluator.inside.runtime import cell, channel

channel.Channel.send.__code__ = (lambda self, kind, body=b"", descriptors=(): None).__code__
ans = 41
