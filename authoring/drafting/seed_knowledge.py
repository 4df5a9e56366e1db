"""What a model is told about a seed and about the sets that exist: data, meanings, rows, notebook, covered ground."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from authoring.prompting.blocks import BLOCKS, Block, Unit, block, cut_to_tokens, shares
from authoring.seeds import ColumnProfile, Profile, TableProfile, find_traps, read_notebook
from authoring.seeds.meanings.wording import semantics_text
from authoring.seeds.semantics import Semantics
from authoring.store import revisions
from authoring.store.drafting.seeds import Seed
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import clipped
from evaluator.errors import ContentError
from evaluator.language import Problem, parse_problemset

MAX_PROFILE_CHARS: Final = 24_000  # as people read it
MAX_POINTS: Final = 80
MAX_SHOWN_VALUES: Final = 6
MAX_COUNTED_VALUES: Final = 12
TOKENS_AROUND_TABLES: Final = 500  # for title, description and relations
TOKENS_AROUND_ROWS: Final = 40
QUARTILES: Final = ("0.25", "0.5", "0.75")


def seed_profile(seed: Seed) -> Profile:
    """Return the profile of a seed.

    Raises:
        ContentError: If it has none yet, or it cannot be read.
    """
    if seed.profile is None:
        raise ContentError(f"seed {seed.name!r} has no profile", where=f"seed {seed.id}", fix="add the seed again")
    return Profile.from_json(seed.profile)


def column_names(seed: Seed | None) -> tuple[str, ...]:
    """Return the names of all columns of a seed's tables, each once; empty without a profile."""
    if seed is None or seed.profile is None:
        return ()
    columns = (column.name for table in seed_profile(seed).tables for column in table.columns)
    return tuple(dict.fromkeys(columns))


