"""`benchwright generalise` and `instantiate`: a problemset becomes a template, and one on other data."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.new_files import refuse_existing, write_new
from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption, progress_bar
from authoring.cli.output import emit, note
from authoring.seeds.workspace_setup import open_workspace
from evaluator.errors import UsageError
from evaluator.session import SandboxChoice


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("generalise", help="Make a template of a problemset: placeholders for data and columns.")(generalise)
    app.command("instantiate", help="Put a template on another seed; what makes no sense there is left out.")(
        instantiate
    )


def generalise(
    source: Annotated[str, typer.Argument(metavar="SET", help="NAME, NAME@3 or an id; or a problemset file.")],
    out: Annotated[Path, typer.Option(help="The template to write, YAML.")],
    seed: Annotated[str, typer.Option(help="The data that it is about; else the problemset's own seed.")] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Write a template."""
    from authoring.generalising.instantiating import template_of
    from authoring.generalising.outside_files import outside_files
    from authoring.generalising.template import write_template

    refuse_existing(out)
    made = template_of(open_workspace(workspace), source, seed_ref=seed)
    write_new(out, write_template(made))
    columns = [f"  <<{key}>>  {place.name} ({place.meaning})" for key, place in made.columns.items()]
    values = [
        f"  <<{key}>>  {place.was!r}: {place.rule} {place.at:g} of {place.column}" for key, place in made.values.items()
    ]
    result = {
        **{"file": str(out), "problems": made.problems, "tables": [table.file for table in made.tables.values()]},
        "columns": {key: place.name for key, place in made.columns.items()},
        "values": {key: place.model_dump() for key, place in made.values.items()},
        "notes": list(outside_files(made)),
    }
    for line in outside_files(made):
        note(f"look at {line}")
    what = f"template {made.name}: {made.problems} problems, written to {out}"
    emit(result, as_json, "\n".join([*columns, *values, what]))
    return 0


def instantiate(
    template: Annotated[Path, typer.Argument(metavar="TEMPLATE", help="A file of `benchwright generalise`.")],
    seed: Annotated[str, typer.Option(help="The data to put it on.")],
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="OLD=NEW", help="This column for that one; may be given again."),
    ] = None,
    name: Annotated[str, typer.Option(help="What the problemset is called; else after template and seed.")] = "",
    out: Annotated[Path | None, typer.Option(help="A file to write the problemset to, too.")] = None,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Make a problemset of a template and store it as a draft."""
    from authoring.generalising import instantiating
    from authoring.generalising.template import read_template
    from evaluator.session import Engine

    chosen = dict(_pair(each) for each in column or [])
    refuse_existing(out)
    found = read_template(template)
    with Engine(sandbox=sandbox) as engine, progress_bar() as on_event:
        made = instantiating.instantiate(
            open_workspace(workspace),
            found,
            seed,
            engine=engine,
            chosen=chosen,
            name=name,
            created_by=by,
            on_event=on_event,
        )
    if out is not None:
        write_new(out, made.text)
    for problem, why in made.left_out:
        note(f"left out {problem}: {why}")
    for line in made.notes:
        note(f"look at {line}")
    columns = [f"  {found.columns[key].name} -> {new or 'none'}" for key, new in made.match.to_json().items()]
    number = made.revision.number if made.revision else 0
    what = f"problemset {made.name}: {made.problems} of {found.problems} problems, revision {number}"
    emit(made.to_json(), as_json, "\n".join([*columns, what]))
    return 0


def _pair(text: str) -> tuple[str, str]:
    old, mark, new = text.partition("=")
    if not mark or not old.strip() or not new.strip():
        raise UsageError(f"{text!r} names no pair of columns", where="--column", fix="write --column OLD=NEW")
    return old.strip(), new.strip()
