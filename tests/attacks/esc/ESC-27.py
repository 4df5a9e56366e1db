"""
id: ESC-27
title: raising its own limits
ending: [error]
credit: none
"""
import resource

resource.setrlimit(resource.RLIMIT_DATA, (-1, -1))
# %%
import resource

resource.setrlimit(resource.RLIMIT_NPROC, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
# %%
os.nice(-5)
# %%
os.setuid(0)
