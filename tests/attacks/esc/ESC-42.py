"""
id: ESC-42
title: folders deeper than what walks through them
ending: [ok]
credit: honest
limit_s: 60
"""
home = os.getcwd()
for _ in range(1500):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
open("x", "w").close()
os.chmod(".", 0)
os.chdir(home)
del home, _
# %%
os.makedirs("a/b/c")
open("a/b/removed-0", "w").close()
os.makedirs("removed-0/removed-1/removed-2")
os.symlink("..", "removed-0/link")
for path in ("removed-0/removed-1", "a/b", "a"):
    os.chmod(path, 0)
del path
