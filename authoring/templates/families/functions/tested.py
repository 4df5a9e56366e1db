"""Tasks that define a function which unit tests judge, and tasks that use it."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Callee, Slots, made_category
from authoring.templates.families.columns.deriving import new_column, new_slot
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    list_slot,
    text_slot,
)
from authoring.templates.names_in_words import code, is_quotable, literal, round_like, shown, slug
from authoring.templates.phrasebook import CLASS_RULE, FILLERS, LIST_DEEDS
from evaluator.errors import ContentError

LABELS: Final = (["low", "medium", "high"], ["small", "middle", "large"])
LISTS: Final[Mapping[str, tuple[str, tuple[list[float], ...]]]] = {  # functions of a list: statements, other cases
    "largest_drop": (
        "    worst = 0\n"
        "    for before, after in zip(values, values[1:]):\n"
        "        worst = max(worst, before - after)\n"
        "    return worst",
        ([], [3], [1, 2, 5], [5, 1, 4, -2], [2.5, 2.5]),
    ),
    "count_turns": (
        "    turns = 0\n"
        "    for before, here, after in zip(values, values[1:], values[2:]):\n"
        "        if (here > before and here > after) or (here < before and here < after):\n"
        "            turns += 1\n"
        "    return turns",
        ([], [4, 4], [1, 3, 2], [1, 3, 3, 2], [5, 1, 5, 1, 5]),
    ),
    "longest_rise": (
        "    longest = length = 0\n"
        "    for place, value in enumerate(values):\n"
        "        length = length + 1 if place and value > values[place - 1] else 1\n"
        "        longest = max(longest, length)\n"
        "    return longest",
        ([], [7], [1, 2, 2, 3, 4], [5, 4, 3], [1, 2, 3, 1, 2]),
    ),
}


def _case(value: Any) -> list[Any]:
    """Return a test case of one argument."""
    return [value]


def propose_classes(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number with known quantiles."""
    for frame in board.sources(rng)[:1]:
        for column in board.ordered(rng, frame.numbers(distinct=8, ranged=True))[:4]:
            edges = [round_like(column.quantiles[q], column) for q in ("0.25", "0.75")]
            if edges[0] < edges[1]:
                stem = slug(column.name, limit=16)
                name = board.free(f"{stem}_level" if stem else "level_of")
                yield {
                    **{"frame": frame.var, "column": column.name, "edges": edges},
                    **{"labels": rng.choice(LABELS), "var": name},
                }


def _edges(slots: Slots) -> tuple[list[Any], list[str]]:
    edges, labels = list_slot(slots, "edges"), [str(label) for label in list_slot(slots, "labels")]
    if len(edges) != 2 or len(labels) != 3 or not edges[0] < edges[1]:
        raise ContentError("two rising edges and three labels are needed", fix="correct slots 'edges' and 'labels'")
    return edges, labels


@family(
    theme="functions",
    knowledge_points=("functions", "conditions", "missing values"),
    idea="A function {function} that names the class of a {column}",
    wordings=(
        "Write a function {function} for single values of {column}. It returns {rule}. The function is tested on "
        "values of its own; nothing needs to be returned now.",
        "We need a function {function} that sorts values of {column} in {frame} into classes: it returns {rule}. "
        "Only define it; other code will call it.",
    ),
    propose=propose_classes,
    limit=1,
)
def tested_classes(board: Board, slots: Slots) -> Task:
    """Define a function that names the class of a number."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    column = column_slot(frame, slots, "column", frame.numbers(distinct=2))
    edges, labels = _edges(slots)
    step = 1 if column.integer else 0.01
    below, inside, above = edges[0] - step, (edges[0] + edges[1]) / 2, edges[1] + step
    cases = [_case(value) for value in (below, edges[0], inside, edges[1], above, edges[1] * 10, -1e9)]
    low, middle, high = (f'"{label}"' for label in labels)
    rule = CLASS_RULE(low=low, middle=middle, high=high, first=shown(edges[0]), second=shown(edges[1]))
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "function": code(f"{var}(value)"),
            "rule": rule,
        },
        body=(
            f"def {var}(value):\n"
            "    if pd.isna(value):\n"
            '        return "unknown"\n'
            f"    if value < {literal(edges[0])}:\n"
            f"        return {literal(labels[0])}\n"
            f"    if value <= {literal(edges[1])}:\n"
            f"        return {literal(labels[1])}\n"
            f"    return {literal(labels[2])}"
        ),
        look=f"[{var}(value) for value in {literal([below, inside, above])}]",
        validators={"table_test": {"function_name": var, "test_cases": [*cases, ["`float('nan')`"], ["`None`"]]}},
        uses=((frame.var, (column.name,)),),
        board=board.with_callee(Callee(var, column.name, board.step, of_values=True)),
    )


def propose_classified(board: Board, rng: Random) -> Iterator[dict[str, Any]]:  # noqa: ARG001
    """A function that an earlier problem defines for a column which is still there."""
    for frame in board.mains():
        for callee in [one for one in board.callees if one.of_values]:
            if any(column.name == callee.column for column in frame.numbers()):
                stem = slug(callee.column, limit=16)
                new = new_column(frame, f"{stem}_class" if stem else "class_of_row")
                yield {"frame": frame.var, "column": callee.column, "function": callee.var, "new": new}


@family(
    theme="functions",
    knowledge_points=("functions", "mapping", "reuse of results"),
    idea="The class of {column} by {function} in a column {new}",
    wordings=(
        "Apply {function} to every value of {column} in {frame}, missing ones included, and store the results in a "
        "new column {new}. Return a Series with the number of rows of each class, sorted by its index.",
        "Add a column {new} to {frame} that holds what {function} returns for {column} of the row (missing values "
        "are passed to it as well). Then count the rows per class and return the counts as a Series sorted by "
        "class.",
    ),
    propose=propose_classified,
    limit=1,
)
def apply_classes(board: Board, slots: Slots) -> Task:
    """Add the classes that the function names."""
    frame, new = frame_slot(board, slots), new_slot(frame_slot(board, slots), slots)
    column, function = column_slot(frame, slots, "column", frame.numbers(distinct=2)), text_slot(slots, "function")
    if function not in board.makers:
        raise ContentError(f"no earlier problem stores {function!r}", fix="keep the problem that does")
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "function": code(function),
            "new": code(new),
        },
        body=f"{at(frame, new)} = {at(frame, column)}.map({function})",
        result=f"{at(frame, new)}.value_counts().sort_index()",
        stores=() if frame.is_big else (frame.var,),
        uses=((frame.var, (column.name,)), (function, ())),
        checks=(f"{at(frame, new)}.nunique() >= 3",),
        cost=0.8,
        board=board.with_column(frame, made_category(new, ["one", "two", "three"], rows=frame.rows)),
    )


def propose_lists(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number without gaps whose first values make a test case."""
    for frame in board.sources(rng)[:1]:
        columns = [c for c in frame.numbers(distinct=8) if not c.missing]
        free = [name for name in LISTS if name not in board.variables]
        for column in board.ordered(rng, columns)[:2] if free else []:
            yield {"frame": frame.var, "column": column.name, "deed": rng.choice(free), "count": rng.choice([20, 30])}


