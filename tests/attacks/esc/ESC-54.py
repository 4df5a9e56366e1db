"""
id: ESC-54
title: becoming another program
ending: [died, timed_out, error]
credit: none
limit_s: 0.5
"""
os.execv("/bin/sleep", ["sleep", "60"])
# %%
for fd in range(3, 64):
    try:
        os.set_inheritable(fd, True)
    except OSError:
        pass
os.execv(sys.executable, [sys.executable, "-S", "-c", "print('{\"verdict\": \"CORRECT\"}')"])
