"""Families that fit a straight line and ask what it leaves unexplained."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from authoring.templates.board import MEAN_ROWS, Board, Column, Frame, Result, Slots
from authoring.templates.families.comparing.association import measures_of, own_frames, partners_of
from authoring.templates.families.comparing.totals import is_shown
from authoring.templates.family import (
    Form,
    Mistake,
    Task,
    at,
    column_slot,
    count_slot,
    family,
    frame_slot,
    lit,
    noun_of,
    rounding,
    text_slot,
)
from authoring.templates.made_columns import made_number
from authoring.templates.names_in_words import code, free_name, literal, slug
from authoring.templates.phrasebook import STRONGEST, WITH_BOTH
from authoring.templates.phrases import Place

CLEAR: Final = 0.35  # how closely two numbers go together of which one may explain the other


def propose_line(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of correlations, or two numbers of which one may explain the other."""
    taken = board.free("slope"), board.free("intercept")
    told = {line.facts["measure"] for line in board.results_of("line")}
    for links in [one for one in board.results_of("links") if one.facts["measure"] not in told]:
        yield {"links": links.var, "slope": taken[0], "intercept": taken[1]}
    if board.results_of("links"):
        return
    for frame in own_frames(board):
        for measure in [c for c in measures_of(board, frame)[:1] if c.name not in told]:
            partners = partners_of(board, frame, measure)
            if frame.is_panel:  # a change is explained by changes, a level by levels
                partners = [c for c in partners if (c.made_by > frame.made_by) == (measure.made_by > frame.made_by)]
            for partner in [c for c in partners if frame.tells(c, measure) >= CLEAR][:2]:
                yield {"frame": frame.var, "measure": measure.name, "partner": partner.name} | {
                    "slope": taken[0],
                    "intercept": taken[1],
                }


@family(
    theme="association",
    knowledge_points=("least squares", "simple regression"),
    idea="A straight line for {measure} over {partner}",
    wordings=(
        "By how much does {measure} change with {partner}? Fit a straight line by least squares in {frame}{known}. "
        "Store its slope and intercept as {slope} and {intercept}, and return R², the share of the variance of "
        "{measure} that it explains.",
        "How well does {partner} explain {measure}? Run a simple least-squares regression in {frame}{known}, keep its "
        "{slope} and {intercept} under these names, and return R².",
    ),
    propose=propose_line,
    about=("links", "measure", "partner"),
)
def regression_line(board: Board, slots: Slots) -> Task:
    """Fit a line and return the share of the variance that it explains."""
    links = board.result(text_slot(slots, "links"), "links") if "links" in slots else None
    frame = board.frame(links.facts["frame"]) if links else frame_slot(board, slots)
    measure = frame.column(links.facts["measure"]) if links else column_slot(frame, slots, "measure", frame.numbers())
    slope, intercept = text_slot(slots, "slope"), text_slot(slots, "intercept")
    if links:
        pick, x = f'_best = {links.var}["column"].iloc[0]\n', f"{frame.var}[_best]"
        partner_words: Place = STRONGEST(table=code(links.var))
        partner = ""
    else:
        column = column_slot(frame, slots, "partner", frame.numbers())
        pick, x, partner = "", at(frame, column), column.name
        partner_words = code(partner)
    y = at(frame, measure)
    both = f"{pick}_both = {x}.notna() & {y}.notna()\n_x, _y = {x}[_both], {y}[_both]\n"
    fit = both + f"{slope}, {intercept} = np.polyfit(_x, _y, 1)\n"
    r2 = "np.corrcoef(_x, _y)[0, 1] ** 2"
    is_whole = not (measure.missing or links or frame.column(partner).missing)
    used = ((links.var, ()), (frame.var, (measure.name,))) if links else ((frame.var, (measure.name, partner)),)
    after = board.with_result(
        slope,
        "line",
        frame=frame.var,
        measure=measure.name,
        partner=partner,
        links=links.var if links else "",
        intercept=intercept,
    ).with_variable(intercept)
    return Task(
        words={
            "frame": code(frame.var),
            "measure": code(measure.name),
            "partner": partner_words,
            "slope": code(slope),
            "intercept": code(intercept),
            "known": "" if is_whole else WITH_BOTH(rows=noun_of(frame)),
        },
        body=fit.strip(),
        result=r2,
        form=Form.VALUE,
        stores=(slope, intercept),
        stored_form=Form.EXACT,
        stored_rtol=2e-3,
        atol=6e-4,
        uses=used,
        checks=(f"0.05 < {r2} < 0.93", "_both.sum() >= 8"),
        mistakes=(
            Mistake(fit + "np.corrcoef(_x, _y)[0, 1]", "the correlation, not its square"),
            Mistake(both + f"{slope}, {intercept} = np.polyfit(_y, _x, 1)\n{r2}", "the axes change places"),
            Mistake(both + f"{intercept}, {slope} = np.polyfit(_x, _y, 1)\n{r2}", "slope and intercept change places"),
        ),
        others=(
            both + f"{slope} = ((_x - _x.mean()) * (_y - _y.mean())).sum() / ((_x - _x.mean()) ** 2).sum()\n"
            f"{intercept} = _y.mean() - {slope} * _x.mean()\n"
            f"1 - ((_y - {intercept} - {slope} * _x) ** 2).sum() / ((_y - _y.mean()) ** 2).sum()",
        ),
        board=after,
    )


