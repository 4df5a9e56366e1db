"""Tries a new environment with a real engine: does a cell run, can it be judged, which libraries survive a fork."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from evaluator.environments.installers import package_name
from evaluator.errors import ToolkitError
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Environment, Outcome, SandboxChoice

OK: Final = "ok"
_PATIENCE: Final = CellLimits(wall_s=120.0)
_FORKED: Final = CellLimits(wall_s=30.0)
_CELL: Final = """
import numpy as np
import pandas as pd
table = pd.DataFrame({"name": ["a", "b", "a"], "amount": np.arange(3)})
totals = table.groupby("name")["amount"].sum()
"""
_TESTED_BY_EVERY_CELL: Final = frozenset({"numpy", "pandas", "ipython", "ipykernel"})
_THREADS: Final = "import os\nbefore = set(os.listdir('/proc/self/task'))\n"
_NO_NEW_THREADS: Final = "\nassert set(os.listdir('/proc/self/task')) == before, 'it starts threads when imported'\n"

# What makes a library start whatever it starts; others are imported only.
_USES: Final = {
    "lightgbm": "import lightgbm, numpy\nlightgbm.LGBMRegressor(n_estimators=3, verbose=-1).fit("
    "numpy.arange(200.0).reshape(100, 2), numpy.arange(100.0))",
    "matplotlib": "import io, matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig(io.BytesIO())\nplt.close()",
    "polars": "import polars\npolars.DataFrame({'a': [1, 1, 2]}).group_by('a').len()",
    "pyarrow": "import pyarrow, pyarrow.compute\npyarrow.compute.sum(pyarrow.array(range(1000)))",
    "scipy": "import scipy.linalg, numpy\nscipy.linalg.svd(numpy.ones((200, 200)))",
    "seaborn": "import matplotlib.pyplot as plt, seaborn\nseaborn.histplot([1, 2, 2])\nplt.close()",
    "sklearn": "import numpy\nfrom sklearn.cluster import KMeans\nfrom sklearn.ensemble import "
    "HistGradientBoostingRegressor\nrows = numpy.arange(400.0).reshape(200, 2)\n"
    "KMeans(2, n_init=1).fit(rows)\nHistGradientBoostingRegressor(max_iter=3).fit(rows, rows[:, 0])",
    "statsmodels": "import numpy, statsmodels.api as sm\nsm.OLS(numpy.arange(9.0), numpy.ones((9, 1))).fit()",
    "torch": "import torch\ntorch.ones(200, 200) @ torch.ones(200, 200)",
    "xgboost": "import numpy, xgboost\nxgboost.XGBRegressor(n_estimators=3).fit(numpy.ones((99, 2)), numpy.ones(99))",
}


def try_environment(
    environment: Environment,
    requirements: Sequence[str],
    *,
    sandbox: SandboxChoice,
    on_event: Callable[[str], None],
) -> dict[str, str]:
    """Run and judge a cell in an environment, then check each required library's behaviour in a fork.

    Returns:
        By module: "ok", or why it must not be imported before a fork.

    Raises:
        ToolkitError: If no cell can be run or judged there.
    """
    with Engine(sandbox=sandbox, environment=environment) as engine:
        engine.warm_up()
        _run_and_judge(engine)
        found = {}
        for module in required_modules(environment, requirements):
            on_event(f"checking {module} in a forked process")
            found[module] = _survives_fork(engine, module)
        return found


def _run_and_judge(engine: Engine) -> None:
    capture = CaptureSpec(names=("totals",))
    with engine.open(key="environment", inputs=None) as session:
        submission = session.attempt(_CELL, capture=capture, limits=_PATIENCE)
        reference = session.execute(_CELL, capture=capture, limits=_PATIENCE)
    fix = "report it, with the environment's requirements"
    for outcome in (submission, reference):
        if outcome.ending is not Ending.OK:
            raise ToolkitError(f"a cell with pandas fails in the new environment: {_said(outcome)}", fix=fix)
    validators = {"name": "namespace_check", "options": {"totals": {}}, "children": []}
    findings = engine.judge(reference, submission, validators)
    if findings.get("answer") != "yes":
        what = f"a cell is judged unlike itself in the new environment: {findings.get('reason') or findings}"
        raise ToolkitError(what, fix=fix)


def _survives_fork(engine: Engine, module: str) -> str:
    """Import and use a module in a session, then use it in a trial, which is a fork of the session."""
    use = _USES.get(module, f"import {module}")
    with engine.open(key=module, inputs=None) as session:
        imported = session.execute(f"{_THREADS}import {module}{_NO_NEW_THREADS}", limits=_PATIENCE)
        if imported.ending is not Ending.OK:
            return _said(imported)
        used = session.execute(use, limits=_PATIENCE)
        if used.ending is not Ending.OK:
            return f"fails when used: {_said(used)}"
        forked = session.attempt(use, limits=_FORKED)
        return OK if forked.ending is Ending.OK else f"fails in a forked process: {_said(forked)}"


def _said(outcome: Outcome) -> str:
    if outcome.error is not None:
        return f"{outcome.error.name}: {outcome.error.message}"[:200]
    return outcome.ending.value


def required_modules(environment: Environment, requirements: Sequence[str]) -> tuple[str, ...]:
    """Return the top modules of the required packages, those aside that every cell uses."""
    assert environment.site_packages is not None, "our own interpreter is not built by us"
    found: set[str] = set()
    for requirement in requirements:
        name = package_name(requirement)
        if name not in _TESTED_BY_EVERY_CELL:
            found |= set(_modules_of(environment.site_packages, name))
    return tuple(sorted(found))


def _modules_of(site_packages: Path, package: str) -> list[str]:
    """Return the modules that a package has installed, by the list of its files."""
    from importlib.metadata import distributions

    for found in distributions(path=[str(site_packages)]):
        if package_name(str(found.metadata["Name"])) == package:
            code = [file for file in found.files or () if file.suffix == ".py" or ".so" in file.suffixes]
            names = {file.parts[0] if len(file.parts) > 1 else file.name.partition(".")[0] for file in code}
            return sorted(name for name in names if name.isidentifier() and not name.startswith("_"))
    return []
