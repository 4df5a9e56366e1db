"""Writes a problemset from a sketch: every problem executed and judged before anybody sees it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from authoring.languages import Language
from authoring.seeds import Profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates.board import Board
from authoring.templates.candidate_trials import SETUP, Bench, Refusal, with_time
from authoring.templates.families import FAMILIES, find_family
from authoring.templates.family import Family, Form, Task, UnfitColumnError
from authoring.templates.identities import OPENING, item_identities, repeats_freely
from authoring.templates.levels import WISHES
from authoring.templates.names_in_words import literal
from authoring.templates.planning import (
    MAX_PROBLEMS,
    MIN_PROBLEMS,
    Plan,
    TaskCandidate,
    candidate_of,
    level_of_candidate,
    names_stored,
    stand_ins,
    way_on,
)
from authoring.templates.requirements import check_profile, no_thread
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
    taken: list[TaskCandidate] = field(default_factory=list)
    replaced: list[dict[str, Any]] = field(default_factory=list)
    rows: dict[int, dict[str, Any]] = field(default_factory=dict)  # of `replaced`, by the problem that stands there
    refused: int = 0
    identities: list[str] = field(default_factory=list)  # of the problems that another set of the seed may avoid

    def take(self, candidate: TaskCandidate) -> Refusal | None:
        """Try a candidate and add it when it is good."""
        self.plan.refuse(candidate)
        problem = problem_of(candidate, self.problems, self.board, self.language, plan=self.plan)
        refusal = self.bench.consider(candidate.task, problem)
        if refusal is not None:
            self.refused += 1
            return refusal
        if not repeats_freely(candidate.family.name):
            self.identities.append(self.plan.key(candidate.family, candidate.slots))
        self.plan.note(candidate, self.board)
        self.problems.append(_without_mistakes(problem, self.bench.agreeing))
        self.taken.append(candidate)
        self.board = candidate.task.board.after()
        return None

    def stand_in(self, family: Family, depth: int) -> bool:
        """Add another problem of a family that rests on as much; return whether one was good."""
        for candidate in stand_ins(self.board, self.plan, self.rng, family, depth):
            if self.refused > MAX_TRIES:
                break
            if self.take(candidate) is None:
                return True
        return False

    def go_on(self) -> None:
        """Plan what is lacking as a thread of its own, again wherever the data refuse it, until nothing is left."""
        while self.plan.lacking > 0 and self.refused <= MAX_TRIES:
            way = way_on(self.board, self.plan, self.rng)
            if not way:
                break
            for family, slots, _ in way:
                candidate = candidate_of(family, self.board, slots)
                if candidate is None:  # never planned again: the next way on is another one
                    self.plan.seen.add(self.plan.key(family, slots))
                    self.refused += 1
                    break
                if self.take(candidate) is not None:
                    break
                self.stands_for(next((row for row in self.replaced if row["instead"] is None), None))

    def stands_for(self, row: dict[str, Any] | None) -> None:
        """Say in the report that the newest problem takes the place of what was left out."""
        if row is not None:
            row["instead"] = self.taken[-1].family.name
            self.rows[len(self.taken)] = row


def draft_from_sketch(
    engine: "Engine",
    inputs: Path,
    profile: Profile,
    items: Sequence[SketchItem],
    *,
    rng_seed: int,
    name: str,
    semantics: Semantics | None = None,
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
        semantics: What the columns mean; None: what rules make of the profile.
        avoid: What `sketch_identities` says of other sketches of the seed: none of them stands in.
        language: Of the queries; it changes no choice.
        on_event: Told problems done, problems wanted and a line of text.

    Returns:
        A set of 8 to 15 problems; the same arguments give the same text.

    Raises:
        ContentError: If an item names things that do not exist, or the tables give too few problems. A column that an
            item names and its family cannot work with is no reason: another problem stands in for the item.
    """
    start = Board(profile, semantics or infer_semantics(profile))
    check_profile(start)
    if len(items) > MAX_PROBLEMS:
        what = f"the sketch has {len(items)} items; a set has at most {MAX_PROBLEMS}"
        raise ContentError(what, fix=f"drop {len(items) - MAX_PROBLEMS} of them")
    wanted = max(len(items), MIN_PROBLEMS)
    with Bench(engine, inputs, name) as bench:
        rng = Random(f"draft {rng_seed}")  # noqa: S311  # a reproducible choice
        writer = _Writer(bench, rng, Plan(target=wanted, avoid=avoid), start, language)
        keys = item_identities(items)
        depths = _depths(items)
        for number, item in enumerate(items, start=1):
            writer.plan.reserved = set(keys[number:])
            writer.plan.names = frozenset().union(*(names_stored(later.slots) for later in items[number:]))
            _follow(writer, item, depths.get(item.number, 0))
            if on_event is not None:
                on_event(len(writer.problems), wanted, item.query_idea)
        writer.go_on()
    if len(writer.problems) < MIN_PROBLEMS:
        raise no_thread(start, len(writer.problems))
    while writer.plan.unused and len(writer.problems) - len(writer.plan.unused) >= MIN_PROBLEMS:
        writer = _without_unused(engine, inputs, name, writer, start)
    linked, deep = (round(share, 3) for share in writer.plan.shares())
    report = {
        "problems": len(writer.problems),
        "replaced": writer.replaced,
        "refused": writer.refused,
        "identities": writer.identities,
        "linked": linked,
        "deep": deep,
    }
    return DraftedSet(_text(name, writer.problems), report)


