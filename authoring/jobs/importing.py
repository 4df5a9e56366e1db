"""The job that turns a notebook, records, or a problemset file into a problemset of the workspace."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required
from evaluator.errors import UsageError


def import_job(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a file that was put into the store before; its code is read, not executed.

    Payload: `form` (notebook, completions or problemset), `file` ({name, digest}), `name`, `seed` (a name; its data
    become the inputs), `created_by`. Returns `id` of the problemset, `revision`, `name`, `problems`, and `findings`:
    what a person has to settle, each with `source`, `problem`, `what` and `fix`.
    """
    from authoring.conversion import import_problemset
    from authoring.seeds import materialise_inputs
    from evaluator.session import scratch_folder

    file = required(payload, "file", dict)
    with scratch_folder() as folder:
        name = Path(str(file["name"])).name
        path = materialise_inputs(context.workspace, {name: file["digest"]}, folder / "file") / name
        context.progress(0, 1, f"reading {name}")
        text, called, problems, findings = _converted(required(payload, "form", str), path)
    kept = import_problemset(
        context.workspace,
        text,
        name=optional(payload, "name", str, "") or called,
        seed=payload.get("seed") or None,
        author=optional(payload, "created_by", str, context.job.created_by),
        message=f"imported from {name}",
    )
    context.report(1, 1, f"problemset {kept.problemset_name}")
    made = {"id": kept.problemset_id, "revision": kept.id, "name": kept.problemset_name}
    return {**made, "problems": problems, "findings": findings}


def import_benchmark_job(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Put the problemsets of a benchmark into the workspace; nothing is executed.

    Payload: `file` ({name, digest}), a .zip of the benchmark's folder, and `created_by`. Returns `benchmark`, `kept`,
    `refused`, `with_errors` and `own_validators`.
    """
    from authoring.conversion import import_benchmark
    from authoring.seeds import materialise_inputs
    from evaluator.session import scratch_folder

    file = required(payload, "file", dict)
    with scratch_folder() as folder:
        name = Path(str(file["name"])).name
        path = materialise_inputs(context.workspace, {name: file["digest"]}, folder / "file") / name
        (folder / "unpacked").mkdir()
        context.progress(0, 1, f"reading {name}")
        author = optional(payload, "created_by", str, context.job.created_by)
        made = import_benchmark(context.workspace, path, folder / "unpacked", author=author)
    context.report(1, 1, f"{len(made.kept)} problemsets kept, {len(made.refused)} refused")
    return made.to_json()


def import_results_job(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Enter a file of result records as a run; nothing is executed or judged.

    Payload: `file` ({name, digest}), `agent` (what it is called), `release` (an id or name; null: whatever the records
    say) and `created_by`. Returns `id`, the run's, `records`, `replaced`, `cut` and `diagnostics`.
    """
    from authoring.release.release_runs import import_run
    from authoring.seeds import materialise_inputs
    from authoring.store import find_release
    from evaluator.session import scratch_folder

    file = required(payload, "file", dict)
    release = find_release(context.workspace, payload["release"]) if payload.get("release") else None
    home = context.workspace.root / "runs"
    home.mkdir(exist_ok=True)
    with scratch_folder() as folder:
        name = Path(str(file["name"])).name
        path = materialise_inputs(context.workspace, {name: file["digest"]}, folder / "file") / name
        context.progress(0, 1, f"reading {name}")
        run_id, made = import_run(
            context.workspace,
            path,
            home / f"job-{context.job.id}",
            label=f"{release.name} {release.version}" if release else "",
            agent=optional(payload, "agent", str, "") or Path(name).stem,
            benchmark=Path(release.path) if release else None,
            by=optional(payload, "created_by", str, context.job.created_by),
        )
    context.report(1, 1, f"{made.records} records")
    return {**made.to_json(), "id": run_id}


def _converted(form: str, path: Path) -> tuple[str, str, int, list[dict[str, str]]]:
    """Return text, name, number of problems, and findings."""
    from authoring.conversion import is_ours, problemset_from_completions, problemset_from_exercises, problemset_of
    from authoring.conversion import read_notebook_file as read

    if form == "problemset":
        return _problemset(path)
    if form == "completions":
        made = problemset_from_completions(path)
    elif form == "notebook":
        book = read(path)
        made = problemset_of(book) if is_ours(book) else problemset_from_exercises(book)
    else:
        raise UsageError(f"nothing is known of the form {form!r}", fix="use notebook, completions or problemset")
    return made.text, made.name, made.problems, [finding.to_json() for finding in made.findings]


def _problemset(path: Path) -> tuple[str, str, int, list[dict[str, str]]]:
    from evaluator.language import read_benchmark

    (loaded,) = read_benchmark(path).sets
    count = len(loaded.problemset.problems) if loaded.problemset else 0
    findings = [
        {"code": one.code, "source": f"line {one.line}", "problem": "", "what": one.what, "fix": one.fix}
        for one in loaded.diagnostics
    ]
    return loaded.text, loaded.name, count, findings
