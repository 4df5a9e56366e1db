"""Turns a file of result records, or another run's folder, into a run folder that is read like a run of ours."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError
from evaluator.language import Benchmark, read_benchmark
from evaluator.records import AttemptKey, Record, RecordLine, json_line, parse_record, record_fields, scan_lines
from evaluator.running.attempt_details import DETAILS, AttemptDetails, DetailsFile, DetailsReader
from evaluator.running.execution.policies import Policies
from evaluator.running.plan import identify_sets, plan_run
from evaluator.running.run_folder import MANIFEST, RECORDS, RunFolder, write_atomically
from evaluator.running.run_manifest import RunIdentity, SetIdentity, manifest_text, parse_identity

UNKNOWN: Final = "unknown"
"""Stands in the manifest of an imported run for what its records do not say."""


@dataclass(frozen=True)
class ImportedRun:
    """What importing a file came to."""

    out: Path
    benchmark: str
    version: str
    records: int  # lines that hold a record (count), replaced ones among them
    replaced: int  # of these, replaced by a later line for the same attempt
    cut: bool  # the file's last line was cut short and is left out
    agent: str = ""  # as the run's manifest calls it, else as the file
    asked: int = 0  # problems that the run asks, in all epochs, as far as its file tells (count)
    diagnostics: tuple[Diagnostic, ...] = ()  # warnings: where the records do not fit the benchmark

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self) | {"out": str(self.out), "diagnostics": [each.to_json() for each in self.diagnostics]}


class BadRecordsError(ContentError):
    """Lines of a file cannot be imported; `diagnostics` names each."""

    def __init__(self, path: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
        lines = "1 line is no result record" if len(diagnostics) == 1 else f"{len(diagnostics)} lines are no records"
        fix = "repair or remove the named lines, then repeat the command; nothing was imported"
        super().__init__(lines, where=str(path), fix=fix)
        self.diagnostics = diagnostics


def import_results(file: Path, out: Path, *, benchmark: Path | None = None) -> ImportedRun:
    """Validate a file of records, ours or published, or the folder of a run, and write them as a run folder.

    Every line is kept, fields that we do not know included; of several for one attempt readers take the last. Of a
    run's folder what its manifest says is kept, too, and what its attempts showed.

    Args:
        file: JSON Lines, or a folder that a run wrote.
        out: The folder to write; it may not hold a run already.
        benchmark: What the records are about; they are checked against it, and the manifest gets its digests.

    Raises:
        UsageError: If there is no such file or benchmark, or the folder holds no run.
        BadRecordsError: If a line is no record.
        ContentError: If the file holds no record, or those of several benchmarks, or `out` holds a run.
        ToolkitError: If the folder cannot be written.
    """
    if file.is_dir():
        return _import_folder(file, out, benchmark)
    found = _Scan(file, read_benchmark(benchmark) if benchmark is not None else None)
    for line in scan_lines(file, parse_record):
        found.add(line)
    identity = found.identity(digest_of_file(file))
    told = {"imported": {"file": file.name, "sha256": digest_of_file(file), "records": found.records}}
    write_imported(out, identity, _whole_lines(file), source=benchmark or file, told=told)
    replaced = found.records - len(found.keys)
    return ImportedRun(
        *(out, identity.benchmark, identity.version, found.records, replaced, found.cut, identity.agent),
        asked=_asked(identity),
        diagnostics=tuple(found.warnings),
    )


def _import_folder(folder: Path, out: Path, benchmark: Path | None) -> ImportedRun:
    for name in (RECORDS, MANIFEST):
        if not (folder / name).is_file():
            fix = "name the folder that `benchwright run --out` wrote"
            raise UsageError(f"the folder holds no run: there is no {name}", where=str(folder), fix=fix)
    records, identity = folder / RECORDS, parse_identity(folder / MANIFEST)
    found = _Scan(records, read_benchmark(benchmark) if benchmark is not None else None)
    for line in scan_lines(records, parse_record):
        found.add(line)
    digest = digest_of_file(records)
    found.identity(digest)  # it refuses what is no run's; what the manifest says is more
    shown = DetailsReader(folder / DETAILS)
    details = ((key, kept) for key in sorted(found.keys) if (kept := shown.find(key)) is not None)
    told = {"copied": {"sha256": digest, "records": found.records}}
    source = benchmark or Path(f"{identity.benchmark} {identity.version}")  # never a path that the manifest names
    write_imported(out, identity, _whole_lines(records), source=source, told=told, details=details)
    return ImportedRun(
        *(out, identity.benchmark, identity.version, found.records, found.records - len(found.keys), found.cut),
        agent=identity.agent,
        asked=_asked(identity),
        diagnostics=tuple(found.warnings),
    )


def _asked(identity: RunIdentity) -> int:
    return sum(each.problems for each in identity.sets) * identity.epochs


def write_imported(
    out: Path,
    identity: RunIdentity,
    lines: Iterable[bytes],
    *,
    source: Path,
    told: Mapping[str, Any],
    details: Iterable[tuple[AttemptKey, AttemptDetails]] = (),
) -> None:
    """Write records that were made elsewhere as a run folder.

    Args:
        out: The folder; it may not hold a run already.
        identity: What the run was.
        lines: Its records.
        source: What the records are about.
        told: Further keys of the manifest.
        details: What attempts showed, for people.

    Raises:
        ContentError: If `out` holds a run.
        ToolkitError: If the folder cannot be written.
    """
    folder = RunFolder.acquire(out)
    try:
        for name in (MANIFEST, RECORDS):
            if (out / name).exists():
                fix = "name another folder with --out"
                raise ContentError("the folder holds a run already", where=str(out / name), fix=fix)
        kept = DetailsFile.open(out / DETAILS)
        for each in details:
            kept.append([each])
        kept.close()
        write_atomically(out / RECORDS, lines)
        manifest = json.loads(manifest_text(identity, source=str(source), refused=())) | dict(told)
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        write_atomically(out / MANIFEST, [text.encode("utf-8", "backslashreplace")])
    finally:
        folder.close()


def digest_of_file(file: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _whole_lines(file: Path) -> Iterator[bytes]:
    """Yield each record with every field of ours, then the fields that only the file knows."""
    for line in scan_lines(file, lambda raw: (parse_record(raw), record_fields(raw))):
        if line.value is not None:
            record, fields = line.value
            known = record.to_json()
            yield json_line(known | {name: value for name, value in fields.items() if name not in known})


@dataclass
class _Scan:
    """What a first reading of the file finds; the records themselves are not kept."""

    file: Path
    benchmark: Benchmark | None
    records: int = 0
    cut: bool = False
    keys: set[AttemptKey] = field(default_factory=set)
    faults: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    said: dict[str, set[str]] = field(default_factory=dict)  # what records say of the whole run

    def __post_init__(self) -> None:
        """Index the queries of the benchmark."""
        sets = self.benchmark.sets if self.benchmark is not None else ()
        self.queries = {
            loaded.name: [problem.query for problem in loaded.problemset.problems]
            for loaded in sets
            if loaded.problemset is not None
        }

    def add(self, line: RecordLine[Record]) -> None:
        """Take one line in."""
        if line.value is None:
            self.cut |= line.is_cut
            if not line.is_cut:
                what, fix = f"the line is no result record: {line.fault}", "repair or remove the line"
                self.faults.append(Diagnostic("bad-record", Severity.ERROR, self.file, line.number, what, fix))
            return
        record = line.value
        self.records += 1
        self.keys.add(record.key)
        for name in ("benchmark", "version", "environment", "sandbox", "scoring_version"):
            self.said.setdefault(name, set()).add(str(getattr(record, name)))
        if self.benchmark is not None:
            self._compare(record, line.number)

    def _compare(self, record: Record, number: int) -> None:
        queries = self.queries.get(record.problemset)
        problem = f"problem {record.index} of {record.problemset!r}"
        if queries is None:
            what = f"the benchmark has no problemset {record.problemset!r}"
        elif record.index > len(queries):
            what = f"the benchmark has no {problem}: there are {len(queries)}"
        elif record.question and record.question.split() != queries[record.index - 1].split():
            what = f"{problem} has another query in the benchmark"
        else:
            return
        fix = "import with the version of the benchmark that these records are about"
        self.warnings.append(Diagnostic("record-without-problem", Severity.WARNING, self.file, number, what, fix))

    def identity(self, digest: str) -> RunIdentity:
        """Return the identity that the imported run gets.

        Raises:
            BadRecordsError: If a line is no record.
            ContentError: If the records are none, or of several benchmarks.
        """
        if self.faults:
            raise BadRecordsError(self.file, tuple(self.faults))
        if not self.records:
            raise ContentError("the file holds no record", where=str(self.file), fix="name a file with records")
        return RunIdentity(
            benchmark=self._only("benchmark", self.benchmark.name if self.benchmark else ""),
            version=self._only("version", self.benchmark.version if self.benchmark else ""),
            environment=self._common("environment"),
            sandbox=self._common("sandbox"),
            agent=self.file.stem,
            agent_version=digest[:16],
            policies=Policies(),
            rules=self.benchmark.rules if self.benchmark else self._rules(),
            scoring_version=self._common("scoring_version"),
            rng_seed=0,
            limit=None,
            sets=self._sets(),
            epochs=max(key.epoch for key in self.keys),
            max_attempts=max(key.attempt for key in self.keys),
        )

    def _only(self, name: str, expected: str) -> str:
        """Return the one value that all records have, or what the benchmark says where none has any."""
        values = sorted(self.said[name] - {""})
        if len(values) > 1:
            what = f"the file holds records of several {name}s: {', '.join(values)}"
            raise ContentError(what, where=str(self.file), fix="split the file, one benchmark each")
        value = values[0] if values else expected or UNKNOWN
        if expected and value != expected:
            what = f"the records are of {name} {value!r}, the benchmark is {name} {expected!r}"
            fix = "name the benchmark that these records are about"
            self.warnings.insert(0, Diagnostic("other-benchmark", Severity.WARNING, self.file, 1, what, fix))
        return value

    def _common(self, name: str) -> str:
        values = self.said[name] - {""}
        return values.pop() if len(values) == 1 else UNKNOWN

    def _rules(self) -> str:
        """Published files say nothing of how they were scored; they were scored by the published implementation."""
        return "published" if self.said["scoring_version"] == {""} else UNKNOWN

    def _sets(self) -> tuple[SetIdentity, ...]:
        known = {}
        if self.benchmark is not None:
            known = {entry.name: entry for entry in identify_sets(plan_run(self.benchmark).sets)}
        problems: dict[str, int] = {}
        for key in sorted(self.keys):
            problems[key.problemset] = max(key.index, problems.get(key.problemset, 0))
        return tuple(known.get(name, SetIdentity(name, count, "", "")) for name, count in problems.items())
