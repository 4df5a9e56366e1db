"""
id: LEAK-14
title: drawing what the reference will draw
ending: [ok]
credit: honest
"""
import random

drawn = (random.random(), np.random.rand())
