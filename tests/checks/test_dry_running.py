"""Dry runs in real sessions: what the reference, an empty answer and a model's answers are judged to be."""

from typing import Any

import pytest

from authoring.checks.acceptance import accept, send_back
from authoring.checks.dry_run.dry_running import dry_run, dry_run_problemset
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.drafting.seeds import find_seed
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import list_decisions
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.models import configured_model
from evaluator.session import Engine
from tests.drafting.conftest import Serve
from tests.scripted_model import Refuse, Say

pytestmark = pytest.mark.usefixtures("no_trials")
SETUP = "# %%\nimport pandas as pd\nimport numpy as np\n"
LOAD = '''
# %%
"""
query: |
  Load `inputs/trips.csv` as `trips`. How many rows are there?
id: load
validator:
  namespace_check:
    trips:
"""

trips = pd.read_csv("inputs/trips.csv")
len(trips)
'''
MEAN = '''
# %%
"""
query: What is the mean of `Länge km` in `trips`, rounded to 2 decimals?
id: mean
"""

float(trips["Länge km"].mean().round(2))
'''


def problem(query: str, code: str, **settings: object) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in settings.items())
    return f'\n# %%\n"""\nquery: {query}\n{lines}"""\n\n{code}\n'


def add_set(ws: Workspace, *cells: str) -> Revision:
    digest = find_seed(ws, 1).files[0].digest
    of_seed: dict[str, Any] = {"seed_id": 1, "inputs": {"trips.csv": digest}, "origin": Origin.PERSON}
    return problemsets.create(ws, name="trips-1", text=SETUP + "".join(cells), author="Ann", **of_seed)


def test_a_sound_problemset_passes_and_is_stored_with_outputs(ws: Workspace, engine: Engine) -> None:
    revision = add_set(ws, LOAD, MEAN)
    seen: list[str] = []
    on_event = lambda event: seen.append(event.text)  # noqa: E731
    found = dry_run(ws, revision.id, engine=engine, model=configured_model(), on_event=on_event)
    assert found.passed
    assert ([p.agent_verdict for p in found.dry_run.problems], found.dry_run.summary["agent"]) == (["none"] * 2, "none")
    stored = dry_runs.latest(ws, revision.id)
    assert stored is not None
    assert stored.id == found.id
    assert [p.problem_id for p in stored.problems] == ["load", "mean"]
    assert {p.reference_verdict for p in stored.problems} == {"CORRECT"}
    assert "CORRECT" not in {p.empty_verdict for p in stored.problems}
    assert "60" in str(stored.problems[0].outputs)
    assert [v["name"] for v in stored.problems[0].variables if v["change"] == "added"] == ["trips"]
    assert stored.environment == engine.environment_id
    assert stored.sandbox == engine.sandbox_name
    assert seen[-1] == "2 of 2 problems done"


def test_a_model_answers_on_the_reference_state(ws: Workspace, engine: Engine, serve: Serve) -> None:
    revision = add_set(ws, LOAD, MEAN)
    right = '```python\ntrips = pd.read_csv("inputs/trips.csv")\nlen(trips)\n```'
    with serve([Say(right), Say("```python\n41.5\n```")]) as model:
        found = dry_run(ws, revision.id, engine=engine, model=configured_model())
    assert [p.agent_verdict for p in found.dry_run.problems] == ["CORRECT", "WRONG_OUTPUT"]
    assert found.dry_run.problems[1].agent_code == "41.5"
    assert found.passed, "a wrong agent is no fault of the problemset"
    assert "trips: pandas.DataFrame(shape=" in model.prompts[1]
    assert 'pd.read_csv("inputs/trips.csv")' in model.prompts[1]


