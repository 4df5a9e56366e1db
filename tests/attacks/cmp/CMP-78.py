"""
id: CMP-78
title: every warning, rounding and chained assignment an error
ending: [ok]
credit: honest
problem: frame
"""
import warnings

np.seterr(all="raise")
np.seterrcall(lambda *a: 1 / 0)
warnings.simplefilter("error")
warnings.showwarning = lambda *a: 1 / 0
for name, value in (
    ("mode.chained_assignment", "raise"),
    ("mode.sim_interactive", True),
    ("compute.use_numexpr", False),
    ("display.float_format", lambda x: 1 / 0),
):
    try:
        pd.set_option(name, value)
    except Exception:
        pass
