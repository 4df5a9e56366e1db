"""
id: ESC-19
title: files that are none
ending: [ok, error]
credit: none
problem: drawn
"""
import stat

os.mkfifo("out.csv")
os.link("inputs/data.csv", "hard")
ans = 41
# %%
os.mknod("device", 0o666 | stat.S_IFBLK, os.makedev(8, 0))
# %%
with open("sparse", "wb") as file:
    file.truncate(10**12)
