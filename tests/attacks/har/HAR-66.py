"""
id: HAR-66
title: displays of numbers that are no JSON
ending: [ok]
credit: honest
"""
from IPython.display import display

display({'application/json': [float('nan'), float('inf'), {'a': -float('inf')}]}, raw=True)
