"""Real code, real sessions: `tests/submissions/<verdict>/<subverdict>/<why>.py` are judged as their folder says.

A file holds a setup cell, the reference with its configuration, and the submission. A first line
`# published: VERDICT/SUBVERDICT` says what the published rules make of it where that differs. Files with the same
setup and reference share a session. All of them run on both engines: a difference is a failing test.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluator.inside.codec.codec import pack, unpack
from evaluator.inside.export.payload import payload_parts
from evaluator.language import Problem, SetupCell, parse_problemset, resolve_validators, wanted_names
from evaluator.scoring import Judged, Subverdict, Verdict, judge_submission
from evaluator.session import (
    KERNEL_MODULE,
    CaptureSpec,
    CellLimits,
    Engine,
    Isolation,
    Outcome,
    SandboxChoice,
    Session,
    SessionLost,
    probe_sandbox,
    record_probes,
)

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

CORPUS = Path(__file__).parents[1] / "submissions"
FILES = sorted(CORPUS.glob("*/*/*.py"))
PROBED = {Verdict.UNIT_TEST_FAILURE, Verdict.BAD_MODEL}
AT_ONCE = 2
PATIENT_S = 60.0


class Case(NamedTuple):
    setup: str
    problem: Problem
    submission: str
    published: str  # verdict/subverdict
    shared: str  # the text that files of one session have in common


class Ran(NamedTuple):
    """What all files with one setup and reference left behind."""

    reference: Outcome
    outcomes: dict[Path, Outcome]
    empty: Outcome | None  # of an empty submission, where probes ask for functions and models


class Facts(NamedTuple):
    """What must be equal of one submission on both engines."""

    ending: str
    limits_hit: tuple[str, ...]
    verdict: str
    subverdict: str
    values: str  # fingerprint of everything that its claim holds and a validator may judge
    answers: tuple[tuple[str, str], ...]  # of its probes: ending and fingerprint


@cache
def read_case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    head, setup, reference, submission = re.split(r"^# %% (?:setup|reference|submission)\n", text, flags=re.MULTILINE)
    parsed = parse_problemset(f"# %%\n{setup}\n# %%\n{reference}", name=path.stem)
    assert parsed.problemset is not None, parsed.diagnostics
    first, problem = parsed.problemset.cells
    assert isinstance(first, SetupCell)
    assert isinstance(problem, Problem)
    expected = "/".join(path.parts[-3:-1])
    published = head.removeprefix("# published:").strip() or expected
    return Case(first.source, problem, submission, published, setup + reference)


@cache
def groups() -> dict[str, list[Path]]:
    """Return the files by the text before their submission: those with the same state and reference together."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in FILES:
        found[read_case(path).shared].append(path)
    return found


def label(path: Path) -> str:
    return "/".join(path.with_suffix("").parts[-3:])


def is_beside_a_fork_bomb(path: Path) -> bool:
    """Return whether a submission is run together with one that takes all processes of the user."""
    return any("PROCESS_LIMIT" in each.parts for each in groups()[read_case(path).shared])


def marked(path: Path) -> Any:
    """Return a file of the corpus as a parameter of a test."""
    marks = [pytest.mark.takes_processes] if is_beside_a_fork_bomb(path) else []
    return pytest.param(path, id=label(path), marks=marks)


