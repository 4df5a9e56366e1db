"""Families that hold rows back, predict them, and compare a model with what needs none."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import Board, Column, Frame, Result, Slots
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    column_slot,
    count_slot,
    family,
    frame_slot,
    list_slot,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names
from authoring.templates.phrasebook import ALL_OF_THEM
from authoring.templates.phrases import Ordinal

MIN_ROWS: Final = 60
MAX_ROWS: Final = 100_000
FIT_S: Final = 2.0  # to import scikit-learn


def _measure(board: Board, frame: Frame) -> list[Column]:
    numbers = [c for c in frame.numbers(distinct=10) if c.made_by == 1 and c.missing < 0.5 * frame.rows]
    return sorted(numbers, key=lambda c: c.name != board.focus.measure)


MAX_SIZE: Final = 1e5  # beside larger inputs scikit-learn's solver takes 0/1 columns for noise and drops them


def _is_scaled(column: Column) -> bool:
    most = column.about.max
    return isinstance(most, int | float) and abs(most) < MAX_SIZE


def propose_split(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A measure with several columns that may predict it."""
    for frame in board.crosses():
        if not MIN_ROWS <= frame.rows <= MAX_ROWS:
            continue
        for measure in _measure(board, frame)[:1]:
            features = [
                c
                for c in frame.numbers()
                if _is_scaled(c) and not frame.are_twins(c, measure) and c.made_by == 1 and c.missing < 0.2 * frame.rows
            ]
            groups = [c for c in frame.groups(most=8) if not c.missing]
            groups = [g for g in groups if not frame.are_twins(g, measure) and g.made_by == 1]
            groups.sort(key=lambda g: -frame.tells(g, measure))
            if features and groups and not frame.order:
                yield {
                    "frame": frame.var,
                    "measure": measure.name,
                    "features": [c.name for c in features[:4]],
                    "group": groups[0].name,
                    "step": rng.choice((4, 5)),
                    "train": board.free("train"),
                    "test": board.free("test"),
                }


