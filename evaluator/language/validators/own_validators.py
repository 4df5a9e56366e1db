"""A benchmark's own validators: what `_validators.py` beside the manifest defines, read without running it.

The contract: a function `name(reference, submission, **options)` at the top level of the file, its name not beginning
with `_`. Its remaining parameters are the options that a problem may set. The comparator calls it, never this process.
"""

import ast
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from evaluator.diagnostics import Diagnostic, Findings
from evaluator.language.python_source import parse_code
from evaluator.language.validators.schemas import MATCHER_OPTIONS, canonical_validator

OWN_VALIDATORS_FILE = "_validators.py"
VARIABLES_OPTION = "variables"
"""The option that every own validator has: the variables whose values the two outcomes hold. It is not passed on."""

_RESERVED = frozenset({"template", VARIABLES_OPTION, *MATCHER_OPTIONS})


@dataclass(frozen=True)
class OwnValidator:
    """One function of the file, as its signature tells it."""

    name: str
    summary: str  # first line of its docstring
    line: int
    options: Mapping[str, bool] = field(default_factory=dict)  # name -> whether it must be set
    takes_any_option: bool = False  # it has **options


@dataclass(frozen=True)
class OwnValidators:
    """The file as a whole."""

    path: Path
    code: str
    validators: Mapping[str, OwnValidator] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def digest(self) -> str:
        """The sha256 of the file's text."""
        return hashlib.sha256(self.code.encode("utf-8", "surrogatepass")).hexdigest()


def read_own_validators(code: str, path: Path) -> OwnValidators:
    """Read the functions that `code` defines; whatever is wrong with it comes back as diagnostics."""
    findings = Findings(path)
    parsed = parse_code(code)
    if parsed.tree is None or parsed.has_magics:
        fault = parsed.fault
        what = f"the benchmark's own validators do not parse: {fault.words if fault else 'it is no plain Python'}"
        findings.error("python-syntax", fault.line if fault else 1, what, "correct the code")
        return OwnValidators(path, code, diagnostics=findings.in_order())
    found: dict[str, OwnValidator] = {}
    for node in parsed.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            validator = _read_function(node, found, findings)
            if validator is not None:
                found[node.name] = validator
    return OwnValidators(path, code, MappingProxyType(found), findings.in_order())


def _read_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, found: Mapping[str, OwnValidator], findings: Findings
) -> OwnValidator | None:
    name = node.name
    if canonical_validator(name) is not None or name in _RESERVED:
        what = f"{name!r} already has a meaning in the language, so it cannot name a validator of your own"
        findings.error("own-validator-name", node.lineno, what, "give the function another name")
        return None
    if name in found:
        what = f"{name!r} is defined twice, first on line {found[name].line}"
        findings.error("own-validator-name", node.lineno, what, "give each function a name of its own")
        return None
    outcomes = [*node.args.posonlyargs, *node.args.args]
    fix = f"write 'def {name}(reference, submission, *, option=...):', or begin the name with '_' if it is no validator"
    if isinstance(node, ast.AsyncFunctionDef) or len(outcomes) < 2 or len(node.args.posonlyargs) > 2:
        what = f"{name!r} does not take a reference and a submission, so it cannot be a validator"
        findings.error("own-validator-signature", node.lineno, what, fix)
        return None
    options = _options(node.args)
    if VARIABLES_OPTION in options:
        what = f"{name!r} has a parameter {VARIABLES_OPTION!r}, an option that every validator has without it"
        findings.error("own-validator-signature", node.lineno, what, "give the parameter another name")
        return None
    summary = (ast.get_docstring(node) or "").partition("\n")[0]
    return OwnValidator(name, summary, node.lineno, MappingProxyType(options), node.args.kwarg is not None)


def _options(arguments: ast.arguments) -> dict[str, bool]:
    """Return the parameters after the two outcomes, each with whether it lacks a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = {argument.arg for argument in positional[len(positional) - len(arguments.defaults) :]}
    options = {argument.arg: argument.arg not in with_default for argument in positional[2:]}
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        options[argument.arg] = default is None
    return options
