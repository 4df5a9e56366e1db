"""Runs attacks on the real engine and says what held: the invariants of docs/attacks.md, one method each."""

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from evaluator.errors import ToolkitError
from evaluator.inside.isolation.processes import children_of
from evaluator.language import Problem, resolve_validators, wanted_names, withheld_names
from evaluator.running.execution.agent_session import life_of
from evaluator.running.execution.persistent_state import ExecutedStep, PersistentState
from evaluator.scoring import Judged, Verdict, judge_submission
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    Engine,
    Isolation,
    Outcome,
    SandboxChoice,
    Session,
    record_probes,
)
from tests.attacks.catalogue import Attack
from tests.attacks.grounds import Ground, Policy
from tests.attacks.inspection import Outside, differences, look_inside, settled
from tests.attacks.problems import NEXT, PROBLEMS, STATE, Target

PRELOAD: Final = ("matplotlib.pyplot", "sklearn.linear_model")
_GRACE_S: Final = 40.0  # past its limit: the process ends, is collected, and the machine may be busy meanwhile
_PATIENT_S: Final = 60.0
_IMPATIENT_S: Final = 2.0  # for cells on a state that an attack has left


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
class _Asked:
    """A problem, and what its reference left."""

    target: Target
    problem: Problem
    capture: CaptureSpec
    reference: Outcome

    def limits(self, wall_s: float, memory_mb: float | None = None) -> CellLimits:
        """Return the limits of a submission: forbidden names are hidden, and withheld, as in a run."""
        hidden, withheld = self.problem.execution.forbid_names, withheld_names(self.problem)
        return CellLimits(wall_s, memory_mb, forbid_names=hidden, withheld_names=withheld)


@dataclass
class _Scene:
    """A session in which one problem is attacked."""

    session: Session
    asked: _Asked
    following: _Asked | None  # the problem after it, where the state lives on
    inside: dict[str, Any]


