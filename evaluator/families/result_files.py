"""A finished run as the file of results that its family's own program writes; reading it again gives the same board."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic
from evaluator.errors import ContentError, UsageError
from evaluator.families import cibench, qwen
from evaluator.families.cibench.prediction_file import prediction_file
from evaluator.families.folders import made_at_once, refuse_taken
from evaluator.families.qwen.result_lines import result_lines
from evaluator.families.written_attempts import WrittenRun
from evaluator.language import Benchmark
from evaluator.records import Record
from evaluator.running import RECORDS, DetailsReader, plan_run
from evaluator.running.plan import identify_sets

ABOUT: Final = "run.json"
"""The file beside results that says what they do not: whose they are, in which mode, by which rules."""
_MAX_ABOUT: Final = 100_000  # bytes
NAMES: Final = {cibench.FAMILY: "predictions.json", qwen.FAMILY: "results.jsonl"}


@dataclass(frozen=True)
class WrittenResults:
    """What an export wrote."""

    file: Path
    family: str
    diagnostics: tuple[Diagnostic, ...] = ()


def export_results(
    path: Path,
    records: Sequence[Record],
    manifest: Mapping[str, Any],
    details: DetailsReader | None,
    benchmark: Benchmark,
    out: Path,
) -> WrittenResults:
    """Write a run as CIBench predictions or Qwen result lines, with its pictures beside the file.

    Args:
        path: Of the records, for messages.
        records: All attempts of the run.
        manifest: Of the run.
        details: What it kept of outputs and transcripts.
        benchmark: That it ran.
        out: The folder to write; it must be empty or not there.

    Raises:
        UsageError: If `out` holds something, or the run is of neither family or of another benchmark.
        ContentError: If the run kept no outputs, a problem was not judged, or the benchmark has errors.
        ToolkitError: If a file cannot be written.
    """
    refuse_taken(out)
    family = next((str(record.family.get("family")) for record in records if record.family), "")
    if family not in NAMES:
        what = "the run has no scores of CIBench or the Qwen benchmark"
        raise UsageError(what, where=str(path), fix="run the agent with --mode end-to-end, oracle or qwen")
    if manifest.get("imported"):
        what = "the run was imported: the file that it was made of holds these results"
        raise UsageError(what, where=str(path), fix="use that file")
    _refuse_another(path, records, benchmark, ran=str(manifest.get("benchmark") or "its manifest.json names it"))
    if details is None:
        what = "the run kept nothing of what its code showed"
        raise ContentError(what, where=str(path), fix="run it with --outputs printed; imported results have none")
    with made_at_once(out) as draft:
        run = WrittenRun(path, records, details, rules=str(manifest.get("rules", "")), out=draft)
        write = prediction_file if family == cibench.FAMILY else result_lines
        (draft / NAMES[family]).write_bytes(b"".join(write(run, benchmark)))
        told = {name: str(manifest.get(name) or "") for name in ("agent", "mode", "rules")}
        (draft / ABOUT).write_bytes(json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    return WrittenResults(out / NAMES[family], family, run.diagnostics)


def _refuse_another(path: Path, records: Sequence[Record], benchmark: Benchmark, *, ran: str) -> None:
    """Refuse a benchmark that has not the problemsets of a run, or has others under their names."""
    now = {entry.name: entry.digest for entry in identify_sets(plan_run(benchmark).sets)}
    then = {record.problemset: record.digests.get("problemset", "") for record in records}
    other = [name for name, digest in then.items() if digest and now.get(name, digest) != digest]
    if not then.keys() & now.keys():
        what = f"the run is of another benchmark than {benchmark.name!r}"
    elif other:
        what = f"the run is of another benchmark than {benchmark.name!r}, or of it before {other[0]!r} was changed"
    else:
        return
    raise UsageError(what, where=str(path), fix=f"name with --benchmark the one that it ran: {ran}")


def results_in(path: Path) -> Path:
    """Return the file of results in a folder that `export_results` wrote; whatever else is named, as it is."""
    if not path.is_dir() or (path / RECORDS).exists():
        return path
    found = [path / name for name in NAMES.values() if (path / name).is_file()]
    return found[0] if len(found) == 1 else path


def told_beside(file: Path) -> Mapping[str, str]:
    """Return what an export told of a file of results beside it: agent, mode, rules; nothing where it told nothing."""
    path = file.with_name(ABOUT)
    if not path.is_file() or path.is_symlink() or path.stat().st_size > _MAX_ABOUT:
        return {}
    try:
        written = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    known = written if isinstance(written, dict) else {}
    return {
        name: known[name] for name in ("agent", "mode", "rules") if isinstance(known.get(name), str) and known[name]
    }
