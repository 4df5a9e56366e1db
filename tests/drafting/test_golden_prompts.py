"""The prompts as golden files: what a scripted model is sent, block by block, for one small seed.

The description of the format is long and in every prompt; it is a case of its own, and left out of the others.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from authoring.drafting import complete_session
from authoring.drafting.draft import make_draft
from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.made_tables import state_tables
from authoring.drafting.model_draft import language_block
from authoring.drafting.proposing import propose_semantics
from authoring.drafting.refining.refining import RefineOptions, refine
from authoring.drafting.sketching import make_sketch
from authoring.drafting.topics.topic import Topic
from authoring.drafting.topics.topic_draft import make_topic_draft, propose_topics
from authoring.drafting.translating.translating import translate_set
from authoring.languages import Language
from authoring.prompting.prompts import PromptBook, prompt_text
from authoring.store import problemsets, revisions
from authoring.store.drafting.seeds import SeedFacts, SeedFile, find_seed, insert_seed
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import fenced_blocks
from evaluator.errors import ContentError
from evaluator.language.document import Document
from evaluator.session import Engine
from tests.drafting.conftest import DATA, PROFILE, Serve, column
from tests.scripted_model import Say, ScriptedModel

Golden = Callable[[str, str], None]
Keep = Callable[..., None]

PURPOSES = "Purpose,label\nwork,Work\nleisure,Leisure\nvisit,Visits\n"
LENGTH: dict[str, Any] = {
    **column("Länge km", "number", "float64", 52),
    **{"missing": 8, "min": 1.5, "max": 90.0, "mean": 45.75, "decimals": 1},
    "quantiles": {"0.05": 4.0, "0.25": 23.0, "0.5": 45.0, "0.75": 68.0, "0.95": 87.0},
}
TRIPS: dict[str, Any] = {
    **{"file": "trips.csv", "reader": "read_csv", "rows": 60},
    "columns": [
        column("Trip id", "id", "int64", 60),
        LENGTH,
        {**column("Purpose", "category", "str", 3), "top": [["leisure", 20], ["visit", 20], ["work", 20]]},
    ],
    "sample_rows": [["1", "1.5", "leisure"], ["2", "3.0", "visit"], ["3", "4.5", "work"], ["60", "90.0", "work"]],
}
LOOKUP: dict[str, Any] = {
    **{"file": "purposes.csv", "reader": "read_csv", "rows": 3},
    "columns": [{**column("Purpose", "category", "str", 3), "candidate_key": True}, column("label", "text", "str", 3)],
    "sample_rows": [["work", "Work"], ["leisure", "Leisure"], ["visit", "Visits"]],
}
KEY = {"table": 0, "column": "Purpose", "to_table": 1, "to_column": "Purpose", "coverage": 1.0}
ITEMS = (
    SketchItem(1, "Load the trips as `trips`.", ("reading files",), (), "easy"),
    SketchItem(2, "The mean length of the trips of each purpose.", ("grouping", "missing values"), (1,), "medium"),
    SketchItem(3, "The purpose that is most above the overall mean.", ("comparison",), (1, 2), "hard"),
)
CHINESE_ITEMS = tuple(
    replace(item, query_idea=idea)
    for item, idea in zip(ITEMS, ("读取行程数据。", "每种目的的平均里程。", "最高于总平均的目的。"), strict=True)
)
SESSION = '''# %%
import pandas as pd

# %%
"""
query: Load `inputs/visits.csv` as `visits`. How many visits are there?
id: load
knowledge_points: [reading files]
validator: {namespace_check: {visits: }}
examples: {accept: ["len(visits)"]}
"""
visits = pd.read_csv("inputs/visits.csv")
len(visits)

# %%
"""
query: On which weekday do most people come? Give its name; there is no tie.
id: busiest
knowledge_points: [dates, counting values]
"""
pd.to_datetime(visits["day"]).dt.day_name().value_counts().idxmax()
'''
DRAFT = '''# %%
import pandas as pd

# %%
"""
query: |
  Load `inputs/trips.csv` as `trips` and show the number of its rows.
tags: [item-1]
validator: {namespace_check: {trips: }}
"""
trips = pd.read_csv("inputs/trips.csv")
len(trips)

# %%
"""
query: |
  Store the mean `Länge km` of each `Purpose` as `means` and show it, the longest first.
