"""Synthetic data on the screen: fields stated as YAML, or by a model, a look at such rows, and the seed's order."""

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import streamlit as st

from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import show_error, writes
from authoring.ui.inputs.refusals import draw_refusal, told_at
from authoring.ui.inputs.typed_text import sent, typed, typed_area, typed_line
from authoring.ui.jobs import order
from authoring.ui.model_setup import needs_model_help
from authoring.ui.seeds.author_options import author_options_of, draw_author_options
from authoring.ui.seeds.order_results import draw_made_job
from authoring.ui.shell.auth import current_user
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError, ToolkitError

if TYPE_CHECKING:
    from authoring.seeds.made.statement import MadeData

KEY: Final = "seed_make"  # and the key of its job
BY: Final = {"fields": "you, as YAML", "topic": "a model, from a topic"}
FIELDS: Final = "Fields"
SHOWN_ROWS: Final = 5
MOST_DRAWN: Final = 200  # rows of a table, for a look
MOST_ROWS: Final = 200_000
EXAMPLE: Final = """\
title: Orders of a made-up garden shop
tables:
- file: orders.csv
  rows: 300
  row: order
  fields:
  - {name: order_no, kind: id}
  - {name: ordered_on, kind: date, from: 2024-01-01, to: 2024-12-31, order: ascending}
  - {name: product, kind: category, values: [seeds, pots, soil], weights: [3, 1, 2], missing: 0.02}
  - name: price_eur
    kind: number
    unit: EUR
    distribution: {name: lognormal, mean: 1.5, sd: 0.4}
    effects: [{field: product, add: {pots: 4.0}}]
"""
FIELDS_HELP: Final = (
    "Kinds: id, category, number, integer, product, date, flag, key (to the id of a table above), text. The pages for "
    "maintainers, Made data, list what each of them states."
)


def draw_making(ws: Workspace) -> None:
    """Draw the form for a synthetic seed, and what became of the newest one."""
    with st.expander("Make synthetic data", icon=":material/science:"):
        st.caption(
            "Tables are drawn from stated fields and distributions: no value is a model's or anybody's. The seed is "
            "marked synthetic wherever it is described."
        )
        by = st.radio("Who states the fields", list(BY), format_func=BY.__getitem__, key=f"{KEY}:by", horizontal=True)
        name, rows, rng_seed = st.columns((2, 1, 1))
        with name:
            typed_line("Name", f"{KEY}:name", placeholder="letters, digits, - _ .", help="How commands call it.")
        rng_seed.number_input(
            "Random seed", 0, 2**32 - 1, key=f"{KEY}:rng_seed",
            help="Another number draws other values; 0: as the fields say.",
        )  # fmt: skip
        if by == "topic":
            _draw_topic()
        else:
            rows.number_input(
                "Rows", 2, MOST_ROWS, value=None, key=f"{KEY}:rows", placeholder="as stated", help="Of each table."
            )
            _draw_fields()
        st.button("Make the seed", key=f"{KEY}:send", type="primary", icon=":material/science:", on_click=make)
        draw_refusal(KEY)
    draw_made_job(ws, KEY)


def _draw_topic() -> None:
    typed_area(
        "Topic", f"{KEY}:topic", height=80, placeholder="orders of a garden shop over one year",
        help="A model states fields, distributions and relations; what does not fit goes back to it.",
    )  # fmt: skip
    if lacks_model := needs_model_help():
        st.caption(f"{lacks_model} Fields that you state need none.")
    draw_author_options(KEY, examples=False)


def _draw_fields() -> None:
    typed_area(FIELDS, f"{KEY}:fields", EXAMPLE, height=320, help=FIELDS_HELP)
    if st.toggle("Show a preview", key=f"{KEY}:preview"):
        try:
            _draw_preview(_stated())
        except ToolkitError as error:
            show_error(error)


def _draw_preview(data: "MadeData") -> None:
    """Draw the first rows of each table; long tables are drawn shorter for that."""
    from authoring.seeds.made.drawing import draw_tables

    short = [table.model_copy(update={"rows": min(table.rows, MOST_DRAWN)}) for table in data.tables]
    drawn = draw_tables(data.model_copy(update={"tables": short}))
    st.badge("synthetic", icon=":material/science:", color="orange")
    for table in data.tables:
        fields = plural(len(table.fields), "field")
        st.markdown(f"**{label(table.file)}** · {plural(table.rows, 'row')} · {fields}")
        st.table(_first_rows(drawn[table.file]), border="horizontal")
    st.caption(f"Rows like these will be drawn; of data whose tables have up to {MOST_DRAWN} rows, exactly these.")


def _first_rows(text: str) -> list[Mapping[str, str]]:
    rows = list(csv.DictReader(io.StringIO(text)))[:SHOWN_ROWS]
    return [{label(name, limit=60): label(value, limit=80) for name, value in row.items()} for row in rows]


def _stated() -> "MadeData":
    """Return what the fields, rows and random seed on the screen say.

    Raises:
        ContentError: If that can be no data; it names the place.
    """
    from authoring.seeds.made.statement import parse_statement, write_statement

    data = parse_statement(typed(f"{KEY}:fields"), where=FIELDS)
    rows = state.widget_value(f"{KEY}:rows")
    tables = [table.model_copy(update={"rows": int(rows or table.rows)}) for table in data.tables]
    rng_seed = int(state.widget_value(f"{KEY}:rng_seed") or data.rng_seed)
    asked = data.model_copy(update={"tables": tables, "rng_seed": rng_seed})
    return parse_statement(write_statement(asked), where=FIELDS)  # its limits hold anew


@writes(Role.MAINTAINER)
def make() -> None:
    """Order the seed."""
    with told_at(KEY):
        _order_seed()


def _order_seed() -> None:
    from authoring.seeds.adding import refuse_name
    from authoring.seeds.made.statement import write_statement

    name = typed(f"{KEY}:name").strip()
    if not name:
        raise ContentError("the seed has no name", where="Name", fix="name it, such as garden-orders")
    refuse_name(workspace(), name)
    by_model = state.widget_value(f"{KEY}:by") == "topic"
    if by_model and not typed(f"{KEY}:topic").strip():
        raise ContentError("the topic is empty", where="Topic", fix="say in a sentence what the tables are about")
    wishes = author_options_of(KEY) if by_model else {}
    wishes.pop("examples", None)
    order(
        "seed_make",
        {
            "name": name,
            **({"topic": typed(f"{KEY}:topic")} if by_model else {"statement": write_statement(_stated())}),
            "rng_seed": int(state.widget_value(f"{KEY}:rng_seed") or 0),
            "created_by": current_user(),
            **wishes,
        },
        key=KEY,
    )
    sent(f"{KEY}:name")
