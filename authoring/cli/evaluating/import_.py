"""`benchwright import`: notebooks, records, problemsets and results that were made elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note, print_diagnostics, saved_revision
from evaluator.errors import UsageError
from evaluator.running import RECORDS, BadRecordsError, ImportedRun, import_results
from evaluator.running.attempt_facts import read_attempts

if TYPE_CHECKING:
    from authoring.conversion import Converted


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Import what was made elsewhere.", no_args_is_help=True)
    commands.command("notebook", help="Turn a notebook of questions and answers, or one of ours, into a problemset.")(
        notebook
    )
    commands.command("completions", help="Turn records of prompt, solution and test into a problemset.")(completions)
    commands.command("problemset", help="Put a problemset file into a workspace.")(problemset)
    commands.command("benchmark", help="Put all problemsets of a benchmark into a workspace, from a folder or a .zip.")(
        benchmark
    )
    commands.command(
        "results", help="Turn result records, DSEval's or ours, or CIBench predictions into a run folder."
    )(results)
    commands.command("cibench", help="Turn a folder of CIBench notebooks into a benchmark.")(cibench)
    commands.command("qwen", help="Turn records of the Qwen code-interpreter benchmark into a benchmark.")(qwen)
    app.add_typer(commands, name="import")


NameOption = Annotated[str | None, typer.Option("--name", help="What the set is called; else as the file.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="The .py file to write; not overwritten.")]
IntoOption = Annotated[Path | None, typer.Option("--workspace", help="Put it into this workspace instead of a file.")]
SeedOption = Annotated[str | None, typer.Option("--seed", help="The seed of that workspace that it is about.")]


def notebook(
    file: Annotated[Path, typer.Argument(help="A .ipynb file.")],
    solutions: Annotated[
        Path | None, typer.Option("--solutions", help="A notebook with the answers to the questions of the first.")
    ] = None,
    out: OutOption = None,
    name: NameOption = None,
    workspace: IntoOption = None,
    seed: SeedOption = None,
    by: ByOption = "",
    as_json: JsonOption = False,
) -> int:
    """Convert a notebook; what needs a person is listed on standard error."""
    from authoring.conversion import is_ours, problemset_from_exercises, problemset_of, read_notebook_file

    book = read_notebook_file(file)
    solved = read_notebook_file(solutions) if solutions is not None else None
    made = (
        problemset_of(book)
        if is_ours(book) and solved is None
        else problemset_from_exercises(book, name=name, solutions=solved)
    )
    return _keep(made, name or made.name, out, workspace, seed, by, as_json)


def completions(
    file: Annotated[Path, typer.Argument(help="JSON Lines, or one JSON list.")],
    out: OutOption = None,
    name: NameOption = None,
    workspace: IntoOption = None,
    seed: SeedOption = None,
    by: ByOption = "",
    as_json: JsonOption = False,
) -> int:
    """Convert records; what needs a person is listed on standard error."""
    from authoring.conversion import problemset_from_completions

    made = problemset_from_completions(file, name=name)
    return _keep(made, name or made.name, out, workspace, seed, by, as_json)


def problemset(
    file: Annotated[Path, typer.Argument(help="A problemset file; its inputs lie in _inputs beside it.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    name: NameOption = None,
    seed: SeedOption = None,
    by: ByOption = "",
    as_json: JsonOption = False,
) -> int:
    """Put a file into a workspace; 0: it is kept, 1: it has errors, each is named, and nothing is stored."""
    from authoring.conversion import import_file
    from authoring.seeds.workspace_setup import open_workspace
    from authoring.store.settings import workspace_validators
    from evaluator.language import read_benchmark

    if file.is_dir():
        fix = f"name one .py file of it, or use 'benchwright import benchmark {file}'"
        raise UsageError(f"{str(file)!r} is a folder, not a problemset file", where=str(file), fix=fix)
    ws = open_workspace(workspace)
    (loaded,) = read_benchmark(file, own_validators=workspace_validators(ws)).sets
    print_diagnostics(loaded.diagnostics)
    kept = import_file(ws, loaded, name=name or "", seed=seed, author=by, message=f"imported from {file.name}")
    found = {"problemset": kept.problemset_id, **saved_revision(kept), "name": kept.problemset_name}
    emit(found, as_json, f"problemset {kept.problemset_id}, {kept.problemset_name}, revision {kept.number}")
    return 0


def benchmark(
    source: Annotated[Path, typer.Argument(help="The benchmark's folder, or a .zip of it.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    by: ByOption = "",
    as_json: JsonOption = False,
) -> int:
    """Put a benchmark into a workspace; 0: all of it is kept, 1: something is refused, by name and reason."""
    from authoring.conversion import import_benchmark
    from authoring.seeds.workspace_setup import open_workspace
    from evaluator.session import scratch_folder

    with scratch_folder() as folder:
        made = import_benchmark(open_workspace(workspace), source, folder, author=by)
    for name, why in made.refused:
        note(f"refused {name}: {why}")
    if made.own_validators:
        note("note: copy its _validators.py into the workspace's folder to judge by its own validators")
    emit(made.to_json(), as_json, f"{made.benchmark}: {len(made.kept)} problemsets kept, {len(made.refused)} refused")
    return 1 if made.refused else 0


def _keep(
    made: "Converted",
    name: str,
    out: Path | None,
    workspace: Path | None,
    seed: str | None,
    by: str,
    as_json: bool,
) -> int:
    from authoring.conversion import import_converted
    from authoring.seeds.workspace_setup import open_workspace

    for finding in made.findings:
        note(str(finding))
    if workspace is not None:
        ws = open_workspace(workspace)
        kept = import_converted(ws, made, name=name, seed=seed, author=by)
        where: dict[str, object] = {"problemset": kept.problemset_id, **saved_revision(kept)}
        text = f"problemset {kept.problemset_id}, {kept.problemset_name}"
    else:
        path = write_new(out or Path(f"{name}.py"), made.text.encode())
        where = {"path": str(path)}
        text = str(path)
    found = len(made.findings)
    people = f"; {found} {'thing needs' if found == 1 else 'things need'} a person" if found else ""
    count = "1 problem" if made.problems == 1 else f"{made.problems} problems"
    emit({**made.to_json(), **where}, as_json, f"{text}: {count}{people}")
    return 0


def write_new(path: Path, data: bytes) -> Path:
    """Write a file that is not there yet.

    Raises:
        UsageError: If it is there, or its folder is not.
    """
    try:
        with path.open("xb") as stream:
            stream.write(data)
    except FileExistsError:
        raise UsageError(f"{str(path)!r} exists", fix="name another file with --out, or remove it") from None
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise UsageError(
            f"{str(path)!r} cannot be written", fix="make its folder first, or name another file"
        ) from None
    return path


def results(
    file: Annotated[
        Path,
        typer.Argument(help="Result records, one a line; a run's folder; CIBench predictions or Qwen results."),
    ],
    out: Annotated[Path | None, typer.Option(help="Folder to write.  [default: runs/ and the file's name]")] = None,
    benchmark: Annotated[Path | None, typer.Option(help="What they are about; predictions need it.")] = None,
    mode: Annotated[
        str | None,
        typer.Option(help="Of predictions: end-to-end (if not said), oracle, oracle-as-run, oracle-from-truth."),
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help="By which predictions are scored: published (if not said), sound.")
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option(help="Enter it as a run of this workspace, whose folder runs/ it goes to.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Import a file; 0: everything is in the folder, 1: lines are no records, each is named."""
    from evaluator.families.predicted_run import family_of_results
    from evaluator.families.result_files import results_in
    from evaluator.reporting import summarise_run

    where = out or (workspace or Path()) / "runs" / file.stem
    file = results_in(file)
    if not file.is_dir() and family_of_results(file) is not None:
        if workspace is not None:
            fix = "import them in the app: Runs, Import results; or without --workspace"
            raise UsageError("predictions are not entered into a workspace here", where="--workspace", fix=fix)
        return _predictions(file, where, benchmark, mode, rules, as_json)
    if (mode or rules) and file.is_file():
        fix = "leave them out: records hold verdicts, which are kept as they are"
        raise UsageError("--mode and --rules are for predictions, and this file holds none", where=str(file), fix=fix)
    try:
        imported = _imported(file, where, benchmark, workspace)
    except BadRecordsError as error:
        print_diagnostics(error.diagnostics)
        raise
    print_diagnostics(imported.diagnostics)
    if imported.replaced:
        note(f"note: {imported.replaced} of {imported.records} records are replaced by later lines of the same attempt")
    if imported.cut:
        note("note: the last line is cut short and left out")
    report = summarise_run(read_attempts(imported.out / RECORDS))
    lacking = imported.asked - report.total.rates.judged - report.total.rates.not_judged
    if lacking > 0:
        note(f"note: {lacking} of {imported.asked} problems that the run asks have no result and count in no rate")
    emit(imported.to_json() | {"report": report.to_json()}, as_json, _text(imported, report.to_text()))
    return 0


