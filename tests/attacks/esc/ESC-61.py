"""
id: ESC-61
title: a terabyte that is reserved and never touched
ending: [ok, error]
credit: none
"""
import mmap

held = [mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ) for _ in range(8)]
ans = 41
# %%
import mmap

held = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | 0x4000)
for place in range(0, 1 << 40, 1 << 30):
    held[place] = 1
