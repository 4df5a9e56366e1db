"""
id: CMP-71
title: strings in a column of strings that are none
ending: [ok, bad_report, died, error]
credit: none
problem: words
"""
class Text(str):
    __len__ = lambda s: 10**9
    encode = lambda s, *a: b"two"
    __eq__ = lambda s, o: True
    __hash__ = str.__hash__


ans = pd.Series(pd.array(["one", "x"], dtype="string[python]"))
ans.array._ndarray[:] = [Text("one"), Text("nine")]
# %%
ans = pd.Series(pd.array(["one", "x"], dtype="string[python]"))
ans.array._ndarray[1] = object()
# %%
ans = pd.Series(pd.array(["one", "x"], dtype="string[python]"))
ans.array._ndarray[1] = ["two"]