def _imported(file: Path, where: Path, benchmark: Path | None, workspace: Path | None) -> ImportedRun:
    if workspace is None:
        return import_results(file, where, benchmark=benchmark)
    from authoring.release.release_runs import import_run
    from authoring.seeds.workspace_setup import open_workspace

    ws = open_workspace(workspace)
    return import_run(ws, file, where.absolute(), label="", benchmark=benchmark)[1]


def _predictions(
    file: Path, out: Path, benchmark: Path | None, mode: str | None, rules: str | None, as_json: bool
) -> int:
    from evaluator.diagnostics import has_errors
    from evaluator.families.predicted_run import MODES, import_predictions
    from evaluator.families.result_files import told_beside
    from evaluator.reporting.family_tables import board_text

    if benchmark is None:
        fix = "add --benchmark and the folder that 'benchwright import cibench' or 'import qwen' wrote"
        raise UsageError("predictions are scored against their benchmark, and none is named", where=str(file), fix=fix)
    told = told_beside(file)
    told_mode = told.get("mode") if told.get("mode") in MODES else None
    made = import_predictions(
        file,
        out,
        benchmark=benchmark,
        mode=mode or told_mode or "end-to-end",
        rules=rules or told.get("rules") or "published",
        agent=told.get("agent", ""),
    )
    print_diagnostics(made.diagnostics)
    heading = f"{made.benchmark} {made.version}, {made.records} problems, {made.mode}, rules: {made.rules}"
    emit(made.to_json(), as_json, f"{heading}\n\n{board_text(made.board)}\n\nrecords: {out / RECORDS}")
    return 1 if has_errors(made.diagnostics) else 0


