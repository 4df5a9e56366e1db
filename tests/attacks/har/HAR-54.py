"""
id: HAR-54
title: a report by a child, while the cell goes on or has ended
ending: [bad_report, died, ok, timed_out, over_limit]
credit: none
limit_s: 2
"""
import struct, time


def say(frames):
    for fd in range(3, 64):
        try:
            if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
                for kind, body in frames:
                    os.write(fd, struct.pack("<BI", kind, len(body)) + body)
        except OSError:
            pass


view = b'{"error": null, "variables": [], "limits_hit": [], "marks": []}'
if os.fork() == 0:
    os.setsid()
    say([(10, b"")])
    time.sleep(0.3)
    say([(12, view)])
    os._exit(0)
time.sleep(1)
ans = 41
# %%
import struct, threading, time

view = b'{"error": null, "variables": [], "limits_hit": [], "marks": []}'


def say():
    while True:
        for fd in range(3, 64):
            try:
                if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
                    os.write(fd, struct.pack("<BI", 12, len(view)) + view)
            except OSError:
                pass
        time.sleep(0.001)


if os.fork() == 0:
    os.setsid()
    threading.Thread(target=say, daemon=True).start()
    time.sleep(30)
ans = 41
