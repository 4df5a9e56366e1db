"""A statement becomes a seed: drawn, marked as synthetic, with the statement kept."""

from typing import TYPE_CHECKING

from authoring.seeds.adding import add_seed
from authoring.seeds.made.drawing import write_tables
from authoring.seeds.made.statement import MadeData, write_statement
from authoring.store.drafting.seeds import Seed, SeedFacts, find_seed
from authoring.store.workspace import Workspace
from evaluator.language import write_yaml

if TYPE_CHECKING:
    from evaluator.session import Engine

LICENCE = "CC0-1.0"  # nothing in drawn data is anybody's


def make_seed(
    ws: Workspace, data: MadeData, *, name: str, engine: "Engine", licence: str = LICENCE, created_by: str = ""
) -> Seed:
    """Draw the tables of a statement and add them as a seed.

    Raises:
        UsageError: If the name is taken or cannot be a name.
        ContentError: If a seed has the same data.
    """
    from evaluator.session import scratch_folder

    facts = SeedFacts(title=data.title, description=data.description, licence=licence, synthetic=True)
    with scratch_folder() as folder:
        added = add_seed(
            ws,
            write_tables(data, folder),
            name=name,
            engine=engine,
            facts=facts,
            semantics=_semantics(data),
            statement=write_statement(data),
            created_by=created_by,
        )
    return find_seed(ws, added)


def _semantics(data: MadeData) -> str:
    """Return what one row is, as a statement about the seed's meaning; empty where nothing is stated."""
    tables = [
        {"file": table.file, "row": table.row, "rows": table.row_plural or f"{table.row}s"}
        for table in data.tables
        if table.row
    ]
    return write_yaml({"tables": tables}) if tables else ""
