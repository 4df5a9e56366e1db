"""
id: HAR-29
title: other notes of the state before
ending: [ok]
credit: honest
right: INTACT_VIOLATION
"""
frame = sys._getframe()
while "before" not in frame.f_locals:
    frame = frame.f_back
prints = frame.f_locals["before"].prints
prints["prev"] = prints["prev"]._replace(is_exact=False, is_whole=False)
prev["k"] = 0
# %%
frame = sys._getframe()
while "before" not in frame.f_locals:
    frame = frame.f_back
frame.f_locals["self"]._namespace._large = type(frame.f_locals["self"]._namespace._large)()
prev["k"] = 0
# %%
frame = sys._getframe()
while "before" not in frame.f_locals:
    frame = frame.f_back
frame.f_locals["before"].values.pop("prev")
prev["k"] = 0
# %%
frame = sys._getframe()
while "before" not in frame.f_locals:
    frame = frame.f_back
frame.f_locals["runtime"].originals._known = ()
prev["k"] = 0
# %%
frame = sys._getframe()
while "before" not in frame.f_locals:
    frame = frame.f_back
old = frame.f_locals["self"]._namespace
fake = type(old).__new__(type(old))
vars(fake).update(vars(old))
frame.f_locals["self"]._namespace = fake
prev["k"] = 0
