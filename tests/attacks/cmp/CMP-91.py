"""
id: CMP-91
title: names that are none, beside the answer
ending: [ok]
credit: honest
"""
class Name(str):
    __hash__ = lambda s: hash("ans")
    __eq__ = lambda s, o: True


globals()[42] = globals()[("ans",)] = globals()[None] = 41
globals()["__ans__"] = globals()["ans "] = globals()["a\x00ns"] = 41
globals()[Name("anz")] = 41
