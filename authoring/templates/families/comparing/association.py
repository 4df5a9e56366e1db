"""Families about how measures go together: correlations, a line, and what it leaves unexplained."""

from collections.abc import Iterator
from random import Random
from typing import Any

from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.column_names import is_numbered
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    family,
    frame_slot,
    list_slot,
    lit,
    noun_of,
    text_slot,
)
from authoring.templates.names_in_words import code, literal, names
from authoring.templates.phrasebook import BOTH_KNOWN, EACH_PAIR, NUMBER_OF_ROWS, RANK_CORRELATION


def own_frames(board: Board) -> list[Frame]:
    """Return the frames whose columns can be set against one another: of a series its changes, not its levels."""
    mains = board.mains()
    if not mains or not mains[0].is_series:
        return board.crosses()
    return [f for f in board.frames.values() if f.made_by > 1 and f.table == mains[0].table and not f.order]


def partners_of(board: Board, frame: Frame, measure: Column) -> list[Column]:
    """Return the numbers that a measure can be set against; those made of it are left out."""
    numbers = [c for c in frame.numbers() if c.missing < 0.5 * frame.rows]
    able = [c for c in numbers if not c.within and not frame.are_twins(c, measure) and not frame.are_parts(c, measure)]
    able = [c for c in able if is_numbered(measure.name) or not is_numbered(c.name)]  # shares of marks explain no mark
    return sorted(able, key=lambda c: -frame.tells(c, measure))


def _is_own(frame: Frame, column: Column) -> bool:
    """Return whether a column came with its frame and was not made in it later."""
    return column.made_by in (1, frame.made_by)


def measures_of(board: Board, frame: Frame) -> list[Column]:
    """Return the numbers that came with a frame, the one that the set is about first."""
    numbers = [c for c in frame.numbers(distinct=8) if c.missing < 0.5 * frame.rows and not c.within]
    ratios = [c for c in numbers if not _is_own(frame, c) and c.about.min is not None]  # no distances from a line
    own = sorted((c for c in numbers if _is_own(frame, c)), key=lambda c: c.name != board.focus.measure)
    return [*ratios, *own]


