"""
id: ESC-70
title: killing its parent from a shell
ending: [ok, died, error]
credit: none
"""
get_ipython().system("kill -9 $PPID; kill -STOP $PPID; kill -9 -1")
ans = 41
