"""Families that put values into classes: by edges, by quartiles, by parts of dates."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from authoring.seeds.semantics import Meaning
from authoring.templates.board import TWINS, Board, Column, Frame, Slots
from authoring.templates.families.measures import grows
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    noun_of,
    numbers_slot,
    text_slot,
)
from authoring.templates.made_columns import made_category
from authoring.templates.names_in_words import code, free_name, literal, shown, slug
from authoring.templates.phrasebook import (
    DATE_PARTS,
    EDGE_BELONGS_BELOW,
    LINEAR_QUARTILES,
    STAYS_MISSING,
    class_of,
)
from authoring.templates.phrases import Joint, Listing, Said
from evaluator.errors import ContentError

BANDS: Final[Mapping[int, tuple[str, ...]]] = {
    3: ("low", "middle", "high"),
    4: ("low", "lower middle", "upper middle", "high"),
}


CUTS: Final[Mapping[int, tuple[str, ...]]] = {3: ("0.25", "0.75"), 4: ("0.25", "0.5", "0.75")}


def is_short(value: float) -> bool:
    """Return whether people would say a number as it is: two digits that count, at most."""
    return float(f"{value:.2g}") == value


def _explaining(board: Board, frame: Frame, numbers: list[Column]) -> list[Column]:
    """Return the numbers that may explain what the set is about, the closest first, twins of it left out."""
    if board.focus.group and board.focus.second:  # groups of its own are better ones
        return []
    classed = {name for c in frame.columns if not c.is_number for name in c.sources}
    able = [c for c in numbers if c.name not in {board.focus.measure, *classed} and not c.within]
    if not frame.has(board.focus.measure):
        return able
    measure = frame.column(board.focus.measure)
    able = [c for c in able if not frame.are_twins(c, measure) and (frame.strength(c, measure) or 0.0) < TWINS]
    return sorted(able, key=lambda c: (c.name != board.focus.partner, -frame.tells(c, measure)))


def propose_bands(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number whose quartiles are known, few other groups being at hand."""
    for frame in [one for one in board.crosses() if not one.is_series and not one.is_snapshot]:
        numbers = [c for c in frame.numbers(distinct=12) if c.about.quantiles]
        for column in _explaining(board, frame, numbers)[:4]:
            count = rng.choice((3, 3, 4))
            edges = [column.quantile(share) for share in CUTS[count]]
            if (
                all(edge is not None and is_short(edge) for edge in edges)
                and len({column.about.min, *edges, column.about.max}) == count + 1
            ):
                base = f"{slug(column.name) or 'size'}_class"
                new = free_name(base, {c.name for c in frame.columns})
                yield {"frame": frame.var, "column": column.name, "edges": edges, "new": new}


@family(
    theme="measures",
    knowledge_points=("binning",),
    idea="Classes of {column}",
    wordings=(
        "Sort the {rows} of {frame} into classes by {column}: a new column {new} with {classes}. {edge}",
        "Group the {rows} by {column}: add a column {new} to {frame} with {classes}. {edge}",
    ),
    propose=propose_bands,
    prepares=True,
    worth=0.5,
    about=("column",),
)
def value_classes(board: Board, slots: Slots) -> Task:
    """Cut a number into named classes."""
    frame = frame_slot(board, slots)
    column, new = column_slot(frame, slots, "column", frame.numbers()), text_slot(slots, "new")
    edges = numbers_slot(slots, "edges")
    if len(edges) + 1 not in BANDS or sorted(set(edges)) != edges:
        raise ContentError(f"slot 'edges' is {edges!r}", fix="write two or three rising numbers")
    labels = BANDS[len(edges) + 1]
    shown_edges = [shown(edge) for edge in edges]
    target, source = at(frame, new), at(frame, column)
    bins = f"[-np.inf, {', '.join(shown_edges)}, np.inf]"
    cut = f"pd.cut({source}, {bins}, labels={literal(list(labels))}"
    parts: list[Said] = [
        class_of(literal(label), None if i == 0 else shown_edges[i - 1], None if i == len(edges) else shown_edges[i])
        for i, label in enumerate(labels)
    ]
    column_made = made_category(board, new, labels, rows=frame.rows, missing=column.missing, ordered=True, of=column)
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "new": code(new),
            "rows": noun_of(frame),
            "classes": Listing(tuple(parts), Joint.CLAUSES),
            "edge": EDGE_BELONGS_BELOW(),
        },
        notes=(STAYS_MISSING(columns=code(column.name), new=code(new)) if column.missing else None,),
        body=f"{target} = {cut}).astype(object)",
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (new,)} if frame.is_big else {},
        uses=((frame.var, (column.name,)),),
        checks=(
            *(f"({source} == {edge}).any()" for edge in shown_edges),
            f"{target}.value_counts(normalize=True).min() >= 0.1",
        ),
        mistakes=(
            Mistake(f"{target} = {cut}, right=False).astype(object)", "a value on an edge goes to the upper class"),
            Mistake(
                f"{target} = pd.cut({source}, {len(labels)}, labels={literal(list(labels))}).astype(object)",
                "classes of equal width",
            ),
        ),
        others=(
            f"{target} = np.select([{', '.join(f'{source} <= {edge}' for edge in shown_edges)}, {source}.notna()], "
            f"{literal(list(labels))}, default=None)",
        ),
        conventions=1,
        board=board.with_column(frame, column_made),
    )


