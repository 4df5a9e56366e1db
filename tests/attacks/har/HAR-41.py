"""
id: HAR-41
title: handlers of forks that end the copy
ending: [ok, bad_report, died]
credit: none
"""
import threading, time

os.register_at_fork(after_in_child=lambda: os._exit(0))
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
ans = 41
# %%
import threading, time

os.register_at_fork(before=lambda: 1 / 0, after_in_parent=lambda: 1 / 0, after_in_child=lambda: sys.exit(0))
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
ans = 41
