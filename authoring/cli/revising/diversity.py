"""`benchwright diversity`: what the problems of several problemsets repeat, overuse and leave out."""

from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from authoring.seeds.workspace_setup import open_workspace

if TYPE_CHECKING:
    from authoring.revising.diversity import Diversity


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("diversity", help="List repeated problems, overused knowledge points and operations never used.")(
        diversity
    )


def diversity(
    problemsets: Annotated[list[str] | None, typer.Argument(help="NAME or NAME@3; else every problemset.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Measure diversity."""
    from authoring.revising.diversity import measure_diversity

    found = measure_diversity(open_workspace(workspace), problemsets or ())
    emit(found.to_json(), as_json, _as_text(found))
    return 0


def _as_text(found: "Diversity") -> str:
    lines = [f"{found.problems} problems in {len(found.problemsets)} problemsets"]
    lines += [f"does not parse: {name}" for name in found.unread]
    lines += [f"repeated: {each.one} and {each.other} ({each.why}, {each.likeness:.0%})" for each in found.repetitions]
    lines += [f"overused: {point} in {count} problems" for point, count in found.overused.items()]
    lines += [f"never used, {area}: {', '.join(names)}" for area, names in found.uncovered.items()]
    return "\n".join(lines)