def test_a_failing_endpoint_leaves_the_rest_whole(ws: Workspace, engine: Engine, serve: Serve) -> None:
    revision = add_set(ws, LOAD, MEAN, MEAN.replace("id: mean", "id: again"))
    with serve([Refuse(404, "no such model")]) as model:
        found = dry_run(ws, revision.id, engine=engine, model=configured_model())
    assert found.passed
    assert [p.agent_verdict for p in found.dry_run.problems] == ["NOT_JUDGED"] * 3
    first, second, third = (str(p.reasons["agent"]) for p in found.dry_run.problems)
    assert "404" in first
    assert second == third, "the first failure is quoted, not the quotation"
    assert len(model.requests) == 1, "one failure is enough to know"


SLOW = "runs longer than its own limit of 0.2 s; make it faster, or raise 'max_time' under 'execution'"
FAULTS: dict[str, tuple[str, str, str]] = {
    "crash": (problem("Crash?", 'trips["nothing"]'), "gold", "KeyError"),
    "slow": (problem("Slow?", "import time\ntime.sleep(0.4)\n1.25", execution="{max_time: 0.2}"), "gold", SLOW),
    "random": (problem("Any number?", "float(np.random.rand())"), "gold", "WRONG_OUTPUT"),
    "undefined": (problem("Make `x`.", "y = 3", validator="{namespace_check: {x: }}"), "gold", "'x'"),
    "empty": (problem("Do as you like.", "z = 3", validator="{template: basic}"), "nothing", "empty answer"),
}


def test_problems_at_fault_are_named_and_the_others_are_judged(ws: Workspace, engine: Engine) -> None:
    add_set(ws, LOAD, *(cell for cell, _, _ in FAULTS.values()), MEAN)
    found = dry_run_problemset(ws, "trips-1", engine=engine)
    assert [failure.index for failure in found.failures] == [2, 3, 4, 5, 6]
    for failure, (_, check, said) in zip(found.failures, FAULTS.values(), strict=True):
        assert failure.check.value == check
        assert said in str(failure)
    others = [p.reference_verdict for p in found.dry_run.problems if p.index in (1, 7)]
    assert others == ["CORRECT", "CORRECT"]
    with pytest.raises(ContentError, match=r"not fit to be accepted: problem 2 .*; problem 3 .*; problem 6 "):
        accept(ws, "trips-1", by="Bo")
    assert problemsets.find(ws, "trips-1").status == "draft"


def test_a_cell_that_ends_the_session_leaves_the_rest_unjudged(ws: Workspace, engine: Engine) -> None:
    found = dry_run(ws, add_set(ws, LOAD, problem("End?", "import os\nos._exit(3)"), MEAN).id, engine=engine)
    verdicts = [p.reference_verdict for p in found.dry_run.problems]
    assert verdicts[0] == "CORRECT"
    assert "CORRECT" not in verdicts[1:]
    assert [failure.index for failure in found.failures] == [2, 3]
    told = str(found.dry_run.problems[2].reasons["reference"])
    assert told.startswith("not executed, because the reference code of problem 2 (")
    assert told.endswith("ended its session: died")


def test_a_failing_setup_cell_is_a_failure_and_a_wrong_text_refused(ws: Workspace, engine: Engine) -> None:
    first = add_set(ws, "\n# %%\nraise RuntimeError('no data')\n", LOAD)
    found = dry_run(ws, first.id, engine=engine)
    assert (found.passed, "RuntimeError: no data" in str(found.failures[0])) == (False, True)
    wrong = problem("Half?", "1 +") + problem("Unknown?", "1", validator="{resullt: }")
    second = revisions.save(ws, first.problemset_id, wrong, base_revision_id=first.id, author="Ann")
    with pytest.raises(ContentError, match="has 2 errors: line") as caught:
        dry_run(ws, second.id, engine=engine)
    assert "'resullt'" in caught.value.what
    assert dry_runs.latest(ws, second.id) is None


