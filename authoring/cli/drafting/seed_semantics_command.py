"""`benchwright seed semantics`: what the columns and rows of a seed mean; shown, corrected, proposed by a model."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.drafting.seeds import find_seed

if TYPE_CHECKING:
    from authoring.seeds.meanings.settings import TableSettings
    from authoring.seeds.meanings.stored import KnownSemantics
    from authoring.store.drafting.seeds import Seed
    from authoring.store.workspace import Workspace

SeedArgument = Annotated[str, typer.Argument(metavar="SEED", help="Its name or id.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="COLUMN=MEANING", help="Also COLUMN.unit=mm, COLUMN.adds_up=yes, COLUMN.levels=S,M,L."
    ),
]
ListOption = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Separated by commas; '-' for none.")]


def semantics(
    seed: SeedArgument,
    changes: SetOption = None,
    table: Annotated[str, typer.Option(metavar="FILE", help="Which table, where there are several.")] = "",
    row: Annotated[str | None, typer.Option(help="What one row is, such as 'flight'.")] = None,
    rows: Annotated[str | None, typer.Option(help="Its plural; else formed from --row.")] = None,
    order: ListOption = None,
    entity: ListOption = None,
    groups: ListOption = None,
    repeats: Annotated[
        bool | None, typer.Option("--repeats-are-errors/--repeats-are-fine", help="Whether equal rows are a mistake.")
    ] = None,
    propose: Annotated[bool, typer.Option("--propose", help="Ask a model; nothing counts before --accept.")] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Make what the model proposed count.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Forget what people and models stated.")] = False,
    model: Annotated[str | None, typer.Option(help="The model to ask; else the one of the environment.")] = None,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show what the columns of a seed mean, after what is asked for was changed."""
    from authoring.seeds.meanings.column_names import plural
    from authoring.seeds.meanings.settings import TableSettings
    from authoring.seeds.meanings.stored import accept_proposal, known_semantics, reset_semantics

    ws = open_workspace(workspace)
    found = find_seed(ws, seed)
    many = plural(row) if row and rows is None else "" if row == "" else rows
    whole = TableSettings(row, many, order, entity, groups, repeats)
    if reset:
        reset_semantics(ws, found)
    if propose:
        _propose(ws, found, model, by)
    if accept:
        accept_proposal(ws, found, accepted_by=by)
    if changes or whole.stated:
        _change(ws, found, table, changes or [], whole, by)
    known = known_semantics(ws, found)
    emit(semantics_json(known), as_json, semantics_table(known))
    for finding in known.findings:
        note(str(finding))
    return 0


def _change(ws: "Workspace", seed: "Seed", file: str, changes: list[str], whole: "TableSettings", by: str) -> None:
    from authoring.seeds.meanings.settings import find_table, statement_of_settings
    from authoring.seeds.meanings.stored import seed_profile_of, seed_semantics, state_semantics

    now = seed_semantics(ws, seed)
    table = find_table(now, file)
    stated = statement_of_settings(now, seed_profile_of(seed), table=table, columns=changes, whole=whole)
    state_semantics(ws, seed, stated, created_by=by)


def _propose(ws: "Workspace", seed: "Seed", model: str | None, by: str) -> None:
    from authoring.drafting.proposing import propose_semantics

    proposed = propose_semantics(ws, seed, model=model, created_by=by)
    note(f"the model would change {proposed} columns; benchwright seed semantics {seed.name} --accept makes them count")


def semantics_json(known: "KnownSemantics") -> dict[str, Any]:
    """Return what is known as plain JSON values."""
    from dataclasses import asdict

    tables = [asdict(table) for table in known.semantics.tables]
    proposal = known.proposal
    return {
        "tables": tables,
        "findings": [finding.to_json() for finding in known.findings],
        "proposal": None if proposal is None else {"text": proposal.text, "created_at": proposal.created_at},
    }


def semantics_table(known: "KnownSemantics") -> str:
    """Return what is known as a table for a terminal."""
    from authoring.seeds.meanings.wording import column_facts, said_by, table_lines

    lines: list[str] = []
    for table in known.semantics.tables:
        lines += [
            "",
            table.file + (f", sheet {table.sheet}" if table.sheet else ""),
            *table_lines(table, several=False),
            "",
        ]
        width = min(max((len(column.name) for column in table.columns), default=0), 32)
        for column in table.columns:
            lines.append(f"  {column.name:<{width}}  {', '.join(column_facts(column)):<46}  {said_by(column)}".rstrip())
    if known.proposal is not None:
        lines += ["", "A model's proposal waits: --accept makes it count, --reset forgets it.", "", known.proposal.text]
    return "\n".join(lines).strip()
