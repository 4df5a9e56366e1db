"""Runs attacks on the real engine and says what held: the invariants of docs/attacks.md, one method each."""

import contextlib
import gc
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from evaluator.errors import ToolkitError
from evaluator.inside.processes import children_of
from evaluator.language import Problem, resolve_validators, wanted_names
from evaluator.scoring import Judged, Verdict, judge_submission
from evaluator.session import (
    CellLimits,
    Ending,
    Engine,
    Outcome,
    SandboxChoice,
    Session,
    Wants,
    probe_sandbox,
    record_probes,
)
from tests.attacks.catalogue import Attack
from tests.attacks.inspection import Outside, differences, look_inside, settled
from tests.attacks.problems import PROBLEMS, STATE, Target

PRELOAD: Final = ("matplotlib.pyplot", "sklearn.linear_model")
_GRACE_S: Final = 15.0  # past its limit: the process ends, is collected, and the machine may be busy meanwhile
_PATIENT_S: Final = 60.0


def backends() -> tuple[str, ...]:
    """Return the sandboxes that are to be had here; running without one is none."""
    report = probe_sandbox()
    return (report.backend,) if report.available else ()


@dataclass
class Fought:
    """How one attack went."""

    attack: Attack
    endings: list[str] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    limits_hit: set[str] = field(default_factory=set)
    seconds: float = 0.0  # the longest trial, ours included
    faults: list[str] = field(default_factory=list)  # what did not hold; empty: contained


@dataclass
class _Ground:
    """A session in which one problem is attacked."""

    session: Session
    target: Target
    problem: Problem
    wants: Wants
    reference: Outcome
    inside: dict[str, Any]

    def attempt(self, source: str, limits: CellLimits) -> Outcome:
        return self.session.attempt(source, wants=self.wants, limits=limits)


class Arena:
    """One engine, and one session for each problem under attack. Use it as a context manager."""

    def __init__(self, backend: str, inputs: Path) -> None:
        self.backend = backend
        self._inputs = inputs
        (inputs / "data.csv").write_text("city,fare\nOslo,3\nRoma,4\n", encoding="utf-8")
        self._beside = children_of(os.getpid())
        self.engine = Engine(sandbox=SandboxChoice(backend), rng_seed=7, preload=PRELOAD)
        self._grounds: dict[str, _Ground] = {}

    def __enter__(self) -> "Arena":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in list(self._grounds):
            self._leave(name)
        self.engine.close()

    def fight(self, attack: Attack) -> Fought:
        """Run an attack and return what held."""
        expected = attack.under(self.backend)
        fought = Fought(expected)
        try:
            ground = self._ground(expected.problem)
            self._fight(ground, expected, fought)
        except ToolkitError as error:
            fought.faults.append(f"the engine failed: {error.what}")
        if fought.faults:
            self._leave(expected.problem)
        return fought

    def _fight(self, ground: _Ground, attack: Attack, fought: Fought) -> None:
        template = self.engine._template
        before = Outside.now(ground.session, template, self._beside)
        for source, right in _submissions(attack, ground.target):
            self._submit(ground, source, right, fought)
        if template is not self.engine._template:
            fought.faults.append("the template was replaced")
        fought.faults += differences(ground.inside, look_inside(ground.session, STATE))
        fought.faults += self._still_judges(ground)
        gc.collect()
        fought.faults += settled(before, ground.session, template, self._beside)
        if list(self._inputs.rglob("*")) != [self._inputs / "data.csv"]:
            fought.faults.append("the inputs folder was changed")

    def _submit(self, ground: _Ground, source: str, right: bool | None, fought: Fought) -> None:
        """Submit one cell; `right`: whether it must be judged as right, None: it earns nothing."""
        attack = fought.attack
        started = time.monotonic()
        outcome = ground.attempt(source, CellLimits(attack.limit_s, attack.memory_mb))
        seconds = time.monotonic() - started
        judged = judge_submission(self.engine, ground.reference, outcome, ground.problem)
        fought.seconds = max(fought.seconds, seconds)
        fought.endings.append(outcome.ending.value)
        fought.verdicts.append(judged.verdict.value)
        fought.limits_hit.update(outcome.limits_hit)
        if outcome.ending not in attack.ending:
            said = f" ({outcome.error.name}: {outcome.error.message[:300]})" if outcome.error else ""
            fought.faults.append(f"it ended as {outcome.ending.value}{said}")
        if seconds > attack.limit_s + _GRACE_S:
            fought.faults.append(f"it took {seconds:.1f} s at a limit of {attack.limit_s:g} s")
        fought.faults += _wrong_credit(judged, attack, right)
        fought.faults += _unwritable(outcome, judged)

    def _still_judges(self, ground: _Ground) -> Iterator[str]:
        """The next right submission of the same session is judged as right, the next wrong one as wrong."""
        for source, is_right in ((ground.target.right, True), (ground.target.wrong, False)):
            outcome = ground.attempt(source, CellLimits(_PATIENT_S))
            judged = judge_submission(self.engine, ground.reference, outcome, ground.problem)
            if judged.verdict is Verdict.NOT_JUDGED or (judged.verdict is Verdict.CORRECT) is not is_right:
                yield f"afterwards a {'right' if is_right else 'wrong'} answer was {judged.verdict}: {judged.reason}"

    def _ground(self, name: str) -> _Ground:
        if name not in self._grounds:
            self._grounds[name] = self._prepare(name)
        return self._grounds[name]

    def _prepare(self, name: str) -> _Ground:
        """Open a session in the state that the problem starts from; the reference runs in a trial of its own."""
        target = PROBLEMS[name]
        problem = target.problem(name)
        validators = resolve_validators(problem)
        limits = CellLimits(_PATIENT_S)
        session = self.engine.open(key=name, inputs=self._inputs)
        assert session.execute(target.setup).ending is Ending.OK
        probes = record_probes(session, problem, limits)
        names = wanted_names(validators)
        wants = Wants(names=names, infer=True, probes=probes, figures=target.figures, files=target.files)
        reference = session.attempt(problem.code, wants=wants, limits=limits)
        ground = _Ground(session, target, problem, wants, reference, look_inside(session, STATE))
        assert list(self._still_judges(ground)) == []
        return ground

    def _leave(self, name: str) -> None:
        ground = self._grounds.pop(name, None)
        if ground is not None:
            with contextlib.suppress(ToolkitError):
                ground.session.close()


def _submissions(attack: Attack, target: Target) -> Iterator[tuple[str, bool | None]]:
    for cell in attack.cells:
        if attack.credit == "none":
            yield cell, None
        else:
            yield f"{cell}\n{target.right}", True
            yield f"{cell}\n{target.wrong}", False


def _wrong_credit(judged: Judged, attack: Attack, right: bool | None) -> Iterator[str]:
    if judged.verdict is Verdict.NOT_JUDGED:
        yield f"it was not judged: {judged.reason}"
    elif right and judged.verdict is not attack.right:
        yield f"with the right answer it was {judged.verdict}: {judged.reason}"
    elif not right and judged.verdict is Verdict.CORRECT:
        yield "it was judged as correct"


def _unwritable(outcome: Outcome, judged: Judged) -> Iterator[str]:
    """What is kept of it can be written as one line of UTF-8, without a raw control character."""
    try:
        for part in (outcome.to_json(), judged.reason, judged.validation):
            json.dumps(part, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        yield f"its record cannot be written: {error}"
