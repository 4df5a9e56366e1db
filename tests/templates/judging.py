"""Judges answers to the problems of a draft, independently of the session that drafted them."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evaluator.language import (
    Problem,
    Problemset,
    SetupCell,
    parse_problemset,
    resolve_validators,
    wanted_names,
    wants_figures,
)
from evaluator.scoring import Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, record_probes


def parsed(text: str) -> Problemset:
    """Return the problemset of a draft, which must have no diagnostic."""
    found = parse_problemset(text, name="draft")
    assert found.diagnostics == ()
    assert found.problemset is not None
    return found.problemset


def judged(
    engine: Engine, inputs: Path, problemset: Problemset, answers: Callable[[Problem], Sequence[str]]
) -> Iterator[tuple[Problem, str, Verdict]]:
    """Yield the verdict on each answer to each problem, the reference having been executed before."""
    with engine.open(key=problemset.name, inputs=inputs) as session:
        for cell in problemset.cells:
            if isinstance(cell, SetupCell):
                session.execute(cell.source)
                continue
            limits = CellLimits(wall_s=60)  # test machines are busy
            probes = record_probes(session, cell, limits)
            validators = resolve_validators(cell)
            names, figures = wanted_names(validators), wants_figures(validators)
            capture = CaptureSpec(names=names, infer=True, probes=probes, figures=figures)
            submissions = [(code, session.attempt(code, capture=capture, limits=limits)) for code in answers(cell)]
            reference = session.execute(cell.code, capture=capture, limits=limits)
            for code, submission in submissions:
                yield cell, code, judge_submission(engine, reference, submission, cell).verdict
