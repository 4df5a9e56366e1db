"""
id: HAR-64
title: messages in the socket of a session or kernel that goes on
ending: [ok, bad_report, died, timed_out, error]
credit: none
limit_s: 3
"""
import gc, json
from evaluator.inside.runtime.channel import Channel

for each in gc.get_objects():
    if isinstance(each, Channel):
        try:
            each.send(6, b'{"memory": true}')
            each.send(9)
            each.send(8, json.dumps({"exit": 0, "cpu_s": 0, "memory": True}).encode())
            each.send(4)
        except OSError:
            pass
ans = 41
