"""
id: CMP-74
title: elements that point to nowhere
ending: [died, ok, bad_report]
credit: none
problem: frame
"""
import ctypes

ans = np.empty(2, dtype=object)
ctypes.memset(ans.ctypes.data, 0x41, 16)
