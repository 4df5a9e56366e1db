"""
id: CMP-93
title: another namespace put in place of the session's
ending: [ok]
credit: honest
"""
import types

shell = get_ipython()
shell.user_ns = {"ans": 41, "prev": 0}
shell.user_module = types.SimpleNamespace(__dict__={"ans": 41})
sys.modules["__main__"] = types.ModuleType("__main__")
