"""
id: LEAK-22
title: folders behind descriptors that it was given
ending: [ok]
credit: honest
"""
import stat

for name in os.listdir("/proc/self/fd"):
    try:
        kind = os.fstat(int(name)).st_mode
    except OSError:
        continue  # the one that listed them
    assert not stat.S_ISDIR(kind), f"descriptor {name} leads to {os.listdir(int(name))[:5]}"
