"""Rules for every test."""

import fcntl
import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from authoring.store.workspace import Workspace
from evaluator.session import DRAWING, Engine
from tests.cost import Cost

# How long an example takes says more about the machine than about the code. In continuous integration the same examples
# are tried each time: what lands must not depend on luck; everywhere else they are drawn again. `make test-deep` tries
# many more; a property sets no number of its own.
EXAMPLES, EXAMPLES_DEEP = 15, 200
settings.register_profile(
    "here",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=EXAMPLES_DEEP if os.environ.get("BENCHWRIGHT_DEEP") else EXAMPLES,
)
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a job in the background: tests that interrupt must be heard
    signal.signal(signal.SIGINT, signal.default_int_handler)

# As in the Makefile: compiled modules are kept, those of tests too, whatever the surroundings say.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_MAIN = sys.modules["__main__"]
GOLDEN = Path(__file__).parent / "golden"
SHARING = {"browser", "problemsets", "session"}  # one browser with one app, one engine of each kind
MUCH = (*DRAWING, "scipy.stats", "seaborn", "sklearn.dummy", "sklearn.linear_model", "sklearn.metrics", "sympy")


pytest_plugins = ["tests.lent_engines"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes golden files; their difference is read like code."""
    parser.addoption("--update-golden", action="store_true", help="write the files below tests/golden anew")
    parser.addoption("--shard", default="1/1", help="k/n: of all tests that are chosen, every n-th, from the k-th on")


def pytest_configure(config: pytest.Config) -> None:
    """Measure the processor time of tests, where the system tells of processes."""
    if Path("/proc/self/stat").exists():
        config.pluginmanager.register(Cost(), "benchwright-cost")


def pytest_collection_finish() -> None:
    """Let no later collection of garbage look through modules and tests again: a tenth of what page tests took."""
    gc.collect()
    gc.freeze()


class WholeFolders(LoadFileScheduling):
    """Gives one process whole files, and whole folders whose tests share what is dear to start."""

    def _split_scope(self, nodeid: str) -> str:
        folder = nodeid.split("/")[1]
        return folder if folder in SHARING else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WholeFolders:
    """Deal tests out to the processes."""
    return WholeFolders(config, log)


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """One warm engine a test process, for all tests that are not about starting one."""
    with Engine(trusted=True, comparators=2, preload=DRAWING) as made:
        made.warm_up()
        yield made


@pytest.fixture(scope="session")
def stocked_engine() -> Iterator[Engine]:
    """One for cells that import much, which each of them would else do anew; a trial on it takes half as long again."""
    with Engine(trusted=True, comparators=2, preload=MUCH) as made:
        yield made


@pytest.fixture(scope="session")
def empty_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a new workspace: to copy it takes 5 ms, to make one 70."""
    root = tmp_path_factory.mktemp("prepared") / "workspace"
    Workspace.open(root)
    return root


@pytest.fixture
def workspace(empty_workspace: Path, tmp_path: Path) -> Workspace:
    """A new workspace with nothing in it."""
    return Workspace.open(shutil.copytree(empty_workspace, tmp_path / "workspace"))


@pytest.fixture(autouse=True)
def main_module() -> None:
    """Put the main module back where Streamlit left the script that it ran: spawned processes run the main module."""
    sys.modules["__main__"] = _MAIN


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return what compares a text with a file below tests/golden, or writes it under --update-golden."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            assert not os.environ.get("CI"), "golden files are never written in continuous integration"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing: run pytest with --update-golden and read what it wrote"
        assert text == path.read_text(encoding="utf-8"), f"{path} differs: if it should, run with --update-golden"

    return compare


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a skipped test in continuous integration: there nothing may be missing."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but in continuous integration nothing may be missing"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let no test take all processes of the user while another one, in another worker, needs some of them."""
    takes = item.get_closest_marker("takes_processes") is not None
    if not takes and item.get_closest_marker("needs_processes") is None:
        return (yield)
    with open(Path("/tmp") / f"benchwright-tests-{os.getuid()}.lock", "a", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if takes else fcntl.LOCK_SH)
        return (yield)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what opens real sessions, draws whole pages or starts a browser: `make check` leaves all of it out."""
    fixtures = set(getattr(item, "fixturenames", ()))
    if fixtures & {"engine", "engines", "lent_engines"}:
        item.add_marker("kernel")
    if "open_page" in fixtures:
        item.add_marker("slow")
    if "browser" in fixtures:
        item.add_marker("browser")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out other shards, and put files that take long first: no process is left alone with one at the end."""
    shard, shards = map(int, config.getoption("--shard").split("/"))
    assert 1 <= shard <= shards
    mine = set(sorted(item.nodeid for item in items)[shard - 1 :: shards])
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in mine])
    items[:] = [item for item in items if item.nodeid in mine]
    long = {item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("browser")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture
def local_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask a server of one's own: docs/maintainers.md, "A model on this machine"."""
    monkeypatch.setenv("OPENAI_BASE_URL", os.environ["BENCHWRIGHT_LOCAL_MODEL_URL"])
    monkeypatch.setenv("OPENAI_API_KEY", "any text will do")
    monkeypatch.setenv("BENCHWRIGHT_MODEL", os.environ.get("BENCHWRIGHT_LOCAL_MODEL", "local"))
    monkeypatch.setenv("BENCHWRIGHT_MODEL_TIMEOUT", "1800")
