"""What is doubtful about problems that run: stored with dry runs, sent to models, shown to people."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from authoring.checks.dry_run.checked_execution import execute_problemset
from authoring.checks.dry_run.dry_running import dry_run
from authoring.checks.dry_run.evidence_causes import complaint_of
from authoring.checks.dry_run.execution_evidence import FAILURE_WEIGHT, evidence_in, faults_in
from authoring.drafting.draft import make_draft
from authoring.drafting.refining.refining import refine
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language import Problemset
from evaluator.running.quality.warning import WarningCode
from evaluator.session import Engine
from tests.scripted_model import Say, Script, ScriptedModel

pytestmark = pytest.mark.kernel
Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]

SETUP = '# %%\nimport pandas as pd\nscores = pd.DataFrame({"name": list("abcd"), "points": [7, 9, 9, 1]})\n'
TIED = '\n# %%\n"""\nquery: Which name has the most points in `scores`?\nid: best\n"""\n{0}\n'
FIRST = 'scores.loc[scores["points"].idxmax(), "name"]'
STATED = TIED.replace("`scores`?", "`scores`? Of equal ones, the first in alphabetical order.")
BY_NAME = 'scores.sort_values(["points", "name"], ascending=[False, True])["name"].iloc[0]'
MEAN = '\n# %%\n"""\nquery: What is the mean of the points in `scores`?\nid: mean\n"""\n{0}\n'
CHANGES = 'scores["x"] = scores["points"] * 1.0\nscores["x"].mean()'


def evidence(engine: Engine, text: str) -> list[tuple[str, int]]:
    executed = execute_problemset(engine, text, "scores", None)
    return [(each.kind.value, each.number) for each in evidence_in(executed, Problemset.parse(text, name="scores"))]


def test_failures_come_before_doubts_and_weigh_more(engine: Engine) -> None:
    text = SETUP + TIED.format(FIRST) + MEAN.format("1 / 0")
    assert evidence(engine, text) == [("crash", 2), ("ties", 1)]
    executed = execute_problemset(engine, text, "scores", None)
    problemset = Problemset.parse(text, name="scores")
    found = evidence_in(executed, problemset)
    assert faults_in(found) == FAILURE_WEIGHT + 1
    said = complaint_of(found, executed, problemset)
    assert "Problem 1: the answer depends on which of equal rows comes first" in said
    assert "say which of equal ones counts" in said


def test_a_problem_that_fails_itself_is_not_doubted_too(engine: Engine) -> None:
    text = SETUP + TIED.format("import random\n" + FIRST + " + str(random.random())")
    assert evidence(engine, text) == [("no-single-answer", 1)]


def test_a_dry_run_keeps_what_is_doubtful(ws: Workspace, engine: Engine) -> None:
    text = SETUP + TIED.format(FIRST) + MEAN.format(CHANGES)
    revision = problemsets.create(ws, name="scores", text=text, author="Ann", origin=Origin.PERSON)
    found = dry_run(ws, revision.id, engine=engine)
    assert found.passed  # a doubt forbids nothing
    stored = dry_runs.latest(ws, revision.id)
    assert stored is not None
    assert [[each["code"] for each in problem.warnings] for problem in stored.problems] == [["ties"], ["mutates-input"]]
    assert set(stored.problems[0].warnings[0]) == {"code", "severity", "what", "fix"}
    assert [problem["warnings"][0]["code"] for problem in found.to_json()["problems"]] == ["ties", "mutates-input"]
    light = dry_runs.latest(ws, revision.id, light=True)
    assert light is not None
    assert light.summary["warnings"] == {"1": ["ties"], "2": ["mutates-input"]}
    assert light.summary["levels"] == {"1": "easy", "2": "easy"}


@pytest.fixture
def sketch(ws: Workspace) -> int:
    return insert_sketch(
        ws, seed_id=1, author="model", rng_seed=3, items=[SketchItem(1, "Score.", ("max",))], provenance={}
    )


def fenced(text: str) -> Say:
    return Say(f"```python\n{text}```\n")


@pytest.mark.parametrize(
    ("doubtful", "sound", "told"),
    [
        (TIED.format(FIRST), STATED.format(BY_NAME), "which of equal rows comes first where `idxmax` looks"),
        (MEAN.format(CHANGES), MEAN.format('scores["points"].mean()'), "the reference changes 'scores'"),
        (
            MEAN.format('scores["points"].median()'),
            MEAN.format('scores["points"].mean()'),
            "the query says mean, the code computes the median",
        ),
    ],
    ids=["ties", "mutated input", "another statistic"],
)
def test_a_doubtful_draft_goes_back_to_the_model_and_is_repaired(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine, doubtful: str, sound: str, told: str
) -> None:
    with serve([fenced(SETUP + doubtful), fenced(SETUP + sound)]) as model:
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert told in model.prompts[1]
    assert made.left_over == ()
    assert sound.strip() in revisions.find(ws, made.revision).text


def test_a_doubt_that_the_model_leaves_is_told_to_people(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    with serve([fenced(SETUP + TIED.format(FIRST))]):
        made = make_draft(ws, sketch, engine=engine, author="model")
    (left,) = made.left_over
    assert left.code == WarningCode.TIES.value
    assert left.fix.startswith("say which of equal ones counts")


def test_a_refinement_is_told_what_is_doubtful_about_the_chosen_problems_only(
    ws: Workspace, serve: Serve, engine: Engine
) -> None:
    text = SETUP + TIED.format(FIRST) + MEAN.format(CHANGES)
    problemsets.create(ws, name="scores", text=text, author="Ann", origin=Origin.PERSON)
    mean = MEAN.format('scores["points"].mean()').replace("# %%", "# %% problem: mean").lstrip()
    with serve([fenced(mean)]) as model:
        made = refine(ws, "scores", ["mean"], engine=engine)
    assert "the reference changes 'scores'" in model.prompts[0]
    assert "which of equal rows" not in model.prompts[0]
    assert made.left_over == ()
