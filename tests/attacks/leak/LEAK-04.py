"""
id: LEAK-04
title: the environment and arguments of the launcher
ending: [ok]
credit: none
problem: hidden
"""
said = ""
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline"):
        with open(f"/proc/{pid}/{name}", "rb") as file:
            said += file.read().decode("utf-8", "replace")
assert "KEY" not in said and "TOKEN" not in said and "bwrap" not in said and "hidden" not in said, said
ans = said
