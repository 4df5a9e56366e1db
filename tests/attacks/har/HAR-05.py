"""
id: HAR-05
title: random states and clocks
ending: [ok]
credit: honest
"""
import random, time

np.random.seed(0)
random.seed(0)
time.time = time.monotonic = time.perf_counter = lambda: 0
