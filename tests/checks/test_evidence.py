"""What goes back to a model tells each cause once; what is doubtful about problems that run is stored and told."""

import pytest

from authoring.checks.dry_run.checked_execution import execute_cells, execute_problemset
from authoring.checks.dry_run.checked_set import CheckedSet
from authoring.checks.dry_run.dry_running import dry_run
from authoring.checks.dry_run.evidence_causes import Cause, causes_in, complaint_of
from authoring.checks.dry_run.execution_evidence import (
    FAILURE_WEIGHT,
    EvidenceKind,
    ExecutionEvidence,
    evidence_in,
    faults_in,
)
from authoring.drafting.draft import make_draft
from authoring.drafting.refining.refining import refine
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language import Problemset, parse_problemset
from evaluator.running.quality.warning import WarningCode
from evaluator.session import Engine
from tests.drafting.conftest import Serve
from tests.scripted_model import Refuse, Say

SALES = "# %%\nimport pandas as pd\n\nsales = pd.DataFrame({'shop': ['a', 'b', 'a'], 'units': [3, 5, 4]})\n"


def problem(code: str, query: str = "What is it?") -> str:
    return f'# %%\n"""\nquery: {query}\n"""\n{code}\n'


def executed(engine: Engine, *cells: str) -> tuple[tuple[ExecutionEvidence, ...], CheckedSet, Problemset]:
    problemset = parse_problemset("\n".join((SALES, *cells)), name="set").problemset
    assert problemset is not None
    done = execute_cells(engine, problemset, None)
    found = evidence_in(done, problemset)
    return tuple(one for one in found if one.kind in list(EvidenceKind)), done, problemset


def folded(causes: tuple[Cause, ...]) -> list[tuple[int, list[int], list[int]]]:
    return [
        (one.evidence.number, [same.number for same in one.same], [after.number for after in one.followers])
        for one in causes
    ]


def test_problems_that_miss_a_variable_of_a_failing_one_are_folded_into_it(engine: Engine) -> None:
    found = executed(
        engine,
        problem("len(sales)"),
        problem("totals = sales.groupby('shop')['unit'].sum()\ntotals"),  # no such column
        problem("best = totals.idxmax()\nbest"),
        problem("sales[sales['shop'] == best]['units'].sum()"),  # follows from the one before
        problem("sales['units'].max()"),
    )
    assert folded(causes_in(*found)) == [(2, [], [3, 4])]
    said = complaint_of(*found)
    assert said.count("\n- ") == 1
    assert "Column not found: unit" in said
    assert said.endswith("Problems 3 and 4 fail only because of this; mend the cause.")
    assert "NameError" not in said


def test_a_column_that_a_failing_problem_would_have_made_is_such_a_cause(engine: Engine) -> None:
    found = executed(
        engine,
        problem("sales['price'] = sales['revenue'] / sales['units']\nsales['price'].max()"),
        problem("sales['price'].mean()"),
        problem("sales['prize'].mean()"),  # a slip of its own
    )
    assert folded(causes_in(*found)) == [(1, [], [2]), (3, [], [])]


def test_a_setup_cell_that_fails_is_the_cause_of_what_misses_its_variables(engine: Engine) -> None:
    found = executed(engine, "# %%\nrates = {'a': 1 / 0}\n", problem("rates['a'] + 1"), problem("len(sales)"))
    causes = causes_in(*found)
    assert folded(causes) == [(0, [], [1])]
    assert str(causes[0]).endswith("Problem 1 fails only because of this; mend the cause.")


def test_a_promised_variable_that_the_code_does_not_make_is_a_cause(engine: Engine) -> None:
    found = executed(
        engine,
        problem("sales['units'].sum()", "Store the sum of all units as `total` and show it."),
        problem("total / 2"),
    )
    assert folded(causes_in(*found)) == [(1, [], [2])]


def test_equal_faults_are_told_once_with_all_of_their_places(engine: Engine) -> None:
    crash = "sales['cost'].sum()"
    found = executed(
        engine, problem(crash), problem("x = 1"), problem(f"2 * {crash}"), problem("y = 2"), problem(crash)
    )
    assert folded(causes_in(*found)) == [(1, [3, 5], []), (2, [4], [])]
    said = complaint_of(*found)
    assert said.count("KeyError: 'cost'") == 1
    assert "The same holds for problems 3 and 5." in said
    assert "The same holds for problem 4." in said


def test_what_may_have_a_cause_of_its_own_is_told(engine: Engine) -> None:
    codes = ("sales = sales.drop(columns='nothing')\nlen(sales)", "missing + 1", "sales['units'] + 'x'", "1 / 0")
    found = executed(engine, *map(problem, codes))
    assert folded(causes_in(*found)) == [(number, [], []) for number in range(1, 5)]


