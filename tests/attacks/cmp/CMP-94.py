"""
id: CMP-94
title: views of one element that look like gigabytes, beside the answer
ending: [ok]
credit: honest
"""
wide = np.broadcast_to(1.0, (10**6, 10**6))
deep = np.lib.stride_tricks.as_strided(np.zeros(1), (10**14,), (0,))
both = {"wide": wide, "deep": [deep, deep]}
