"""The problem that a record becomes: its query, its reference code, and validators from its test."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from authoring.conversion.comparable import draws, is_comparable
from authoring.conversion.converted import ConversionFinding
from authoring.conversion.records.completed_code import Completed, Definition
from authoring.conversion.records.record_queries import (
    query_for_class,
    query_for_function,
    query_for_task,
    remarks_on_code,
)
from authoring.conversion.records.record_tests import names_looked_at, read_test
from authoring.conversion.records.replayed_tests import PROBE, judge_of, replay_of
from authoring.conversion.signature_probes import judged_by_signature, signature_probes
from authoring.conversion.unseeded import unseeded_draws
from evaluator.language import ExecutionLimits, Problem, names_read_and_written, parse_code

MAX_CASES: Final = 60
MAX_TIME_S: Final = 5.0
_AT_HAND: Final = frozenset({"pd", "np", "random"})
_MERE_NAMES: Final = re.compile(r"[\w\s,]*=?[\s(\[{]*")


@dataclass(frozen=True)
class Made:
    """What became of a record."""

    setup: str  # what was given before the task
    problem: Problem | None
    findings: tuple[ConversionFinding, ...] = ()


def problem_of_definition(
    completed: Completed, definition: Definition, words: str, test: str, given: Completed | None, prompt: str
) -> Made:
    """Return the problem that asks for a function or a class.

    Args:
        completed: Prompt and solution as one program.
        definition: What is asked for.
        words: What the record tells.
        test: The record's test; empty: it has none.
        given: The prompt alone; None: it is prose.
        prompt: The prompt.
    """
    name = definition.name
    setup = completed.setup(name)
    if isinstance(definition, ast.FunctionDef):
        query = query_for_function(definition, words, given)
        validator, probes, findings = _judged_by_calls(definition, test, setup)
        points = ["functions"]
    else:
        is_stub = given is not None and given.definition(name) is not None
        query = query_for_class(definition, words, prompt, is_stub=is_stub)
        validator, probes, findings = _judged_by_replay(name, test)
        points = ["classes"]
    metadata: dict[str, Any] = {"knowledge_points": points}
    if probes:
        metadata["probes"] = probes
    problem = Problem(
        query=query,
        code=completed.task(name),
        validator=validator,
        execution=ExecutionLimits(max_time_s=MAX_TIME_S),
        metadata=metadata,
    )
    return Made(setup, problem, tuple(findings))


_Judged = tuple[dict[str, Any], dict[str, str], list[ConversionFinding]]


def _judged_by_calls(function: ast.FunctionDef, test: str, setup: str) -> _Judged:
    """Return validators, probes and findings for a function: its test's cases, and the test where they are not all."""
    read = read_test(test, function.name, function, setup)
    validator: dict[str, Any] = {"template": "intact"}
    findings = []
    if read.cases:
        table: dict[str, Any] = {"function_name": function.name, "test_cases": list(read.cases[:MAX_CASES])}
        if _changes_arguments(function):
            table["input_checker"] = False
        validator["table_test"] = table
    if len(read.cases) > MAX_CASES:
        what = f"{len(read.cases) - MAX_CASES} cases of the test were left out"
        findings.append(_finding("cases-left-out", what, f"at most {MAX_CASES} are kept: add those that matter"))
    if read.is_whole and read.cases:
        return validator, {}, findings
    replayed, probes, more = _judged_by_replay(function.name, test)
    return {**validator, **replayed}, probes, [*findings, *more]


def _judged_by_replay(name: str, test: str) -> _Judged:
    """Return a probe that repeats the test; where there is none, one that only sees that the definition is there."""
    replay = replay_of(test, name)
    validator = {"template": "intact", "namespace_check": {PROBE: None}}
    if replay:
        return validator, {PROBE: replay}, []
    finding = _finding("no-cases", "no test case could be read from the test", "write `test_cases`")
    probes = signature_probes([name])
    return judged_by_signature(probes), probes, [finding]


def _changes_arguments(function: ast.FunctionDef) -> bool:
    """Return whether the reference changes what it is given, which its test does not ask for."""
    parameters = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    body = "\n".join(ast.unparse(node) for node in function.body if not isinstance(node, ast.Return))
    parsed = parse_code(f"def _():\n    pass\n{_as_script(body)}")
    return parsed.tree is not None and bool(parameters & _changed_in_place(parsed.tree))


def _as_script(body: str) -> str:
    return f"def _body():\n{_indented(body)}" if body.strip() else ""


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


_MUTATORS: Final = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "update", "sort", "reverse", "fill", "add", "discard"}
    | {"setdefault", "resize", "itemset", "put", "partition"}
)


