"""
id: HAR-13
title: a swapped socket of the transport
ending: [ok, died]
credit: none
"""
import glob, stat

for path in glob.glob("/tmp/**", recursive=True) + glob.glob("/run/**", recursive=True) + glob.glob("./**", recursive=True):
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.remove(path)
            os.symlink("/dev/null", path)
    except OSError:
        pass
ans = 41
