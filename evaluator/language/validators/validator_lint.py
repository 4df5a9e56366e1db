"""Checks the validator mapping of a problem against the schemas; reports every fault at its line."""

import ast
import re
from collections.abc import Mapping
from typing import Any

from evaluator.diagnostics import Severity
from evaluator.language.names import names_read_and_written
from evaluator.language.problem_settings import YamlPlace, is_name, is_number
from evaluator.language.python_source import parse_code
from evaluator.language.validators.equality_lines import EQUALITY_LINES, JUDGEMENTS
from evaluator.language.validators.own_validators import VARIABLES_OPTION, OwnValidator, OwnValidators
from evaluator.language.validators.schemas import (
    LOSSES,
    MATCHER_OPTIONS,
    METRICS,
    TEMPLATES,
    VALIDATOR_SCHEMAS,
    OptionKind,
    OptionSchema,
    ValidatorShape,
    canonical_validator,
    known_validator_names,
)
from evaluator.language.yaml_text.reader import KeyPath
from evaluator.registry import nearest_name


def why_unknown(own: OwnValidators | None) -> tuple[str, str] | None:
    """Return what is wrong with the file that should define a validator, and the remedy; None if nothing is."""
    errors = [each for each in own.diagnostics if each.severity is Severity.ERROR] if own is not None else []
    if not errors:
        return None
    return f"{errors[0].path.name}, line {errors[0].line}: {errors[0].what}", errors[0].fix


def check_own_options(place: YamlPlace, path: tuple[str | int, ...], validator: OwnValidator, options: Any) -> None:
    """Report options that the function does not take, that it needs, and a wrong list of variables."""
    if options is not None and not isinstance(options, Mapping):
        what = f"{validator.name!r} must be a mapping of its options, not {options!r}"
        place.findings.error("wrong-type", place.line(*path), what, f"write each option below '{validator.name}:'")
        return
    given: Mapping[Any, Any] = options or {}
    known = [VARIABLES_OPTION, *validator.options]
    for name in given:
        if name in known or (validator.takes_any_option and is_name(name)):
            continue
        near = nearest_name(str(name), known)
        fix = f"use {near!r}" if near else f"use one of {', '.join(known)}, or give the function such a parameter"
        what = f"{validator.name!r} has no option {name!r}"
        place.findings.error("unknown-option", place.line(*path, name), what, fix)
    for name, is_required in validator.options.items():
        if is_required and name not in given:
            what = f"{validator.name!r} needs the option {name!r}"
            place.findings.error("missing-option", place.line(*path), what, f"write '{name}:' below it")
    names = given.get(VARIABLES_OPTION)
    if names is not None and not (isinstance(names, list) and all(is_name(name) for name in names)):
        what = f"{VARIABLES_OPTION!r} must be a list of variable names, not {names!r}"
        fix = f"write '{VARIABLES_OPTION}: [first, second]'"
        place.findings.error("wrong-type", place.line(*path, VARIABLES_OPTION), what, fix)


_FENCED = re.compile(r"```[A-Za-z0-9]*[ \t]*\n(.*?)```", re.DOTALL)


def makes_name(code: str, name: str) -> bool:
    """Return whether code makes a name."""
    return name in names_read_and_written(code).writes


def wrong_type(place: YamlPlace, path: KeyPath, wanted: str, value: Any, fix: str = "") -> None:
    """Report that the value at `path` is not what it must be."""
    shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
    what = f"{path[-1]!r} must be {wanted}, not {shown}"
    place.findings.error("wrong-type", place.line(*path), what, fix or f"write {wanted} after '{path[-1]}:'")


def check_cases(place: YamlPlace, path: KeyPath, cases: Any) -> None:
    """Report cases of a wrong form and code in them that cannot run."""
    if not isinstance(cases, list) or not cases:
        wrong_type(place, path, "a list of test cases, at least one", cases)
        return
    if isinstance(cases[0], str) and cases[0].strip() == "//":
        what = "the first test case repeats a case, but there is none before it"
        place.findings.error("nothing-to-repeat", place.line(*path, 0), what, "write a case before '//'")
    for number, case in enumerate(cases):
        if not isinstance(case, (list, Mapping)) and not _is_code_case(case):
            wanted = (
                "a list of arguments, a mapping of arguments, code between ``` lines, an expression in `...`, or '//'"
            )
            wrong_type(place, (*path, number), wanted, case)
        _check_case_code(place, (*path, number), case)
        for position, item in enumerate(case if isinstance(case, list) else ()):
            _check_case_code(place, (*path, number, position), item)


