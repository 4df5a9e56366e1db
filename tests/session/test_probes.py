"""Functions and models are tried in forks of what their cell left behind, under the host's clock."""

from collections.abc import Iterator
from typing import Any

import pytest

from evaluator.inside.claim import read_reports
from evaluator.inside.decoded import ProbeReport
from evaluator.language import ValidatorSpec
from evaluator.session import (
    CellLimits,
    Ending,
    Engine,
    Outcome,
    Probe,
    ProbeFault,
    SandboxChoice,
    Session,
    Wants,
    probe_sandbox,
    record_probes,
)

pytestmark = pytest.mark.kernel
LIMITS = CellLimits(wall_s=20)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as engine, engine.open(key="probes", inputs=None) as opened:
        yield opened


def table(*cases: Any, **options: Any) -> ValidatorSpec:
    return ValidatorSpec("table_test", {"function_name": "f", "test_cases": list(cases), **options})


def shortened(probes: tuple[Probe, ...], limit_s: float) -> tuple[Probe, ...]:
    return tuple(Probe(probe.header, probe.data, limit_s) for probe in probes)


def probes_of(session: Session, *specs: ValidatorSpec, reference: str = "") -> tuple[Probe, ...]:
    return record_probes(session, ValidatorSpec("and", {}, specs), reference, LIMITS)


def reports(outcome: Outcome) -> tuple[ProbeReport, ...]:
    pairs = zip(outcome.wants.probes, outcome.answers, strict=True)
    asked = [
        {"kind": probe.header["kind"], "cases": len(probe.header.get("cases", ())), "ending": answer.ending.value}
        for probe, answer in pairs
    ]
    return read_reports([answer.data for answer in outcome.answers], {"probes": asked})


def test_each_case_gets_its_own_arguments_and_they_are_reported_after_the_call(session: Session) -> None:
    probes = probes_of(session, table([[1, 2]], {"x": [1]}, ["`pd.DataFrame({'a': [1, 2]})`"]))
    source = "seen = []\ndef f(x):\n    seen.append(1)\n    x[0] = 'new'\n    return len(seen)"
    (report,) = reports(session.attempt(source, wants=Wants(probes=probes), limits=LIMITS))
    assert [case.output for case in report.cases] == [1, 2, 3]
    assert [case.arguments for case in report.cases[:2]] == [[["new", 2]], {"x": ["new"]}]


def test_no_case_is_called_after_one_that_raised(session: Session) -> None:
    probes = probes_of(session, table([1], [0], [2]))
    (report,) = reports(session.attempt("def f(x):\n    return 1 / x", wants=Wants(probes=probes), limits=LIMITS))
    assert [case.error and case.error.name for case in report.cases] == [None, "ZeroDivisionError"]


def test_what_a_function_prints_is_no_output_of_the_cell(session: Session) -> None:
    source = "print('cell')\ndef f():\n    import os\n    print('test')\n    os.write(1, b'raw')"
    outcome = session.attempt(source, wants=Wants(probes=probes_of(session, table([]))), limits=LIMITS)
    assert [output.get("text") for output in outcome.outputs] == ["cell\n"]


def test_a_function_that_hangs_or_dies_fails_its_own_test_only(session: Session) -> None:
    probes = shortened(probes_of(session, table([0]), table([1]), table([2])), 1.0)
    source = (
        "import os, time\ndef f(x):\n    if x == 0:\n        time.sleep(60)\n"
        "    if x == 1:\n        os._exit(0)\n    return x"
    )
    for outcome in (
        session.attempt(source, wants=Wants(probes=probes), limits=LIMITS),
        session.execute(source, wants=Wants(probes=probes), limits=LIMITS),
    ):
        assert outcome.ending is Ending.OK
        assert [answer.ending.value for answer in outcome.answers] == ["timed_out", "died", "ok"]
        assert reports(outcome)[2].cases[0].output == 2
    session.execute("del f, os, time")


def test_a_function_leaves_no_trace_in_the_session(session: Session) -> None:
    session.execute("items = [1]\nimport random\nbefore = random.getstate()")
    probes = probes_of(session, table([], []))
    outcome = session.execute(
        "def f():\n    items.append(random.random())\n    return len(items)", wants=Wants(probes=probes)
    )
    assert [case.output for case in reports(outcome)[0].cases] == [2, 3]
    after = session.execute("assert items == [1] and random.getstate() == before")
    assert after.ending is Ending.OK
    session.execute("del f, items, before, random")


def test_building_cases_does_not_move_the_session(session: Session) -> None:
    session.execute("import random\nbefore = random.getstate()")
    probes_of(session, table("```\n_test_case = [random.random()]\n```", "//"))
    assert session.execute("assert random.getstate() == before").ending is Ending.OK
    session.execute("del before, random")


def test_a_surplus_answer_is_a_bad_report(session: Session) -> None:
    source = (
        "import os, socket\nfor number in range(3, 200):\n    try:\n"
        "        sock = socket.socket(fileno=os.dup(number))\n        sock.send(b'\\x12\\x01\\x00\\x00\\x00x')\n"
        "    except OSError:\n        pass\ndef f(x):\n    return x"
    )
    outcome = session.attempt(source, wants=Wants(probes=probes_of(session, table([1]))), limits=LIMITS)
    assert outcome.ending is Ending.BAD_REPORT
    assert outcome.claim is None
    assert outcome.answers == ()


def test_a_cell_that_ends_its_process_answers_nothing(session: Session) -> None:
    outcome = session.attempt(
        "import os; os._exit(0)", wants=Wants(probes=probes_of(session, table([1]))), limits=LIMITS
    )
    assert outcome.ending is Ending.DIED
    assert outcome.answers == ()


def test_neither_expected_outputs_nor_the_reference_travel(session: Session) -> None:
    model = {"model_name": "model", "inputs_name": "X", "labels_name": "y"}
    reference = "X = ['input-7']\ny = ['label-7']\nclass model:\n    predict = lambda rows: y"
    probes = probes_of(session, ValidatorSpec("model", model), table(["case-7"]), reference=reference)
    sent = b"".join(repr(probe.header).encode() + (probe.data or b"") for probe in probes)
    assert b"input-7" in sent
    assert b"case-7" in sent
    assert b"label-7" not in sent
    (predicted, _) = reports(session.attempt(reference, wants=Wants(probes=probes), limits=LIMITS))
    assert (predicted.value, predicted.same_inputs) == (["label-7"], True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cases": [["`1 / 0`"]]}, "case 1 cannot be built: ZeroDivisionError"),
        ({"cases": [[1], [2]], "input_validator": "def _validate(x):\n    return x < 2"}, "case 2 is refused"),
        ({"cases": [[3]], "input_validator": "def _validate(x):\n    assert x < 2, 'too much'"}, "too much"),
    ],
)
def test_a_case_that_is_wrong_is_the_authors_fault(session: Session, options: dict[str, Any], message: str) -> None:
    spec = table(*options.pop("cases"), **options)
    with pytest.raises(ProbeFault, match=message):
        probes_of(session, spec)


def test_inputs_that_are_missing_or_cannot_travel_are_the_authors_fault(session: Session) -> None:
    spec = ValidatorSpec("model", {"model_name": "m", "inputs_name": "X", "labels_name": "y"})
    for reference, message in (("", "leaves no variable 'X'"), ("X = object()", "cannot travel as data")):
        with pytest.raises(ProbeFault, match=message):
            probes_of(session, spec, reference=reference)


def test_nothing_is_run_without_a_validator_that_needs_it(session: Session) -> None:
    assert probes_of(session, ValidatorSpec("crash"), reference="1 / 0") == ()
