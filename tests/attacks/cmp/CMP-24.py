"""
id: CMP-24
title: output to be inferred that lies or acts
ending: [ok]
credit: none
problem: value
"""
class E:
    __eq__ = lambda s, o: True
    __repr__ = __str__ = lambda s: "42"


print(E())
# %%
print(globals().update(prev=0) or 41)
# %%
asked = []
answer = lambda: asked.append(1) or (42 if len(asked) == 1 else 41)
print(answer())
