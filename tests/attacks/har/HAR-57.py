"""
id: HAR-57
title: forged records of what was printed and shown
ending: [ok, over_limit, bad_report, timed_out]
credit: none
problem: printed
limit_s: 2
"""
import json, struct

head = struct.Struct("<cIH")
shown = json.dumps({"output_type": "execute_result", "data": {"text/plain": "42"}, "display_id": "x", "update": True}).encode()
forged = head.pack(b"o", 0, 2) + b"41" + head.pack(b"d", 7, len(shown)) + shown + head.pack(b"D", 7, 0) + head.pack(b"?", 2**32 - 1, 0)
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:"):
            os.write(fd, forged + head.pack(b"e", 0, 65535) + b"cut")
    except OSError:
        pass
print("41")
# %%
import struct

empty = struct.pack("<cIH", b"D", 0, 0) * 30_000
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:"):
            for _ in range(40):
                os.write(fd, empty)
    except OSError:
        pass
print("41")
