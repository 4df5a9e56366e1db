"""
id: ESC-09
title: memory that no limit of one process sees
ending: [error, over_limit, died]
credit: none
memory_mb: 200
"""
with open("/dev/shm/attack-left-this", "wb") as file:
    for _ in range(1000):
        file.write(bytes(10**7))
# %%
import mmap, time

shared = mmap.mmap(-1, 10**9)
for place in range(0, 10**9, 4096):
    shared[place] = 1
time.sleep(8)
# %%
import time

for _ in range(8):
    if os.fork() == 0:
        held = np.ones(15 * 10**6)
        time.sleep(8)
        os._exit(0)
time.sleep(8)
