"""
id: ESC-12
title: a process that stays behind
ending: [ok]
credit: honest
"""
import subprocess

subprocess.Popen("sleep 987.25", shell=True, start_new_session=True)
# %%
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execlp("sleep", "sleep", "987.25")
    os._exit(0)
