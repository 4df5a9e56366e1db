"""Drafts by a model: what does not parse or run goes back to it, a bounded number of times; garbage breaks nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from authoring.checks.dry_run.dry_running import dry_run
from authoring.drafting.draft import make_draft
from authoring.store import model_calls, problemsets, revisions
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.problemsets import problemset_inputs
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError
from evaluator.language import with_language_version
from evaluator.session import Engine
from tests.scripted_model import Drop, Refuse, Say, Script, ScriptedModel

pytestmark = pytest.mark.kernel
Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]

GOOD = '''# %%
import pandas as pd

# %%
"""
query: |
  Load `inputs/trips.csv` as `trips` and show the number of its rows.
knowledge_points: [read_csv]
validator:
  namespace_check:
    trips:
"""

trips = pd.read_csv("inputs/trips.csv")
len(trips)

# %%
"""
query: |
  What is the mean of `Länge km` for each `Purpose`? Answer with a Series sorted by `Purpose`, rounded to 2 decimals.
knowledge_points: [groupby]
"""

trips.groupby("Purpose")["Länge km"].mean().round(2).sort_index()
'''
SYNTAX = GOOD.replace("len(trips)", "len(trips")
UNKNOWN = GOOD.replace("namespace_check:", "namespace_chek:")
CRASHES = GOOD.replace('["Länge km"].mean()', '["Laenge"].mean()')
EMPTY_PASSES = GOOD.replace("trips.groupby", "result = trips.groupby")


def fenced(text: str) -> Say:
    return Say(f"Here you are.\n\n```python\n{text}```\n")


@pytest.fixture
def sketch(ws: Workspace) -> int:
    items = [SketchItem(1, "Load it.", ("read_csv",)), SketchItem(2, "Means by purpose.", depends_on=(1,))]
    return insert_sketch(ws, seed_id=1, author="model", rng_seed=3, items=items, provenance={})


def test_a_good_draft_is_stored_with_its_data_and_provenance(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    with serve([fenced(GOOD)]) as model:
        made = make_draft(ws, sketch, engine=engine, author="model", created_by="Ann")
    revision = revisions.find(ws, made.revision)
    assert revision.text == with_language_version(GOOD)
    assert (revision.origin, revision.author, made.problems) == ("model", "Ann", 2)
    assert list(problemset_inputs(ws, made.problemset)) == ["trips.csv"]
    assert revision.provenance["requests"] == 1
    assert revision.provenance["params"]["rng_seed"] == 3
    assert revision.provenance["left_over"] == ""
    assert (revision.guide_number, revision.provenance["guide_revision"]) == (1, 1)
    assert dry_run(ws, made.revision, engine=engine).passed
    (prompt,) = model.prompts
    for part in ("2. Means by purpose. (medium; builds on 1)", "namespace_check", "One possible answer", "`Länge km`"):
        assert part in prompt


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (SYNTAX, "does not parse"),
        (UNKNOWN, "namespace_chek"),
        (CRASHES, "Column not found: Laenge"),
        (GOOD.replace("trips.groupby(", "trips['Laenge'].groupby("), "KeyError: 'Laenge'"),
        (EMPTY_PASSES, "empty answer passes"),
        ("no cells at all", "no fenced block with cells"),
        ('# %%\n"""\nquery: [unclosed\n"""\n1', "errors"),
    ],
)
def test_what_is_wrong_goes_back_to_the_model(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine, bad: str, complaint: str
) -> None:
    with serve([fenced(bad), fenced(GOOD)]) as model:
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert revisions.find(ws, made.revision).text == with_language_version(GOOD)
    assert complaint in model.prompts[1]
    assert made.provenance["repairs"] == 1


def test_a_draft_that_parses_is_kept_when_repairs_do_not_help(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    with serve([fenced(SYNTAX), fenced(CRASHES)]) as model:
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert len(model.requests) == 4
    assert revisions.find(ws, made.revision).text == with_language_version(CRASHES)
    assert "Problem 2" in made.provenance["left_over"]
    assert "KeyError" in made.provenance["left_over"]


def test_the_draft_with_the_fewest_failing_problems_wins(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    worse = CRASHES.replace("trips.csv", "nothing.csv")
    with serve([fenced(CRASHES), fenced(worse)]):
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert revisions.find(ws, made.revision).text == with_language_version(CRASHES)


def test_an_endpoint_that_fails_later_does_not_cost_the_draft(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    with serve([fenced(CRASHES), Refuse(400, "no more")]):
        made = make_draft(ws, sketch, engine=engine, author="model")
    assert revisions.find(ws, made.revision).text == with_language_version(CRASHES)
    assert "HTTP 400" in made.provenance["left_over"]


def test_garbage_stores_no_problemset_but_keeps_the_answers(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    with serve([Say("z" * 5_000_000)]), pytest.raises(ContentError, match="no usable draft in 4 answers"):
        make_draft(ws, sketch, engine=engine, author="model")
    assert problemsets.select(ws) == []
    assert len(model_calls.select(ws, purpose="draft", subject=f"sketch {sketch}")) == 4


def test_no_server_ends_in_a_message(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
    with serve([Drop()]), pytest.raises(ToolkitError, match="cannot be reached"):
        make_draft(ws, sketch, engine=engine, author="model")


def test_two_drafts_of_a_sketch_have_names_of_their_own(
    ws: Workspace, serve: Serve, sketch: int, engine: Engine
) -> None:
    with serve([fenced(GOOD)]):
        names = [make_draft(ws, sketch, engine=engine, author="model").name for _ in range(2)]
    assert names == ["trips-1", "trips-1-2"]


def test_the_template_author_cannot_follow_a_models_sketch(ws: Workspace, sketch: int, engine: Engine) -> None:
    with pytest.raises(ContentError, match="names no task families"):
        make_draft(ws, sketch, engine=engine, author="template")