class Arena:
    """One engine, and one session for each problem under attack. Use it as a context manager."""

    def __init__(self, backend: str, engine: Isolation, inputs: Path) -> None:
        self._inputs = inputs
        (inputs / "data.csv").write_text("city,fare\nOslo,3\nRoma,4\n", encoding="utf-8")
        self._beside = children_of(os.getpid())
        self.engine = Engine(sandbox=SandboxChoice(backend), rng_seed=7, preload=PRELOAD, isolation=engine)
        self._scenes: dict[str, _Scene] = {}

    def __enter__(self) -> "Arena":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in list(self._scenes):
            self._leave(name)
        self.engine.close()

    def fight(self, attack: Attack, ground: Ground) -> Fought:
        """Run an attack on a ground of this arena's backend and engine, and return what held."""
        assert (ground.backend, ground.engine) == (self.engine.sandbox_name, self.engine.isolation)
        expected = attack.on(ground)
        fought = Fought(expected)
        try:
            self._fight(self._scene(expected.problem), ground.policy, fought)
        except ToolkitError as error:
            fought.faults.append(f"the engine failed: {error.what}")
        if fought.faults:
            self._leave(expected.problem)
        return fought

    def _fight(self, scene: _Scene, policy: Policy, fought: Fought) -> None:
        template = self.engine._template
        before = Outside.now(scene.session, template, self._beside)
        for source, right in _submissions(fought.attack, scene.asked.target):
            self._submit(scene, policy, source, right, fought)
        if template is not self.engine._template:
            fought.faults.append("the template was replaced")
        fought.faults += differences(scene.inside, self._look(scene.session))
        fought.faults += self._still_judges(scene)
        fought.faults += settled(before, scene.session, template, self._beside)
        if list(self._inputs.rglob("*")) != [self._inputs / "data.csv"]:
            fought.faults.append("the inputs folder was changed")

    def _submit(self, scene: _Scene, policy: Policy, source: str, right: bool | None, fought: Fought) -> None:
        """Submit one cell; `right`: whether it must be judged as right, None: it earns nothing."""
        attack = fought.attack
        limits = scene.asked.limits(attack.limit_s, attack.memory_mb)
        if policy is Policy.REFERENCE:
            started = time.monotonic()
            outcome = scene.session.attempt(source, capture=scene.asked.capture, limits=limits)
            self._note(scene, outcome, time.monotonic() - started, right, fought)
            return
        life = life_of((scene.asked.problem,))
        if attack.memory_mb is not None:
            life = replace(life, memory_mb=2 * attack.memory_mb)
        state = PersistentState(lambda: scene.session.keep(life))
        try:
            started = time.monotonic()
            outcome = state.run(ExecutedStep(source, limits), scene.asked.capture)
            judged = self._note(scene, outcome, time.monotonic() - started, right, fought)
            fought.faults += self._goes_on(scene, policy, state, judged)
        finally:
            state.close()

    def _note(self, scene: _Scene, outcome: Outcome, seconds: float, right: bool | None, fought: Fought) -> Judged:
        """Judge a submission and note what does not hold."""
        attack = fought.attack
        judged = self._judge(scene.asked, outcome)
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
        return judged

    def _goes_on(self, scene: _Scene, policy: Policy, state: PersistentState, judged: Judged) -> Iterator[str]:
        """Let the state live on as the policy has it: whoever spoiled its own state gains nothing by that.

        A right answer there need not be judged as right: but for a rolled back state, nobody else suffers.
        """
        following = scene.asked if policy is Policy.KEPT else scene.following
        assert following is not None
        reference = ExecutedStep(scene.asked.problem.code, CellLimits(_PATIENT_S))
        is_clean = False
        if policy is Policy.CORRECTED_ON_FAILURE and judged.verdict is not Verdict.CORRECT:
            state.roll_back(0)
            is_clean = True
            corrected = state.run(reference)
            if corrected.ending is not Ending.OK:
                yield f"after the state was rolled back, the reference ended as {corrected.ending.value}"
        elif policy is Policy.CORRECTED_ALWAYS:
            state.run(reference)
        mark = state.mark()
        limits = CellLimits(_PATIENT_S if is_clean else _IMPATIENT_S)
        for source, is_right in ((following.target.wrong, False), (following.target.right, True)):
            found = self._judge(following, state.run(ExecutedStep(source, limits), following.capture))
            if found.verdict is Verdict.NOT_JUDGED:
                yield f"on its own state it was not judged: {found.reason}"
            elif found.verdict is Verdict.CORRECT and not is_right:
                yield "on its own state a wrong answer was judged as correct"
            elif found.verdict is not Verdict.CORRECT and is_right and is_clean:
                yield f"after the state was rolled back a right answer was {found.verdict}: {found.reason}"
            if is_clean:
                state.roll_back(mark)

    def _look(self, session: Session) -> dict[str, Any]:
        return look_inside(session, STATE, outside_is_seen=self.engine.sandbox_name == "landlock")

    def _judge(self, asked: _Asked, outcome: Outcome) -> Judged:
        return judge_submission(self.engine, asked.reference, outcome, asked.problem)

    def _still_judges(self, scene: _Scene) -> Iterator[str]:
        """The next right submission of the same session is judged as right, the next wrong one as wrong."""
        asked = scene.asked
        for source, is_right in ((asked.target.right, True), (asked.target.wrong, False)):
            outcome = scene.session.attempt(source, capture=asked.capture, limits=asked.limits(_PATIENT_S))
            judged = self._judge(asked, outcome)
            if judged.verdict is Verdict.NOT_JUDGED or (judged.verdict is Verdict.CORRECT) is not is_right:
                yield f"afterwards a {'right' if is_right else 'wrong'} answer was {judged.verdict}: {judged.reason}"

    def _scene(self, name: str) -> _Scene:
        if name not in self._scenes:
            self._scenes[name] = self._prepare(name)
        return self._scenes[name]

    def _prepare(self, name: str) -> _Scene:
        """Open a session in the state that the problem starts from; the reference runs in a trial of its own."""
        target = PROBLEMS[name]
        session = self.engine.open(key=name, inputs=self._inputs)
        with contextlib.ExitStack() as on_failure:
            on_failure.enter_context(session)
            scene = self._begin(session, target, name)
            on_failure.pop_all()
        return scene

    def _begin(self, session: Session, target: Target, name: str) -> _Scene:
        assert session.execute(target.setup).ending is Ending.OK
        asked = _ask(session, target, name)
        following = _ask(session, NEXT, "next") if self.engine.isolation is Isolation.FORK else None
        scene = _Scene(session, asked, following, self._look(session))
        assert list(self._still_judges(scene)) == []
        return scene

    def _leave(self, name: str) -> None:
        scene = self._scenes.pop(name, None)
        if scene is not None:
            with contextlib.suppress(ToolkitError):
                scene.session.close()


def _ask(session: Session, target: Target, name: str) -> _Asked:
    problem = target.problem(name)
    limits = CellLimits(_PATIENT_S)
    probes = record_probes(session, problem, limits)
    names = wanted_names(resolve_validators(problem))
    capture = CaptureSpec(names=names, infer=True, probes=probes, figures=target.figures, files=target.files)
    return _Asked(target, problem, capture, session.attempt(problem.code, capture=capture, limits=limits))


def _submissions(attack: Attack, target: Target) -> Iterator[tuple[str, bool | None]]:
    for cell in attack.cells:
        if attack.credit != "honest":
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
    elif attack.credit == "none" and judged.verdict is Verdict.PRESENTATION_ERROR:
        yield f"it was judged as right in another form: {judged.reason}"


def _unwritable(outcome: Outcome, judged: Judged) -> Iterator[str]:
    """What is kept of it can be written as one line of UTF-8, without a raw control character."""
    try:
        for part in (outcome.to_json(), judged.reason, judged.validation):
            json.dumps(part, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        yield f"its record cannot be written: {error}"
