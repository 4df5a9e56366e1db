"""Functions and models are tried in forks of what their cell left behind, under the host's clock."""

from collections.abc import Iterator
from typing import Any

import pytest

from evaluator.inside.codec.decode.decoded import ProbeReport
from evaluator.inside.export.probe_reports import read_reports
from evaluator.language import Problem
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    Engine,
    Outcome,
    Probe,
    ProbeFault,
    Session,
    record_probes,
)
from tests.session.conftest import PATIENT, read

LIMITS = CellLimits(wall_s=20)
Options = dict[str, Any]


@pytest.fixture(scope="module")
def session(engine: Engine) -> Iterator[Session]:
    with engine.open(key="probes", inputs=None) as opened:
        yield opened


def table(*cases: Any, name: str = "f", **options: Any) -> Options:
    return {"table_test": {"function_name": name, "test_cases": list(cases), **options}}


def shortened(probes: tuple[Probe, ...], limit_s: float) -> tuple[Probe, ...]:
    return tuple(Probe(probe.header, probe.data, limit_s) for probe in probes)


def probes_of(session: Session, *specs: Options, reference: str = "", **metadata: Any) -> tuple[Probe, ...]:
    """Return the probes of several validators, each of a problem of its own."""
    problems = [Problem("q", reference, validator={"template": "empty", **spec}, metadata=metadata) for spec in specs]
    return tuple(probe for problem in problems for probe in record_probes(session, problem, LIMITS))


def attempt(session: Session, source: str, probes: tuple[Probe, ...]) -> Outcome:
    return session.attempt(source, capture=CaptureSpec(probes=probes), limits=LIMITS)


def reports(outcome: Outcome) -> tuple[ProbeReport, ...]:
    pairs = zip(outcome.capture.probes, outcome.answers, strict=True)
    asked = [
        {"kind": probe.header["kind"], "cases": len(probe.header.get("cases", ())), "ending": answer.ending.value}
        for probe, answer in pairs
    ]
    return read_reports([answer.data for answer in outcome.answers], {"probes": asked})


def test_each_case_gets_its_own_arguments_and_reports_them_afterwards(session: Session) -> None:
    probes = probes_of(session, table([[1, 2]], {"x": [1]}, ["`pd.DataFrame({'a': [1, 2]})`"]))
    source = (
        "import os\nprint('cell')\nseen = []\ndef f(x):\n    seen.append(1)\n    x[0] = 'new'\n"
        "    print('test'); os.write(1, b'raw')\n    return len(seen)"
    )
    outcome = attempt(session, source, probes)
    (report,) = reports(outcome)
    assert [case.output for case in report.cases] == [1, 2, 3]
    assert [case.arguments for case in report.cases[:2]] == [[["new", 2]], {"x": ["new"]}]
    assert [output.get("text") for output in outcome.outputs] == ["cell\n"]  # what a function prints is no output


def test_no_case_is_called_after_one_that_raised(session: Session) -> None:
    probes = probes_of(session, table([1], [0], [2]))
    (report,) = reports(attempt(session, "def f(x):\n    return 1 / x", probes))
    assert [case.error and case.error.name for case in report.cases] == [None, "ZeroDivisionError"]


def test_a_function_that_hangs_or_dies_fails_its_own_test_only(session: Session) -> None:
    probes = shortened(probes_of(session, table([0]), table([1]), table([2])), 0.7)
    source = (
        "import os, time\ndef f(x):\n    if x == 0:\n        time.sleep(60)\n"
        "    if x == 1:\n        os._exit(0)\n    return x"
    )
    for outcome in (
        attempt(session, source, probes),
        session.execute(source, capture=CaptureSpec(probes=probes), limits=LIMITS),
    ):
        assert outcome.ending is Ending.OK
        assert [report.ending for report in reports(outcome)] == ["timed_out", "died", "ok"]
        assert reports(outcome)[2].cases[0].output == 2
    session.execute("del f, os, time")


def test_code_that_builds_cases_does_not_move_the_session(session: Session) -> None:
    session.execute("import random\nbefore = random.getstate()")
    probes_of(session, table("```\n_test_case = [random.random()]\n```", "//"))
    assert session.execute("assert random.getstate() == before").ending is Ending.OK
    session.execute("del before, random")


def test_a_surplus_answer_or_the_end_of_its_process_answers_nothing(session: Session) -> None:
    probes = probes_of(session, table([1]))
    source = (
        "import os, socket\nfor number in range(3, 200):\n    try:\n"
        "        sock = socket.socket(fileno=os.dup(number))\n        sock.send(b'\\x12\\x01\\x00\\x00\\x00x')\n"
        "    except OSError:\n        pass\ndef f(x):\n    return x"
    )
    for cell, ending in ((source, Ending.BAD_REPORT), ("import os; os._exit(0)", Ending.DIED)):
        outcome = attempt(session, cell, probes)
        assert (outcome.ending, outcome.payload, outcome.answers) == (ending, None, ())


def test_neither_expected_outputs_nor_the_reference_travel(session: Session) -> None:
    model = {"model_name": "model", "inputs_name": "X", "labels_name": "y", "metric_type": "accuracy"}
    reference = "X = ['input-7']\ny = ['label-7']\nclass model:\n    predict = lambda rows: y"
    probes = probes_of(session, {"model": model}, table(["case-7"]), reference=reference)
    sent = b"".join(repr(probe.header).encode() + (probe.data or b"") for probe in probes)
    assert b"input-7" in sent
    assert b"case-7" in sent
    assert b"label-7" not in sent
    (predicted, _) = reports(attempt(session, reference, probes))
    assert (predicted.value, predicted.same_inputs) == (["label-7"], True)


