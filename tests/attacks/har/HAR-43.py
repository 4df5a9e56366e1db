"""
id: HAR-43
title: false modules under the names of those that are looked up late
ending: [ok, died, bad_report]
credit: none
problem: frame
"""
import types


class Fake(types.ModuleType):
    __getattr__ = lambda s, name: (lambda *a, **k: (_ for _ in ()).throw(SystemExit(name)))


for name in ("matplotlib.pyplot", "pyarrow", "pyarrow.compute", "scipy", "scipy.sparse", "pytz", "dateutil.tz"):
    sys.modules[name] = Fake(name)
ans = pd.DataFrame({"x": [1.0, 9.0]})
# %%
import types

fake = types.ModuleType("matplotlib.pyplot")
fake.get_fignums = lambda: [1, 2]
fake.figure = lambda number: fake
fake.close = lambda what: 1 / 0
fake.axes = fake.canvas = 41
fake.get_size_inches = lambda: (1e9, -1e9)
sys.modules["matplotlib.pyplot"] = fake
ans = pd.DataFrame({"x": [1.0, 9.0]})
