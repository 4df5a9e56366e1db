"""
id: HAR-10
title: half a frame
ending: [bad_report, timed_out, over_limit]
credit: none
limit_s: 0.5
"""
import struct, time

for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            os.write(fd, struct.pack("<BI", 10, 200 * 1024 * 1024) + b"abc")
    except OSError:
        pass
time.sleep(60)
# %%
import struct, time

for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            os.write(fd, struct.pack("<BI", 12, 2**32 - 1))
    except OSError:
        pass
time.sleep(60)
