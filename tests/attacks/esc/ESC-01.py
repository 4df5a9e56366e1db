"""
id: ESC-01
title: leaving without a word
ending: [died]
credit: none
"""
os._exit(0)
