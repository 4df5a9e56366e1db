"""What most cells do for the first time, done once in the template: no session pays for it again.

Libraries load parts of themselves, compile patterns and fill tables when they are first used, which takes a fresh
session longer than the cell itself.
"""

import contextlib
import io
import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluator.inside.codec.decode.decoded import ABSENT
from evaluator.inside.describing.variable_views import describe_variables
from evaluator.inside.export.payload import Exported, encode_payload
from evaluator.inside.runtime.error_report import describe_error
from evaluator.inside.runtime.namespace import Namespace

if TYPE_CHECKING:
    from evaluator.inside.runtime.cell_shell import CellShell

_CELLS: Final = (
    "import numpy as np\nimport pandas as pd",
    """frame = pd.DataFrame({
    "name": [f"n{number % 7}" for number in range(60)],
    "day": pd.date_range("2024-01-01", periods=60),
    "count": np.arange(60) * 7 % 11,
    "share": np.linspace(0, 1, 60),
})""",
    'frame.groupby("name")["count"].sum()',
    'frame.groupby(["name", "count"], as_index=False).agg({"share": ["mean", "max"]})',
    'frame["double"] = frame["count"] * 2',
    'frame["tripled"] = frame["count"].apply(lambda count: 3 * count)',
    'frame.loc[(frame["count"] > 3) & frame["name"].str.contains("1"), ["name", "share"]]',
    'frame.sort_values(["name", "share"], ascending=[True, False]).head(3).reset_index(drop=True)',
    'frame["name"].value_counts().nlargest(2)',
    'frame.merge(frame.drop_duplicates("name"), on="name", how="left").isna().sum()',
    'frame.pivot_table(index="name", columns="count", values="share", aggfunc="mean").fillna(0)',
    'frame["month"] = pd.to_datetime(frame["day"].astype(str)).dt.month',
    "np.random.RandomState(0).rand(3, 3).dot(np.eye(3)).round(2).tolist()",
    "print(frame.head(2), frame.describe())",
    "pd.concat([frame, frame]).rename(columns=str.upper).to_dict()",
    'pd.read_csv(__import__("io").StringIO("a,b\\n1,x\\n2,y\\n")).set_index("b")',
    'frame["no such column"]',
    "def doubled(value):\n    return 2 * value\nresult = {number: doubled(number) for number in range(3)}",
)


def prewarm(shell: "CellShell", machinery: frozenset[str]) -> None:
    """Run typical cells and report what they leave, then forget them; a library in which one fails is no problem."""
    namespace = Namespace(shell.user_ns, machinery)
    random_state = np.random.get_state()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for source in _CELLS:
            _rehearse(shell, namespace, source)
    for name in namespace.values():
        del shell.user_ns[name]
    shell.user_ns["_"] = shell.last_underscore = ""
    np.random.set_state(random_state)


def _rehearse(shell: "CellShell", namespace: Namespace, source: str) -> None:
    before = namespace.begin(())
    result = shell.run(source, number=0, settle=_nothing)
    error = describe_error(result.error)
    diff = namespace.finish(before)
    values: dict[str, Any] = namespace.values()
    wanted = {name: values.get(name, ABSENT) for name in ("frame", "result")}
    encode_payload(Exported(result.value, error, diff), wanted, lambda: None)
    describe_variables(values, diff)


def _nothing() -> None:
    """Leave everything as the cell left it."""
