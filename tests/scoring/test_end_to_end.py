"""Real code, real sessions: `tests/submissions/<verdict>/<subverdict>/<why>.py` are judged as their folder says.

A file holds a setup cell, the reference with its configuration, and the submission. A first line
`# published: VERDICT/SUBVERDICT` says what the published rules make of it where that differs.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from evaluator.language import Problem, SetupCell, parse_problemset, resolve_validators, wanted_names
from evaluator.scoring import Judged, Subverdict, Verdict, judge_submission
from evaluator.session import CellLimits, Engine, Outcome, SandboxChoice, Wants, probe_sandbox, record_probes

pytestmark = pytest.mark.kernel

CORPUS = Path(__file__).parents[1] / "submissions"
FILES = sorted(CORPUS.glob("*/*/*.py"))
PROBED = {Verdict.UNIT_TEST_FAILURE, Verdict.BAD_MODEL}


class Case(NamedTuple):
    setup: str
    problem: Problem
    submission: str
    published: str  # verdict/subverdict


def read_case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    head, setup, reference, submission = re.split(r"^# %% (?:setup|reference|submission)\n", text, flags=re.MULTILINE)
    parsed = parse_problemset(f"# %%\n{setup}\n# %%\n{reference}", name=path.stem)
    assert parsed.problemset is not None, parsed.diagnostics
    first, problem = parsed.problemset.cells
    assert isinstance(first, SetupCell)
    assert isinstance(problem, Problem)
    expected = "/".join(path.parts[-3:-1])
    return Case(first.source, problem, submission, head.removeprefix("# published:").strip() or expected)


def label(path: Path) -> str:
    return "/".join(path.with_suffix("").parts[-3:])


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True, preload=("sklearn.linear_model",)) as started:
        yield started


def run_case(engine: Engine, case: Case) -> tuple[Outcome, Outcome]:
    """Return reference and submission."""
    problem = case.problem
    validators = resolve_validators(problem)
    names = wanted_names(validators)
    execution = problem.execution
    wall_s = execution.max_time_s if execution.max_time_s < 1 else 20.0  # a busy machine changes no verdict here
    limits = CellLimits(wall_s, execution.max_memory_mb, execution.forbid_names)
    with engine.open(key="corpus", inputs=None) as session:
        session.execute(case.setup)
        probes = record_probes(session, problem, limits)
        wants = Wants(names=names, infer=True, probes=probes)
        submission = session.attempt(case.submission, wants=wants, limits=limits)
        reference = session.execute(problem.code, wants=Wants(names=names, probes=probes))
    return reference, submission


def shown(judged: Judged) -> str:
    return f"{judged.verdict}/{judged.subverdict}"


@pytest.mark.parametrize("path", FILES, ids=label)
def test_a_submission_is_judged_as_its_folder_says(engine: Engine, path: Path) -> None:
    case = read_case(path)
    reference, submission = run_case(engine, case)
    judged = judge_submission(engine, reference, submission, case.problem, rules="sound")
    assert shown(judged) == "/".join(path.parts[-3:-1]), (judged, submission.ending, submission.limits_hit)
    published = judge_submission(engine, reference, submission, case.problem, rules="published")
    assert shown(published) == case.published, published
    if judged.verdict is not Verdict.NOT_JUDGED:
        own = judge_submission(engine, reference, reference, case.problem, rules="sound")
        assert own.verdict is Verdict.CORRECT, own


@pytest.mark.parametrize("path", [file for file in FILES if file.parts[-3] in PROBED], ids=label)
def test_an_empty_submission_passes_no_test_of_functions_and_models(engine: Engine, path: Path) -> None:
    case = read_case(path)._replace(submission="")
    judged = judge_submission(engine, *run_case(engine, case), case.problem)
    assert judged.verdict in PROBED, judged


def test_the_corpus_shows_every_verdict_and_subverdict_at_least_five_times() -> None:
    judged = [path for path in FILES if path.parts[-3] != Verdict.NOT_JUDGED]
    assert len(judged) >= 300
    verdicts, subverdicts = Counter(path.parts[-3] for path in judged), Counter(path.parts[-2] for path in judged)
    assert set(verdicts) == set(Verdict) - {Verdict.NOT_JUDGED}
    assert set(subverdicts) == set(Subverdict)
    pairs = Counter(path.parts[-3:-1] for path in judged)
    assert {pair: count for pair, count in pairs.items() if count < 5} == {}
