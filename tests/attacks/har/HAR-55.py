"""
id: HAR-55
title: views of another form
ending: [bad_report]
credit: none
"""
import struct, time


def say(view):
    for fd in range(3, 64):
        try:
            if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
                os.write(fd, struct.pack("<BI", 10, 0) + struct.pack("<BI", 12, len(view)) + view)
        except OSError:
            pass
    time.sleep(5)


say(b'{"error": {"name": 1, "message": [], "traceback": null}, "variables": [], "limits_hit": [], "marks": []}')
# %%
import struct, time

view = b"[" * 200_000
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            os.write(fd, struct.pack("<BI", 10, 0) + struct.pack("<BI", 12, len(view)) + view)
    except OSError:
        pass
time.sleep(5)
# %%
import struct, time

view = b'{"error": null, "variables": [], "limits_hit": ["CORRECT"], "marks": [{}], "x": ' + b"9" * 10_000 + b"}"
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            os.write(fd, struct.pack("<BI", 10, 0) + struct.pack("<BI", 12, len(view)) + view)
    except OSError:
        pass
time.sleep(5)
# %%
import struct, time

view = b'{"error": null, "variables": [' + b'{"name": "", "type": "", "text": "", "change": ""},' * 1500 + b'null], "limits_hit": [], "marks": []}'
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            os.write(fd, struct.pack("<BI", 10, 0) + struct.pack("<BI", 12, len(view)) + view)
    except OSError:
        pass
time.sleep(5)
