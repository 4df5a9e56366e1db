"""
id: CMP-29
title: changing what lies deep inside an object
ending: [ok]
credit: honest
problem: deep
right: INTACT_VIOLATION
"""
tree.next.next.next.count = 2
# %%
slim.inner.inner.x = 2
# %%
tree.next.next.next.items[-1] = 0
# %%
tree.next.next.next.next = tree
# %%
items.append(3)
# %%
tree.next.next.next.owner = tree
# %%
items.label.text = "x"
