"""Forked and replayed sessions give the same endings, verdicts and judged values. A difference is a failing test."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluator.agents import EmptyAgent, OracleAgent
from evaluator.inside.codec import pack, unpack
from evaluator.language import Problem, SetupCell, parse_problemset, read_benchmark, resolve_validators, wanted_names
from evaluator.running import score_problemset
from evaluator.scoring import judge_submission
from evaluator.session import (
    KERNEL_MODULE,
    CellLimits,
    Engine,
    Isolation,
    Outcome,
    SandboxChoice,
    Session,
    SessionLost,
    Wants,
    probe_sandbox,
    record_probes,
)

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "submissions"
CORE = ROOT / "problemsets" / "core"
AT_ONCE = 2
PATIENT_S = 20.0


class Facts(NamedTuple):
    """What must be equal of one submission."""

    ending: str
    limits_hit: tuple[str, ...]
    verdict: str
    subverdict: str
    values: str  # fingerprint of everything that its claim holds and a validator may judge
    answers: tuple[tuple[str, str], ...]  # of its probes: ending and fingerprint


class Told(NamedTuple):
    """One file of the corpus."""

    path: Path
    setup: str
    problem: Problem
    submission: str


def read_corpus() -> dict[str, list[Told]]:
    """Return the files by the text before their submission: those with the same state and reference together."""
    groups: dict[str, list[Told]] = defaultdict(list)
    for path in sorted(CORPUS.glob("*/*/*.py")):
        text = path.read_text(encoding="utf-8")
        _, setup, reference, submission = re.split(r"^# %% (?:setup|reference|submission)\n", text, flags=re.MULTILINE)
        parsed = parse_problemset(f"# %%\n{setup}\n# %%\n{reference}", name=path.stem).problemset
        assert parsed is not None, path
        first, problem = parsed.cells
        assert isinstance(first, SetupCell)
        assert isinstance(problem, Problem)
        groups[setup + reference].append(Told(path, first.source, problem, submission))
    return groups


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(
        sandbox=choice, trusted=True, comparators=AT_ONCE, preload=(KERNEL_MODULE, "sklearn.linear_model")
    ) as started:
        yield started


def values_of(outcome: Outcome) -> str:
    """Return a fingerprint of a claim without its traceback, which names files and lines."""
    if outcome.claim is None:
        return ""
    tree, buffers = unpack(outcome.claim)
    if tree["error"] is not None:
        tree["error"]["traceback"] = ""
    return hashlib.sha256(pack(tree, list(map(bytes, buffers)))).hexdigest()


def facts_of(engine: Engine, told: Told, reference: Outcome, outcome: Outcome) -> Facts:
    judged = judge_submission(engine, reference, outcome, told.problem)
    answers = tuple((each.ending.value, hashlib.sha256(each.data or b"").hexdigest()) for each in outcome.answers)
    said = (judged.verdict.value, judged.subverdict.value)
    return Facts(outcome.ending.value, outcome.limits_hit, *said, values_of(outcome), answers)


def run_group(engine: Engine, group: Sequence[Told], isolation: Isolation) -> list[Facts]:
    """Run a group; what the machine spoils before a cell could run is repeated once, as in a run."""
    try:
        return run_group_once(engine, group, isolation)
    except SessionLost:
        return run_group_once(engine, group, isolation)


def run_group_once(engine: Engine, group: Sequence[Told], isolation: Isolation) -> list[Facts]:
    """Run one state, all submissions that start from it, and the reference."""
    with engine.open(key="corpus", inputs=None, isolation=isolation) as session:
        session.execute(group[0].setup)
        outcomes, reference = attempt_all(session, group)
    assert {outcome.engine for outcome in outcomes} == {isolation.value}
    return [facts_of(engine, told, reference, outcome) for told, outcome in zip(group, outcomes, strict=True)]


def attempt_all(session: Session, group: Sequence[Told]) -> tuple[list[Outcome], Outcome]:
    problem = group[0].problem
    names = wanted_names(resolve_validators(problem))
    execution = problem.execution
    wall_s = execution.max_time_s if execution.max_time_s < 1 else PATIENT_S  # a busy machine changes no verdict here
    limits = CellLimits(wall_s, execution.max_memory_mb, execution.forbid_names)
    probes = record_probes(session, problem, limits)
    wants = Wants(names=names, infer=True, probes=probes)
    outcomes = [session.attempt(told.submission, wants=wants, limits=limits) for told in group]
    return outcomes, session.execute(problem.code, wants=Wants(names=names, probes=probes))


def test_both_engines_judge_every_submission_of_the_corpus_alike(engine: Engine) -> None:
    def both(group: list[Told]) -> list[tuple[str, Facts, Facts]]:
        forked, replayed = (run_group(engine, group, isolation) for isolation in Isolation)
        names = [str(told.path.relative_to(CORPUS)) for told in group]
        return list(zip(names, forked, replayed, strict=True))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        compared = [row for rows in pool.map(both, read_corpus().values()) for row in rows]
    assert len(compared) >= 300
    assert [row for row in compared if row[1] != row[2]] == []


def test_both_engines_judge_the_shipped_benchmark_alike(engine: Engine) -> None:
    def both(loaded: Any) -> list[list[tuple[str, ...]]]:
        return [scores_of(engine, loaded, isolation) for isolation in Isolation]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        compared = list(pool.map(both, read_benchmark(CORE).sets))
    assert sum(len(forked) for forked, _ in compared) >= 80
    assert [pair for pair in compared if pair[0] != pair[1]] == []


class _Bound:
    """The engine with one isolation, whatever a problemset would choose."""

    def __init__(self, engine: Engine, isolation: Isolation) -> None:
        self._engine = engine
        self.isolation = isolation

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def open(self, **options: Any) -> Session:
        return self._engine.open(**{**options, "isolation": self.isolation})


def scores_of(engine: Engine, loaded: Any, isolation: Isolation) -> list[tuple[str, ...]]:
    """Return name and facts of what the oracle and the empty agent get, problem by problem."""
    found: list[tuple[str, ...]] = []
    bound: Any = _Bound(engine, isolation)

    def keep(scored: Any) -> None:
        for each in scored.attempts:
            assert each.outcome.engine == isolation.value
            said = (each.outcome.ending.value, each.judged.verdict.value, each.judged.subverdict.value)
            found.append((scored.problem_id, each.agent, *said, values_of(each.outcome)))

    assert score_problemset(bound, loaded, (OracleAgent(), EmptyAgent()), on_scored=keep) == ()
    return found
