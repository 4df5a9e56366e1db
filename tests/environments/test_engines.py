"""What engines and runs make of an environment: its Python, its bytecode, its modules."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.environments import environment_named
from evaluator.environments.fork_check import required_modules
from evaluator.errors import ToolkitError
from evaluator.language import parse_problemset
from evaluator.running import RunConfig, modules_to_preload, run_benchmark
from evaluator.session import Engine, Environment, SandboxChoice, own_environment
from tests.environments.conftest import MakeEnvironment, site_of

PROBLEM = '# %%\n"""\nquery: Import it.\n"""\nimport {}\n1\n'


@pytest.mark.kernel
def test_a_python_that_was_exchanged_since_is_refused() -> None:
    own = own_environment()
    before = replace(own, interpreter=replace(own.interpreter, version="3.11.0rc1"))
    with (
        Engine(environment=before, sandbox=SandboxChoice.NONE) as exchanged,
        pytest.raises(ToolkitError, match="the environment was made for Python") as caught,
    ):
        exchanged.open(key="any", inputs=None)
    assert "env create" in caught.value.fix


def test_a_reference_that_lacks_a_module_says_which_and_where(engine: Engine, tmp_path: Path) -> None:
    problemset = tmp_path / "lacking.py"
    problemset.write_text(PROBLEM.format("no_such_module_here.part"))
    summary = run_benchmark(RunConfig(problemset, "empty", tmp_path / "out"), engine=engine)
    (diagnostic,) = summary.diagnostics
    assert (diagnostic.code, diagnostic.line) == ("module-missing", 5)
    assert "needs the module 'no_such_module_here'" in diagnostic.what
    assert "environment 'default'" in diagnostic.what
    assert "env create" in diagnostic.fix


def test_only_installed_modules_that_survive_a_fork_are_preloaded() -> None:
    parsed = parse_problemset(PROBLEM.format("sklearn.svm, seaborn, polars, scipy"), name="many").problemset
    assert parsed is not None

    def preloaded(environment: Environment, *more: str) -> tuple[str, ...]:
        return modules_to_preload([parsed], environment, more=more)

    own = own_environment()
    imported = ("scipy", "seaborn", "sklearn.svm")
    plotting = ("matplotlib.pyplot", *imported)
    assert preloaded(own) == imported
    assert preloaded(own, "import matplotlib.pyplot as plt", "not python") == plotting
    assert preloaded(own, "df.plot.bar()") == preloaded(own, "df['x'].hist()") == plotting
    assert preloaded(own, "df.plots, df['plot'], histogram(df)") == imported
    more = replace(own, fork_safe=frozenset({"no_such", "rich"}))
    assert preloaded(more, "import rich, no_such") == ("rich", *imported)


def test_of_a_required_package_the_modules_are_known(make_environment: MakeEnvironment) -> None:
    site = site_of(make_environment("one", {"scikit-learn": "1.5"}))
    files = ("sklearn/__init__.py", "scikit_learn.libs/libgomp.so.1", "single.py", "_private.py", "fast.cpython-311.so")
    for name in files:
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).touch()
    (site / "scikit-learn-1.5.dist-info" / "RECORD").write_text("".join(f"{name},,\n" for name in files))
    environment = environment_named("one")
    assert required_modules(environment, ["Scikit_Learn>=1", "pandas"]) == ("fast", "single", "sklearn")
