"""
id: HAR-20
title: forging an infrastructure error
ending: [bad_report, died, error, ok]
credit: none
"""
from evaluator.inside.export import payload as payload

payload.encode_payload.__code__ = (lambda findings, wanted, infer: 1 / 0).__code__
ans = 41
# %%
from evaluator.inside.export import payload as payload

payload.encode_payload.__code__ = (lambda findings, wanted, infer: b"[" * 10**6).__code__
ans = 41
# %%
import gc
from evaluator.inside.runtime.session_worker import SessionWorker

for each in gc.get_objects():
    if isinstance(each, SessionWorker):
        each._channel.send(8, b'{"memory": true}')
ans = 41
