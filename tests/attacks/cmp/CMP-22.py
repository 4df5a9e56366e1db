"""
id: CMP-22
title: rebinding old data, and changing it by another name
ending: [ok]
credit: honest
right: INTACT_VIOLATION
"""
prev = prev.copy()
# %%
a = prev
a.drop(index=0, inplace=True)
