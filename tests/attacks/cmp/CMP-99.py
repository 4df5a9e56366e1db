"""
id: CMP-99
title: numbers without a sentence around them
ending: [ok]
credit: none
problem: value
"""
print('41 42 43')
# %%
print('40, 42, 44')
# %%
print(41, 42)
# %%
'42 or 43'
