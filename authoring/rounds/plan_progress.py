"""How far a plan in rounds is, and what waits for whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from authoring.checks import RULE_AUTHOR
from authoring.store import problemsets
from authoring.store.drafting.bootstrap import Bootstrap, BootstrapItem, list_bootstrap_items
from authoring.store.drafting.guide import list_amendments
from authoring.store.drafting.seeds import find_seed
from authoring.store.reviewing.reviews import list_decisions
from authoring.store.reviewing.suggestions import list_suggestions
from authoring.store.revisions import select as list_revisions
from authoring.store.settings import workspace_validators
from authoring.store.statuses import AmendmentStatus, BootstrapState, ProblemsetStatus, SuggestionStatus
from authoring.store.workspace import Workspace
from evaluator.language import OwnValidators, Problem, parse_problemset


@dataclass(frozen=True)
class RoundProgress:
    """One round in figures."""

    number: int
    planned: int  # drafts that the round shall have (count)
    drafted: int  # that were written, whatever became of them (count)
    accepted: int
    redrafted: int  # left to the next round (count)
    dropped: tuple[tuple[str, str], ...]  # seed, why
    guides: tuple[int, ...]  # numbers of the guide revisions that the drafts were made with
    acceptance: float | None  # accepted / drafted; None: nothing was drafted
    edits_per_problem: float | None  # problems that people changed / problems, of the accepted sets; None: no such set
    open_sets: tuple[str, ...]  # drafts that nobody has accepted yet, those that pass the dry run first

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "round": self.number,
            "planned": self.planned,
            "drafted": self.drafted,
            "accepted": self.accepted,
            "redrafted": self.redrafted,
            "dropped": [{"seed": seed, "why": why} for seed, why in self.dropped],
            "guide": list(self.guides),
            "acceptance": self.acceptance,
            "edits_per_problem": self.edits_per_problem,
            "open": list(self.open_sets),
        }


@dataclass(frozen=True)
class RoundsStatus:
    """All rounds of a plan so far, and what comes next."""

    plan: str
    rounds: tuple[RoundProgress, ...]
    of_rounds: int
    revise: tuple[str, ...]  # sets proposed for people to revise and accept now
    missing: int  # acceptances before the plan continues (count)
    amendments: tuple[int, ...]  # ids of proposals for the guide that somebody has to decide
    suggestions: tuple[int, ...]  # ids of changes to the open sets that somebody has to take or refuse
    can_step: bool  # a step would do something without anybody
    finished: bool  # every seed has an accepted set, or was dropped for good

    @property
    def next_text(self) -> str:
        """What is to be done now, by whom."""
        if self.finished:
            return "done: every seed has an accepted set, or gives none; next: benchwright release create"
        if self.can_step:
            return f"the machine's turn: benchwright bootstrap step {self.plan}"
        waits = []
        if self.missing:
            waits.append(f"revise and accept {self.missing} of: {', '.join(self.revise)}")
            if self.suggestions:
                waits.append(f"take or refuse the suggestions {', '.join(map(str, self.suggestions))} on the way")
        if self.amendments:
            waits.append(f"decide the proposed amendments of the guide: {', '.join(map(str, self.amendments))}")
        return f"waits for people: {'; '.join(waits)}; then benchwright bootstrap step {self.plan}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "plan": self.plan,
            "rounds": [each.to_json() for each in self.rounds],
            "of_rounds": self.of_rounds,
            "waiting": {
                "revise": list(self.revise),
                "missing": self.missing,
                "amendments": list(self.amendments),
                "suggestions": list(self.suggestions),
            },
            "can_step": self.can_step,
            "finished": self.finished,
            "next": self.next_text,
        }

    def to_text(self) -> str:
        """Return the table that a terminal shows."""
        lines = ["round  drafted  accepted  redrafted  dropped  guide  acceptance  edits per problem"]
        for each in self.rounds:
            guides = ",".join(map(str, each.guides)) or "-"
            rate = "-" if each.acceptance is None else f"{each.acceptance:.0%}"
            edits = "-" if each.edits_per_problem is None else f"{each.edits_per_problem:.2f}"
            drafted = f"{each.drafted}/{each.planned}"
            numbers = f"{drafted:>7} {each.accepted:>9} {each.redrafted:>10} {len(each.dropped):>8} {guides:>6}"
            lines.append(f"{each.number:>5}  {numbers} {rate:>11} {edits:>18}")
        lines += [f"dropped {seed} in round {r.number}: {why}" for r in self.rounds for seed, why in r.dropped]
        return "\n".join([*lines, self.next_text])


def is_accepted(ws: Workspace, item: BootstrapItem) -> bool:
    """Whether a person has accepted the item's problemset as it stands."""
    if item.problemset_id is None:
        return False
    row = problemsets.find(ws, item.problemset_id)
    by = [one.by for one in list_decisions(ws, row.id) if one.revision_id == row.head_revision_id]
    return row.status == ProblemsetStatus.ACCEPTED and bool(by) and by[-1] != RULE_AUTHOR


