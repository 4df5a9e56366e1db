"""The gate before a release: per problemset what speaks against it, on which evidence, and what somebody waives."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from authoring.checks.standing import OTHER_SCORING, Standing, standing_from
from authoring.seeds.licences import LicenceKind, licence_advice
from authoring.seeds.personal_data import unconfirmed_by_problemset
from authoring.store.releases import Guess, SetEvidence, list_guesses, list_set_evidence
from authoring.store.settings import workspace_validators
from authoring.store.statuses import ProblemsetStatus
from authoring.store.workspace import Workspace
from evaluator.language import parse_problemset, problem_id

LOW_INFORMATION: Final = "low-information"  # the check that a waiver can answer for


class GateCheck(StrEnum):
    """What a release asks of each problemset."""

    ACCEPTED = "accepted"
    DRY_RUN = "dry run"
    ROUNDTABLE = "roundtable"
    GUESS = "guess"
    PERSONAL_DATA = "personal data"
    LICENCE = "licence"


class GateStanding(StrEnum):
    """What becomes of a problemset in the next release."""

    READY = "ready"
    BLOCKS = "blocks"  # it is accepted, and no release can be made before it is put right
    LEFT_OUT = "left out"  # it is not accepted


_ORDER: Final = (GateStanding.BLOCKS, GateStanding.READY, GateStanding.LEFT_OUT)


class GateFinding(NamedTuple):
    """One thing that speaks against releasing a problemset."""

    check: GateCheck
    what: str
    fix: str
    refuses: bool = True  # otherwise the release is made, and warned of it
    problem: str = ""  # its id, where it is about one
    attempt_id: int | None = None  # that shows it


class SignedWaiver(NamedTuple):
    """A check that a problem does not pass, waived by somebody."""

    problem: str  # its id
    check: str
    by: str
    reason: str


@dataclass(frozen=True)
class GateRow:
    """One problemset before the gate."""

    evidence: SetEvidence
    judged: Standing  # what its newest dry run says
    findings: tuple[GateFinding, ...]

    @property
    def standing(self) -> GateStanding:
        """What becomes of it."""
        if self.evidence.status != ProblemsetStatus.ACCEPTED:
            return GateStanding.LEFT_OUT
        return GateStanding.BLOCKS if any(finding.refuses for finding in self.findings) else GateStanding.READY


def release_gate(ws: Workspace) -> list[GateRow]:
    """Return what the next release would do with every problemset, those that block it first."""
    own = workspace_validators(ws)
    validators = own.digest if own is not None else ""
    guesses: dict[int, list[Guess]] = {}
    for guess in list_guesses(ws):
        guesses.setdefault(guess.problemset_id, []).append(guess)
    personal = personal_data_findings(ws)
    rows = [
        GateRow(
            each,
            judged,
            (
                *_findings(each, judged, guesses.get(each.problemset_id, [])),
                *personal.get(each.problemset_id, ()),
            ),
        )
        for each in list_set_evidence(ws)
        for judged in [standing_from(each.dry_run, each.number, validators)]
    ]
    return sorted(rows, key=lambda row: (_ORDER.index(row.standing), row.evidence.name))


def personal_data_findings(ws: Workspace) -> dict[int, tuple[GateFinding, ...]]:
    """Return problemset -> what in its seed's data looks like data about persons and nobody has confirmed."""
    return {
        problemset: tuple(
            GateFinding(
                GateCheck.PERSONAL_DATA,
                f"seed {name}: {each.what}",
                f"{each.fix}: benchwright seed personal {name}",
                refuses=False,
            )
            for each in found
        )
        for problemset, (name, found) in unconfirmed_by_problemset(ws).items()
    }


def waivers_of(text: str, name: str) -> tuple[SignedWaiver, ...]:
    """Return the waivers that a problemset's problems hold; none when it does not parse."""
    problemset = parse_problemset(text, name=name).problemset
    if problemset is None:
        return ()
    return tuple(
        SignedWaiver(problem_id(problemset, number), str(check), _said(signed, "by"), _said(signed, "reason"))
        for number, problem in enumerate(problemset.problems, start=1)
        for check, signed in dict(problem.metadata.get("waivers") or {}).items()
    )


def unanswered(row: GateRow, waivers: Sequence[SignedWaiver]) -> tuple[GateFinding, ...]:
    """Return a problemset's findings without the guesses that somebody waives."""
    signed = {waiver.problem for waiver in waivers if waiver.check == LOW_INFORMATION}
    return tuple(each for each in row.findings if each.check is not GateCheck.GUESS or each.problem not in signed)


def _said(signed: Any, key: str) -> str:
    return str(signed.get(key, "")) if isinstance(signed, dict) else ""


def _findings(evidence: SetEvidence, judged: Standing, guesses: Sequence[Guess]) -> Iterator[GateFinding]:
    label = f"{evidence.name}@{evidence.number}"
    if evidence.status != ProblemsetStatus.ACCEPTED:
        fix = f"decide on it: benchwright accept {label} --by NAME"
        yield GateFinding(GateCheck.ACCEPTED, f"revision {evidence.number} is {_word(evidence.status)}", fix)
    yield from _dry_run(evidence, judged, label)
    for item in evidence.open_items:
        fix = "say what was at fault, see benchwright roundtable resolve"
        yield GateFinding(GateCheck.ROUNDTABLE, f"open: {item}", fix, refuses=False)
    advice = licence_advice(evidence.data_licence)
    if advice.kind is LicenceKind.FORBIDDEN:
        fix = f"ask the owner, and state what they allow: benchwright seed describe {evidence.seed} --licence LICENCE"
        yield GateFinding(GateCheck.LICENCE, f"seed {evidence.seed}: {advice.text}", fix, refuses=False)
    fix = f"add a second validator, or sign for it: waivers: {{{LOW_INFORMATION}: {{by: NAME, reason: WHY}}}}"
    for guess in guesses:
        what = f"problem {guess.problem_id} is passed by the agent {guess.agent}, which solves nothing"
        yield GateFinding(GateCheck.GUESS, what, fix, False, guess.problem_id, guess.attempt_id)


def _dry_run(evidence: SetEvidence, judged: Standing, label: str) -> Iterator[GateFinding]:
    again = f"run it: benchwright dry-run {label}"
    dry_run = judged.dry_run
    if dry_run is None:
        yield GateFinding(GateCheck.DRY_RUN, f"revision {evidence.number} has no dry run", again)
        return
    if judged.stale:
        refuses = judged.stale != OTHER_SCORING
        yield GateFinding(GateCheck.DRY_RUN, f"stale: {judged.stale} (dry run {dry_run.id})", again, refuses)
    for failure in judged.failures:
        yield GateFinding(GateCheck.DRY_RUN, str(failure), failure.fix)


def _word(status: str) -> str:
    waits = status in (ProblemsetStatus.DRAFT, ProblemsetStatus.SUBMITTED)
    return "not accepted yet" if waits else status.replace("_", " ")
