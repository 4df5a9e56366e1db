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


CRASH = "sales['cost'].sum()"
CAUSES: dict[str, tuple[list[str], list[tuple[int, list[int], list[int]]]]] = {
    "a variable that a failing problem would have made": (
        [
            problem("len(sales)"),
            problem("totals = sales.groupby('shop')['unit'].sum()\ntotals"),  # no such column
            problem("best = totals.idxmax()\nbest"),
            problem("sales[sales['shop'] == best]['units'].sum()"),  # follows from the one before
            problem("sales['units'].max()"),
        ],
        [(2, [], [3, 4])],
    ),
    "a column that it would have made": (
        [
            problem("sales['price'] = sales['revenue'] / sales['units']\nsales['price'].max()"),
            problem("sales['price'].mean()"),
            problem("sales['prize'].mean()"),  # a slip of its own
        ],
        [(1, [], [2]), (3, [], [])],
    ),
    "a setup cell": (
        ["# %%\nrates = {'a': 1 / 0}\n", problem("rates['a'] + 1"), problem("len(sales)")],
        [(0, [], [1])],
    ),
    "a promised variable that the code does not make": (
        [problem("sales['units'].sum()", "Store the sum of all units as `total` and show it."), problem("total / 2")],
        [(1, [], [2])],
    ),
    "equal faults": (
        [problem(CRASH), problem("x = 1"), problem(f"2 * {CRASH}"), problem("y = 2"), problem(CRASH)],
        [(1, [3, 5], []), (2, [4], [])],
    ),
    "what may have a cause of its own": (
        [
            *(problem("sales = sales.drop(columns='nothing')\nlen(sales)"), problem("missing + 1")),
            *(problem("sales['units'] + 'x'"), problem("1 / 0")),
        ],
        [(number, [], []) for number in range(1, 5)],
    ),
    "nothing": ([problem("len(sales)")], []),
}


@pytest.mark.usefixtures("no_trials")
def test_each_cause_is_told_once_with_what_fails_only_because_of_it(engine: Engine) -> None:
    said = {}
    for name, (cells, expected) in CAUSES.items():
        found = executed(engine, *cells)
        assert folded(causes_in(*found)) == expected, name
        said[name] = complaint_of(*found)
    first, _, setup, _, equal, _, nothing = said.values()
    assert first.count("\n- ") == 1
    assert "Column not found: unit" in first
    assert first.endswith("Problems 3 and 4 fail only because of this; mend the cause.")
    assert "NameError" not in first
    assert setup.endswith("Problem 1 fails only because of this; mend the cause.")
    assert equal.count("KeyError: 'cost'") == 1
    assert "The same holds for problems 3 and 5." in equal
    assert "The same holds for problem 4." in equal
    assert nothing == ""


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


def test_a_doubt_that_is_left_is_told_people(ws: Workspace, serve: Serve, scored_sketch: int, engine: Engine) -> None:
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