def test_nothing_wrong_is_no_complaint(engine: Engine) -> None:
    assert complaint_of(*executed(engine, problem("len(sales)"))) == ""


# what is doubtful about problems that run


SETUP = '# %%\nimport pandas as pd\nscores = pd.DataFrame({"name": list("abcd"), "points": [7, 9, 9, 1]})\n'
TIED = '\n# %%\n"""\nquery: Which name has the most points in `scores`?\nid: best\n"""\n{0}\n'
FIRST = 'scores.loc[scores["points"].idxmax(), "name"]'
STATED = TIED.replace("`scores`?", "`scores`? Of equal ones, the first in alphabetical order.")
BY_NAME = 'scores.sort_values(["points", "name"], ascending=[False, True])["name"].iloc[0]'
MEAN = '\n# %%\n"""\nquery: What is the mean of the points in `scores`?\nid: mean\n"""\n{0}\n'
CHANGES = 'scores["x"] = scores["points"] * 1.0\nscores["x"].mean()'


def executed_text(engine: Engine, text: str) -> tuple[tuple[ExecutionEvidence, ...], CheckedSet, Problemset]:
    problemset, done = Problemset.parse(text, name="scores"), execute_problemset(engine, text, "scores", None)
    return evidence_in(done, problemset), done, problemset


def test_failures_come_before_doubts_and_weigh_more(engine: Engine) -> None:
    found, done, problemset = executed_text(engine, SETUP + TIED.format(FIRST) + MEAN.format("1 / 0"))
    assert [(each.kind.value, each.number) for each in found] == [("crash", 2), ("ties", 1)]
    assert faults_in(found) == FAILURE_WEIGHT + 1
    told = complaint_of(found, done, problemset)
    assert "Problem 1: the answer depends on which of equal rows comes first" in told
    assert "say which of equal ones counts" in told


def test_a_problem_that_fails_itself_is_not_doubted_too(engine: Engine) -> None:
    text = SETUP + TIED.format("import random\n" + FIRST + " + str(random.random())")
    assert [(each.kind.value, each.number) for each in executed_text(engine, text)[0]] == [("no-single-answer", 1)]


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
def scored_sketch(ws: Workspace) -> int:
    return insert_sketch(
        ws, seed_id=1, author="model", rng_seed=3, items=[SketchItem(1, "Score.", ("max",))], provenance={}
    )


def fenced(text: str) -> Say:
    return Say(f"```python\n{text}```\n")


@pytest.mark.parametrize(
    ("doubtful", "sound", "told"),
    [
        (TIED.format(FIRST), STATED.format(BY_NAME), "which of equal rows comes first where `idxmax` looks"),
        pytest.param(
            *(MEAN.format(CHANGES), MEAN.format('scores["points"].mean()'), "the reference changes 'scores'"),
            marks=pytest.mark.deep,
        ),
        pytest.param(
            *(MEAN.format('scores["points"].median()'), MEAN.format('scores["points"].mean()')),
            "the query says mean, the code computes the median",
            marks=pytest.mark.deep,
        ),
    ],
    ids=["ties", "mutated input", "another statistic"],
)
def test_a_doubtful_draft_goes_back_to_the_model_and_is_repaired(
    ws: Workspace, serve: Serve, scored_sketch: int, engine: Engine, doubtful: str, sound: str, told: str
) -> None:
    with serve([fenced(SETUP + doubtful), fenced(SETUP + sound)]) as model:
        made = make_draft(ws, scored_sketch, engine=engine, author="model")
    assert told in model.prompts[1]
    assert made.left_over == ()
    assert sound.strip() in revisions.find(ws, made.revision).text


def test_a_doubt_that_the_model_leaves_is_told_to_people(
    ws: Workspace, serve: Serve, scored_sketch: int, engine: Engine
) -> None:
    with serve([fenced(SETUP + TIED.format(FIRST)), Refuse(400, "no more")]):
        made = make_draft(ws, scored_sketch, engine=engine, author="model")
    (left,) = made.left_over
    assert left.code == WarningCode.TIES.value
    assert left.fix.startswith("say which of equal ones counts")


def test_a_refinement_is_told_only_of_the_chosen_problems(ws: Workspace, serve: Serve, engine: Engine) -> None:
    text = SETUP + TIED.format(FIRST) + MEAN.format(CHANGES)
    problemsets.create(ws, name="scores", text=text, author="Ann", origin=Origin.PERSON)
    mean = MEAN.format('scores["points"].mean()').replace("# %%", "# %% problem: mean").lstrip()
    with serve([fenced(mean)]) as model:
        made = refine(ws, "scores", ["mean"], engine=engine)
    assert "the reference changes 'scores'" in model.prompts[0]
    assert "which of equal rows" not in model.prompts[0]
    assert made.left_over == ()
