"""Tasks that split a table at random, train a simple model and judge it."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from authoring.seeds import ColumnProfile, ColumnRole
from authoring.templates.board import Board, Frame, Slots
from authoring.templates.family import (
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names
from authoring.templates.phrasebook import ERRORS, MODELS, PERCENT

IMPORT_S: Final = 8.0  # seconds that importing scikit-learn may take
MAX_ROWS: Final = 5_000  # of a table that a model is trained on
MIN_ROWS: Final = 60


def propose_shuffled(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table that is not too big to be copied."""
    for frame in board.mains():
        if frame.rows >= 20 and not frame.is_big and board.free("train") == "train" and board.free("test") == "test":
            share, state = rng.choice([0.7, 0.75, 0.8]), rng.randint(1, 99)
            yield {"frame": frame.var, "share": share, "state": state, "train": "train", "test": "test"}


@family(
    theme="sampling",
    knowledge_points=("train and test split", "fixed random state"),
    idea="Split {frame} into {train} and {test} at random",
    wordings=(
        "Split {frame} at random: {train} is what `DataFrame.sample` draws with `frac={share}` and "
        "`random_state={state}`, in the order drawn; {test} holds all other rows in their present order. Both keep "
        "the index labels.",
        "Store a random {percent} of the rows of {frame} as {train}, drawn with the DataFrame's own `sample` "
        "(`frac={share}`, `random_state={state}`) and left in the order drawn, and the remaining rows in their "
        "original order as {test}. Do not reset the index of either.",
    ),
    propose=propose_shuffled,
    limit=1,
)
def random_split(board: Board, slots: Slots) -> Task:
    """Split a table at random with a fixed state."""
    frame, state = frame_slot(board, slots), count_slot(slots, "state")
    share, train, test = float(slots.get("share", 0.8)), text_slot(slots, "train"), text_slot(slots, "test")
    first = replace(frame, var=train, rows=round(frame.rows * share), made_by=board.step, steps={}, duplicates=0)
    return Task(
        words={
            "frame": code(frame.var),
            "share": f"{share:g}",
            "percent": PERCENT(number=f"{share * 100:g}"),
            "state": str(state),
            "train": code(train),
            "test": code(test),
        },
        body=(
            f"{train} = {frame.var}.sample(frac={share:g}, random_state={state})\n"
            f"{test} = {frame.var}.drop({train}.index)"
        ),
        stores=(train, test),
        uses=((frame.var, ()),),
        checks=(f"{frame.var}.index.is_unique", f"len({train}) > len({test}) > 1"),
        board=board.with_frame(first).with_variable(test),
    )


