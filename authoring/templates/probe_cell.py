"""Appended to a candidate's code in a throw-away copy of the session: says what the code left, as one line of JSON.

The host never imports it.
"""

import json
import math
from typing import Any

import numpy as np
import pandas as pd


def _bw_flat(value: Any) -> list[Any]:
    """Return the single values in a result, the first 200,000 at most."""
    if isinstance(value, pd.DataFrame):
        return [one for name in range(value.shape[1]) for one in value.iloc[:50_000, name].tolist()][:200_000]
    if isinstance(value, pd.Series | pd.Index | np.ndarray):
        return list(value[:200_000].tolist())
    if isinstance(value, dict):
        return [one for part in value.values() for one in _bw_flat(part)]
    if isinstance(value, (list, tuple, set)):
        return [one for part in value for one in _bw_flat(part)]
    return [value]


def _bw_missing(value: Any) -> bool:
    if value is None or value is pd.NaT:
        return True
    return isinstance(value, float | np.floating) and not math.isfinite(value)


def _bw_facts(value: Any, checks: list[Any]) -> dict[str, Any]:
    """Return what makes a result worth asking for, or not."""
    flat = _bw_flat(value)
    known = [one for one in flat if not _bw_missing(one)]
    single = known[0] if len(flat) == 1 and known else None
    return {
        "values": len(flat),
        "known": len(known),
        "distinct": len({repr(one) for one in known[:5000]}),
        "is_bool": isinstance(single, bool | np.bool_),
        "whole": int(single) if isinstance(single, int | np.integer) and not isinstance(single, bool) else None,
        "checks": [bool(check) for check in checks],
    }


def _bw_show(value: Any, checks: list[Any]) -> None:
    """Print the facts."""
    print(json.dumps(_bw_facts(value, checks)))
