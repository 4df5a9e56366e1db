"""
id: HAR-17
title: staying in the worker
ending: [ok]
credit: honest
"""
os._exit = os.fork = os.write = os.close = lambda *a: 0
os.setsid = os.chdir = os.unshare = None if hasattr(os, "unshare") else 0
sys.exit = lambda *a: None
