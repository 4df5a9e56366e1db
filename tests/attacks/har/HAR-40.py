"""
id: HAR-40
title: a watchdog of Python's own that ends the process
ending: [died, ok]
credit: none
"""
import faulthandler, time

faulthandler.dump_traceback_later(0.001, exit=True)
time.sleep(0.5)
ans = 41
# %%
import faulthandler

faulthandler.dump_traceback_later(0.05, repeat=True, file=sys.__stderr__.buffer.raw if False else 2)
for number in (1, 2, 10, 12):
    faulthandler.register(number, file=1, all_threads=True)
ans = 41