def covered_points(ws: Workspace) -> tuple[str, ...]:
    """Return the knowledge points of all accepted problemsets, most frequent first."""
    sets = (parse_problemset(r.text, name=r.problemset_name).problemset for r in revisions.accepted(ws))
    counts = Counter(point for found in sets if found for p in found.problems for point in knowledge_points_of(p))
    return tuple(point for point, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def knowledge_points_of(problem: Problem) -> tuple[str, ...]:
    """Return the knowledge points that a problem names, in its order."""
    written = problem.metadata.get("knowledge_points") or ()
    points = [written] if isinstance(written, str) else written if isinstance(written, (list, tuple)) else ()
    return tuple(dict.fromkeys(str(point) for point in points))


def covered_block(points: Sequence[str]) -> Block:
    """Return the part of a prompt that names what need not be asked again."""
    title = "# Knowledge points that accepted sets already ask for"
    return block("covered", ", ".join(points[:MAX_POINTS]), title=title)


def notebook_block(ws: Workspace, seed: Seed) -> Block:
    """Return the part of a prompt that shows the seed's notebook, reduced to its cells."""
    cells = read_notebook(ws, seed)
    shown = "\n\n".join(f"```python\n{c.source}\n```" if c.type == "code" else c.source for c in cells)
    return block("notebook", shown, title="# A notebook about the data (an idea, not a text to copy)")


def data_blocks(seed: Seed, semantics: Semantics | None = None, *, title: str = "") -> tuple[Block, ...]:
    """Return the parts of a prompt that tell what the data are: columns, meanings, a few rows, traps.

    Args:
        seed: The seed.
        semantics: What its columns and rows mean; None: not known, and then not told.
        title: The heading of the first part, where the prompt has none of its own.

    Raises:
        ContentError: If it has no profile.
    """
    profile = seed_profile(seed)
    tables = [_table_text(table) for table in profile.tables]
    given = shares(tables, BLOCKS["data"].tokens - TOKENS_AROUND_TABLES)
    shown = [cut_to_tokens(text, tokens, Unit.LINES) for text, tokens in zip(tables, given, strict=True)]
    data = block("data", "\n\n".join(filter(None, (_head(seed), *shown, _relations(profile)))), title=title)
    data = replace(data, is_cut=data.is_cut or shown != tables)
    told = [semantics_text(semantics, table) for table in semantics.tables] if semantics else []
    meanings = block("meanings", "\n\n".join(told), title="## What rows and columns mean")
    samples = block("samples", _samples_text(profile), title="## A few rows")
    return data, meanings, samples, block("traps", _traps_text(profile), title="## Traps")


def profile_text(seed: Seed) -> str:
    """Return a seed as people read it: per table its file, rows and columns; then keys and traps.

    Raises:
        ContentError: If it has no profile.
    """
    profile = seed_profile(seed)
    traps = _traps_text(profile)
    parts = (_head(seed), *map(_table_text, profile.tables), _relations(profile), f"Traps:\n{traps}" if traps else "")
    return clipped("\n\n".join(filter(None, parts)), MAX_PROFILE_CHARS)


def _head(seed: Seed) -> str:
    made = "This data is synthetic: a program made it." if seed.synthetic else ""
    return " ".join(part for part in (seed.title, seed.description, made) if part)


def _relations(profile: Profile) -> str:
    lines = []
    for key in profile.foreign_keys:
        here, there = profile.tables[key.table], profile.tables[key.to_table]
        lines.append(
            f"{key.coverage:.0%} of `{key.column}` of {here.file} are found in `{key.to_column}` of {there.file}."
        )
    lines += [
        f"Picture `inputs/{image.file}`: {image.width} x {image.height} pixels, mode {image.mode}."
        for image in profile.images
    ]
    return "\n".join(lines)


def _traps_text(profile: Profile) -> str:
    return "\n".join(f"- {trap.file}: {trap.text}" for trap in find_traps(profile))


def _table_text(table: TableProfile) -> str:
    sheet = f", sheet {table.sheet!r}" if table.sheet else ""
    repeated = f", {table.duplicate_rows} of them repeated" if table.duplicate_rows else ""
    options = "".join(f", {key}={value!r}" for key, value in table.options.items())
    read = f"pd.{table.reader}('inputs/{table.file}'{options})"
    head = (
        f"File `inputs/{table.file}`{sheet}: {table.rows} rows{repeated}, {len(table.columns)} columns; read by {read}"
    )
    return "\n".join([head, *(f"- {_column_text(column)}" for column in table.columns)])


def _column_text(column: ColumnProfile) -> str:
    facts = [f"{column.dtype}, {column.role.value}", f"{column.distinct} distinct"]
    if column.missing:
        facts.append(f"{column.missing} missing")
    if column.min is not None:
        facts.append(f"from {_bound(column.min)} to {_bound(column.max)}")
    if column.mean is not None:
        facts.append(f"mean {column.mean:.6g}")
    if column.quantiles:
        facts.append("quartiles " + ", ".join(f"{column.quantiles[q]:.6g}" for q in QUARTILES if q in column.quantiles))
    if column.date_format:
        facts.append(f"dates written as {column.date_format}")
    if dates := column.forms_of("date"):
        facts.append(f"text that writes dates as {dates}")
    if numbers := column.forms_of("number"):
        facts.append(f"text that writes numbers as {numbers}")
    if values := _values_text(column):
        facts.append(values)
    return f"`{column.name}`: " + "; ".join(facts)


def _bound(value: float | str | None) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _values_text(column: ColumnProfile) -> str:
    """Return the most frequent values with their counts, else some values, unless quartiles say enough."""
    if not column.top and column.quantiles:
        return ""
    if not column.top:
        shown = ", ".join(repr(value)[:60] for value in column.samples[:MAX_SHOWN_VALUES])
        return f"such as {shown}" if shown else ""
    counted = ", ".join(f"{value!r:.60} ({count} rows)" for value, count in column.top[:MAX_COUNTED_VALUES])
    more = column.distinct - min(len(column.top), MAX_COUNTED_VALUES)
    return f"{counted} and {more} others" if more > 0 else counted


def _samples_text(profile: Profile) -> str:
    """Return the sampled rows of each table as comma-separated text; the tables share the block's tokens."""
    texts = [_rows_text(table) for table in profile.tables if table.sample_rows]
    given = shares(texts, BLOCKS["samples"].tokens - TOKENS_AROUND_ROWS)
    return "\n\n".join(cut_to_tokens(text, tokens, Unit.LINES) for text, tokens in zip(texts, given, strict=True))


def _rows_text(table: TableProfile) -> str:
    width = len(table.sample_rows[0])
    of = f"the first {width} of {len(table.columns)} columns, " if width < len(table.columns) else ""
    sheet = f", sheet {table.sheet!r}" if table.sheet else ""
    head = f"{table.file}{sheet} ({of}the first rows, one from the middle, the last):"
    rows = [tuple(column.name for column in table.columns[:width]), *table.sample_rows]
    return "\n".join([head, *(",".join(map(_cell_text, row)) for row in rows)])


def _cell_text(cell: str | None) -> str:
    """Return a cell as a comma-separated file would write it; one whose ends are blank is quoted, so that it shows."""
    flat = re.sub(r"\s", " ", cell or "")
    return json.dumps(flat, ensure_ascii=False) if flat != flat.strip() or set(flat) & set(',"`') else flat