tags: [item-2]
validator: {namespace_check: {means: }}
"""
means = trips.groupby("Purpose")["Laenge km"].mean().sort_values(ascending=False)
means

# %%
"""
query: Which purpose has the longest trips on average?
tags: [added]
"""
means.index[0]
'''


@pytest.fixture
def ws(ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with a seed of two tables, an accepted set, and a benchmark of one set to take a session from."""
    files = [
        SeedFile(name, ws.put_bytes(text.encode()), len(text.encode()), "csv")
        for name, text in (("trips.csv", DATA), ("purposes.csv", PURPOSES))
    ]
    profile = {**PROFILE, "tables": [TRIPS, LOOKUP], "foreign_keys": [KEY]}
    facts = SeedFacts(title="Journeys", description="Trips of one month, and what purposes are called.")
    insert_seed(ws, name="journeys", files=files, profile=profile, facts=facts)
    text = '# %%\n"""\nquery: How long is the longest trip?\nknowledge_points: [maximum]\n"""\n90.0\n'
    made = problemsets.create(ws, name="older", text=text, author="Ann", origin=Origin.PERSON, seed_id=1)
    record_decision(ws, revision_id=made.id, decision="accepted", by="Bo")
    core = tmp_path / "core"
    (core / "_inputs" / "visits").mkdir(parents=True)
    (core / "_inputs" / "visits" / "visits.csv").write_text("day\n2024-03-01\n", encoding="utf-8")
    (core / "_manifest.yaml").write_text('name: core\nversion: "1"\nlicence: CC0-1.0\n', encoding="utf-8")
    (core / "visits.py").write_text(SESSION, encoding="utf-8")
    monkeypatch.setattr(complete_session, "shipped_benchmark", lambda _: core)
    return ws


@pytest.fixture
def keep(golden: Golden) -> Keep:
    """Return what compares all that a model was sent with the golden file of a case."""

    def compare(case: str, model: ScriptedModel, at: int = 0) -> None:
        request = model.requests[at]
        parts = [f"[{message['role']}]\n{message['content']}" for message in request["messages"]]
        text = "\n\n".join(parts).replace(language_block(PromptBook()).text, "(the format: see the case format)")
        golden(f"prompts/{case}/prompt.txt", text.replace(prompt_text("guide"), "(the guide)") + "\n")

    return compare


def test_the_description_of_the_format(golden: Golden) -> None:
    golden("prompts/format/prompt.txt", language_block(PromptBook()).text + "\n")


@pytest.mark.parametrize(("case", "language", "idea"), [
    ("sketch", Language.ENGLISH, "Load it."), ("sketch_zh", Language.CHINESE, "读取数据。"),
])  # fmt: skip
def test_a_sketch(ws: Workspace, serve: Serve, keep: Keep, case: str, language: Language, idea: str) -> None:
    with serve([Say(json.dumps([{"query_idea": idea}]))]) as model:
        make_sketch(ws, "journeys", author="model", language=language)
    keep(case, model)


@pytest.mark.parametrize(("case", "language", "items"), [
    ("draft", Language.ENGLISH, ITEMS), ("draft_zh", Language.CHINESE, CHINESE_ITEMS),
])  # fmt: skip
def test_a_draft(
    ws: Workspace, serve: Serve, keep: Keep, engine: Engine, case: str, language: Language, items: Sequence[SketchItem]
) -> None:
    made = insert_sketch(ws, seed_id=2, author="model", rng_seed=1, items=items, provenance={}, language=language)
    with serve([Say("", finish_reason="stop")]) as model, pytest.raises(ContentError, match="no usable draft"):
        make_draft(ws, made, engine=engine, author="model")
    keep(case, model)


@pytest.mark.usefixtures("no_trials")
def test_a_repair_with_a_missing_item_and_a_cascade(ws: Workspace, serve: Serve, keep: Keep, engine: Engine) -> None:
    made = insert_sketch(ws, seed_id=2, author="model", rng_seed=1, items=ITEMS, provenance={})
    whole = DRAFT.replace("Laenge", "Länge").replace("[added]", "[item-3]")
    with serve([Say(f"```python\n{DRAFT}```"), Say(f"```python\n{whole}```")]) as model:
        draft = make_draft(ws, made, engine=engine, author="model")
    assert draft.left_over == ()
    keep("repair", model, 1)


