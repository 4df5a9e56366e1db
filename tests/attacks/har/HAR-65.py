"""
id: HAR-65
title: displays that are nested without end
ending: [ok]
credit: honest
"""
from IPython.display import JSON, display

for depth in (90, 300, 520, 780, 960):
    nested = 1
    for _ in range(depth):
        nested = {'a': nested}
    display(JSON(nested))
# %%
from IPython.display import display

for depth in (90, 300, 520, 780, 960):
    nested = 1
    for _ in range(depth):
        nested = [nested]
    display({'application/json': nested, 'application/vnd.vegalite.v5+json': {'a': nested}}, raw=True)
