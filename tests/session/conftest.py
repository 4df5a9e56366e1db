"""Real engines and sessions, one of each backend for the whole run of these tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.inside.export.payload import decode_payload
from evaluator.session import Engine, Isolation, Outcome, SandboxChoice, Session, probe_sandbox

Reader = Callable[[Outcome], DecodedOutcome]


@pytest.fixture(scope="session", params=["bwrap", "none"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    choice = SandboxChoice(request.param)
    if choice is SandboxChoice.BWRAP and not probe_sandbox().available:
        pytest.skip(f"no bubblewrap here: {probe_sandbox().reason}")
    with Engine(sandbox=choice, rng_seed=7) as made:
        yield made


@pytest.fixture(scope="session")
def sandboxed_engine() -> Iterator[Engine]:
    if not probe_sandbox().available:
        pytest.skip(f"no bubblewrap here: {probe_sandbox().reason}")
    with Engine(sandbox=SandboxChoice.BWRAP, rng_seed=7) as made:
        yield made


@pytest.fixture(scope="session")
def replaying() -> Iterator[Engine]:
    """An engine whose sessions are replayed into kernels."""
    if not probe_sandbox().available:
        pytest.skip(f"no bubblewrap here: {probe_sandbox().reason}")
    with Engine(sandbox=SandboxChoice.BWRAP, rng_seed=7, isolation=Isolation.REPLAY) as made:
        yield made


@pytest.fixture
def replayed(replaying: Engine) -> Iterator[Session]:
    with replaying.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    with engine.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def sandboxed(sandboxed_engine: Engine) -> Iterator[Session]:
    with sandboxed_engine.open(key="tests", inputs=None) as opened:
        yield opened


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs of a set"
    (folder / "more").mkdir(parents=True)
    (folder / "trips.csv").write_text("city,fare\nOslo,3\nRoma,4\n", encoding="utf-8")
    (folder / "more" / "naïve.txt").write_text("deep", encoding="utf-8")
    return folder


@pytest.fixture
def read() -> Reader:
    """Decode what a cell left behind, as the comparator does."""

    def decode(outcome: Outcome) -> DecodedOutcome:
        capture = outcome.capture
        evidence = {"ending": outcome.ending.value, "source": outcome.source, "names": list(capture.names)}
        return decode_payload(outcome.payload, {**evidence, "figures": capture.figures, "files": list(capture.files)})

    return decode
