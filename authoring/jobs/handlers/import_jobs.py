"""The jobs that bring in what was made elsewhere: files as problemsets, benchmarks, and results as runs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import Field

from authoring.jobs.context import JobContext, reading_input
from authoring.jobs.declaring import job
from authoring.jobs.payloads import ByPerson, Ref, StoredFile
from authoring.store.people import Role
from evaluator.errors import ToolkitError, UsageError

if TYPE_CHECKING:
    from authoring.conversion import Converted
    from authoring.store.revisions import Revision
    from evaluator.diagnostics import Diagnostic

MAX_FINDINGS: Final = 200  # that a job tells; more are counted
MAX_NAMED: Final = 10


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


class FamilyOrder(ByPerson):
    """Notebooks of CIBench, or records of the Qwen benchmark, that become a benchmark folder of the workspace."""

    family: str  # cibench | qwen
    file: StoredFile  # a .zip, or Qwen's .jsonl
    name: str = ""  # of the benchmark; empty: as the file
    queue: bool = False  # whether its problemsets come into the queue, too


class ResultsImport(ByPerson):
    """The folder of a run, result records, CIBench predictions or Qwen results that become a run."""

    file: StoredFile  # predictions may come as a .zip, with the pictures that they name, and so may a run's folder
    beside: list[StoredFile] = Field(default_factory=list)  # of a run's folder: what lies beside its records
    agent: str = ""  # what it is called
    release: Ref | None = None  # None: whatever the records say
    benchmark: str | None = None  # of predictions: an imported benchmark, by name
    mode: str | None = None  # of predictions: how the agent was run
    rules: str | None = None  # of predictions: published | sound


@contextmanager
def _received(context: JobContext, file: StoredFile) -> Iterator[tuple[Path, Path]]:
    """Lend an empty scratch folder, and in it the file that was sent; errors name that file, not where it lies."""
    from authoring.seeds import materialise_inputs
    from evaluator.session import scratch_folder

    name = Path(file.name).name
    with scratch_folder() as folder:
        path = materialise_inputs(context.workspace, {name: file.digest}, folder / "file") / name
        context.progress(0, 1, f"reading {name}")
        try:
            with reading_input():
                yield folder, path
        except ToolkitError as error:
            error.what, error.where, error.fix = (
                _as_sent(text, folder, name) for text in (error.what, error.where, error.fix)
            )
            error.args = (error.what,)
            raise


def _as_sent(text: str, folder: Path, name: str) -> str:
    """Return a text in which a file of the scratch folder is called as it was sent, and one of an archive by both."""
    for home in {str(folder), str(folder.resolve())}:
        text = re.sub(rf"{re.escape(home)}/(?:file|solutions)/", "", text)
        text = re.sub(rf"{re.escape(home)}(?:/unpacked)?(?:/archive)?", lambda _: name, text)
    return text


@job("import", title="Import a file", lane="batch", payload=ImportOrder)
def import_job(context: JobContext, payload: ImportOrder) -> dict[str, Any]:
    """Convert a file that was put into the store before; its code is read, not executed.

    Returns `id` of the problemset, `revision` (an id) and `number`, `name`, `problems`, and `findings`: what a person
    has to settle, each with `source`, `problem`, `what` and `fix`. A problemset file with errors is refused, and
    nothing is stored.
    """
    from authoring.seeds import materialise_inputs

    with _received(context, payload.file) as (folder, path):
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

    with _received(context, payload.file) as (folder, path):
        (folder / "unpacked").mkdir()
        author = payload.person(context.job.created_by)
        made = import_benchmark(context.workspace, path, folder / "unpacked", author=author)
    context.report(1, 1, f"{len(made.kept)} problemsets kept, {len(made.refused)} refused")
    return made.to_json()


@job("import_family", title="Import CIBench or Qwen", lane="batch", payload=FamilyOrder)
def import_family_job(context: JobContext, payload: FamilyOrder) -> dict[str, Any]:
    """Turn notebooks or records into a benchmark folder, and perhaps into problemsets; nothing is executed.

    Returns `benchmark`, a name, `problemsets`, `problems`, `kept`, `refused`, and `findings`: its diagnostics.
    """
    from authoring.conversion.family_imports import import_family

    with _received(context, payload.file) as (folder, path):
        made = import_family(
            context.workspace,
            payload.family,
            path,
            folder,
            name=payload.name,
            queue=payload.queue,
            author=payload.person(context.job.created_by),
        )
    context.report(1, 1, f"{made.problemsets} problemsets")
    found = made.to_json()
    return {**found, "findings": found["findings"][:MAX_FINDINGS], "more": len(found["findings"][MAX_FINDINGS:])}


@job("import_results", title="Import results", lane="batch", payload=ResultsImport, roles=(Role.EVALUATOR,))
def import_results_job(context: JobContext, payload: ResultsImport) -> dict[str, Any]:
    """Enter results as a run; nothing is executed. Runs and records keep their verdicts, predictions are scored anew.

    Returns `id`, the run's, `agent`, `benchmark`, `version`, `records`, and `findings`; of records also `replaced`
    and `cut`.
    """
    from authoring.conversion.family_imports import findings_of, unpacked_file, unpacked_run
    from authoring.seeds import materialise_inputs
    from evaluator.families.predicted_run import family_of_results

    home = context.workspace.root / "runs"
    home.mkdir(exist_ok=True)
    with _received(context, payload.file) as (folder, stored):
        path = unpacked_run(stored, folder) or unpacked_file(stored, folder, (".json", ".jsonl"))
        if payload.beside:
            sent = {Path(each.name).name: each.digest for each in (payload.file, *payload.beside)}
            path = materialise_inputs(context.workspace, sent, folder / "run")
        out = home / f"job-{context.job.id}"
        if not path.is_dir() and family_of_results(path) is not None:
            run_id, found, diagnostics = _predicted(context, payload, path, out)
        else:
            run_id, found, diagnostics = _recorded(context, payload, path, out)
    context.report(1, 1, f"{found['records']} records")
    findings = findings_of(diagnostics)
    told = {"id": run_id, "agent": payload.agent or found.get("agent") or path.stem}
    told |= {"findings": findings[:MAX_FINDINGS], "more": len(findings[MAX_FINDINGS:])}
    return {**{name: value for name, value in found.items() if name != "diagnostics"}, **told}


_Entered = tuple[int, dict[str, Any], "tuple[Diagnostic, ...]"]


def _recorded(context: JobContext, payload: ResultsImport, path: Path, out: Path) -> _Entered:
    from authoring.release.release_runs import import_run
    from authoring.store import releases
    from evaluator.running import MANIFEST, BadRecordsError, parse_identity

    if payload.benchmark or payload.mode or payload.rules:
        what = "benchmark, mode and rules are for predictions, and this file holds none"
        raise UsageError(what, where=path.name, fix="leave them out: records hold verdicts, which are kept as they are")
    release = releases.find(context.workspace, payload.release) if payload.release else None
    if release is None and (path / MANIFEST).is_file():
        said = parse_identity(path / MANIFEST)
        about = (said.benchmark, said.version)
        known = [each for each in releases.select(context.workspace) if (each.name, each.version) == about]
        release = next((each for each in known if Path(each.path).is_dir()), None)
    try:
        run_id, made = import_run(
            context.workspace,
            path,
            out,
            label=f"{release.name} {release.version}" if release else "",
            agent=payload.agent,
            benchmark=Path(release.path) if release else None,
            by=payload.person(context.job.created_by),
        )
    except BadRecordsError as error:
        first = "; ".join(f"line {each.line}: {each.what}" for each in error.diagnostics[:MAX_NAMED])
        raise UsageError(f"{error.what}: {first}", where=path.name, fix=error.fix) from error
    return run_id, made.to_json(), made.diagnostics


def _predicted(context: JobContext, payload: ResultsImport, path: Path, out: Path) -> _Entered:
    from authoring.conversion.family_imports import find_imported
    from authoring.release.release_runs import import_predicted_run

    if not payload.benchmark:
        what = "predictions are scored against their benchmark, and none is named"
        raise UsageError(what, where=path.name, fix="import its notebooks or records first, then choose it")
    run_id, made = import_predicted_run(
        context.workspace,
        path,
        out,
        benchmark=find_imported(context.workspace, payload.benchmark),
        label=payload.benchmark,
        agent=payload.agent or path.stem,
        mode=payload.mode or "end-to-end",
        rules=payload.rules or "published",
        sandbox=context.sandbox_choice(),
        by=payload.person(context.job.created_by),
    )
    return run_id, made.to_json(), made.diagnostics


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
        message=f"imported from {path.name}",
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
        message=f"imported from {path.name}",
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
