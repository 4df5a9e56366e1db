"""The modules that cells may import in a session whose process is used again: their state is looked at, or set anew."""

from typing import Final

MODULES: Final = frozenset(
    {
        *("numpy", "pandas"),
        *("collections", "datetime", "functools", "itertools", "json", "math", "random", "re", "statistics", "string"),
        "typing",
    }
)