def propose_links(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A number and several others."""
    for frame in own_frames(board):
        for measure in measures_of(board, frame)[:1]:
            if any(line.facts["measure"] == measure.name for line in board.results_of("line")):
                continue  # what explains it was chosen already
            others = [c for c in partners_of(board, frame, measure) if _is_own(frame, c)]
            if len(others) >= 3:
                yield {
                    "frame": frame.var,
                    "measure": measure.name,
                    "others": [c.name for c in others[:6]],
                    "method": rng.choice(("spearman", "pearson")),
                    "var": board.free("links"),
                }


@family(
    theme="association",
    knowledge_points=("correlation", "sorting by absolute value"),
    idea="What goes together with {measure}, as {var}",
    wordings=(
        "What goes together with {measure}? Compute its {method} correlation with each of {others} in {frame} "
        "and store {var} with the columns `column` and `r`, the strongest first whatever the sign.",
        "Look for what might explain {measure}: {var}, a DataFrame of `column` and `r`, shall hold the {method} "
        "correlation of {measure} with {others} of {frame}, the largest `r` in size first, whatever its sign.",
    ),
    propose=propose_links,
    about=("measure",),
)
def correlations(board: Board, slots: Slots) -> Task:
    """Store correlations with one measure, strongest first."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    measure = column_slot(frame, slots, "measure", frame.numbers())
    others = [frame.column(str(name)) for name in list_slot(slots, "others")]
    method = text_slot(slots, "method", ("spearman", "pearson"))
    wrong = "pearson" if method == "spearman" else "spearman"
    chosen = literal([c.name for c in others])

    def table(how: str, order: str = "key=abs, ascending=False") -> str:
        return (
            f'{var} = (\n    {frame.var}[{chosen}].corrwith({at(frame, measure)}, method="{how}")\n'
            f'    .sort_values({order}).rename_axis("column").reset_index(name="r")\n)'
        )

    return Task(
        words={
            "frame": code(frame.var),
            "measure": code(measure.name),
            "others": names(c.name for c in others),
            "method": RANK_CORRELATION[method],
            "var": code(var),
        },
        notes=(EACH_PAIR(rows=noun_of(frame)) if any(c.missing for c in (measure, *others)) else None,),
        body=table(method),
        stores=(var,),
        stored_form=Form.RANKING,
        atol=6e-4,
        uses=((frame.var, (measure.name, *(c.name for c in others))),),
        checks=(
            f'{var}["r"].abs().round(4).is_unique',
            f'{var}["r"].notna().all()',
            f'{var}["r"].abs().max() < 0.9999',
        ),
        mistakes=(
            Mistake(table(wrong), f"the {wrong} correlation"),
            Mistake(table(method, "ascending=True"), "lowest first", may_agree=True),
            Mistake(f'{table(method)}\n{var}["r"] = {var}["r"] ** 2', "squares"),
        ),
        others=(
            f"_all = {frame.var}[[{lit(measure)}, "
            f'*{chosen}]].corr(method="{method}")[{lit(measure)}].drop({lit(measure)})\n{var} = '
            f'pd.DataFrame({{"column": _all.index, "r": _all.to_numpy()}})\n{var} = '
            f'{var}.iloc[(-{var}["r"].abs()).argsort()].reset_index(drop=True)',
        ),
        board=board.with_result(
            var, "links", frame=frame.var, measure=measure.name, others=tuple(c.name for c in others)
        ),
    )


def propose_within(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Two numbers, and groups within which they may go together otherwise."""
    for frame in own_frames(board):
        for measure in measures_of(board, frame)[:1]:
            partners = sorted(partners_of(board, frame, measure), key=lambda c: c.name != board.focus.partner)
            for partner in [c for c in partners if _is_own(frame, c)][:2]:
                alike = [
                    g for g in frame.groups(most=8) if (g.smallest or 8) >= 8 and frame.rows >= 12 * g.about.distinct
                ]
                for group in [g for g in alike if not (frame.are_twins(g, measure) or frame.are_twins(g, partner))][:2]:
                    yield {
                        "frame": frame.var,
                        "measure": measure.name,
                        "partner": partner.name,
                        "group": group.name,
                    } | {"var": board.free("within")}


@family(
    theme="association",
    knowledge_points=("correlation by group", "comparison with the whole"),
    idea="Whether {measure} and {partner} go together within each {group}, as {var}",
    wordings=(
        "Is the link between {measure} and {partner} the same everywhere? Store {var} with one row per {group} "
        "of {frame} and the columns {group}, `n` ({counted}), `r` (their Pearson correlation within the {group}) and "
        "`gap`, which is `r` minus the correlation over all {rows} of {frame}.",
        "Break the Pearson correlation of {measure} and {partner} down by {group}: a DataFrame {var} with {group}, "
        "`n` ({counted}), `r`, and `gap` = `r` minus the correlation in {frame} as a whole.",
    ),
    propose=propose_within,
    about=("measure", "partner", "group"),
)
def correlation_by_group(board: Board, slots: Slots) -> Task:
    """Store the correlation within each group and its distance from that of all rows."""
    frame, var = frame_slot(board, slots), text_slot(slots, "var")
    measure = column_slot(frame, slots, "measure", frame.numbers())
    partner = column_slot(frame, slots, "partner", frame.numbers())
    group = column_slot(frame, slots, "group", frame.groups())
    pair = literal([measure.name, partner.name])

    def steps(method: str = "", whole: str | None = None, rows: str = f"len(part.dropna(subset={pair}))") -> str:
        told = f', method="{method}"' if method else ""
        overall = whole or f"{at(frame, measure)}.corr({at(frame, partner)}{told})"
        return (
            f"_rows = [\n    (name, {rows}, part[{lit(measure)}].corr(part[{lit(partner)}]{told}))\n"
            f"    for name, part in {frame.var}.groupby({lit(group)})\n]\n"
            f'{var} = pd.DataFrame(_rows, columns=[{lit(group)}, "n", "r"])\n'
            f'{var}["gap"] = {var}["r"] - {overall}'
        )

    return Task(
        words={
            "frame": code(frame.var),
            "measure": code(measure.name),
            "partner": code(partner.name),
            "group": code(group.name),
            "var": code(var),
            "counted": (BOTH_KNOWN if measure.missing or partner.missing else NUMBER_OF_ROWS)(rows=noun_of(frame)),
            "rows": noun_of(frame),
        },
        body=steps(),
        stores=(var,),
        stored_form=Form.TABLE,
        atol=6e-4,
        uses=((frame.var, (measure.name, partner.name, group.name)),),
        checks=(
            f'{var}["n"].min() >= 8',
            f'{var}["r"].notna().all()',
            f'0.2 <= {var}["r"].abs().max()',  # there is a link
            f'{var}["r"].abs().min() < 0.95',  # and it is not the same thing twice
            f'np.ptp({var}["r"]) >= 0.05',
        ),
        mistakes=(
            Mistake(steps("spearman"), "rank correlations"),
            Mistake(steps(whole=f'{var}["r"].mean()'), "the gap to the mean of the groups"),
            Mistake(steps(rows=f"len({frame.var})"), "n is the same for all"),
        ),
        others=(
            f"_both = {frame.var}.dropna(subset={pair})\n"
            f"_wide = _both.groupby({lit(group)})[{pair}].corr().xs({lit(measure)}, level=1)[{lit(partner)}]\n"
            f'{var} = pd.DataFrame({{"n": _both.groupby({lit(group)}).size(), "r": _wide}}).reset_index()\n'
            f'{var}["gap"] = {var}["r"] - np.corrcoef(_both[{lit(measure)}], _both[{lit(partner)}])[0, 1]',
        ),
        board=board.with_result(var, "within", frame=frame.var, group=group.name, measure=measure.name),
    )


def propose_opposed(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of correlations within groups."""
    for table in board.results_of("within"):
        yield {"table": table.var}


@family(
    theme="association",
    knowledge_points=("weighted mean", "comparison with an earlier result"),
    idea="The average correlation within the groups of {table}",
    wordings=(
        "How strong is the link within one {group}, on average? Return the mean of `r` in {table}, weighted by "
        "`n`, and the {group} whose `r` is farthest from it.",
        "From {table}: the mean of `r` weighted by `n`, and the {group} that deviates most from that mean, in "
        "either direction.",
    ),
    propose=propose_opposed,
    about=("table",),
)
def average_within(board: Board, slots: Slots) -> Task:
    """Return the weighted mean correlation and the group that differs most from it."""
    table = board.result(text_slot(slots, "table"), "within")
    group, var = table.facts["group"], table.var
    body = f'_mean = np.average({var}["r"], weights={var}["n"])\n_away = ({var}["r"] - _mean).abs()'
    name = f"{var}.loc[_away.idxmax(), {literal(group)}]"
    plain = body.replace(f'np.average({var}["r"], weights={var}["n"])', f'{var}["r"].mean()')
    return Task(
        words={"table": code(var), "group": code(group)},
        body=body,
        result=f"(_mean, {name})",
        form=Form.VALUE,
        atol=6e-4,
        uses=((var, ()),),
        checks=(
            "_away.nlargest(2).round(4).is_unique",
            f"len({var}) >= 3",
            f'{var}["r"].min() > 0 or {var}["r"].max() < 0',  # signs would cancel
        ),
        mistakes=(
            Mistake(f"{plain}\n(_mean, {name})", "groups are not weighted"),
            Mistake(f"{body}\n(_mean, {var}.loc[_away.idxmin(), {literal(group)}])", "the nearest group"),
        ),
        others=(
            f'_m = ({var}["r"] * {var}["n"]).sum() / {var}["n"].sum()\n'
            f'_i = (({var}["r"] - _m) ** 2).to_numpy().argmax()\n[_m, {var}[{literal(group)}].iloc[_i]]',
        ),
        board=board,
    )
