"""Runs code in this process and judges what it leaves: a trial in a session costs twenty times as much."""

import ast
import copy
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from pandas.core.generic import NDFrame

from authoring.templates.candidate_trials import PROBE, SETUP, Refusal, in_words, weigh
from authoring.templates.family import Task
from evaluator.inside.codec.codec import decode, encode
from evaluator.inside.codec.decode.decoded import ABSENT, CaseAnswer, DecodedOutcome, FigureSeen, ProbeReport
from evaluator.inside.export.figures import figure_facts
from evaluator.inside.runtime.error_report import describe_error
from evaluator.inside.runtime.inference import infer_outputs, shown_expressions
from evaluator.inside.validators.interface import Grade
from evaluator.inside.validators.judging import judge
from evaluator.inside.validators.test_cases import build_case, seed
from evaluator.language import (
    Problem,
    graded_validators,
    probing_validators,
    resolve_validators,
    wanted_names,
    wants_figures,
)

Names = dict[str, Any]


def fork(names: Names) -> Names:
    """Copy a state; pandas copies its own when somebody writes to them."""
    return {
        name: value.copy(deep=False) if isinstance(value, NDFrame) else _copied(value) for name, value in names.items()
    }


def _copied(value: Any) -> Any:
    return value if isinstance(value, ModuleType) or callable(value) else copy.deepcopy(value)


@contextmanager
def _as_in_a_session() -> Iterator[None]:
    with warnings.catch_warnings(), mpl.rc_context():
        warnings.simplefilter("ignore")
        yield
        plt.close("all")


def run(code: str, problem: Problem, names: Names, given: Mapping[str, Any] | None = None) -> DecodedOutcome:
    """Run a cell, with what a session reports of it; `given` is the state of the reference, whose inputs models get."""
    body, validators = ast.parse(code).body, resolve_validators(problem)
    last = body.pop() if body else None
    if not isinstance(last, ast.Expr):
        body, last = [*body, *([last] if last else [])], None
    with _as_in_a_session():
        try:
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            value = ABSENT if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        except Exception as error:  # noqa: BLE001  # what leaves a cell is data
            return DecodedOutcome("error", code, error=describe_error(error))
        numbers = plt.get_fignums() if wants_figures(validators) else []
        variables = {name: names.get(name, ABSENT) for name in wanted_names(validators)}
        for name, source in problem.metadata.get("probes", {}).items():
            variables[name] = eval(source, dict(names))
        return DecodedOutcome(
            "ok", code, value, variables,
            inferred=infer_outputs(shown_expressions(code), names).values,
            reports=tuple(_report(node.options, names, given or names) for node in probing_validators(validators)),
            figures=tuple(_drawn(plt.figure(number)) for number in numbers),
        )  # fmt: skip


def _drawn(figure: Figure) -> FigureSeen:
    figure.draw_without_rendering()
    return FigureSeen(decode(encode({**figure_facts(figure), "library": {}})))


def _report(options: Mapping[str, Any], names: Names, given: Mapping[str, Any]) -> ProbeReport:
    if "model_name" in options:
        seed(0)
        predicted = names[options["model_name"]].predict(given[options["inputs_name"]])
        return ProbeReport("predict", "ok", found=True, value=predicted, same_inputs=True)
    cases, function = options["test_cases"], names.get(options["function_name"])
    if function is None:
        return ProbeReport("call", "ok", found=False)
    answers = []
    for number in range(len(cases)):
        arguments = build_case(cases, number)
        try:
            answers.append(CaseAnswer(function(*arguments), arguments))
        except Exception as error:  # noqa: BLE001  # what leaves a function is data
            answers.append(CaseAnswer(error=describe_error(error)))
            break
    return ProbeReport("call", "ok", found=True, cases=tuple(answers))


def answer(problem: Problem, reference: DecodedOutcome, submission: DecodedOutcome) -> tuple[str, str]:
    """Return yes, partial or no, or that the author is at fault, and the reason."""
    validators = resolve_validators(problem)
    grades = tuple(Grade(1.0) for _ in graded_validators(validators))  # of pictures, beside which facts decide
    found = judge(reference, submission, validators.to_json(), grades=grades)
    return found.get("answer", "author_error"), str(found)


class BenchHere:
    """Does what `Bench` does, without limits and without what only a session sees."""

    def __init__(self, _: object, inputs: Path, __: str) -> None:
        self.agreeing: tuple[str, ...] = ()
        self._folder, self._before = inputs.parent, os.getcwd()
        self._names: Names = {}
        exec(SETUP.source, self._names)

    def __enter__(self) -> Self:
        os.chdir(self._folder)
        return self

    def __exit__(self, *_: object) -> None:
        os.chdir(self._before)

    def consider(self, task: Task, problem: Problem) -> Refusal | None:
        """Look at the result, try every other way and every mistake, and go on from the reference."""
        after, draws = fork(self._names), wants_figures(resolve_validators(problem))
        reference = run(problem.code, problem, after)
        if reference.error is not None:
            return Refusal(f"{reference.error.name}: {reference.error.message}")
        refusal = self._look(task, reference.result, fork(after))
        if refusal is not None or draws:  # test_figures.py tries figures
            return refusal
        for mistake in task.mistakes:
            found, why = self._try(mistake.code, problem, reference, after)
            if found == "yes" and not mistake.may_agree:
                return Refusal(f"a wrong answer ({mistake.why}) is right")
        for other in task.others:
            found, why = self._try(other, problem, reference, after)
            if found != "yes":
                return Refusal(f"another right answer is {found}: {other}: {why}")
        self._names = after
        return None

    def _try(self, code: str, problem: Problem, reference: DecodedOutcome, after: Names) -> tuple[str, str]:
        return answer(problem, reference, run(code, problem, fork(self._names), after))

    def _look(self, task: Task, result: Any, names: Names) -> Refusal | None:
        exec(PROBE.read_text(encoding="utf-8"), names)
        looked = task.look or (task.stores[0] if task.stores else "None")
        names["_bw_result"] = result if task.result else eval(looked, names)
        checks = [eval(f"(\n{check}\n)", names) for check in task.checks]
        facts = names["_bw_facts"](names["_bw_result"], checks)
        failed = [check for check, holds in zip(task.checks, facts["checks"], strict=True) if not holds]
        if failed:
            return Refusal(f"the data do not fit the question: {in_words(failed[0])}", failed[0])
        return weigh(facts, stored=bool(task.stores) or not task.result)
