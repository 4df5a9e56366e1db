"""`benchwright export`: problemsets in other forms."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.evaluating.import_ import write_new
from authoring.cli.evaluating.run import progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, EnvironmentOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note, print_diagnostics
from evaluator.errors import UsageError
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from evaluator.families.cibench.executed_outputs import Outputs
    from evaluator.language import Benchmark


def register(app: typer.Typer) -> None:
    """Add the command and its subcommand."""
    commands = typer.Typer(help="Write problemsets in other forms.", no_args_is_help=True)
    commands.command("notebook", help="Write a problemset as a notebook, from which it comes back unchanged.")(notebook)
    commands.command("problemset", help="Write problemsets of a workspace as a benchmark that can be run.")(problemset)
    commands.command("cibench", help="Write a benchmark as a folder of CIBench notebooks.")(cibench)
    commands.command("qwen", help="Write a benchmark as records of the Qwen code-interpreter benchmark.")(qwen)
    commands.command("results", help="Write a run as CIBench predictions or Qwen result lines.")(results)
    app.add_typer(commands, name="export")


def notebook(
    problemset: Annotated[str, typer.Argument(metavar="SET", help="A .py file, or with --workspace NAME or NAME@3.")],
    out: Annotated[Path | None, typer.Option(help="The .ipynb file to write; not overwritten.")] = None,
    workspace: Annotated[Path | None, typer.Option(help="The workspace that holds the set.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Export one problemset."""
    from authoring.conversion import notebook_of
    from evaluator.language.document import Document

    name, text = _text_of(problemset, workspace)
    parsed = Document.parse(text, name=name).require_readable()
    path = write_new(out or Path(f"{name}.ipynb"), notebook_of(parsed))
    found = {"path": str(path), "name": name, "problems": len(parsed.problems)}
    emit(found, as_json, f"{path}: {found['problems']} problems")
    return 0


def problemset(
    problemsets: Annotated[list[str], typer.Argument(metavar="SET...", help="NAME, NAME@3 or an id.")],
    out: Annotated[Path, typer.Option(help="The folder to write; it must be empty or not there.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Export problemsets, accepted or not, with their data; a release takes accepted ones alone."""
    from authoring.conversion.draft_folder import write_draft_folder
    from authoring.store.workspace import Workspace

    written = write_draft_folder(Workspace.open(workspace, create=False), problemsets, out)
    labels = [f"{each.problemset_name}@{each.number}" for each in written]
    emit({"out": str(out), "revisions": labels}, as_json, f"{out}: {', '.join(labels)}")
    return 0


def cibench(
    benchmark: Annotated[Path, typer.Argument(help="The folder of a benchmark.")],
    out: Annotated[Path, typer.Option(help="The folder to write; it must be empty or not there.")],
    execute: Annotated[
        bool, typer.Option("--execute", help="Run the reference code where no output was recorded, and store its own.")
    ] = False,
    data: Annotated[bool, typer.Option(help="Whether to copy the data files into `data`.")] = True,
    sandbox: Annotated[SandboxChoice, typer.Option(help="For --execute.")] = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    as_json: JsonOption = False,
) -> int:
    """Export all problemsets; outputs that were recorded are kept where the cell still says the same."""
    from evaluator.families.cibench.benchmark_folder import export_folder
    from evaluator.families.folders import refuse_taken
    from evaluator.language import read_benchmark

    about = read_benchmark(benchmark)
    refuse_taken(out)
    shown = _executed(about, environment, sandbox) if execute else {}
    written = export_folder(about, out, outputs=shown, has_data=data)
    note("note: notebooks hold neither rules, version nor `expected` of the manifest")
    count = "1 notebook" if len(written) == 1 else f"{len(written)} notebooks"
    emit({"out": str(out), "notebooks": [str(path) for path in written]}, as_json, f"{out}: {count}")
    return 0


def _executed(benchmark: "Benchmark", environment: str | None, sandbox: SandboxChoice) -> Mapping[str, "Outputs"]:
    from evaluator.environments import choose_environment
    from evaluator.families.cibench.executed_outputs import executed_outputs

    with progress_bar() as on_event:
        used = choose_environment(environment, benchmark)
        return executed_outputs(benchmark, environment=used, sandbox=sandbox, on_event=on_event)


def qwen(
    benchmark: Annotated[Path, typer.Argument(help="The folder of a benchmark whose sets have one problem each.")],
    out: Annotated[Path, typer.Option(help="The .jsonl file to write; not overwritten.")],
    as_json: JsonOption = False,
) -> int:
    """Export all problemsets; records that were not edited are as they were, to the letter."""
    from evaluator.families.qwen.benchmark_folder import export_file
    from evaluator.language import read_benchmark

    written = export_file(read_benchmark(benchmark), out)
    emit({"out": str(out), "records": written}, as_json, f"{out}: {written} {'record' if written == 1 else 'records'}")
    return 0


def results(
    run: Annotated[Path, typer.Argument(help="The folder that `run --mode ... --out` wrote.")],
    benchmark: Annotated[Path, typer.Option(help="Where the benchmark lies that was run.")],
    out: Annotated[Path, typer.Option(help="The folder to write, pictures too; it must be empty or not there.")],
    as_json: JsonOption = False,
) -> int:
    """Export a run; `benchwright import results` reads it again and finds the same scores."""
    from evaluator.families.result_files import export_results
    from evaluator.language import read_benchmark
    from evaluator.reporting.finished_run import read_run

    found = read_run(run, benchmark=benchmark)
    written = export_results(found.path, found.records, found.manifest, found.details, read_benchmark(benchmark), out)
    print_diagnostics(written.diagnostics)
    told = {
        "file": str(written.file),
        "family": written.family,
        "diagnostics": [each.to_json() for each in written.diagnostics],
    }
    emit(told, as_json, str(written.file))
    return 0


def _text_of(problemset: str, workspace: Path | None) -> tuple[str, str]:
    if workspace is not None:
        from authoring.store import revisions
        from authoring.store.workspace import Workspace

        revision = revisions.find(Workspace.open(workspace, create=False), problemset)
        return revision.problemset_name, revision.text
    from evaluator.language import read_benchmark

    if not Path(problemset).exists():
        fix = "name a .py file, or add --workspace W for a problemset of a workspace"
        raise UsageError(f"there is no file {problemset!r}", where=problemset, fix=fix)
    (loaded,) = read_benchmark(Path(problemset)).sets
    return loaded.name, loaded.portable_text