def _without_unused(engine: "Engine", inputs: Path, name: str, writer: _Writer, start: Board) -> _Writer:
    """Write a draft again without the problems that only prepare what nothing uses, since what did was replaced.

    A problem that no longer fits the session before it, which has lost columns, is replaced as well.
    """
    plan = Plan(target=len(writer.problems), avoid=writer.plan.avoid)
    with Bench(engine, inputs, name) as bench:
        again = _Writer(bench, writer.rng, plan, start, writer.language, replaced=writer.replaced)
        again.refused = writer.refused
        for number, candidate in enumerate(writer.taken, start=1):
            row = writer.rows.get(number)
            if number not in writer.plan.unused:
                _keep(again, number, candidate, row)
            elif row is not None:
                row["instead"] = None
        again.plan.seen |= writer.plan.seen
        again.go_on()
    return again


def _keep(writer: _Writer, number: int, candidate: TaskCandidate, row: dict[str, Any] | None) -> None:
    """Take again what was taken as a draft's problem of that number; what does not fit any more is left out."""
    family, slots, _ = candidate
    try:
        refusal = writer.take(TaskCandidate(family, slots, family.build(writer.board, slots)))
    except ContentError as error:
        refusal = Refusal(error.what)
    if refusal is None:
        writer.stands_for(row)
    elif row is not None:
        row["instead"] = None
    else:
        writer.replaced.append(_reported(number, family.name, refusal))


def _reported(number: int, family: str, refusal: Refusal) -> dict[str, Any]:
    check = {"check": refusal.check} if refusal.check else {}
    return {"item": number, "family": family, "reason": refusal.reason, **check, "instead": None}


def _depths(items: Sequence[SketchItem]) -> dict[int, int]:
    """Return by the number of each item how many items the longest chain has that ends with it, without loading."""
    depths: dict[int, int] = {}
    for item in items:
        earlier = [depths[number] for number in item.depends_on if number in depths]
        if item.family not in FAMILIES or FAMILIES[item.family].theme != OPENING:
            depths[item.number] = 1 + max(earlier, default=0)
    return depths


def _follow(writer: _Writer, item: SketchItem, depth: int) -> None:
    """Turn one item into a problem, or put another of its family in its place that rests on as many results."""
    try:
        family = find_family(item.family)
        candidate = TaskCandidate(family, item.slots, family.build(writer.board, item.slots))
        repeated = writer.plan.key(family, item.slots) in writer.plan.seen
        refusal = Refusal("the same problem stands before it") if repeated else writer.take(candidate)
    except ContentError as error:
        is_wrong = not isinstance(error, UnfitColumnError)  # else what a column means was corrected since the sketch
        if is_wrong and not writer.replaced:  # nothing was changed before it: the item itself is wrong
            where = f"sketch item {item.number}"
            raise ContentError(error.what, where=where, fix=error.fix or "correct the item") from None
        family, refusal = find_family(item.family), Refusal(error.what)
    if refusal is None:
        return
    if family.theme == OPENING and not writer.problems:
        what = f"the data cannot be loaded within the limits: {refusal.reason}"
        raise ContentError(what, where=f"sketch item {item.number}", fix="use a smaller or simpler file")
    writer.plan.wish = next((wish for wish in WISHES if wish == item.difficulty), "mix")
    row = _reported(item.number, item.family, refusal)
    writer.replaced.append(row)
    if writer.stand_in(family, depth):
        writer.stands_for(row)