def _spreads(column: Column) -> bool:
    """Return whether the quartiles differ, so that no class swallows another."""
    marks = [column.about.min, *(column.quantile(share) for share in CUTS[4]), column.about.max]
    known = [mark for mark in marks if isinstance(mark, int | float)]
    return len(known) == len(marks) and len(set(known[1:])) == len(known) - 1 and known[0] <= known[1]


def propose_quarters(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number whose values nobody would name as edges."""
    for frame in [one for one in board.crosses() if not one.is_series]:
        numbers = [c for c in frame.levels(distinct=20) if c.about.quantiles and c.missing <= 0.3 * frame.rows]
        for column in [c for c in _explaining(board, frame, numbers) if _spreads(c)][:2]:
            new = free_name(f"{slug(column.name) or 'size'}_class", {c.name for c in frame.columns})
            yield {"frame": frame.var, "column": column.name, "new": new}


@family(
    theme="measures",
    knowledge_points=("quantiles", "binning"),
    idea="The lowest quarter, the middle half and the highest quarter of {column}",
    wordings=(
        "Split the {rows} of {frame} by {column} into the lowest quarter, the middle half and the highest "
        'quarter: a new column {new} with "low" up to and including the first quartile, "middle" above that up '
        'to and including the third, "high" above. {linear}',
        'Add {new} to {frame}: "low" where {column} is at most the first quartile, "middle" above that and up to '
        'the third quartile, "high" above it; a '
        "value on a quartile belongs to the lower class. {linear}",
    ),
    propose=propose_quarters,
    prepares=True,
    worth=0.3,
    about=("column",),
)
def quartile_classes(board: Board, slots: Slots) -> Task:
    """Cut a number at its quartiles."""
    frame = frame_slot(board, slots)
    column, new = column_slot(frame, slots, "column", frame.numbers()), text_slot(slots, "new")
    target, source = at(frame, new), at(frame, column)
    labels = BANDS[3]

    def cut(low: str, high: str) -> str:
        bins = f"[-np.inf, {low}, {high}, np.inf]"
        return f"{target} = pd.cut({source}, {bins}, labels={literal(list(labels))}).astype(object)"

    first, third = f"{source}.quantile(0.25)", f"{source}.quantile(0.75)"
    made = made_category(board, new, labels, rows=frame.rows, missing=column.missing, ordered=True, of=column)
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "new": code(new),
            "rows": noun_of(frame),
            "linear": LINEAR_QUARTILES(),
        },
        body=cut(first, third),
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (new,)} if frame.is_big else {},
        notes=(STAYS_MISSING(columns=code(column.name), new=code(new)) if column.missing else None,),
        uses=((frame.var, (column.name,)),),
        checks=(
            f"{source}.quantile(0.25) < {source}.quantile(0.75)",
            f"{target}.nunique() == 3",
            f"{target}.value_counts(normalize=True).min() >= 0.1",
        ),
        mistakes=(
            Mistake(
                f"{target} = pd.qcut({source}, 3, labels={literal(list(labels))}).astype(object)", "three equal parts"
            ),
            Mistake(
                f"{target} = pd.cut({source}, 3, labels={literal(list(labels))}).astype(object)",
                "classes of equal width",
            ),
            Mistake(
                cut(f"{source}.mean() - {source}.std()", f"{source}.mean() + {source}.std()"), "one deviation away"
            ),
        ),
        others=(
            f"_q1, _q3 = np.nanquantile({source}.astype(float), [0.25, 0.75])\n"
            f'{target} = np.where({source} <= _q1, "low", np.where({source} <= _q3, "middle", "high"))\n'
            f"{target} = {target}.where({source}.notna(), None)",
        ),
        conventions=1,
        board=board.with_column(frame, made),
    )


def propose_parts(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Dates and a part of them that takes several values."""
    for frame in board.mains():
        trends = frame.is_series and (all(grows(c) for c in frame.numbers()) or _hides_months(frame))
        for column in [] if trends else frame.dates():
            about = column.about
            parts = ["weekday"] if about.days >= 20 and about.days > about.months and _is_of_people(frame) else []
            parts += ["month"] if about.months >= 6 and column.means.granularity != "year" else []
            parts += ["hour"] if about.timed and column.means.granularity in ("hour", "minute", "second") else []
            for part in rng.sample(parts, len(parts)):
                taken = {c.name for c in frame.columns}
                if part not in {name.lower() for name in taken}:
                    yield {"frame": frame.var, "column": column.name, "part": part, "new": free_name(part, taken)}


def _hides_months(frame: Frame) -> bool:
    """Return whether a series spans so many years, or so few, that what changes over them hides the months."""
    return any(not SHORT_SPAN_DAYS <= c.about.span_days <= LONG_SPAN_DAYS for c in frame.dates())


SHORT_SPAN_DAYS: Final = 1000  # days
LONG_SPAN_DAYS: Final = 3653


def _is_of_people(frame: Frame) -> bool:
    """Return whether the days of the week can matter: for what people do, not for the weather."""
    return any(c.means.meaning in (Meaning.COUNT, Meaning.MONEY) for c in frame.numbers())


@family(
    theme="measures",
    knowledge_points=("parts of dates",),
    idea="The {part} of {column} as a column of its own",
    wordings=(
        "We will need the {part} of {column}. Add it to {frame} as {new}.",
        "Add a column {new} to {frame} with the {part} of {column}, so that we can compare by it.",
    ),
    propose=propose_parts,
    prepares=True,
    about=("part",),
)
def date_part(board: Board, slots: Slots) -> Task:
    """Add a part of a date."""
    frame = frame_slot(board, slots)
    column, new = column_slot(frame, slots, "column", frame.dates()), text_slot(slots, "new")
    part = text_slot(slots, "part", tuple(DATE_PARTS))
    dates = f"{at(frame, column)}.dt"
    source, wrong = {
        "weekday": (f"{dates}.day_name()", f"{dates}.dayofweek"),
        "month": (f"{dates}.month", f"{dates}.month_name()"),
        "year": (f"{dates}.year", f"{dates}.month"),
        "hour": (f"{dates}.hour", f"{dates}.minute"),
    }[part]
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    counts = {"month": range(1, 13), "hour": range(24), "year": range(max(column.about.span_days // 365, 2))}
    labels = days if part == "weekday" else tuple(counts[part])
    made = made_category(board, new, labels, rows=frame.rows, missing=column.missing, ordered=True, of=column)
    others = {
        "weekday": f'{dates}.strftime("%A")',
        "month": f'{dates}.strftime("%m").astype(float)',
        "year": f'{dates}.strftime("%Y").astype(float)',
        "hour": f'{dates}.strftime("%H").astype(float)',
    }
    return Task(
        words={"frame": code(frame.var), "column": code(column.name), "new": code(new), "part": DATE_PARTS[part]},
        body=f"{at(frame, new)} = {source}",
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (new,)} if frame.is_big else {},
        uses=((frame.var, (column.name,)),),
        checks=(f"{at(frame, new)}.nunique() > 1",),
        mistakes=(Mistake(f"{at(frame, new)} = {wrong}", "another part, or in another form"),),
        others=(f"{at(frame, new)} = {others[part]}",),
        board=board.with_column(frame, made),
    )
