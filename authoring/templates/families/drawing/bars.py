"""The family that draws a table of groups as bars, and what all families that draw have in common."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from authoring.seeds.semantics import Meaning
from authoring.templates.board import Board, Column, Result, Slots
from authoring.templates.family import Mistake, Task, family, text_slot
from authoring.templates.names_in_words import code, literal
from authoring.templates.phrasebook import BARS_DRAWN, BARS_OF_THE_TOP, BARS_ORDERED, NO_ERROR_BARS
from authoring.templates.phrases import Place
from evaluator.errors import ContentError

THEME: Final = "figures"
"""Of families that draw: their problems follow what they draw, in any stage (`planned_plots.py`)."""
JUDGED: Final[Mapping[str, Any]] = {"visual": {"pass_at": 0, "facts": ["data", "scales", "labels"]}}
"""What figures show decides, whatever they look like."""
PYPLOT: Final = "import matplotlib.pyplot as plt\n\n"
STARTUP_S: Final = 1.0
_BARS: Final = (3, 12)  # that are read at one look
_TOP: Final = 8  # bars of a table of many rows
_UPRIGHT: Final = 6  # bars under which names stand side by side
_SHORT: Final = 10  # characters of such names
_LONGEST: Final = 24  # characters of a name beside a bar


def labels(x: str, y: str) -> str:
    """Return the statements that name both axes and show the figure."""
    return f"\nplt.xlabel({literal(x)})\nplt.ylabel({literal(y)})\nplt.show()"


def axis_name(text: str) -> str:
    """Return the text of an axis as queries show it.

    Raises:
        ContentError: If it cannot stand in quotes.
    """
    if '"' in text or "`" in text or text != text.strip() or "$" in text:
        raise ContentError(f"no axis can be called {text!r} in a query", fix="choose another column")
    return f'"{text}"'


def can_name_an_axis(*names: str) -> bool:
    """Return whether names read the same on an axis: matplotlib takes what is between dollars for a formula."""
    return all(name == name.strip() and not set(name) & set('"`$\\') and 0 < len(name) <= 40 for name in names)


def is_named(column: Column) -> bool:
    """Return whether the values of a group are names that can stand at a bar, in an order that no level gives."""
    told = column.values
    plain = all(isinstance(value, str) and value == value.strip() and "$" not in value for value in told)
    return plain and bool(told) and column.means.meaning is not Meaning.ORDINAL and not column.means.is_part


@dataclass(frozen=True)
class Bars:
    """A table whose rows can be drawn as bars."""

    table: Result
    label: str  # column with the names of the bars
    value: str  # column with their lengths
    told: str  # what the lengths are, on their axis
    count: int  # rows of the table, as far as known
    longest: int  # characters of the longest name


def bars_of(board: Board) -> Iterator[Bars]:
    """Yield the tables that can be drawn as bars, the newest first."""
    for table in board.results_of(*_KINDS):
        found = _bars(board, table)
        if found is not None and can_name_an_axis(found.label, found.told) and found.longest <= _LONGEST:
            yield found


def _bars(board: Board, table: Result) -> Bars | None:
    facts = table.facts
    if table.kind == "words":
        return Bars(table, "word", "n", f"rows with the word in {facts['column']}", _TOP, 12)
    if table.kind == "links":
        longest = max(map(len, facts["others"]))
        return Bars(table, "column", "r", f"correlation with {facts['measure']}", len(facts["others"]), longest)
    frame = board.frame(facts["frame"])
    label = frame.column(facts["holder"] if table.kind == "totals" else facts["group"])
    if label.missing or not is_named(label):
        return None
    value, told = _lengths(table)
    longest = max((len(str(one)) for one in label.values), default=0)
    return Bars(table, label.name, value, told, facts.get("groups") or label.about.distinct, longest)


def _lengths(table: Result) -> tuple[str, str]:
    """Return the column of a table that bars show, and what their axis calls it."""
    facts = table.facts
    if table.kind == "group table":
        return str(facts["lead"]), f"{facts['lead']} {facts['number']}"
    if table.kind == "shares":
        return "share", f"share with {facts['second']} {facts['value']}"
    if table.kind == "totals":
        return "total", f"total {facts['number']}"
    if table.kind == "inside":
        return "mean", f"mean {facts['number']}"
    return ("lift", "lift") if table.kind == "makeup" else ("median", "median change")


_AVERAGES: Final = ("group table", "inside", "growth groups")  # at which some programs draw what was not asked
_KINDS: Final = ("group table", "shares", "inside", "makeup", "growth groups", "totals", "links", "words")


def propose_bars(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """A table of groups with names."""
    for bars in bars_of(board):
        if bars.count >= _BARS[0] and (bars.count <= _BARS[1] or bars.table.kind == "totals"):
            yield {"table": bars.table.var}


@family(
    theme=THEME,
    knowledge_points=("bar charts", "sorting"),
    idea="{told} in {table} as a bar chart",
    wordings=(
        "Show {value} of {table} as a bar chart: {bars}, {order}. Label the x axis {x} and the y axis {y}.",
        "I want to see this at a glance: draw {value} of {table} with {bars}, {order}. The x axis shall be labelled "
        "{x}, the y axis {y}.",
        "Turn {table} into a bar chart of {value}, with {bars}, {order}. Write {x} below the x axis and {y} beside the "
        "y axis.",
    ),
    propose=propose_bars,
    worth=1.5,
    about=("table",),
)
def bar_chart(board: Board, slots: Slots) -> Task:
    """Draw a table of groups as bars, in falling order."""
    var = text_slot(slots, "table")
    bars = next((one for one in bars_of(board) if one.table.var == var), None)
    if bars is None:
        raise ContentError(
            f"no earlier problem stores a table {var!r} that bars can show", fix="keep the one that does"
        )
    is_top = bars.count > _BARS[1]
    upright = bars.count <= _UPRIGHT and bars.longest <= _SHORT
    label, value = literal(bars.label), literal(bars.value)
    x, y = (bars.label, bars.told) if upright else (bars.told, bars.label)

    def draw(column: str = value, order: str | None = None, *, lies: bool = not upright, named: bool = True) -> str:
        ordered = f"{var}.nlargest({_TOP}, {column})" if is_top else var
        ordered += f".sort_values({order or column}, ascending={lies})"
        kind = "barh" if lies else "bar"
        ends = labels(x, y) if named else "\nplt.show()"
        return f"{PYPLOT}_bars = {ordered}\nplt.{kind}(_bars[{label}], _bars[{column}]){ends}"

    place = "horizontal" if not upright else "vertical"
    words = BARS_OF_THE_TOP[place] if is_top else BARS_DRAWN[place]
    places: dict[str, Place] = {"count": str(_TOP), "value": code(bars.value)} if is_top else {}
    kind = "bar" if upright else "barh"
    turned = "" if upright else "\n_axes.invert_yaxis()"
    ascending = f"_bars = {var}.sort_values({value}, ascending=False)" + (f".head({_TOP})" if is_top else "")
    named = f"_axes.set(xlabel={literal(x)}, ylabel={literal(y)})"
    return Task(
        words={
            "table": code(var),
            "value": code(bars.value),
            "told": axis_name(bars.told),
            "bars": words(label=code(bars.label), **places),
            "order": BARS_ORDERED[place],
            "x": axis_name(x),
            "y": axis_name(y),
        },
        body=draw(),
        look=f"_bars[{value}]",
        validators=JUDGED,
        notes=(NO_ERROR_BARS if bars.table.kind in _AVERAGES else None,),
        uses=((var, ()),),
        checks=(
            f"{_BARS[0]} <= len(_bars) <= {_BARS[1]}",
            f"_bars[{value}].round(9).is_unique",
            f"_bars[{value}].notna().all()",
            f"_bars[{label}].is_unique",
            *([f"{var}[{value}].nlargest({_TOP + 1}).round(9).is_unique"] if is_top else []),
        ),
        mistakes=(
            Mistake(draw(order=label), "in the order of the names", may_agree=True),
            Mistake(draw(lies=upright), "bars in the other direction"),
            Mistake(draw(named=False), "axes without names"),
            *_other_column(bars, draw),
        ),
        others=(
            f"{ascending}.set_index({label})[{value}]\n"
            f'_axes = _bars.plot.{kind}(color="seagreen", figsize=(9, 5), width=0.6)\n{named}{turned}',
            f'{PYPLOT}{ascending}\n_figure, _axes = plt.subplots(layout="constrained")\n_places = range(len(_bars))\n'
            f'_axes.{kind}(_places, _bars[{value}].to_numpy(), color="orange", edgecolor="black")\n'
            f"_axes.set_{'x' if upright else 'y'}ticks(_places, _bars[{label}])\n"
            f'_axes.set_title("An overview")\n{named}{turned}',
        ),
        conventions=1,
        startup_s=STARTUP_S,
        board=board,
    )


def _other_column(bars: Bars, draw: Any) -> Iterator[Mistake]:
    """Yield the mistake of drawing another column of the table."""
    other = {
        "group table": "n",
        "shares": "n",
        "inside": "n",
        "makeup": "share",
        "growth groups": "n",
        "totals": "share",
    }
    if bars.table.kind in other:
        yield Mistake(draw(literal(other[bars.table.kind])), "another column of the table", may_agree=True)