def test_cases_and_inputs_that_are_wrong_are_the_authors_fault(session: Session) -> None:
    small = "def _validate(x):\n    return x < 2"
    model = {"model": {"model_name": "m", "inputs_name": "X", "labels_name": "y", "metric_type": "r2"}}
    for spec, reference, message in (
        (table(["`1 / 0`"]), "", "case 1 cannot be built: ZeroDivisionError"),
        (table([1], [2], input_validator=small), "", "case 2 is refused"),
        (table([3], input_validator="def _validate(x):\n    assert x < 2, 'too much'"), "", "too much"),
        (model, "", "leaves no variable 'X'"),
        (model, "X = object()", "cannot travel as data"),
    ):
        with pytest.raises(ProbeFault, match=message):
            probes_of(session, spec, reference=reference)
    assert probes_of(session, {"crash": None}, reference="1 / 0") == ()  # nothing is run where nothing is asked
    assert probes_of(session, model, reference="1 / 0") == ()  # that the reference fails is said elsewhere


def test_cases_before_a_hang_or_a_death_keep_their_answers(session: Session) -> None:
    source = (
        "import os, time\ndef f(x):\n    if x == 3:\n        time.sleep(60)\n"
        "    if x == 5:\n        os._exit(0)\n    return x"
    )
    for fresh in (False, True):
        probes = shortened(probes_of(session, table([1], [2], [3]), table([4], [5], [6]), fresh=fresh), 1)
        late, dead = reports(attempt(session, source, probes))
        assert (late.ending, [case.output for case in late.cases]) == ("timed_out", [1, 2])
        assert (dead.ending, [case.output for case in dead.cases]) == ("died", [4])


def test_a_fresh_problem_calls_each_case_in_a_process_of_its_own(session: Session) -> None:
    source = "seen = []\ndef f(x):\n    seen.append(x)\n    return 1 / x if len(seen) == 1 else 'seen'"
    together, apart = (probes_of(session, table([1], [2], [0], [4]), fresh=fresh) for fresh in (False, True))
    (report,) = reports(attempt(session, source, apart))
    assert [case.output for case in report.cases[:2]] == [1.0, 0.5]
    assert [case.error and case.error.name for case in report.cases] == [None, None, "ZeroDivisionError"]
    (report,) = reports(attempt(session, source, together))
    assert [case.output for case in report.cases] == [1.0, "seen", "seen", "seen"]


def test_methods_and_attributes_are_called_by_names_with_dots(session: Session) -> None:
    source = (
        "class Shape:\n    @staticmethod\n    def area(a, b):\n        return a * b\n"
        "    def method(self, a, b):\n        return a + b\n"
        "    @property\n    def missing(self):\n        raise KeyError\n"
        "shape = Shape()\nclass deep:\n    inner = shape"
    )
    names = {"Shape.area": 6, "shape.method": 5, "deep.inner.area": 6, "shape.missing": None, "nothing.area": None}
    probes = probes_of(session, *(table([2, 3], name=name) for name in names))
    found = reports(attempt(session, source, probes))
    assert [report.found for report in found] == [expected is not None for expected in names.values()]
    assert [case.output for report in found for case in report.cases] == [6, 5, 6]


def test_declared_probes_make_values_to_compare(session: Session) -> None:
    reference = (
        "import itertools\nX = [[1.0], [2.0]]\nendless = itertools.count(3)\nlength = len([1, 2])\n"
        "class scale:\n    transform = staticmethod(lambda rows: [row[0] * 2 for row in rows])"
    )
    declared = {
        "total": "length + 40",
        "first": {"take": "endless", "count": 3},
        "scaled": {"transform": "scale", "inputs": "X"},
        "broken": "1 / 0",
    }
    probes = probes_of(session, {"crash": None}, reference=reference, probes=declared)
    assert [probe.header["as"] for probe in probes] == list(declared)
    found = reports(attempt(session, reference, probes))
    assert [report.value for report in found[:3]] == [42, [3, 4, 5], [2.0, 4.0]]
    assert found[3].error is not None
    assert found[3].error.name == "ZeroDivisionError"
    missing = reports(attempt(session, "", probes))
    assert [report.found for report in missing[1:3]] == [False, False]


def test_arguments_that_lose_their_class_are_built_where_they_are_used(session: Session) -> None:
    case = "```\nimport collections\nP = collections.namedtuple('P', 'x y')\n_test_case = [P(1, 2)]\n```"
    outcome = attempt(session, "def f(p):\n    return type(p).__name__", probes_of(session, table([[1]], case)))
    assert [one.output for one in reports(outcome)[0].cases] == ["list", "P"]


def test_inferring_an_output_leaves_no_trace(session: Session) -> None:
    source = (
        "import time\ncalls = []\ndef shown(x):\n    calls.append(x)\n    print('inside')\n    return x\n"
        "def f():\n    return len(calls)\nprint(shown(7))"
    )
    capture = CaptureSpec(infer=True, probes=probes_of(session, table([])))
    outcome = session.attempt(source, capture=capture, limits=LIMITS)
    assert [item.value for item in read(outcome).inferred] == [7]
    assert "".join(output["text"] for output in outcome.outputs) == "inside\n7\n"
    assert reports(outcome)[0].cases[0].output == 1
    dying = source.replace("return x", "return len(calls) > 1 and time._exit(0)", 1).replace("time", "os")
    outcome = session.attempt(dying, capture=CaptureSpec(infer=True), limits=PATIENT)
    assert outcome.ending is Ending.OK
    assert read(outcome).inference_failed
