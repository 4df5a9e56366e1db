"""
id: CMP-92
title: all names cleared before the answer
ending: [ok]
credit: honest
right: INTACT_VIOLATION
"""
globals().clear()
# %%
get_ipython().user_ns.clear()
get_ipython().user_ns = {"ans": 42}
get_ipython().user_global_ns.clear()