@family(
    theme="functions",
    knowledge_points=("functions", "loops", "sequences"),
    idea="A function {function} for lists of numbers",
    wordings=(
        "Write a function {function} that takes a list of numbers, such as values of {column} in {frame}, and "
        "{deed}. It must not change the list. Only define it; it will be tested on several lists.",
        "Define {function}: given a list of numbers in order (for instance {column} of {frame}), it {deed}. The "
        "list itself stays as it is. Nothing needs to be returned now.",
    ),
    propose=propose_lists,
    limit=1,
)
def tested_list_function(board: Board, slots: Slots) -> Task:
    """Define a function of a list of numbers."""
    frame, name = frame_slot(board, slots), text_slot(slots, "deed", tuple(LISTS))
    column = column_slot(frame, slots, "column", [c for c in frame.numbers(distinct=2) if not c.missing])
    statements, cases = LISTS[name]
    samples = [value for value in column.samples if isinstance(value, int | float) and not isinstance(value, bool)]
    tests = [_case(list(case)) for case in cases]
    tests += [_case(samples), _case(samples[::-1])] if len(samples) >= 3 else []
    return Task(
        words={
            "frame": code(frame.var),
            "column": code(column.name),
            "function": code(f"{name}(values)"),
            "deed": LIST_DEEDS[name],
        },
        body=f"def {name}(values):\n{statements}",
        look=f"[{name}(case) for case in {[list(case) for case in cases]}]",
        validators={"table_test": {"function_name": name, "test_cases": tests}},
        uses=((frame.var, ()),),
        board=board.with_variable(name),
    )


def propose_tidy(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A text column."""
    for frame in board.sources(rng)[:1]:
        texts = [c for c in frame.texts() if len(_readable(c)) >= 2]
        for column in board.ordered(rng, texts)[:2] if "tidy" not in board.variables else []:
            yield {"frame": frame.var, "text": column.name, "sign": rng.choice(["_", "-"]), "var": "tidy"}


def _readable(column: ColumnProfile) -> list[str]:
    values = [str(v) for v, _ in column.top] or [str(v) for v in column.samples]
    return [v for v in values if is_quotable(v) and len(v) <= 40 and not v.startswith("//")][:4]


@family(
    theme="functions",
    knowledge_points=("functions", "strings", "missing values"),
    idea="A function {function} that writes texts in one form",
    wordings=(
        "Write a function {function} that brings texts such as those in {text} of {frame} into one form: lower "
        "case, without white space at the ends, and with {name} ({sign}) in place of each stretch of white space "
        "inside. For a missing value (NaN or None) it returns an empty text. Only define it; it will be tested.",
        "Define {function} for single values of {text}: it turns the text into lower case, removes white space at "
        "both ends and replaces every run of white space within by one {sign}; a missing value (NaN or None) gives "
        "an empty text. The function is judged by tests, so nothing needs to be returned.",
    ),
    propose=propose_tidy,
    limit=1,
)
def tested_text_function(board: Board, slots: Slots) -> Task:
    """Define a function that writes a text in one form."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    text, sign = column_slot(frame, slots, "text", frame.texts(distinct=2)), text_slot(slots, "sign", ("_", "-"))
    samples = _readable(text)
    cases = [*samples, f"  {samples[0]} ", f"{samples[-1]}  {samples[0].upper()}", "", "   ", "Two   Words\tHere"]
    return Task(
        words={
            "frame": code(frame.var),
            "text": code(text.name),
            "function": code(f"{var}(text)"),
            "sign": f'"{sign}"',
            "name": FILLERS[sign],
        },
        body=(
            f"def {var}(text):\n"
            "    if pd.isna(text):\n"
            '        return ""\n'
            f"    return {literal(sign)}.join(str(text).lower().split())"
        ),
        look=f"[{var}(text) for text in {literal(list(samples))}]",
        validators={"table_test": {"function_name": var, "test_cases": [*map(_case, cases), ["`None`"]]}},
        uses=((frame.var, ()),),
        board=board.with_variable(var),
    )