@family(
    theme="models",
    knowledge_points=("train and test split",),
    idea="Every {nth} row with all that a prediction of {measure} needs, held back",
    wordings=(
        "Can {measure} be predicted from {inputs}? Take the {rows} of {frame}{known} in their order and hold back "
        "every {nth} one: the {nth}, the {second} and so on become {test}, all others {train}. Return how many {rows} "
        "each has, {train} first.",
        "We want to predict {measure} from {inputs}, so prepare a fair test: the {nth}, {second}, ... of the {rows} of "
        "{frame}{known}, kept in order, go to {test} and the rest to {train}. Return both numbers of {rows}, {train} "
        "first.",
    ),
    propose=propose_split,
    prepares=True,
    about=("measure",),
)
def hold_back(board: Board, slots: Slots) -> Task:
    """Split the complete rows by their position."""
    frame = frame_slot(board, slots)
    measure = column_slot(frame, slots, "measure", frame.numbers())
    features = [frame.column(str(name)) for name in list_slot(slots, "features")]
    group, step = column_slot(frame, slots, "group", frame.groups()), count_slot(slots, "step")
    train, test = text_slot(slots, "train"), text_slot(slots, "test")
    needed = [measure.name, *(c.name for c in features), group.name]
    known = f"_known = {frame.var}.dropna(subset={literal(needed)})\n"

    def split(is_test: str) -> str:
        return f"_is_test = {is_test}\n{train}, {test} = _known[~_is_test], _known[_is_test]\n"

    right = split(f"np.arange(len(_known)) % {step} == {step - 1}")
    made = [
        Frame(
            var=var,
            columns=tuple(c for c in frame.columns),
            rows=rows,
            table=frame.table,
            made_by=board.step,
            noun=frame.noun,
        )
        for var, rows in ((train, frame.rows * (step - 1) // step), (test, frame.rows // step))
    ]
    lacks = any(frame.column(name).missing for name in needed)
    end = f"(len({train}), len({test}))"
    after = board.with_result(
        train,
        "split",
        frame=frame.var,
        train=train,
        test=test,
        measure=measure.name,
        features=tuple(c.name for c in features),
        group=group.name,
        typical=measure.about.mean,
        kinds=group.about.distinct,
    ).with_variable(test)
    mistakes = [
        Mistake(known + split(f"np.arange(len(_known)) % {step} == 0") + end, "begins with the first row"),
        Mistake(known + split(f"np.arange(len(_known)) >= len(_known) * {step - 1} // {step}") + end, "the last rows"),
    ]
    if lacks:
        mistakes.append(Mistake(f"_known = {frame.var}\n" + right + end, "keeps rows with gaps"))
    return Task(
        words={
            "frame": code(frame.var),
            "measure": code(measure.name),
            "inputs": names(needed[1:]),
            "known": ALL_OF_THEM(columns=names(c for c in needed if frame.column(c).missing)) if lacks else "",
            "nth": Ordinal(step),
            "second": Ordinal(2 * step),
            "train": code(train),
            "test": code(test),
            "rows": noun_of(frame),
        },
        body=(known + right).strip(),
        result=end,
        form=Form.VALUE,
        stores=(train, test),
        stored_form=Form.TABLE,
        makes={one.var: tuple(needed) for one in made} if frame.is_big else {},
        uses=((frame.var, tuple(needed)),),
        checks=(f"len({test}) >= 10", f"set({test}[{lit(group)}]) <= set({train}[{lit(group)}])"),
        mistakes=tuple(mistakes),
        others=(
            f"_all = {frame.var}[{frame.var}[{literal(needed)}].notna().all(axis=1)]\n"
            f"{test} = _all.iloc[{step - 1}::{step}]\n{train} = _all.drop(index={test}.index)\n[{train}.shape[0], "
            f"{test}.shape[0]]",
        ),
        conventions=1,
        board=after,
    )


def _split(board: Board, slots: Slots) -> Result:
    return board.result(text_slot(slots, "split"), "split")


def propose_baseline(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Rows that were held back."""
    for split in board.results_of("split"):
        yield {"split": split.var, "var": board.free("baseline_error")}


@family(
    theme="models",
    knowledge_points=("baseline prediction", "mean absolute error"),
    idea="The error of predicting {measure} by the mean of its {group}, as {var}",
    wordings=(
        "What must a model beat? Predict {measure} of each row of {test} by the mean of its {group} in {train}, "
        "and store the mean absolute error of these predictions as {var}.",
        "Set a baseline: {var} is the mean absolute error in {test} when {measure} is predicted by the mean that "
        "its {group} has in {train}.",
    ),
    propose=propose_baseline,
    about=(),
)
def baseline_error(board: Board, slots: Slots) -> Task:
    """Store the error of predicting by the mean of the group."""
    split, var = _split(board, slots), text_slot(slots, "var")
    train, test = split.facts["train"], split.facts["test"]
    measure, group = literal(split.facts["measure"]), literal(split.facts["group"])

    def error(source: str, how: str = "mean") -> str:
        return f"_means = {source}.groupby({group})[{measure}].{how}()\n" + _error

    _error = f"{var} = ({test}[{measure}] - {test}[{group}].map(_means).astype(float)).abs().mean()"
    return Task(
        words={
            "measure": code(split.facts["measure"]),
            "group": code(split.facts["group"]),
            "train": code(train),
            "test": code(test),
            "var": code(var),
        },
        body=error(train),
        stores=(var,),
        stored_form=Form.EXACT,
        atol=rounding(split.facts["typical"]) / 10,
        uses=((split.var, ()), (test, ())),
        checks=(f"{var} > 0",),
        mistakes=(
            Mistake(error(test), "learns from the rows held back"),
            Mistake(error(train, "median"), "medians"),
            Mistake(f"{var} = ({test}[{measure}] - {train}[{measure}].mean()).abs().mean()", "one mean for all"),
        ),
        others=(
            f"_of = {train}.groupby({group})[{measure}].mean().to_dict()\n"
            f"{var} = float(np.mean([abs(y - _of[g]) for g, y in zip({test}[{group}], {test}[{measure}])]))",
        ),
        board=board.with_result(var, "baseline", split=split.var),
    )


def propose_model(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Rows that were held back."""
    for split in board.results_of("split"):
        if split.facts["kinds"] <= 8:
            yield {"split": split.var, "model": board.free("model"), "inputs": board.free("X_test")} | {
                "labels": board.free("y_test")
            }


@family(
    theme="models",
    knowledge_points=("linear regression", "dummy variables"),
    idea="A linear regression of {measure}, fitted on {train}",
    wordings=(
        "Fit a linear regression of {measure} on {train}, called {model}: the inputs are {features} and one 0/1 "
        "column for each value of {group} but the first in alphabetical order. Put the inputs of {test} into "
        "{inputs} and its {measure} into {labels}.",
        "Train {model}, scikit-learn's LinearRegression for {measure}, on {train}. Use {features}, and {group} "
        "as 0/1 columns without the alphabetically first value; {inputs} and {labels} are the same inputs and "
        "{measure} for {test}.",
    ),
    propose=propose_model,
    prepares=True,
    about=(),
)
def linear_model(board: Board, slots: Slots) -> Task:
    """Fit a linear regression; judged by how well it predicts."""
    split = _split(board, slots)
    model, inputs, labels = (text_slot(slots, key) for key in ("model", "inputs", "labels"))
    train, test = split.facts["train"], split.facts["test"]
    measure, group, features = split.facts["measure"], literal(split.facts["group"]), list(split.facts["features"])
    prepare = (
        "def _inputs_of(rows):\n"
        f"    kinds = sorted({train}[{group}].unique())[1:]\n"
        f'    flags = {{f"is_{{kind}}": (rows[{group}] == kind).astype(float) for kind in kinds}}\n'
        f"    return rows[{literal(features)}].astype(float).assign(**flags)\n\n\n"
    )

    def fit(rows: str = train, made: str = "_inputs_of", estimator: str = "LinearRegression()") -> str:
        return (
            f"{model} = {estimator}.fit({made}({rows}), {rows}[{literal(measure)}])\n"
            f"{inputs}, {labels} = {made}({test}), {test}[{literal(measure)}]"
        )

    start = "from sklearn.linear_model import LinearRegression\n\n\n" + prepare
    shuffled = f"{model} = LinearRegression().fit(_inputs_of({train}), {train}[{literal(measure)}].sort_values())\n"
    return Task(
        words={
            "measure": code(measure),
            "features": names(features),
            "group": code(split.facts["group"]),
            "train": code(train),
            "test": code(test),
            "model": code(model),
            "inputs": code(inputs),
            "labels": code(labels),
        },
        body=start + fit(),
        stores=(labels,),
        stored_form=Form.TABLE,
        validators={
            "model": {
                "model_name": model,
                "inputs_name": inputs,
                "labels_name": labels,
                "metric_type": "rmse",
                "tolerance": 0.01,  # solvers differ by so much where columns have very different sizes
            }
        },
        uses=((split.var, ()), (test, ())),
        checks=(f"{inputs}.notna().all().all()",),
        mistakes=(
            Mistake(
                start + shuffled + f"{inputs}, {labels} = _inputs_of({test}), {test}[{literal(measure)}]",
                "inputs and labels do not belong together",
            ),
            Mistake(
                "from sklearn.dummy import DummyRegressor\n\n\n" + prepare + fit(estimator="DummyRegressor()"),
                "predicts the mean",
            ),
        ),
        others=(start.replace("LinearRegression", "Ridge") + fit(estimator='Ridge(alpha=0.0, solver="svd")'),),
        startup_s=FIT_S,
        board=board.with_result(model, "model", split=split.var, inputs=inputs, labels=labels),
    )


def propose_gain(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A model and the error of a baseline."""
    for model in board.results_of("model"):
        for baseline in board.results_of("baseline"):
            yield {"model": model.var, "baseline": baseline.var}


@family(
    theme="models",
    knowledge_points=("model evaluation", "relative improvement"),
    idea="How much better {model} is than {baseline}",
    wordings=(
        "Was it worth it? Return the mean absolute error of {model} on {inputs} and {labels}, and by how many "
        "percent it is below {baseline} (negative if it is above).",
        "Compare {model} with the baseline: its mean absolute error for {inputs} against {labels}, and the "
        "reduction in percent of {baseline}.",
    ),
    propose=propose_gain,
    about=(),
)
def gain_over_baseline(board: Board, slots: Slots) -> Task:
    """Return the error of the model and its gain over the baseline."""
    model = board.result(text_slot(slots, "model"), "model")
    baseline = board.result(text_slot(slots, "baseline"), "baseline").var
    split = board.result(model.facts["split"], "split")
    inputs, labels = model.facts["inputs"], model.facts["labels"]
    error = f"_error = ({labels} - {model.var}.predict({inputs})).abs().mean()"
    rms = f"_error = (({labels} - {model.var}.predict({inputs})) ** 2).mean() ** 0.5"
    gain = f"(1 - _error / {baseline}) * 100"
    return Task(
        words={
            "model": code(model.var),
            "inputs": code(inputs),
            "labels": code(labels),
            "baseline": code(baseline),
        },
        body=error,
        result=f"(_error, {gain})",
        form=Form.VALUE,
        atol=min(rounding(split.facts["typical"]), 0.06),
        uses=((model.var, ()), (baseline, ()), (inputs, ()), (labels, ())),
        checks=(f"abs({gain}) > 0.2",),
        mistakes=(
            Mistake(f"{rms}\n(_error, {gain})", "the root mean squared error"),
            Mistake(f"{error}\n(_error, ({baseline} / _error - 1) * 100)", "in percent of the model's error"),
            Mistake(f"{error}\n(_error, {baseline} - _error)", "a plain difference"),
        ),
        others=(
            "from sklearn.metrics import mean_absolute_error\n\n"
            f"_mae = mean_absolute_error({labels}, {model.var}.predict({inputs}))\n"
            f"[_mae, 100 * ({baseline} - _mae) / {baseline}]",
        ),
        board=board,
    )
