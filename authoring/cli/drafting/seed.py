"""`benchwright seed`: data files become idea seeds."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.drafting.seed_make_command import make
from authoring.cli.drafting.seed_personal_command import note_personal, personal
from authoring.cli.drafting.seed_semantics_command import semantics
from authoring.cli.drafting.seed_summaries import seed_summary, tables_text
from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.drafting.seeds import delete_seed, describe_seed, find_seed, list_seeds
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.seeds import SeedCard


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Add data files as an idea seed, list seeds, show one.", no_args_is_help=True)
    commands.command("add", help="Read data files in the sandbox, profile them, and keep them as a seed.")(add)
    commands.command("make", help="Draw tables from stated fields and distributions; a model may state them.")(make)
    commands.command("list", help="List the seeds of the workspace.")(list_all)
    commands.command("show", help="Show a seed with its columns and what is awkward about them.")(show)
    commands.command("describe", help="State or correct a seed's name, licence, source and the like.")(describe)
    commands.command("semantics", help="Show or correct what the columns and rows of a seed mean.")(semantics)
    commands.command("personal", help="Show or confirm columns that look like data about persons.")(personal)
    commands.command("remove", help="Remove a seed that nothing was made of.")(remove)
    app.add_typer(commands, name="seed")


TitleOption = Annotated[str, typer.Option("--title", help="One line that names the data.")]
DescriptionOption = Annotated[str, typer.Option("--description", help="What the data is about, with units.")]
SourceOption = Annotated[str, typer.Option("--source-url", help="Where the data comes from.")]
LicenceOption = Annotated[str, typer.Option("--licence", help="Under which licence it may be passed on.")]
PublishedOption = Annotated[str, typer.Option("--published-on", metavar="DATE", help="When it was published.")]
PopularityOption = Annotated[str, typer.Option("--popularity", help="How well known it is, such as '1,200 votes'.")]
SeedArgument = Annotated[str, typer.Argument(metavar="SEED", help="Its name or id.")]


def add(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Data files (CSV, TSV, JSON, Parquet, Excel), a folder, or a .zip."),
    ],
    name: Annotated[str, typer.Option(help="What the seed is called; else as the first file.")] = "",
    notebook: Annotated[Path | None, typer.Option(help="A notebook about the data; its cells give ideas.")] = None,
    title: TitleOption = "",
    description: DescriptionOption = "",
    source_url: SourceOption = "",
    licence: LicenceOption = "",
    published_on: PublishedOption = "",
    popularity: PopularityOption = "",
    synthetic: Annotated[bool, typer.Option("--synthetic", help="A program made the data.")] = False,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Add a seed."""
    from evaluator.session import Engine, scratch_folder

    texts = {"title": title, "description": description, "source_url": source_url, "licence": licence}
    texts |= {"published_on": published_on, "popularity": popularity}
    with Engine(sandbox=sandbox) as engine, scratch_folder() as folder:
        from authoring.seeds import add_seed, open_bundle
        from authoring.seeds.personal_data import seed_findings

        ws = open_workspace(workspace)
        bundle = open_bundle(files, folder, notebook=notebook)
        card = asked_for(bundle.card.with_facts(synthetic=synthetic, **texts), as_json)
        chosen = name or card.name or files[0].stem
        added = add_seed(
            ws,
            bundle.files,
            name=chosen,
            engine=engine,
            notebook=bundle.notebook,
            facts=card,
            semantics=bundle.semantics,
            created_by=by,
        )
        seed = find_seed(ws, added)
    note_lacking(card)
    told = note_personal(seed.name, seed_findings(ws, seed))
    found = {**seed_summary(seed), "left_out": list(bundle.left_out), "personal": told}
    left = f"; left out: {', '.join(bundle.left_out)}" if bundle.left_out else ""
    emit(found, as_json, f"seed {seed.id}, {seed.name}: {tables_text(found)}{left}")
    return 0


def asked_for(card: "SeedCard", as_json: bool) -> "SeedCard":
    """Ask for licence and source where nobody has stated them and somebody sits at a terminal."""
    if as_json or sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return card
    words = {"licence": "Licence of the data (empty: not known)", "source_url": "Source address (empty: none)"}
    lacking = [name for name in words if not getattr(card, name)]
    answers = {name: typer.prompt(words[name], default="", show_default=False, err=True) for name in lacking}
    return card.with_facts(**answers)


def note_lacking(card: "SeedCard") -> None:
    """Say which of licence and source is not stated, and how to state it later."""
    lacking = [name for name in ("licence", "source_url") if not getattr(card, name)]
    if lacking:
        options = " and ".join(f"--{name.replace('_', '-')}" for name in lacking)
        what = " and no ".join(lacking).replace("_url", "")
        note(f"note: no {what} is stated; benchwright seed describe takes {options}")


def describe(
    seed: SeedArgument,
    name: Annotated[str, typer.Option(help="A new name.")] = "",
    title: TitleOption = "",
    description: DescriptionOption = "",
    source_url: SourceOption = "",
    licence: LicenceOption = "",
    published_on: PublishedOption = "",
    popularity: PopularityOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Change what is stated about a seed."""
    texts = {"name": name, "title": title, "description": description, "source_url": source_url, "licence": licence}
    texts |= {"published_on": published_on, "popularity": popularity}
    given = {key: text for key, text in texts.items() if text}
    found = seed_summary(describe_seed(open_workspace(workspace), seed, **given))
    emit(found, as_json, f"seed {found['id']}, {found['name']}: {', '.join(given) or 'nothing'} changed")
    return 0


def remove(seed: SeedArgument, workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Remove a seed."""
    gone = delete_seed(open_workspace(workspace), seed)
    emit({"removed": gone.name, "id": gone.id}, as_json, f"seed {gone.id}, {gone.name}, removed")
    return 0


def list_all(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """List all seeds."""
    seeds = [seed_summary(seed) for seed in list_seeds(open_workspace(workspace))]
    lines = [f"{seed['id']:>4}  {seed['name']:<24} {tables_text(seed)}" for seed in seeds]
    emit({"seeds": seeds}, as_json, "\n".join(lines) or "no seeds")
    return 0


def show(
    seed: SeedArgument,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show one seed."""
    from authoring.drafting.seed_knowledge import profile_text
    from authoring.seeds.personal_data import seed_findings

    ws = open_workspace(workspace)
    found = find_seed(ws, seed)
    drawn = f"\n\nDrawn from this statement:\n\n{found.statement}" if found.statement else ""
    summary: dict[str, Any] = {"statement": found.statement} if found.statement else {}
    summary |= {**seed_summary(found), "personal": note_personal(found.name, seed_findings(ws, found))}
    emit(
        {**summary, "profile": found.profile}, as_json, f"seed {found.id}, {found.name}\n\n{profile_text(found)}{drawn}"
    )
    return 0
