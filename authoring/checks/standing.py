"""How a revision stands: what its newest dry run says, of which revision, and whether that still holds.

Computed here for everybody who shows or uses it: lists, headers, the decision to accept, the gate before a release.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from authoring.checks.gates import CheckFailure, failures_of
from authoring.store import dry_runs
from authoring.store.dry_runs import DryRun, NewestDryRun
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.language import OWN_VALIDATORS_FILE, Problemset, used_own_validators
from evaluator.scoring import SCORING_VERSION

OTHER_SCORING: Final = "it was judged by another version of the scoring"
OTHER_ENVIRONMENT: Final = "it ran in another environment"
OTHER_VALIDATORS: Final = f"{OWN_VALIDATORS_FILE} has changed since"


@dataclass(frozen=True)
class Standing:
    """What is known about a revision from its newest dry run, or from that of an earlier revision."""

    dry_run: DryRun | None = None  # light; None: nothing of the set was ever executed
    number: int = 0  # of the revision that was executed
    is_earlier: bool = False  # whether that is not the revision asked about
    failures: tuple[CheckFailure, ...] = ()  # what forbids accepting what was executed
    stale: str = ""  # why the dry run does not hold any more; empty: it does

    @property
    def count(self) -> int:
        """How many problems were judged."""
        return len(self.dry_run.problems) if self.dry_run else 0

    @property
    def failing(self) -> tuple[CheckFailure, ...]:
        """The first failure of each problem that has any, in the order of the problems."""
        firsts: dict[int, CheckFailure] = {}
        for failure in self.failures:
            if failure.index:
                firsts.setdefault(failure.index, failure)
        return tuple(firsts[index] for index in sorted(firsts))

    @property
    def is_current(self) -> bool:
        """Whether the dry run is of the revision itself, and still holds."""
        return self.dry_run is not None and not self.is_earlier and not self.stale

    @property
    def passes(self) -> bool:
        """Whether the revision can be accepted for all that a dry run tells."""
        return self.is_current and not self.failures


def standings(ws: Workspace, revision_ids: Sequence[int], environment: str | None) -> dict[int, Standing]:
    """Return revision id -> how it stands, in one statement; `environment` as in `standing_of`."""
    own = workspace_validators(ws)
    found = dry_runs.newest_up_to(ws, revision_ids)
    now = own.digest if own is not None else ""
    return {each: _standing(found.get(each), each, now, environment) for each in revision_ids}


def standing_from(dry_run: DryRun | None, number: int, validators: str) -> Standing:
    """Return how a revision stands by its own newest dry run; arguments as in `why_stale`, in any environment."""
    newest = None if dry_run is None else NewestDryRun(number, dry_run)
    return _standing(newest, 0 if dry_run is None else dry_run.revision_id, validators, None)


def standing_of(ws: Workspace, revision_id: int, environment: str | None) -> Standing:
    """Return how a revision stands.

    Args:
        ws: The workspace.
        revision_id: The revision; its text and its input files never change.
        environment: Id of the environment in which a dry run must have run; None: any will do.
    """
    return standings(ws, [revision_id], environment)[revision_id]


def why_stale(dry_run: DryRun, validators: str, environment: str | None) -> str:
    """Return why a dry run does not hold any more; empty when it does. `validators`: digest of the workspace's own."""
    if dry_run.summary.get("validators", "") not in ("", validators):
        return OTHER_VALIDATORS
    if environment is not None and dry_run.environment != environment:
        return OTHER_ENVIRONMENT
    return OTHER_SCORING if dry_run.summary.get("scoring_version") != SCORING_VERSION else ""


def validators_digest(problemset: Problemset | None) -> str:
    """Return what fixes the own validators that a problemset uses; empty if it uses none."""
    own = used_own_validators(problemset) if problemset is not None else None
    return own.digest if own is not None else ""


def _standing(newest: NewestDryRun | None, revision_id: int, validators: str, environment: str | None) -> Standing:
    if newest is None:
        return Standing()
    dry_run = newest.dry_run
    return Standing(
        dry_run,
        newest.number,
        dry_run.revision_id != revision_id,
        failures_of(dry_run),
        why_stale(dry_run, validators, environment),
    )