class Corpus:
    """Runs each group of files once per engine, when the first test asks for one of them."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.ran = cache(self._ran)
        self.judged = cache(self._judged)
        self.own = cache(self._own)

    def _ran(self, shared: str, isolation: Isolation) -> Ran:
        """Run a group; what the machine spoils before a cell could run is repeated once, as in a run."""
        try:
            return self._run_once(groups()[shared], isolation)
        except SessionLost:
            return self._run_once(groups()[shared], isolation)

    def _run_once(self, paths: list[Path], isolation: Isolation) -> Ran:
        with self.engine.open(key="corpus", inputs=None, isolation=isolation) as session:
            session.execute(read_case(paths[0]).setup)
            ran = run_all(session, paths)
        assert {outcome.engine for outcome in ran.outcomes.values()} == {isolation.value}
        return ran

    def _judged(self, path: Path, isolation: Isolation) -> Judged:
        case = read_case(path)
        ran = self.ran(case.shared, isolation)
        return judge_submission(self.engine, ran.reference, ran.outcomes[path], case.problem, rules="sound")

    def _own(self, shared: str) -> Judged:
        """Judge a reference against itself."""
        reference = self.ran(shared, Isolation.FORK).reference
        return judge_submission(
            self.engine, reference, reference, read_case(groups()[shared][0]).problem, rules="sound"
        )

    def facts(self, path: Path, isolation: Isolation) -> Facts:
        outcome = self.ran(read_case(path).shared, isolation).outcomes[path]
        judged = self.judged(path, isolation)
        answers = tuple((each.ending.value, hashlib.sha256(each.data or b"").hexdigest()) for each in outcome.answers)
        said = (judged.verdict.value, judged.subverdict.value)
        return Facts(outcome.ending.value, outcome.limits_hit, *said, values_of(outcome), answers)


def run_all(session: Session, paths: list[Path]) -> Ran:
    """Run all submissions that start from a state, then the reference."""
    problem = read_case(paths[0]).problem
    names = wanted_names(resolve_validators(problem))
    execution = problem.execution
    wall_s = problem.time_limit_s if problem.time_limit_s < 1 else PATIENT_S  # a busy machine changes no verdict here
    limits = CellLimits(wall_s, execution.max_memory_mb, execution.forbid_names)
    probes = record_probes(session, problem, limits)
    capture = CaptureSpec(names=names, infer=True, probes=probes)
    outcomes = {path: session.attempt(read_case(path).submission, capture=capture, limits=limits) for path in paths}
    is_probed = any(path.parts[-3] in PROBED for path in paths)
    empty = session.attempt("", capture=capture, limits=limits) if is_probed else None
    return Ran(session.execute(problem.code, capture=CaptureSpec(names=names, probes=probes)), outcomes, empty)


def values_of(outcome: Outcome) -> str:
    """Return a fingerprint of a claim without its traceback, which names files and lines."""
    if outcome.payload is None:
        return ""
    first, *later = payload_parts(outcome.payload)
    tree, buffers = unpack(first)
    if tree["error"] is not None:
        tree["error"]["traceback"] = ""
    digest = hashlib.sha256(pack(tree, list(map(bytes, buffers))))
    for part in later:
        if unpack(part)[0]["inferred"] is not None:  # a kernel tells it before the probes, a trial after them
            digest.update(part)
    return digest.hexdigest()


@pytest.fixture(scope="module")
def corpus() -> Iterator[Corpus]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(
        sandbox=choice, trusted=True, comparators=AT_ONCE, preload=(KERNEL_MODULE, "sklearn.linear_model")
    ) as started:
        yield Corpus(started)


def shown(judged: Judged) -> str:
    return f"{judged.verdict}/{judged.subverdict}"


@pytest.mark.parametrize("path", [marked(file) for file in FILES])
def test_a_submission_is_judged_as_its_folder_says(corpus: Corpus, path: Path) -> None:
    case = read_case(path)
    ran, judged = corpus.ran(case.shared, Isolation.FORK), corpus.judged(path, Isolation.FORK)
    submission = ran.outcomes[path]
    assert shown(judged) == "/".join(path.parts[-3:-1]), (judged, submission.ending, submission.limits_hit)
    published = judge_submission(corpus.engine, ran.reference, submission, case.problem, rules="published")
    assert shown(published) == case.published, published
    if judged.verdict is not Verdict.NOT_JUDGED:
        assert corpus.own(case.shared).verdict is Verdict.CORRECT, corpus.own(case.shared)


@pytest.mark.parametrize("path", [marked(file) for file in FILES if file.parts[-3] in PROBED])
def test_an_empty_submission_passes_no_test_of_functions_and_models(corpus: Corpus, path: Path) -> None:
    case = read_case(path)
    ran = corpus.ran(case.shared, Isolation.FORK)
    assert ran.empty is not None
    judged = judge_submission(corpus.engine, ran.reference, ran.empty, case.problem)
    assert judged.verdict in PROBED, judged


@pytest.mark.takes_processes
def test_both_engines_judge_every_submission_of_the_corpus_alike(corpus: Corpus) -> None:
    def both(shared: str) -> list[tuple[str, Facts, Facts]]:
        return [
            (label(path), corpus.facts(path, Isolation.FORK), corpus.facts(path, Isolation.REPLAY))
            for path in groups()[shared]
        ]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        compared = [row for rows in pool.map(both, groups()) for row in rows]
    assert len(compared) >= 300
    assert [row for row in compared if row[1] != row[2]] == []


def test_the_corpus_shows_every_verdict_and_subverdict_at_least_five_times() -> None:
    judged = [path for path in FILES if path.parts[-3] != Verdict.NOT_JUDGED]
    assert len(judged) >= 300
    verdicts, subverdicts = Counter(path.parts[-3] for path in judged), Counter(path.parts[-2] for path in judged)
    assert set(verdicts) == set(Verdict) - {Verdict.NOT_JUDGED}
    assert set(subverdicts) == set(Subverdict) - {Subverdict.PARTIAL_MATCH}  # which the published rules alone give
    pairs = Counter(path.parts[-3:-1] for path in judged)
    assert {pair: count for pair, count in pairs.items() if count < 5} == {}
    published = Counter(read_case(path).published for path in judged)
    assert published[f"{Verdict.PRESENTATION_ERROR}/{Subverdict.PARTIAL_MATCH}"] >= 5
