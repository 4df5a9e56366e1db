"""
id: HAR-44
title: modules loaded again, and ours forgotten
ending: [ok]
credit: honest
"""
import importlib, json, socket, struct

for module in (json, json.encoder, struct, socket, os):
    importlib.reload(module)
for name in list(sys.modules):
    if name.startswith(("evaluator", "IPython.core", "json", "hashlib")):
        del sys.modules[name]
