"""
id: LEAK-04
title: the environment and arguments of the launcher
ending: [ok]
credit: none
problem: hidden
"""
try:
    found = [name for name in os.listdir("/proc") if name.isdigit()]
except OSError:
    found = [*map(str, range(1, 400)), str(os.getppid()), "self"]
said = ""
for pid in found:
    for name in ("environ", "cmdline"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                said += file.read().decode("utf-8", "replace")
        except OSError:
            pass
assert "KEY" not in said and "TOKEN" not in said and "bwrap" not in said and "hidden" not in said, said
ans = said
