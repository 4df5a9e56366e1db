"""`benchwright sketch`: the problems that a seed can carry."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.authoring_options import ByOption, ModelOption, RngSeedOption, progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.rendering import emit
from authoring.pipeline.authors import Author

if TYPE_CHECKING:
    from authoring.store import Sketch


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sketch", help="List the problems that a seed can carry, by template or by a model.")(sketch)


def sketch(
    seed: Annotated[str, typer.Argument(help="Name or id of the seed.")],
    author: Annotated[Author, typer.Option(help="Who writes it.")] = Author.TEMPLATE,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    name: Annotated[str | None, typer.Option(help="What it is called; else after the seed, numbered.")] = None,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Sketch a problemset."""
    from authoring.pipeline import make_sketch, open_workspace
    from authoring.store import find_sketch

    ws = open_workspace(workspace)
    with progress_bar() as on_event:
        made = make_sketch(
            ws, seed, author=author, rng_seed=rng_seed, model=model, created_by=by, name=name, on_event=on_event
        )
    found = find_sketch(ws, made)
    emit(_as_json(found), as_json, _as_text(found))
    return 0


def _as_json(sketch: "Sketch") -> dict[str, Any]:
    plain = {key: getattr(sketch, key) for key in ("id", "name", "author", "rng_seed", "provenance")}
    return {**plain, "seed": sketch.seed_id, "items": [asdict(item) for item in sketch.items]}


def _as_text(sketch: "Sketch") -> str:
    lines = [f"sketch {sketch.id}, {sketch.name}: {len(sketch.items)} problems"]
    return "\n".join([*lines, *(f"{item.number:>4}. {item.query_idea}" for item in sketch.items)])
