"""`benchwright try`: an answer of one's own, judged as a submission."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.authoring_options import ByOption, progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, EnvironmentOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.revising.validators.answer_trials import TriedAnswer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("try", help="Judge an answer to a problem, and keep it as an example of the problem.")(try_)


def try_(
    problemset: Annotated[str, typer.Argument(help="Name of the problemset, or NAME@3 for its revision 3.")],
    problem: Annotated[str, typer.Argument(help="Id or number of the problem.")],
    file: Annotated[Path, typer.Argument(help="Python code: the answer.", exists=True, dir_okay=False)],
    keep: Annotated[
        str, typer.Option(metavar="accepted|rejected", help="Keep it in a new revision, if its verdict fits.")
    ] = "",
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Try an answer; 0: it was judged (and kept, if asked for), 1: its verdict does not fit `--keep`."""
    from authoring.revising.rebase import read_text_file
    from authoring.revising.validators.answer_trials import find_kept, keep_answer
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    kept, code = find_kept(keep), read_text_file(file)
    with Engine(sandbox=sandbox, environment=choose_environment(environment)) as engine, progress_bar() as on_event:
        from authoring.revising.validators.answer_trials import try_answer
        from authoring.seeds.workspace_setup import open_workspace  # meanwhile the engine warms up

        ws = open_workspace(workspace)
        tried = try_answer(ws, problemset, problem, code, engine=engine, on_event=on_event)
    saved = keep_answer(ws, tried, kept, by=by) if kept else None
    said = f"\nkept as {keep} in {saved.problemset_name}@{saved.number}" if saved else ""
    result = {**tried.to_json(), "kept": keep or None, "revision": saved.number if saved else None}
    emit(result, as_json, _as_text(tried) + said)
    return 0


def _as_text(tried: "TriedAnswer") -> str:
    from authoring.revising.affected.rerunning import outputs_text
    from evaluator.scoring import wanted_in_words

    judged = tried.judged
    sub = f" {judged.subverdict.value}" if judged.subverdict.value != "UNCATEGORIZED" else ""
    lines = [f"{tried.label}, {tried.cell.name}: {judged.verdict.value}{sub}"]
    lines += [f"reason: {judged.reason}"] if judged.reason else []
    if tried.reference is not None and tried.reference.verdict.value != "CORRECT":
        lines.append(f"the reference itself: {tried.reference.verdict.value}")
    for kept in tried.examples:
        said = "" if kept.holds else f", but must be {wanted_in_words(kept.example)}"
        lines.append(f"{kept.example.where}: {kept.judged.verdict.value}{said}")
    shown = outputs_text(tried.to_json()["outputs"], tried.to_json()["error"])
    return "\n".join([*lines, *(f"  {line}" for line in shown.split("\n") if shown)])
