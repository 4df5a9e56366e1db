"""
id: ESC-52
title: limits lowered to nothing before the report
ending: [ok, died, bad_report, error, timed_out]
credit: none
limit_s: 3
"""
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
ans = 41
# %%
import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
resource.setrlimit(resource.RLIMIT_STACK, (8192, 8192))
ans = 41
# %%
import resource

resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
resource.setrlimit(resource.RLIMIT_DATA, (1 << 20, 1 << 20))
ans = 41
# %%
import resource

resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
while True:
    pass