def cibench(
    folder: Annotated[Path, typer.Argument(help="One that holds sets, modules or notebooks.")],
    out: Annotated[Path, typer.Option(help="The folder to write; it must be empty or not there.")],
    data: Annotated[
        Path | None, typer.Option(help="The folder of the data files.  [default: where the published sets have it]")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Import notebooks; 0: all of them, 1: some are refused, each is named."""
    from evaluator.diagnostics import has_errors
    from evaluator.families.cibench.benchmark_folder import import_folder

    made = import_folder(folder, out, data=data)
    print_diagnostics(made.diagnostics)
    steps = "; ".join(
        f"{name}: {', '.join(f'{count} {tag}' for tag, count in tags.items())}" for name, tags in made.steps.items()
    )
    data_told = f"data files from {made.data}" if made.data else "no data files"
    text = f"{out}: {made.problemsets} problemsets, {made.problems} problems ({steps}); {data_told}"
    emit(made.to_json(), as_json, text)
    return 1 if has_errors(made.diagnostics) else 0


def qwen(
    file: Annotated[Path, typer.Argument(help="Records, one JSON object a line.")],
    out: Annotated[Path, typer.Option(help="The folder to write; it must be empty or not there.")],
    data: Annotated[
        Path | None,
        typer.Option(help="The folder of the upload files.  [default: beside the records]"),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Import records; 0: all of them, 1: some are refused, each is named."""
    from evaluator.diagnostics import has_errors
    from evaluator.families.qwen.benchmark_folder import import_file

    made = import_file(file, out, data=data)
    print_diagnostics(made.diagnostics)
    tags = ", ".join(f"{count} {tag}" for tag, count in made.tags.items())
    emit(made.to_json(), as_json, f"{out}: {made.problemsets} problemsets of one problem ({tags})")
    return 1 if has_errors(made.diagnostics) else 0


def _text(imported: ImportedRun, report: str) -> str:
    heading = f"{imported.benchmark} {imported.version}, {imported.records} imported records"
    return f"{heading}\n\n{report}\n\nrecords: {imported.out / RECORDS}"
