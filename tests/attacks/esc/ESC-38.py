"""
id: ESC-38
title: writing into what /proc says of itself and of others
ending: [ok]
credit: honest
"""
for name in ("clear_refs", "coredump_filter", "comm", "timerslack_ns", "uid_map", "gid_map", "setgroups", "loginuid"):
    for place in ("self", "1", str(max(os.getppid(), 1))):
        try:
            with open(f"/proc/{place}/{name}", "w") as file:
                file.write("1")
        except OSError:
            continue
        raise AssertionError(f"{name} of {place} can be written to")
# %%
for name in ("sysrq-trigger", "sys/vm/drop_caches", "sys/kernel/core_pattern", "sys/vm/overcommit_memory"):
    try:
        with open(f"/proc/{name}", "w") as file:
            file.write("1")
    except OSError:
        continue
    raise AssertionError(f"{name} can be written to")