def propose_stratified(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A group column without gaps."""
    for frame in board.sources(rng)[:1]:
        for group in board.ordered(rng, [c for c in frame.groups(most=8) if not c.missing])[:3]:
            size = rng.choice([2, 3])
            counts = [count for _, count in group.top]
            labels = [c.name for c in board.ordered(rng, frame.labels([group.name]))[:2]]
            if len(counts) == group.distinct and min(counts) > size and labels:
                yield {
                    **{"frame": frame.var, "group": group.name, "size": size},
                    **{"state": rng.randint(1, 99), "show": [group.name, *labels]},
                }


@family(
    theme="sampling",
    knowledge_points=("sampling", "fixed random state", "groups"),
    idea="{size} random rows of each {group}",
    wordings=(
        "Draw {size} rows of each {group} of {frame} at random, with the `sample` method of the grouped DataFrame "
        "and `random_state={state}`. Return the columns {show} of the sample, order and index as they come.",
        "Take a stratified sample of {frame}: `DataFrame.groupby` by {group}, then its `sample` with `n={size}` "
        "and `random_state={state}`. Return {show} of the rows drawn without sorting or renumbering them.",
    ),
    propose=propose_stratified,
    limit=1,
)
def stratified_sample(board: Board, slots: Slots) -> Task:
    """Return a random sample of each group."""
    frame, group = frame_slot(board, slots), column_slot(frame_slot(board, slots), slots, "group")
    size, state = count_slot(slots, "size"), count_slot(slots, "state")
    show = [frame.column(str(name)).name for name in list_slot(slots, "show")]
    grouped = f"{frame.var}.groupby({literal(group.name)})"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "size": str(size),
            "state": str(state),
            "show": names(show),
        },
        result=f"{grouped}.sample(n={size}, random_state={state})[{literal(show)}]",
        uses=((frame.var, tuple(show)),),
        checks=(f"{grouped}.size().min() >= {size}",),
        cost=0.4,
        board=board,
    )


def _features(frame: Frame) -> list[ColumnProfile]:
    return [c for c in frame.numbers(distinct=8) if not c.missing and c.dtype != "object"]


def propose_model(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A split that an earlier problem made, some numbers without gaps, and a target."""
    frame = board.frames.get("train")
    if frame is None or "test" not in board.variables or not MIN_ROWS <= frame.rows <= MAX_ROWS:
        return
    numbers = board.ordered(rng, _features(frame))
    groups = [c for c in frame.groups(most=5) if not c.missing and c.role is ColumnRole.CATEGORY]
    sides = {"frame": frame.var, "test": "test"}
    if len(numbers) >= 3:
        chosen = numbers[: rng.choice([3, 4])]
        yield {
            **sides,
            "target": chosen[0].name,
            "columns": [c.name for c in chosen[1:]],
            "kind": "regression",
            "var": board.free("model"),
        }
    for group in board.ordered(rng, groups)[:1] if len(numbers) >= 2 else []:
        yield {
            **sides,
            "target": group.name,
            "columns": [c.name for c in numbers[:3]],
            "kind": "tree",
            "var": board.free("classifier"),
        }


FITTED: Final = {  # what is written, metric and tolerance of the validator
    "regression": (
        "from sklearn.linear_model import LinearRegression\n\n",
        "LinearRegression()",
        {"metric_type": "rmse", "tolerance": 0.01},
    ),
    "tree": (
        "from sklearn.tree import DecisionTreeClassifier\n\n",
        "DecisionTreeClassifier(max_depth=3, random_state=0)",
        {"metric_type": "accuracy", "tolerance": -0.02},
    ),
}


@family(
    theme="models",
    knowledge_points=("simple models", "train and test split", "supervised learning"),
    idea="A model {var} that predicts {target} from {columns}",
    wordings=(
        "Train {model} on {train} that predicts {target} from {columns}, in this order, and store it as {var}. "
        "Also store the columns {columns} of {test} as the DataFrame {inputs} and its {target} as the Series "
        "{labels}.",
        "Fit {model} to the rows of {train}: inputs {columns}, target {target}. Keep the fitted model as {var}; "
        "keep the same inputs of {test}, in the same order, as {inputs} and the target of {test} as {labels}.",
    ),
    propose=propose_model,
    limit=1,
)
def train_model(board: Board, slots: Slots) -> Task:
    """Train a small model on one part of a split and store the other part for judging it."""
    frame, test, var = frame_slot(board, slots), text_slot(slots, "test"), text_slot(slots, "var")
    kind = text_slot(slots, "kind", tuple(FITTED))
    target = column_slot(frame, slots, "target")
    columns = [column_slot(frame, {"one": name}, "one", _features(frame)).name for name in list_slot(slots, "columns")]
    imported, made, judged = FITTED[kind]
    inputs, labels = board.free("X_test"), board.free("y_test")
    better = f"({labels} == {var}.predict({inputs})).mean() > {labels}.value_counts(normalize=True).max()"
    if kind == "regression":
        better = f"({labels} - {var}.predict({inputs})).abs().max() > 1e-9"
    validator = {"model_name": var, "inputs_name": inputs, "labels_name": labels, **judged}
    return Task(
        words={
            "train": code(frame.var),
            "test": code(test),
            "target": code(target.name),
            "columns": names(columns),
            "model": MODELS[kind],
            "var": code(var),
            "inputs": code(inputs),
            "labels": code(labels),
        },
        body=(
            f"{imported}{var} = {made}\n"
            f"{var}.fit({frame.var}[{literal(columns)}], {at(frame, target)})\n"
            f"{inputs}, {labels} = {test}[{literal(columns)}], {test}[{literal(target.name)}]"
        ),
        stores=(inputs, labels),
        validators={"model": validator},
        uses=((frame.var, (target.name, *columns)),),
        checks=(f"{labels}.nunique() > 1", better),
        startup_s=IMPORT_S,
        board=board.with_variable(var, inputs, labels),
    )


def propose_judged(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A model that an earlier problem trained."""
    if {"model", "X_test", "y_test"} <= set(board.makers) and "train" in board.frames:
        yield {"frame": "train", "how": rng.choice(["mean", "max"])}


@family(
    theme="models",
    knowledge_points=("model evaluation", "reuse of results"),
    idea="The {how} of the model on the test rows",
    wordings=(
        "Let `model` predict `y_test` from `X_test` and return the {how} of the predictions, not rounded.",
        "How far off is `model` on the held-out rows? Compare its predictions for `X_test` with `y_test` and "
        "return the {how} as a number, without rounding.",
    ),
    propose=propose_judged,
    limit=1,
)
def model_error(board: Board, slots: Slots) -> Task:
    """Return the errors of a model's predictions."""
    frame, how = frame_slot(board, slots), text_slot(slots, "how", ("mean", "max"))
    errors = "(y_test - model.predict(X_test)).abs()"
    return Task(
        words={"how": ERRORS[how]},
        result=f"{errors}.{how}()",
        uses=((frame.var, ()), ("model", ())),
        checks=(f"{errors}.max() > 1e-9",),
        startup_s=IMPORT_S,
        board=board,
    )
