"""`benchwright sketch`: the problems that a seed can carry; shown, edited and commented on."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    ByOption,
    ExamplesOption,
    JsonOption,
    LanguageOption,
    ModelOption,
    RngSeedOption,
    WorkspaceOption,
    budget_of,
    progress_bar,
)
from authoring.cli.output import emit
from authoring.drafting.example_strategy import ExampleStrategy
from authoring.drafting.sketching import Author
from authoring.languages import Language
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.drafting.sketches import add_sketch_comment, find_sketch, list_sketch_comments
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from authoring.store.drafting.sketches import Sketch, SketchComment

NEW = "new"
SketchArgument = Annotated[str, typer.Argument(metavar="SKETCH", help="Name or id of the sketch.")]
PersonOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does this.")]


class SketchGroup(TyperGroup):
    """Subcommands, of which `new` may be left out: `benchwright sketch SEED` sketches the seed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `new` before arguments that name no subcommand."""
        if args and args[0] not in self.commands and not {"--help", "-h"} & set(args[:1]):
            args = [NEW, *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    about = "List the problems that a seed can carry (benchwright sketch SEED); show, edit and comment on such lists."
    commands = typer.Typer(cls=SketchGroup, help=about, no_args_is_help=True)
    commands.command(NEW, help="Sketch a problemset for a seed; 'new' may be left out.")(sketch)
    commands.command("show", help="Print the newest version of a sketch as a file to edit.")(show)
    commands.command("edit", help="Keep an edited file as the sketch's next version.")(edit)
    commands.command("comment", help="Comment on a sketch or on one of its items.")(comment)
    app.add_typer(commands, name="sketch")


def sketch(
    seed: Annotated[str, typer.Argument(help="Name or id of the seed.")],
    author: Annotated[Author, typer.Option(help="Who writes it.")] = Author.TEMPLATE,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    name: Annotated[str | None, typer.Option(help="What it is called; else after the seed, numbered.")] = None,
    examples: ExamplesOption = ExampleStrategy.ALL,
    mix: Annotated[str, typer.Option(help="What a model is asked for, such as easy=3,medium=6,hard=4.")] = "",
    difficulty: Annotated[str, typer.Option(help="What templates favour: easy, medium, hard or mix.")] = "mix",
    language: LanguageOption = Language.ENGLISH,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Sketch a problemset."""
    from authoring.drafting.sketching import make_sketch, read_mix

    _refuse_unused(author, mix, difficulty)
    wanted = read_mix(mix) if mix else None
    ws = open_workspace(workspace)
    with progress_bar() as on_event:
        made = make_sketch(
            ws,
            seed,
            author=author,
            difficulty=difficulty,
            rng_seed=rng_seed,
            model=model,
            created_by=by,
            name=name,
            examples=examples,
            mix=wanted,
            language=language,
            on_event=on_event,
            budget=budget_of(budget_tokens, budget_cost, budget_minutes),
        )
    found = find_sketch(ws, made)
    emit(_as_json(found), as_json, _as_text(found))
    return 0


def show(
    sketch: SketchArgument,
    form: Annotated[str, typer.Option("--format", help="yaml or json.")] = "yaml",
    out: Annotated[Path | None, typer.Option(help="Write the file here instead of printing it.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show a sketch; with --out, write it as a file to edit."""
    from authoring.drafting.sketch_files import write_sketch

    ws = open_workspace(workspace)
    found = find_sketch(ws, sketch)
    text = write_sketch(found, form, out)
    comments = [each for each in list_sketch_comments(ws, found.id) if each.resolved_at is None]
    shown = text.rstrip("\n") if out is None else f"sketch {found.name} written to {out}"
    emit({**_as_json(found), "comments": [asdict(c) for c in comments]}, as_json, shown + _comments_text(comments))
    return 0


def edit(
    sketch: SketchArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What 'sketch show' wrote, edited.", exists=True)],
    by: PersonOption,
    message: Annotated[str, typer.Option(help="What was changed.")] = "",
    minutes: Annotated[float, typer.Option(min=0.0, help="Minutes of work on it.")] = 0.0,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Keep an edited sketch; 1: the file is wrong, or somebody saved another version meanwhile."""
    from authoring.drafting.sketch_files import edit_sketch_file

    ws = open_workspace(workspace)
    found = edit_sketch_file(ws, sketch, file, author=by, message=message, minutes=minutes)
    emit(_as_json(found), as_json, _as_text(found))
    return 0


def comment(
    sketch: SketchArgument,
    text: Annotated[str, typer.Argument(help="What should change.")],
    by: PersonOption,
    item: Annotated[int | None, typer.Option(min=1, help="Number of the item; else the whole sketch.")] = None,
    kind: Annotated[str, typer.Option(help="repetitive, off_the_data, ambiguous, wrong_solution, other.")] = "other",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Comment on a sketch."""
    made = add_sketch_comment(open_workspace(workspace), sketch, author=by, text=text, kind=kind, item=item)
    emit({"id": made, "sketch": sketch, "item": item, "kind": kind}, as_json, f"comment {made} on sketch {sketch}")
    return 0


def _refuse_unused(author: Author, mix: str, difficulty: str) -> None:
    """Refuse a wish that this author would not hear."""
    if mix and author is Author.TEMPLATE:
        fix = "use --difficulty easy, medium, hard or mix, or --author model"
        raise UsageError("the template author takes no numbers of difficulties", where="--mix", fix=fix)
    if difficulty != "mix" and author is Author.MODEL:
        fix = "use --mix, such as easy=3,medium=6,hard=4"
        raise UsageError(f"a model is not told the wish {difficulty!r} of templates", where="--difficulty", fix=fix)


def _as_json(sketch: "Sketch") -> dict[str, Any]:
    plain = {key: getattr(sketch, key) for key in ("id", "name", "author", "rng_seed", "language", "provenance")}
    items = [asdict(item) for item in sketch.items]
    return {**plain, "seed": sketch.seed_id, "number": sketch.head_number, "items": items}


def _as_text(sketch: "Sketch") -> str:
    version = f", version {sketch.head_number}" if sketch.head_number > 1 else ""
    lines = [f"sketch {sketch.id}, {sketch.name}{version}: {len(sketch.items)} problems"]
    return "\n".join([*lines, *(f"{item.number:>4}. {item.query_idea}" for item in sketch.items)])


def _comments_text(comments: "list[SketchComment]") -> str:
    lines = [f"# comment {c.id} on {f'item {c.item}' if c.item else 'all'} by {c.author}: {c.text}" for c in comments]
    return "".join(f"\n{' '.join(line.split())}" for line in lines)
