"""
id: CMP-49
title: patterns and texts that are slow to handle
ending: [ok, timed_out]
credit: none
"""
import re

ans = re.compile("(" * 90 + "a" + "+)" * 90)
# %%
import re

ans = [re.compile("[\0-\U0010fffe]" * 100 + str(i), re.IGNORECASE) for i in range(4)]
# %%
ans = "4" * (60 << 20)
# %%
from pathlib import PurePosixPath

ans = [PurePosixPath("/".join("a" * 30_000)), "\n" * (1 << 20), b"\0" * (1 << 20)]