def _changed_in_place(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = [target for target in node.targets if not isinstance(target, ast.Name)]
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            in_place = any(k.arg == "inplace" for k in node.keywords)
            targets = [node.func.value] if in_place or node.func.attr in _MUTATORS else []
        found |= {name for target in targets if (name := _root(target))}
    return found


def _root(target: ast.expr) -> str:
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def problem_of_task(completed: Completed, words: str, test: str, open_names: tuple[str, ...]) -> Made:
    """Return the problem that asks for a piece of a program, judged by variables or by its result.

    Args:
        completed: Prompt and solution as one program.
        words: What the record tells.
        test: The record's test; empty: it has none.
        open_names: Variables that the prompt leaves open.
    """
    remarks = remarks_on_code(completed) if completed.prompt else set[int]()
    setup, task = completed.setup("", remarks=remarks), completed.task("")
    before = names_read_and_written(setup).writes
    answers = open_names or _answers(task, test, before)
    if not answers and _only_draws(task):
        what = "the solution only draws, and what it draws is judged by nobody: no problem came of it"
        fix = "ask for the numbers behind the picture, or write a problem with the validator 'visual'"
        return Made("", None, (_finding("plot", what, fix),))
    asked = answers or tuple(sorted(names_looked_at(test) & names_read_and_written(task).writes))
    query = query_for_task(words, asked, sorted(before), _begun(completed))
    validator: dict[str, Any] | None = None
    findings = []
    metadata: dict[str, Any] = {}
    random_draws = unseeded_draws(f"{setup}\n{task}")
    if answers:
        matchers: dict[str, Any] = dict.fromkeys(answers)
        judge = judge_of(test, answers[0]) if random_draws and len(answers) == 1 else ""
        if judge and names_looked_at(test) <= {*answers, *_AT_HAND}:
            matchers[answers[0]] = judge
        validator = {"template": "intact", "namespace_check": matchers}
    elif asked and (replay := replay_of(test, "")):  # groups, models and iterators, by what the test sees of them
        metadata["probes"] = {PROBE: replay}
        validator = {"template": "intact", "namespace_check": {PROBE: None}}
    elif not _has_result(task):
        what = "it leaves neither a value nor a variable: an empty answer would pass"
        findings.append(_finding("validator", what, "name what counts in the query, or choose another validator"))
    limits = ExecutionLimits(max_time_s=MAX_TIME_S)
    problem = Problem(query=query, code=task, validator=validator, execution=limits, metadata=metadata)
    return Made(setup, problem, tuple(findings))


def _answers(task: str, test: str, before: frozenset[str]) -> tuple[str, ...]:
    """Return the variables that count: those that the test looks at and the task makes or changes."""
    made = [name for name in _in_order(task) if not name.startswith("_")]
    looked_at = names_looked_at(test)
    found = [name for name in made if name in looked_at]
    if found:
        return tuple(found)
    changed = [name for name in sorted(looked_at & before) if name in names_read_and_written(task).reads]
    if changed and test.strip() and not _has_result(task):
        return tuple(changed)
    if not test.strip() or not _has_result(task):
        tree = parse_code(task).tree
        last = tree.body[-1] if tree is not None and tree.body else None
        if isinstance(last, ast.Expr) and _has_result(task) and is_comparable(last.value):
            return ()
        return tuple(made)
    return ()


def _only_draws(task: str) -> bool:
    """Return whether nothing is left to compare of code but a picture."""
    tree = parse_code(task).tree
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)] if tree is not None else []
    return any(map(draws, nodes)) and (not _has_result(task) or _ends_with_drawing(task))


def _ends_with_drawing(task: str) -> bool:
    tree = parse_code(task).tree
    last = tree.body[-1] if tree is not None and tree.body else None
    return isinstance(last, ast.Expr) and not is_comparable(last.value)


def _in_order(task: str) -> Iterator[str]:
    """Yield the names that code makes or changes, functions, classes and modules left out."""
    tree = parse_code(task).tree
    seen: set[str] = set()
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
            continue
        writes = names_read_and_written(ast.unparse(node)).writes
        loop = {each.id for part in _loop_targets(node) for each in ast.walk(part) if isinstance(each, ast.Name)}
        is_kept = not isinstance(node, ast.Assign) or is_comparable(node.value)
        for name in sorted(writes - seen - loop) if is_kept else ():
            seen.add(name)
            yield name


def _loop_targets(node: ast.stmt) -> list[ast.expr]:
    return [each.target for each in ast.walk(node) if isinstance(each, ast.For)]


def _has_result(task: str) -> bool:
    tree = parse_code(task).tree
    last = tree.body[-1] if tree is not None and tree.body else None
    if not isinstance(last, ast.Expr):
        return False
    call = last.value
    is_print = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
    in_place = isinstance(call, ast.Call) and any(
        k.arg == "inplace" and getattr(k.value, "value", None) is True for k in call.keywords
    )
    mutates = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _MUTATORS
    return not (is_print or in_place or mutates)


def _begun(completed: Completed) -> str:
    """Return the prompt's unfinished statement, unless it is only the names of the answers and `=`."""
    begun = completed.begun
    return "" if _MERE_NAMES.fullmatch(begun) else begun


def _finding(code: str, what: str, fix: str) -> ConversionFinding:
    return ConversionFinding(code, "", "", what, fix)