@pytest.mark.usefixtures("no_trials")
def test_a_refinement(ws: Workspace, serve: Serve, keep: Keep, engine: Engine) -> None:
    text = DRAFT.replace("Laenge", "Länge")
    first = problemsets.create(ws, name="journeys-1", text=text, author="scripted", origin=Origin.MODEL, seed_id=2,
                               inputs={"trips.csv": ws.put_bytes(DATA.encode())})  # fmt: skip
    mended = text.replace(".mean()", ".median()").replace("the mean `", "the median `")
    second = revisions.save(ws, first.problemset_id, mended, base_revision_id=first.id, author="Ann")
    add_comment(ws, revision_id=first.id, author="Ann", text="The mean hides it.", problem="p2", kind="off_the_data")
    add_comment(ws, revision_id=second.id, author="Bo", text="Ties?", problem="p3", kind="ambiguous")
    answer = '# %% problem: p2\n"""\nquery: What is 1 and 41?\n"""\nmeans = [1]\n1 + 41\n\n'
    answer += '# %% problem: p3\n"""\nquery: What is 2 and 41?\n"""\n2 + 41\n'
    with serve([Say(f"```python\n{answer}```")]) as model:
        refine(ws, "journeys-1", ["2", "3"], engine=engine, options=RefineOptions("ask for one number"))
    keep("refine", model)


def test_amendments(ws: Workspace, serve: Serve, keep: Keep) -> None:
    text = DRAFT.replace("Laenge", "Länge")
    first = problemsets.create(ws, name="journeys-1", text=text, author="scripted", origin=Origin.MODEL, seed_id=2)
    add_comment(ws, revision_id=first.id, author="Ann", text="The mean hides it.", problem="p2", kind="off_the_data")
    mended = text.replace(".mean()", ".median()").replace("the mean `", "the median `")
    revisions.save(ws, first.problemset_id, mended, base_revision_id=first.id, author="Ann")
    add_comment(ws, revision_id=first.id, author="Bo", text="Ties?", problem="p3", kind="ambiguous")
    with serve([Say("```json\n[]\n```")]) as model:
        propose_amendments(ws, proposed_by="Ann", author="model")
    keep("amend", model)


def test_topics_and_a_set_about_one(ws: Workspace, serve: Serve, keep: Keep, engine: Engine) -> None:
    with serve([Say('[{"title": "Sorting", "modules": ["numpy"]}]')]) as model:
        propose_topics(ws, ["numpy"], count=5, taken=[Topic("Masks", ("numpy",))])
    keep("topics", model)
    topic = Topic("Sorting", ("numpy",), "Orders of arrays.", ("sort", "argsort"))
    with serve([Say("")]) as model, pytest.raises(ContentError, match="no usable draft"):
        make_topic_draft(ws, topic, engine=engine, seed="journeys")
    keep("topic_draft", model)


def test_a_proposal_of_meanings(ws: Workspace, serve: Serve, keep: Keep) -> None:
    with serve([Say("")]) as model, pytest.raises(ContentError, match="no usable"):
        propose_semantics(ws, find_seed(ws, "journeys"))
    keep("semantics", model)


def test_made_tables(ws: Workspace, serve: Serve, keep: Keep) -> None:
    with serve([Say("nothing"), Say(f"```yaml\n{next(fenced_blocks(prompt_text('made_table')))}\n```")]) as model:
        assert len(state_tables(ws, "A made-up garden shop.").data.tables) == 2
    keep("made_table", model)


def test_a_translation(ws: Workspace, serve: Serve, keep: Keep) -> None:
    with serve([Say("nothing")]) as model, pytest.raises(ContentError, match="no usable translation"):
        translate_set(ws, Document.parse(SESSION, name="visits"), Language.CHINESE)
    keep("translate", model)


def test_every_prompt_file_has_a_golden_case() -> None:
    from authoring.prompting.prompts import FOLDER

    cases = {path.parent.name for path in (Path(__file__).parents[1] / "golden" / "prompts").glob("*/prompt.txt")}
    parts = {"system", "guide", "queries_zh", "validators", "topic_examples"}  # that stand in others
    files = {path.stem for path in FOLDER.glob("*.md")} - parts
    assert files - {"language"} <= cases
    assert {"format", "sketch_zh", "draft_zh"} <= cases