def rounds_status(ws: Workspace, plan: Bootstrap) -> RoundsStatus:
    """Return how far a plan in rounds is; nothing is changed."""
    items = list_bootstrap_items(ws, plan.id)
    last, of_rounds = max(item.round for item in items), int(plan.plan["rounds"])
    rounds = tuple(_round(ws, number, [i for i in items if i.round == number]) for number in range(1, last + 1))
    now = rounds[-1]
    present = now.accepted + len(now.open_sets)
    wanted = present if last == of_rounds else min(int(plan.plan["revise"]), present)
    missing = max(0, wanted - now.accepted)
    proposed = (
        tuple(each.id for each in list_amendments(ws, status=AmendmentStatus.PROPOSED)) if last < of_rounds else ()
    )
    undrafted = now.planned > now.drafted + len(now.dropped)
    over = not undrafted and not now.open_sets and (last == of_rounds or not now.dropped)
    return RoundsStatus(
        plan=plan.name,
        rounds=rounds,
        of_rounds=of_rounds,
        revise=now.open_sets if not undrafted else (),
        missing=0 if undrafted else missing,
        amendments=() if over else proposed,
        suggestions=_suggestions(ws, items),
        can_step=undrafted or (not over and not missing and not proposed),
        finished=over,
    )


def _suggestions(ws: Workspace, items: Sequence[BootstrapItem]) -> tuple[int, ...]:
    mine = {item.problemset_id for item in items if item.state == BootstrapState.DRAFTED}
    return tuple(each.id for each in list_suggestions(ws, status=SuggestionStatus.OPEN) if each.problemset_id in mine)


def _round(ws: Workspace, number: int, items: Sequence[BootstrapItem]) -> RoundProgress:
    written = [item for item in items if item.problemset_id is not None and item.report]
    accepted = [item for item in written if item.state != BootstrapState.KEPT and is_accepted(ws, item)]
    waiting = [item for item in written if item.state == BootstrapState.DRAFTED and item not in accepted]
    waiting.sort(key=lambda item: (bool(item.report.get("failures")), item.position))
    dropped = [item for item in items if item.state == BootstrapState.DROPPED]
    guides = {int(item.report["guide"]) for item in written if item.report.get("guide")}
    return RoundProgress(
        number=number,
        planned=len(items),
        drafted=len(written),
        accepted=len(accepted),
        redrafted=sum(item.state == BootstrapState.KEPT for item in items),
        dropped=tuple((find_seed(ws, item.seed_id).name, item.reason) for item in dropped),
        guides=tuple(sorted(guides)),
        acceptance=round(len(accepted) / len(written), 4) if written else None,
        edits_per_problem=_edits(ws, accepted),
        open_sets=tuple(problemsets.find(ws, item.problemset_id or 0).name for item in waiting),
    )


def _edits(ws: Workspace, items: Sequence[BootstrapItem]) -> float | None:
    """Return the share of problems that differ between a set as it was drafted and as it was accepted."""
    own, changed, total = workspace_validators(ws), 0, 0
    for item in items:
        revisions = list_revisions(ws, item.problemset_id or 0)
        before, after = (_problems(each.text, own) for each in (revisions[0], revisions[-1]))
        changed += sum(before.get(key) != after.get(key) for key in {*before, *after})
        total += len(before)
    return round(changed / total, 4) if total else None


def _problems(text: str, own: OwnValidators | None) -> dict[str, Problem]:
    parsed = parse_problemset(text, name="set", own_validators=own).problemset
    problems = parsed.problems if parsed else ()
    return {str(each.metadata.get("id", number)): each for number, each in enumerate(problems, 1)}