def _is_code_case(case: Any) -> bool:
    if not isinstance(case, str):
        return False
    return case.strip() == "//" or _fenced_code(case) is not None or _expression(case) is not None


def _fenced_code(text: str) -> str | None:
    found = _FENCED.fullmatch(text.strip())
    return None if found is None else found[1]


def _expression(text: str) -> str | None:
    text = text.strip()
    is_quoted = len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1]
    return text[1:-1].strip() if is_quoted else None


def _check_case_code(place: YamlPlace, path: KeyPath, text: Any) -> None:
    """Report code of a case that cannot run; a mapping's values are taken as they are."""
    if not isinstance(text, str):
        return
    code, expression = _fenced_code(text), _expression(text)
    first = place.first_line + place.document.text_lines.get(path, place.document.line(*path)) - 1
    source = code if code is not None else expression
    if source is None:
        return
    parsed = parse_code(source)
    if parsed.tree is None and parsed.fault is not None:
        what = f"the code of a test case does not parse: {parsed.fault.message}"
        offset = parsed.fault.line if code is not None else 0
        place.findings.error("python-syntax", first + offset, what, "correct the code")
    elif code is not None and not (makes_name(code, "_test_case") or makes_name(code, "_generate")):
        what = "the code of a test case defines neither '_test_case' nor '_generate'"
        place.findings.error("code-without-function", first, what, "write '_test_case = [...]' in it")
    elif expression is not None and parsed.tree is not None and not _is_expression(parsed.tree):
        what = f"the test case {text.strip()!r} is no expression"
        place.findings.error("python-syntax", first, what, "write one expression, or a block between ``` lines")


def _is_expression(tree: ast.Module) -> bool:
    return len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)


_Path = tuple[str | int, ...]
_EXPONENT = re.compile(r"\d+(\.\d*)?[eE][-+]?\d+")


def check_validators(place: YamlPlace, written: Mapping[str, Any], own: OwnValidators | None = None) -> None:
    """Report unknown names and options of `validator:`, values of wrong types, code that does not parse."""
    path: _Path = ("validator",)
    template = written.get("template")
    if "template" in written and not (isinstance(template, str) and template in TEMPLATES):
        near = nearest_name(str(template), list(TEMPLATES))
        fix = f"use {near!r}" if near else f"use one of {', '.join(TEMPLATES)}"
        what = f"no validator template is called {template!r}"
        place.findings.error("unknown-template", place.line(*path, "template"), what, fix)
    if template == "empty" and len(written) == 1:
        what = "the template 'empty' without a validator accepts every submission"
        place.findings.warning("nothing-validated", place.line(*path), what, "add a validator, or use another template")
    _check_mapping(place, path, {name: options for name, options in written.items() if name != "template"}, own)


def _check_mapping(place: YamlPlace, path: _Path, validators: Mapping[Any, Any], own: OwnValidators | None) -> None:
    seen: dict[str, Any] = {}
    for name, options in validators.items():
        here = (*path, name)
        if own is not None and name in own.validators:
            check_own_options(place, here, own.validators[name], options)
            continue
        canonical = canonical_validator(name) if isinstance(name, str) else None
        if canonical is None:
            _unknown_validator(place, here, name, own)
            continue
        if canonical in seen:
            what = f"{name!r} and {seen[canonical]!r} are the same validator"
            place.findings.error("duplicate-validator", place.line(*here), what, "keep one of them")
        seen[canonical] = name
        _check_validator(place, here, canonical, options, own)


