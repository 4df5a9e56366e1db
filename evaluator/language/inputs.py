"""The input files of a problemset, as they lie beside it: where they are, which are refused, which are missing."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from evaluator.language.cells import source_line
from evaluator.language.findings import Findings
from evaluator.language.model import Problem, Problemset
from evaluator.language.python_source import parse_code

_GLOB: Final = set("*?[")


class RefusedLink(NamedTuple):
    """A link in an inputs folder that no session follows."""

    path: Path
    what: str  # completes "... is a link that"


def inputs_folder(path: Path) -> Path | None:
    """Return the folder with the input files of the problemset at `path`: its own, else the common one, else None."""
    common = path.parent / "_inputs"
    own = common / path.stem
    if own.is_dir():
        return own
    return common if common.is_dir() else None


def refused_links(inputs: Path) -> Iterator[RefusedLink]:
    """Yield the links in a folder, or below it, that sessions are not shown; those to files of it are as good as files.

    The folder itself may be a link.
    """
    root = inputs.resolve()
    for parent, folders, files in os.walk(inputs):
        for name in sorted((*folders, *files)):
            path = Path(parent, name)
            if path.is_symlink() and (what := _refusal(path, root)):
                yield RefusedLink(path, what)


def _refusal(path: Path, root: Path) -> str:
    try:
        leads_to = path.resolve(strict=True)
    except (OSError, RuntimeError):  # a circle of links, before Python 3.13
        return "leads nowhere"
    if not leads_to.is_relative_to(root):
        return "leads out of the inputs folder"
    return "" if leads_to.is_file() else "leads to no file"


def check_inputs(problemset: Problemset, inputs: Path | None, findings: Findings) -> None:
    """Report links that no session follows, and warn of files that code reads from `inputs/` and that are not there."""
    for link in refused_links(inputs) if inputs is not None else ():
        what = f"the input file {str(link.path)!r} is a link that {link.what}"
        findings.error("link-in-inputs", 1, what, "put a copy of the file in its place")
    for cell in problemset.cells:
        if isinstance(cell, Problem):
            code, code_line = cell.code, cell.code_line
        else:
            code, code_line = cell.source, source_line(cell.raw or "", cell.line)
        tree = parse_code(code).tree
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                _check_input(node.value, inputs, code_line + node.lineno - 1, findings)


def _check_input(text: str, inputs: Path | None, line: int, findings: Findings) -> None:
    name = text.removeprefix("./")
    if not name.startswith("inputs/") or name == "inputs/" or _GLOB & set(name) or "\0" in name or len(name) > 255:
        return
    if inputs is None or not (inputs / name.removeprefix("inputs/")).exists():
        what = f"the code names {name!r}, but there is no such input file"
        fix = f"put it into {inputs or '_inputs'}, or correct the name"
        findings.warning("missing-input", line, what, fix)
