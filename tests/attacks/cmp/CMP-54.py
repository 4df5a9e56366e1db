"""
id: CMP-54
title: the answer where it is never shown
ending: [ok]
credit: none
problem: value
"""
if 0:
    print("The answer is 42")
# %%
def answer():
    return 42
# %%
answer = lambda: 42
# %%
print("the first 42 of", len(prev))
