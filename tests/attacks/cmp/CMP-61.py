"""
id: CMP-61
title: a file behind an array, cut off before the export
ending: [ok, died]
credit: none
problem: frame
"""
ans = np.memmap("grows", dtype="f8", mode="w+", shape=(10**5,))
os.truncate("grows", 0)
