"""The job that turns a notebook, records, or a problemset file into a problemset of the workspace."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import ByPerson, Ref, StoredFile
from authoring.store.people import Role
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from authoring.conversion import Converted
    from authoring.store.revisions import Revision


class ImportOrder(ByPerson):
    """A file that becomes a problemset."""

    form: str  # notebook, completions or problemset
    file: StoredFile
    name: str = ""
    seed: str | None = None  # a name; its data become the inputs
    solutions: StoredFile | None = None  # of an exercise notebook: a notebook with its answers


class BenchmarkImport(ByPerson):
    """A benchmark whose problemsets come into the workspace."""

    file: StoredFile  # a .zip of the benchmark's folder


class ResultsImport(ByPerson):
    """Result records that become a run."""

    file: StoredFile
    agent: str = ""  # what it is called
    release: Ref | None = None  # None: whatever the records say


@job("import", title="Take in a file", lane="batch", payload=ImportOrder)
def import_job(context: JobContext, payload: ImportOrder) -> dict[str, Any]:
    """Convert a file that was put into the store before; its code is read, not executed.

    Returns `id` of the problemset, `revision` (an id) and `number`, `name`, `problems`, and `findings`: what a person
    has to settle, each with `source`, `problem`, `what` and `fix`. A problemset file with errors is refused, and
    nothing is stored.
    """
    from authoring.seeds import materialise_inputs
    from evaluator.session import scratch_folder

    with scratch_folder() as folder:
        name = Path(payload.file.name).name
        path = materialise_inputs(context.workspace, {name: payload.file.digest}, folder / "file") / name
        context.progress(0, 1, f"reading {name}")
        if payload.form == "problemset":
            made = _store_problemset(context, payload, path)
        else:
            solutions = None
            if payload.solutions is not None:
                other = Path(payload.solutions.name).name
                answers = {other: payload.solutions.digest}
                solutions = materialise_inputs(context.workspace, answers, folder / "solutions") / other
            made = _store_converted(context, payload, path, solutions)
    context.report(1, 1, f"problemset {made.kept.problemset_name}")
    kept = {"id": made.kept.problemset_id, "revision": made.kept.id, "number": made.kept.number}
    return {**kept, "name": made.kept.problemset_name, "problems": made.problems, "findings": made.findings}


@job("import_benchmark", title="Import a benchmark", lane="batch", payload=BenchmarkImport)
def import_benchmark_job(context: JobContext, payload: BenchmarkImport) -> dict[str, Any]:
    """Put the problemsets of a benchmark into the workspace; nothing is executed.

    Returns `benchmark`, `kept`, `refused` and `own_validators`.
    """
    from authoring.conversion import import_benchmark
    from authoring.seeds import materialise_inputs
    from evaluator.session import scratch_folder

    with scratch_folder() as folder:
        name = Path(payload.file.name).name
        path = materialise_inputs(context.workspace, {name: payload.file.digest}, folder / "file") / name
        (folder / "unpacked").mkdir()
        context.progress(0, 1, f"reading {name}")
        author = payload.person(context.job.created_by)
        made = import_benchmark(context.workspace, path, folder / "unpacked", author=author)
    context.report(1, 1, f"{len(made.kept)} problemsets kept, {len(made.refused)} refused")
    return made.to_json()


@job("import_results", title="Import results", lane="batch", payload=ResultsImport, roles=(Role.EVALUATOR,))
def import_results_job(context: JobContext, payload: ResultsImport) -> dict[str, Any]:
    """Enter a file of result records as a run; nothing is executed or judged.

    Returns `id`, the run's, `records`, `replaced`, `cut` and `diagnostics`.
    """
    from authoring.release.release_runs import import_run
    from authoring.seeds import materialise_inputs
    from authoring.store import releases
    from evaluator.session import scratch_folder

    release = releases.find(context.workspace, payload.release) if payload.release else None
    home = context.workspace.root / "runs"
    home.mkdir(exist_ok=True)
    with scratch_folder() as folder:
        name = Path(payload.file.name).name
        path = materialise_inputs(context.workspace, {name: payload.file.digest}, folder / "file") / name
        context.progress(0, 1, f"reading {name}")
        run_id, made = import_run(
            context.workspace,
            path,
            home / f"job-{context.job.id}",
            label=f"{release.name} {release.version}" if release else "",
            agent=payload.agent or Path(name).stem,
            benchmark=Path(release.path) if release else None,
            by=payload.person(context.job.created_by),
        )
    context.report(1, 1, f"{made.records} records")
    return {**made.to_json(), "id": run_id}


class _Stored(NamedTuple):
    kept: "Revision"
    problems: int
    findings: list[dict[str, str]]


def _store_problemset(context: JobContext, payload: ImportOrder, path: Path) -> _Stored:
    from authoring.conversion import import_file
    from authoring.store.settings import workspace_validators
    from evaluator.language import read_benchmark

    (loaded,) = read_benchmark(path, own_validators=workspace_validators(context.workspace)).sets
    kept = import_file(
        context.workspace,
        replace(loaded, path=Path(path.name)),  # nobody knows the folder that it was put into
        name=payload.name,
        seed=payload.seed or None,
        author=payload.person(context.job.created_by),
        message=f"taken in from {path.name}",
    )
    findings = [
        {"code": one.code, "source": f"line {one.line}", "problem": "", "what": one.what, "fix": one.fix}
        for one in loaded.diagnostics
    ]
    return _Stored(kept, len(loaded.problemset.problems) if loaded.problemset else 0, findings)


def _store_converted(context: JobContext, payload: ImportOrder, path: Path, solutions: Path | None) -> _Stored:
    from authoring.conversion import import_converted

    made = _converted(payload.form, path, solutions)
    kept = import_converted(
        context.workspace,
        made,
        name=payload.name or made.name,
        seed=payload.seed or None,
        author=payload.person(context.job.created_by),
        message=f"taken in from {path.name}",
    )
    return _Stored(kept, made.problems, [finding.to_json() for finding in made.findings])


def _converted(form: str, path: Path, solutions: Path | None) -> "Converted":
    from authoring.conversion import is_ours, problemset_from_completions, problemset_from_exercises, problemset_of
    from authoring.conversion import read_notebook_file as read

    if form == "completions":
        return problemset_from_completions(path)
    if form == "notebook":
        book, solved = read(path), read(solutions) if solutions is not None else None
        is_own = is_ours(book) and solved is None
        return problemset_of(book) if is_own else problemset_from_exercises(book, solutions=solved)
    raise UsageError(f"nothing is known of the form {form!r}", fix="use notebook, completions or problemset")
