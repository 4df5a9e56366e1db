"""Sessions of the engine that all tests share, and of one engine of each other kind for what is theirs alone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.inside.export.payload import decode_payload
from evaluator.session import CellLimits, Ending, Engine, Isolation, Outcome, SandboxChoice, Session, probe_sandbox
from evaluator.session.sandboxing.backends import probe_backend

PATIENT = CellLimits(wall_s=60)  # a busy machine must not decide a test
Reader = Callable[[Outcome], DecodedOutcome]


def read(outcome: Outcome) -> DecodedOutcome:
    """Decode what a cell left behind, as the comparator does."""
    capture = outcome.capture
    evidence = {"ending": outcome.ending.value, "source": outcome.source, "names": list(capture.names)}
    more = {"figures": capture.figures, "files": list(capture.files), "watched": list(map(list, outcome.watched))}
    return decode_payload(outcome.payload, {**evidence, **more})


def result(session: Session, source: str) -> object:
    """Return the last value of a submission that runs to its end."""
    outcome = session.attempt(source, limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    return read(outcome).result


def error_name(session: Session, source: str) -> str:
    """Return the kind of exception that a submission ends with."""
    error = session.attempt(source, limits=PATIENT).error
    return "" if error is None else error.name


def processes_with(text: str) -> list[int]:
    """Return the processes of this machine whose command line holds a text."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if text in (entry / "cmdline").read_text(errors="replace"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.fixture(scope="session")
def bare_engine() -> Iterator[Engine]:
    """An engine without a sandbox."""
    with Engine(sandbox=SandboxChoice.NONE) as made:
        yield made


@pytest.fixture(params=["sandbox", "none"])
def each_engine(request: pytest.FixtureRequest, engine: Engine, bare_engine: Engine) -> Engine:
    """The shared engine and one without a sandbox: for what namespaces do there, and we ourselves do here."""
    return engine if request.param == "sandbox" else bare_engine


@pytest.fixture(scope="session")
def sandboxed_engine(engine: Engine) -> Engine:
    if engine.sandbox_name != "bwrap":
        pytest.skip(f"no bubblewrap here: {probe_sandbox().reason}")
    return engine


@pytest.fixture(scope="session")
def guarded_engine() -> Iterator[Engine]:
    """An engine in the weaker sandbox."""
    report = probe_backend(SandboxChoice.LANDLOCK)
    if not report.available:
        pytest.skip(f"no Landlock here: {report.reason}")
    with Engine(sandbox=SandboxChoice.LANDLOCK) as made:
        yield made


@pytest.fixture(scope="session")
def replaying(sandboxed_engine: Engine) -> Iterator[Engine]:
    """An engine whose sessions are replayed into kernels."""
    with Engine(sandbox=SandboxChoice(sandboxed_engine.sandbox_name), isolation=Isolation.REPLAY) as made:
        yield made


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    with engine.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def each_session(each_engine: Engine) -> Iterator[Session]:
    with each_engine.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def sandboxed(sandboxed_engine: Engine) -> Iterator[Session]:
    with sandboxed_engine.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def guarded(guarded_engine: Engine) -> Iterator[Session]:
    with guarded_engine.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def replayed(replaying: Engine) -> Iterator[Session]:
    with replaying.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs of a set"
    (folder / "more").mkdir(parents=True)
    (folder / "trips.csv").write_text("city,fare\nOslo,3\nRoma,4\n", encoding="utf-8")
    (folder / "more" / "naïve.txt").write_text("deep", encoding="utf-8")
    return folder