def propose_rest(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A line that was fitted."""
    for line in board.results_of("line"):
        frame = board.frame(line.facts["frame"])
        new = free_name(f"{slug(line.facts['measure']) or 'value'}_residual", {c.name for c in frame.columns})
        yield {"line": line.var, "new": new}


def _x_of(board: Board, line: Result) -> tuple[str, str]:
    """Return how code reads the column that a line runs over, and the statement before it."""
    frame, links = line.facts["frame"], line.facts["links"]
    if links:
        return f"{frame}[_best]", f'_best = {links}["column"].iloc[0]\n'
    return at(frame, line.facts["partner"]), ""


@family(
    theme="association",
    knowledge_points=("residuals",),
    idea="What the line leaves unexplained of {measure}, as a column",
    wordings=(
        "Add a column {new} to {frame} that says how far {measure} lies above (or, negative, below) the line "
        "given by {line} and {intercept}.",
        "How far is each of the {rows} from that line? Put {measure} minus its value on the line ({line} and "
        "{intercept}) into {new}, a new column of {frame}.",
    ),
    propose=propose_rest,
    prepares=True,
    about=("line",),
)
def residual_column(board: Board, slots: Slots) -> Task:
    """Add the distance from a fitted line."""
    line, new = board.result(text_slot(slots, "line"), "line"), text_slot(slots, "new")
    frame = board.frame(line.facts["frame"])
    measure, intercept = frame.column(line.facts["measure"]), line.facts["intercept"]
    x, before = _x_of(board, line)
    target, y = at(frame, new), at(frame, measure)
    partner = line.facts["partner"]
    explaining = [frame.column(partner)] if partner else frame.numbers()  # any of them, where a table tells which
    spread = abs((measure.quantile("0.75") or 1.0) - (measure.quantile("0.25") or 0.0)) / 4
    made = made_number(
        board,
        new,
        measure.means.meaning,
        unit=measure.means.unit,
        typical=spread,
        missing=max(measure.missing, *(one.missing for one in explaining)),
        of=[measure, *(explaining if line.facts["partner"] else [])],
    )
    uses = [(line.var, ()), (frame.var, (measure.name,))]
    if line.facts["links"]:
        uses.append((line.facts["links"], ()))
    return Task(
        words={
            "frame": code(frame.var),
            "measure": code(measure.name),
            "line": code(line.var),
            "intercept": code(intercept),
            "new": code(new),
            "rows": noun_of(frame),
        },
        body=f"{before}{target} = {y} - ({intercept} + {line.var} * {x})",
        stores=(frame.var,),
        stored_form=Form.TABLE,
        makes={frame.var: (new,)} if frame.is_big else {},
        atol=rounding(spread),
        uses=tuple(uses),
        checks=(f"{target}.nunique() >= 5",),
        mistakes=(
            Mistake(f"{before}{target} = ({intercept} + {line.var} * {x}) - {y}", "the sign the other way round"),
            Mistake(f"{before}{target} = {y} - {line.var} * {x}", "leaves the intercept out"),
            Mistake(f"{before}{target} = {y} - {y}.mean()", "distance from the mean"),
        ),
        others=(f"{before}{target} = {y}.sub(np.polyval([{line.var}, {intercept}], {x}))",),
        board=board.with_column(frame, made).with_result(
            f"{frame.var}_{new}",
            "residuals",
            frame=frame.var,
            column=new,
            measure=measure.name,
            typical=spread,
            known=bool(line.facts["partner"]),
        ),
    )


def _residuals(board: Board, slots: Slots) -> tuple[Frame, Column, Result]:
    rest = board.result(text_slot(slots, "rest"), "residuals")
    frame = board.frame(rest.facts["frame"])
    return frame, frame.column(rest.facts["column"]), rest


def propose_missed(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Residuals, and groups that the line may not fit alike."""
    for rest in board.results_of("residuals"):
        frame = board.frame(rest.facts["frame"])
        column = frame.column(rest.facts["column"])
        measure = frame.column(rest.facts["measure"])
        told = {t.facts["group"] for t in board.results_of("group table") if t.facts["number"] == column.name}
        able = [
            g
            for g in frame.groups(least=3)  # of two, one lies as far above as the other below
            if not (g.is_related(column) or (g.sources and not rest.facts["known"]))
            and (g.smallest or MEAN_ROWS) >= MEAN_ROWS
            and g.name not in told
        ]
        for group in sorted(able, key=lambda g: -frame.tells(g, measure))[:3]:
            yield {"rest": rest.var, "group": group.name}


@family(
    theme="association",
    knowledge_points=("means of residuals", "grouping by an earlier column"),
    idea="For which {group} the line is off",
    wordings=(
        "Does the line fit all alike? Give the mean {column} for each {group} of {frame}, the most positive first.",
        "How far from the line are the {rows} of {frame} on average, by {group}? Give the mean {column} for each, the "
        "highest first.",
    ),
    propose=propose_missed,
    about=("group",),
)
def residuals_by_group(board: Board, slots: Slots) -> Task:
    """Return mean residuals by group."""
    frame, column, rest = _residuals(board, slots)
    group = column_slot(frame, slots, "group", frame.groups())
    grouped = f"{frame.var}.groupby({lit(group)})[{lit(column)}]"
    end = ".sort_values(ascending=False).reset_index()"
    return Task(
        words={
            "frame": code(frame.var),
            "group": code(group.name),
            "column": code(column.name),
            "rows": noun_of(frame),
        },
        result=f"{grouped}.mean(){end}",
        form=Form.RANKING,
        atol=rounding(rest.facts["typical"]),
        uses=((frame.var, (group.name, column.name)),),
        checks=(f"{grouped}.mean().round(6).is_unique", f"{grouped}.count().min() >= {MEAN_ROWS}"),
        mistakes=(
            Mistake(f"{grouped}.median(){end}", "medians"),
            Mistake(f"{at(frame, column)}.abs().groupby({at(frame, group)}).mean(){end}", "sizes without the sign"),
            Mistake(f"{grouped}.mean().sort_values().reset_index()", "the most negative first"),
        ),
        others=(
            f'{frame.var}.pivot_table(index={lit(group)}, values={lit(column)}, aggfunc="mean")[{lit(column)}]'
            ".sort_values(ascending=False)",
        ),
        board=board.with_fact("means told", group=group.name, number=column.name),
    )


def propose_far(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Residuals of rows that have names."""
    for rest in board.results_of("residuals"):
        if is_shown(board, rest.facts["column"]):
            continue
        for label in board.frame(rest.facts["frame"]).labels()[:1]:
            yield {"rest": rest.var, "label": label.name, "count": rng.choice((3, 5))}


@family(
    theme="association",
    knowledge_points=("top rows by absolute value",),
    idea="The {count} {rows} farthest from the line",
    wordings=(
        "Which {count} {rows} lie farthest from the line, above or below? Give {label} and {column} of {frame}, "
        "the farthest first.",
        "Name the {count} {rows} of {frame} whose {column} is largest in size, with {label} and {column}, the "
        "largest in size first.",
    ),
    propose=propose_far,
    about=(),
)
def farthest_from_line(board: Board, slots: Slots) -> Task:
    """Return the rows with the largest residuals in size."""
    frame, column, rest = _residuals(board, slots)
    label, count = column_slot(frame, slots, "label"), count_slot(slots, "count")
    show = literal([label.name, column.name])
    order = f"{frame.var}.sort_values({lit(column)}, key=abs, ascending=False)"
    return Task(
        words={
            "frame": code(frame.var),
            "label": code(label.name),
            "column": code(column.name),
            "count": str(count),
            "rows": noun_of(frame),
        },
        result=f"{order}[{show}].head({count}).reset_index(drop=True)",
        form=Form.RANKING,
        atol=rounding(rest.facts["typical"]),
        uses=((frame.var, (label.name, column.name)),),
        checks=(f"{at(frame, column)}.abs().nlargest({count + 1}).round(9).is_unique",),
        mistakes=(
            Mistake(f"{frame.var}.nlargest({count}, {lit(column)})[{show}]", "above the line only", may_agree=True),
            Mistake(f"{order}[{show}].tail({count})", "the nearest ones"),
        ),
        others=(
            f"_size = {at(frame, column)}.abs().nlargest({count})\n{frame.var}.loc[_size.index, {show}]"
            f".set_index({lit(label)})",
        ),
        board=board.with_fact("rows shown", number=column.name),
    )
