"""A real model behind a real server: whatever it answers, nothing ends in a traceback. See docs/maintainers.md."""

import pytest

from authoring.checks.dry_run.dry_running import dry_run
from authoring.drafting.draft import make_draft
from authoring.drafting.sketching import make_sketch
from authoring.store import model_calls
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import SketchItem, find_sketch, insert_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError
from evaluator.models import ContextLengthError, configured_model
from evaluator.session import Engine

pytestmark = pytest.mark.usefixtures("local_model")


def test_a_sketch_is_one_or_is_refused_with_its_answers_kept(ws: Workspace) -> None:
    refused: ToolkitError | None = None
    try:
        assert find_sketch(ws, make_sketch(ws, "trips", author="model")).items
    except (ContentError, ContextLengthError) as error:
        refused = error
    assert refused is None or refused.fix
    assert model_calls.select(ws, purpose="sketch")


def test_a_draft_is_one_that_can_be_dry_run_or_is_refused(ws: Workspace) -> None:
    items = (SketchItem(1, "Load inputs/trips.csv.", ("read_csv",), (), "easy"),)
    sketch = insert_sketch(
        ws, seed_id=find_seed(ws, "trips").id, author="model", rng_seed=0, items=items, provenance={}
    )
    refused: ToolkitError | None = None
    with Engine() as engine:
        try:
            made = make_draft(ws, sketch, engine=engine, author="model")
            assert dry_run(ws, made.revision, engine=engine, model=configured_model()).dry_run.problems
        except (ContentError, ContextLengthError) as error:
            refused = error
    assert refused is None or refused.fix
    assert model_calls.select(ws, purpose="draft")