def test_a_problemset_is_named_by_id_name_or_number(ws: Workspace, engine: Engine) -> None:
    first = add_set(ws, problem("What is it?", "1.25"))
    second = revisions.save(ws, first.problemset_id, first.text + "\n", base_revision_id=first.id, author="Ann")
    named: dict[Any, int] = {first.problemset_id: second.id, "trips-1": second.id, "trips-1@1": first.id}
    for ref, revision_id in named.items():
        assert dry_run_problemset(ws, ref, engine=engine).revision.id == revision_id
    with pytest.raises(UsageError, match="'trips-2'"):
        dry_run_problemset(ws, "trips-2", engine=engine)
    with pytest.raises(ContentError, match="not the newest") as caught:
        accept(ws, first.id, by="Bo", engine=engine)
    assert "trips-1@2" in caught.value.fix
    with pytest.raises(ContentError, match="not the newest"):
        send_back(ws, first.id, by="Bo", reason="ambiguous")


def test_accepting_dry_runs_once_and_uses_what_holds(ws: Workspace, engine: Engine) -> None:
    revision = add_set(ws, LOAD)
    decision = accept(ws, "trips-1", by="Bo", engine=engine)
    latest = dry_runs.latest(ws, revision.id)
    assert latest is not None
    assert problemsets.find(ws, "trips-1").status == "accepted"
    made = [(d.id, d.decision, d.by) for d in list_decisions(ws, revision.problemset_id)]
    assert made == [(decision, "accepted", "Bo")]
    accept(ws, revision.id, by="Bo")
    assert dry_runs.latest(ws, revision.id) == latest
    row = DryRunProblem(1, "load", 0.1, "CORRECT", "WRONG_OUTPUT")  # of another environment: stale
    dry_runs.save(ws, revision_id=revision.id, environment="old", sandbox="bwrap", problems=[row], summary={})
    with pytest.raises(ContentError, match="no dry run that still holds"):
        accept(ws, revision.id, by="Bo")


def test_a_revision_is_accepted_only_with_its_data(ws: Workspace, engine: Engine) -> None:
    add_set(ws, LOAD)
    ws.blob_path(find_seed(ws, 1).files[0].digest).unlink()
    with pytest.raises(ContentError, match=r"'trips.csv' .* is gone"):
        accept(ws, "trips-1", by="Bo", engine=engine)


def test_sending_back_needs_a_reason_and_a_name(ws: Workspace) -> None:
    add_set(ws, LOAD)
    with pytest.raises(ContentError, match="reason"):
        send_back(ws, "trips-1", by="Bo", reason=" ")
    with pytest.raises(UsageError, match="name"):
        send_back(ws, "trips-1", by="", reason="ambiguous")
    send_back(ws, "trips-1", by="Bo", reason="ambiguous")
    assert problemsets.find(ws, "trips-1").status == "sent_back"


def test_a_model_without_a_key_judges_nothing(ws: Workspace, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
    found = dry_run(ws, add_set(ws, LOAD).id, engine=engine, model=configured_model())
    assert found.passed
    assert found.dry_run.problems[0].agent_verdict == "NOT_JUDGED"
    assert "no key" in found.dry_run.problems[0].reasons["agent"]


TABLE_TEST = "{{template: intact, table_test: {{function_name: f, test_cases: [[{}]]}}}}"
RIGHT = "def f(x):\n    return x + 1"


def test_unit_tests_that_do_not_fit_are_never_accepted(ws: Workspace, engine: Engine) -> None:
    query = "Write `f(x)`, which returns the number after `x`."
    tried = [("1", "g = 1"), ("1", RIGHT), ("'`1/0`'", RIGHT)]
    revision = add_set(ws, *(problem(query, code, validator=TABLE_TEST.format(case)) for case, code in tried))
    found = dry_run(ws, revision.id, engine=engine)
    sound = found.dry_run.problems[1]
    assert (sound.reference_verdict, sound.empty_verdict) == ("CORRECT", "UNIT_TEST_FAILURE")
    assert {failure.index for failure in found.failures} == {1, 3}
    with pytest.raises(ContentError) as refused:
        accept(ws, revision.id, by="ada")
    for reason in ("the reference defines no function 'f'", "case 1 cannot be built: ZeroDivisionError"):
        assert reason in refused.value.what