def _unknown_validator(place: YamlPlace, path: _Path, name: Any, own: OwnValidators | None) -> None:
    mine = tuple(own.validators) if own is not None else ()
    near = nearest_name(str(name), [*known_validator_names(), *mine])
    fix = f"use {near!r}" if near else f"use one of {', '.join((*VALIDATOR_SCHEMAS, *mine))}"
    broken = why_unknown(own)
    if broken is not None and near is None:
        what = f"no validator is called {name!r}; {broken[0]}"
        place.findings.error("unknown-validator", place.line(*path), what, broken[1])
        return
    if name == "template":
        fix = "write 'template' directly below 'validator'"
    elif name in MATCHER_OPTIONS:
        fix = f"write it below a validator, such as 'result: {{{name}: ...}}'"
    place.findings.error("unknown-validator", place.line(*path), f"no validator is called {name!r}", fix)


def _check_validator(place: YamlPlace, path: _Path, canonical: str, options: Any, own: OwnValidators | None) -> None:
    schema = VALIDATOR_SCHEMAS[canonical]
    if schema.shape is ValidatorShape.VALIDATORS:
        if not isinstance(options, Mapping) or not options:
            what = f"{path[-1]!r} holds no validators"
            fix = "write at least one validator below it, each as 'name:'"
            place.findings.error("no-validators", place.line(*path), what, fix)
        else:
            _check_mapping(place, path, options, own)
    elif schema.shape is ValidatorShape.VARIABLES:
        _check_variables(place, path, options)
    elif schema.takes_code and isinstance(options, str):
        _check_code(place, path, options, "compare_fn")
    else:
        _check_options(place, path, options, schema.options)


def _check_variables(place: YamlPlace, path: _Path, options: Any) -> None:
    if not isinstance(options, Mapping) or not options:
        what = f"{path[-1]!r} names no variable"
        fix = "write each variable below it, such as '  df:'"
        place.findings.error("namespace-check-without-names", place.line(*path), what, fix)
        return
    for name, matcher in options.items():
        here = (*path, name)
        if is_name(name):
            _check_matcher(place, here, matcher, "compare_fn")
            continue
        what = f"{name!r} is not the name of a variable"
        hint = "put it in quotes: YAML reads yes, no, on and off as true and false"
        fix = hint if isinstance(name, bool) else "write the name of a variable that the reference code makes"
        place.findings.error("not-a-variable-name", place.line(*here), what, fix)


def _check_options(place: YamlPlace, path: _Path, options: Any, known: Mapping[str, OptionSchema]) -> None:
    if options is not None and not isinstance(options, Mapping):
        wanted = f"nothing or a mapping with {', '.join(known)}" if known else "nothing"
        wrong_type(place, path, wanted, options)
        return
    given: Mapping[Any, Any] = options or {}
    for name, value in given.items():
        if name not in known:
            near = nearest_name(str(name), list(known))
            fix = f"use {near!r}" if near else (f"use one of {', '.join(known)}" if known else "remove it")
            what = f"{path[-1]!r} has no option {name!r}"
            place.findings.error("unknown-option", place.line(*path, name), what, fix)
        elif value is not None or known[name].kind is OptionKind.NUMBER:
            _check_value(place, (*path, name), value, known[name])
    for name, schema in known.items():
        if schema.required and given.get(name) is None:
            what = f"{path[-1]!r} needs the option {name!r}: {schema.summary}"
            place.findings.error("missing-option", place.line(*path), what, f"write '{name}:' below it")
    _check_together(place, path, given)


