"""
id: HAR-53
title: a report sent twice, in pieces, or cut
ending: [bad_report, died, ok]
credit: none
"""
import struct
from evaluator.inside.runtime import channel

real = channel.Channel.send.__code__
channel.again = type(channel.Channel.send)(real, channel.__dict__)
channel.Channel.send.__code__ = (lambda self, kind, body=b"", descriptors=(): (again(self, kind, body), again(self, kind, body))).__code__
ans = 41
# %%
from evaluator.inside.runtime import channel

real = channel.Channel.send.__code__
channel.again = type(channel.Channel.send)(real, channel.__dict__)
channel.Channel.send.__code__ = (lambda self, kind, body=b"", descriptors=(): again(self, kind, body[: len(body) // 2])).__code__
ans = 41
# %%
from evaluator.inside.runtime import channel

channel.Channel.send.__code__ = (
    lambda self, kind, body=b"", descriptors=(): os.write(self.sock.fileno(), struct.pack("<BI", kind, len(body)) + body[:-1])
    and kind == 13 and os._exit(0)
).__code__
ans = 41
# %%
from evaluator.inside.runtime import channel

real = channel.Channel.send.__code__
channel.again = type(channel.Channel.send)(real, channel.__dict__)
channel.Channel.send.__code__ = (lambda self, kind, body=b"", descriptors=(): again(self, {12: 13, 13: 12}.get(kind, kind), body)).__code__
ans = 41
