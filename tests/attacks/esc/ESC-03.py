"""
id: ESC-03
title: killing parent, group and everybody
ending: [ok, died, error]
credit: none
"""
os.kill(os.getppid(), 9)
# %%
os.kill(-1, 9)
# %%
os.killpg(0, 9)
# %%
for pid in range(1, 400):
    try:
        if pid != os.getpid():
            os.kill(pid, 9)
    except OSError:
        pass