def _check_together(place: YamlPlace, path: _Path, options: Mapping[Any, Any]) -> None:
    metrics, tolerances = options.get("metric_type"), options.get("tolerance")
    if isinstance(tolerances, list) and len(tolerances) not in (1, len(metrics) if isinstance(metrics, list) else 1):
        what = f"there are {len(tolerances)} tolerances for other metrics"
        line = place.line(*path, "tolerance")
        place.findings.error("options-contradict", line, what, "write one tolerance for all metrics, or one for each")
    _check_signs(place, path, metrics, tolerances)
    _check_pass_at(place, path, options.get("pass_at"))
    if options.get("treat_replacement_as_update") is True and options.get("replacement") is not None:
        what = "'replacement' has no meaning while 'treat_replacement_as_update' is true"
        line = place.line(*path, "treat_replacement_as_update")
        place.findings.error("options-contradict", line, what, "remove one of them")
    if options.get("compare_fn") is not None and len(options) > 1:
        what = "matcher options beside 'compare_fn' are not used"
        place.findings.error(
            "options-contradict", place.line(*path, "compare_fn"), what, "keep either 'compare_fn' or the options"
        )
    if options.get("deep") is True and options.get("ignore_order") is not True:
        what = "'deep' changes nothing where the order counts"
        line = place.line(*path, "deep")
        place.findings.warning(
            "option-without-effect", line, what, "write 'ignore_order: true' beside it, or remove it"
        )
    if options.get("strict_type") is True and options.get("ignore_dtypes") is True:
        line = place.line(*path, "ignore_dtypes")
        what = "'ignore_dtypes' changes nothing where 'strict_type' lets types count"
        place.findings.warning("option-without-effect", line, what, "keep one of them")
    _check_width(place, path, options)
    if options.get("type_only") is True:
        what = "'type_only' accepts every value of the same type, so the answer can be guessed"
        place.findings.warning("guessable-type-only", place.line(*path, "type_only"), what, "compare the value too")


def _check_pass_at(place: YamlPlace, path: _Path, pass_at: Any) -> None:
    """Report a score that cannot be reached, and one that everything reaches; figures have facts beside it."""
    if not is_number(pass_at):
        return
    if pass_at > 1:
        what = f"no score is above 1, so that 'pass_at' {pass_at:g} is never reached"
        fix = "write a fraction, such as 0.9"
        place.findings.error("wrong-type", place.line(*path, "pass_at"), what, fix)
    elif pass_at == 0 and path[-1] != "visual":
        what = "every score is at least 0, so that 'pass_at' 0 accepts everything"
        place.findings.warning("guessable-pass-at", place.line(*path, "pass_at"), what, "write a fraction, such as 0.9")


def _check_width(place: YamlPlace, path: _Path, options: Mapping[Any, Any]) -> None:
    """Report a tolerance that accepts what nobody would call near."""
    rtol, metrictol = (options.get(name, 0) for name in ("rtol", "metrictol"))
    if is_number(rtol) and rtol >= 1:
        what = f"the relative tolerance {rtol:g} accepts 0 in place of every number"
        fix = "write a fraction of the expected number, such as 0.05"
        place.findings.warning("tolerance-too-wide", place.line(*path, "rtol"), what, fix)
    if is_number(metrictol) and metrictol > 1:
        what = f"'metrictol' {metrictol:g} asks for a better score than the reference has"
        fix = "write a part of the reference's score, such as 0.95"
        place.findings.warning("tolerance-too-narrow", place.line(*path, "metrictol"), what, fix)


def _check_signs(place: YamlPlace, path: _Path, metrics: Any, tolerances: Any) -> None:
    """Report a tolerance that lets every model pass: the sign says on which side of the reference a score may lie."""
    named = metrics if isinstance(metrics, list) else [metrics]
    given = tolerances if isinstance(tolerances, list) else [tolerances]
    given = given * len(named) if len(given) == 1 else given
    for metric, tolerance in zip(named, given, strict=False):
        if metric not in METRICS or not is_number(tolerance) or not tolerance:
            continue
        is_loss = metric in LOSSES
        if (tolerance < 0) is is_loss:
            kind, sign = ("a loss", "above") if is_loss else ("a score", "below")
            what = f"the tolerance {tolerance:g} of {metric!r} lets nearly every model pass: {metric} is {kind}"
            fix = f"write a number {sign} 0, such as {'' if is_loss else '-'}0.1; of several metrics each its own"
            place.findings.warning("tolerance-sign", place.line(*path, "tolerance"), what, fix)


