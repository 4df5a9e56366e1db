"""
id: HAR-59
title: broken streams
ending: [ok]
credit: honest
"""
class Broken:
    encoding = errors = property(lambda s: 1 / 0)
    write = flush = close = fileno = isatty = lambda s, *a: 1 / 0


sys.stdout.close() if False else sys.stdout.flush()
sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Broken()
sys.stdin = None
os.close(1)
os.close(2)
os.close(0)