def problem_of(
    candidate: TaskCandidate,
    before: Sequence[Problem],
    board: Board,
    language: Language = Language.ENGLISH,
    plan: Plan | None = None,
) -> Problem:
    """Return the problem that a candidate makes."""
    family, slots, task = candidate
    stem = family.name.replace("_", "-")
    times = sum(str(one.metadata.get("id", "")).removesuffix("-2").startswith(stem) for one in before)
    metadata: dict[str, Any] = {
        "id": stem if not times else f"{stem}-{times + 1}",
        "knowledge_points": list(family.knowledge_points),
        "difficulty": level_of_candidate(candidate, board, plan or Plan(1)),
        "tags": [family.theme, *([] if language is Language.ENGLISH else [language.value])],
    }
    probes = {name: source for var, columns in task.makes.items() for name, source in _digests(var, columns).items()}
    examples = _examples(task)
    metadata |= {"probes": probes} if probes else {}
    metadata |= {"examples": examples} if examples else {}
    problem = Problem(
        query=family.query(task, slots, language), code=task.code, validator=_validator(task), metadata=metadata
    )
    return with_time(problem, _seconds(candidate, board))


def _examples(task: Task) -> dict[str, Any]:
    """Return the answers that were tried, as the problem keeps them: right ones in another way, and wrong ones."""
    accept = list(task.others)
    reject = [{"code": mistake.code, "why": mistake.why} for mistake in task.mistakes]
    return {**({"accept": accept} if accept else {}), **({"reject": reject} if reject else {})}


def _without_mistakes(problem: Problem, agreeing: Collection[str]) -> Problem:
    """Return the problem without the wrong answers that turned out to give the right values."""
    if not agreeing:
        return problem
    examples = dict(problem.metadata["examples"])
    examples["reject"] = [one for one in examples["reject"] if one["code"] not in agreeing]
    return replace(problem, metadata={**problem.metadata, "examples": examples})


def _digests(var: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the values that stand for a big table: its size, figures of columns that count, rows spread over it."""
    chosen = f"{var}[{literal(list(columns))}]"
    return {
        f"{var}_rows": f"len({var})",
        f"{var}_known": f'{chosen}.agg(["count", "nunique"])',
        f"{var}_figures": f'{chosen}.select_dtypes("number").agg(["min", "mean", "max"])',
        f"{var}_sample": f"{chosen}.iloc[:: max(len({var}) // 200, 1)].reset_index(drop=True)",
    }


def _seconds(candidate: TaskCandidate, board: Board) -> float:
    """Return how long the reference takes at most, by the size of the tables in the session."""
    frames = candidate.task.board.frames.values()
    rows = max(frame.rows for frame in frames)
    if not board.loaded or len(frames) > len(board.frames):
        rows = max(rows, board.profile.tables[candidate.task.board.loaded[-1]].rows)
    return candidate.task.startup_s + candidate.task.cost * rows / ROWS_OF_COST


def _validator(task: Task) -> dict[str, Any] | None:
    """Return the validators for what a task leaves: its result, the variables it stores, all else intact."""
    stored: dict[str, Any] = {}
    for var in task.stores:
        if var in task.makes:
            stored |= dict.fromkeys(_digests(var, task.makes[var]), _tolerance(task) or None)
        else:
            stored[var] = _stored_matcher(task) or None
    validators = {**({"namespace_check": stored} if stored else {}), **task.validators}
    if not task.result:
        return {"template": "intact", **validators}
    result = _result_matcher(task)
    if not validators and not result:
        return None  # the default: crash, result, namespace_intact
    return {"template": "comparison", **({"result": result} if result else {}), **validators}


def _tolerance(task: Task) -> dict[str, Any]:
    if task.rtol:
        return {"rtol": task.rtol}
    return {"atol": float(f"{task.atol:.2g}")} if task.atol else {}


def _stored_matcher(task: Task) -> dict[str, Any]:
    """Return what of a stored table's form does not count; the names of its columns do, later problems use them."""
    if task.stored_form is Form.EXACT:
        return {"rtol": task.stored_rtol} if task.stored_rtol else _tolerance(task)
    if task.stored_form is Form.LABELLED:  # with the index named, whole numbers count as labels, too
        return {"ignore_order": True, "equality": {"index": "wrong"}, "rtol": task.stored_rtol or 1e-3}
    order: dict[str, Any] = {"equality": {"column-order": "correct"}}  # rows have the order that is asked for
    order = {"ignore_order": True} if task.stored_form is Form.TABLE else order
    return {**order, "ignore_index": True, **_tolerance(task)}


def _result_matcher(task: Task) -> dict[str, Any]:
    """Return what of a result's form does not count."""
    if task.form is Form.EXACT:
        return _tolerance(task)
    if task.form is Form.VALUE:
        return {"value_only": True, **_tolerance(task)}
    if task.form is Form.VALUES:
        return {"value_only": True, "equality": {"extra": "correct"}, **_tolerance(task)}
    form: dict[str, Any] = {"ignore_order": True, "equality": {"container": "correct"}}
    if task.form is not Form.TABLE:  # rows have the order that is asked for
        form = {"equality": {"container": "correct", "column-order": "correct"}}
    loose = {"ignore_index": True, "ignore_names": True, "match_partial": True, **form}
    return {**loose, **_tolerance(task)}


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