def _check_value(place: YamlPlace, path: _Path, value: Any, schema: OptionSchema) -> None:
    kind = schema.kind
    if kind is OptionKind.NUMBER and not _is_not_negative(value):
        _check_number(place, path, value)
    elif kind is OptionKind.CODE and isinstance(value, str):
        _check_code(place, path, value, schema.defines)
    elif kind in (OptionKind.MATCHER, OptionKind.MATCHER_OR_FALSE):
        if not (kind is OptionKind.MATCHER_OR_FALSE and isinstance(value, bool)):
            _check_matcher(place, path, value, schema.defines)
    elif kind is OptionKind.CASES:
        check_cases(place, path, value)
    elif kind is OptionKind.CHOICES:
        _check_choices(place, path, value, schema)
    elif kind is OptionKind.JUDGEMENTS and isinstance(value, Mapping):
        _check_judgements(place, path, value, schema)
    elif not _fits(value, kind):
        wrong_type(place, path, str(kind), value)


def _fits(value: Any, kind: OptionKind) -> bool:
    match kind:
        case OptionKind.FLAG:
            return isinstance(value, bool)
        case OptionKind.NAME:
            return is_name(value)
        case OptionKind.DOTTED_NAME:
            return isinstance(value, str) and all(is_name(part) for part in value.split("."))
        case OptionKind.FLAG_OR_NAMES:
            return isinstance(value, bool) or (isinstance(value, list) and all(is_name(name) for name in value))
        case OptionKind.NUMBERS:
            return is_number(value) or (isinstance(value, list) and bool(value) and all(map(is_number, value)))
        case OptionKind.NUMBER:
            return _is_not_negative(value)
        case OptionKind.TEXT:
            return (isinstance(value, str) and bool(value.strip())) or is_number(value)
        case _:
            return False


def _is_not_negative(value: Any) -> bool:
    return is_number(value) and value >= 0


def _check_number(place: YamlPlace, path: _Path, value: Any) -> None:
    if isinstance(value, str) and _EXPONENT.fullmatch(value) and is_number(float(value)):
        what = f"YAML reads {value!r} as text, not as a number"
        fix = f"write it with a point, such as {path[-1]}: 1.0e-5"
        place.findings.warning("number-as-text", place.line(*path), what, fix)
    else:
        fix = f"write a number of at least 0 after '{path[-1]}:'"
        wrong_type(place, path, "a finite number of at least 0", value, fix)


def _check_matcher(place: YamlPlace, path: _Path, value: Any, defines: str) -> None:
    if isinstance(value, str):
        _check_code(place, path, value, defines)
    elif value is not None:
        _check_options(place, path, value, MATCHER_OPTIONS)


def _check_choices(place: YamlPlace, path: _Path, value: Any, schema: OptionSchema) -> None:
    for word in value if isinstance(value, list) and value else [value]:
        if word not in schema.choices:
            near = nearest_name(str(word), list(schema.choices))
            fix = f"use {near!r}" if near else f"use one of {', '.join(schema.choices)}"
            place.findings.error("wrong-type", place.line(*path), f"{path[-1]!r} knows no {word!r}", fix)


def _check_judgements(place: YamlPlace, path: _Path, value: Mapping[Any, Any], schema: OptionSchema) -> None:
    for line, judgement in value.items():
        for word, known in ((line, schema.choices), (judgement, JUDGEMENTS)):
            if isinstance(word, str) and word in EQUALITY_LINES and word not in known:
                what = f"no problem can judge the line {word!r} otherwise"
                place.findings.error(
                    "wrong-type", place.line(*path, line), what, "remove it; atol and rtol set tolerances"
                )
            elif word not in known:
                near = nearest_name(str(word), list(known))
                fix = f"use {near!r}" if near else f"use one of {', '.join(known)}"
                what = f"{path[-1]!r} knows no {word!r}"
                place.findings.error("wrong-type", place.line(*path, line), what, fix)


def _check_code(place: YamlPlace, path: _Path, code: str, defines: str) -> None:
    first = place.first_line + place.document.text_lines.get(path, place.document.line(*path)) - 1
    parsed = parse_code(code)
    if parsed.tree is None and parsed.fault is not None:
        what = f"the code of {path[-1]!r} does not parse: {parsed.fault.message}"
        place.findings.error("python-syntax", first + parsed.fault.line - 1, what, "correct the code")
    elif defines and not makes_name(code, defines):
        what = f"the code of {path[-1]!r} does not define {defines!r}"
        place.findings.error("code-without-function", first, what, f"write 'def {defines}(...):'")
