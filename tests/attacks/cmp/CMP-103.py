"""
id: CMP-103
title: numbers in warnings and in names
ending: [ok]
credit: none
problem: counted
"""
import sys

sys.stderr.write("42\n7\n")
# %%
x42 = "x42 v7"
x42
