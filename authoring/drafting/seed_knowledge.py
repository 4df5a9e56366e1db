"""What a model is told about a seed and about the sets that exist: profile, notebook, examples, covered ground."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from authoring.prompting.prompts import section
from authoring.seeds import ColumnProfile, Profile, TableProfile, find_traps, read_notebook
from authoring.store import revisions
from authoring.store.drafting.seeds import Seed
from authoring.store.workspace import Workspace
from evaluator.agents.chat import clipped
from evaluator.errors import ContentError
from evaluator.language import Problem, parse_problemset

MAX_PROFILE_CHARS: Final = 24_000
MAX_NOTEBOOK_CHARS: Final = 16_000
MAX_POINTS: Final = 80
MAX_SHOWN_VALUES: Final = 6


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
    points = [written] if isinstance(written, str) else written if isinstance(written, list | tuple) else ()
    return tuple(dict.fromkeys(str(point) for point in points))


def covered_section(points: Sequence[str]) -> str:
    """Return the part of a prompt that names what need not be asked again."""
    return section("Knowledge points that accepted sets already ask for", ", ".join(points[:MAX_POINTS]))


def notebook_section(ws: Workspace, seed: Seed) -> str:
    """Return the part of a prompt that shows the seed's notebook, reduced to its cells."""
    cells = read_notebook(ws, seed)
    shown = "\n\n".join(f"```python\n{c.source}\n```" if c.type == "code" else c.source for c in cells)
    return section("A notebook about the data (an idea, not a text to copy)", clipped(shown, MAX_NOTEBOOK_CHARS))


def profile_text(seed: Seed) -> str:
    """Return a seed as people and models read it: per table its file, rows and columns; then keys and traps.

    Raises:
        ContentError: If it has no profile.
    """
    profile = seed_profile(seed)
    made = "This data is synthetic: a program made it." if seed.synthetic else ""
    head = " ".join(part for part in (seed.title, seed.description, made) if part)
    lines = [head] if head else []
    for table in profile.tables:
        lines += ["", *_table_lines(table)]
    for key in profile.foreign_keys:
        here, there = profile.tables[key.table], profile.tables[key.to_table]
        lines.append(
            f"{key.coverage:.0%} of `{key.column}` of {here.file} are found in `{key.to_column}` of {there.file}."
        )
    lines += [
        f"Picture `inputs/{image.file}`: {image.width} x {image.height} pixels, mode {image.mode}."
        for image in profile.images
    ]
    traps = [f"{trap.file}: {trap.text}" for trap in find_traps(profile)]
    if traps:
        lines += ["", "Traps:", *(f"- {trap}" for trap in traps)]
    return clipped("\n".join(lines).strip(), MAX_PROFILE_CHARS)


def _table_lines(table: TableProfile) -> list[str]:
    sheet = f", sheet {table.sheet!r}" if table.sheet else ""
    repeated = f", {table.duplicate_rows} of them repeated" if table.duplicate_rows else ""
    options = "".join(f", {key}={value!r}" for key, value in table.options.items())
    read = f"pd.{table.reader}('inputs/{table.file}'{options})"
    head = (
        f"File `inputs/{table.file}`{sheet}: {table.rows} rows{repeated}, {len(table.columns)} columns; read by {read}"
    )
    return [head, *(f"- {_column_text(column)}" for column in table.columns)]


def _column_text(column: ColumnProfile) -> str:
    facts = [f"{column.dtype}, {column.role.value}", f"{column.distinct} distinct"]
    if column.missing:
        facts.append(f"{column.missing} missing")
    if column.min is not None:
        facts.append(f"from {column.min} to {column.max}")
    if column.mean is not None:
        facts.append(f"mean {column.mean:.6g}")
    if column.date_format:
        facts.append(f"dates written as {column.date_format}")
    values = [value for value, _ in column.top] or list(column.samples)
    if values:
        facts.append("such as " + ", ".join(repr(value)[:60] for value in values[:MAX_SHOWN_VALUES]))
    return f"`{column.name}`: " + "; ".join(facts)
