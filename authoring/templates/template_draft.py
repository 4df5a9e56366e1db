"""Writes a problemset from a sketch: every problem executed and judged before anybody sees it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from authoring.languages import Language
from authoring.seeds import Profile
from authoring.store.drafting.sketches import SketchItem
from authoring.templates.board import Board
from authoring.templates.candidate_trials import SETUP, Bench, Refusal, with_time
from authoring.templates.families import find_family
from authoring.templates.family import Task
from authoring.templates.identities import LOAD, MAY_REPEAT, item_identities
from authoring.templates.levels import WISHES
from authoring.templates.planning import (
    MAX_PROBLEMS,
    MIN_PROBLEMS,
    Plan,
    TaskCandidate,
    candidates,
    check_profile,
    next_board,
    too_small,
)
from evaluator.diagnostics import has_errors
from evaluator.errors import ContentError
from evaluator.language import Problem, Problemset, error_of_diagnostics, parse_problemset, render_problemset

if TYPE_CHECKING:
    from evaluator.session import Engine

MAX_TRIES: Final = 60  # candidates that may be refused in one draft
ROWS_OF_COST: Final = 200_000  # a task's cost is stated for so many rows


@dataclass(frozen=True)
class DraftedSet:
    """A problemset whose references all pass and whose report says what was replaced."""

    text: str
    report: dict[str, Any]


@dataclass
class _Writer:
    """The state of one draft."""

    bench: Bench
    rng: Random
    plan: Plan
    board: Board
    language: Language = Language.ENGLISH
    problems: list[Problem] = field(default_factory=list)
    replaced: list[dict[str, Any]] = field(default_factory=list)
    refused: int = 0
    identities: list[str] = field(default_factory=list)  # of the problems that another set of the seed may avoid

    def take(self, candidate: TaskCandidate) -> Refusal | None:
        """Try a candidate and add it when it is good."""
        self.plan.refuse(candidate)
        problem = problem_of(candidate, self.problems, self.board, self.language)
        refusal = self.bench.consider(candidate.task, problem)
        if refusal is not None:
            self.refused += 1
            return refusal
        if candidate.family.name not in MAY_REPEAT:
            self.identities.append(self.plan.key(candidate.family, candidate.slots))
        self.plan.note(candidate, self.board)
        self.problems.append(problem)
        self.board = next_board(candidate, self.board)
        return None

    def fill(self, *first: str) -> str | None:
        """Add the best other problem that fits; return its family, or None when nothing is left to try."""
        for candidate in candidates(self.board, self.plan, self.rng, first):
            if self.take(candidate) is None:
                return candidate.family.name
            if self.refused > MAX_TRIES:
                return None
        return None


def draft_from_sketch(
    engine: "Engine",
    inputs: Path,
    profile: Profile,
    items: Sequence[SketchItem],
    *,
    rng_seed: int,
    name: str,
    avoid: Collection[str] = (),
    language: Language = Language.ENGLISH,
    on_event: Callable[[int, int, str], None] | None = None,
) -> DraftedSet:
    """Write, execute and judge the problems of a sketch; those that fail are replaced by others.

    Args:
        engine: Executes and judges.
        inputs: Folder with the seed's files.
        profile: What is known about them.
        items: At most 15; fewer than 10 are filled up.
        rng_seed: Decides what stands in for a failing item.
        name: Of the problemset.
        avoid: What `sketch_identities` says of other sketches of the seed: none of them stands in.
        language: Of the queries; it changes no choice.
        on_event: Told problems done, problems wanted and a line of text.

    Returns:
        A set of 10 to 15 problems; the same arguments give the same text.

    Raises:
        ContentError: If an item names things that do not exist, or the tables give too few problems.
    """
    check_profile(profile)
    if len(items) > MAX_PROBLEMS:
        what = f"the sketch has {len(items)} items; a set has at most {MAX_PROBLEMS}"
        raise ContentError(what, fix=f"drop {len(items) - MAX_PROBLEMS} of them")
    wanted = max(len(items), MIN_PROBLEMS)
    with Bench(engine, inputs, name) as bench:
        rng = Random(f"draft {rng_seed}")  # noqa: S311  # a reproducible choice
        writer = _Writer(bench, rng, Plan(target=wanted, avoid=avoid), Board(profile), language)
        keys = item_identities(items)
        for number, item in enumerate(items, start=1):
            writer.plan.reserved = set(keys[number:])
            _follow(writer, item)
            if on_event is not None:
                on_event(len(writer.problems), wanted, item.query_idea)
        while len(writer.problems) < wanted and writer.refused <= MAX_TRIES:
            if writer.fill() is None:
                break
    if len(writer.problems) < MIN_PROBLEMS:
        raise too_small(profile, len(writer.problems))
    report = {
        "problems": len(writer.problems),
        "replaced": writer.replaced,
        "refused": writer.refused,
        "identities": writer.identities,
    }
    return DraftedSet(_text(name, writer.problems), report)


def _follow(writer: _Writer, item: SketchItem) -> None:
    """Turn one item into a problem, or put another in its place."""
    try:
        family = find_family(item.family)
        candidate = TaskCandidate(family, item.slots, family.build(writer.board, item.slots))
        repeated = writer.plan.key(family, item.slots) in writer.plan.seen
        refusal = Refusal("the same problem stands before it") if repeated else writer.take(candidate)
    except ContentError as error:
        if not writer.replaced:  # nothing was changed before it: the item itself is wrong
            where = f"sketch item {item.number}"
            raise ContentError(error.what, where=where, fix=error.fix or "correct the item") from None
        family, refusal = find_family(item.family), Refusal(error.what)
    if refusal is None:
        return
    if family.name == LOAD and not writer.problems:
        what = f"the data cannot be loaded within the limits: {refusal.reason}"
        raise ContentError(what, where=f"sketch item {item.number}", fix="use a smaller or simpler file")
    writer.plan.wish = next((wish for wish in WISHES if wish == item.difficulty), "mix")
    instead = writer.fill(family.name)
    writer.replaced.append({"item": item.number, "family": item.family, "reason": refusal.reason, "instead": instead})


def problem_of(
    candidate: TaskCandidate, before: Sequence[Problem], board: Board, language: Language = Language.ENGLISH
) -> Problem:
    """Return the problem that a candidate makes."""
    family, slots, task = candidate
    stem = family.name.replace("_", "-")
    times = sum(str(one.metadata.get("id", "")).removesuffix("-2").startswith(stem) for one in before)
    problem = Problem(
        query=family.query(task, slots, language),
        code=task.code,
        validator=_validator(task),
        metadata={
            "id": stem if not times else f"{stem}-{times + 1}",
            "knowledge_points": list(family.knowledge_points),
            "difficulty": task.level,
            "tags": [family.theme, *([] if language is Language.ENGLISH else [language.value])],
        },
    )
    return with_time(problem, _seconds(candidate, board))


def _seconds(candidate: TaskCandidate, board: Board) -> float:
    """Return how long the reference takes at most, by the size of the tables in the session."""
    frames = candidate.task.board.frames.values()
    rows = max(frame.rows for frame in frames)
    if not board.loaded or len(frames) > len(board.frames):
        rows = max(rows, board.profile.tables[candidate.task.board.loaded[-1]].rows)
    return candidate.task.startup_s + candidate.task.cost * rows / ROWS_OF_COST


def _validator(task: Task) -> dict[str, Any] | None:
    """Return the validators for what a task leaves: its result, the variables it stores, all else intact."""
    matchers = {name: dict.fromkeys(task.loose, True) for name in task.stores}
    stored = {**({"namespace_check": matchers} if matchers else {}), **task.validators}
    if not task.result:
        return {"template": "intact", **stored}
    if not stored:
        return None  # the default: crash, result, namespace_intact
    return {"template": "comparison", **stored}


def _text(name: str, problems: Sequence[Problem]) -> str:
    """Return the file's text, read again and linted.

    Raises:
        ContentError: If the language's own reader finds an error in it.
    """
    text = render_problemset(Problemset(name, (SETUP, *problems)))
    parsed = parse_problemset(text, name=name)
    if parsed.problemset is None or has_errors(parsed.diagnostics):
        error = error_of_diagnostics(name, parsed.diagnostics, is_readable=parsed.problemset is not None)
        raise ContentError(error.what, where=error.where, fix="use another rng_seed")
    return text
