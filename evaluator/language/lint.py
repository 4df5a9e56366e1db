"""Checks that need more than one cell: code that parses, names that exist, ids that differ."""

import ast
import builtins
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.diagnostics import Diagnostic
from evaluator.errors import ContentError
from evaluator.language.findings import Findings
from evaluator.language.locating import validator_line
from evaluator.language.model import Problem, Problemset, SetupCell
from evaluator.language.names import names_read_and_written
from evaluator.language.probes import declared_probes
from evaluator.language.python_source import parse_code
from evaluator.language.resolution import compared_values, resolve_validators, unsupported_validators, wanted_names
from evaluator.language.schemas import SOUND_OPTIONS
from evaluator.language.settings import Place

_SESSION_NAMES = frozenset(
    {
        "display",
        "get_ipython",
        "exit",
        "quit",
        "In",
        "Out",
        "_",
        "__",
        "___",
        "__name__",
        "__builtins__",
        "_i",
        "_ih",
        "_oh",
    }
)


@dataclass(frozen=True)
class ReadCell:
    """A cell as read, with what tells the lines of its parts."""

    cell: SetupCell | Problem
    code_line: int  # of the first line of its code
    place: Place | None = None  # of a problem's settings

    def line(self, *path: str | int) -> int:
        """Return the line of the setting at `path`, or of the cell."""
        return self.place.line(*path) if self.place is not None else self.cell.line

    @property
    def code(self) -> str:
        """The code that runs."""
        return self.cell.code if isinstance(self.cell, Problem) else self.cell.source


def check_cells(cells: Sequence[ReadCell], preamble: str, findings: Findings) -> None:
    """Report what is wrong with the cells together."""
    _check_count(cells, preamble, findings)
    _check_ids(cells, findings)
    for cell in cells:
        check_syntax(cell, findings)
        if isinstance(cell.cell, Problem):
            _check_probes(cell, cell.cell, findings)
    _check_names(cells, findings)


def support_diagnostics(problemset: Problemset, path: Path) -> tuple[Diagnostic, ...]:
    """Return one error for every problem whose validators cannot be scored yet; such a set is refused, never passed."""
    findings = Findings(path)
    for index, problem in enumerate(problemset.problems, start=1):
        try:
            names = unsupported_validators(resolve_validators(problem))
        except ContentError:
            continue  # reported when the file was parsed
        for name in names:
            what = f"problem {index} uses the validator {name!r}, which this version cannot score yet"
            fix = "leave the problem out, or use 'result' or 'namespace_check' with matcher options"
            findings.error("validator-not-scored-yet", problem.line, what, fix)
    return findings.in_order()


def check_published_options(problemset: Problemset, findings: Findings) -> None:
    """Report matcher options that the published rules do not know."""
    for problem in problemset.problems:
        try:
            compared = compared_values(resolve_validators(problem))
        except ContentError:
            continue  # reported when the file was parsed
        for where, options in compared:
            for name in sorted(SOUND_OPTIONS & set(options)):
                what = f"{where!r} has the option {name!r}, which only the sound rules know"
                fix = "remove it, or write 'rules: sound' into the manifest"
                line = validator_line(problem, where if "." in where else f"{where}.{name}")
                findings.error("option-of-other-rules", line, what, fix)


def _check_count(cells: Sequence[ReadCell], preamble: str, findings: Findings) -> None:
    if findings.broken or any(isinstance(cell.cell, Problem) for cell in cells):
        return
    if cells:
        what, fix = (
            "the file has cells but no problem",
            'open a cell with """, "query: ..." and """, then its reference code',
        )
    elif preamble.strip():
        what, fix = "the file has no line that starts with '# %%', so it has no cells", "write '# %%' before each cell"
    else:
        what, fix = (
            "the file is empty",
            "write at least one problem: a line '# %%', settings with a query, reference code",
        )
    findings.error("no-problems", cells[0].cell.line if cells else 1, what, fix)


def _check_ids(cells: Sequence[ReadCell], findings: Findings) -> None:
    first: dict[str, int] = {}
    index = 0
    for cell in cells:
        if not isinstance(cell.cell, Problem):
            continue
        index += 1
        written = cell.cell.metadata.get("id")
        name = str(written) if written else f"p{index}"
        line = cell.line("id")
        if name in first:
            what = f"the id {name!r} is already that of the problem on line {first[name]}"
            findings.error("duplicate-id", line, what, "give each problem an id of its own")
        first.setdefault(name, line)


def check_syntax(cell: ReadCell, findings: Findings) -> None:
    """Report code that does not parse."""
    fault = parse_code(cell.code).fault
    if fault is not None:
        line = cell.code_line + fault.line - 1
        findings.error("python-syntax", line, f"the code does not parse: {fault.message}", "correct the code")


def _check_names(cells: Sequence[ReadCell], findings: Findings) -> None:
    """Warn of names that no cell makes; stay silent once something may make names unseen."""
    known = set(dir(builtins)) | _SESSION_NAMES
    for cell in cells:
        parsed = parse_code(cell.code)
        if parsed.tree is None or parsed.has_magics or _makes_names_unseen(parsed.tree):
            return
        used = names_read_and_written(cell.code)
        missing = sorted(used.reads - known)
        for name in missing:
            line = cell.code_line + _first_line(parsed.tree, name) - 1
            what = f"no earlier cell makes {name!r}"
            findings.warning(
                "name-not-made", line, what, "make it in a setup cell or an earlier problem, or correct the name"
            )
        if isinstance(cell.cell, Problem):
            _check_forbidden(cell, cell.cell, known, findings)
        known |= used.writes | set(missing)
        if isinstance(cell.cell, Problem):
            probes = {probe.name for probe in declared_probes(cell.cell)}
            _check_wanted(cell, cell.cell, known | probes, findings)


def _check_forbidden(cell: ReadCell, problem: Problem, known: Iterable[str], findings: Findings) -> None:
    for name in problem.execution.forbid_names:
        if name not in known:
            what = f"'forbid_names' hides {name!r}, which no earlier cell makes"
            findings.warning(
                "name-not-made", cell.line("execution", "forbid_names"), what, "correct or remove the name"
            )


def _check_wanted(cell: ReadCell, problem: Problem, known: Iterable[str], findings: Findings) -> None:
    try:
        wanted = wanted_names(resolve_validators(problem))
    except ContentError:
        return
    for name in wanted:
        if name not in known and name.isidentifier():
            what = f"the validator compares {name!r}, which neither the reference code nor an earlier cell makes"
            line = cell.line("validator", "namespace_check", name)
            findings.warning(
                "variable-not-made", line, what, "correct the name, or make the variable in the reference code"
            )


def _check_probes(cell: ReadCell, problem: Problem, findings: Findings) -> None:
    """Warn of probes that no validator compares, and of names that the reference code makes itself."""
    try:
        wanted = wanted_names(resolve_validators(problem))
    except ContentError:
        return
    made = names_read_and_written(problem.code).writes
    for probe in declared_probes(problem):
        line = cell.line("probes", probe.name)
        if probe.name not in wanted:
            what = f"no validator compares the probe {probe.name!r}"
            findings.warning("probe-not-compared", line, what, f"name {probe.name!r} under 'namespace_check'")
        elif probe.name in made:
            what = f"the probe {probe.name!r} bears the name of a variable, which is not compared then"
            findings.warning("probe-hides-variable", line, what, "give the probe a name of its own")


def _makes_names_unseen(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("exec", "globals", "locals")
        ):
            return True
    return False


def _first_line(tree: ast.Module, name: str) -> int:
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return min(lines, default=1)
