"""Real code, real sessions: each submission of `tests/submissions` is judged as its heading says, on both engines."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from evaluator.inside.codec.codec import pack, unpack
from evaluator.inside.export.payload import payload_parts
from evaluator.language import Problem, SetupCell, resolve_validators, wanted_names
from evaluator.scoring import Judged, Subverdict, Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, Isolation, Outcome, SessionLost, record_probes
from tests.scoring.submissions import SUBMISSIONS, Submission, spread

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

PROBED = {Verdict.UNIT_TEST_FAILURE, Verdict.BAD_MODEL}
CHOSEN = spread(60)
SHOWN = {
    (each.setup, each.reference): {one.verdict for one in CHOSEN if one.reference == each.reference} for each in CHOSEN
}
ON_JUPYTER = list(  # of every other verdict one, to few references: each is executed anew in a kernel
    {each.verdict: each for each in sorted(CHOSEN, key=lambda each: len(SHOWN[each.setup, each.reference]))}.values()
)[::2]
PATIENT_S = 60.0


class Judgement(NamedTuple):
    """What became of a submission."""

    outcome: Outcome
    sound: Judged
    published: Judged
    reference: Judged  # the reference, judged against itself
    empty: Judged | None  # an empty submission, where probes ask for functions and models

    def facts(self) -> tuple[Any, ...]:
        """Return what must be equal on both engines."""
        outcome = self.outcome
        answers = [(each.ending, hashlib.sha256(each.data or b"").hexdigest()) for each in outcome.answers]
        return outcome.ending, outcome.limits_hit, shown(self.sound), shown(self.published), values_of(outcome), answers


def shown(judged: Judged) -> str:
    return f"{judged.verdict}/{judged.subverdict}"


def judge_all(engine: Engine, submissions: Sequence[Submission], isolation: Isolation) -> dict[str, Judgement]:
    """Judge submissions, by their labels; those to the same reference share a session."""
    groups: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for submission in submissions:
        groups[submission.setup, submission.reference].append(submission)
    found: dict[str, Judgement] = {}
    for group in groups.values():
        try:
            found |= judge_group(engine, group, isolation)
        except SessionLost:  # what the machine spoils before a cell could run is repeated once, as in a run
            found |= judge_group(engine, group, isolation)
    assert {each.outcome.engine for each in found.values()} == {isolation.value}
    return found


def judge_group(engine: Engine, group: Sequence[Submission], isolation: Isolation) -> dict[str, Judgement]:
    """Run all submissions that start from a state, then the reference."""
    setup, problem = group[0].problemset.cells
    assert isinstance(setup, SetupCell)
    assert isinstance(problem, Problem)
    names, execution = wanted_names(resolve_validators(problem)), problem.execution
    wall_s = problem.time_limit_s if problem.time_limit_s < 1 else PATIENT_S  # a busy machine changes no verdict here
    limits = CellLimits(wall_s, execution.max_memory_mb, execution.forbid_names)
    with engine.open(key="corpus", inputs=None, isolation=isolation) as session:
        session.execute(setup.source)
        probes = record_probes(session, problem, limits)
        capture = CaptureSpec(names=names, infer=True, probes=probes)
        outcomes = [session.attempt(each.source, capture=capture, limits=limits) for each in group]
        is_probed = any(each.verdict in PROBED for each in group)
        nothing = session.attempt("", capture=capture, limits=limits) if is_probed else None
        reference = session.execute(problem.code, capture=CaptureSpec(names=names, probes=probes))

    def judged(outcome: Outcome, rules: str = "sound") -> Judged:
        return judge_submission(engine, reference, outcome, problem, rules=rules)

    own, empty = judged(reference), judged(nothing) if nothing else None
    return {
        each.label: Judgement(outcome, judged(outcome), judged(outcome, "published"), own, empty)
        for each, outcome in zip(group, outcomes, strict=True)
    }


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


def require_expected(found: dict[str, Judgement], submissions: Sequence[Submission]) -> None:
    assert len(found) == len(submissions)
    wrong = []
    for each in submissions:
        judgement = found[each.label]
        if (shown(judgement.sound), shown(judgement.published)) != (each.expected, each.published):
            wrong.append((each.label, judgement.sound, judgement.published, judgement.outcome.limits_hit))
        if each.verdict is not Verdict.NOT_JUDGED:
            assert judgement.reference.verdict is Verdict.CORRECT, (each.label, judgement.reference)
        if each.verdict in PROBED:  # an empty submission passes no test of functions and models
            assert judgement.empty is not None
            assert judgement.empty.verdict in PROBED, (each.label, judgement.empty)
    assert wrong == []


@pytest.fixture(scope="module")
def forked(engine: Engine) -> dict[str, Judgement]:
    return judge_all(engine, CHOSEN, Isolation.FORK)


@pytest.mark.takes_processes
def test_chosen_submissions_are_judged_as_their_headings_say(forked: dict[str, Judgement]) -> None:
    assert len({each.expected for each in CHOSEN}) >= 44
    require_expected(forked, CHOSEN)


@pytest.mark.takes_processes
def test_submissions_of_other_verdicts_are_judged_alike_on_jupyter(
    engine: Engine, forked: dict[str, Judgement]
) -> None:
    assert len(ON_JUPYTER) == len(Verdict) // 2
    replayed = judge_all(engine, ON_JUPYTER, Isolation.REPLAY)
    require_expected(replayed, ON_JUPYTER)
    assert [label for label in replayed if forked[label].facts() != replayed[label].facts()] == []


@pytest.mark.deep
@pytest.mark.corpus
@pytest.mark.takes_processes
def test_every_submission_is_judged_as_its_heading_says_on_both_engines(engine: Engine) -> None:
    forked, replayed = (judge_all(engine, SUBMISSIONS, isolation) for isolation in (Isolation.FORK, Isolation.REPLAY))
    require_expected(forked, SUBMISSIONS)
    require_expected(replayed, SUBMISSIONS)
    assert [label for label in forked if forked[label].facts() != replayed[label].facts()] == []


def test_the_corpus_shows_every_verdict_and_subverdict_at_least_five_times() -> None:
    judged = [each for each in SUBMISSIONS if each.verdict is not Verdict.NOT_JUDGED]
    assert len(judged) >= 363
    assert len({each.label for each in SUBMISSIONS}) == len(SUBMISSIONS)
    pairs = Counter(each.expected for each in judged)
    assert {pair: count for pair, count in pairs.items() if count < 5} == {}
    assert {pair.partition("/")[0] for pair in pairs} == set(Verdict) - {Verdict.NOT_JUDGED}
    subverdicts = {pair.partition("/")[2] for pair in pairs}
    assert subverdicts == set(Subverdict) - {Subverdict.PARTIAL_MATCH}  # which the published rules alone give
    published = Counter(each.published for each in judged)
    assert published[f"{Verdict.PRESENTATION_ERROR}/{Subverdict.PARTIAL_MATCH}"] >= 5
